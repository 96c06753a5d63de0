"""Scenes: every preset as a picture with a sentence and the question to the audience, the lectures, the recent runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pygame
from imgui_bundle import imgui
from repose.app.language import current_language, translated
from repose.app.lectures import lecture_file
from repose.app.render.text import heading, text_width
from repose.app.render.theme import vector
from repose.app.storage.thumbnails import of_preset
from repose.app.ui.cards import CardFace, draw_cards
from repose.app.ui.keys import Key
from repose.app.ui.lecture_mode import open_lecture, wish
from repose.app.ui.panels import Panel
from repose.app.ui.panels.runs import open_file
from repose.app.ui.preset_library import Planned
from repose.app.ui.questions import replace_run
from repose.app.ui.recent_runs import RecentRun
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, button_width
from repose.sim.io.presets import PresetCard
from repose.sim.message import EMPTY, Message, Number, _, plain
from repose.sim.registry import scenes

GROUPS = {
    "plane": _("In the plane"),
    "space": _("In space"),
    "bodies": _("Large particles"),
    "checks": _("Checks against closed forms"),
    "own": _("Your presets"),
}
"""Headings, in their order, by the group of the scene; "own" for presets saved by the user."""
FRAMES = 4
"""Frames that scroll to a group: in the second one, ImGui itself scrolls to the card that gets the keyboard."""
SAVED, LECTURES = _("Saved runs"), _("Lectures")
SHARE = 0.96
"""Fraction of the width and height of the window for the choice of scenes [-]."""


@dataclass
class SceneChoice:
    """What the window of the scenes shows."""

    runs_first: bool = False
    """Whether saved runs stand above the presets."""
    opened: bool = False
    """True for the first frame, which begins at the top."""
    group: Message = EMPTY
    """The group to scroll to."""
    frames: int = 0
    """Number of frames left that scroll there."""


def draw(ui: Ui) -> None:
    """A window in the middle, groups one below the other."""
    if ui.mode.overlay != PANEL.name:
        return
    imgui.set_next_window_pos(imgui.ImVec2(*(side * (1.0 - SHARE) / 2.0 for side in ui.window.size)))
    imgui.set_next_window_size(imgui.ImVec2(*(side * SHARE for side in ui.window.size)))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(18 * ui.window.scale, 14 * ui.window.scale))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 8 * ui.window.scale)
    imgui.push_style_var(imgui.StyleVar_.window_border_size, 1.0)
    flags = imgui.WindowFlags_.no_title_bar | imgui.WindowFlags_.no_resize | imgui.WindowFlags_.no_collapse
    imgui.begin("scenes", None, flags | imgui.WindowFlags_.no_move | imgui.WindowFlags_.no_saved_settings)
    imgui.pop_style_var(3)
    _draw_title(ui)
    groups = {
        title: [card for card in ui.work.preset_library.cards.values() if _group_of(card) == group]
        for group, title in GROUPS.items()
    }
    _draw_ways(ui, [*(title for title, cards in groups.items() if cards), LECTURES])
    # The groups scroll under the title.
    imgui.begin_child("groups", imgui.ImVec2(0.0, 0.0), imgui.ChildFlags_.nav_flattened)
    choice = ui.states[SceneChoice]
    if choice.opened:
        choice.opened = False
        imgui.set_scroll_y(0.0)
    if choice.runs_first:
        _draw_runs(ui)
    for title, cards in groups.items():
        _draw_group(ui, title, cards)
    _draw_lectures(ui)
    if not choice.runs_first:
        _draw_runs(ui)
    imgui.end_child()
    imgui.end()


def _draw_title(ui: Ui) -> None:
    heading(_("Choose a scene"), 1.35, ui.palette.text)
    close = text_width(_("Close  Esc")) + 3.0 * imgui.get_style().frame_padding.x
    imgui.same_line(imgui.get_window_width() - close - imgui.get_style().window_padding.x - 18 * ui.window.scale)
    if button(ui, "scenes.close", _("Close"), hint=_("Esc"), width=close):
        ui.mode.overlay = ""


def _draw_ways(ui: Ui, titles: list[Message]) -> None:
    """Draw a button per group that scrolls to the group; some groups are far below the first screen."""
    ways = [*titles, *([SAVED] if ui.work.recent_runs.runs else [])]
    gap, end = imgui.get_style().item_spacing.x, imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    for index, title in enumerate(ways):
        width = button_width(title)
        if index and imgui.get_item_rect_max().x + gap + width <= end:
            imgui.same_line()
        if button(ui, f"scenes.to.{title}", title, help=Message("Scroll to: {title}.", title=title), width=width):
            ui.states[SceneChoice].group, ui.states[SceneChoice].frames = title, FRAMES


def _arrive(ui: Ui, title: Message) -> None:
    """If the user has chosen this group, scroll to its heading, the last widget; give the next widget the keyboard."""
    choice = ui.states[SceneChoice]
    if choice.group == title and choice.frames > 0:
        imgui.set_scroll_here_y(0.0)
        if choice.frames == FRAMES:
            imgui.set_keyboard_focus_here()
        choice.frames -= 1


def _group_of(card: PresetCard) -> str:
    if card.name.endswith(".toml"):
        return "own"
    scene = scenes()[card.scene]
    return scene.group or ("plane" if scene.model.dimension == 2 else "space")


def _draw_group(ui: Ui, title: Message, cards: list[PresetCard]) -> None:
    if not cards:
        return
    imgui.text_colored(vector(ui.palette.muted), translated(title))
    _arrive(ui, title)
    current = ui.work.preset_library.current
    faces = [face_of(card, card.name == current) for card in cards]
    chosen = draw_cards(ui, faces)
    imgui.dummy(imgui.ImVec2(0.0, 4.0 * ui.window.scale))
    if chosen is not None:
        ui.mode.overlay = ""
        choose_preset(ui, chosen)


def face_of(card: PresetCard, current: bool) -> CardFace:
    """The card of a preset, whose texts are templates of the catalogues."""
    title, about, question = (Message(text) if text else EMPTY for text in (card.title, card.about, card.question))
    direction = scenes()[card.scene].direction
    seconds = Number(direction.seconds, format=".0f")
    see = Message(
        "What to look for: {see} It takes about {seconds} s.",
        see=Message(card.see) if card.see else direction.see,
        seconds=seconds,
    )
    return CardFace(card.name, title, about, question, see, partial(of_preset, card.name), current)


def _draw_lectures(ui: Ui) -> None:
    """The shipped lectures; a click starts one, since the run in the window comes back after it."""
    imgui.text_colored(vector(ui.palette.muted), translated(LECTURES))
    _arrive(ui, LECTURES)
    named = {f"lecture {card.name}": card for card in lecture_file.cards(current_language())}
    faces = [
        CardFace(name, plain(card.title), plain(card.about), picture=partial(of_preset, card.preset))
        for name, card in named.items()
    ]
    chosen = draw_cards(ui, faces)
    imgui.dummy(imgui.ImVec2(0.0, 4.0 * ui.window.scale))
    if chosen is not None:
        ui.mode.overlay = ""
        if refusal := open_lecture(ui, named[chosen].name):
            show_toast(ui, refusal, bad=True)
        else:
            wish(ui, "begin")


def choose_preset(ui: Ui, name: str) -> None:
    """Start a preset in place of the run in the window."""
    planned = ui.work.preset_library.plan(name)
    if planned is not None:
        title = ui.work.preset_library.titles.get(name) or plain(name)
        replace_run(ui, Message("Start {title}?", title=title), _("Start"), partial(_start, ui, planned))


def _start(ui: Ui, planned: Planned) -> None:
    ui.work.preset_library.begin(planned)
    ui.control.edits.forget()
    ui.settings.choices.preset = planned.name


def _draw_runs(ui: Ui) -> None:
    runs = {_name_of(run): run for run in ui.work.recent_runs.runs}
    if not runs and not ui.states[SceneChoice].runs_first:
        return
    imgui.text_colored(
        vector(ui.palette.muted),
        translated(
            Message("{saved}, the latest first", saved=SAVED)
            if runs
            else _("No run has been saved yet: Ctrl+S saves one.")
        ),
    )
    _arrive(ui, SAVED)
    faces = [
        CardFace(name, plain(run.path.stem), run.words, picture=partial(_picture, run)) for name, run in runs.items()
    ]
    chosen = draw_cards(ui, faces)
    if chosen is not None:
        ui.mode.overlay = ""
        open_file(ui, str(runs[chosen].path))


def _name_of(run: RecentRun) -> str:
    """Name of the card of a run; it changes when the file is written again, because the picture changes too."""
    return f"{run.path.name} {hash((Path(run.path), run.changed)) & 0xFFFFFF:06x}"


def _picture(run: RecentRun) -> bytes:
    return run.picture


def show_runs(ui: Ui) -> None:
    """Open the choice with the saved runs on top."""
    toggle(ui, runs_first=True)


def toggle(ui: Ui, runs_first: bool = False) -> None:
    """Open the choice of scenes, or close it."""
    choice = ui.states[SceneChoice]
    choice.runs_first, choice.opened = runs_first, True
    ui.mode.overlay = "" if ui.mode.overlay == PANEL.name else PANEL.name
    if ui.mode.overlay:
        ui.work.preset_library.refresh()
        ui.work.recent_runs.refresh()


KEYS = (
    Key("scenes", plain("S"), _("choose a scene from pictures"), _("Experiment"), toggle, characters="sS"),
    Key(
        "recent_runs",
        _("Ctrl+R"),
        _("saved runs, with their pictures"),
        _("File"),
        show_runs,
        codes=(pygame.K_r,),
        ctrl=True,
    ),
)
PANEL = Panel("scenes", _("Scenes"), 75, "over", draw, keys=KEYS)
