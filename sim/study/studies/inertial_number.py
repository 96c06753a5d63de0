"""Effective friction and packing fraction of discs in plane shear over the inertial number."""

from __future__ import annotations

import numpy as np
from repose.sim.experiment.comparison import no_laws, shown
from repose.sim.scenes.lecture.plane_shear import LINEAR, friction_law, packing_law
from repose.sim.study import verdicts
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import Reference, Statement, StatementVerdict, StudyPlan

NUMBERS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
"""Speeds of the plate as inertial numbers of a homogeneous flow [-]."""
ROOM = 0.03
"""Difference from the published numbers that a small cell and soft grains explain [-]."""


def line_over_inertial_number(outcome: StudyOutcome, quantity: str) -> tuple[float, float, float, float] | None:
    """Value at I = 0 and rise with the measured inertial number up to `LINEAR`, each with its standard error; None with
    fewer than four values."""
    group = outcome.groups[0]
    found = {row.at: row.value for row in outcome.rows(group, "inertial_number")}
    rows = [row for row in outcome.rows(group, quantity) if found.get(row.at, np.inf) <= LINEAR]
    if len(rows) < 4:
        return None
    (rise, value), covariance = np.polyfit([found[row.at] for row in rows], [row.value for row in rows], 1, cov=True)
    error = np.sqrt(np.diag(covariance))
    return float(value), float(error[1]), float(rise), float(error[0])


def is_near(outcome: StudyOutcome, quantity: str, published: float) -> StatementVerdict:
    """Whether the value of slow shear is the published one."""
    line = line_over_inertial_number(outcome, quantity)
    if line is None:
        return verdicts.UNDECIDED
    value, error, rise, rise_error = line
    words = f"{shown(value, error)} at I = 0, rise {shown(rise, rise_error)}"
    return StatementVerdict(words, abs(value - published) < ROOM + verdicts.CLEAR * error)


STUDY = StudyPlan(
    name="inertial-number",
    title="Plane shear: friction and packing over the inertial number",
    about="Discs between two rough walls at constant pressure, after da Cruz et al., Phys. Rev. E 72 (2005) 021309. On "
    "the abscissa is the speed of the plate; in the middle of the cell, without slip at the walls, the inertial number "
    "is about a fifth smaller, and the fits use this one.",
    scene="plane_shear",
    values={"strain": 4.0},
    grid={"shear_number": NUMBERS},
    seeds=(1, 2, 3),
    measured=("effective_friction", "packing_in_shear", "inertial_number"),
    drawn_count=2,
    references=(
        Reference("about 0.26 + I (da Cruz et al. 2005)", friction_law),
        Reference("about 0.81 − 0.3 I (da Cruz et al. 2005)", packing_law),
    ),
    laws=no_laws,
    statements=(
        Statement(
            "The effective friction grows about linearly from 0.26.",
            "0.26",
            lambda outcome: is_near(outcome, "effective_friction", float(friction_law(np.zeros(())))),
        ),
        Statement(
            "The packing fraction falls about linearly from 0.81.",
            "0.81",
            lambda outcome: is_near(outcome, "packing_in_shear", float(packing_law(np.zeros(())))),
        ),
    ),
)
