"""The slope measured by a scene, sampled over time."""

from __future__ import annotations

import math

from repose.sim.measure.display import SLOPE
from repose.sim.measure.measurement import Measurement, System
from repose.sim.message import _


def slope_angle(system: System) -> float:
    """Angle of repose measured by the scene [rad]; nan if the scene measures no slope now."""
    return float(getattr(system.reading, "angle", math.nan))


MEASUREMENT = Measurement("angle", _("angle"), "", "°", slope_angle, scale=math.radians(1.0), shown=False, plot=SLOPE)
