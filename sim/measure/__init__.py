"""Quantities measured on a world: functions of its tables, and the records by which the program shows them.

Every module of this package that defines `MEASUREMENT` (repose.sim.measure.measurement.Measurement, or a tuple of them)
is found without registration. Quantities that belong to a single scene are defined in that scene. Functions of this
package do not change the world.
"""
