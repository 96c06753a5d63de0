"""Remove the grain that is clicked, with its contacts and its energy, or a drawn wall; every drag moves the camera."""

from __future__ import annotations

import math

import numpy as np
from repose.app.render.picking import sphere_at
from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.tools.pointer import place_at
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import DRAWN, REMOVED, RemoveGrain, RemoveWall
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message, _
from repose.sim.registry import scenes

REACH = 3.0
"""Distance from the edge of a grain at which a click still removes it [px at scale 1]."""
WALL_REACH = 8.0
"""Distance from a drawn wall at which a click still removes the wall [px at scale 1]."""


def refusal(snapshot: Snapshot) -> Message:
    """Why nothing can be erased in the present scene."""
    scene = scenes().get(snapshot.run.scene)
    if scene is None or scene.hand.on_grain_removed is not None or scene.hand.free_walls:
        return EMPTY
    return Message("Nothing can be erased here: the scene '{title}' needs each of its grains.", title=scene.title)


def click(ui: Ui, at: Pixel) -> None:
    """Remove the movable grain at this place, or else the drawn wall."""
    row = sphere_at(ui.snapshot, ui.view, ui.camera, ui.window.size, at, REACH * ui.window.scale)
    if row is not None and math.isfinite(ui.snapshot.grains.mass[row]):
        ui.control.edits.note(REMOVED)
        ui.control.send(RemoveGrain(int(ui.snapshot.grains.sphere_id[row])))
        return
    position, reach = place_at(ui, at), WALL_REACH * ui.window.scale * ui.camera.resolution(ui.window.size)
    if wall_at(ui, position, reach):
        ui.control.edits.note(DRAWN)
        ui.control.send(RemoveWall(position, reach))


def wall_at(ui: Ui, position: tuple[float, ...], reach: float) -> bool:
    """Whether a drawn wall is within this distance of a place [m]."""
    scene, facets = scenes().get(ui.snapshot.run.scene), ui.snapshot.geometry.facets.astype(float)
    if scene is None or not scene.hand.free_walls or not len(facets):
        return False
    start, way = facets[:, 0], facets[:, 1] - facets[:, 0]
    share = np.clip(((position - start) * way).sum(axis=1) / (way**2).sum(axis=1), 0.0, 1.0)
    return bool((np.hypot(*(start + share[:, None] * way - position).T) <= reach).any())


TOOL = Tool(
    "erase",
    _("Erase"),
    30,
    "X",
    _("Click a grain or a drawn wall to remove it. Ctrl+Z puts it back."),
    click=click,
    refusal=refusal,
)
