"""Rose diagram: frequency and mean normal force of the contacts between grains, by direction.

In space the normals are projected on the plane of the picture. The fabric tensor is that of the normals in space.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from repose.app.render.passes import Frame, Pass, Plate, Switch
from repose.app.storage.view_settings import View
from repose.sim.engine.world import Floats
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.contact_forces import ContactForces
from repose.sim.measure.fabric import Fabric, fabric, rose
from repose.sim.message import Message, Number, _, plural, with_prefix

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

ROSE = Switch(
    "rose",
    _("Rose diagram"),
    _(
        "How frequent each direction of the contact normals is, mean normal force by direction, anisotropy "
        "of the fabric."
    ),
    default=False,
    key="5",
    applies=lambda snapshot: not snapshot.grains.labels,  # labelled spheres never touch each other
)
SECTORS = 36
HEIGHT, PAD, LINE = 232.0, 12.0, 19.0
"""Height and margin of the plate, and height of a line of text [units]."""
HALF = 72.0
"""Half the height of the diagram [units]."""
LARGEST = 1.5
"""Least value at the edge of the diagram [means over all directions]."""


def contacts_between_grains(forces: ContactForces, fixed: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Rows of the contacts with an overlap that are neither with walls nor with fixed spheres."""
    inner = (forces.j >= 0) & (forces.overlap > 0.0) & ~fixed[forces.i]
    return np.flatnonzero(inner & ~fixed[np.where(inner, forces.j, 0)])


def angles_seen(frame: Frame, normal: Floats) -> Floats:
    """Angle of each normal in the picture, counter-clockwise from its horizontal [rad], shape (contacts,)."""
    seen = normal @ frame.orbit.axes()[:2].T if frame.dimension == 3 else normal
    return np.asarray(np.arctan2(seen[:, 1], seen[:, 0]), float)


def words(frame: Frame, distribution: Fabric, mean_force: float) -> list[Message]:
    """Number of contacts, anisotropy and mean normal force."""
    last = "₂" if frame.dimension == 2 else "₃"
    anisotropy = Message(
        "fabric F₁ − F{last} = {anisotropy}", last=last, anisotropy=Number(distribution.anisotropy, format=".3f")
    )
    if frame.dimension == 2:
        anisotropy += Message(
            ", largest at {degrees}°",
            degrees=Number(math.degrees(math.atan2(*distribution.direction[::-1])), format=".0f"),
        )
    seen = _(", as seen in the picture") if frame.dimension == 3 else ""
    return [
        plural(
            "{count} contact between grains{seen}",
            "{count} contacts between grains{seen}",
            count=distribution.count,
            seen=seen,
        ),
        anisotropy,
        Message("mean normal force {mean_force}", mean_force=with_prefix(mean_force, "N", 3)),
    ]


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw the diagram on its plate: contours of the numbers and of the forces, and a circle for their means."""
    area, forces = frame.plate(PASS.name), frame.snapshot.contacts.forces
    if area is not None and forces is not None:
        with canvas.anywhere():
            _draw(frame, canvas, area, forces)


def _draw(frame: Frame, canvas: Canvas, area: Plate, forces: ContactForces) -> None:
    unit, palette, (left, top, right, bottom) = frame.scale, frame.palette, area
    canvas.rectangle((left, top), (right, bottom), palette.background, 0.85, 6.0)
    canvas.text((left + PAD * unit, top + 0.6 * PAD * unit), _("Directions of contacts"), palette.text, 0.95, True)
    chosen = contacts_between_grains(forces, frame.snapshot.grains.fixed)
    if not chosen.size:
        canvas.text(
            (left + PAD * unit, top + 0.6 * PAD * unit + LINE * unit), _("no grains touch"), palette.faint, 0.95
        )
        return
    normal, force = forces.normal[chosen], forces.normal_force[chosen]
    y = top + 0.6 * PAD * unit + LINE * unit
    for line in words(frame, fabric(normal), float(force.mean())):
        canvas.text((left + PAD * unit, y), line, palette.faint, 0.9)
        y += 0.9 * LINE * unit
    number, strength = rose(angles_seen(frame, normal), force, SECTORS)
    largest = max(LARGEST, float(number.max()), float(strength.max()))
    centre = np.array((left + (PAD + HALF) * unit, bottom - (HALF + 0.6 * PAD) * unit))
    radius = HALF * unit / largest
    for values, ink, width in ((number, palette.text, 1.8), (strength, palette.chain, 1.8)):
        canvas.polyline(contour(values, centre, radius), ink, width)
    turn = np.linspace(0.0, math.tau, 65)
    circle = radius * np.column_stack((np.cos(turn), np.sin(turn)))
    canvas.polyline(centre + circle, palette.faint, 1.0, alpha=0.7)
    canvas.polyline(centre + largest * circle, palette.faint, 1.0, alpha=0.3)
    at = centre[0] + (HALF + 1.4 * PAD) * unit
    key = {
        _("number of contacts"): palette.text,
        _("mean normal force"): palette.chain,
        _("circles: the mean,"): palette.faint,
        Message("and {largest} times it", largest=Number(largest, format=".2g")): palette.faint,
    }
    for k, (text, ink) in enumerate(key.items()):
        canvas.text((at, centre[1] + (k - 2.0) * LINE * unit), text, ink, 0.9)


def contour(values: Floats, centre: Floats, radius: float) -> Floats:
    """The closed edge of sectors with these values [pixel], shape (points, 2); a value of 1 is at `radius` [pixel]."""
    steps = 3
    share = (np.arange(SECTORS)[:, None] + np.linspace(0.0, 1.0, steps)) / SECTORS
    turn, reach = math.tau * share.ravel(), radius * np.repeat(values, steps)
    points = centre + reach[:, None] * np.column_stack((np.cos(turn), -np.sin(turn)))
    closed: Floats = np.concatenate((points, points[:1]))
    return closed


def plate_height(snapshot: Snapshot, view: View) -> float:
    """Height of the plate [units]."""
    return HEIGHT if ROSE.is_on(view) and ROSE.applies(snapshot) else 0.0


PASS = Pass(
    "rose",
    order=66,
    overlay=overlay,
    switch=ROSE,
    needs_forces=lambda view: ROSE.is_on(view),
    plate=plate_height,
)
