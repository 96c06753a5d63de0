"""ImGui user interface: panels (`panels`), their widgets and layout, keys, undo.

Panels read snapshots and send commands. Drawing of the scene belongs in `repose.app.render`, the frame loop in
`repose.app.window`."""
