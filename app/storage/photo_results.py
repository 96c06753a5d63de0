"""Files with the result of a photograph: its profile as a table, and the picture with surface, lines and angles."""

from __future__ import annotations

import csv
import io

import numpy as np
from numpy.typing import NDArray
from repose.app.storage.photo_files import Photo
from repose.sim.photo.heap_in_picture import PictureHeap
from repose.sim.photo.picture_result import unit_of

SURFACE, FLANK, TABLE = (255, 64, 160), (0, 200, 255), (255, 220, 0)
"""Colours of the found surface, of the fitted lines and of the horizon."""


def profile_text(heap: PictureHeap) -> str:
    """The profile as a table of comma-separated values."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    unit = unit_of(heap)
    table.writerow((f"x [{unit}]", f"height [{unit}]"))
    table.writerows((f"{x:.6g}", f"{height:.6g}") for x, height in zip(heap.x, heap.height))
    return text.getvalue()


def annotated(photo: Photo, heap: PictureHeap) -> NDArray[np.uint8]:
    """The picture with surface, horizon, fitted lines and their angles."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.fromarray(photo.pixels)
    draw = ImageDraw.Draw(picture)
    wide = max(2, round(max(picture.size) / 500))

    def line(points: NDArray[np.float64], colour: tuple[int, int, int], width: int) -> None:
        draw.line([tuple(point) for point in (points / photo.step).tolist()], colour, width)

    line(heap.pixel_of(heap.x, heap.height), SURFACE, max(1, wide // 2))
    line(heap.pixel_of(np.array(heap.flanks.feet), np.zeros(2)), TABLE, wide)
    font = ImageFont.load_default(size=max(14, round(max(picture.size) / 45)))
    for flank in (heap.left, heap.right):
        if flank is None:
            continue
        ends = np.array((flank.start, flank.end))
        line(heap.pixel_of(*ends.T), FLANK, wide)
        at = heap.pixel_of(ends[:, 0].mean(), ends[:, 1].mean() + 0.25 * heap.flanks.height) / photo.step
        words = f"{np.degrees(flank.angle):.1f}° ± {np.degrees(flank.standard_error):.1f}°"
        draw.text(tuple(at), words, (20, 20, 20), font, anchor="mb", stroke_width=2, stroke_fill=(255, 255, 255))
    pixels: NDArray[np.uint8] = np.array(picture)
    return pixels
