"""Fields: forces that depend on one sphere and on time, one per file, besides uniform gravity.

A module offers its field as `FIELD` (repose.sim.fields.field.Field); `repose.sim.registry` finds it, and a scene names
it. Nothing here knows scenes, files or tables of the world.
"""
