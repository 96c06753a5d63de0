"""Clumps: bodies approximated by overlapping spheres. Here belong the signed distance field of a body, the library of
shapes, the algorithms that choose the spheres, mass properties and quality of the result, and its file. How a clump
moves belongs to `sim/engine`, where it is poured to `sim/scenes`, how it is drawn to `app`."""
