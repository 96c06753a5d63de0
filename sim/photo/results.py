"""The heap in a picture as words, table and JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from repose.sim.measure.angle_of_repose import with_error
from repose.sim.message import Message, Number, _
from repose.sim.photo.heap_in_picture import PictureHeap

COLUMNS = ("x", "height")


def unit_of(heap: PictureHeap) -> str:
    """Unit of the lengths of a heap."""
    return "m" if heap.scaled else "px"


def height_in_words(heap: PictureHeap) -> Number:
    """The height, in mm or m with a scale."""
    return Number(heap.flanks.height, "m") if heap.scaled else Number(heap.flanks.height, "px", ".0f")


def rows(heap: PictureHeap) -> list[tuple[Message, Message | Number | str]]:
    """Quantities and values: angle, both flanks, height, tilt, source of the error."""
    missing = _("the heap leans against a wall or a border there")
    said: list[tuple[Message, Any]] = [(_("angle"), with_error(heap.angle, heap.standard_error))]
    for label, flank in ((_("left flank"), heap.left), (_("right flank"), heap.right)):
        said.append((label, missing if flank is None else with_error(flank.angle, flank.standard_error)))
    said.append((_("height"), height_in_words(heap)))
    tilt = with_error(heap.tilt, heap.surface.horizon.error)
    said.append((_("edge of the table, found") if heap.surface.horizon.detected else _("horizon, marked"), tilt))
    words = {"line": _("line fit"), "threshold": _("threshold"), "horizon": _("horizon"), "camera": _("camera")}
    largest = max(heap.parts, key=lambda name: heap.parts[name])
    said.append((_("largest part of the error"), words[largest]))
    return said


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
