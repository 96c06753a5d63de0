"""Notices over the picture: engine being compiled, run stopped by a fault, settings not read, the scene's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pygame
from imgui_bundle import imgui
from repose.app.render.text import heading, note
from repose.app.render.theme import Colour, vector
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button
from repose.sim.experiment.commands import Act, Recover, RemoveGrain

DROPPED = "dropped file"
"""Entry of `Ui.memory`: why a file dropped on the window is not used."""
CLOSED = "closed notice"
"""Entry of `Ui.memory`: the scene's notice that the user has closed."""


def draw(ui: Ui) -> None:
    """At most one notice, at the top of the picture."""
    snapshot, ui.banner = ui.snapshot, None
    if ui.memory.get(CLOSED) != snapshot.notice:
        ui.memory.pop(CLOSED, None)
    if ui.dead:
        _notice(ui, ui.palette.bad, _draw_dead)
    elif snapshot.fault is not None:
        _notice(ui, ui.palette.bad, _draw_fault)
    elif "picture" in ui.broken:
        _notice(ui, ui.palette.bad, _draw_no_picture)
    elif snapshot.compiling or snapshot.serial == 0:
        _notice(ui, ui.palette.accent, _draw_compiling)
    elif ui.run_saver.lost is not None:
        _notice(ui, ui.palette.warning, _draw_lost)
    elif ui.settings.trouble:
        _notice(ui, ui.palette.warning, _draw_settings)
    elif snapshot.notice is not None and CLOSED not in ui.memory:
        _notice(ui, ui.palette.warning, _draw_scene)
    elif ui.memory.get(DROPPED):
        _notice(ui, ui.palette.warning, _draw_dropped)
    elif ui.film.trouble and not ui.film.running:
        _notice(ui, ui.palette.warning, _draw_no_film)
    elif not ui.view.ui_visible and ui.film.running:
        _notice(ui, ui.palette.bad, _draw_filming)


def _notice(ui: Ui, edge: Colour, content: Callable[[Ui], None]) -> None:
    left, top, right, _ = ui.inset
    free = ui.size[0] - left - right
    width = min(460 * ui.scale, free - 20 * ui.scale)
    if width < 80:
        return
    at = imgui.ImVec2(left + free / 2, top + 16 * ui.scale)
    imgui.set_next_window_pos(at, imgui.Cond_.always, imgui.ImVec2(0.5, 0.0))
    imgui.set_next_window_size(imgui.ImVec2(width, 0))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 8 * ui.scale)
    imgui.push_style_var(imgui.StyleVar_.window_border_size, 1.5 * ui.scale)
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(14 * ui.scale, 11 * ui.scale))
    imgui.push_style_color(imgui.Col_.border, vector(edge))
    flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_move
    imgui.begin("notice", None, flags | imgui.WindowFlags_.no_focus_on_appearing)
    imgui.pop_style_color()
    imgui.pop_style_var(3)
    content(ui)
    low, extent = imgui.get_window_pos(), imgui.get_window_size()
    ui.banner = low.x, low.y, low.x + extent.x, low.y + extent.y
    imgui.end()


def _draw_compiling(ui: Ui) -> None:
    heading("Preparing the engine…", 1.2, ui.palette.text)
    note(
        "The first start on a machine compiles it, which takes some seconds; later starts load it from disk.",
        ui.palette.muted,
    )
    share = (imgui.get_time() * 0.4) % 1.0
    low, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    imgui.progress_bar(0.0, imgui.ImVec2(-1, 5 * ui.scale), "")
    piece = 0.25 * width
    start = low.x + share * (width - piece)
    imgui.get_window_draw_list().add_rect_filled(
        imgui.ImVec2(start, low.y),
        imgui.ImVec2(start + piece, low.y + 5 * ui.scale),
        imgui.get_color_u32(imgui.Col_.plot_histogram),
        3 * ui.scale,
    )


def _draw_dead(ui: Ui) -> None:
    heading("The physics thread has stopped", 1.2, ui.palette.bad)
    note(ui.snapshot.message, ui.palette.text)
    if button(
        ui,
        "notice.revive",
        "Restart the experiment",
        emphasis=ui.palette.accent,
        help="From the beginning, with the present parameters.",
    ):
        ui.actions["revive"]()


def _draw_no_picture(ui: Ui) -> None:
    heading("The grains cannot be drawn", 1.2, ui.palette.bad)
    note(f"The run continues. The graphics driver reports: {ui.broken['picture']}", ui.palette.text)
    if button(ui, "notice.picture", "Try again"):
        del ui.broken["picture"]


