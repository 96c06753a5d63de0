"""Stability: a dot that opens near the limit of the time step; time step and its limit, largest overlap, threads."""

from __future__ import annotations

import math

from imgui_bundle import imgui
from repose.app.render.text import draw_text, note, si, text_width
from repose.app.render.theme import Colour, colour32
from repose.app.thread_option import most_threads
from repose.app.ui.panels import Panel
from repose.app.ui.places import STABILITY, StabilityArea, strip_height, take_focus
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, choose, row, tooltip
from repose.sim.engine.thread_count import GRAINS_PER_THREAD
from repose.sim.experiment.commands import UseThreads
from repose.sim.experiment.snapshot import LARGE_OVERLAP, SAFE_STEP
from repose.sim.message import Message, Number, _, plain
from repose.sim.registry import scenes

THREADS_HELP = Message(
    "Processor threads of this run; the result is the same for any number. Automatic: one for every "
    "{grains_per_thread} grains that move, fewer while other programs are busy.",
    grains_per_thread=GRAINS_PER_THREAD,
)


WIDTH = 300.0
"""Width of the numbers [px at scale 1]."""
DOTS = {
    "good": _("stable"),
    "warning": _("close"),
    "bad": _("unstable"),
    "muted": _("no contact"),
    "turning": _("inaccurate"),
}
"""Word beside the dot, by its colour; "turning" for the amber one of a step that is only too large for a rotation."""


def state(ui: Ui) -> str:
    """ "good", "warning", "bad", or "muted" without contacts."""
    snapshot = ui.snapshot
    unstable = snapshot.stability.dt_warning and not snapshot.stability.dt_inaccurate
    if snapshot.messages.fault is not None or unstable or share_of_limit(ui) > 1.0:
        return "bad"
    if (
        snapshot.stability.dt_inaccurate
        or share_of_limit(ui) > SAFE_STEP
        or snapshot.stability.largest_overlap > overlap_limit(snapshot.run.scene)
    ):
        return "warning"
    return "good" if snapshot.stability.omega_dt > 0.0 else "muted"


def follow_state(ui: Ui) -> None:
    """Open the numbers when the time step comes near its limit, and close them at the next change. A fault closes them,
    because its notice needs the room and contains the remedies. Large overlaps only turn the dot amber: they come and
    go with single impacts, and the numbers would flicker over the grains."""
    step = ui.snapshot.stability.dt_warning or ui.snapshot.stability.dt_inaccurate or share_of_limit(ui) > SAFE_STEP
    area, due = ui.states[StabilityArea], bool(step) and ui.snapshot.messages.fault is None
    if area.due not in (None, due):
        area.shown = due
    area.due = due


def draw_dot(ui: Ui, width: float) -> None:
    """Draw a dot in the colour of the state and a word; a click opens the numbers."""
    size, now, area = imgui.ImVec2(width, imgui.get_frame_height()), state(ui), ui.states[StabilityArea]
    if imgui.invisible_button("##stability", size, imgui.ButtonFlags_.enable_nav):
        area.shown = not area.shown
    ui.probe.mark("stability.dot")
    if not area.shown:
        tooltip(
            ui, _("Time step against its limit, and the largest overlap. A click shows the numbers and the threads.")
        )
    low, pad = imgui.get_item_rect_min(), imgui.get_style().frame_padding
    colour: Colour = getattr(ui.palette, now)
    radius, draw = 5.0 * ui.window.scale, imgui.get_window_draw_list()
    draw.add_circle_filled(imgui.ImVec2(low.x + 2 * radius, low.y + size.y / 2), radius, colour32(colour))
    word = DOTS["turning" if now == "warning" and ui.snapshot.stability.dt_inaccurate else now]
    if 4 * radius + text_width(word) <= width:
        draw_text(low.x + 4 * radius, low.y + pad.y, word, ui.palette.text)


def draw(ui: Ui) -> None:
    """The numbers in a window over the right of the picture, above actions and scale bar, while they are open."""
    if not ui.states[StabilityArea].shown or ui.mode.presenting or not ui.window.inset[3]:
        return
    edge = imgui.ImVec2(
        ui.window.size[0] - ui.window.inset[2] - ui.window.band - 10 * ui.window.scale,
        ui.window.size[1] - ui.window.inset[3] - strip_height(ui) - 10 * ui.window.scale,
    )
    imgui.set_next_window_pos(edge, imgui.Cond_.always, imgui.ImVec2(1.0, 1.0))
    width = min(
        WIDTH * ui.window.scale,
        ui.window.size[0] - ui.window.inset[0] - ui.window.inset[2] - ui.window.band - 20 * ui.window.scale,
    )
    imgui.set_next_window_size(imgui.ImVec2(width, 0.0))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 8 * ui.window.scale)
    imgui.push_style_var(imgui.StyleVar_.window_border_size, ui.window.scale)
    flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_move | imgui.WindowFlags_.no_saved_settings
    take_focus(ui, STABILITY)
    imgui.begin(STABILITY, None, flags | imgui.WindowFlags_.no_focus_on_appearing)
    imgui.pop_style_var(2)
    _draw_numbers(ui)
    if button(ui, "stability.close", _("Close")):
        ui.states[StabilityArea].shown = False
    imgui.end()


