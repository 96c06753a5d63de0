"""compose(model) -> advance(world, params, gravity, dt, steps): the step as a table of contents.

Laws, rules and integrators are plain functions; they are handed down from here and only the outermost loop is
compiled, so that the result is one loop as fast as one written by hand, and is found on disk by the next
process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from numba.extending import register_jitable
from repose.sim.engine.barrier import meet, share
from repose.sim.engine.contacts.deepest_overlap import book_deepest
from repose.sim.engine.contacts.pair_forces import book_heat, gather_forces, pair_forces
from repose.sim.engine.contacts.wall_forces import book_walls, move_walls, wall_forces
from repose.sim.engine.jit import compiled, fingerprint
from repose.sim.engine.neighbours import verlet_list
from repose.sim.engine.threads import together
from repose.sim.engine.timestep.stability import gentle_share
from repose.sim.engine.world import PAIR_COUNT, PENDING, STEP_COUNT, TOUCH_COUNT
from repose.sim.integrators import Integrator, integrators
from repose.sim.laws import Law


@dataclass(frozen=True)
class Model:
    """Which formulas a world moves by; everything that varies by number is in World and params."""

    law: Law
    rules: tuple
    integrator: str
    dimension: int = 2
    rotation: bool = False

    @property
    def scheme(self) -> Integrator:
        return integrators()[self.integrator]

    @property
    def spin_length(self) -> int:
        """0 without rotation, 1 in the plane, 3 in space."""
        return 0 if not self.rotation else {2: 1, 3: 3}[self.dimension]


@register_jitable
def body_forces(force, mass, gravity, first, last):
    """Begin the force sums with the weight of the spheres in these rows."""
    mass = mass[first:last]
    for c in range(force.shape[0]):
        total = force[c, first:last]
        if c < len(gravity):
            g = gravity[c]
            for i in range(total.size):
                total[i] = mass[i] * g
        else:
            total[:] = 0.0


@register_jitable
def take_accelerations(motion, force, mobility, first, last):
    """Give the spheres of these rows the accelerations of the forces on them."""
    for c in range(motion.shape[0]):
        for i in range(first, last):
            motion[c, 2, i] = force[c, i] * mobility[c, i]


@lru_cache(maxsize=64)
def compose(model: Model) -> Any:
    """The compiled step loop of a model.

    advance(world, params, gravity, dt, steps) -> (steps done, status, row of the culprit or -1); `params` is
    the law's tuple, `gravity` a tuple [m/s²], one entry per dimension. It never allocates, prints or
    raises; a status other than OK leaves the step unfinished, to be taken up again by the next call
    (tables enlarged) or dropped with the world (a fault). With dt = 0 nothing moves and no step is counted: spheres
    get the accelerations of the forces there are, which a motion begins with. As many threads step the world as its
    crew has, and the result is the same bit by bit for any number of them.
    """
    return together(compiled(_loop(model, fingerprint())))


def _loop(model: Model, source: str) -> Callable:
    """The loop of one thread of the crew as plain Python, which the tests run too."""
    law = model.law.force
    needs_material = model.law.needs_material or model.rotation
    rule_0, rule_1, rule_2, rule_3 = model.rules
    before, after = model.scheme.before, model.scheme.after
    weights = model.scheme.weights
    stages = len(weights)
    position_like = (0.0,) * model.dimension
    spin_like = (0.0,) * model.spin_length
    properties, material_like = model.law.properties, model.law.material_like
    gentle = gentle_share(model.integrator)

    def advance(world, params, gravity, dt, steps, part):
        rules = (rule_0, rule_1, rule_2, rule_3)  # numba knows tuples of functions only from inside
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        crew = world.crew
        parts = crew.tally.shape[0]
        alone = parts == 1
        first, last = share(world.radius.size, part, parts)
        if steps > 0 and not meet(crew):  # before anything is changed
            return 0, verlet_list.THREAD_MISSING, -1
        standing = dt == 0.0
        pending = world.counters[PENDING]  # of a step begun before the tables had to be enlarged
        for done in range(steps):
            for stage in range(stages):
                if pending > stage + 1 or (standing and stage > 0):
                    continue
                if pending <= stage:
                    if not standing:
                        before(world.motion, first, last, stage, dt)
                    if stage == 0 and part == 0:
                        move_walls(world.walls, dt)
                    pending = stage + 1
                status, culprit = verlet_list.refresh(world, position_like, needs_material, dt, part)
                if status != verlet_list.OK:
                    if part == 0:
                        world.counters[PENDING] = pending
                    return done, status, culprit
                duration = weights[stage] * dt
                if alone:
                    body_forces(world.force, world.mass, gravity, first, last)
                pair_forces(
                    world,
                    law,
                    properties,
                    rules,
                    params,
                    position_like,
                    spin_like,
                    material_like,
                    needs_material,
                    duration,
                    gentle,
                    part,
                )
                if not meet(crew):
                    return done, verlet_list.THREAD_MISSING, -1
                if not alone:
                    body_forces(world.force, world.mass, gravity, first, last)
                    gather_forces(
                        world.force,
                        world.pairs,
                        world.search.begin,
                        crew,
                        position_like,
                        spin_like,
                        first,
                        last,
                    )
                if world.walls.shape.size > 0:
                    wall_forces(
                        world,
                        law,
                        properties,
                        rules,
                        params,
                        position_like,
                        spin_like,
                        material_like,
                        duration,
                        gentle,
                        part,
                    )
                    if not meet(crew):
                        return done, verlet_list.THREAD_MISSING, -1
                if part == 0:
                    book_heat(world.ledger, crew.heat, world.counters[PAIR_COUNT], duration)
                    book_walls(world.ledger, world.touches, world.walls, world.counters[TOUCH_COUNT], duration)
                    book_deepest(world.deepest, crew.deepest, world.counters[STEP_COUNT] + (0 if standing else 1))
                if standing:
                    take_accelerations(world.motion, world.force, world.mobility, first, last)
                else:
                    after(world.motion, world.force, world.mobility, first, last, stage, dt)
            pending = 0
            if part == 0:
                world.counters[PENDING] = 0
                world.counters[STEP_COUNT] += 0 if standing else 1
        return steps, verlet_list.OK, -1

    return advance
