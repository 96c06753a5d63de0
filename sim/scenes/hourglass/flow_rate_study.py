"""The flow rate over the orifice: the published table (Duffau & Lynch 2020, figure 4) and Beverloo's law."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from repose.sim.experiment.comparison import Findings, Point, Published, Study, averaged
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.beverloo import beverloo, fit_beverloo, fit_exponent
from repose.sim.measure.display import Line
from repose.sim.message import Message, Number, _
from repose.sim.scenes.hourglass.flow_readings import steady_rate

PUBLISHED = (Published(0.1, 110.07, 12.52), Published(0.125, 355.54, 142.74), Published(0.15, 761.97, 256.93))
"""Orifice [m], mean rate and its standard deviation over the runs [1/s]."""

PUBLISHED_C = 4.208
PUBLISHED_FACTS = {"density": 81_400.0, "gravity": 9.81, "radius": 0.0125}
"""Number density [1/m³], gravity [m/s²] and mean radius [m] of the published c."""

RING = 2.8
"""Empty ring of the usual Beverloo law, in mean radii: 1.4 diameters [-]."""


def measure(experiment: Experiment) -> Point | None:
    """Orifice and steady flow rate of a run that has ended without clogging."""
    built, state = experiment.run.built, experiment.run.state
    rate = steady_rate(experiment)
    if rate is None or state.phase not in ("counted", "rested"):
        return None
    density = float(np.mean(state.densities)) if state.densities else math.nan
    aside = {"density": density, "gravity": experiment.parameters.gravity, "radius": built.mean_radius}
    return Point(built.orifice, rate.mean, rate.standard_error, aside)


def fitted(points: Sequence[Point], reach: tuple[float, float]) -> Findings:
    """Beverloo's law fitted to the mean rates of at least two orifices, for grains and gravity of the last run.

    All orifices have equal weights, because errors of single runs are too uncertain for weights.
    """
    alike = [point for point in points if _facts(point) == _facts(points[-1])]
    density = [point.aside["density"] for point in alike if math.isfinite(point.aside["density"])]
    rows = averaged(alike)
    numbers: dict[str, Any] = {"number_density": float(np.mean(density)) if density else None}
    if len(rows) < 2 or not density:
        return Findings(numbers, ())
    widths, rates = [row.at for row in rows], [row.value for row in rows]
    gravity, radius = _facts(points[-1])
    facts = {"density": numbers["number_density"], "gravity": gravity, "radius": radius}
    fit = fit_beverloo(widths, rates, **facts)
    numbers["beverloo"] = {"c": fit.c, "standard_error": fit.standard_error, "residual": fit.residual}
    beyond = [row for row in rows if row.at > RING * radius]
    if len(beyond) > 2:
        power = fit_exponent([row.at for row in beyond], [row.value for row in beyond], RING * radius)
        numbers["exponent"] = {"exponent": power.exponent, "standard_error": power.standard_error}
    label = Message(
        "Beverloo, c = {c} ± {standard_error}",
        c=Number(fit.c, format=".2f"),
        standard_error=Number(fit.standard_error, format=".2f"),
    )
    return Findings(numbers, (_law(label, fit.c, facts, reach, fitted=True),))


def beside_the_published(points: Sequence[Point], reach: tuple[float, float]) -> Findings:
    """The results of `fitted`, and the published fit."""
    numbers, lines = fitted(points, reach)
    published = _law(
        Message("published, c = {published_c}", published_c=PUBLISHED_C), PUBLISHED_C, PUBLISHED_FACTS, reach
    )
    return Findings(numbers, (*lines, published))


def _facts(point: Point) -> tuple[float, float]:
    return point.aside["gravity"], point.aside["radius"]


def _law(label: Message, c: float, facts: dict[str, float], reach: tuple[float, float], fitted: bool = False) -> Line:
    width = np.linspace(*reach, 120)
    return Line(label, width, beverloo(width, c, **facts), fitted=fitted)


GLASS_STUDY = Study(
    "flow_rate",
    quantity=_("flow rate"),
    symbol="Q",
    unit="1/s",
    scale=1.0,
    over="orifice",
    usual=(0.1, 0.12, 0.14),
    measure=measure,
    laws=fitted,
)
STUDY = replace(
    GLASS_STUDY,
    usual=tuple(row.at for row in PUBLISHED),
    published=PUBLISHED,
    scatter=_("spread of the runs"),
    laws=beside_the_published,
)
