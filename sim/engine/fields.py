"""Fields: forces on one sphere that depend on its own motion and on time, such as buoyancy or the pull of a planet.

The fields of a model are composed into one function when the step loop is compiled; for a model without fields nothing
of this file is compiled. A field with a potential converts kinetic into potential energy and back. The rest of its work
is booked at every step: power that the sphere loses to a medium as heat, power that an external agent supplies as work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from repose.sim.engine import arrays, vector
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundField, Thread
from repose.sim.engine.threads import wait
from repose.sim.engine.workspace import BLOCK, Floats
from repose.sim.engine.world import LEDGER_DAMPING, LEDGER_WALLS, World


class Sphere(NamedTuple):
    """The quantities of one sphere that a field reads."""

    position: tuple
    """[m], of length 2 or 3."""
    velocity: tuple
    """[m/s], at the time of the position."""
    spin: tuple
    """[rad/s], of length 0, 1 or 3."""
    radius: float
    mass: float
    id: int


class FieldForce(NamedTuple):
    """Result of the force function of a field."""

    force: tuple
    """[N]."""
    torque: tuple
    """[N m], of the length of the spin."""
    heat: float
    """Power that the sphere loses to the medium by drag [W]."""
    work: float
    """Power that an external agent supplies [W]: force times velocity, of the part of the force without potential."""


@compilable(forceinline=True)
def no_force(params, sphere, time):
    """The force of a model without fields: zero."""
    return FieldForce(vector.scale(0.0, sphere.position), vector.scale(0.0, sphere.spin), 0.0, 0.0)


def sum_of(fields: tuple[BoundField, ...]) -> BoundField:
    """The sum of several fields as one field, whose params are the tuple of their params."""
    if not fields:
        return BoundField(no_force)
    first, others = fields[0], sum_of(fields[1:])
    force, potential, stiffness = first.force, first.potential, first.stiffness
    further_force, further_potential, further_stiffness = others.force, others.potential, others.stiffness

    @compilable(forceinline=True)
    def whole_force(params, sphere, time):
        a = force(params[0], sphere, time)
        b = further_force(params[1:], sphere, time)
        return FieldForce(
            vector.add(a.force, b.force), vector.add(a.torque, b.torque), a.heat + b.heat, a.work + b.work
        )

    @compilable(forceinline=True)
    def whole_potential(params, sphere, time):
        return potential(params[0], sphere, time) + further_potential(params[1:], sphere, time)

    @compilable(forceinline=True)
    def whole_stiffness(params, sphere, time):
        a = stiffness(params[0], sphere, time)
        b = further_stiffness(params[1:], sphere, time)
        return a[0] + b[0], a[1] + b[1]

    return BoundField(whole_force, whole_potential, whole_stiffness)


class FieldCall(NamedTuple):
    """The composed function of the fields, which the loop over spheres calls, and the coefficients that it reads."""

    force: Callable
    params: tuple
    time: float
    """Time of this force evaluation [s]."""


class FieldTables(NamedTuple):
    """Arguments of `field_forces`: a world and this evaluation."""

    world: World
    mass: Floats
    """Mass of each sphere on which fields act [kg], shape (count,)."""
    params: int
    """Address (repose.sim.engine.packed) of the coefficients that the fields read."""
    time: float
    behind: float
    """`Stage.behind` [s]."""
    thread: Thread


@compilable(forceinline=True)
def field_tables(world, params, time, behind, mass, thread):
    """The argument of `field_forces`."""
    return FieldTables(world, mass, params, time, behind, thread)


@compilable(forceinline=True)
def sphere_at(world, mass, i, behind, shapes):
    """The quantities of sphere i that a field reads, `behind` [s] after the time of its stored velocity."""
    motion = world.motion
    dimension = len(shapes.position)
    velocity = arrays.at(arrays.level(motion, 0, 1, shapes.position), i)
    acceleration = arrays.at(arrays.level(motion, 0, 2, shapes.position), i)
    spin = arrays.at(arrays.level(motion, dimension, 1, shapes.spin), i)
    turning = arrays.at(arrays.level(motion, dimension, 2, shapes.spin), i)
    return Sphere(
        arrays.at(arrays.level(motion, 0, 0, shapes.position), i),
        vector.add(velocity, vector.scale(behind, acceleration)),
        vector.add(spin, vector.scale(behind, turning)),
        world.radius[i],
        mass[i],
        world.sphere_id[i],
    )


@compilable
def field_forces(tables, field, shapes):
    """Add the forces of fields on this thread's spheres to `State.force`; returns 1, or 0 if a thread is missing."""
    world = tables.world
    forces = arrays.rows(world.force, shapes.position)
    torques = arrays.rows(world.force[len(shapes.position) :], shapes.spin)
    power = world.workspace.threads.field_power
    for i in range(tables.thread.first, tables.thread.last):
        power[0, i] = 0.0
        power[1, i] = 0.0
        if world.inverse_mass[0, i] == 0.0:
            continue
        sphere = sphere_at(world, tables.mass, i, tables.behind, shapes)
        answer = field.force(field.params, sphere, field.time)
        arrays.add_at(forces, i, answer.force)
        arrays.add_at(torques, i, answer.torque)
        power[0, i] = answer.heat
        power[1, i] = answer.work
    return 1 if wait(world.workspace.threads) else 0


@compilable
def record_field_energy(world, dt_stage):
    """Add heat and work of fields to the ledger, in the order of the spheres."""
    power = world.workspace.threads.field_power
    heat = 0.0
    work = 0.0
    for i in range(power.shape[1]):
        heat += power[0, i]
        work += power[1, i]
    # Entries that nothing else adds to: pairs use the first entries, walls the last and the first.
    world.ledger[LEDGER_DAMPING, BLOCK - 2] += dt_stage * heat
    world.ledger[LEDGER_WALLS, 1] += dt_stage * work


class FieldSurvey(NamedTuple):
    """The functions of the fields that a survey calls, and the coefficients that they read."""

    potential: Callable
    stiffness: Callable
    params: tuple
    time: float
    """[s]."""


@compilable
def survey_fields(world, field, shapes, mass, sums):
    """Potential energy of all spheres that can move [J]; adds the stiffnesses to the sums of
    repose.sim.engine.timestep.survey."""
    energy = 0.0
    for i in range(world.radius.size):
        inverse_mass = world.inverse_mass[0, i]
        if inverse_mass == 0.0:
            continue
        sphere = sphere_at(world, mass, i, 0.0, shapes)
        energy += field.potential(field.params, sphere, field.time)
        stiffness, viscosity = field.stiffness(field.params, sphere, field.time)
        for c in range(len(shapes.position)):
            sums[0, c, c, i] += stiffness * inverse_mass
            sums[1, c, c, i] += viscosity * inverse_mass
    return energy
