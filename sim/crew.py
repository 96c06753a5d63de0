"""Threads that step one world together: their shares of the work, the gate where they meet, the pool they come from.

Every thread runs the same compiled loop with its own number, `part`. They meet at a gate a few times per step, which
costs less than a microsecond; a parallel loop of numba costs as much with OpenMP and a hundred times as much with
the thread layer that is there on every machine (measured: tests/bench/README.md), which besides must not be entered by
two simulations at once. At the gate a thread turns a few times, then lets others run: on a machine with other
work to do a thread that only turned would wait for the end of somebody's time slice.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, register_jitable

TURNS = 100
"""At the gate before another thread is let run."""
ROUND = 8
"""Entry of the gate that counts how often all have met."""

GRAINS_PER_THREAD = 2500
"""From so many moving spheres on a further thread is worth its while."""

_let_others_run = types.ExternalFunction("SwitchToThread" if os.name == "nt" else "sched_yield", types.int32())


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return cgutils.get_item_pointer(context, builder, signature.args[0], array, [args[1]], wraparound=False)


@intrinsic
def _add(typing: Any, table: Any, entry: Any, value: Any) -> Any:
    """Add to an entry at once; returns what was there before."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> ir.Value:
        return builder.atomic_rmw("add", _pointer(context, builder, signature, args), args[2], "seq_cst")

    return types.int64(table, types.intp, types.int64), generate


@intrinsic
def _read(typing: Any, table: Any, entry: Any) -> Any:
    """An entry as it is now, and with it all that was written before it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> ir.Value:
        return builder.load_atomic(_pointer(context, builder, signature, args), "seq_cst", 8)

    return types.int64(table, types.intp), generate


@register_jitable
def meet(crew):
    """Wait until all threads are here."""
    parts = crew.tally.shape[0]
    if parts == 1:
        return
    gate = crew.gate
    seen = _read(gate, ROUND)
    if _add(gate, 0, 1) == parts - 1:
        _add(gate, 0, -parts)
        _add(gate, ROUND, 1)
        return
    turns = 0
    while _read(gate, ROUND) == seen:
        turns += 1
        if turns > TURNS:
            _let_others_run()


@register_jitable
def share(count, part, parts):
    """First and last + 1 of the things that are this thread's."""
    return count * part // parts, count * (part + 1) // parts


def threads_for(grains: int) -> int:
    """How many threads a world of so many moving spheres is stepped with, unless somebody says otherwise."""
    return max(1, min(available(), grains // GRAINS_PER_THREAD))


def available() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def together(loop: Callable[..., tuple[int, int, int]]) -> Any:
    """advance(world, params, gravity, dt, steps): the loop run by as many threads as the world's crew has.

    `advance.loop` is the loop itself.
    """
    pools: dict[int, ThreadPoolExecutor] = {}
    lining_up = threading.Lock()
    """Two simulations may share a pool: all of one must stand in its queue before any of the other."""

    def pool_of(others: int) -> ThreadPoolExecutor:
        """All threads running: one that cannot be started must fail before the first begins to wait for it."""
        if others not in pools:
            pool = ThreadPoolExecutor(others, thread_name_prefix="step")
            there = threading.Barrier(others + 1, timeout=30.0)
            for _ in range(others):
                pool.submit(there.wait)
            there.wait()
            pools[others] = pool
        return pools[others]

    def advance(world: Any, params: tuple, gravity: tuple, dt: float, steps: int) -> tuple[int, int, int]:
        parts = world.crew.tally.shape[0]
        if parts == 1:
            return loop(world, params, gravity, dt, steps, 0)
        with lining_up:
            pool = pool_of(parts - 1)
            others = [pool.submit(loop, world, params, gravity, dt, steps, part) for part in range(1, parts)]
        answer = loop(world, params, gravity, dt, steps, 0)
        for other in others:
            other.result()
        return answer

    advance.loop = loop  # type: ignore[attr-defined]
    return advance


def is_compiled(advance: Any) -> bool:
    """Whether the loop will run without compiling or reading first."""
    return bool(getattr(advance.loop, "signatures", True))
