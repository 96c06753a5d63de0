"""Stability: time step and its limit, largest overlap, threads, and the fault that stopped the run."""

from __future__ import annotations

from imgui_bundle import imgui
from repose.app.render.text import friendly, note, si
from repose.app.render.theme import Colour, colour32
from repose.app.thread_count import most_threads
from repose.app.ui.panels import Panel
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, choose, row, tooltip
from repose.sim.engine.thread_count import GRAINS_PER_THREAD
from repose.sim.experiment.commands import Recover, UseThreads
from repose.sim.experiment.snapshot import LARGE_OVERLAP, SAFE_STEP

THREADS_HELP = (
    "Threads that step the world together. The result is the same, bit by bit, for any number of them. Automatic: one "
    f"for every {GRAINS_PER_THREAD} grains that move, with one processor left to the picture."
)


def draw(ui: Ui) -> None:
    """The gauge, its numbers, and a button for the remedy."""
    if ui.snapshot.fault is not None:
        _draw_fault(ui)
    _draw_gauge(ui)
    snapshot = ui.snapshot
    row("Time step in use", si(snapshot.dt, "s") if snapshot.dt > 0.0 else "none yet", ui)
    squeezed = snapshot.largest_overlap > LARGE_OVERLAP
    percent = f"{100 * snapshot.largest_overlap:.2f} % of R"
    row("Largest overlap", percent, ui, ui.palette.warning if squeezed else None)
    if squeezed:
        note("Grains are pressed deep into each other: raise the normal stiffness.", ui.palette.warning)
    _draw_remedy(ui)
    _draw_threads(ui)


def share_of_limit(ui: Ui) -> float:
    """ω Δt and the stability limit of the integrator."""
    return ui.snapshot.omega_dt / ui.snapshot.omega_dt_limit if ui.snapshot.omega_dt_limit > 0.0 else 0.0


def _draw_gauge(ui: Ui) -> None:
    """A bar up to one and a half times the limit, with a line at the limit."""
    snapshot, share = ui.snapshot, share_of_limit(ui)
    colour: Colour = ui.palette.good
    if share > SAFE_STEP:
        colour = ui.palette.bad if share > 1.0 else ui.palette.warning
    reading = (
        f"{snapshot.omega_dt:.3f}  of  {snapshot.omega_dt_limit:.3f}" if snapshot.omega_dt > 0.0 else "no contacts"
    )
    row("ω Δt", reading, ui, colour if share > SAFE_STEP else None)
    size = imgui.ImVec2(imgui.get_content_region_avail().x, 10 * ui.scale)
    low = imgui.get_cursor_screen_pos()
    imgui.dummy(size)
    ui.probe.mark("stability.gauge")
    tooltip(
        "Stiffest frequency present times the time step. At the line the integrator starts to add energy; beyond it "
        "the run blows up."
    )
    draw = imgui.get_window_draw_list()
    high = imgui.ImVec2(low.x + size.x, low.y + size.y)
    rounding = imgui.get_style().frame_rounding
    draw.add_rect_filled(low, high, imgui.get_color_u32(imgui.Col_.frame_bg), rounding)
    filled = imgui.ImVec2(low.x + size.x * min(share / 1.5, 1.0), high.y)
    if filled.x - low.x > 1.0:
        draw.add_rect_filled(low, filled, colour32(colour), rounding)
    at = low.x + size.x / 1.5
    reach = 3 * ui.scale
    draw.add_line(imgui.ImVec2(at, low.y - reach), imgui.ImVec2(at, high.y + reach), colour32(ui.palette.text), 2.0)


def _draw_remedy(ui: Ui) -> None:
    """Warn if the chosen time step is too large, and offer the automatic one."""
    if ui.snapshot.dt_warning and ui.edits.parameters is not None:
        note(ui.snapshot.dt_warning, ui.palette.bad)
        if button(ui, "stability.auto", "Let the program choose Δt", emphasis=ui.palette.accent):
            ui.edits.set({"dt": "auto"})


def _draw_threads(ui: Ui) -> None:
    """The list of thread counts."""
    snapshot = ui.snapshot
    together = snapshot.threads_asked or 0
    options = {"0": f"automatic ({snapshot.threads_wanted})"}
    options |= {str(count): str(count) for count in range(1, max(most_threads(), together) + 1)}
    chosen = choose(ui, "stability.threads", "Threads", options, str(together), THREADS_HELP)
    if chosen is not None:
        ui.settings.choices.threads = int(chosen)
        ui.send(UseThreads(int(chosen) or None))


def _draw_fault(ui: Ui) -> None:
    """The fault, its grain, the change before it, and the remedies."""
    fault = ui.snapshot.fault
    if fault is None:
        return
    note("Stopped: the reason stands over the picture.", ui.palette.bad)
    if ui.dead:
        return
    if fault.sphere_id is not None:
        row("Grain", f"number {fault.sphere_id}", ui)
    declared = type(ui.snapshot.parameters).declared() if ui.snapshot.parameters is not None else {}
    if fault.parameter in declared:
        row("Changed last", declared[fault.parameter].quantity.label, ui)
    for name, value in list((ui.edits.to_undo() or {}).items())[:1]:
        back = friendly(f"Undo: {declared[name].quantity.label} = {declared[name].shown(value)}")
        if button(
            ui, "stability.undo", back, emphasis=ui.palette.accent, help="Back to the last good state and value."
        ):
            ui.edits.undo()
    if button(ui, "stability.recover", "Back to the last good state", help="With the parameters as they are now."):
        ui.send(Recover({}))


PANEL = Panel("stability", "Stability", 10, "right", draw)
