"""Bond laws, one per file: what a lasting link between two spheres pulls, stores and bears.

A module offers its law as `BOND` (repose.sim.bonds.bond.Bond); `repose.sim.registry` finds it, and a scene names it.
Nothing here knows scenes, files or tables of the world.
"""
