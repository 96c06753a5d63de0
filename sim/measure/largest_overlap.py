"""Largest overlap of all contacts."""

from __future__ import annotations

from repose.sim.measure.display import CONTACTS
from repose.sim.measure.measurement import Measurement
from repose.sim.message import _

MEASUREMENT = Measurement(
    "largest_overlap",
    _("largest overlap"),
    "δ/R",
    "",
    lambda system: system.survey.largest_overlap,
    shown=False,
    plot=CONTACTS,
    order=50,
)
"""Present value, in radii of the smaller movable sphere; result.json also has the largest overlap of the run."""
