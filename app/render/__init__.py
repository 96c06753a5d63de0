"""From a snapshot to pixels: cameras, colours, light, text, draw passes (`passes`) and the OpenGL renderer.

Nothing here changes the run or knows a panel."""
