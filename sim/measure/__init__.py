"""Quantities measured on a world: functions of its tables, and the records that make them appear in the program.

Every module of this package that defines `MEASUREMENT` (repose.sim.measure.measurement.Measurement, or a tuple of them)
is found without registration. Quantities that depend on the course of one scene belong in that scene. Functions of this
package do not change the world.
"""
