"""The application: command line, jobs without a window, and the window.

Imports point from left to right: cli, jobs, window, ui, render, storage. Modules directly in this package are used by
all of them. Physics belongs in `repose.sim`."""
