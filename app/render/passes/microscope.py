"""The selected grain with the forces on it, or the selected contact: forces, friction spring and Coulomb cone.

The friction spring is drawn between the two rims at the contact, and longer than it is: at the Coulomb limit it has the
length of `SPRING` radii.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.app.render.passes import Frame, Pass
from repose.app.render.selection import WALL, contacts_of, forces_on, members_of, rows_of, selected_contact
from repose.sim.measure.contact_forces import ContactForces
from repose.sim.numbers import with_prefix

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

Points = NDArray[np.float64]
WIDTH, HEIGHT, PAD = 330.0, 150.0, 12.0
"""Sides and margin of the plate [units]."""
ABOVE_FOOT = {2: 92.0, 3: 172.0}
"""Distance of the plate from the foot of the picture, by dimension [units]: in space the axes are below it."""
CONE = 130.0
"""Side of the Coulomb cone [units]."""
LINE = 19.0
"""Height of a line of text [units]."""
ARROW = 2.0
"""Length of the arrow of the largest force on the grain [radii]."""
SPRING, COILS = 0.9, 6
"""Length of the spring at the Coulomb limit [radii], and its coils."""
DAMPED = 1.005
"""Share of the Coulomb limit above which damping is part of the shear force [-]."""
STEPS = (1.0, 2.0, 5.0, 10.0)
"""Ends of the axis of the cone, times a power of ten."""


class Seen(NamedTuple):
    """The force on one side of a contact, in the picture."""

    words: list[tuple[str, str]]
    cone: tuple[float, float, float, float] | None
    """Normal force, shear force, limit, end of the axis [N]."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Marks at the selected grain or contact, and a plate with its numbers."""
    snapshot, view = frame.snapshot, frame.view
    rows = rows_of(snapshot, view.selected)
    if rows is None:
        return
    shown = members_of(snapshot, rows[0]) if len(view.selected) == 1 else rows
    for row in shown:
        _ring(frame, canvas, row)
    if len(view.selected) == 1:
        _draw_forces(frame, canvas, shown)
        _draw_plate(frame, canvas, Seen(grain_words(frame, rows[0]), None))
    elif snapshot.forces is not None:
        contact = selected_contact(snapshot, view)
        if contact is not None:
            _draw_spring(frame, canvas, snapshot.forces, contact)
        _draw_plate(frame, canvas, contact_seen(frame, snapshot.forces, contact))


def grain_words(frame: Frame, row: int) -> list[tuple[str, str]]:
    """Names and values of the numbers of a grain: a sphere, or the rigid body that it is a member of."""
    snapshot, rows = frame.snapshot, members_of(frame.snapshot, row)
    speed, mass = float(np.linalg.norm(snapshot.velocity[row])), float(snapshot.mass[row])
    words = [(f"Grain {snapshot.sphere_id[row]}", ""), ("radius", with_prefix(float(snapshot.radius[row]), "m", 3))]
    if len(rows) > 1:
        heading, of_sphere = f"Clump of {len(rows)} spheres", f"speed of sphere {snapshot.sphere_id[row]}"
        words = [(heading, ""), (of_sphere, with_prefix(speed, "m/s", 3))]
    elif math.isfinite(mass):
        gravity = math.hypot(*snapshot.gravity) if snapshot.gravity else 0.0
        words += [("weight", with_prefix(mass * gravity, "N", 3)), ("speed", with_prefix(speed, "m/s", 3))]
        words.append(("kinetic energy", with_prefix(0.5 * mass * speed * speed, "J", 3)))
    if snapshot.forces is not None:
        near = contacts_of(snapshot, rows)
        total = float(np.linalg.norm(forces_on(snapshot.forces, near, rows).sum(axis=0)))
        words += [("contacts", str(near.size)), ("sum of contact forces", with_prefix(total, "N", 3))]
    return words


