"""Configuration of Sphinx for the manual: `repose manual` copies this folder and builds the copy."""

project = "Repose"
author = "Repose contributors"
copyright = "Repose contributors"
extensions = ["myst_parser"]
exclude_patterns = ["paper.md"]
myst_heading_anchors = 3
myst_enable_extensions = ["strikethrough"]
suppress_warnings = ["misc.highlighting_failure"]
highlight_language = "text"
html_theme = "furo"
html_title = "Repose"
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # a page opened from a file cannot read other files
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_theme_options = {"sidebar_hide_name": False}
smartquotes = False  # quotes in commands and names stay as they are
html_use_index = False
