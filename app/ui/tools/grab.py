"""Grab a grain or a clump and drag it: a spring with a limited force between grain and pointer.

In space the pointer moves in the plane parallel to the picture through the grain, and a drag beside the grains rotates
the camera, which has no other button for rotating.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from repose.app.render.picking import point_at, sphere_at
from repose.app.ui.toasts import show_toast
from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.tools.pointer import STILL, slide_log
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import tooltip
from repose.sim.experiment.commands import PULLED, Pull, Release
from repose.sim.experiment.pull import LARGEST_FORCE
from repose.sim.message import Message, Number, _, formatted

REACH = 6.0
"""Distance from the edge of a grain at which a press still grabs it [px at scale 1]."""
EARTH = 9.81
"""Acceleration of free fall that is the unit of the strength in every scene [m/s²]."""
WEAKEST, STRONGEST = 1.0, 1e4
"""Range of the strength [weights of the grain on the Earth]."""
NOTHING = _("No grain to grab is here: press on a grain, or drag with the right button to move the view.")


@dataclass
class Held:
    """The grain of a drag."""

    sphere_id: int
    limit: float
    """Largest force [N]."""
    through: tuple[float, ...]
    """A point of the plane in which the pointer moves [m]."""
    offset: tuple[float, ...]
    """Vector from the pointer to the centre of the grain at the press [m]."""
    refused: int
    """Number of refused pulls and pushes before the press."""
    target: tuple[float, ...] | None = None
    """Target sent last [m]; None before the first."""


@dataclass
class Grabbed:
    """The grain of the drag under way; None if there is none."""

    grain: Held | None = None


def press(ui: Ui, at: Pixel) -> bool:
    """Grab the movable grain under the pointer; in the plane, tell the user if there is none."""
    snapshot = ui.snapshot
    row = sphere_at(snapshot, ui.view, ui.camera, ui.window.size, at, REACH * ui.window.scale)
    if row is None or not math.isfinite(snapshot.grains.mass[row]):
        if snapshot.grains.position.shape[1] == 3:
            return False
        show_toast(ui, NOTHING)
        return True
    centre = tuple(map(float, snapshot.grains.position[row]))
    pointer = point_at(ui.camera, ui.window.size, at, centre)
    limit = min(ui.settings.choices.grab_strength * EARTH * float(snapshot.grains.mass[row]), LARGEST_FORCE)
    offset = tuple(there - here for there, here in zip(centre, pointer, strict=True))
    ui.states[Grabbed].grain = Held(
        int(snapshot.grains.sphere_id[row]), limit, centre, offset, snapshot.messages.refused_drags
    )
    ui.control.edits.note(PULLED)
    return hold(ui, at)


def hold(ui: Ui, at: Pixel) -> bool:
    """Move the target to the pointer; False if no grain is held, the grain has left, or the pull is refused."""
    held = ui.states[Grabbed].grain
    if held is None or ui.snapshot.messages.refused_drags > held.refused:
        return False
    if not np.any(ui.snapshot.grains.sphere_id == held.sphere_id):
        show_toast(
            ui, Message("Grain {sphere_id} has left the scene: nothing is held any more.", sphere_id=held.sphere_id)
        )
        return False
    pointer = point_at(ui.camera, ui.window.size, at, held.through)
    target = tuple(here + by for here, by in zip(pointer, held.offset, strict=True))
    if held.target is None or math.dist(target, held.target) > STILL * ui.camera.resolution(ui.window.size):
        held.target = target
        ui.control.send(Pull(held.sphere_id, target, held.limit))
    return True


def release(ui: Ui) -> None:
    """Let go of the grain, if one is held."""
    if ui.states[Grabbed].grain is not None:
        ui.states[Grabbed].grain = None
        ui.control.send(Release())


def abandon(ui: Ui) -> None:
    """Let go after the run has moved to another time, where the pull does not act."""
    ui.states[Grabbed].grain = None


def options(ui: Ui) -> None:
    """The largest force, on a logarithmic scale."""
    choices = ui.settings.choices
    strength = choices.grab_strength
    texts = (
        Message("up to {strength} weights", strength=Number(strength, format=".0f")),
        Message("{strength} weights", strength=Number(strength, format=".0f")),
        formatted(strength, ".0f"),
    )
    choices.grab_strength = slide_log(ui, "tool.strength", texts, strength, (WEAKEST, STRONGEST))
    tooltip(
        _(
            "Largest pull, in weights of the grain on the Earth. A weak pull cannot lift a buried grain; a strong "
            "one tears it out."
        )
    )


TOOL = Tool(
    "grab",
    _("Grab"),
    10,
    "B",
    _("Press on a grain, drag it and let go: a spring with a limited force pulls it. The arrow shows the force."),
    press,
    hold,
    release,
    abandon,
    options=options,
)
