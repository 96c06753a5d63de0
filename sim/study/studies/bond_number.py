"""Angle of repose over the Bond number: how steep a heap of wet grains is, until the column stands upright.

The Bond number is the pull-off force of a liquid bridge over the weight of a mean grain. Cohesion that is small beside
the weight does not change a heap much; a column whose bridges bear the weight of all grains above does not fall.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

from repose.sim.experiment.comparison import Row, no_laws, shown
from repose.sim.message import _
from repose.sim.parameters import Quantity
from repose.sim.study import verdicts
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import Statement, StatementVerdict, StudyPlan

WEIGHT = 1e-3 * 9.81
"""Weight of a grain of the mean radius, 1 mm [N]."""
BOND_NUMBERS = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0)
GRAINS = 300
UPRIGHT = 0.9
"""Share of the grains that are left from which on the column counts as upright: it has no slope [-]."""


def has_fallen(result: Mapping[str, Any]) -> bool:
    """Whether the column of a run has become a heap."""
    return int(result["grains_left"]) < UPRIGHT * GRAINS


def heaps(outcome: StudyOutcome) -> tuple[list[Row], list[float]]:
    """Angles where every column falls, and the pull-off forces at which every column stands."""
    left: dict[float, list[float]] = {}
    for point in outcome.points(outcome.groups[0], "grains_left"):
        left.setdefault(point.at, []).append(point.value)
    stands = [at for at, counts in left.items() if min(counts) >= UPRIGHT * GRAINS]
    fall = {at for at, counts in left.items() if max(counts) < UPRIGHT * GRAINS}
    return [row for row in outcome.rows(outcome.groups[0], "angle_of_repose") if row.at in fall], stands


def steeper_with_cohesion(outcome: StudyOutcome) -> StatementVerdict:
    """Whether no heap is flatter than one with less cohesion, within errors, and the last one is clearly steeper."""
    angles, _stands = heaps(outcome)
    if len(angles) < 3 or not all(row.runs > 1 for row in angles):
        return verdicts.UNDECIDED
    steps = [
        (after.value - before.value, math.hypot(after.error, before.error))
        for before, after in itertools.pairwise(angles)
    ]
    rise, error = angles[-1].value - angles[0].value, math.hypot(angles[-1].error, angles[0].error)
    flattest = min(step / size for step, size in steps)
    ours = f"θ rises by {shown(math.degrees(rise), math.degrees(error))}° over {len(angles)} values"
    monotone = flattest > -verdicts.CLEAR and rise > verdicts.CLEAR * error
    return StatementVerdict(ours, monotone, f"The smallest step is {flattest:.1f} standard errors.")


def stands_upright(outcome: StudyOutcome) -> StatementVerdict:
    """Whether the column with the largest Bond number does not fall."""
    angles, stands = heaps(outcome)
    if not angles and not stands:
        return verdicts.UNDECIDED
    if not stands:
        return StatementVerdict("every column falls", False)
    return StatementVerdict(f"stands at a Bond number of {min(stands) / WEIGHT:g}", True)


STUDY = StudyPlan(
    name="bond-number",
    title="Wet grains: angle of repose over the Bond number",
    about="The column of the heap with liquid bridges: the pull-off force varies, in units of the weight of a grain. "
    "A column that stands upright has no slope, and all its grains are left.",
    scene="heap",
    values={
        "law": "capillary",
        "rotation": True,
        "friction": 0.3,
        "base_radius": 1e-3,
        "grain_count": GRAINS,
        "integrator": "leapfrog",
    },
    grid={"pull_off_force": tuple(number * WEIGHT for number in BOND_NUMBERS)},
    seeds=(1, 2, 3, 4, 5),
    measured=("angle_of_repose", "grains_left"),
    counts=has_fallen,
    shown_as={"pull_off_force": Quantity(_("Bond number"), "Bo", "", WEIGHT)},
    laws=no_laws,
    statements=(
        Statement("A heap of wet grains is the steeper the larger the Bond number.", "monotone", steeper_with_cohesion),
        Statement("A column whose bridges bear its weight stands upright.", "upright", stands_upright),
    ),
)
