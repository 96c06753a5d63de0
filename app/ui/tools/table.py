"""Tilt and shake the table: a drag turns it about the middle of the scene, the arrow keys by a degree; a button and the
key of the tool shake it.

The parameter `tilt` changes, with its undo and its slider: gravity turns against the grains, and the picture turns with
it, so that the table is drawn tilted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from pygame import K_LEFT, K_RIGHT
from repose.app.render.orbit import Camera3D
from repose.app.render.text import note
from repose.app.ui.keys import Key
from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.tools.pointer import EARTH, slide_log
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, tooltip
from repose.sim.experiment.commands import SHAKEN, Shake, Still
from repose.sim.message import Message, Number, _, joined, length_text, plain

STEP = math.radians(1.0)
"""Change of the tilt by an arrow key [rad]."""
STEEPEST = math.pi / 2
"""Bound of the tilt [rad]."""
AMPLITUDES, FREQUENCIES = (1e-5, 0.1), (1.0, 500.0)
"""Ranges of the sliders of the shaking [m, Hz]."""
NEAR = 60.0
"""Distance from the middle within which a drag turns nothing [px at scale 1]: there a pixel is about a degree;
nearer to the middle one frame of a drag would throw the grains off the table."""


@dataclass
class TableTurn:
    """The drag that turns the table."""

    offset: float | None = None
    """Tilt minus angle of the pointer at the press [rad]; None without a drag."""


def angle_at(ui: Ui, at: Pixel) -> float | None:
    """Angle of the pointer about the middle of the scene, clockwise as a tilt is positive [rad]; None near the
    middle."""
    middle = np.mean(ui.snapshot.geometry.focus or ui.snapshot.geometry.box, axis=0)
    x, y = np.asarray(at, float) - np.asarray(ui.camera.world_to_pixel(middle, ui.window.size), float)
    facing = 1.0
    if isinstance(ui.camera, Camera3D):  # the table turns about the y axis, seen from the front or from the back
        facing = -1.0 if ui.camera.axes()[2, 1] > 0.0 else 1.0
    return facing * math.atan2(y, x) if math.hypot(x, y) > NEAR * ui.window.scale else None


def tilt_to(ui: Ui, angle: float, gesture: object = None) -> None:
    """Request this tilt [rad], within its bounds."""
    ui.control.edits.set(
        {"tilt": min(max(round(math.degrees(angle), 1) * math.pi / 180, -STEEPEST), STEEPEST)}, gesture
    )


def press(ui: Ui, at: Pixel) -> bool:
    """Begin to turn the table, if the scene has a tilt."""
    angle = angle_at(ui, at)
    if angle is None or "tilt" not in ui.snapshot.run.parameters.values:
        return False
    ui.control.edits.begin_gesture()
    ui.states[TableTurn].offset = float(ui.control.edits.value("tilt")) - angle
    return True


def hold(ui: Ui, at: Pixel) -> bool:
    """Turn the table with the pointer; False once the scene has no tilt."""
    offset = ui.states[TableTurn].offset
    if offset is None or "tilt" not in ui.snapshot.run.parameters.values:
        return False
    angle = angle_at(ui, at)
    if angle is not None:
        tilt_to(ui, math.remainder(offset + angle, math.tau), "turn")
    return True


def release(ui: Ui) -> None:
    """End the turn."""
    ui.states[TableTurn].offset = None


def turn_by(by: float, ui: Ui) -> None:
    """Turn the table by this angle [rad]."""
    if "tilt" in ui.snapshot.run.parameters.values:
        tilt_to(ui, float(ui.control.edits.value("tilt")) + by)


def shake(ui: Ui) -> None:
    """Begin to shake, or end it."""
    choices = ui.settings.choices
    ui.control.edits.note(SHAKEN)
    if ui.snapshot.hand.shaking is None:
        ui.control.send(Shake(choices.shake_amplitude, choices.shake_frequency, choices.shake_upright))
    else:
        ui.control.send(Still())


def options(ui: Ui) -> None:
    """Amplitude, frequency and direction of the shaking, and its button; a change acts at once on a table that
    shakes."""
    choices, shaking = ui.settings.choices, ui.snapshot.hand.shaking
    before = choices.shake_amplitude, choices.shake_frequency, choices.shake_upright
    label, accent = (_("Shake"), None) if shaking is None else (_("Stop shaking"), ui.palette.accent)
    if button(ui, "tool.shake", label, hint=TOOL.key, emphasis=accent, help=_("Start or stop shaking the table.")):
        shake(ui)
    acceleration = choices.shake_amplitude * (2.0 * math.pi * choices.shake_frequency) ** 2
    about = Message(
        " The table is accelerated by up to {acceleration} times free fall on the Earth.",
        acceleration=Number(acceleration / EARTH, format=".2g"),
    )
    amplitude, frequency = length_text(choices.shake_amplitude), plain(Number(choices.shake_frequency, "Hz", ".3g"))
    choices.shake_amplitude = slide_log(
        ui, "tool.amplitude", (joined((plain("±"), amplitude), " "), amplitude), choices.shake_amplitude, AMPLITUDES
    )
    tooltip(ui, _("Amplitude of the shaking.") + about)
    choices.shake_frequency = slide_log(ui, "tool.frequency", (frequency,), choices.shake_frequency, FREQUENCIES)
    tooltip(ui, _("Frequency of the shaking.") + about)
    way = _("up and down") if choices.shake_upright else _("sideways")
    if button(ui, "tool.upright", way, help=_("Shake up and down, or sideways.")):
        choices.shake_upright = not choices.shake_upright
    after = choices.shake_amplitude, choices.shake_frequency, choices.shake_upright
    if shaking is not None and after != before:
        ui.control.send(Shake(*after))
    if "tilt" not in ui.snapshot.run.parameters.values:
        note(_("This scene has no tilt: it can only be shaken."), ui.palette.muted)


TOOL = Tool(
    "table",
    _("Table"),
    18,
    "Z",
    _(
        "Drag around the middle to tilt the table, or press the left and right arrow keys: a degree each. Z "
        "again shakes it."
    ),
    press,
    hold,
    release,
    options=options,
    keys=(
        Key(
            "tilt_left",
            plain("←"),
            _("tool Table: lower the left side by 1°"),
            _("Picture"),
            partial(turn_by, -STEP),
            (K_LEFT,),
        ),
        Key(
            "tilt_right",
            plain("→"),
            _("tool Table: lower the right side by 1°"),
            _("Picture"),
            partial(turn_by, STEP),
            (K_RIGHT,),
        ),
    ),
    again=shake,
)
