"""The step loop and the tables that it steps.

The engine contains what all scenes share: tables, neighbour search, contact kinematics, sums of forces, threads, and
estimates of the stable time step. The engine depends on numpy and numba only; it reads no scene, parameter set or file.
Contact laws and integrators are passed to it as records of plain functions (repose.sim.engine.model).
"""
