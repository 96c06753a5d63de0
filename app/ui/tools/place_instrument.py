"""Place instruments with the mouse: lines, boxes, rulers, protractors, probes; move, resize and remove them.

In space a place is in the plane through the middle of the scene across the axis that is nearest to the direction of
view, and a line or box is as deep as the scene along this axis. Removing and moving are undone by the opposite command,
because no instrument changes the motion: the run does not go back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pygame
from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.camera import Camera2D
from repose.app.render.colours import of_category
from repose.app.render.orbit import Camera3D
from repose.app.render.passes.instruments import ring_around, value_in_words
from repose.app.render.picking import sphere_at
from repose.app.render.theme import colour32
from repose.app.ui.keys import Key
from repose.app.ui.toasts import show_toast
from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, choose
from repose.sim import registry
from repose.sim.engine.world import Floats
from repose.sim.experiment.commands import (
    INSTRUMENT,
    PlaceInstrument,
    RemoveInstrument,
    SetInstrument,
)
from repose.sim.experiment.instrument_values import limits_of
from repose.sim.experiment.snapshot import ShownInstrument, Snapshot, placed_in
from repose.sim.instruments.instrument import (
    Instrument,
    InstrumentKind,
    Point,
    Points,
    shifted,
    unused_colour,
    unused_name,
)
from repose.sim.message import Message, _, joined, plain

SHORTEST = 6.0
"""Length of a drag below which nothing is placed or moved [px at scale 1]."""
REACH, NEAR = 8.0, 6.0
"""Distance from a handle, and from a line, at which a press takes hold of it [px at scale 1]."""
HANDLE = 4.0
"""Half the side of a handle [px at scale 1]."""
NUDGE = 2.0
"""Distance of a move by an arrow key [px at scale 1]."""
NO_GRAIN = _("No grain is here: click a grain to place a probe on it.")


@dataclass
class Grip:
    """A drag under way."""

    begun: Pixel
    """Where the button went down [px]."""
    before: Instrument | None
    """The instrument that is changed; None for a new one."""
    handle: int | None = None
    """The handle that is dragged; None for the whole instrument."""


@dataclass
class InstrumentTool:
    """State of the tool."""

    kind: str = "line"
    """Kind of the next instrument."""
    selected: str = ""
    """Name of the instrument that keys act on; empty for none."""
    grip: Grip | None = None
    preview: Instrument | None = None
    """The instrument as it would be if the drag ended now."""


def all_kinds() -> list[InstrumentKind]:
    """Every kind in the order in which it is offered."""
    return sorted(registry.instruments().values(), key=lambda kind: kind.order)


def kind_named(name: str) -> InstrumentKind:
    """The kind of this name."""
    kind: InstrumentKind = registry.instruments()[name]
    return kind


def dimension_of(snapshot: Snapshot) -> int:
    """2 in the plane, 3 in space."""
    return int(snapshot.grains.position.shape[1])


def limits(snapshot: Snapshot) -> tuple[Floats, Floats]:
    """The region in which instruments can be [m]."""
    return limits_of(snapshot.geometry.box, snapshot.geometry.boundary)


def axis_of_view(ui: Ui) -> tuple[int | None, tuple[float, float]]:
    """In space the axis nearest to the direction of view, and the region along it from the viewer on [m]."""
    if not isinstance(ui.camera, Camera3D):
        return None, (0.0, 0.0)
    back = ui.camera.axes()[2]
    axis = int(np.abs(back).argmax())
    low, high = (float(corner[axis]) for corner in limits(ui.snapshot))
    return axis, (high, low) if back[axis] > 0.0 else (low, high)


def place_at(ui: Ui, at: Pixel, level: float | None = None) -> Point:
    """The place under the pointer [m]: in space in the plane across the axis of view at `level` [m], or through the
    middle of the scene."""
    camera = ui.camera
    if isinstance(camera, Camera2D):
        return tuple(map(float, camera.pixel_to_world(at, ui.window.size)))
    axis, depth = axis_of_view(ui)
    assert axis is not None
    eye, direction = camera.ray(at, ui.window.size)
    aim = 0.5 * sum(depth) if level is None else level
    # A ray along the plane never meets it: the place is then far away, and the limits hold it.
    steep = direction[axis] if abs(direction[axis]) > 1e-6 else math.copysign(1e-6, float(direction[axis]))
    return tuple(map(float, eye + direction * ((aim - eye[axis]) / steep)))


def clipped(ui: Ui, point: Point) -> Point:
    """The nearest point of the region in which instruments can be."""
    return tuple(map(float, np.clip(point, *limits(ui.snapshot))))


def lines_in_picture(ui: Ui, shown: ShownInstrument) -> list[Floats]:
    """Its lines [px]; those of a probe are a ring around its grain."""
    size = ui.window.size
    if shown.instrument.grain is None:
        return [np.asarray(ui.camera.world_to_pixel(line, size), float) for line in shown.outline]
    if (ring := ring_around(ui.snapshot, shown.instrument.grain)) is None:
        return []
    centre = np.asarray(ui.camera.world_to_pixel(ring[0], size), float)
    turn = np.linspace(0.0, math.tau, 17)[:, None]
    radius = ring[1] / ui.camera.resolution(size)
    return [centre + radius * np.hstack((np.cos(turn), np.sin(turn)))]


def hit_at(ui: Ui, at: Pixel) -> tuple[ShownInstrument, int | None] | None:
    """The instrument under the pointer with its handle, or with None for its line; the selected one comes first."""
    scale, chosen = ui.window.scale, ui.states[InstrumentTool].selected
    order = sorted(ui.snapshot.geometry.instruments, key=lambda shown: shown.instrument.name != chosen)
    for shown in order:
        if shown.handles:
            places = np.asarray(ui.camera.world_to_pixel(np.array(shown.handles), ui.window.size), float)
            distance = np.hypot(*(places - at).T)
            if np.nanmin(distance, initial=math.inf) <= REACH * scale:
                return shown, int(np.nanargmin(distance))
    for shown in order:
        if any(_distance(line, at) <= NEAR * scale for line in lines_in_picture(ui, shown)):
            return shown, None
    return None


def _distance(line: Floats, at: Pixel) -> float:
    """Distance of a point from a line of several points [px]."""
    starts, along = line[:-1], np.diff(line, axis=0)
    square = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((at - starts) * along).sum(axis=1) / square, 0.0, 1.0)
    gaps = np.hypot(*(starts + share[:, None] * along - at).T)
    return float(np.nanmin(gaps, initial=math.inf))


def press(ui: Ui, at: Pixel) -> bool:
    """Take hold of an instrument, or begin a new one; a probe is placed by a click."""
    state = ui.states[InstrumentTool]
    state.preview = None
    if hit := hit_at(ui, at):
        state.selected = hit[0].instrument.name
        state.grip = Grip(at, hit[0].instrument, hit[1])
        return True
    if kind_named(state.kind).of_grain:
        return False
    state.grip = Grip(at, None)
    return True


def hold(ui: Ui, at: Pixel) -> bool:
    """Show the instrument as it would be if the drag ended here."""
    state = ui.states[InstrumentTool]
    if state.grip is None:
        return False
    far = math.dist(at, state.grip.begun) >= SHORTEST * ui.window.scale
    state.preview = _dragged(ui, state.grip, at) if far else None
    return True


def _dragged(ui: Ui, grip: Grip, at: Pixel) -> Instrument | None:
    """The instrument after a drag to this pixel; None for a probe that reaches no other grain."""
    axis, depth = axis_of_view(ui)
    before, snapshot = grip.before, ui.snapshot
    if before is None:
        kind = kind_named(ui.states[InstrumentTool].kind)
        start, end = (clipped(ui, place_at(ui, pixel)) for pixel in (grip.begun, at))
        points = tuple(clipped(ui, point) for point in kind.begin(start, end, axis, depth))
        return another(ui, kind.name, points)
    if before.grain is not None:
        row = sphere_at(snapshot, ui.view, ui.camera, ui.window.size, at, 0.0)
        free = row is not None and not snapshot.grains.fixed[row]
        return replace(before, grain=int(snapshot.grains.sphere_id[row])) if free and row is not None else None
    kind = kind_named(before.kind)
    through = before.points[0] if grip.handle is None else kind.handles(before.points)[grip.handle]
    level = None if axis is None else through[axis]
    start, end = (place_at(ui, pixel, level) for pixel in (grip.begun, at))
    by = tuple(there - here for here, there in zip(start, end, strict=True))
    if grip.handle is not None:
        return replace(before, points=tuple(clipped(ui, point) for point in kind.drag(before.points, grip.handle, by)))
    return moved(ui, before, by)


def another(ui: Ui, kind: str, points: Points = (), grain: int | None = None) -> Instrument:
    """Another instrument, with a name and a colour of its own."""
    placed = placed_in(ui.snapshot)
    name = unused_name((other.name for other in placed), kind)
    return Instrument(kind, name, points, grain, unused_colour(other.colour for other in placed))


def moved(ui: Ui, instrument: Instrument, by: Point) -> Instrument:
    """The instrument moved by a vector [m], as far as the region allows."""
    low, high = limits(ui.snapshot)
    points = np.array(instrument.points)
    room = np.clip(by, np.minimum(low - points.min(axis=0), 0.0), np.maximum(high - points.max(axis=0), 0.0))
    return replace(instrument, points=tuple(shifted(point, tuple(map(float, room))) for point in instrument.points))


def release(ui: Ui) -> None:
    """Place or change the instrument."""
    state = ui.states[InstrumentTool]
    grip, preview, state.grip, state.preview = state.grip, state.preview, None, None
    if grip is None or preview is None:
        return
    if grip.before is None:
        place(ui, preview)
    else:
        change(ui, grip.before, preview)


def abandon(ui: Ui) -> None:
    """End the drag without a change."""
    state = ui.states[InstrumentTool]
    state.grip = state.preview = None


def place(ui: Ui, instrument: Instrument) -> None:
    """Add an instrument, with undo."""
    ui.states[InstrumentTool].selected = instrument.name
    again = PlaceInstrument(instrument, goes_on=True)
    ui.control.edits.note(INSTRUMENT, (RemoveInstrument(instrument.name), again))
    ui.control.send(PlaceInstrument(instrument))


def change(ui: Ui, before: Instrument, after: Instrument) -> None:
    """Change the place of an instrument, with undo."""
    if after != before:
        ui.control.edits.note(INSTRUMENT, (SetInstrument(before), SetInstrument(after)))
        ui.control.send(SetInstrument(after))


def click(ui: Ui, at: Pixel) -> None:
    """Select the instrument under the pointer; on a grain, place a probe if that is the kind."""
    state = ui.states[InstrumentTool]
    if hit := hit_at(ui, at):
        state.selected = hit[0].instrument.name
        return
    state.selected = ""
    if not kind_named(state.kind).of_grain:
        return
    snapshot = ui.snapshot
    row = sphere_at(snapshot, ui.view, ui.camera, ui.window.size, at, NEAR * ui.window.scale)
    if row is None or snapshot.grains.fixed[row]:
        show_toast(ui, NO_GRAIN)
        return
    place(ui, another(ui, state.kind, grain=int(snapshot.grains.sphere_id[row])))


def selected(ui: Ui) -> Instrument | None:
    """The instrument that keys act on; None if it is not there any more."""
    name = ui.states[InstrumentTool].selected
    return next((instrument for instrument in placed_in(ui.snapshot) if instrument.name == name), None)


def to_remove(ui: Ui) -> Instrument | None:
    """The selected instrument, otherwise the one placed last: a probe whose grain has left cannot be clicked."""
    placed = placed_in(ui.snapshot)
    return selected(ui) or (placed[-1] if placed else None)


def remove(ui: Ui) -> None:
    """Remove the selected instrument, with undo."""
    if (instrument := to_remove(ui)) is not None:
        ui.states[InstrumentTool].selected = ""
        back = PlaceInstrument(instrument, goes_on=True)
        ui.control.edits.note(INSTRUMENT, (back, RemoveInstrument(instrument.name)))
        ui.control.send(RemoveInstrument(instrument.name))


def nudge(across: int, upwards: int, ui: Ui) -> None:
    """Move the selected instrument by `NUDGE` in the picture."""
    instrument = selected(ui)
    if instrument is None or not instrument.points:
        return
    camera, step = ui.camera, NUDGE * ui.window.scale * ui.camera.resolution(ui.window.size)
    by: Point = (step * across, step * upwards)
    if isinstance(camera, Camera3D):
        right, up = camera.axes()[:2]
        axis = axis_of_view(ui)[0]
        along = across * right + upwards * up
        if axis is not None:
            along[axis] = 0.0
        by = tuple(map(float, step * along))
    change(ui, instrument, moved(ui, instrument, by))


def next_kind(ui: Ui) -> None:
    """Choose the next kind."""
    state, names = ui.states[InstrumentTool], [kind.name for kind in all_kinds()]
    state.kind = names[(names.index(state.kind) + 1) % len(names)]


def options(ui: Ui) -> None:
    """The kind of the next instrument, a button that removes one, and on the picture handles and the drag under way."""
    state, kinds = ui.states[InstrumentTool], all_kinds()
    if not any(kind.name == state.kind for kind in kinds):  # of a plug-in that is gone
        state.kind = kinds[0].name
    titles = {kind.name: kind.title for kind in kinds}
    help = joined((kind_named(state.kind).help, Message("Key {key}: next kind.", key=TOOL.key)), "  ")
    state.kind = choose(ui, "tool.instrument.kind", plain(""), titles, state.kind, help) or state.kind
    instrument = to_remove(ui)
    label = _("Remove") if instrument is None else Message("Remove {name}", name=instrument.name)
    words = _("Remove the selected instrument, otherwise the one placed last. Ctrl+Z brings it back.")
    if button(ui, "tool.instrument.remove", label, hint=_("Del"), help=words, enabled=instrument is not None):
        remove(ui)


def draw_on_picture(ui: Ui) -> None:
    """Handles of all instruments, those of the selected one filled, and the drag under way with what it reads."""
    state, draw, scale = ui.states[InstrumentTool], imgui.get_background_draw_list(), ui.window.scale
    for shown in ui.snapshot.geometry.instruments:
        if not shown.handles:
            continue
        ink = colour32(of_category(shown.instrument.colour))
        places = np.asarray(ui.camera.world_to_pixel(np.array(shown.handles), ui.window.size), float)
        for x, y in places[np.isfinite(places).all(axis=1)]:
            low = imgui.ImVec2(x - HANDLE * scale, y - HANDLE * scale)
            high = imgui.ImVec2(x + HANDLE * scale, y + HANDLE * scale)
            filled = shown.instrument.name == state.selected
            draw.add_rect_filled(low, high, ink if filled else colour32(ui.palette.panel))
            draw.add_rect(low, high, ink, 0.0, 1.5 * scale)
    if state.preview is not None and state.preview.points:
        _draw_preview(ui, state.preview)


def _draw_preview(ui: Ui, preview: Instrument) -> None:
    """The drag under way, over the plates of the instruments, with what it reads if that needs no step."""
    kind, ink, scale = kind_named(preview.kind), colour32(ui.palette.accent), ui.window.scale
    draw, (width, height), (left, top, right, bottom) = (
        imgui.get_foreground_draw_list(),
        ui.window.size,
        ui.window.inset,
    )
    draw.push_clip_rect(imgui.ImVec2(left, top), imgui.ImVec2(width - right, height - bottom))
    for line in kind.outline(preview.points):
        points = np.asarray(ui.camera.world_to_pixel(line, ui.window.size), float)
        if np.isfinite(points).all():
            for x, y in points.tolist():
                draw.path_line_to(imgui.ImVec2(x, y))
            draw.path_stroke(ink, 2.5 * scale)
    if kind.of_points is not None:
        quantity = kind.quantities(dimension_of(ui.snapshot))[0]
        words = translated(value_in_words(quantity.reading(preview, kind.of_points(preview.points)[0])))
        at, size, pad = imgui.get_mouse_pos(), imgui.calc_text_size(words), 4.0 * scale
        low = imgui.ImVec2(at.x + 14.0 * scale, at.y - 0.5 * size.y)
        plate = colour32((*ui.palette.panel[:3], 0.82))
        draw.add_rect_filled(
            imgui.ImVec2(low.x - pad, low.y - pad), imgui.ImVec2(low.x + size.x + pad, low.y + size.y + pad), plate
        )
        draw.add_text(low, colour32(ui.palette.text), words)
    draw.pop_clip_rect()


TOOL = Tool(
    "instrument",
    _("Instruments"),
    19,
    "8",
    _(
        "Place a line, halves, box, ruler, protractor or probe on the picture; drag its handles or lines to change it, "
        "Del removes it. No instrument changes the motion."
    ),
    press,
    hold,
    release,
    abandon,
    click,
    options,
    draw_on_picture,
    keys=(
        Key(
            "remove_instrument",
            _("Del"),
            _("tool Instruments: remove the selected instrument"),
            _("Picture"),
            remove,
            codes=(pygame.K_DELETE, pygame.K_BACKSPACE),
            when=lambda ui: selected(ui) is not None,
        ),
        *(
            Key(
                f"nudge_{name}",
                plain(arrow),
                _("tool Instruments: move the selected instrument"),
                _("Picture"),
                partial(nudge, *way),
                codes=(code,),
                when=lambda ui: selected(ui) is not None,
            )
            for name, arrow, way, code in (
                ("left", "←", (-1, 0), pygame.K_LEFT),
                ("right", "→", (1, 0), pygame.K_RIGHT),
                ("up", "↑", (0, 1), pygame.K_UP),
                ("down", "↓", (0, -1), pygame.K_DOWN),
            )
        ),
    ),
    again=next_kind,
    first=False,
)
