"""Threads that step one world together: how many, and the pools they come from.

The loop's own gate (repose.sim.engine.barrier) is used, and not a parallel loop of numba: that costs as much with OpenMP, which not
every machine has, and a hundred times as much with the layer that is always there (tests/bench/README.md), which
besides must not be entered by two simulations at once.
"""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from repose.sim.engine.workspace import BROKEN, LONGEST_ABSENCE, PATIENCE, ROUND

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

    Interrupted before its own part has begun, it leaves the world as it was. `advance.loop` is the loop itself.
    """
    from repose.sim.engine.neighbours.verlet_list import (
        THREAD_MISSING,  # here: whoever only asks for a number of threads needs no compiler
    )

    def advance(world: Any, params: tuple, gravity: tuple, dt: float, steps: int) -> tuple[int, int, int]:
        gate, parts = world.crew.gate, world.crew.tally.shape[0]
        if parts == 1:
            return loop(world, params, gravity, dt, steps, 0)
        if not is_compiled(advance):
            loop(world, params, gravity, dt, 0, 0)  # by one, so that none waits at the gate for the compiler
        pool = _pool_of(parts - 1)
        try:
            others = [pool.submit(loop, world, params, gravity, dt, steps, part) for part in range(1, parts)]
            answer = loop(world, params, gravity, dt, steps, 0)
            if answer[1] == THREAD_MISSING:
                pool.shutdown(wait=False)
                return answer
            answers = [answer, *(other.result() for other in others)]
        except BaseException:  # Ctrl-C between two lines, or the loop of a test
            gate[ROUND] |= BROKEN  # nobody is to wait for this thread
            pool.shutdown()
            gate[:PATIENCE] = 0
            raise
        _idle[parts - 1].append(pool)
        return next((one for one in answers if one[1] == THREAD_MISSING), answer)

    advance.loop = loop  # type: ignore[attr-defined]
    return advance


_idle: defaultdict[int, list[ThreadPoolExecutor]] = defaultdict(list)
"""Pools that nobody uses, by their number of threads: two simulations at once never wait for each other's threads."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # threads stay behind when a process forks


def _pool_of(others: int) -> ThreadPoolExecutor:
    """All threads running: one that cannot be started must fail before the first begins to wait for it."""
    with suppress(IndexError):
        return _idle[others].pop()
    pool = ThreadPoolExecutor(others, thread_name_prefix="step")
    there = threading.Barrier(others + 1, timeout=LONGEST_ABSENCE)
    for _ in range(others):
        pool.submit(there.wait)
    there.wait()
    return pool


def is_compiled(advance: Any) -> bool:
    """Whether the loop will run without compiling or reading first."""
    return bool(getattr(advance.loop, "signatures", True))
