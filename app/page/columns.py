"""Columns of numbers over the frames of a run in one compressed stream, for a page in a browser.

A quantity q is stored as the whole number nearest to q / quantum: the error is at most half a quantum. Of whole
numbers, the differences to the frame before are stored, or the differences of these, which are small and often 0; a
number n has the code 2 |n| - (n < 0), whose bytes are stored apart, low bytes of all numbers first: zlib packs such
rows of bytes best. `assets/page/page.js` reads the stream; `read` is the same in Python, for tests.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Whole = NDArray[np.int64]
LARGEST = 2**30
"""Bound of whole numbers in a stream: differences of second order have four bytes."""
LEVEL = 9
"""Level of zlib: pages are written once and read often."""
HEAD = 4
"""Bytes of the length of the head, low byte first."""


def whole(values: ArrayLike, quantum: float) -> Whole:
    """The whole numbers nearest to values / quantum, within `LARGEST`; 0 for what is not finite."""
    share = np.nan_to_num(np.asarray(values, np.float64) / quantum, nan=0.0, posinf=LARGEST, neginf=-LARGEST)
    return np.clip(np.rint(share), -LARGEST, LARGEST).astype(np.int64)


@dataclass
class Stream:
    """Columns by name, with data of the page that are no columns."""

    data: dict[str, Any] = field(default_factory=dict)
    """Plain data, for JSON."""
    _columns: list[dict[str, Any]] = field(default_factory=list)
    _parts: list[bytes] = field(default_factory=list)

    def add(self, name: str, values: ArrayLike, order: int = 0) -> None:
        """Add whole numbers of any shape; `order` 1 or 2 stores differences of first or second order along the first
        axis. Raises ValueError for numbers beyond `LARGEST`."""
        numbers = np.asarray(values, np.int64)
        low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
        if max(-low, high) > LARGEST:
            raise ValueError(f"column {name} has {low} to {high}: whole numbers are at most {LARGEST}")
        steps = numbers.copy()
        for k in range(order):  # the second frame has no difference of second order, which would repeat the first frame
            steps[k:] = np.diff(steps[k:], axis=0, prepend=np.zeros_like(steps[:1]))
        code = np.where(steps < 0, -2 * steps - 1, 2 * steps).astype(np.uint64).ravel()
        width = max(1, -(-int(code.max()).bit_length() // 8)) if code.size else 1
        planes = [((code >> np.uint64(8 * k)) & np.uint64(255)).astype(np.uint8).tobytes() for k in range(width)]
        self._columns.append(
            {"name": name, "shape": numbers.shape, "order": order, "width": width, "low": low, "high": high}
        )
        self._parts.extend(planes)

    def add_floats(self, name: str, values: ArrayLike) -> None:
        """Add numbers as float32."""
        numbers = np.asarray(values, "<f4")
        self._columns.append({"name": name, "shape": numbers.shape, "width": 0})
        self._parts.append(numbers.tobytes())

    def packed(self) -> bytes:
        """The whole stream: length of the head, head, columns, compressed."""
        head = json.dumps(self.data | {"columns": self._columns}, ensure_ascii=False, allow_nan=False).encode()
        return zlib.compress(len(head).to_bytes(HEAD, "little") + head + b"".join(self._parts), LEVEL)


def read(packed: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Plain data and columns of a stream."""
    content = zlib.decompress(packed)
    place = HEAD + int.from_bytes(content[:HEAD], "little")
    data = json.loads(content[HEAD:place])
    columns: dict[str, NDArray[Any]] = {}
    for entry in data.pop("columns"):
        shape, width = tuple(entry["shape"]), entry["width"]
        count = int(np.prod(shape, dtype=np.int64))
        if not width:
            columns[entry["name"]] = np.frombuffer(content, "<f4", count, place).reshape(shape)
            place += 4 * count
            continue
        code = np.zeros(count, np.int64)
        for k in range(width):
            code |= np.frombuffer(content, np.uint8, count, place).astype(np.int64) << (8 * k)
            place += count
        numbers = np.where(code & 1, -((code + 1) >> 1), code >> 1).reshape(shape)
        for k in reversed(range(entry["order"])):
            numbers[k:] = np.cumsum(numbers[k:], axis=0)
        columns[entry["name"]] = numbers
    return data, columns
