"""One running experiment: its data (`experiment.py`, `run.py`) and the functions that change them.

Each field is written by one module. Here belongs what a run does between two batches of time steps: commands, ramps,
faults, checkpoints, sampling, results. Not here: time steps themselves (`repose.sim.engine`), what one scene does (`repose.sim.scenes`), file formats
(`repose.sim.io`), and work on many experiments (`repose.sim.study`). `saved_run.py` and `replay.py` are here because a
run file holds records of this package.
"""
