"""Quantities measured on a world: functions of its tables, and the records that make them appear in the program.

A module that offers `MEASUREMENT` (repose.sim.measure.measurement.Measurement, or a tuple of them) is found because it
is here. What a scene reads off its own course belongs in the scene; what moves or changes grains does not belong here.
"""
