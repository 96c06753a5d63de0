"""Threads that step one world together: how many, and the pools they come from.

The loop's own gate (repose.sim.engine.barrier) is used, and not a parallel loop of numba: that costs as much with OpenMP, which not
every machine has, and a hundred times as much with the layer that is always there (tests/bench/README.md), which
besides must not be entered by two simulations at once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

GRAINS_PER_THREAD = 2500
"""From so many moving spheres on a further thread is worth its while."""
MOST_THREADS = 64


def threads_for(grains: int, spare: int = 0) -> int:
    """How many threads a world of so many moving spheres is stepped with, unless somebody says otherwise; `spare`
    processors are left to others."""
    return max(1, min(available() - spare, MOST_THREADS, grains // GRAINS_PER_THREAD))


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
