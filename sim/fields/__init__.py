"""Fields: forces that depend on one sphere and on time, one per file, in addition to uniform gravity.

A module offers its field as `FIELD` (repose.sim.fields.field.Field); `repose.sim.registry` finds it, and a scene names
it. This package depends on no scene, file or table of the world.
"""
