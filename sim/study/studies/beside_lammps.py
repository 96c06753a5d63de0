"""The same columns collapse in Repose and in LAMMPS, with the same law contact by contact (optional extra `lammps`).

The programs treat the shear spring differently while the normal turns: LAMMPS rotates the spring at constant length;
without rotation of the grains, Repose projects the whole displacement since the first touch. With the shear stiffness
of the thesis, 100 N/m, springs become as long as a grain at large μ, and the heaps differ for this reason. Here the
stiffness is so large that springs stay short.
"""

from __future__ import annotations

from collections.abc import Callable

from repose.sim.experiment.comparison import ResultNumber, no_laws
from repose.sim.message import _
from repose.sim.study import lammps_columns, verdicts
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import Statement, StatementVerdict, StudyPlan

ANGLE, LEFT, FORCE, COMPARED, SLIDING = (
    f"{lammps_columns.NAME}.{name}"
    for name in (
        "angle_in_LAMMPS_degrees",
        "grains_left_in_LAMMPS",
        "force_difference",
        "contacts_compared",
        "contacts_sliding",
    )
)
EQUAL = 1e-9
"""Largest difference of equal forces, over the largest force [-]."""


def equal_forces(outcome: StudyOutcome) -> StatementVerdict:
    """Whether the law gives the forces of LAMMPS at every contact."""
    found = [result[lammps_columns.NAME] for result in outcome.results.values()]
    if not found:
        return verdicts.UNDECIDED
    largest = max(one["force_difference"] for one in found)
    compared, sliding = (sum(one[name] for one in found) for name in ("contacts_compared", "contacts_sliding"))
    words = f"at most {largest:.0e} of the largest force at {compared} contacts, {sliding} of them sliding"
    return StatementVerdict(words, largest < EQUAL)


def same(ours: str, theirs: str) -> Callable[[StudyOutcome], StatementVerdict]:
    """Whether our quantity and that of LAMMPS agree within errors."""
    return lambda outcome: verdicts.same_quantities(outcome, ours, theirs)


STUDY = StudyPlan(
    name="lammps",
    title="The same heaps in Repose and in LAMMPS",
    about="Columns filled by Repose collapse in both programs with the same law; in LAMMPS, friction springs begin "
    "without stretch. Oblique impacts of two spheres are compared contact by contact.",
    scene="heap",
    values={
        "exponent": "linear",
        "normal_stiffness": 1e4,
        "shear_stiffness": 5e3,
        "coulomb_cap": "lammps",
        "integrator": "leapfrog",
    },
    grid={"friction": (0.1, 0.2, 0.3, 0.4)},
    seeds=(1, 2, 3, 4, 5),
    measured=("angle_of_repose", ANGLE, "grains_left", LEFT, FORCE, COMPARED, SLIDING),
    numbers={"angle_in_LAMMPS_degrees": ResultNumber(_("angle in LAMMPS"), "°")},
    drawn_count=2,
    laws=no_laws,
    beside=lammps_columns.beside,
    package=lammps_columns.PACKAGE,
    statements=(
        Statement("Both programs have the same force at every contact.", "equal to rounding", equal_forces),
        Statement("The heaps have the same angle of repose.", "equal within errors", same("angle_of_repose", ANGLE)),
        Statement("Equally many grains are left.", "equal within errors", same("grains_left", LEFT)),
    ),
)
