"""The figures of Korzyński's thesis (2011), chapters 3 and 4, and its statements about them.

The thesis does not print all values of its simplified model: the stiffness of the linear law is chosen as stiff as the
Hertz law at the overlaps of the settled column. The shear stiffness is 100 N/m, with which the results of the thesis
are obtained, and not the 5 N/m that it prints. The points of Lee and Herrmann's figure 3 are published as a picture
only, and are not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from repose.sim.experiment.comparison import Findings, Point, averaged, shown
from repose.sim.measure.display import Line
from repose.sim.message import Number, joined
from repose.sim.parameters import Value
from repose.sim.study import verdicts
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.parallel_runs import StoredStage
from repose.sim.study.plan import Case, Law, Reference, Statement, StatementVerdict, StudyPlan

FRICTION = (0.0, 0.05, 0.1, 0.15, 0.2)
"""Friction coefficients of figures 4.2 to 4.4 and 4.7 [-]."""
SIMPLIFIED: Mapping[str, Value] = {"exponent": "linear", "normal_stiffness": 1e4, "equal_masses": True}
"""Section 4.1: repulsion proportional to the overlap [N/m], and 1 g for every grain."""
LINEAR_K, HERTZ_K = (1.22, 0.13), (1.77, 0.12)
"""Factors k of θ = k arctan μ with their errors, equations 4.1 and 4.2."""
NOT_PRINTED = (
    "The thesis does not print all numbers of its simplified model, and the angle depends on the shear stiffness and "
    "on the shear damping: without it (shear_damping = 0) k = 1.17 ± 0.14 in nine runs."
)
ABOUT_SEVEN = 7.0
"""Angle at μ = 0.05 and R_p = 0.25 mm, "about 7°" [°]."""
FORMING = 0.15
"""Time after the opening at which the flank has reached the base [s]."""


SIMPLIFIED_LINE = Reference(
    f"{LINEAR_K[0]} arctan μ (thesis, simplified)", lambda friction: np.asarray(LINEAR_K[0] * np.arctan(friction))
)


def straight_line(per: float, unit: str) -> Law:
    """θ = a + b x through the mean angles (`verdicts.straight_line`); b is told per so much of the parameter [SI]."""

    def fitted(points: Sequence[Point], reach: tuple[float, float]) -> Findings:
        rows = averaged(points)
        if len(rows) < 3:
            return Findings({}, ())
        fit = verdicts.straight_line(rows)
        x = np.linspace(*reach, 50)
        slope, error, at_zero = (math.degrees(value) for value in (fit.slope * per, fit.error * per, fit.at_zero))
        label = joined((Number(at_zero, "°", ".1f"), " + (", shown(slope, error), f") {unit}"), "")
        numbers = {"slope": slope, "standard_error": error, "intercept": at_zero, "unit": unit}
        return Findings(numbers, (Line(label, x, fit.at_zero + fit.slope * x, fitted=True),))

    return fitted


def factor_is(label: str, theirs: tuple[float, float], why: str = "") -> Any:
    """Whether the fitted k of a line agrees with the published one; `why` it can differ."""

    def judge(outcome: StudyOutcome) -> StatementVerdict:
        factor = verdicts.numbers(outcome, label).get("factor")
        ours = None if factor is None else (factor["k"], factor["standard_error"])
        factor = verdicts.same_number(outcome, "k = ", ours, theirs)
        if ours is None or factor.agrees is None:
            return factor
        words = [factor.why, why if not factor.agrees else "", no_multiple_of_arctan(outcome, label, ours[0])]
        return replace(factor, why=" ".join(word for word in words if word))

    return judge


def no_multiple_of_arctan(outcome: StudyOutcome, label: str, k: float) -> str:
    """A sentence if the means of a line are clearly not proportional to arctan μ; empty otherwise."""
    rows = outcome.rows(outcome.group(label))
    away = [(row.value - k * math.atan(row.at)) / row.error for row in rows if row.error > 0.0]
    rms = math.sqrt(sum(x * x for x in away) / len(away)) if away else 0.0
    at_zero = next((math.degrees(row.value) for row in rows if row.at == 0.0), 0.0)
    if rms <= verdicts.CLEAR:
        return ""
    missed = f" and {at_zero:.1f}° at μ = 0" if at_zero else ""
    return (
        f"k arctan μ misses our means by {rms:.1f} standard errors (root mean square){missed}: k is a summary, no law."
    )


def smaller_if_simplified(outcome: StudyOutcome) -> StatementVerdict:
    """Whether k of the simplified model is smaller than that of the Hertz model."""
    pair = [verdicts.numbers(outcome, label).get("factor") for label in ("simplified", "Hertz")]
    if None in pair or not verdicts.several_seeds(outcome):
        return verdicts.UNDECIDED
    linear, hertz = (values for values in pair if values is not None)
    difference = hertz["k"] - linear["k"]
    error = math.hypot(hertz["standard_error"], linear["standard_error"])
    clear = abs(difference) > verdicts.CLEAR * error
    ours = f"k(Hertz) − k(simplified) = {shown(difference, error)}"
    return StatementVerdict(
        ours, (difference > 0.0) if clear else None, "" if clear else "The two factors agree within errors."
    )


def angle_of_flank(profile: dict[str, Any], row: int) -> float:
    """Slope angle of the straight line through the part of the profile with grains [rad]."""
    x, height = np.array(profile["x"]), np.array(profile["height"][row], float)
    on = height > 0.0
    return float(np.arctan(-np.polyfit(x[on], height[on], 1)[0])) if on.sum() > 2 else math.nan


def more_friction_is_steeper(outcome: StudyOutcome) -> StatementVerdict:
    """Whether heaps of larger μ are steeper at every time once the flank has formed."""
    profiles: dict[Value, list[dict[str, Any]]] = {}
    for run in outcome.runs:
        result = outcome.results.get(run.task.path.name)
        if result is None or result["profile"] is None:
            return verdicts.UNDECIDED
        profiles.setdefault(run.varied["friction"], []).append(result["profile"])
    every = [profile for rows in profiles.values() for profile in rows]
    last = min(len(profile["time"]) for profile in every)
    times = [row for row in range(last) if every[0]["time"][row] >= FORMING]

    def means(row: int) -> list[float]:
        """Mean angle over the seeds, one entry per μ [rad]."""
        return [float(np.mean([angle_of_flank(profile, row) for profile in rows])) for rows in profiles.values()]

    ordered = sum(sorted(angles) == angles for angles in map(means, times))
    ours = f"in {ordered} of {len(times)} profiles; at rest {', '.join(f'{math.degrees(x):.1f}°' for x in means(-1))}"
    seeds = len(every) // len(profiles)
    words = "One seed" if seeds == 1 else f"{seeds} seeds"
    why = f"{words}: neighbouring μ can cross by chance."
    return StatementVerdict(ours, ordered > 0.8 * len(times) if times else None, why)


def angle_rises_with_base_radius(outcome: StudyOutcome) -> StatementVerdict:
    """Whether θ rises with R_p, and the means are on a straight line."""
    sign = verdicts.trend(outcome, "", per=1e-3, unit="°/mm", expected=1)
    if not sign.agrees:
        return sign
    misfit = verdicts.straight_line(outcome.rows(outcome.groups[0])).misfit
    why = f"The means are {misfit:.1f} of their standard errors from the line (square root of χ²/ν)."
    return sign if math.isnan(misfit) else replace(sign, agrees=misfit <= verdicts.CLEAR, why=why)


def gravity_has_no_effect(outcome: StudyOutcome) -> StatementVerdict:
    """Whether θ shows no trend with g."""
    sign = verdicts.trend(outcome, "", per=1.0, unit="°/(m/s²)", expected=0)
    why = (
        "Lee and Herrmann find that θ falls when g rises, because grains overlap more." if sign.agrees is False else ""
    )
    return StatementVerdict(sign.ours, sign.agrees, why)


def about_seven_degrees(outcome: StudyOutcome) -> StatementVerdict:
    """The angle at the thesis' base."""
    rows = {row.at: row for row in outcome.rows(outcome.groups[0])}
    row = rows.get(2.5e-4)
    if row is None or not verdicts.several_seeds(outcome):
        return verdicts.UNDECIDED
    ours = math.degrees(row.value), math.degrees(row.error)
    # "About 7°": a degree, the scatter of the thesis' own points.
    verdict = verdicts.same_number(outcome, "θ = ", ours, (ABOUT_SEVEN, 1.0), unit="°")
    return replace(verdict, why=f"{verdict.why} The thesis gives no error of this angle: 1° is assumed.")


