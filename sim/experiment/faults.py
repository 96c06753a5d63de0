"""Faults of the motion: detection, message (grain, value, limit, likely cause) and remedies."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.boundaries import shortest_branch
from repose.sim.engine.neighbours import verlet_list
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.workspace import OVERLAP_RATIO, WAIT_LIMIT
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, Floats, World
from repose.sim.experiment.activation import activate, request_parameters
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import is_removable
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.experiment.notices import notify
from repose.sim.experiment.run import BLAME_STEPS, Change, RestartPoint
from repose.sim.experiment.snapshot import LARGE_OVERLAP, SAFE_STEP, Fault, Remedy
from repose.sim.experiment.time_step import choose_dt, foreseen_dt
from repose.sim.io.world_tables import unpacked
from repose.sim.message import EMPTY, Joined, Message, Number, _, joined, length_text, plural, sentence, time_text
from repose.sim.parameters import Value

FARTHEST = 1e7
"""Largest distance from the origin over radius [-]; at this distance the resolution of positions is a billionth of the
radius."""


def check(experiment: Experiment) -> Fault | None:
    """The fault of the present state, or None.

    Faults are: a grain with a value that is not finite, an energy that is not finite, a grain that is too fast or too
    far away, two grains at the same place, a wall that is too fast.
    """
    world = experiment.run.world
    if _plainly_sound(world, experiment.scene.model.dimension, experiment.dt):
        return _same_place(experiment) or _wall_too_fast(experiment)
    finite = bool(np.isfinite(world.motion).all())
    row = _shear_spring_lost(world) if finite else -1
    if not finite or row >= 0:
        return fault_of_status(experiment, verlet_list.NOT_FINITE, row)
    if not np.isfinite(world.ledger).all():
        return _power_not_finite(experiment)
    velocity = world.motion[: experiment.scene.model.dimension, 1]
    with np.errstate(over="ignore"):
        steps = np.einsum("cn,cn->n", velocity, velocity) * (experiment.dt / verlet_list.LARGEST_STEP) ** 2
    too_fast = (steps > world.radius**2) & ~world.fixed
    if too_fast.any():
        row = int(np.where(too_fast, steps / world.radius**2, 0.0).argmax())
        return fault_of_status(experiment, verlet_list.TOO_FAST, row)
    return _too_far(experiment) or _same_place(experiment) or _wall_too_fast(experiment)


def _plainly_sound(world: World, dimension: int, dt: float) -> bool:
    """True only if no sphere has a fault; computed from sums and extremes in a fifth of the time of the full check.

    A sum with a number that is not finite is not finite. The largest speed and distance are compared with the smallest
    radius, fixed spheres included: the result can be False without a fault, but never True with a fault.
    """
    if not world.sphere_count:
        return False
    pairs, touches = world.pairs.shear_spring, world.wall_contacts.shear_spring
    with np.errstate(all="ignore"):
        total = world.motion.sum() + world.ledger.sum()
        total += pairs[:, : world.counters[PAIR_COUNT]].sum() + touches[:, : world.counters[WALL_CONTACT_COUNT]].sum()
        if not math.isfinite(total):
            return False
        position, velocity = world.motion[:dimension, 0], world.motion[:dimension, 1]
        smallest = float(world.radius.min())
        fastest = float(np.einsum("cn,cn->n", velocity, velocity).max()) * (dt / verlet_list.LARGEST_STEP) ** 2
    return bool(fastest <= smallest**2 and max(position.max(), -position.min()) <= FARTHEST * smallest)


def fault_of_status(experiment: Experiment, status: int, row: int) -> Fault:
    """The fault for a status of the step loop; `row` is the row of the grain concerned."""
    world = experiment.run.world
    if status == verlet_list.THREAD_MISSING:
        threads, waited = (
            world.workspace.threads.thread_status.shape[0],
            world.workspace.threads.barrier[WAIT_LIMIT] / 1000,
        )
        return Fault(
            plural(
                "One of {count} thread did not arrive within {waited} s to step its grains at {time}: "
                "{stopped}. Likely cause: the operating system did not run it.",
                "One of {count} threads did not arrive within {waited} s to step its grains at {time}: "
                "{stopped}. Likely cause: the operating system did not run it.",
                count=threads,
                waited=Number(waited, format="g"),
                time=time_text(experiment.time),
                stopped=_stopped_at(experiment),
            ),
            remedies=(Remedy("continue", _("continue, or use one thread (--threads 1)")),),
        )
    if status == verlet_list.NOT_FINITE:
        row, name = _not_finite(world, row, experiment.scene.model.dimension)
        return _fault(
            experiment,
            row,
            Message("has a {name} that is not a finite number at {time}", name=name, time=time_text(experiment.time)),
        )
    speed = float(np.sqrt(np.sum(world.motion[: experiment.scene.model.dimension, 1, row] ** 2)))
    limit = verlet_list.LARGEST_STEP * float(world.radius[row]) / experiment.dt
    return _fault(
        experiment,
        row,
        Message(
            "moves at {speed} m/s at {time}, faster than the {limit} m/s that a time step of {experiment} can resolve",
            speed=Number(speed, format=".3g"),
            time=time_text(experiment.time),
            limit=Number(limit, format=".3g"),
            experiment=step_text(experiment, experiment.dt),
        ),
    )


def step_too_large(experiment: Experiment, survey: Survey) -> Fault:
    """The fault of a fixed time step that is unstable with the present contacts."""
    step = experiment.parameters.declared()["dt"].shown(experiment.parameters.dt)
    return _fault(
        experiment,
        survey.stiffest,
        Message(
            "has contacts at {time} for which {title} is stable up to a time step of {experiment}, and the "
            "time step is {step}",
            time=time_text(experiment.time),
            title=experiment.engine.model.integrator.title,
            experiment=step_text(experiment, survey.stable_dt),
            step=step,
        ),
        _("Likely cause: the time step."),
    )


def smaller_dt(experiment: Experiment) -> float | None:
    """The requested or the automatic step, halved at least once and until it is well below the stable step [s].

    None if the result is below the lower limit of the parameter.
    """
    parameters = experiment.parameters
    asked: float = experiment.dt if parameters.dt == "auto" else parameters.dt
    halvings = math.ceil(math.log2(asked / (SAFE_STEP * foreseen_dt(experiment)))) if asked > 0.0 else 1
    smaller = math.ldexp(asked, -max(1, halvings))
    return smaller if smaller > 0.0 and smaller >= (parameters.declared()["dt"].low or 0.0) else None


def _shear_spring_lost(world: World) -> int:
    """Row of a grain with a contact whose shear spring is not finite, or -1."""
    for contacts, count, rows in (
        (world.pairs, PAIR_COUNT, (world.pairs.i, world.pairs.j)),
        (world.wall_contacts, WALL_CONTACT_COUNT, (world.wall_contacts.sphere,)),
    ):
        used = int(world.counters[count])
        if not np.isfinite(contacts.shear_spring[:, :used]).all():
            valid = np.isfinite(contacts.shear_spring[:, :used]).all(axis=0) | (contacts.touching[:used] == 0)
            for contact in np.flatnonzero(~valid):
                return next((int(row[contact]) for row in rows if not world.fixed[row[contact]]), int(rows[0][contact]))
    return -1


def _power_not_finite(experiment: Experiment) -> Fault:
    """The fault of a law that returns finite forces and a power that is not finite."""
    subject = Message("The energy that contacts lose is not a finite number at {time}", time=time_text(experiment.time))
    return _stopped(experiment, subject, _("Likely cause: the contact law returns a power that is not finite."))


def _not_finite(world: World, row: int, dimension: int) -> tuple[int, Message]:
    """Row of the grain that most likely was the first with a value that is not finite, and the name of that value.

    `row` is returned where all motion is finite. One step after a velocity is not finite, neither are the position of
    the grain and the motion of every touching neighbour: the first grain is therefore the one whose position is not
    finite and that touches most of the others.
    """
    finite: NDArray[np.bool_] = np.isfinite(world.motion)
    suspects: Any = ~finite.all(axis=(0, 1))
    if not suspects.any():
        return row, _("position") if row < 0 else _("friction spring")
    for narrower in (suspects & ~world.fixed, suspects & ~world.fixed & ~finite[:dimension, 0].all(axis=0)):
        suspects = narrower if narrower.any() else suspects
    used = int(world.counters[PAIR_COUNT])
    i, j = world.pairs.i[:used], world.pairs.j[:used]
    both = (world.pairs.touching[:used] != 0) & suspects[i] & suspects[j]
    touched = np.bincount(np.concatenate([i[both], j[both]]), minlength=suspects.size)
    first = int(np.where(suspects, touched, -1).argmax())
    wrong = ~finite[:, :, first]
    translation, rotation = wrong[:dimension].any(axis=0), wrong[dimension:].any(axis=0)
    level = int(np.flatnonzero(translation if translation.any() else rotation)[0])
    names = TRANSLATION if translation.any() else ROTATION
    return first, names[min(level, len(names) - 1)]


TRANSLATION = (_("position"), _("velocity"), _("acceleration"), _("higher derivative of the position"))
"""Names of the levels of `World.motion` for a coordinate of the position."""
ROTATION = (_("orientation"), _("spin"), _("angular acceleration"), _("higher derivative of the orientation"))
"""Names of the levels of `World.motion` for a coordinate of the orientation."""


def _too_far(experiment: Experiment) -> Fault | None:
    """The fault of the grain farthest from the origin, if its position is no longer resolved finely enough."""
    world = experiment.run.world
    distance = np.abs(world.motion[: experiment.scene.model.dimension, 0]).max(axis=0, initial=0.0)
    if not (distance > FARTHEST * world.radius).any():
        return None
    row = int((distance / world.radius).argmax())
    return _fault(
        experiment,
        row,
        Message(
            "is {length_text} away from the origin at {time}, farther than the {length_text2} within which "
            "contacts are resolved",
            length_text=length_text(distance[row]),
            time=time_text(experiment.time),
            length_text2=length_text(FARTHEST * float(world.radius[row])),
        ),
    )


def _same_place(experiment: Experiment) -> Fault | None:
    """The fault of two grains whose centres coincide: their force has no direction, so that a step computes none.

    A pair at distance 0 overlaps by twice the smaller radius at least. Only then its pair is looked for.
    """
    world = experiment.run.world
    if world.largest_overlap[OVERLAP_RATIO] < 2.0:
        return None
    used = int(world.counters[PAIR_COUNT])
    i, j = world.pairs.i[:used].astype(np.int64), world.pairs.j[:used].astype(np.int64)
    position = world.motion[: experiment.scene.model.dimension, 0]
    branch = shortest_branch((position[:, i] - position[:, j]).T, world.boundary)
    differ = (branch != 0.0).any(axis=1) | (world.fixed[i] & world.fixed[j])
    result = np.flatnonzero(~differ)
    if not result.size:
        return None
    rows = int(i[result[0]]), int(j[result[0]])
    row, other = rows[::-1] if world.fixed[rows[0]] else rows
    return _fault(
        experiment,
        row,
        Message(
            "is at exactly the same place as grain {sphere_id} at {time}, where the force between them has "
            "no direction",
            sphere_id=world.sphere_id[other],
            time=time_text(experiment.time),
        ),
    )


def _wall_too_fast(experiment: Experiment) -> Fault | None:
    """The fault of the fastest wall, if it moves so far in a step that it can pass the smallest grain."""
    world = experiment.run.world
    if not world.walls.velocity.any():
        return None
    moving = ~world.fixed
    if not moving.any():
        return None
    speed = np.sqrt((world.walls.velocity**2).sum(axis=1))
    wall, radius = int(speed.argmax()), float(world.radius[moving].min())
    if speed[wall] * experiment.dt <= verlet_list.LARGEST_STEP * radius:
        return None
    limit = verlet_list.LARGEST_STEP * radius / experiment.dt
    return _stopped(
        experiment,
        Message(
            "Wall {wall} moves at {speed} m/s at {time}, faster than the {limit} m/s that a time step of "
            "{experiment} can resolve for a grain of radius {radius}",
            wall=wall,
            speed=Number(speed[wall], format=".3g"),
            time=time_text(experiment.time),
            limit=Number(limit, format=".3g"),
            experiment=step_text(experiment, experiment.dt),
            radius=length_text(radius),
        ),
        _("Likely cause: the speed of the wall."),
    )


def _fault(experiment: Experiment, row: int, words: Message, cause: Message = EMPTY) -> Fault:
    """The fault of one grain: its number and position, then `words`."""
    world, good = experiment.run.world, last_good(experiment).run
    sphere = int(world.sphere_id[row])
    dimension = experiment.scene.model.dimension
    position: Floats = world.motion[:dimension, 0, row]
    subject = Message("Grain {sphere} {words}", sphere=sphere, words=words)
    if np.isfinite(position).all():
        subject = Message(
            "Grain {sphere} at {length_text} {words}", sphere=sphere, length_text=length_text(*position), words=words
        )
    elif (before := good.world.motion[:dimension, 0, good.world.sphere_id == sphere]).size:
        subject = Message(
            "Grain {sphere} {words}; its position was {length_text}",
            sphere=sphere,
            words=words,
            length_text=length_text(*before[:, 0]),
        )
    return _stopped(experiment, subject, cause, sphere)


def _stopped(experiment: Experiment, subject: Message, cause: Message = EMPTY, sphere: int | None = None) -> Fault:
    """The fault whose message is `subject`, the time of the last good state and the likely cause.

    `cause` is used if no parameter was changed recently.
    """
    change = experiment.history.last_change if changed_lately(experiment) else Change()
    cause = cause if cause and not change.name else _cause(experiment, change)
    name, previous = (change.name, change.previous) if change.name else (None, None)
    return Fault(
        Message("{subject}: {experiment}. {cause}", subject=subject, experiment=_stopped_at(experiment), cause=cause),
        sphere,
        name,
        previous,
    )


def _stopped_at(experiment: Experiment) -> Message:
    """The part of a message that says which state has been restored."""
    return Message("stopped at the last good state, {time}", time=time_text(last_good(experiment).run.time))


def step_text(experiment: Experiment, dt: float) -> Message:
    """A time step [s] in the display unit of the parameter."""
    text: Message = experiment.parameters.declared()["dt"].shown(dt, digits=4)
    return text


def _cause(experiment: Experiment, change: Change) -> Message:
    """Most likely cause of a fault: the latest parameter change, or a property of the last good state."""
    if change.name:
        return Message("Likely cause: {experiment}.", experiment=_in_words(experiment, change.name, change.previous)[0])
    survey = survey_contacts(experiment, unpacked(last_good(experiment).run.world))
    if experiment.dt > survey.stable_dt:
        stable = step_text(experiment, survey.stable_dt)
        return Message(
            "Likely cause: the time step exceeds {stable}, up to which the contacts are stable.", stable=stable
        )
    if survey.largest_overlap > LARGE_OVERLAP:
        share = Message(
            "{largest_overlap} % of a radius", largest_overlap=Number(100.0 * survey.largest_overlap, format=".0f")
        )
        return Message("Likely cause: grains overlap by {share}, for which the contact law is not valid.", share=share)
    return _("The last good state shows no cause.")


def stop(experiment: Experiment, fault: Fault) -> None:
    """Restore the last good state and set the fault; the run does not advance until the fault is cleared."""
    # The state is that before the change, the parameters are those after it. No grain moves until a remedy is applied:
    # undoing the change gives exactly the run before it, any other remedy requests the parameters again.
    now, point = experiment.parameters, last_good(experiment)
    activate(experiment, point.parameters, point.restored(), adapt=False)
    request_parameters(experiment, now, relaxing=False)
    experiment.fault = with_remedies(experiment, fault)
    notify(experiment, experiment.fault.message)


def clear(experiment: Experiment) -> None:
    """Allow the run to continue after a fault."""
    experiment.fault = None


def restore_fault(experiment: Experiment, fault: Fault | None) -> None:
    """Set the fault of the checkpoint that has been restored, or None; run files of older versions contain no
    remedies."""
    experiment.fault = replace(fault, remedies=fault.remedies or tuple(_remedies(experiment, fault))) if fault else None


def update_dt(experiment: Experiment, first: bool = False) -> None:
    """Adapt the time step to contacts and parameters; stop the run if a fixed step is unstable."""
    survey = choose_dt(experiment, first)
    if survey is not None:
        stop(experiment, step_too_large(experiment, survey))


def changed_lately(experiment: Experiment) -> bool:
    """Whether a fault now is attributed to the latest change of a parameter."""
    change = experiment.history.last_change
    return bool(change.name) and experiment.step - change.step < BLAME_STEPS


def last_good(experiment: Experiment) -> RestartPoint:
    """The state that a fault restores."""
    return experiment.history.before_change if changed_lately(experiment) else experiment.history.good


def with_remedies(experiment: Experiment, fault: Fault) -> Fault:
    """The fault with its remedies, which are also the last sentence of the message; the present state is the last good
    one."""
    remedies = list(fault.remedies) or _remedies(experiment, fault)
    offers = [remedy.words for remedy in remedies] or [_("start anew")]
    words = offers[-1]
    if len(offers) > 1:
        words = Message("{words} or {last}", words=Joined(tuple(offers[:-1])), last=offers[-1])
    message = joined((fault.message, sentence(words)), " ")
    return replace(fault, message=message, remedies=tuple(remedies))


def _remedies(experiment: Experiment, fault: Fault) -> list[Remedy]:
    """Remedies for a fault of the motion; the present state is the last good one."""
    smaller, sphere = smaller_dt(experiment), fault.sphere_id
    remedies: list[Remedy] = []
    if fault.parameter and fault.previous is not None:
        words = _in_words(experiment, fault.parameter, fault.previous)[1]
        remedies.append(Remedy("undo", words, {fault.parameter: fault.previous}))
    if smaller is not None:
        words = Message("lower the time step to {experiment}", experiment=step_text(experiment, smaller))
        remedies.append(Remedy("smaller_dt", words, {"dt": smaller}))
    if experiment.parameters.dt != "auto":
        remedies.append(Remedy("auto_dt", _("let the program choose the time step ('auto')"), {"dt": "auto"}))
    if sphere is not None and is_removable(experiment, experiment.run.world, sphere):
        remedies.append(Remedy("remove_grain", Message("remove grain {sphere}", sphere=sphere), sphere_id=sphere))
    return remedies


def _in_words(experiment: Experiment, name: str, previous: Value | None) -> tuple[Message, Message]:
    """The change of a parameter, and the remedy that undoes it, in words."""
    declared = experiment.parameters.in_units()[name]
    label = declared.quantity.label
    now = declared.shown(experiment.parameters.given(name))
    before = declared.shown(previous if previous is not None else declared.default)
    return Message("the change of {label} from {before} to {now}", label=label, before=before, now=now), Message(
        "undo {label} = {now} (it was {before})", label=label, now=now, before=before
    )
