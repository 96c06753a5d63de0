"""The selected grain with its path and the forces on it, or the selected contact: forces, friction spring and cone.

The numbers and the course of the forces are in the band at the right of the picture, where they cover no grains. The
friction spring is drawn enlarged between the two rims at the contact: `SPRING` radii long at the Coulomb limit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.app.render.passes import Frame, Pass, Plate
from repose.app.render.selection import WALL, contacts_of, forces_on, members_of, rows_of, selected_contact
from repose.app.render.small_plot import draw_plot
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.contact_forces import ContactForces
from repose.sim.message import EMPTY, Message, _, formatted, joined, plain, plural, with_prefix

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

Points = NDArray[np.float64]
WIDTH, PAD = 330.0, 12.0
"""Width and margin of the plate [units]."""
NEIGHBOURS = 5
"""Largest number of neighbours of a grain that are listed: those with the largest forces."""
NUMBERS, PLOT = {1: 17.0 + 19.0 * (8 + NEIGHBOURS), 2: 150.0}, 124.0
"""Heights of the numbers, of a grain and of a contact, and of the plot below them [units]."""
LEAST = NUMBERS[1] - 19.0 * (NEIGHBOURS - 2)
"""Height that suffices beside other plates [units]: the numbers of a contact, or of a grain with two neighbours."""
LABELS = 8
"""Largest number of forces on a grain that are written: the largest ones."""
PATH, COURSE = 600, 300
"""Largest number of points of a path, and of a curve of the plot."""
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
    """The content of the plate: words, and the point in the Coulomb cone of a contact."""

    words: list[tuple[Message, Message]]
    cone: tuple[float, float, float, float] | None
    """Normal force, shear force, limit, end of the axis [N]."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw marks at the selected grain or contact, and a plate with its numbers."""
    snapshot, view = frame.snapshot, frame.view
    rows = rows_of(snapshot, view.selected)
    if rows is None:
        return
    shown = members_of(snapshot, rows[0]) if len(view.selected) == 1 else rows
    for part in outline(np.array([_seen(frame, row) for row in shown])):
        canvas.polyline(part, frame.palette.mark, 2.5)
    if len(view.selected) == 1:
        _draw_path(frame, canvas)
        _draw_forces(frame, canvas, shown)
        _draw_plate(frame, canvas, Seen(grain_words(frame, rows[0]), None))
    elif snapshot.contacts.forces is not None:
        contact = selected_contact(snapshot, view)
        if contact is not None:
            _draw_spring(frame, canvas, snapshot.contacts.forces, contact)
        _draw_plate(frame, canvas, contact_seen(frame, snapshot.contacts.forces, contact))


def grain_words(frame: Frame, row: int) -> list[tuple[Message, Message]]:
    """Names and values of the numbers of a grain: a sphere, or the rigid body to which the sphere belongs."""
    snapshot, rows = frame.snapshot, members_of(frame.snapshot, row)
    speed, mass = float(np.linalg.norm(snapshot.grains.velocity[row])), float(snapshot.grains.mass[row])
    words: list[tuple[Message, Message]] = [
        (Message("Grain {sphere_id}", sphere_id=int(snapshot.grains.sphere_id[row])), EMPTY),
        (_("radius"), with_prefix(float(snapshot.grains.radius[row]), "m", 3)),
    ]
    if len(rows) > 1:
        heading, of_sphere = (
            plural("Clump of {count} sphere", "Clump of {count} spheres", count=len(rows)),
            Message("speed of sphere {sphere_id}", sphere_id=int(snapshot.grains.sphere_id[row])),
        )
        words = [(heading, EMPTY), (of_sphere, with_prefix(speed, "m/s", 3))]
    elif math.isfinite(mass):
        gravity = math.hypot(*snapshot.geometry.gravity) if snapshot.geometry.gravity else 0.0
        words += [(_("weight"), with_prefix(mass * gravity, "N", 3)), (_("speed"), with_prefix(speed, "m/s", 3))]
        words += energies_of_grain(snapshot, row)
    if snapshot.contacts.forces is not None:
        near = contacts_of(snapshot, rows)
        total = float(np.linalg.norm(forces_on(snapshot.contacts.forces, near, rows).sum(axis=0)))
        words += [(_("contacts"), plain(int(near.size))), (_("sum of contact forces"), with_prefix(total, "N", 3))]
        words += neighbours(snapshot, snapshot.contacts.forces, near, rows)
    return words


