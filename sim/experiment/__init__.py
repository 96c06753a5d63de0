"""One running experiment: its data (`experiment.py`, `run.py`) and the functions that change them.

Each field is written by one module. Here belongs what happens between two batches of time steps: commands, ramps,
faults, checkpoints, sampling, results. `saved_run.py` and `replay.py` are here because a run file holds records of this
package. Not here: time steps (`repose.sim.engine`), what one scene does (`repose.sim.scenes`), file formats that
know no experiment (`repose.sim.io`), and work on many experiments (`repose.sim.study`).
"""
