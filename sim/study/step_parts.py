"""Time of each part of a step, measured alone, by one thread, on a copy of a world at standstill."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from repose.sim.engine.builder import with_threads
from repose.sim.engine.composition import reach_in
from repose.sim.engine.contacts.pair_forces import force_of_pairs
from repose.sim.engine.contacts.wall_forces import force_of_walls
from repose.sim.engine.jit import call, compiled, fingerprint
from repose.sim.engine.model import Corrected, Model, PackedCoefficients, Predicted, Share, Stage, for_world
from repose.sim.engine.neighbours.verlet_list import SHORT_LIVED, renewal
from repose.sim.engine.packed import packed
from repose.sim.engine.parts import addresses, compiled_parts, has_walls
from repose.sim.engine.records import record_of
from repose.sim.engine.threads import thread_of
from repose.sim.engine.world import OK, REBUILT_AT, STEP_COUNT, World, copy_world

STANDSTILL = 1e-9
"""Factor of the time step for the measurement, so that no sphere moves [-]."""
SPHERE_STEPS, FEWEST_STEPS = 300_000, 3
"""Length of one measurement: spheres times evaluations of a part, and least number of evaluations."""
LISTS = 5
"""Number of neighbour lists built for one measurement."""


def loops(model: Model) -> dict[str, Any]:
    """part(world, numbers, dt, times, parts) for every part of the step, compiled; `coefficients` are
    `PackedCoefficients`."""
    source = fingerprint()

    def integration(world, coefficients, dt, times, parts):  # type: ignore[no-untyped-def]
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        thread = thread_of(world, 0)
        for _ in range(times):
            call(parts.before, Predicted(world.motion, thread.first, thread.last, 0, dt))
            tables = Corrected(world.motion, world.force, world.inverse_mass, thread.first, thread.last, 0, dt)
            call(parts.after, tables)

    def contacts(world, coefficients, dt, times, parts):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        for _ in range(times):
            tables = force_of_pairs(
                world, coefficients, world.mass, Stage(dt, 1.0, 0.0, dt), thread_of(world, 0), parts
            )
            call(parts.add_pair_forces, tables)

    def walls(world, coefficients, dt, times, parts):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        for _ in range(times):
            thread = thread_of(world, 0)
            acting = call(parts.search_acting, Share(world, thread))
            stage = Stage(dt, 1.0, 0.0, dt)
            call(parts.add_wall_forces, force_of_walls(world, coefficients.law, stage, thread, acting, parts))

    def watching(world, coefficients, dt, times, parts):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        moved = 0
        for _ in range(times):
            moved += call(parts.moved_too_far, Share(world, thread_of(world, 0)))
        return moved

    def one_list(world, coefficients, dt, times, parts):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        status = OK
        for _ in range(times):
            world.counters[REBUILT_AT] = world.counters[STEP_COUNT] - SHORT_LIVED  # keeps the skin unchanged
            tables = renewal(world, dt, thread_of(world, 0), parts.needs_material, parts.list_walls)
            status = max(status, call(parts.renew_lists, tables))
        return status

    made = (integration, contacts, walls, watching, one_list)
    return {part.__name__: compiled(part) for part in made}


def measure_parts(world: World, model: Model, coefficients: tuple) -> dict[str, float]:
    """Time of each part per moving sphere [ns], of `one_list` per list; coefficients: (params, gravity, dt)."""
    params, gravity, dt = coefficients
    moving = int((~world.fixed).sum())
    parts = addresses(compiled_parts(for_world(model, world.is_periodic), params), has_walls(world))
    memory, (law, weight) = packed(params, gravity)
    packed_coefficients = PackedCoefficients(law, weight, reach=reach_in(world, model.law, params))
    entries = {}
    for name, part in loops(model).items():
        if name == "walls" and not world.walls.shape.size:
            continue
        copy = with_threads(copy_world(world), 1)
        timed = partial(part, record_of(copy), packed_coefficients, dt * STANDSTILL, parts=parts)
        answer = timed(1)
        if name == "one_list" and answer != OK:
            raise RuntimeError(f"The neighbour list of the benchmark could not be built: status {answer}.")
        times = max(FEWEST_STEPS, SPHERE_STEPS // moving) if name != "one_list" else LISTS
        entries[name] = statistics.median(_timed(timed, times) for _ in range(5)) / moving * 1e9
    del memory  # compiled code reads it by address: it must exist until here
    return entries


def _timed(part: Callable[[int], Any], times: int) -> float:
    began = time.perf_counter()
    part(times)
    return (time.perf_counter() - began) / times