def energies_of_grain(snapshot: Snapshot, row: int) -> list[tuple[Message, Message]]:
    """Energy of motion and of spin of a single sphere, and potential energy above the lowest corner of the scene."""
    mass, velocity = float(snapshot.grains.mass[row]), snapshot.grains.velocity[row].astype(np.float64)
    values = [0.5 * mass * float(velocity @ velocity)]
    if "rotational" in snapshot.grains.columns and snapshot.grains.orientation.shape[1:] not in ((), (0,)):
        values.append(float(snapshot.grains.columns["rotational"][row]))
    name = _("energy of motion, spin") if len(values) > 1 else _("kinetic energy")
    words: list[tuple[Message, Message]] = [(name, joined([with_prefix(value, "J", 3) for value in values]))]
    if snapshot.geometry.gravity and any(snapshot.geometry.gravity):
        above = snapshot.grains.position[row].astype(np.float64) - np.array(snapshot.geometry.box[0])
        words.append(
            (_("potential energy"), with_prefix(-mass * float(np.dot(snapshot.geometry.gravity, above)), "J", 3))
        )
    return words


def neighbours(
    snapshot: Snapshot, forces: ContactForces, near: NDArray[np.intp], rows: list[int]
) -> list[tuple[Message, Message]]:
    """The grains and walls that press most on a grain, with the normal force of each contact, the largest first."""
    chosen = near[np.argsort(-np.abs(forces.normal_force[near]), kind="stable")][:NEIGHBOURS]
    own = np.isin(forces.i[chosen], rows)
    others = np.where(own, forces.j[chosen], forces.i[chosen])
    names = [
        _("touches a wall")
        if row < 0
        else Message("touches {sphere_id}", sphere_id=int(snapshot.grains.sphere_id[row]))
        for row in others
    ]
    values = (joined(("F_n", with_prefix(float(forces.normal_force[contact]), "N", 3)), " = ") for contact in chosen)
    return list(zip(names, values, strict=True))


def contact_seen(frame: Frame, forces: ContactForces, contact: int | None) -> Seen:
    """The numbers of a contact, and its point in the Coulomb cone."""
    ids = frame.view.selected
    other = _("wall") if ids[1] == WALL else plain(int(ids[1]))
    heading = (Message("Contact {ids} – {other}", ids=ids[0], other=other), EMPTY)
    if contact is None:
        return Seen([heading, (_("does not touch now"), EMPTY)], None)
    normal, limit = float(forces.normal_force[contact]), float(forces.limit[contact])
    size, stretch = float(np.linalg.norm(forces.shear_force[contact])), float(np.linalg.norm(forces.shear[contact]))
    words = [
        heading,
        (_("overlap δ"), with_prefix(float(forces.overlap[contact]), "m", 3)),
        (plain("F_n"), with_prefix(normal, "N", 3)),
    ]
    words.append((plain("F_t"), with_prefix(size, "N", 3)))
    if math.isfinite(stretch):
        words.append((_("spring ξ"), with_prefix(stretch, "m", 3)))
    if not math.isfinite(limit):
        return Seen(words, None)
    # Some laws limit only the force of the spring, and add damping.
    share = formatted(size / limit, ".2f") if limit > 0.0 else plain("–")
    words.append((_("F_t / limit"), share + _(" (damping)") if size > DAMPED * limit > 0.0 else share))
    return Seen(words, (normal, signed_shear(forces, contact), limit, axis_end(forces, normal)))


def signed_shear(forces: ContactForces, contact: int) -> float:
    """Shear force on i [N]: in the plane positive to the left of the normal, in space its magnitude."""
    force, normal = forces.shear_force[contact], forces.normal[contact]
    if len(normal) == 2:
        return float(force[1] * normal[0] - force[0] * normal[1])
    return float(np.linalg.norm(force))


