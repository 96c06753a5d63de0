"""The user's files outside the simulation: settings, automatic saves, video encoding, folders, engine cache.

File formats of the simulation belong in `repose.sim.io`."""
