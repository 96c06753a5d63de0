"""Largest overlap of all contacts."""

from __future__ import annotations

from repose.sim.measure.display import CONTACTS
from repose.sim.measure.measurement import Measurement

MEASUREMENT = Measurement(
    "largest_overlap",
    "largest overlap",
    "δ/R",
    "",
    lambda system: system.survey.largest_overlap,
    shown=False,
    plot=CONTACTS,
    order=50,
)
"""In radii of the smaller sphere that can move, now; result.json also has the largest of the run with its place."""