def angle_without_friction_is_not_zero(outcome: StudyOutcome) -> StatementVerdict:
    """Whether θ(μ = 0) differs from zero."""
    rows = {row.at: row for row in outcome.rows(outcome.groups[0])}
    if 0.0 not in rows or not verdicts.several_seeds(outcome):
        return verdicts.UNDECIDED
    angle, error = math.degrees(rows[0.0].value), math.degrees(rows[0.0].error)
    why = "The base is rough: its grains hold a layer even without friction."
    return StatementVerdict(f"θ(0) = {shown(angle, error)}°", angle > verdicts.CLEAR * error, why)


def steeper_than_arctan(outcome: StudyOutcome) -> StatementVerdict:
    """Whether k exceeds 1."""
    factor = verdicts.numbers(outcome, outcome.groups[0].name).get("factor")
    if factor is None or not verdicts.several_seeds(outcome):
        return verdicts.UNDECIDED
    k, error = factor["k"], factor["standard_error"]
    return StatementVerdict(f"k = {shown(k, error)}", k > 1.0 + verdicts.CLEAR * error)


def runs_fail(label: str) -> Any:
    """Whether runs of a line ended in a fault."""

    def judge(outcome: StudyOutcome) -> StatementVerdict:
        names = [run.task.path.name for run in outcome.runs if outcome.group_of(run).name == label]
        results = [outcome.results[name] for name in names if name in outcome.results]
        faults = sum(result["fault"] is not None or result["phase"] != "rested" for result in results)
        ours = f"{len(results) - faults} of {len(results)} runs came to rest"
        why = (
            "The time step follows the stability limit of the scheme; the thesis' 10⁻⁴ s is above it for the Hertz law."
            if not faults
            else ""
        )
        return StatementVerdict(ours, faults > 0 if results else None, why)

    return judge


