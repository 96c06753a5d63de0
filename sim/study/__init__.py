"""Work on many experiments or on the program itself: studies, benchmark, self-test, tests with damaged data, compiling
ahead.

A study is a record (`plan`); `runs_on_disk` does its runs in processes (`parallel_runs`) and keeps their files,
`outcome` makes means, fits and tables of them.

Here belongs what builds experiments to compare them. Not here: one experiment (`repose.sim.experiment`), and what
prints or draws (`repose.app.jobs`).
"""
