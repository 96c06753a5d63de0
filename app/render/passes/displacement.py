"""Displacement field: an arrow from the position of each grain at the beginning of the phase to its present position.

Displacements much smaller than a grain are drawn enlarged, by a factor that the plate states.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.app.render.colours import CATEGORIES
from repose.app.render.passes import Frame, Pass, Plate, Switch
from repose.app.render.passes.velocity_arrows import WIDTH, rows_of_strokes, with_heads
from repose.app.storage.view_settings import View
from repose.sim.engine.world import Floats
from repose.sim.experiment.displacement_reference import displacements
from repose.sim.experiment.snapshot import DisplacementMark, Snapshot
from repose.sim.message import EMPTY, Message, Number, _, plain, plural, time_text, with_prefix
from repose.sim.registry import scenes
from repose.sim.scales import nice_step

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

DISPLACEMENT = Switch(
    "displacement",
    _("Displacements"),
    _("Arrows from where each grain was when the phase or the last action began to where it is now."),
    default=False,
    key="7",
    applies=lambda snapshot: snapshot.grains.mark is not None,
)
INK = CATEGORIES[4]
FAST = 0.95
"""Share of the grains with a smaller displacement than a fast grain, which determines the enlargement [-]."""
WANTED = 3.0
"""Length of an arrow above which displacements are drawn in true length [mean radii]."""
LEAST = 0.03
"""Smallest displacement with an arrow [displacements of a fast grain]."""
STILL = 1e-6
"""Displacement of a fast grain below which nothing is drawn [mean radii]."""
LARGEST_HEAD = 1.2
"""Length of the largest head [mean radii]."""
COVERED = 0.5
"""Largest area of all arrows; with longer arrows only every second grain, or fewer, has one [areas of the grains]."""
HEIGHT, PAD, LINE = 84.0, 12.0, 19.0
"""Height and margin of the plate, and height of a line of text [units]."""


class Displaced(NamedTuple):
    """The grains that have moved since the mark."""

    position: Floats
    """Present positions [m], shape (grains, dimension)."""
    along: Floats
    """Displacements since the mark [m], shape (grains, dimension)."""
    radius: float
    """Mean radius [m]."""
    factor: float
    """Length of an arrow over the displacement [-]."""
    shown: NDArray[np.bool_]
    """Whether a grain has an arrow, shape (grains,)."""
    every: int
    """One of this many grains has an arrow, if it has moved."""


def displaced(snapshot: Snapshot) -> Displaced | None:
    """The grains that existed at the mark; None if there were none, or without a mark."""
    mark = snapshot.grains.mark
    if mark is None or mark.position.shape[1] != snapshot.grains.position.shape[1]:
        return None
    along = displacements(mark, snapshot.grains.sphere_id, snapshot.grains.position)
    rows = ~snapshot.grains.fixed & np.isfinite(along).all(axis=1)
    if not rows.any():
        return None
    radius, size = float(snapshot.grains.radius[rows].mean()), np.linalg.norm(along[rows], axis=1)
    fast = float(np.quantile(size, FAST))
    position, along = snapshot.grains.position[rows].astype(np.float64), along[rows]
    if not fast > STILL * radius:
        return Displaced(position, along, radius, 1.0, np.zeros(size.size, np.bool_), 1)
    # The factor is 1, 2 or 5 times a power of ten: the arrows of a fast grain then have at least the wanted length.
    factor = nice_step(WANTED * radius / fast, 1) if fast < WANTED * radius else 1.0
    covered = factor * float(size.sum()) * WIDTH * radius / (math.pi * radius**2 * size.size)
    every = max(1, round(nice_step(covered / COVERED, 1)))
    shown = (size > LEAST * fast) & (snapshot.grains.sphere_id[rows] % every == 0)
    return Displaced(position, along, radius, factor, shown, every)


def instances(frame: Frame) -> NDArray[np.float32] | None:
    """The strokes of the arrows."""
    displacement = displaced(frame.snapshot)
    if displacement is None or not displacement.shown.any():
        return None
    along = (displacement.factor * displacement.along[displacement.shown]).astype(np.float32)
    start = (displacement.position - displacement.along)[displacement.shown].astype(np.float32)
    strokes = with_heads(frame, start, along, LARGEST_HEAD * displacement.radius)
    return rows_of_strokes(frame, (*strokes, WIDTH * displacement.radius), INK)


def phase_label(snapshot: Snapshot) -> Message:
    """Label of the phase in which the mark was made; its name for a scene that this process does not have."""
    mark, scene = snapshot.grains.mark, scenes().get(snapshot.run.scene)
    assert mark is not None
    phases = scene.course.phases if scene is not None else ()
    return next((phase.label for phase in phases if phase.name == mark.phase), plain(mark.phase))


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw time of the mark, displacements and enlargement on the plate."""
    area, displacement, mark = frame.plate(WORDS), displaced(frame.snapshot), frame.snapshot.grains.mark
    if area is not None and mark is not None:
        with canvas.anywhere():
            _draw(frame, canvas, area, mark, displacement)


def _draw(frame: Frame, canvas: Canvas, area: Plate, mark: DisplacementMark, displacement: Displaced | None) -> None:
    unit, palette, (left, top, right, bottom) = frame.scale, frame.palette, area
    canvas.rectangle((left, top), (right, bottom), palette.background, 0.85, 6.0)
    x, y = left + PAD * unit, top + 0.6 * PAD * unit
    canvas.text(
        (x, y),
        Message(
            "Displacement since t = {time} ({phase})", time=time_text(mark.time), phase=phase_label(frame.snapshot)
        ),
        palette.text,
        0.95,
        True,
    )
    for line in words(displacement):
        y += LINE * unit
        canvas.text((x, y), line, palette.faint, 0.9)


def words(displacement: Displaced | None) -> list[Message]:
    """Number of grains, mean and largest displacement, and the length of the arrows."""
    if displacement is None:
        return [_("none of the grains was there then")]
    size = np.linalg.norm(displacement.along, axis=1)
    length = (
        _("true length")
        if displacement.factor == 1.0
        else Message("{factor} times the displacement", factor=Number(displacement.factor, format="g"))
    )
    which = EMPTY if displacement.every == 1 else Message(", of one grain in {every}", every=displacement.every)
    return [
        plural(
            "{count} grain, mean {with_prefix}",
            "{count} grains, mean {with_prefix}",
            count=size.size,
            with_prefix=with_prefix(float(size.mean()), "m", 3),
        ),
        Message("largest {with_prefix}", with_prefix=with_prefix(float(size.max()), "m", 3)),
        Message("arrows: {length}{which}", length=length, which=which),
    ]


def plate_height(snapshot: Snapshot, view: View) -> float:
    """Height of the plate [units]."""
    return HEIGHT if DISPLACEMENT.is_on(view) and DISPLACEMENT.applies(snapshot) else 0.0


WORDS = "displacement_words"
PASS = (
    Pass(
        "displacement",
        order=33,
        shader="lines",
        attributes=(4, 1, 4),
        instances=instances,
        dimensions=(2,),
        switch=DISPLACEMENT,
    ),
    Pass(
        "displacement_in_space",
        order=56,
        shader="strokes",
        attributes=(3, 3, 2, 4),
        instances=instances,
        dimensions=(3,),
        switch=DISPLACEMENT,
    ),
    Pass(WORDS, order=67, overlay=overlay, switch=DISPLACEMENT, plate=plate_height),
)
