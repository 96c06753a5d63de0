"""A run as one page for browsers: snapshots of a run become columns of whole numbers, and these one HTML file with its
own drawing code (`assets/page`) and the shaders of the window. The page asks no network for anything. No OpenGL, no
widgets."""
