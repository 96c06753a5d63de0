"""The command line: arguments, help texts, tables and exit codes.

What a command does belongs in `repose.app.jobs` or `repose.app.window`."""
