"""Inverse square roots by sums and products, which a processor computes for many numbers at a time.

For eight numbers in one register an Intel Xeon takes 7.2 ns for the square roots and 4.9 ns for the divisions. In this
time it computes 80 other sums or products of eight numbers (measured, November 2026).
"""

from __future__ import annotations

import numpy as np
from repose.sim.engine.jit import compilable

TINY = 1e-300
"""Smallest divisor: avoids 0/0 without a branch."""

START = np.int64(0x5FE6EB50C7B537A9)
"""Constant of the first guess: bits of the inverse root ≈ START − (bits of the number)/2 [-]. M. Robertson, A brief
history of InvSqrt, University of New Brunswick (2012), for 64-bit numbers."""


@compilable(forceinline=True)
def inverse_root(square):
    """1/sqrt(square), with a relative error below 2.3e-16; a huge number at 0.

    The bits of a number, read as an integer, are close to a multiple of its logarithm, which a shift halves. The
    relative error of the guess is at most 3.4e-2. Newton's iteration turns an error e into 3/2 e²: 1.8e-3, 4.7e-6,
    3.3e-11, 1.6e-21.
    """
    half = 0.5 * square
    root = np.int64(START - (np.float64(square).view(np.int64) >> 1)).view(np.float64)
    return _closer(_closer(_closer(_closer(root, half), half), half), half)


@compilable(forceinline=True)
def _closer(root, half):
    """One iteration of Newton's method for 1/root² = 2 half."""
    return root + root * (0.5 - half * root * root)
