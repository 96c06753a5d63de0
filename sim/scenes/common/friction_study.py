"""The angle of repose over friction, compared with the laws of the thesis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from repose.sim.experiment.comparison import Findings, Point, Study, averaged
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure import angle_of_repose_3d
from repose.sim.measure.display import Line
from repose.sim.measure.surface_slope import ERROR_OF
from repose.sim.message import Message, Number, _

THESIS_FACTOR = 1.77
"""The thesis finds θ = 1.77 arctan μ for Hertz contacts."""


def measure(experiment: Experiment) -> Point | None:
    """Friction and the latest measured slope."""
    reading = experiment.run.state.slope
    return None if reading is None else Point(experiment.parameters.friction, reading.angle, reading.standard_error)


def measure_in_space(experiment: Experiment) -> Point | None:
    """Friction and the latest measured slope of a heap in space."""
    reading = experiment.run.state.reading
    return Point(experiment.parameters.friction, reading["angle"], reading["standard_error"]) if reading else None


def fitted(points: Sequence[Point], reach: tuple[float, float]) -> Findings:
    """θ = k arctan μ fitted to the mean angles with equal weights, and k = 1."""
    rows = [row for row in averaged(points) if row.at > 0.0]
    lines = [_law(_("arctan μ"), 1.0, reach)]
    numbers: dict[str, Any] = {}
    if len(rows) > 1:
        base, angle = np.arctan([row.at for row in rows]), np.array([row.value for row in rows])
        factor = float(base @ angle / (base @ base))
        left = angle - factor * base
        error = math.sqrt(float(left @ left) / (len(rows) - 1) / float(base @ base))
        numbers["factor"] = {"k": factor, "standard_error": error}
        lines.append(
            _law(
                Message(
                    "({factor} ± {error}) arctan μ",
                    factor=Number(factor, format=".2f"),
                    error=Number(error, format=".2f"),
                ),
                factor,
                reach,
                fitted=True,
            )
        )
    return Findings(numbers, tuple(lines))


def beside_the_thesis(points: Sequence[Point], reach: tuple[float, float]) -> Findings:
    """The results of `fitted`, and the factor of the thesis."""
    numbers, lines = fitted(points, reach)
    return Findings(
        numbers,
        (
            *lines,
            _law(
                Message("{thesis_factor} arctan μ (thesis, Hertz)", thesis_factor=THESIS_FACTOR), THESIS_FACTOR, reach
            ),
        ),
    )


def _law(label: Message, factor: float, reach: tuple[float, float], fitted: bool = False) -> Line:
    friction = np.linspace(0.0, reach[1], 100)
    return Line(label, friction, factor * np.arctan(friction), fitted=fitted)


STUDY_IN_SPACE = Study(
    "angle_of_repose",
    quantity=_("angle of repose"),
    symbol="θ",
    unit="°",
    scale=math.radians(1.0),
    over="friction",
    usual=(0.05, 0.1, 0.2, 0.4),
    measure=measure_in_space,
    error_of=angle_of_repose_3d.ERROR_OF,
    error_name=angle_of_repose_3d.ERROR_NAME,
    beside=("grains_left",),  # a sharper figure than the angle
    laws=fitted,
)
STUDY = replace(
    STUDY_IN_SPACE, measure=measure, error_of=ERROR_OF["line"], error_name="line_fit", laws=beside_the_thesis
)