def _draw_numbers(ui: Ui) -> None:
    """The gauge, its numbers, and a button for the remedy."""
    _draw_gauge(ui)
    snapshot = ui.snapshot
    row(_("Time step in use"), si(snapshot.run.dt, "s") if snapshot.run.dt > 0.0 else _("none yet"), ui)
    limit = overlap_limit(snapshot.run.scene)
    squeezed = snapshot.stability.largest_overlap > limit
    percent = Message(
        "{largest_overlap} % of R", largest_overlap=Number(100 * snapshot.stability.largest_overlap, format=".2f")
    )
    if math.isfinite(limit):
        row(_("Largest overlap"), percent, ui, ui.palette.warning if squeezed else None)
    if squeezed:
        note(_("The overlaps are large: raise the normal stiffness."), ui.palette.warning)
    _draw_remedy(ui)
    _draw_threads(ui)


def overlap_limit(scene: str) -> float:
    """Overlap / radius above which the window warns in this scene [-]."""
    record = scenes().get(scene)
    return record.limits.overlap_limit if record is not None else LARGE_OVERLAP


def share_of_limit(ui: Ui) -> float:
    """ω Δt over the stability limit of the integrator [-]; 0 if there is no limit."""
    return (
        ui.snapshot.stability.omega_dt / ui.snapshot.stability.omega_dt_limit
        if ui.snapshot.stability.omega_dt_limit > 0.0
        else 0.0
    )


def _draw_gauge(ui: Ui) -> None:
    """A bar up to one and a half times the limit, with a line at the limit."""
    snapshot, share = ui.snapshot, share_of_limit(ui)
    colour: Colour = ui.palette.good
    if share > SAFE_STEP:
        colour = ui.palette.bad if share > 1.0 else ui.palette.warning
    reading = (
        Message(
            "{omega_dt}  of  {omega_dt_limit}",
            omega_dt=Number(snapshot.stability.omega_dt, format=".3f"),
            omega_dt_limit=Number(snapshot.stability.omega_dt_limit, format=".3f"),
        )
        if snapshot.stability.omega_dt > 0.0
        else _("no contacts")
    )
    row(plain("ω Δt"), reading, ui, colour if share > SAFE_STEP else None)
    size = imgui.ImVec2(imgui.get_content_region_avail().x, 10 * ui.window.scale)
    low = imgui.get_cursor_screen_pos()
    imgui.dummy(size)
    ui.probe.mark("stability.gauge")
    tooltip(
        ui,
        _(
            "Largest frequency of the present contacts times the time step. Beyond the line the integrator adds energy "
            "and the run becomes unstable."
        ),
    )
    draw = imgui.get_window_draw_list()
    high = imgui.ImVec2(low.x + size.x, low.y + size.y)
    rounding = imgui.get_style().frame_rounding
    draw.add_rect_filled(low, high, imgui.get_color_u32(imgui.Col_.frame_bg), rounding)
    filled = imgui.ImVec2(low.x + size.x * min(share / 1.5, 1.0), high.y)
    if filled.x - low.x > 1.0:
        draw.add_rect_filled(low, filled, colour32(colour), rounding)
    at = low.x + size.x / 1.5
    reach = 3 * ui.window.scale
    draw.add_line(imgui.ImVec2(at, low.y - reach), imgui.ImVec2(at, high.y + reach), colour32(ui.palette.text), 2.0)


def _draw_remedy(ui: Ui) -> None:
    """Warn if the chosen time step is too large, and offer the automatic one."""
    if ui.snapshot.stability.dt_warning and ui.control.edits.parameters is not None:
        note(
            ui.snapshot.stability.dt_warning,
            ui.palette.warning if ui.snapshot.stability.dt_inaccurate else ui.palette.bad,
        )
        if button(ui, "stability.auto", _("Let the program choose Δt"), emphasis=ui.palette.accent):
            ui.control.edits.set({"dt": "auto"})


def _draw_threads(ui: Ui) -> None:
    """The list of thread counts."""
    snapshot = ui.snapshot
    together = snapshot.engine.threads_asked or 0
    options: dict[str, Message] = {
        "0": Message("automatic ({threads_wanted})", threads_wanted=snapshot.engine.threads_wanted)
    }
    options |= {str(count): plain(count) for count in range(1, max(most_threads(), together) + 1)}
    if snapshot.engine.threads_crowded:
        note(snapshot.engine.threads_crowded, ui.palette.warning)
    chosen = choose(ui, "stability.threads", _("Threads"), options, str(together), THREADS_HELP)
    if chosen is not None:
        ui.settings.choices.threads = int(chosen)
        ui.control.send(UseThreads(int(chosen) or None))


PANEL = Panel("stability", _("Stability"), 75, "over", draw)
