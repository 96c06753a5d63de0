"""Further properties of materials, one per file, beside the seven that every material has (repose.sim.laws.materials).

A module offers its property as `PROPERTY` (repose.sim.laws.material_property.Property); `repose.sim.registry` finds it.
A law that reads it names it among its columns, and nothing else has to be edited. This package contains no law.
"""