def axis_end(forces: ContactForces, normal: float) -> float:
    """End of the axis of normal forces [N]: a round number above this normal force and above that of most contacts."""
    pressing = forces.normal_force[forces.normal_force > 0.0]
    wanted = max(3.0 * float(pressing.mean()) if pressing.size else 0.0, normal, 1e-12)
    decade = 10.0 ** math.floor(math.log10(wanted))
    return next(step * decade for step in STEPS if step * decade >= wanted)


def outline(circles: Points) -> list[Points]:
    """The outer contour of circles (x, y, radius) as lines of points, without the arcs inside another circle."""
    turn = np.linspace(0.0, math.tau, 65)
    arcs = []
    for number, (x, y, radius) in enumerate(circles):
        points = np.column_stack((x + radius * np.cos(turn), y + radius * np.sin(turn)))
        others = np.delete(circles, number, axis=0)
        distance = np.linalg.norm(points[:, None] - others[None, :, :2], axis=2)
        outside = (distance >= others[:, 2]).all(axis=1)
        ends = np.flatnonzero(np.diff(np.concatenate(([False], outside, [False]))))
        arcs += [points[first:last] for first, last in ends.reshape(-1, 2) if last - first > 1]
    return arcs


def _draw_path(frame: Frame, canvas: Canvas) -> None:
    """Draw the path of the grain since its selection."""
    rows = frame.series.table(PATH)
    if len(rows) > 1 and rows.shape[1] == 3 + frame.dimension:
        places = frame.camera.world_to_pixel(rows[:, 3:], frame.size)
        canvas.polyline(places[np.isfinite(places).all(axis=1)], frame.palette.mark, 1.8, alpha=0.8)


def _seen(frame: Frame, row: int) -> tuple[float, float, float]:
    """Centre and radius of a sphere in the picture [pixel]."""
    position = frame.snapshot.grains.position[row].astype(np.float64)
    x, y = frame.camera.world_to_pixel(position, frame.size)
    far = float(frame.orbit.depth(position[None])[0]) / frame.orbit.distance if frame.dimension == 3 else 1.0
    return float(x), float(y), float(frame.snapshot.grains.radius[row]) / (frame.metres_per_pixel * far)


def _draw_forces(frame: Frame, canvas: Canvas, rows: list[int]) -> None:
    """Draw an arrow towards the grain at each of its contacts, with a length proportional to the force."""
    forces = frame.snapshot.contacts.forces
    near = contacts_of(frame.snapshot, rows)
    if forces is None or not near.size:
        return
    force = forces_on(forces, near, rows)
    size = np.linalg.norm(force, axis=1)
    longest = ARROW * float(frame.snapshot.grains.radius[rows].max()) / max(float(size.max()), np.finfo(float).tiny)
    taken: list[tuple[float, float, float, float]] = []
    for number, k in enumerate(np.argsort(-size, kind="stable")):
        point, push = forces.point[near[k]], force[k]
        if size[k] > 0.0:
            words = with_prefix(float(size[k]), "N", 3) if number < LABELS else EMPTY
            _arrow(frame, canvas, point - longest * push, point, words, taken)


def _arrow(
    frame: Frame,
    canvas: Canvas,
    start: Points,
    end: Points,
    words: Message,
    taken: list[tuple[float, float, float, float]],
) -> None:
    """Draw an arrow between two points [m] with its value at the beginning, unless another value is there already."""
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
    position = tail - 5.0 * frame.scale * along
    wide, tall = canvas.text_extent(words, 0.9)
    left, top = position[0] - anchor[0] * wide, position[1] - anchor[1] * tall
    box = left, top, left + wide, top + tall
    free = all(box[2] <= a or box[0] >= c or box[3] <= b or box[1] >= d for a, b, c, d in taken)
    if words and free:
        canvas.text(position, words, frame.palette.text, 0.9, False, anchor, frame.palette.background)
        taken.append(box)


