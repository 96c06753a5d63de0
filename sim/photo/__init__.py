"""Heaps in pictures: the surface in pixels, and the profile in metres, measured like that of a computed heap."""
