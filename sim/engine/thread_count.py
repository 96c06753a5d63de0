"""Number of threads that step a world; this module does not import numba."""

from __future__ import annotations

import os

GRAINS_PER_THREAD = 2500
"""Number of moving spheres per further thread above which that thread saves time [-]."""
MOST_THREADS = 64


def threads_for(grains: int, spare: int = 0) -> int:
    """Default number of threads for `grains` moving spheres; `spare` processors are left free."""
    return max(1, min(available() - spare, MOST_THREADS, grains // GRAINS_PER_THREAD))


def available() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
