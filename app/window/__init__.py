"""The window: frame loop, mouse and keyboard input, OpenGL context, ownership of the physics thread.

Panels belong in `repose.app.ui`, drawing of the scene in `repose.app.render`."""
