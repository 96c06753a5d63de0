"""Lee and Herrmann's other angles: tilting angle θ_T and angle of marginal stability θ_MS, beside that of repose θ_R.

J. Lee, H. J. Herrmann, J. Phys. A 26 (1993) 373, doi:10.1088/0305-4470/26/2/021.
"""

from __future__ import annotations

import math

from repose.sim.experiment.comparison import shown
from repose.sim.study import verdicts
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import Statement, StatementVerdict, StudyPlan

FRICTION = (0.1, 0.2, 0.4)
LEFT = "angle_of_repose.grains_left"
"""Grains of the heap whose angle of repose was measured, before it was tilted or got more grains."""
ANGLES = "other_angles."
LARGE = f"{ANGLES}large_avalanches"
TILTED, MARGINAL, REPOSE, DROP = (
    f"{ANGLES}{name}_degrees"
    for name in ("tilting_angle", "marginal_stability", "repose_after_avalanches", "slope_drop")
)


def repose_below_marginal(outcome: StudyOutcome) -> StatementVerdict:
    """Whether large avalanches lower the slope: the mean difference of the slopes before and after them."""
    rows = outcome.rows(outcome.groups[0], DROP)
    if not rows or not all(row.runs > 1 for row in rows):
        return verdicts.UNDECIDED
    drop = sum(row.value for row in rows) / len(rows)
    error = math.hypot(*(row.error for row in rows)) / len(rows)
    smallest = min(row.value / row.error for row in rows)
    why = f"At the friction where it is least clear the difference is {smallest:.1f} standard errors."
    clear = drop > verdicts.CLEAR * error
    avalanches = round(sum(row.runs * row.value for row in outcome.rows(outcome.groups[0], LARGE)))
    ours = f"θ_MS − θ_R = {shown(drop, error)}° over {len(rows)} values, {avalanches} large avalanches"
    return StatementVerdict(ours, clear, why)


def flows_beyond_repose(outcome: StudyOutcome) -> StatementVerdict:
    """Whether a heap at its angle of repose can be tilted before it flows: θ_T > 0."""
    rows = outcome.rows(outcome.groups[0], TILTED)
    if not rows or not all(row.runs > 1 for row in rows):
        return verdicts.UNDECIDED
    angle = sum(row.value for row in rows) / len(rows)
    error = math.hypot(*(row.error for row in rows)) / len(rows)
    return StatementVerdict(f"θ_T = {shown(angle, error)}° over {len(rows)} values", angle > verdicts.CLEAR * error)


STUDY = (
    StudyPlan(
        name="tilt",
        title="Tilting a heap until it flows",
        about="The table under a heap at rest is turned slowly; θ_T is the angle of the table at which the flow of at "
        "least a quarter of the grains begins. θ_T beside the angle of repose θ of the same heaps.",
        scene="heap",
        values={"afterwards": "tilt"},
        grid={"friction": FRICTION},
        seeds=(1, 2, 3, 4, 5),
        measured=("angle_of_repose", TILTED, f"{ANGLES}slope_at_flow_degrees", LEFT),
        drawn_count=3,
        statements=(
            Statement(
                "A heap at rest can be tilted by a finite angle before it flows.", "θ_T > 0", flows_beyond_repose
            ),
        ),
    ),
    StudyPlan(
        name="trickle",
        title="Grains added one by one: slopes before and after avalanches",
        about="Grains are added at the top of a heap at rest, each once all others rest. θ_MS and θ_R are the slopes "
        "before and after avalanches that move at least a quarter of the grains.",
        scene="heap",
        values={"afterwards": "trickle", "trickle_count": 200},
        grid={"friction": FRICTION},
        seeds=(1, 2, 3),
        measured=(MARGINAL, REPOSE, DROP, LARGE, f"{ANGLES}mean_avalanche", LEFT),
        drawn_count=2,
        figure="avalanches",
        statements=(
            Statement(
                "The angle of repose is below the angle of marginal stability.", "θ_R < θ_MS", repose_below_marginal
            ),
        ),
    ),
)
