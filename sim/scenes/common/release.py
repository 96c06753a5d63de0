"""Release and end of the motion of fixed spheres, for the scenes that verify a law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, forget_neighbours, set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import find_accelerations, start_derivatives
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import booked
from repose.sim.experiment.sampling import append_sample
from repose.sim.io.plain import Array
from repose.sim.scenes.common.timed_course import CourseState, TimedCourse, begin_course, column, times


@dataclass
class ReleaseState(CourseState):
    """State of an experiment that releases spheres. Records have a coordinate `place` [m] of each sphere and its time
    derivative `speed` [m/s]."""

    kinetic: Array = field(default_factory=lambda: np.empty(0))
    """Kinetic energy of each sphere when the spheres were stopped [J]; empty before."""


PAUSE = 0.5
"""Time between the end of an experiment and its repetition [s]."""

MOST_POINTS = 480
"""Largest number of points of a drawn path; more points cannot be distinguished."""


def release(experiment: Experiment, velocity: Sequence[float] = ()) -> None:
    """Release the fixed spheres, from rest or with a velocity [m/s]."""
    run = experiment.run
    world, built, dimension = run.world, run.built, experiment.scene.model.dimension
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
    start_derivatives(experiment)


def fixed_spheres(centres: Floats, parameters: Any, spin_length: int, normal: Floats) -> World:
    """A world of fixed spheres of one size and a plane through the origin.

    `centres` [m] has shape (spheres, 3), `normal` is the unit normal of the plane. Sphere k is of material k, the plane
    of the next material.
    """
    world = empty_world(3, spin_length, skin=0.5 * parameters.radius, materials=len(centres) + 1)
    for row, centre in enumerate(centres):
        group = SphereGroup(fixed=True, layer=row, material=row, first_id=row)
        world = add_spheres(world, centre, parameters.radius, parameters.mass, group)
    return set_walls(world, [PLANE], [[np.zeros(3), normal, np.zeros(3)]], material=len(centres))


def release_flaws(state: ReleaseState, world: World, spheres: int) -> dict[str, bool]:
    """Which parts of a state read from a file are impossible for this number of spheres on a plane, by name."""
    return {
        "number of spheres": world.sphere_count != spheres or world.walls.shape.size != 1,
        "records": any(rows.shape != (len(rows), spheres) for name, rows in state.columns.items() if name != "time"),
        "kinetic": state.kinetic.shape not in ((0,), (spheres,)),
    }


def stop_spheres(experiment: Experiment) -> None:
    """Note the kinetic energies, and fix the spheres at their positions."""
    experiment.run.state.kinetic = kinetic_energies(experiment)
    fix_spheres(experiment)


def repeat(course: TimedCourse, experiment: Experiment, starts: Floats) -> None:
    """After the pause at the end, begin the course again from `starts` [m], shape (spheres, dimension)."""
    if not experiment.parameters.repeat or experiment.time < experiment.run.state.since + PAUSE:
        return
    # The ledger contains no fixed spheres: moving them back changes no energy.
    experiment.run.world.motion[: starts.shape[1], 0] = starts.T
    experiment.run.state.kinetic = np.empty(0)
    begin_course(course, experiment)


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


def velocities(experiment: Experiment) -> Floats:
    """Velocities of the spheres at the time of their positions [m/s], shape (spheres, dimension)."""
    motion = experiment.run.world.motion[: experiment.scene.model.dimension]
    result: Floats = (motion[:, 1] - experiment.engine.model.integrator.velocity_lead * experiment.dt * motion[:, 2]).T
    return result


def spins(experiment: Experiment) -> Floats:
    """Spins of spheres in space at the time of their positions [rad/s], shape (spheres, 3)."""
    motion = experiment.run.world.motion[3:6]
    result: Floats = (motion[:, 1] - experiment.engine.model.integrator.velocity_lead * experiment.dt * motion[:, 2]).T
    return result


def kinetic_energies(experiment: Experiment) -> Floats:
    """Kinetic energy of each sphere, including that of its spin [J], shape (spheres,)."""
    world = experiment.run.world
    with np.errstate(divide="ignore"):
        inertia = np.where(world.inverse_mass > 0.0, 1.0 / world.inverse_mass, 0.0)
    speeds = np.hstack([velocities(experiment), spins(experiment)])
    result: Floats = 0.5 * (inertia[: speeds.shape[1]].T * speeds**2).sum(axis=1)
    return result


def kinetic_at_end(state: ReleaseState, spheres: int) -> list[float | None]:
    """Kinetic energy of each sphere when the spheres were stopped [J]; None before."""
    return [*state.kinetic.tolist()] if state.kinetic.size else [None] * spheres


def recorded(experiment: Experiment, spheres: int) -> tuple[Floats, Floats, Floats]:
    """Time [s], shape (records,), coordinate [m] and speed [m/s], shape (records, spheres)."""
    time = times(experiment)
    position, speed = (np.reshape(column(experiment, name), (time.size, spheres)) for name in ("place", "speed"))
    return time, position, speed


def thinned(rows: Floats) -> Floats:
    """At most about `MOST_POINTS` rows of a table, including the first and the last."""
    stride = max(1, -(-len(rows) // MOST_POINTS))
    kept: Floats = np.concatenate([rows[:-1:stride], rows[-1:]]) if len(rows) else rows
    return kept


def rectangle(corner: ArrayLike, along: ArrayLike, across: ArrayLike) -> Floats:
    """Two triangles that form a parallelogram, from a corner and two edges [m], shape (2, 3, 3)."""
    a, u, v = np.asarray(corner, float), np.asarray(along, float), np.asarray(across, float)
    return np.array([[a, a + u, a + u + v], [a, a + u + v, a + v]])