STAGES = StudyPlan(
    name="thesis-3.2",
    title="Figure 3.2: the heap in four stages",
    about="The container is filled in layers, its right wall is removed, grains run out, the heap comes to rest.",
    scene="heap",
    values={"friction": 0.1},
    seeds=(1,),
    figure="stages",
    stages=(
        StoredStage("filling", "filling in layers", phase="filling", share=0.5),
        StoredStage("opened", "the right wall is open", phase="flowing"),
        StoredStage("flowing", "grains run out", phase="flowing", after=0.15),
        StoredStage("rested", "at rest", phase="rested"),
    ),
)
PROFILES = StudyPlan(
    name="thesis-4.1",
    title="Figure 4.1: the flank forms in time",
    about="Height of the surface at several times after the wall was opened, for three friction coefficients.",
    scene="heap",
    grid={"friction": (0.05, 0.1, 0.2)},
    seeds=(1,),
    figure="profiles",
    statements=(
        Statement("The larger μ, the steeper the flank at every captured moment.", "", more_friction_is_steeper),
    ),
)
INTEGRATORS = StudyPlan(
    name="thesis-4.2",
    title="Figure 4.2: Verlet and Gear-5",
    about="θ(μ) of the simplified model with both schemes, and of the Hertz model with the Verlet scheme, which the "
    "thesis could not run.",
    scene="heap",
    grid={"friction": FRICTION},
    cases=(
        Case("simplified, Verlet", {**SIMPLIFIED, "integrator": "leapfrog"}),
        Case("simplified, Gear-5", {**SIMPLIFIED, "integrator": "gear5"}),
        Case("Hertz, Verlet", {"integrator": "leapfrog"}),
    ),
    references=(SIMPLIFIED_LINE,),
    statements=(
        Statement(
            "Both schemes give the same angles within the statistical errors.",
            "equal within standard deviations of three runs",
            lambda outcome: verdicts.same_curve(outcome, "simplified, Verlet", "simplified, Gear-5"),
        ),
        Statement(
            "The second-order Verlet scheme is not stable with the exponent 3/2.",
            "",
            runs_fail("Hertz, Verlet"),
        ),
    ),
)
LAWS = StudyPlan(
    name="thesis-4.3",
    title="Figure 4.3: linear and Hertz repulsion",
    about="θ(μ) of the simplified model (equation 4.1, equal masses) and of the Hertz model (equation 4.2), with the "
    "factor k of θ = k arctan μ.",
    scene="heap",
    grid={"friction": FRICTION},
    cases=(Case("simplified", SIMPLIFIED), Case("Hertz")),
    references=(SIMPLIFIED_LINE,),
    seeds=(1, 2, 3, 4, 5),
    statements=(
        Statement(
            "Simplified model: θ = k arctan μ.", "k = 1.22 ± 0.13", factor_is("simplified", LINEAR_K, NOT_PRINTED)
        ),
        Statement("Hertz model: θ = k arctan μ.", "k = 1.77 ± 0.12", factor_is("Hertz", HERTZ_K)),
        Statement("The simplified model has the smaller k, closer to arctan μ.", "1.22 < 1.77", smaller_if_simplified),
    ),
)
SIZES = StudyPlan(
    name="thesis-4.4",
    title="Figure 4.4: 1100 and 1600 grains",
    about="θ(μ) of the Hertz model for two numbers of grains in a container of the same width.",
    scene="heap",
    values={"width": 4.56e-2},
    grid={"friction": FRICTION},
    cases=(Case("N = 1100", {"grain_count": 1100}), Case("N = 1600", {"grain_count": 1600})),
    statements=(
        Statement(
            "The number of grains has no influence.",
            "the curves coincide",
            lambda outcome: verdicts.same_curve(outcome, "N = 1100", "N = 1600"),
        ),
    ),
)
BASE = StudyPlan(
    name="thesis-4.5",
    title="Figure 4.5: the grains of the base",
    about="θ over the radius of the base grains, μ = 0.05.",
    scene="heap",
    values={"friction": 0.05},
    grid={"base_radius": (1.25e-4, 2.5e-4, 5e-4, 7.5e-4, 1e-3)},
    seeds=(1, 2, 3, 4, 5),
    laws=straight_line(1e-3, "°/mm × R_p"),
    statements=(
        Statement("The angle rises linearly with R_p.", "", angle_rises_with_base_radius),
        Statement("At R_p = 0.25 mm the angle is about 7°.", "about 7°", about_seven_degrees),
    ),
)
GRAVITY = StudyPlan(
    name="thesis-4.6",
    title="Figure 4.6: gravity",
    about="θ over gravity, μ = 0.1.",
    scene="heap",
    values={"friction": 0.1},
    grid={"gravity": (4.0, 9.81, 20.0, 40.0)},
    seeds=(1, 2, 3, 4, 5),
    laws=straight_line(1.0, "°/(m/s²) × g"),
    statements=(Statement("Gravity has no clear influence on the angle.", "no trend", gravity_has_no_effect),),
)
AGAINST_ARCTAN = StudyPlan(
    name="thesis-4.7",
    title="Figure 4.7: against arctan μ",
    about="θ(μ) of the Hertz model against arctan μ. Lee and Herrmann's angles, drawn in the thesis, rise with μ too, "
    "and less than those of the thesis; their points are published as a picture only and are not drawn here.",
    scene="heap",
    grid={"friction": FRICTION},
    seeds=(1, 2, 3, 4, 5),
    statements=(
        Statement("θ rises faster than arctan μ.", "k = 1.77 ± 0.12", steeper_than_arctan),
        Statement("θ differs from 0 at μ = 0.", "θ(0) > 0", angle_without_friction_is_not_zero),
    ),
)
FIGURES = (STAGES, PROFILES, INTEGRATORS, LAWS, SIZES, BASE, GRAVITY, AGAINST_ARCTAN)

STUDY = (
    *FIGURES,
    StudyPlan(
        name="thesis",
        title="The thesis, reproduced",
        about="Figures and statements of R. Korzyński, Modelling of granular matter with friction (master's thesis, "
        "Wrocław 2011), chapters 3 and 4, beside the results of this program.",
        scene="heap",
        parts=tuple(plan.name for plan in FIGURES),
    ),
)
