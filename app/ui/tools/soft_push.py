"""Push the grains around the pointer away from it, softly: the more the nearer they are.

In space the pointer moves in the plane parallel to the picture through the grain under it, or through the middle of the
scene.
"""

from __future__ import annotations

import math

from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.tools.pointer import EARTH, abandon_drag, begin_drag, drag_on, end_drag, grain_radius, slide_log
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import tooltip
from repose.sim.experiment.commands import PUSHED, Push
from repose.sim.message import Message, Number, _, plain

SPEED = 5.0
"""Speed at which the push follows the pointer [m/s]."""


def press(ui: Ui, at: Pixel) -> bool:
    """Begin to push where the pointer is."""
    choices, fall = ui.settings.choices, math.hypot(*ui.snapshot.geometry.gravity) or EARTH
    radius, limit = choices.push_size * grain_radius(ui.snapshot), choices.push_strength * fall
    return begin_drag(ui, at, PUSHED, lambda position: Push(position, radius, limit, SPEED, False))


def options(ui: Ui) -> None:
    """Strength and size, on logarithmic scales."""
    choices = ui.settings.choices
    texts = (
        Message("up to {push_strength} g", push_strength=Number(choices.push_strength, format=".3g")),
        plain(Number(choices.push_strength, "g", ".3g")),
    )
    choices.push_strength = slide_log(ui, "tool.push_strength", texts, choices.push_strength, (1.0, 1e4))
    tooltip(
        ui,
        _(
            "Acceleration at the pointer, in g of this scene (without gravity: 9.81 m/s²). With 3 g a grain flies "
            "about as high as the push is wide."
        ),
    )
    texts = (
        Message("radius {push_size} grains", push_size=Number(choices.push_size, format=".2g")),
        Message("{radius} grains", radius=Number(choices.push_size, format=".2g")),
    )
    choices.push_size = slide_log(ui, "tool.push_size", texts, choices.push_size, (1.0, 50.0))
    tooltip(ui, _("Radius of the push, in mean radii of the grains."))


TOOL = Tool(
    "push",
    _("Push"),
    12,
    "U",
    _("Press and drag: the grains around the pointer are pushed away from it, the more the nearer they are."),
    press,
    drag_on,
    end_drag,
    abandon_drag,
    options=options,
)