def _draw_spring(frame: Frame, canvas: Canvas, forces: ContactForces, contact: int) -> None:
    """Draw the friction spring between the rims, perpendicular to the normal, and the contact point."""
    shear, mobilised = forces.shear[contact], float(forces.mobilised[contact])
    stretch = float(np.linalg.norm(shear))
    radius = float(frame.snapshot.grains.radius[forces.i[contact]])
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
    """Draw the numbers with the cone at their right, and the course of the forces below them."""
    area = frame.plate(PASS.name)
    if area is not None:
        with canvas.anywhere():
            _draw_numbers(frame, canvas, seen, area)


def _draw_numbers(frame: Frame, canvas: Canvas, seen: Seen, area: Plate) -> None:
    unit, palette, rows = frame.scale, frame.palette, frame.series.table(COURSE)
    high = (area[3] - area[1]) / unit
    has_plot = len(rows) > 1 and high >= plate_height(frame.snapshot, frame.view) - 1.0
    # With less height, the neighbours that press least are left out.
    seen = seen._replace(words=seen.words[: int((high - 1.4 * PAD) / LINE)])
    if frame.plate_column is not None and not frame.plate_column.in_band:
        area = _no_larger_than_needed(canvas, seen, area, has_plot)
    left, top, right, bottom = area
    canvas.rectangle((left, top), (right, bottom), palette.background, 0.85, 6.0)
    text_right = right - (CONE + 2.0 * PAD if seen.cone is not None else PAD) * unit
    y = top + 0.7 * PAD * unit
    for number, (name, value) in enumerate(seen.words):
        canvas.scripted((left + PAD * unit, y), name, palette.text if number == 0 else palette.faint, 0.95, number == 0)
        canvas.scripted((text_right - canvas.scripted_width(value, 0.95), y), value, palette.text, 0.95)
        y += LINE * unit
    if seen.cone is not None:
        above = (NUMBERS[2] - CONE) / 2 * unit
        _draw_cone(frame, canvas, seen.cone, (right - (CONE + PAD) * unit, top + above))
    if has_plot:
        names = plain("F_n"), plain("F_t")
        if len(frame.view.selected) != 2:
            names = _("sum of F_n"), _("force of all contacts")
        plot = left + PAD * unit, bottom - (PLOT - 2.0) * unit, right - PAD * unit, bottom - 6.0 * unit
        draw_plot(canvas, palette, plot, rows, names, "N")


def _no_larger_than_needed(canvas: Canvas, seen: Seen, area: Plate, has_plot: bool) -> Plate:
    """The part of a plate that its words, cone and plot need, because a plate without a band covers grains."""
    unit, (left, top, right, bottom) = canvas.scale, area
    widest = max(sum(canvas.scripted_width(words, 0.95) for words in row) for row in seen.words)
    wide, tall = widest + 3.0 * PAD * unit, (1.4 * PAD + LINE * len(seen.words)) * unit
    if seen.cone is not None:
        wide, tall = wide + (CONE + PAD) * unit, max(tall, NUMBERS[2] * unit)
    if has_plot:
        wide, tall = max(wide, CONE * 2.0 * unit), tall + PLOT * unit
    return max(left, right - wide), top, right, min(bottom, top + tall)


def _draw_cone(
    frame: Frame, canvas: Canvas, cone: tuple[float, float, float, float], corner: tuple[float, float]
) -> None:
    """Draw axes of F_t over F_n, the lines of the Coulomb limit, and the point of this contact."""
    unit, palette = frame.scale, frame.palette
    normal, shear, limit, end = cone
    x0, y0 = corner[0] + 8.0 * unit, corner[1] + 0.5 * CONE * unit
    length, half = (CONE - 12.0) * unit, (0.5 * CONE - 18.0) * unit
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
        # Below the ends of the cone: the point of a contact at its limit can be there.
        (x0 + length - canvas.scripted_width(words, 0.85), y0 + half + 7.0 * unit),
        words,
        palette.faint,
        0.85,
    )


def plate_height(snapshot: Snapshot, view: View) -> float:
    """Height of the plate [units]; 0 while nothing is selected."""
    return NUMBERS[len(view.selected)] + PLOT if rows_of(snapshot, view.selected) is not None else 0.0


PASS = Pass(
    "microscope",
    order=64,
    overlay=overlay,
    needs_forces=lambda view: bool(view.selected),
    plate=plate_height,
    least_plate=LEAST,
)
