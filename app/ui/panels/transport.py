"""Transport: pause, single steps, speed, and the clocks of the run."""

from __future__ import annotations

import pygame
from imgui_bundle import imgui
from repose.app.render.text import SMALL, draw_text, grouped, text_width
from repose.app.render.theme import Colour, vector
from repose.app.ui import rewind
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel
from repose.app.ui.transport import SPEEDS, describe_speed
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, slide, tooltip

SLOW = 0.9
"""Share of the wanted speed below which the real-time factor is shown as a warning."""


def draw(ui: Ui) -> None:
    """Buttons and the speed slider at the left, readouts at the right."""
    _draw_controls(ui)
    _draw_readouts(ui)


def _draw_controls(ui: Ui) -> None:
    paused = ui.snapshot.paused or ui.transport.paused
    width = 96 * ui.scale
    label, accent = ("Continue", ui.palette.accent) if paused else ("Pause", None)
    if button(
        ui, "transport.pause", label, hint="Space", width=width, emphasis=accent, help="Pause the run, or continue it."
    ):
        ui.transport.pause(not paused)
    imgui.same_line()
    imgui.push_item_flag(imgui.ItemFlags_.button_repeat, True)
    if button(ui, "transport.step", "Step", hint=".", width=62 * ui.scale, help="One time step, then pause."):
        rewind.step_forward(ui)
    imgui.pop_item_flag()
    imgui.same_line(0.0, 14 * ui.scale)
    if button(ui, "transport.slower", "−", width=imgui.get_frame_height(), help="Slower.  Key −"):
        ui.transport.choose(ui.transport.index - 1)
    imgui.same_line(0.0, 2 * ui.scale)
    last = len(SPEEDS) - 1
    speed = ui.transport.speed
    shown = (describe_speed(speed), "max" if speed is None else f"{speed:g}×")
    where = slide(ui, "transport.speed", shown, ui.transport.index / last, _free_for_slider(ui), step=1 / last)
    tooltip("Simulated time per wall time. The time step does not depend on it: a slow machine only takes longer.")
    if where is not None and round(where * last) != ui.transport.index:
        ui.transport.choose(round(where * last))
    imgui.same_line(0.0, 2 * ui.scale)
    if button(ui, "transport.faster", "+", width=imgui.get_frame_height(), help="Faster.  Key +"):
        ui.transport.choose(ui.transport.index + 1)


def _free_for_slider(ui: Ui) -> float:
    return min(190 * ui.scale, max(imgui.get_content_region_avail().x * 0.25, 60 * ui.scale))


def _draw_readouts(ui: Ui) -> None:
    """As many readouts as fit, the most important ones first."""
    snapshot = ui.snapshot
    wanted = ui.transport.speed
    behind = wanted is not None and not snapshot.paused and 0.0 < snapshot.realtime_factor < SLOW * wanted
    readouts: tuple[tuple[str, str, str, Colour], ...] = (
        ("simulated time", f"{snapshot.time:.3f} s", "88888.888 s", ui.palette.text),
        (
            "real-time factor",
            f"{snapshot.realtime_factor:.2g}×" if not snapshot.paused else "paused",
            "88.888×",
            ui.palette.warning if behind else ui.palette.text,
        ),
        ("steps", grouped(snapshot.step), "888 888 888", ui.palette.text),
        ("steps/s", grouped(round(snapshot.steps_per_second)), "8 888 888", ui.palette.text),
        # A sphere that is not released yet does not count as moving; 0 grains would contradict the picture.
        ("grains", grouped(snapshot.moving_count) if snapshot.moving_count else "–", "88 888", ui.palette.text),
        ("frames/s", f"{ui.fps:.0f}", "frames/s", ui.palette.text),
    )
    imgui.same_line(0.0, 0.0)
    gap = 18 * ui.scale
    free = imgui.get_content_region_avail().x - gap
    top = imgui.get_cursor_screen_pos()
    high = imgui.get_frame_height()
    small = imgui.get_font_size() * SMALL
    widths = [max(text_width(sample), text_width(name, SMALL)) for name, _, sample, _ in readouts]
    count = next((n for n in range(len(widths), 0, -1) if sum(widths[:n]) + (n - 1) * gap <= free), 0)
    x = top.x + gap + free - sum(widths[:count]) - max(count - 1, 0) * gap
    for (name, value, _, colour), width in zip(readouts[:count], widths[:count]):
        base = top.y + (high - small - imgui.get_font_size() * 1.12) / 2
        draw_text(x + width - text_width(name, SMALL), base, name, ui.palette.muted, SMALL)
        draw_text(x + width - text_width(value), base + small * 1.12, value, colour)
        x += width + gap
    imgui.text_colored(vector(ui.palette.text, 0.0), "")


KEYS = (
    Key(
        "pause",
        "Space",
        "pause or continue",
        "Time",
        lambda ui: ui.transport.pause(not ui.transport.paused),
        codes=(pygame.K_SPACE,),
    ),
    Key("step", ".", "one time step", "Time", rewind.step_forward, characters="."),
    Key(
        "faster",
        "+",
        "faster",
        "Time",
        lambda ui: ui.transport.choose(ui.transport.index + 1),
        codes=(pygame.K_KP_PLUS,),
        characters="+=",
    ),
    Key(
        "slower",
        "−",
        "slower",
        "Time",
        lambda ui: ui.transport.choose(ui.transport.index - 1),
        codes=(pygame.K_KP_MINUS,),
        characters="-_",
    ),
)
PANEL = Panel("transport", "Transport", 10, "bottom", draw, keys=KEYS)
