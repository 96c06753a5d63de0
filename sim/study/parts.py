"""Time of each part of a step, measured alone, by one thread, on a copy of a world at standstill."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from repose.sim.engine.builder import with_threads
from repose.sim.engine.contacts.pair_forces import body_forces, evaluate_pairs
from repose.sim.engine.contacts.wall_forces import evaluate_walls
from repose.sim.engine.jit import compiled, fingerprint
from repose.sim.engine.model import LawCall, Model, Stage
from repose.sim.engine.neighbours import verlet_list
from repose.sim.engine.threads import thread_of
from repose.sim.engine.world import World, copy_world

STANDSTILL = 1e-9
"""Factor of the time step for the measurement, so that no sphere moves [-]."""


def loops(model: Model) -> dict[str, Any]:
    """part(world, params, gravity, dt, times) for every part of the step, compiled."""
    force, material, energy, lasts = model.law.force, model.law.material, model.law.energy, model.law.lasts
    reach_of = model.law.reach
    before, after = model.integrator.before, model.integrator.after
    needs_material, shapes = model.needs_material, model.shapes
    source = fingerprint()

    def integration(world, params, gravity, dt, times):  # type: ignore[no-untyped-def]
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        thread = thread_of(world, 0)
        for _ in range(times):
            before(world.motion, thread.first, thread.last, 0, dt)
            body_forces(world, gravity, world.mass, thread)
            after(world.motion, world.force, world.inverse_mass, thread.first, thread.last, 0, dt)

    def contacts(world, params, gravity, dt, times):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        law = LawCall(force, material, energy, lasts, params, reach_of(params))
        for _ in range(times):
            stage, thread = Stage(dt, 1.0), thread_of(world, 0)
            evaluate_pairs(world, law, shapes, shapes.spin, shapes.material, shapes.reach, stage, thread)

    def walls(world, params, gravity, dt, times):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        law = LawCall(force, material, energy, lasts, params, reach_of(params))
        for _ in range(times):
            stage, thread = Stage(dt, 1.0), thread_of(world, 0)
            evaluate_walls(world, law, shapes, shapes.spin, shapes.material, shapes.reach, stage, thread)

    def watching(world, params, gravity, dt, times):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        moved = 0
        for _ in range(times):
            moved += verlet_list.moved_too_far(world, shapes.position, thread_of(world, 0))
        return moved

    def one_list(world, params, gravity, dt, times):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        status = verlet_list.OK
        for _ in range(times):
            status = max(status, verlet_list.rebuild(world, shapes, needs_material, thread_of(world, 0)))
        return status

    parts = (integration, contacts, walls, watching, one_list)
    return {part.__name__: compiled(part) for part in parts}


def measure_parts(world: World, model: Model, call: tuple, quick: bool) -> dict[str, float]:
    """Time of each part per moving sphere [ns], of `one_list` per neighbour list; `call` is (params, gravity, dt)."""
    params, gravity, dt = call
    moving = int((~world.fixed).sum())
    found = {}
    for name, part in loops(model).items():
        if name == "walls" and not world.walls.shape.size:
            continue
        copy = with_threads(copy_world(world), 1)
        arguments = (copy, params, gravity, dt * STANDSTILL)
        answer = part(*arguments, 1)
        if name == "one_list" and answer != verlet_list.OK:
            raise RuntimeError(f"The neighbour list of the benchmark could not be built: status {answer}.")
        times = 3 if quick else max(5, int(2e7 / (30.0 * moving)) if name != "one_list" else 10)
        found[name] = statistics.median(_timed(part, arguments, times) for _ in range(5)) / moving * 1e9
    return found


def _timed(part: Callable[..., Any], arguments: tuple, times: int) -> float:
    began = time.perf_counter()
    part(*arguments, times)
    return (time.perf_counter() - began) / times
