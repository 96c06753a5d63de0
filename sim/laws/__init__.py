"""Contact laws, one per file; `lee_herrmann.py` explains how to write one.

The package also contains materials and formulas that several laws share. A module offers its law as `LAW`;
`repose.sim.registry` finds it. This package depends on no scene, file or table of the world.
"""
