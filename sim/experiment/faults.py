"""Faults of the motion: detection, the message (grain, value, limit, likely cause) and the remedies."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.neighbours import verlet_list
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.workspace import WAIT_LIMIT
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, Floats, World
from repose.sim.experiment.activation import activate, request_parameters
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.experiment.notices import tell
from repose.sim.experiment.run import BLAME_STEPS, Change, RestartPoint
from repose.sim.experiment.snapshot import LARGE_OVERLAP, SAFE_STEP, Fault, Remedy
from repose.sim.experiment.time_step import choose_dt, foreseen_dt
from repose.sim.io.world_tables import unpacked
from repose.sim.parameters import Value

FARTHEST = 1e7
"""Largest distance from the origin over radius [-]; positions are then resolved to a billionth of a radius."""


def check(experiment: Experiment) -> Fault | None:
    """The fault of the present state, or None: a grain not finite, too fast or too far away, or a wall too fast."""
    world = experiment.run.world
    whole = bool(np.isfinite(world.motion).all())
    row = _shear_spring_lost(world) if whole else -1
    if not whole or row >= 0:
        return fault_of_status(experiment, verlet_list.NOT_FINITE, row)
    velocity = world.motion[: experiment.scene.dimension, 1]
    with np.errstate(over="ignore"):
        steps = np.einsum("cn,cn->n", velocity, velocity) * (experiment.dt / verlet_list.LARGEST_STEP) ** 2
    too_fast = (steps > world.radius**2) & ~world.fixed
    if too_fast.any():
        row = int(np.where(too_fast, steps / world.radius**2, 0.0).argmax())
        return fault_of_status(experiment, verlet_list.TOO_FAST, row)
    return _astray(experiment) or _running_over(experiment)


def fault_of_status(experiment: Experiment, status: int, row: int) -> Fault:
    """The fault that a status of the step loop stands for; `row` is that of the grain concerned."""
    world = experiment.run.world
    if status == verlet_list.THREAD_MISSING:
        threads, waited = world.threads.thread_status.shape[0], world.threads.barrier[WAIT_LIMIT] / 1000
        return Fault(
            f"One of {threads} threads did not come within {waited:g} s to step its grains at {experiment.time:.4f} s: "
            f"stopped at the last good state, {last_good(experiment).run.time:.4f} s. "
            "Likely cause: the system does not let it run.",
            remedies=(Remedy("continue", "go on, or step with one thread (--threads 1)"),),
        )
    if status == verlet_list.NOT_FINITE:
        row, lost = _lost(world, row, experiment.scene.dimension)
        return _fault(experiment, row, f"lost its {lost} (not a finite number) at {experiment.time:.4f} s")
    speed = float(np.sqrt(np.sum(world.motion[: experiment.scene.dimension, 1, row] ** 2)))
    limit = verlet_list.LARGEST_STEP * float(world.radius[row]) / experiment.dt
    return _fault(
        experiment,
        row,
        f"moves at {speed:.3g} m/s at {experiment.time:.4f} s, "
        f"over the {limit:.3g} m/s that a step of {experiment.dt * 1e6:.4g} µs can follow",
    )


def step_too_large(experiment: Experiment, survey: Survey) -> Fault:
    """The fault of a fixed time step that is unstable with the present contacts."""
    step = experiment.parameters.declared()["dt"].shown(experiment.parameters.dt)
    borne = f"{survey.stable_dt * 1e6:.4g} µs"
    return _fault(
        experiment,
        survey.stiffest,
        f"has contacts at {experiment.time:.4f} s for which {experiment.engine.model.integrator.title} is stable up to "
        f"a time step of {borne}, and the time step is {step}",
        "Likely cause: the time step.",
    )


def smaller_dt(experiment: Experiment) -> float | None:
    """The requested or the automatic step, halved until it is well below the stable step [s]; at least halved once.

    None where that is below the lower limit of the parameter.
    """
    parameters = experiment.parameters
    asked: float = experiment.dt if parameters.dt == "auto" else parameters.dt
    halvings = math.ceil(math.log2(asked / (SAFE_STEP * foreseen_dt(experiment)))) if asked > 0.0 else 1
    smaller = math.ldexp(asked, -max(1, halvings))
    return smaller if smaller > 0.0 and smaller >= (parameters.declared()["dt"].low or 0.0) else None


def removable(experiment: Experiment, world: World, sphere_id: int) -> bool:
    """Whether the grain exists, can move, and is not needed by the scene."""
    row = np.flatnonzero(world.sphere_id == sphere_id)
    return experiment.scene.on_grain_removed is not None and bool(row.size) and not world.fixed[row[0]]


def _shear_spring_lost(world: World) -> int:
    """Row of a grain with a contact whose shear spring is not finite, or -1."""
    for contacts, count, rows in (
        (world.pairs, PAIR_COUNT, (world.pairs.i, world.pairs.j)),
        (world.wall_contacts, WALL_CONTACT_COUNT, (world.wall_contacts.sphere,)),
    ):
        used = int(world.counters[count])
        if not np.isfinite(contacts.shear_spring[:, :used]).all():
            kept = np.isfinite(contacts.shear_spring[:, :used]).all(axis=0) | (contacts.touching[:used] == 0)
            for entry in np.flatnonzero(~kept):
                return next((int(row[entry]) for row in rows if not world.fixed[row[entry]]), int(rows[0][entry]))
    return -1


def _lost(world: World, row: int, dimension: int) -> tuple[int, str]:
    """Row of the grain that most likely was the first with a value that is not finite, and the name of that value.

    `row` is returned where all motion is finite. A velocity that is not finite spoils the position one step later, and
    every touching neighbour: so the first grain is one whose position is lost and that touches most of the others.
    """
    whole: NDArray[np.bool_] = np.isfinite(world.motion)
    lost: Any = ~whole.all(axis=(0, 1))
    if not lost.any():
        return row, "position" if row < 0 else "contact memory"
    for narrower in (lost & ~world.fixed, lost & ~world.fixed & ~whole[:dimension, 0].all(axis=0)):
        lost = narrower if narrower.any() else lost
    used = int(world.counters[PAIR_COUNT])
    i, j = world.pairs.i[:used], world.pairs.j[:used]
    both = (world.pairs.touching[:used] != 0) & lost[i] & lost[j]
    touched = np.bincount(np.concatenate([i[both], j[both]]), minlength=lost.size)
    first = int(np.where(lost, touched, -1).argmax())
    spoilt = ~whole[:, :, first]
    across, around = spoilt[:dimension].any(axis=0), spoilt[dimension:].any(axis=0)
    level = int(np.flatnonzero(across if across.any() else around)[0])
    words = MOTION if across.any() else SPINNING
    return first, words[min(level, len(words) - 1)]


MOTION = ("position", "velocity", "acceleration", "higher derivative")
SPINNING = ("orientation", "spin", "change of spin", "higher derivative of its spin")


def _astray(experiment: Experiment) -> Fault | None:
    """The fault of the grain farthest from the origin, if its position is no longer resolved finely enough."""
    world = experiment.run.world
    place = np.abs(world.motion[: experiment.scene.dimension, 0]).max(axis=0, initial=0.0)
    if not (place > FARTHEST * world.radius).any():
        return None
    row = int((place / world.radius).argmax())
    return _fault(
        experiment,
        row,
        f"is {place[row]:.3g} m away at {experiment.time:.4f} s, over the "
        f"{FARTHEST * float(world.radius[row]):.3g} m within which contacts are resolved",
    )


def _running_over(experiment: Experiment) -> Fault | None:
    """The fault of the fastest wall, if it moves so far in a step that it can pass the smallest grain."""
    world = experiment.run.world
    moving = ~world.fixed
    if not (moving.any() and world.walls.velocity.any()):
        return None
    speed = np.sqrt((world.walls.velocity**2).sum(axis=1))
    wall, radius = int(speed.argmax()), float(world.radius[moving].min())
    if speed[wall] * experiment.dt <= verlet_list.LARGEST_STEP * radius:
        return None
    limit = verlet_list.LARGEST_STEP * radius / experiment.dt
    return _stopped(
        experiment,
        f"Wall {wall} moves at {speed[wall]:.3g} m/s at {experiment.time:.4f} s, over the {limit:.3g} m/s that a grain "
        f"of {1e3 * radius:.3g} mm radius can follow with a step of {experiment.dt * 1e6:.4g} µs",
        "Likely cause: the speed of the wall.",
    )


def _fault(experiment: Experiment, row: int, words: str, cause: str = "") -> Fault:
    """The fault of one grain: its number and position, then `words`."""
    world, good = experiment.run.world, last_good(experiment).run
    sphere = int(world.sphere_id[row])
    dimension = experiment.scene.dimension
    place: Floats | None = world.motion[:dimension, 0, row]
    was = ""
    if not np.isfinite(world.motion[:dimension, 0, row]).all():
        before = good.world.motion[:dimension, 0, good.world.sphere_id == sphere]
        place, was = (before[:, 0], ", last at ") if before.size else (None, "")
    where = "" if place is None else f"{was or ' at '}({', '.join(f'{x:.4g}' for x in place)}) m"
    subject = f"Grain {sphere} {words}{where}" if was else f"Grain {sphere}{where} {words}"
    return _stopped(experiment, subject, cause, sphere)


def _stopped(experiment: Experiment, subject: str, cause: str = "", sphere: int | None = None) -> Fault:
    """The fault with the message `subject`, the time of the last good state, and the likely cause.

    `cause` is used where no parameter was changed recently.
    """
    good = last_good(experiment).run
    stopped = f"stopped at the last good state, {good.time:.4f} s"
    change = experiment.history.last_change if changed_lately(experiment) else Change()
    cause = cause if cause and not change.name else _cause(experiment, change)
    name, previous = (change.name, change.previous) if change.name else (None, None)
    return Fault(f"{subject}: {stopped}. {cause}", sphere, name, previous)


def _cause(experiment: Experiment, change: Change) -> str:
    """Most likely cause of a fault: the latest parameter change, or a property of the last good state."""
    if change.name:
        return f"Likely cause: {_in_words(experiment, change.name, change.previous)[0]}."
    survey = survey_contacts(experiment, unpacked(last_good(experiment).run.world))
    if experiment.dt > survey.stable_dt:
        return f"Likely cause: the time step is over the {survey.stable_dt * 1e6:.4g} µs that the contacts bear."
    if survey.largest_overlap > LARGE_OVERLAP:
        deep = f"{100.0 * survey.largest_overlap:.0f} % of a radius"
        return f"Likely cause: grains are pressed into each other by {deep}, more than the contact law means."
    return "The last good state shows no cause."


def stop(experiment: Experiment, fault: Fault) -> None:
    """Restore the last good state and set the fault; the run does not advance until it is cleared."""
    # The state is the one before the change, the parameters are those after it. No grain moves yet: undoing the change
    # gives back exactly this state, and any other remedy requests the parameters again.
    now, point = experiment.parameters, last_good(experiment)
    activate(experiment, point.parameters, point.restored(), adapt=False)
    request_parameters(experiment, now, relaxing=False)
    experiment.fault = with_remedies(experiment, fault)
    tell(experiment, experiment.fault.message)


def clear(experiment: Experiment) -> None:
    """Allow the run to continue after a fault."""
    experiment.fault = None


def restore_fault(experiment: Experiment, fault: Fault | None) -> None:
    """Set the fault, or its absence, of a checkpoint that is the present state; old run files hold no remedies."""
    experiment.fault = replace(fault, remedies=fault.remedies or tuple(_remedies(experiment, fault))) if fault else None


def update_dt(experiment: Experiment, first: bool = False) -> None:
    """Adapt the time step to contacts and parameters; stop the run where a fixed step is unstable."""
    survey = choose_dt(experiment, first)
    if survey is not None:
        stop(experiment, step_too_large(experiment, survey))


def changed_lately(experiment: Experiment) -> bool:
    """Whether a fault now is attributed to the latest change of a parameter."""
    change = experiment.history.last_change
    return bool(change.name) and experiment.step - change.step < BLAME_STEPS


def last_good(experiment: Experiment) -> RestartPoint:
    """The state a fault goes back to."""
    return experiment.history.before_change if changed_lately(experiment) else experiment.history.good


def with_remedies(experiment: Experiment, fault: Fault) -> Fault:
    """The fault with its remedies, also listed in the last sentence of the message; the present state is the last good
    one."""
    remedies = list(fault.remedies) or _remedies(experiment, fault)
    offers = [remedy.words for remedy in remedies]
    words = " or ".join(filter(None, [", ".join(offers[:-1]), offers[-1]])) if offers else "start anew"
    message = f"{fault.message} {words[0].upper()}{words[1:]}."
    return replace(fault, message=message, remedies=tuple(remedies))


def _remedies(experiment: Experiment, fault: Fault) -> list[Remedy]:
    """Remedies for a fault of the motion; the present state is the last good one."""
    smaller, sphere = smaller_dt(experiment), fault.sphere_id
    remedies = []
    if fault.parameter and fault.previous is not None:
        words = _in_words(experiment, fault.parameter, fault.previous)[1]
        remedies.append(Remedy("undo", words, {fault.parameter: fault.previous}))
    if smaller is not None:
        remedies.append(Remedy("smaller_dt", f"lower the time step to {smaller * 1e6:.4g} µs", {"dt": smaller}))
    if experiment.parameters.dt != "auto":
        remedies.append(Remedy("auto_dt", "let the program choose it ('auto')", {"dt": "auto"}))
    if sphere is not None and removable(experiment, experiment.run.world, sphere):
        remedies.append(Remedy("remove_grain", f"remove grain {sphere}", sphere_id=sphere))
    return remedies


def _in_words(experiment: Experiment, name: str, previous: Value | None) -> tuple[str, str]:
    """The change of a parameter, and the remedy that undoes it, in words."""
    declared = experiment.parameters.declared()[name]
    label = declared.quantity.label
    now = declared.shown(getattr(experiment.parameters, name))
    before = declared.shown(previous if previous is not None else declared.default)
    return f"the change of {label} from {before} to {now}", f"undo {label} = {now} (it was {before})"
