"""Numbers that parts of the step read, passed by address.

The coefficients of a law are a tuple of a type of its own. The step loop passes only their address: it is compiled once
for all laws. The part that reads the coefficients is compiled for their type.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from operator import is_not
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.compiler import numbers_at_address
from repose.sim.engine.jit import overload

T = TypeVar("T")


def likeness(coefficients: Any) -> Any:
    """The type information that compiled code needs to read `coefficients`: the same tuple with zeros for numbers, and
    for a table a tuple of as many None as it has dimensions."""
    if isinstance(coefficients, tuple):
        items = map(likeness, coefficients)
        return type(coefficients)(*items) if hasattr(coefficients, "_fields") else tuple(items)
    if isinstance(coefficients, np.ndarray):
        if coefficients.dtype != np.float64 or not coefficients.flags.c_contiguous or coefficients.ndim == 0:
            raise TypeError(
                f"A law, field or bond reads a table of {coefficients.dtype}: make it one of float64 in C order."
            )
        return (None,) * coefficients.ndim
    return 0.0 if isinstance(coefficients, float) else 0


def packed(*groups: Any) -> tuple[NDArray[np.int64], list[int]]:
    """Groups of numbers in the memory layout of compiled code, and the address of each group. The addresses are valid
    while the first result and the tables of the groups exist."""
    parts = [_bytes_of(coefficients) for coefficients in groups]
    memory = np.frombuffer(b"".join(parts) + bytes(8), np.int64)
    address = memory.__array_interface__["data"][0]
    addresses = []
    for part in parts:
        addresses.append(address)
        address += len(part)
    return memory, addresses


def while_same(make: Callable[..., T]) -> Callable[..., T]:
    """`make` with its last result cached: called again only if an argument is another object than at the last call."""
    last: tuple[tuple[Any, ...], T] | None = None

    def made(*arguments: Any) -> T:
        nonlocal last
        entry = last  # another thread may replace it meanwhile
        if entry is None or any(map(is_not, entry[0], arguments)):
            last = entry = arguments, make(*arguments)
        return entry[1]

    return made


def _bytes_of(coefficients: Any) -> bytes:
    if isinstance(coefficients, tuple):
        return b"".join(map(_bytes_of, coefficients))
    if isinstance(coefficients, np.ndarray):  # the layout of numba's arrays, without an owner that counts references
        data = coefficients.__array_interface__["data"][0]
        words = (0, 0, coefficients.size, coefficients.itemsize, data, *coefficients.shape, *coefficients.strides)
        return struct.pack(f"={len(words)}q", *words)
    return struct.pack("=d" if isinstance(coefficients, float) else "=q", coefficients)


def coefficients_at(address: Any, like: tuple) -> Any:
    """The numbers at an address from `packed`, of the type given by `like` (`likeness`). In plain Python `address` is
    the tuple of numbers itself."""
    return address


@overload(coefficients_at, forceinline=True)
def _coefficients_at(address, like):  # type: ignore[no-untyped-def]
    return lambda address, like: numbers_at_address(address, like)