def _draw_fault(ui: Ui) -> None:
    fault = ui.snapshot.fault
    if fault is None:
        return
    heading("The run has stopped", 1.2, ui.palette.bad)
    note(fault.message, ui.palette.text)
    note("Continue from the last good state:", ui.palette.muted)
    width = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    for place, (name, label, key, help, do) in enumerate(ways := ways_back(ui)):
        if place % 2:
            imgui.same_line()
        emphasis = ui.palette.accent if place == 0 else None
        alone = place % 2 == 0 and place == len(ways) - 1
        size = -1.0 if alone else width
        if button(ui, f"notice.{name}", label, hint=key, help=help, emphasis=emphasis, width=size):
            do()


def ways_back(ui: Ui) -> list[tuple[str, str, str, str, Callable[[], object]]]:
    """Ways to continue after a fault, the likely remedy first: name, label, key, help, function."""
    fault, parameters = ui.snapshot.fault, ui.snapshot.parameters
    if fault is None or parameters is None or ui.dead:
        return []
    ways: list[tuple[str, str, str, str, Callable[[], object]]] = []
    if back := ui.edits.to_undo():
        declared = parameters.declared()
        quantities = [declared[name].quantity for name in back]
        short = quantities[0].symbol or quantities[0].label if len(back) == 1 else f"{len(back)} changes"
        again = [f"{declared[name].quantity.label} {declared[name].shown(value)}" for name, value in back.items()]
        help = f"Restore {', '.join(again)} and the state before the change."
        ways.append(("undo", f"Undo {short}", "Ctrl+Z", help, ui.edits.undo))
    for remedy in fault.remedies:
        if remedy.name == "smaller_dt":
            label = f"Step to {float(remedy.values['dt']) * 1e6:.4g} µs"
            help = "Halved until it is stable; other parameters unchanged."
            ways.append(("halve", label, "H", help, partial(ui.edits.set, remedy.values)))
        elif remedy.name == "auto_dt":
            ways.append(("auto", "Let the program choose Δt", "", "", partial(ui.edits.set, remedy.values)))
        elif remedy.sphere_id is not None:
            help = "The grain and its energy are removed permanently; the run continues."
            remove = partial(ui.send, RemoveGrain(remedy.sphere_id))
            ways.append(("remove", f"Remove grain {remedy.sphere_id}", "Del", help, remove))
    ways.append(
        (
            "recover",
            "Continue unchanged",
            "",
            "Return to the last good state with the present parameters.",
            partial(ui.send, Recover({})),
        )
    )
    return ways


def _draw_settings(ui: Ui) -> None:
    note(ui.settings.trouble, ui.palette.text)
    if button(ui, "notice.settings", "Close", width=140 * ui.scale):
        ui.settings.trouble = ""


def _draw_lost(ui: Ui) -> None:
    heading("The last run ended unexpectedly", 1.2, ui.palette.warning)
    note(
        "It was saved automatically and can be continued. Opening it replaces the run in the window.",
        ui.palette.text,
    )
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    if button(ui, "notice.open_lost", "Open", emphasis=ui.palette.accent, width=half):
        ui.run_saver.open_lost()
    imgui.same_line()
    if button(ui, "notice.discard_lost", "Discard", width=half):
        ui.run_saver.discard_lost()


def _draw_scene(ui: Ui) -> None:
    notice = ui.snapshot.notice
    if notice is None:
        return
    heading(notice.heading, 1.2, ui.palette.warning)
    note(notice.text, ui.palette.text)
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    for action in ui.snapshot.actions:
        if action.name == notice.action and action.enabled:
            if button(ui, "notice.action", action.label, hint=action.key, help=action.help, width=half):
                ui.send(Act(action.name))
            imgui.same_line()
    if button(ui, "notice.scene", "Close", width=half):
        ui.memory[CLOSED] = notice


def _draw_dropped(ui: Ui) -> None:
    note(ui.memory[DROPPED], ui.palette.text)
    if button(ui, "notice.dropped", "Close", width=140 * ui.scale):
        del ui.memory[DROPPED]


def _draw_no_film(ui: Ui) -> None:
    film = ui.film
    note(film.trouble, ui.palette.text)
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    if film.format != ".png":
        if button(ui, "notice.pictures", "Record PNG pictures", width=half):
            film.format = ".png"
            film.start()
        imgui.same_line()
    if button(ui, "notice.no_film", "Close", width=half):
        film.trouble = ""


def _draw_filming(ui: Ui) -> None:
    note(f"Recording: {ui.film.frames} frames, {ui.film.seconds:.1f} s", ui.palette.bad)


def _continue_by(name: str, ui: Ui) -> None:
    """Do the thing of that name that is offered after a fault; without a fault nothing."""
    for way, _, _, _, do in ways_back(ui):
        if way == name:
            do()


KEYS = (
    Key(
        "halve", "H", "after a fault: smaller time step", "Parameters", partial(_continue_by, "halve"), characters="hH"
    ),
    Key(
        "remove",
        "Del",
        "after a fault: remove the grain",
        "Parameters",
        partial(_continue_by, "remove"),
        codes=(pygame.K_DELETE,),
    ),
)
PANEL = Panel("notices", "Notices", 80, "over", draw, keys=KEYS)
