"""Contact laws, one per file; `lee_herrmann.py` explains how to write one.

Here belong laws, the materials they share, and formulas that several laws use. A module offers its law as `LAW`;
`repose.sim.registry` finds it. Nothing here knows scenes, files or tables of the world.
"""
