"""Pages of the manual in Markdown; `repose manual` adds those that follow from declarations and builds it."""
