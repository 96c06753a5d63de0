"""Grains and contact forces as a vector graphic: circles with the radius of the grains, lines as wide as the forces.

The view is from the front: x to the right, y (in space z) upwards, near grains in front of distant ones. A scale bar
and the largest force are written below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from repose.sim.io.export_text import Add
from repose.sim.io.exported_state import ExportedState, contacts_of, ends_of

EDGE = 180.0
"""Longer edge of the graphic [mm]: the width of the text of a page."""
MARGIN, FOOT = 3.0, 13.0
"""Margin around the grains, and space below them for the scale bar [mm]."""
WIDEST = 0.5
"""Width of the line of the largest force, over the mean radius [-]."""
NAMESPACE = "urn:repose:origin"
"""XML namespace of the entries in the metadata."""
UNITS = ((1.0, "m"), (1e-2, "cm"), (1e-3, "mm"), (1e-6, "µm"))


@contextmanager
def vector_graphic(file: BinaryIO) -> Iterator[Add]:
    """One state, with the origin of the run in its metadata, one entry for each name."""

    def add(state: ExportedState) -> None:
        file.write(_drawn(state).encode("utf-8"))

    yield add


def _drawn(state: ExportedState) -> str:
    up = 1 if state.dimension == 2 else 2
    low, high = (np.array([corner[0], corner[up]]) for corner in state.box)
    scale = EDGE / float(max(high - low))
    width, height = (high - low) * scale + 2 * MARGIN
    position = (state.position[:, (0, up)] - low) * scale + MARGIN
    position[:, 1] = height - position[:, 1]
    radius = state.world.radius * scale
    depth = np.argsort(-state.position[:, 1], kind="stable") if up == 2 else np.arange(len(radius))
    contacts = contacts_of(state, walls=False)
    ends = (ends_of(state, contacts)[:, :, (0, up)] - low) * scale + MARGIN
    push = np.maximum(contacts.normal_force, 0.0)
    most = float(push.max(initial=0.0))
    wide = WIDEST * float(radius.mean()) * push / most if most > 0.0 else push
    title = f"{state.origin.get('scene', 'grains')}, t = {state.time:.6g} s"
    entries = (f"<entry name={quoteattr(name)}>{escape(value)}</entry>" for name, value in state.origin.items())
    rows = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.4f}mm" height="{height + FOOT:.4f}mm" '
        f'viewBox="0 0 {width:.4f} {height + FOOT:.4f}">',
        f"<title>{escape(title)}</title>",
        "<desc>Grains as circles, contact forces as lines; the metadata say where they come from.</desc>",
        f'<metadata><origin xmlns="{NAMESPACE}">{"".join(entries)}</origin></metadata>',
        '<g id="grains" stroke="#303030" stroke-width="0.08">',
        *(
            f'<circle cx="{position[k, 0]:.4f}" cy="{position[k, 1]:.4f}" r="{radius[k]:.4f}" '
            f'fill="{"#a0a0a0" if state.world.fixed[k] else "#e8e4d8"}"/>'
            for k in depth
        ),
        f'</g>\n<g id="forces" stroke="#0b62b8" stroke-linecap="round" data-largest-force="{most:.6g} N">',
        *(
            f'<line x1="{x1:.4f}" y1="{height - y1:.4f}" '
            f'x2="{x2:.4f}" y2="{height - y2:.4f}" stroke-width="{size:.4f}"/>'
            for ((x1, y1), (x2, y2)), size in zip(ends, wide)
            if size > 0.0
        ),
        "</g>",
        *_scale_bar(scale, width, height, most),
        "</svg>\n",
    ]
    return "\n".join(rows)


def _scale_bar(scale: float, width: float, height: float, force: float) -> list[str]:
    """A scale bar of a round length at the lower right, and the force of the widest line at the lower left."""
    most = 0.3 * width / scale
    power = 10.0 ** math.floor(math.log10(most))
    length = power * next((step for step in (5, 2) if step * power <= most), 1)
    unit, name = next(((size, name) for size, name in UNITS if length >= 0.999 * size), UNITS[-1])
    left, foot = width - MARGIN - length * scale, height + 1.5
    text = 'font-family="sans-serif" font-size="3.5"'
    bar = [
        f'<line x1="{left:.4f}" y1="{foot:.4f}" x2="{width - MARGIN:.4f}" y2="{foot:.4f}" stroke="black" '
        'stroke-width="0.5"/>',
        f'<text x="{left + 0.5 * length * scale:.4f}" y="{foot + 4.5:.4f}" text-anchor="middle" {text}>'
        f"{length / unit:.6g} {name}</text>",
    ]
    if force > 0.0:
        bar.append(f'<text x="{MARGIN}" y="{foot + 9.0:.4f}" {text}>widest line: normal force of {force:.3g} N</text>')
    return bar
