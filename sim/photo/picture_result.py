"""The heap in a picture as words, table and JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from repose.sim.measure.angle_of_repose import with_error
from repose.sim.message import Number, plain
from repose.sim.photo.heap_in_picture import PictureHeap


def unit_of(heap: PictureHeap) -> str:
    """Unit of the lengths of a heap."""
    return "m" if heap.scaled else "px"


def height_in_words(heap: PictureHeap) -> Number:
    """The height, in mm or m with a scale."""
    return Number(heap.flanks.height, "m") if heap.scaled else Number(heap.flanks.height, "px", ".0f")


def rows(heap: PictureHeap) -> list[tuple[str, str]]:
    """Quantities and values: angle, both flanks, height, tilt, source of the error."""
    said = [("angle", plain(with_error(heap.angle, heap.standard_error)))]
    for name, flank in (("left flank", heap.left), ("right flank", heap.right)):
        missing = plain("the heap leans against a wall or a border there")
        said.append((name, missing if flank is None else plain(with_error(flank.angle, flank.standard_error))))
    said.append(("height", plain(height_in_words(heap))))
    found = "edge of the table, found" if heap.surface.horizon.detected else "horizon, marked"
    said.append((found, plain(with_error(heap.tilt, heap.surface.horizon.error))))
    said.append(("largest part of the error", plain(max(heap.parts, key=lambda name: heap.parts[name]))))
    return [(name, str(value)) for name, value in said]


def as_json(heap: PictureHeap, name: str) -> dict[str, Any]:
    """The content of result.json: angles in degrees, lengths in m, or in pixels without a scale."""

    def flank(found: Any) -> dict[str, Any] | None:
        if found is None:
            return None
        return {
            "degrees": math.degrees(found.angle),
            "standard_error_degrees": math.degrees(found.standard_error),
            "line": [list(map(float, found.start)), list(map(float, found.end))],
        }

    return {
        "picture": name,
        "unit_of_lengths": unit_of(heap),
        "angle_degrees": math.degrees(heap.angle),
        "standard_error_degrees": math.degrees(heap.standard_error),
        "parts_of_the_error_degrees": {name: math.degrees(part) for name, part in heap.parts.items()},
        "left_flank": flank(heap.left),
        "right_flank": flank(heap.right),
        "height": heap.flanks.height,
        "base": float(np.subtract(*heap.flanks.feet[::-1])),
        "tilt_degrees": math.degrees(heap.tilt),
        "horizon_detected": heap.surface.horizon.detected,
        "threshold": heap.surface.threshold,
        "contrast": heap.surface.contrast,
        "profile": {"x": heap.x.tolist(), "height": heap.height.tolist()},
    }
