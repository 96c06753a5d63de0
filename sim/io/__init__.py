"""Files: archives, tables of a world, presets, meshes, exported grains, and writing that survives a crash.

Here belongs what reads or writes a file format without knowing an experiment. A file is checked completely before its
content is used, and a refusal is one sentence. Not here: run files (`repose.sim.experiment.saved_run`), settings and
films (`repose.app.storage`).
"""
