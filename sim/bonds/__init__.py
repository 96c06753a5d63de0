"""Bond laws, one per file: force, energy and rupture of a lasting link between two spheres.

A module offers its law as `BOND` (repose.sim.bonds.bond.Bond); `repose.sim.registry` finds it, and a scene names it.
This package depends on no scene, file or table of the world.
"""
