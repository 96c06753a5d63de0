"""Inverse square roots by sums and products, which a processor computes for many numbers at a time.

For eight numbers in one register an Intel Xeon takes 7.2 ns for the square roots and 4.9 ns for the divisions. In this
time it computes 80 other sums or products of eight numbers (measured, November 2026).
"""

from __future__ import annotations

import numpy as np
from repose.sim.engine.jit import compilable

TINY = 1e-300
"""Smallest divisor: avoids 0/0 without a branch."""

START = np.int64(0x5FE3EB50C7B537A9)
"""Constant of the first guess: bits of the inverse root ≈ START − (bits of the number)/2 [-]. The idea is that of
M. Robertson, A brief history of InvSqrt, University of New Brunswick (2012); with this constant the guess is 8 to 14 %
too small, which suits the following polynomial."""

CONSTANT, LINEAR, SQUARE = 2.109461, -1.778844, 0.674435
"""Coefficients of the polynomial of least largest error for these guesses [-]."""


@compilable(forceinline=True)
def inverse_root(square):
    """1/sqrt(square), with a relative error below 2.3e-16; a huge number at 0.

    The bits of a number, read as an integer, are close to a multiple of its logarithm, which a shift halves. A
    polynomial of square · guess² leaves a relative error of at most 1.62e-5. Newton's iteration turns an error e into
    3/2 e²: 3.9e-10, 2.3e-19. In the last iteration a small correction is added, which rounds less.
    """
    half = 0.5 * square
    root = np.int64(START - (np.float64(square).view(np.int64) >> 1)).view(np.float64)
    ratio = square * root * root
    root = root * ((SQUARE * ratio + LINEAR) * ratio + CONSTANT)
    root = root * (1.5 - half * root * root)
    return root + root * (0.5 - half * root * root)


THIRD_START = np.int64(0x553F000000000000)
"""Constant of the first guess of an inverse cube root, which is at most 3.7 % wrong."""


@compilable(forceinline=True)
def inverse_cube_root(x):
    """1/cbrt(x) of a positive number, with a relative error below 5e-16.

    As `inverse_root`; the third of the bits is a sum of shifted bits. An iteration makes 14/3 e³ of an error e: 2.5e-4,
    7e-11, below rounding.
    """
    bits = np.float64(x).view(np.int64)
    third = (bits >> 2) + (bits >> 4)
    third = third + (third >> 4)
    third = third + (third >> 8)
    third = third + (third >> 16)
    root = np.int64(THIRD_START - third).view(np.float64)
    for _ in range(3):
        short = 1.0 - x * root * root * root
        root = root + root * short * (1.0 / 3.0 + 2.0 / 9.0 * short)
    return root
