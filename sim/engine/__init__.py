"""The time-step loop and the tables it steps.

Here belongs what every run needs and no scene decides: tables, neighbour search, contact kinematics, the sums of
forces, threads, and the estimates of the stable time step. It depends on numpy and numba only and knows no scene,
parameter set or file; contact laws and integrators reach it as records of plain functions (repose.sim.engine.model).
"""
