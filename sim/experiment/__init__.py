"""One running experiment: its data (`experiment.py`, `run.py`) and the functions that change them.

Each field is written by one module. This package contains what happens between two batches of time steps: commands,
ramps, faults, checkpoints, sampling, results. `saved_run.py` and `replay.py` are here because a run file holds records
of this package. Other packages contain time steps (`repose.sim.engine`), single scenes (`repose.sim.scenes`), file
formats that are independent of an experiment (`repose.sim.io`), and work on many experiments (`repose.sim.study`).
"""