def contact_seen(frame: Frame, forces: ContactForces, contact: int | None) -> Seen:
    """The numbers of a contact, and its point in the Coulomb cone."""
    ids = frame.view.selected
    other = "wall" if ids[1] == WALL else f"{ids[1]}"
    heading = (f"Contact {ids[0]} – {other}", "")
    if contact is None:
        return Seen([heading, ("does not touch now", "")], None)
    normal, limit = float(forces.normal_force[contact]), float(forces.limit[contact])
    size, stretch = float(np.linalg.norm(forces.shear_force[contact])), float(np.linalg.norm(forces.shear[contact]))
    words = [
        heading,
        ("overlap δ", with_prefix(float(forces.overlap[contact]), "m", 3)),
        ("F_n", with_prefix(normal, "N", 3)),
    ]
    words.append(("F_t", with_prefix(size, "N", 3)))
    if math.isfinite(stretch):
        words.append(("spring ξ", with_prefix(stretch, "m", 3)))
    if not math.isfinite(limit):
        return Seen(words, None)
    # Some laws limit the spring alone, and damping comes on top.
    share = f"{size / limit:.2f}" + (" (damping)" if size > DAMPED * limit else "") if limit > 0.0 else "–"
    words.append(("F_t / limit", share))
    return Seen(words, (normal, signed_shear(forces, contact), limit, axis_end(forces, normal)))


def signed_shear(forces: ContactForces, contact: int) -> float:
    """Shear force on i [N]: in the plane positive to the left of the normal, in space its size."""
    force, normal = forces.shear_force[contact], forces.normal[contact]
    if len(normal) == 2:
        return float(force[1] * normal[0] - force[0] * normal[1])
    return float(np.linalg.norm(force))


def axis_end(forces: ContactForces, normal: float) -> float:
    """End of the axis of normal forces [N]: a round number that most contacts are below, and this one is."""
    pressing = forces.normal_force[forces.normal_force > 0.0]
    wanted = max(3.0 * float(pressing.mean()) if pressing.size else 0.0, normal, 1e-12)
    decade = 10.0 ** math.floor(math.log10(wanted))
    return next(step * decade for step in STEPS if step * decade >= wanted)


def _ring(frame: Frame, canvas: Canvas, row: int) -> None:
    x, y, radius = _seen(frame, row)
    turn = np.linspace(0.0, math.tau, 65)
    canvas.polyline(np.column_stack((x + radius * np.cos(turn), y + radius * np.sin(turn))), frame.palette.mark, 2.5)


def _seen(frame: Frame, row: int) -> tuple[float, float, float]:
    """Centre and radius of a sphere in the picture [pixel]."""
    place = frame.snapshot.position[row].astype(np.float64)
    x, y = frame.camera.world_to_pixel(place, frame.size)
    far = float(frame.orbit.depth(place[None])[0]) / frame.orbit.distance if frame.dimension == 3 else 1.0
    return float(x), float(y), float(frame.snapshot.radius[row]) / (frame.metres_per_pixel * far)


def _draw_forces(frame: Frame, canvas: Canvas, rows: list[int]) -> None:
    """An arrow that pushes on the grain at each of its contacts, their lengths proportional to the forces."""
    forces = frame.snapshot.forces
    near = contacts_of(frame.snapshot, rows)
    if forces is None or not near.size:
        return
    force = forces_on(forces, near, rows)
    size = np.linalg.norm(force, axis=1)
    longest = ARROW * float(frame.snapshot.radius[rows].max()) / max(float(size.max()), np.finfo(float).tiny)
    for point, push, newton in zip(forces.point[near], force, size, strict=True):
        if newton > 0.0:
            _arrow(frame, canvas, point - longest * push, point, with_prefix(float(newton), "N", 3))


def _arrow(frame: Frame, canvas: Canvas, start: Points, end: Points, words: str) -> None:
    """An arrow between two points [m] with its value at the beginning."""
    tail, tip = frame.camera.world_to_pixel(np.array((start, end)), frame.size)
    length = float(np.linalg.norm(tip - tail))
    if not np.isfinite((tail, tip)).all() or length < 2.0:
        return
    along = (tip - tail) / length
    head = min(9.0 * frame.scale, 0.5 * length)
    across = 0.5 * head * np.array((-along[1], along[0]))
    ink = frame.palette.chain
    canvas.polyline(np.array((tail, tip)), ink, 2.5)
    canvas.polyline(np.array((tip - head * along + across, tip, tip - head * along - across)), ink, 2.5)
    anchor = (0.5 + 0.5 * float(along[0]), 0.5 + 0.5 * float(along[1]))
    place = tail - 5.0 * frame.scale * along
    canvas.text(place, words, frame.palette.text, 0.9, False, anchor, frame.palette.background)


