"""Work on many experiments or on the program itself: studies, benchmark, self-test, compiling ahead.

A study is a record (`plan`). `runs_on_disk` does its runs in processes (`parallel_runs`) and manages their files;
`outcome` computes means, fits and tables.

This package builds experiments and compares them. A single experiment belongs to `repose.sim.experiment`, printing and
drawing to `repose.app.jobs`.
"""
