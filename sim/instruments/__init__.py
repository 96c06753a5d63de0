"""Instruments that are placed in a scene: each reads the world at its place, one kind per file.

A module offers its kind as `INSTRUMENT` (repose.sim.instruments.instrument.InstrumentKind); `repose.sim.registry` finds
it. No instrument changes the motion: a run has the same bits with and without.
"""
