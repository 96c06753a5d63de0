"""The names of the parts of bodies with their colours, in the upper right, of fixed particles, and of drawn paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from repose.app.render.colours import PARTS, Colour, part_colour
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.legend import SWITCH
from repose.app.render.passes.tracks import LINE, TRACKS
from repose.app.render.text_size import LEAST_TEXT, TEXT_SIZE
from repose.sim.measure.display import Part
from repose.sim.message import Message, _

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

TEXT = 1.1
"""Text size, relative to ordinary text."""
PAD, GAP = 14.0, 20.0
"""Margin around the names, and distance of two of them [units]."""
SWATCH = 0.62
"""Side of a coloured square [heights of the text]."""


FIXED = Part(_("fixed"))
"""The fixed particles, such as those of a clamp, which the list of parts of a scene does not contain."""


class NamedColour(NamedTuple):
    """A part or a path."""

    name: Message
    colour: Colour
    line: bool = False
    """Whether it is a path, which has a line instead of a square."""


class NamesRow(NamedTuple):
    """The row of the names of the first parts [pixel]."""

    area: tuple[float, float, float, float]
    """Left, top, right and bottom of the plate behind them."""
    names: list[NamedColour]
    """As many as fit."""
    widths: list[float]
    """Width of the square and the name of each part."""
    height: float


def foot(unit: float) -> float:
    """Lower edge of the row in a picture without panels [pixel], known before letters are drawn."""
    return 1.9 * PAD * unit + max(round(TEXT * TEXT_SIZE * unit), LEAST_TEXT)


def names_of(frame: Frame) -> list[NamedColour]:
    """Names and colours of all parts, then of the fixed particles and of the paths, if there are any."""
    snapshot = frame.snapshot
    names = [NamedColour(part.name, part_colour(part, number)) for number, part in enumerate(snapshot.grains.parts)]
    if snapshot.grains.fixed.any():
        names.append(NamedColour(FIXED.name, frame.palette.fixed))
    if frame.shows(TRACKS):
        names += [
            NamedColour(track.name, frame.palette.faint, line=True) for track in snapshot.grains.tracks if track.name
        ]
    return names


def row(frame: Frame, canvas: Canvas) -> NamesRow | None:
    """The row of names; None if there is only one part, or no room for a name."""
    names, unit = names_of(frame), frame.scale
    if frame.shown != PARTS or len(names) < 2 or not frame.shows(SWITCH):
        return None
    left, above, right, _ = frame.inset
    right -= frame.beside  # a panel beside the picture begins below them, like below a legend
    extents = [canvas.text_extent(entry.name, TEXT) for entry in names]
    height = max(extent[1] for extent in extents)
    gap, pad = GAP * unit, PAD * unit
    widths = [1.5 * SWATCH * height + extent[0] for extent in extents]
    while widths and sum(widths) + gap * (len(widths) - 1) > frame.size[0] - left - right - 4.0 * pad:
        widths.pop()
    if not widths:
        return None
    x, y = frame.size[0] - right - pad, above + 1.4 * pad
    low = x - 2.0 * pad - sum(widths) - gap * (len(widths) - 1)
    return NamesRow((low, y - 0.5 * pad, x, y + height + 0.5 * pad), names[: len(widths)], widths, height)


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw coloured squares and names in one row, as many as fit; nothing if there is only one part."""
    names, unit = row(frame, canvas), frame.scale
    if names is None:
        return
    side = SWATCH * names.height
    x, y = names.area[0] + PAD * unit, names.area[1] + 0.5 * PAD * unit
    canvas.rectangle(names.area[:2], names.area[2:], frame.palette.background, alpha=0.82, rounding=6.0)
    for entry, width in zip(names.names, names.widths, strict=True):
        high = LINE * unit if entry.line else side
        top = y + 0.5 * (names.height - high)
        canvas.rectangle((x, top), (x + side, top + high), entry.colour, rounding=0.0 if entry.line else 2.0)
        canvas.text((x + 1.5 * side, y), entry.name, frame.palette.text, TEXT)
        x += width + GAP * unit


PASS = Pass("part_names", order=91, overlay=overlay, dimensions=(2,), switch=SWITCH)
