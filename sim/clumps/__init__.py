"""Clumps: bodies approximated by overlapping spheres.

This package contains the signed distance field of a body, the library of shapes, the algorithms that choose the
spheres, mass properties and quality of the result, and the file of a clump. The motion of clumps belongs to
`sim/engine`, pouring to `sim/scenes`, drawing to `app`.
"""
