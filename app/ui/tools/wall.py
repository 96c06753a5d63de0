"""Draw a wall: a straight line from where the button goes down to where it goes up, in the plane."""

from __future__ import annotations

import math
from dataclasses import dataclass

from imgui_bundle import imgui
from repose.app.render.picking import point_at
from repose.app.render.theme import colour32
from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import DRAWN, DrawWall
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Joined, Message, _
from repose.sim.registry import scenes

SHORTEST = 6.0
"""Length of a drag below which no wall is drawn [px at scale 1]."""


@dataclass
class WallLine:
    """The wall under way."""

    ends: tuple[Pixel, Pixel] | None = None
    """Both ends [px]; None if no wall is under way."""


def refusal(snapshot: Snapshot) -> Message:
    """Why no walls can be drawn into the present scene."""
    if snapshot.grains.position.shape[1] == 3:
        return _("Walls are drawn in the plane only: a line on the picture does not say how deep in space a wall is.")
    scene = scenes().get(snapshot.run.scene)
    if scene is not None and scene.hand.free_walls:
        return EMPTY
    title = scene.title if scene is not None else snapshot.run.scene
    return Message(
        "The scene '{title}' counts on its own walls; walls can be drawn into these scenes: {scenes}.",
        title=title,
        scenes=Joined(tuple(entry.title for entry in scenes().values() if entry.hand.free_walls)),
    )


def press(ui: Ui, at: Pixel) -> bool:
    """Begin a wall if the scene allows walls; otherwise the drag moves the camera."""
    if refusal(ui.snapshot):
        return False
    ui.states[WallLine].ends = at, at
    return True


def hold(ui: Ui, at: Pixel) -> bool:
    """Move the second end of the wall."""
    line = ui.states[WallLine]
    if line.ends is None:
        return False
    line.ends = line.ends[0], at
    return True


def release(ui: Ui) -> None:
    """Add the wall to the scene, if it is long enough."""
    ends, ui.states[WallLine].ends = ui.states[WallLine].ends, None
    if ends is None or math.dist(*ends) < SHORTEST * ui.window.scale:
        return
    middle = ui.snapshot.geometry.box[0]
    ui.control.edits.note(DRAWN)
    ui.control.send(DrawWall(*(point_at(ui.camera, ui.window.size, at, middle) for at in ends)))


def abandon(ui: Ui) -> None:
    """End the drag without a wall."""
    ui.states[WallLine].ends = None


def options(ui: Ui) -> None:
    """Draw the line of the wall during the drag."""
    ends = ui.states[WallLine].ends
    if ends is not None:
        start, end = (imgui.ImVec2(*at) for at in ends)
        imgui.get_background_draw_list().add_line(start, end, colour32(ui.palette.accent), 3.0 * ui.window.scale)


TOOL = Tool(
    "wall",
    _("Draw wall"),
    15,
    "J",
    _("Drag to draw a wall beside the grains, in the plane. Erase removes it."),
    press,
    hold,
    release,
    abandon,
    options=options,
    refusal=refusal,
)
