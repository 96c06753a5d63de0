"""compose(model) -> advance(world, params, gravity, dt, steps, coefficients): the time step of a model.

Contact law and integrator are plain functions of the model. They are compiled together with their callers into parts
(repose.sim.engine.parts), which are as fast as code written by hand for the model. The loop that calls the parts
(repose.sim.engine.step) is compiled once for all models. Loop and parts are cached on disk. The loop reads the world
through the address of a record of its tables (repose.sim.engine.records).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import typeof
from repose.sim.engine.compiler import key_of_types
from repose.sim.engine.jit import compiled, fingerprint
from repose.sim.engine.model import (
    NO_COEFFICIENTS,
    BoundLaw,
    Coefficients,
    Integrator,
    Model,
    PackedCoefficients,
    Scheme,
    for_world,
)
from repose.sim.engine.packed import packed, while_same
from repose.sim.engine.parts import Parts, StepCall, addresses, compiled_parts, has_walls, plain_parts
from repose.sim.engine.records import record_of, world_type
from repose.sim.engine.step import step_loop
from repose.sim.engine.threads import in_threads
from repose.sim.engine.timestep.stable_step import damping_fraction
from repose.sim.engine.world import World

NO_REACH = 0.0
"""The reach of every contact law: one object, by which `while_same` knows it."""


class Kind(NamedTuple):
    """What decides, besides the model, which parts a world needs."""

    walled: bool
    periodic: bool


KINDS = {(walled, periodic): Kind(walled, periodic) for walled in (False, True) for periodic in (False, True)}
"""One object for each kind, by which `while_same` knows it."""


def kind_of(world: World) -> Kind:
    """The kind of a world."""
    return KINDS[has_walls(world), world.is_periodic]


@lru_cache(maxsize=64)
def compose(model: Model) -> Any:
    """The compiled step loop of a model.

    advance(world, params, gravity, dt, steps, coefficients) -> (steps done, status, row of the sphere concerned or -1).
    `params` is the tuple of coefficients that the law reads, `gravity` a tuple of one entry per dimension [m/s²], and
    `coefficients` those of fields and bonds (repose.sim.engine.model.Coefficients). The compiled loop never allocates,
    prints or raises. A status other than OK leaves the step unfinished: after a fault the world is discarded; if the
    tables were full, they are enlarged and the next call continues the step. With dt = 0 nothing moves and no step is
    counted: spheres get the accelerations of the present forces, as a start of the motion. The number of threads is
    that of the thread tables of the world; every number of threads gives the same bits.
    """
    loop, scheme = compiled_loop(), scheme_of(model)
    parts_at: dict[tuple[Kind, bytes], Parts] = {}
    """Addresses of the parts, by the kind of the world and the types of the numbers."""
    types = world_type(), *map(typeof, (0, 0.0, 0, 0))

    @while_same
    def pack(
        params: tuple, gravity: tuple, fields: tuple, bond: tuple, time: float, step: int, of_world: Kind, reach: float
    ) -> tuple[Any, int]:
        """The memory of all that the loop reads besides the world, and the address of a `StepCall` in it."""
        memory, (law, weight, of_fields, of_bond) = packed(params, gravity, fields, bond)
        drive = PackedCoefficients(law, weight, of_fields, of_bond, reach, float(time), int(step))
        kind = of_world, key_of_types((params, gravity, fields, bond))
        if kind not in parts_at:  # compile the parts for numbers of exactly these types, and the loop that calls them
            parts = compiled_parts(for_world(model, of_world.periodic), params, Coefficients(fields, bond))
            parts_at[kind] = addresses(parts, of_world.walled, lambda: types in loop.overloads or loop.compile(types))
        packed_call, (address,) = packed(StepCall(drive, scheme, parts_at[kind]))
        return (memory, packed_call), address

    def run(
        world: World,
        params: tuple,
        gravity: tuple,
        dt: float,
        steps: int,
        thread_id: int,
        coefficients: Coefficients = NO_COEFFICIENTS,
    ) -> tuple[int, int, int]:
        memory, address = pack(params, gravity, *coefficients, kind_of(world), reach_in(world, model.law, params))
        answer: tuple[int, int, int] = loop(record_of(world), address, float(dt), int(steps), thread_id)
        del memory  # the loop reads it by address: it must exist until here
        return answer

    def is_ready(world: World) -> bool:
        return any(kind == kind_of(world) for kind, _ in parts_at)

    run.is_ready, run.parts_at, run.dispatcher = is_ready, parts_at, loop  # type: ignore[attr-defined]
    return in_threads(run)


@cache
def compiled_loop() -> Any:
    """The step loop of all models as numba's dispatcher."""
    return compiled(step_loop(fingerprint()))


def reach_in(world: World, law: BoundLaw, params: tuple) -> float:
    """Largest gap at which the law acts in this world [m]; the largest effective radius is that of the largest sphere
    at a wall."""
    return float(law.reach(params, float(world.radius.max(initial=0.0)))) if law.acts_at_distance else NO_REACH


def scheme_of(model: Model) -> Scheme:
    """The numbers of the integrator of a model."""
    scheme: Integrator = model.integrator
    times = np.array(scheme.weights), np.array(scheme.stage_times)
    return Scheme(*times, float(scheme.velocity_lead), float(damping_fraction(scheme)))


def plain(model: Model) -> Any:
    """`compose` in plain Python, for tests."""
    loop, scheme = step_loop(""), scheme_of(model)

    def run(
        world: World,
        params: tuple,
        gravity: tuple,
        dt: float,
        steps: int,
        thread_id: int,
        coefficients: Coefficients = NO_COEFFICIENTS,
    ) -> tuple[int, int, int]:
        parts = plain_parts(for_world(model, world.is_periodic))
        reach = reach_in(world, model.law, params)
        fields, bond = coefficients.fields, coefficients.bond
        packed: Any = PackedCoefficients  # in plain Python with the tuples in place of their addresses
        drive = packed(params, gravity, fields, bond, reach, coefficients.time, coefficients.step)
        answer: tuple[int, int, int] = loop(world, StepCall(drive, scheme, parts), dt, steps, thread_id)
        return answer

    return in_threads(run)
