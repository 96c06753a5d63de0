"""Readings, plot and results of the latest measured slope of a heap in space, stored as plain data by the scene."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from repose.sim.experiment.comparison import ResultNumber
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.angle_of_repose import with_error
from repose.sim.measure.angle_of_repose_3d import CONE_ERROR_OF, ERROR_OF, ConeAngle
from repose.sim.measure.display import Answer, Axis, Curve, Line, Reading
from repose.sim.measure.flank_angle import FlankAngle
from repose.sim.measure.surface_slope import SurfaceSlope
from repose.sim.message import Message, Value, _
from repose.sim.scenes.common.measured_heap import change_since_measured

PROFILE = Curve("profile", _("Profile"), Axis(_("distance from the axis"), "mm"), Axis(_("height"), "mm"))
"""Title and axes of the plot."""
OF_PROFILE = _("Line through the profile averaged over all directions; error from the scatter of eight sectors.")
OF_FLANK = _(
    "Line through the radius of the heap over its height, as for steep heaps; error from the scatter of eight sectors."
)
"""Description of the measurement on a flank."""


def reading_of(reading: ConeAngle | FlankAngle) -> dict[str, Any]:
    """A measurement as plain data; a measurement of a flank has no fitted cone."""
    cone = {}
    if isinstance(reading, ConeAngle):
        cone = {"cone_angle": reading.cone_angle, "cone_error": reading.cone_error}
    return {
        "angle": reading.angle,
        "standard_error": reading.standard_error,
        **cone,
        "distance": reading.distance.tolist(),
        "height": reading.height.tolist(),
        "intercept": reading.intercept,
        "fitted": list(reading.fitted),
        "used_ids": reading.used_ids.tolist(),
        "grains_used": int(reading.used_ids.size),
        "grains_left": reading.grains_left,
    }


def slope(experiment: Experiment) -> SurfaceSlope | None:
    """The latest measured slope; None before the first measurement, or if it was saved without its line."""
    reading = experiment.run.state.reading
    if "intercept" not in reading:
        return None
    return SurfaceSlope(
        angle=reading["angle"],
        standard_error=reading["standard_error"],
        slope=-math.tan(reading["angle"]),
        intercept=reading["intercept"],
        x_range=(reading["fitted"][0], reading["fitted"][1]),
        method="sectors" if "cone_angle" in reading else "flank",
        used_ids=tuple(reading["used_ids"]),
        grains_left=reading["grains_left"],
    )


def current_slope(experiment: Experiment) -> SurfaceSlope | None:
    """The latest measured slope of a poured heap, while it applies to the grains."""
    return None if change_since_measured(experiment) else slope(experiment)


SLOPE_READINGS = ("angle_of_repose", "cone_angle", "grains_on_plate")
"""Names of `slope_readings`."""


def slope_readings(experiment: Experiment) -> tuple[Reading, ...]:
    """The angle of repose, and the angle of the fitted cone if there is one."""
    slope_reading = experiment.run.state.reading
    if not slope_reading:
        return ()
    cone, outdated = "cone_angle" in slope_reading, change_since_measured(experiment)
    angle = Reading(
        "angle_of_repose",
        _("angle of repose"),
        math.degrees(slope_reading["angle"]),
        "°",
        math.degrees(slope_reading["standard_error"]),
        Message("{value} Heaps of other seeds scatter more.", value=OF_PROFILE if cone else OF_FLANK),
        ERROR_OF,
        outdated=outdated,
    )
    of_cone = (
        Reading(
            "cone_angle",
            _("cone angle"),
            math.degrees(slope_reading["cone_angle"]),
            "°",
            math.degrees(slope_reading["cone_error"]),
            _("Cone fitted to the same surface grains, with a free position of its axis."),
            CONE_ERROR_OF,
            outdated=outdated,
        )
        if cone
        else None
    )
    left = Reading("grains_on_plate", _("grains on the plate"), float(slope_reading["grains_left"]), outdated=outdated)
    return tuple(reading for reading in (angle, of_cone, left) if reading is not None)


def slope_curves(experiment: Experiment) -> tuple[Curve, ...]:
    """The averaged profile (for a steep flank the radius of the heap over height) and the fitted line; without points
    before the first measurement."""
    reading = experiment.run.state.reading
    if not reading:
        return (replace(PROFILE, lines=(Line(_("averaged profile"), np.empty(0), np.empty(0), points=True),)),)
    distance, height = 1e3 * np.array(reading["distance"]), 1e3 * np.array(reading["height"])
    ends = 1e3 * np.array(reading["fitted"])
    inside = (distance >= ends[0] - 1e-9) & (distance <= ends[1] + 1e-9)
    centre = (distance[inside].mean(), height[inside].mean()) if inside.any() else (0.0, 0.0)
    line = centre[1] - math.tan(reading["angle"]) * (ends - centre[0])
    is_flank = "cone_angle" not in reading
    points = Line(_("radius of the layers") if is_flank else _("averaged profile"), distance, height, points=True)
    outdated = change_since_measured(experiment)
    return (replace(PROFILE, lines=(points, Line(_("fit"), ends, line)), note=outdated, x_from_zero=is_flank),)


ANSWER_VALUES = ("angle", "left", "poured")
"""Names of the values of `slope_answer`."""


def slope_answer(experiment: Experiment, **values: Value) -> Answer | None:
    """The angle of the heap at rest and the grains left, while the measurement applies; further values for the answers
    of presets."""
    state, reading = experiment.run.state, experiment.run.state.reading
    if state.phase != "rested" or change_since_measured(experiment):
        return None
    left = state.poured - state.removed
    if not reading:
        return Answer(
            float(left),
            Message(
                "No slope stays that could be measured: {left} of {poured} are left.",
                left=left,
                poured=state.poured,
                **values,
            ),
        )
    words = Message(
        "The heap is {angle} steep, and {left} of {poured} lie on the plate.",
        angle=with_error(reading["angle"], reading["standard_error"]),
        left=left,
        poured=state.poured,
        **values,
    )
    return Answer(math.degrees(reading["angle"]), words)


SLOPE_NUMBERS = {
    "degrees": ResultNumber(_("angle"), "°"),
    "angle_degrees": ResultNumber(_("angle"), "°"),
    "standard_error_degrees": ResultNumber(_("standard error"), "°"),
    "cone_angle_degrees": ResultNumber(_("cone angle"), "°"),
    "cone_error_degrees": ResultNumber(_("cone angle error"), "°"),
}
"""How the numbers of `slope_results` are shown."""


def slope_results(experiment: Experiment) -> dict[str, Any] | None:
    """The angles in degrees for result.json; None before the first measurement."""
    reading = experiment.run.state.reading
    if not reading:
        return None
    names = [name for name in ("angle", "standard_error", "cone_angle", "cone_error") if name in reading]
    angle = {
        "standard_error_of": ERROR_OF,
        "grains_used": reading["grains_used"],
        "outdated": change_since_measured(experiment) or None,
    }
    return angle | {f"{name}_degrees": math.degrees(reading[name]) for name in names}
