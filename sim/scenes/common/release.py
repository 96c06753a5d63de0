"""Release of fixed spheres, and records of their motion, for the scenes that verify a law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from repose.sim.engine.builder import add_spheres, empty_world, forget_neighbours, set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import find_accelerations, start_derivatives
from repose.sim.experiment.changes import begin_anew
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import booked
from repose.sim.experiment.notices import tell
from repose.sim.experiment.sampling import append_sample
from repose.sim.experiment.snapshot import Action
from repose.sim.message import Message, _
from repose.sim.scenes.common.phases import PhaseState, enter
from repose.sim.scenes.common.state_checks import LATEST, are_rows, are_times, first_flaw, phase_flaws


@dataclass
class ReleaseState(PhaseState):
    """State and records of an experiment that releases spheres.

    The phase is "empty" before the release, "flowing", and "rested" after the duration; `since` is the time of the
    release.
    """

    time: list[float] = field(default_factory=list)
    """Time of every record since the release [s]."""
    place: list[list[float]] = field(default_factory=list)
    """The recorded coordinate, one entry per sphere [m]."""
    speed: list[list[float]] = field(default_factory=list)
    """Time derivative of the recorded coordinate [m/s]."""
    rolling: list[float] = field(default_factory=list)
    """Speed of each sphere if it rolled without sliding with its latest spin [m/s], in scenes that record it."""
    ended: float = 0.0
    """Time at which the spheres were stopped [s]."""
    kinetic: list[float] = field(default_factory=list)
    """Kinetic energy of each sphere when the spheres were stopped [J]; empty before."""


PAUSE = 0.5
"""Time between the end of an experiment and its repetition [s]."""

MOST_POINTS = 480
"""Largest number of points of a drawn path; more points cannot be distinguished."""


def release(experiment: Experiment, velocity: Sequence[float] = ()) -> None:
    """Release the fixed spheres, from rest or with a velocity [m/s]."""
    run = experiment.run
    world, built, dimension = run.world, run.built, experiment.scene.dimension
    with booked(experiment, "poured"):
        world.inverse_mass[:dimension] = 1.0 / built.mass
        world.inverse_mass[dimension:] = 1.0 / (0.4 * built.mass * built.radius**2)
        # The list of wall contacts contains no fixed spheres: it is built again.
        forget_neighbours(world)
        find_accelerations(experiment)
        motion = run.world.motion
        motion[:, 1] = experiment.engine.model.integrator.velocity_lead * experiment.dt * motion[:, 2]
        for axis, component in enumerate(velocity):
            motion[axis, 1] += component
    enter(experiment, "flowing")
    start_derivatives(experiment)


def fixed_spheres(centres: Floats, parameters: Any, spin_length: int, normal: Floats) -> World:
    """A world of fixed spheres of one size and a plane through the origin.

    `centres` [m] has shape (spheres, 3), `normal` is the unit normal of the plane. Sphere k is of material k, the plane
    of the next material.
    """
    world = empty_world(3, spin_length, skin=0.5 * parameters.radius, materials=len(centres) + 1)
    for row, centre in enumerate(centres):
        sphere = {"material": row, "layer": row, "first_id": row}
        world = add_spheres(world, centre, parameters.radius, parameters.mass, fixed=True, **sphere)
    return set_walls(world, [PLANE], [[np.zeros(3), normal, np.zeros(3)]], material=len(centres))


def release_flaw(state: ReleaseState, world: World, spheres: int) -> Message | None:
    """The first part of a state read from a file that is impossible for this number of spheres."""
    records = len(state.time)
    return first_flaw(
        {
            "number of spheres": world.sphere_count != spheres or world.walls.shape.size != 1,
            **phase_flaws(state),
            "time": not are_times(state.time) or (state.phase == "rested" and records == 0),
            "place": not are_rows(state.place, records, spheres),
            "speed": not are_rows(state.speed, records, spheres),
            "rolling": bool(state.rolling) and not are_rows([state.rolling], 1, spheres),
            "ended": not 0.0 <= state.ended <= LATEST,
            "kinetic": bool(state.kinetic) and not are_rows([state.kinetic], 1, spheres),
        }
    )


def release_actions(phase: str, release: Message, release_help: Message, reset_help: Message) -> tuple[Action, ...]:
    """The buttons that release the spheres and move them back to their start."""
    return (
        Action("run", release, "A", phase in ("empty", "rested"), release_help),
        Action("reset", _("Reset"), "R", True, reset_help),
    )


def release_or_reset(
    experiment: Experiment,
    action: str,
    reset_message: Message,
    release_message: Message,
    velocity: Sequence[float] = (),
) -> Message:
    """Start again at step 0; except for the action "reset", release the spheres. Returns the message."""
    begin_anew(experiment)
    if action == "reset":
        return reset_message
    release(experiment, velocity)
    return release_message


def end(experiment: Experiment) -> None:
    """Fix the spheres at their positions and end the run."""
    fix_spheres(experiment)
    experiment.run.state.ended = experiment.time
    tell(experiment, Message("Done: {experiment}.", experiment=experiment.scene.describe(experiment)[1]), repeats=True)


def repeat(experiment: Experiment, starts: Floats, velocity: Sequence[float] = ()) -> None:
    """After the pause at the end, release the spheres again from `starts` [m], shape (spheres, dimension)."""
    run = experiment.run
    state: ReleaseState = run.state
    if not experiment.parameters.repeat or experiment.time < state.ended + PAUSE:
        return
    # The ledger contains no fixed spheres: moving them back changes no energy.
    run.world.motion[: starts.shape[1], 0] = starts.T
    state.time, state.place, state.speed, state.rolling, state.kinetic = [], [], [], [], []
    release(experiment, velocity)


def fix_spheres(experiment: Experiment) -> None:
    """Fix the spheres at their positions; their energy is booked as removed.

    The last sample of the series is taken before: otherwise every plot of an impact would end in a vertical line.
    """
    append_sample(experiment)
    world = experiment.run.world
    with booked(experiment, "removed"):
        world.inverse_mass[:] = 0.0
        world.motion[:, 1:] = 0.0
        forget_neighbours(world)
    experiment.run.state.phase = "rested"


def elapsed(experiment: Experiment) -> float:
    """Time since the release of the spheres, 0 before [s]."""
    state: ReleaseState = experiment.run.state
    if state.phase == "empty":
        return 0.0
    return state.time[-1] if state.phase == "rested" else experiment.time - state.since


def velocities(experiment: Experiment) -> Floats:
    """Velocities of the spheres at the time of their positions [m/s], shape (spheres, dimension)."""
    motion = experiment.run.world.motion[: experiment.scene.dimension]
    found: Floats = (motion[:, 1] - experiment.engine.model.integrator.velocity_lead * experiment.dt * motion[:, 2]).T
    return found


def spins(experiment: Experiment) -> Floats:
    """Spins of spheres in space at the time of their positions [rad/s], shape (spheres, 3)."""
    motion = experiment.run.world.motion[3:6]
    found: Floats = (motion[:, 1] - experiment.engine.model.integrator.velocity_lead * experiment.dt * motion[:, 2]).T
    return found


def kinetic_energies(experiment: Experiment) -> Floats:
    """Kinetic energy of each sphere, including that of its spin [J], shape (spheres,)."""
    world = experiment.run.world
    with np.errstate(divide="ignore"):
        inertia = np.where(world.inverse_mass > 0.0, 1.0 / world.inverse_mass, 0.0)
    speeds = np.hstack([velocities(experiment), spins(experiment)])
    found: Floats = 0.5 * (inertia[: speeds.shape[1]].T * speeds**2).sum(axis=1)
    return found


def kinetic_at_end(state: ReleaseState, spheres: int) -> list[float | None]:
    """Kinetic energy of each sphere when the spheres were stopped [J]; None before."""
    return [*state.kinetic] if state.kinetic else [None] * spheres


def record(state: ReleaseState, time: float, place: Floats, speed: Floats) -> None:
    """Append coordinate [m] and speed [m/s] of every sphere, `time` [s] after the release."""
    state.time.append(time)
    state.place.append(place.tolist())
    state.speed.append(speed.tolist())


def recorded(state: ReleaseState, spheres: int) -> tuple[Floats, Floats, Floats]:
    """Time [s], shape (records,), coordinate [m] and speed [m/s], shape (records, spheres)."""
    shape = (len(state.time), spheres)
    return np.array(state.time), np.reshape(state.place, shape), np.reshape(state.speed, shape)


def thinned(rows: Floats) -> Floats:
    """At most about `MOST_POINTS` rows of a table, including the first and the last."""
    stride = max(1, -(-len(rows) // MOST_POINTS))
    kept: Floats = np.concatenate([rows[:-1:stride], rows[-1:]]) if len(rows) else rows
    return kept


def rectangle(corner: ArrayLike, along: ArrayLike, across: ArrayLike) -> Floats:
    """Two triangles that form a parallelogram, from a corner and two edges [m], shape (2, 3, 3)."""
    a, u, v = np.asarray(corner, float), np.asarray(along, float), np.asarray(across, float)
    return np.array([[a, a + u, a + u + v], [a, a + u + v, a + v]])
