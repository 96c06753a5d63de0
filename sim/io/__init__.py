"""Files: archives, tables of a world, presets, meshes, exported grains, and writing that survives a crash.

This package reads and writes file formats that are independent of an experiment. A file is checked completely before
its content is used, and a refusal is one sentence. Other packages contain run files
(`repose.sim.experiment.saved_run`), settings and films (`repose.app.storage`).
"""