def _draw_spring(frame: Frame, canvas: Canvas, forces: ContactForces, contact: int) -> None:
    """The friction spring between the rims, across the normal, and the contact point."""
    shear, mobilised = forces.shear[contact], float(forces.mobilised[contact])
    stretch = float(np.linalg.norm(shear))
    radius = float(frame.snapshot.radius[forces.i[contact]])
    point = forces.point[contact]
    if stretch > 0.0 and math.isfinite(stretch) and math.isfinite(mobilised):
        half = 0.5 * SPRING * radius * min(mobilised, 1.0) / stretch * shear
        side = 0.08 * radius * forces.normal[contact]
        share = np.linspace(-1.0, 1.0, 4 * COILS + 1)
        swing = np.sin(0.5 * np.pi * np.arange(share.size))
        places = point + share[:, None] * half + swing[:, None] * side
        canvas.polyline(frame.camera.world_to_pixel(places, frame.size), frame.palette.chain, 2.0)
        for sign in (-1.0, 1.0):  # the points of the two rims that touched first
            ends = np.array((point + sign * half - side, point + sign * half + side))
            canvas.polyline(frame.camera.world_to_pixel(ends, frame.size), frame.palette.text, 2.0)
    x, y = frame.camera.world_to_pixel(point, frame.size)
    turn, dot = np.linspace(0.0, math.tau, 17), 3.5 * frame.scale
    canvas.polyline(np.column_stack((x + dot * np.cos(turn), y + dot * np.sin(turn))), frame.palette.text, 2.0)


def _draw_plate(frame: Frame, canvas: Canvas, seen: Seen) -> None:
    """The numbers at the lower left of the picture, with the cone at their right."""
    unit, palette = frame.scale, frame.palette
    left = frame.inset[0] + 16.0 * unit
    top = frame.size[1] - frame.inset[3] - (ABOVE_FOOT[frame.dimension] + HEIGHT) * unit
    width = WIDTH if seen.cone is not None else WIDTH - CONE + 30.0
    canvas.rectangle((left, top), (left + width * unit, top + HEIGHT * unit), palette.background, 0.85, 6.0)
    text_right = left + (WIDTH - CONE - 2.0 * PAD if seen.cone is not None else width - PAD) * unit
    y = top + 0.7 * PAD * unit
    for number, (name, value) in enumerate(seen.words):
        canvas.scripted((left + PAD * unit, y), name, palette.text if number == 0 else palette.faint, 0.95, number == 0)
        canvas.scripted((text_right - canvas.scripted_width(value, 0.95), y), value, palette.text, 0.95)
        y += LINE * unit
    if seen.cone is not None:
        _draw_cone(frame, canvas, seen.cone, (left + (WIDTH - CONE - PAD) * unit, top + (HEIGHT - CONE) / 2 * unit))


def _draw_cone(
    frame: Frame, canvas: Canvas, cone: tuple[float, float, float, float], corner: tuple[float, float]
) -> None:
    """F_t over F_n, the lines of the Coulomb limit, and the point of this contact."""
    unit, palette = frame.scale, frame.palette
    normal, shear, limit, end = cone
    x0, y0 = corner[0] + 8.0 * unit, corner[1] + 0.5 * CONE * unit
    length, half = (CONE - 12.0) * unit, (0.5 * CONE - 14.0) * unit
    slope = limit / normal if normal > 0.0 else 0.0
    tall = max(slope * end, np.finfo(float).tiny)  # the cone fills the height
    canvas.polyline(np.array(((x0, y0), (x0 + length, y0))), palette.faint, 1.0)
    canvas.polyline(np.array(((x0, y0 - half), (x0, y0 + half))), palette.faint, 1.0)
    for sign in (-1.0, 1.0):
        canvas.polyline(np.array(((x0, y0), (x0 + length, y0 + sign * half))), palette.chain, 1.6)
    x, y = x0 + normal / end * length, y0 - shear / tall * half
    turn, dot = np.linspace(0.0, math.tau, 17), 4.0 * unit
    canvas.polyline(np.array(((x0, y0), (x, y))), palette.text, 1.6)
    canvas.polyline(np.column_stack((x + dot * np.cos(turn), y + dot * np.sin(turn))), palette.text, 3.0)
    canvas.scripted((x0 + 4.0 * unit, corner[1] - 4.0 * unit), "F_t", palette.faint, 0.85)
    words = f"F_n  {with_prefix(end, 'N', 3)}"
    canvas.scripted(
        (x0 + length - canvas.scripted_width(words, 0.85), y0 + half - 2.0 * unit), words, palette.faint, 0.85
    )


PASS = Pass("microscope", order=64, overlay=overlay, needs_forces=lambda view: bool(view.selected))
