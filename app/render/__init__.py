"""From a snapshot to pixels: cameras, colours, light, text, draw passes (`passes`) and the OpenGL renderer.

No module of this package changes the run or imports a panel."""
