"""The application: command line, jobs without a window, and the window.

A package imports only packages to its right: cli, jobs, window, ui, lectures, render, storage. All of them may import
the modules directly in this package. Physics belongs in `repose.sim`."""
