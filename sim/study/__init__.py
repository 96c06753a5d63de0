"""Work on many experiments or on the program itself: benchmark, self-test, tests with damaged data, compiling ahead.

Here belongs what builds experiments to compare them. Not here: one experiment (`repose.sim.experiment`), and what
prints or draws (`repose.app.jobs`).
"""
