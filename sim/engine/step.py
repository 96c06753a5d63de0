"""The time step, one line per stage: the loop that each thread runs.

What a stage does, when it waits for the other threads and when the loop ends early is in `repose.sim.engine.stages`;
how the loop is compiled and called, in `repose.sim.engine.composition`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from repose.sim.engine.packed import coefficients_at
from repose.sim.engine.parts import call_like
from repose.sim.engine.stages import (
    after,
    batch_of,
    before,
    begin_batch,
    bond_forces,
    count_step,
    end_batch,
    field_forces,
    gather_members,
    moment_of,
    pair_forces,
    place_members,
    record_contacts,
    refresh_neighbours,
    wall_forces,
    why_ended,
)
from repose.sim.engine.threads import thread_of
from repose.sim.engine.world import OK


def step_loop(source: str) -> Callable[..., Any]:
    """advance(world, address of a `StepCall`, dt, steps, thread) -> (steps done, status, row of the sphere concerned or
    -1), as plain Python."""
    like = call_like()

    def advance(world, step_call, dt, steps, thread_id):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        numbers, scheme, parts = coefficients_at(step_call, like)
        thread = thread_of(world, thread_id)
        batch = batch_of(world, dt, steps)
        if not begin_batch(world, numbers, steps, thread, parts):
            return why_ended(world, 0, thread)
        for done in range(steps):
            for k in range(scheme.weights.size):
                now = moment_of(batch, scheme, done, k)
                if now.skipped:
                    continue
                before(world, now, thread, parts)
                if not (
                    place_members(world, numbers, now, thread, parts)
                    and refresh_neighbours(world, numbers, now, thread, parts)
                    and pair_forces(world, numbers, now, thread, parts)
                    and wall_forces(world, numbers, now, thread, parts)
                    and bond_forces(world, numbers, now, thread, parts)
                    and field_forces(world, numbers, now, thread, parts)
                    and record_contacts(world, now, thread, parts)
                    and gather_members(world, numbers, now, thread, parts)
                ):
                    return why_ended(world, done, thread)
                after(world, now, thread, parts)
            count_step(world, dt, thread)
        if not end_batch(world, numbers, steps, thread, parts):
            return why_ended(world, steps, thread)
        return steps, OK, -1

    return advance
