"""Threads that step one world together: the barrier, the work partition and the pools of threads.

Every thread runs the same compiled loop with its own `thread_id` and works on its own share of spheres and pairs. The
threads wait for each other at a barrier a few times per step, which costs less than a microsecond. At the barrier a
thread first spins and then yields the processor: on a busy machine a thread that only spins would wait for the end of
another thread's time slice. A thread that does not arrive within the time limit breaks the barrier; then no thread
waits there any more, and the step loop returns THREAD_MISSING.

numba's parallel loops are not used. With OpenMP, which is not installed on every machine, they cost as much as this
barrier; with the threading layer that is always available they cost a hundred times as much (tests/bench/README.md),
and two simulations must not enter that layer at once.
"""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from repose.sim.engine import workspace
from repose.sim.engine.compiler import atomic_add, atomic_or, atomic_read, clock, yield_processor
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import NO_COEFFICIENTS, Coefficients, Thread
from repose.sim.engine.workspace import ARRIVED, BROKEN, ROUND, WAIT_LIMIT
from repose.sim.engine.world import THREAD_MISSING

SPINS = 100
"""Polls of the barrier before the thread yields the processor."""
YIELDS_PER_CLOCK = 64
"""Yields between two readings of the clock."""
LONGEST_INTERVAL = 1000
"""Largest time counted between two readings of the clock [ms]; a pause of the whole process therefore makes no thread
late."""


def in_threads(loop: Callable[..., tuple[int, int, int]]) -> Any:
    """advance(world, params, gravity, dt, steps): run the loop in as many threads as the world has tables for.

    An interrupt before the share of the calling thread begins leaves the world unchanged. `advance.loop` is the loop.
    """

    def advance(
        world: Any, params: tuple, gravity: tuple, dt: float, steps: int, coefficients: Coefficients = NO_COEFFICIENTS
    ) -> tuple[int, int, int]:
        barrier, count = world.workspace.threads.barrier, world.workspace.threads.thread_status.shape[0]
        if count == 1:
            return loop(world, params, gravity, dt, steps, 0, coefficients)
        if not is_compiled(advance, world):
            # Compile in one thread, before any thread waits at the barrier.
            loop(world, params, gravity, dt, 0, 0, coefficients)
        pool = _pool_of(count - 1)
        try:
            arguments = world, params, gravity, dt, steps
            others = [pool.submit(loop, *arguments, thread, coefficients) for thread in range(1, count)]
            answer = loop(*arguments, 0, coefficients)
            if answer[1] == THREAD_MISSING:
                pool.shutdown(wait=False)
                return answer
            answers = [answer, *(other.result() for other in others)]
        except BaseException:  # Ctrl-C between two lines, or the loop of a test
            barrier[ROUND] |= BROKEN  # no thread may wait for this one
            pool.shutdown()
            barrier[:WAIT_LIMIT] = 0
            raise
        _idle[count - 1].append(pool)
        return next((one for one in answers if one[1] == THREAD_MISSING), answer)

    advance.loop = loop  # type: ignore[attr-defined]
    return advance


_idle: defaultdict[int, list[ThreadPoolExecutor]] = defaultdict(list)
"""Unused pools by number of threads: two simulations at once never wait for each other's threads."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # threads do not survive a fork


def _pool_of(count: int) -> ThreadPoolExecutor:
    """A pool with all its threads running: a thread that cannot start must fail before others wait for it."""
    with suppress(IndexError):
        return _idle[count].pop()
    pool = ThreadPoolExecutor(count, thread_name_prefix="step")
    started = threading.Barrier(count + 1, timeout=workspace.LONGEST_WAIT)
    for _ in range(count):
        pool.submit(started.wait)
    started.wait()
    return pool


def is_compiled(advance: Any, world: Any) -> bool:
    """Whether the loop can step this world without being compiled or loaded first."""
    return bool(advance.loop.is_ready(world)) if hasattr(advance.loop, "is_ready") else True


def lacks_only_walls(advance: Any, world: Any) -> bool:
    """Whether the loop has stepped a world without walls, and this one has some: only their parts are compiled or
    loaded."""
    return not is_compiled(advance, world) and bool(advance.loop.parts_at)


@compilable
def share(count, thread_id, thread_count):
    """First row and last row + 1 of the share of one thread, out of `count` rows."""
    return count * thread_id // thread_count, count * (thread_id + 1) // thread_count


@compilable(forceinline=True)
def thread_of(world, thread_id):
    """The thread of this id with its share of the spheres."""
    count = world.workspace.threads.thread_status.shape[0]
    first, last = share(world.radius.size, thread_id, count)
    return Thread(thread_id, count, first, last)


@compilable
def wait(threads):
    """Wait until all threads are at the barrier; returns False if a thread is missing."""
    count = threads.thread_status.shape[0]
    if count == 1:
        return True
    barrier = threads.barrier
    seen = atomic_read(barrier, ROUND)
    if seen < 0:
        return False
    if atomic_add(barrier, ARRIVED, 1) == count - 1:
        atomic_add(barrier, ARRIVED, -count)
        atomic_add(barrier, ROUND, 1)
        return True
    spins = 0
    while spins < SPINS and atomic_read(barrier, ROUND) == seen:
        spins += 1
    yield_until(barrier, seen)
    return atomic_read(barrier, ROUND) & ~BROKEN != seen


@compilable
def is_missing(threads):
    """Whether a thread has not arrived at the barrier in time; `wait` has seen it before."""
    return threads.barrier[ROUND] < 0


@compilable
def yield_until(barrier, seen):
    """Yield the processor until all threads are at the barrier; break the barrier after the time limit."""
    yields = 0
    waited = 0
    before = 0
    while atomic_read(barrier, ROUND) == seen:
        yield_processor()
        yields += 1
        if yields % YIELDS_PER_CLOCK == 0:
            now = clock()
            waited += min(now - before, LONGEST_INTERVAL) if before > 0 else 0
            before = now
            if waited > barrier[WAIT_LIMIT]:
                atomic_or(barrier, ROUND, BROKEN)
