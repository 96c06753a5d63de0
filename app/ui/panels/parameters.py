"""Parameters: those of the lecture first, all others under More; most take effect at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial

import pygame
from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import note
from repose.app.ui.edits import Edits
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel
from repose.app.ui.panels.preset_and_readings import draw_seed
from repose.app.ui.parameter_rows import MORE, draw_field, row_height
from repose.app.ui.places import TOOLS, ParameterArea, chosen_fold, fold, is_short, is_shown, room_in_column, show
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import bring_forward, button, foldable, widths
from repose.sim.message import Message, _, plural
from repose.sim.parameters import Parameter, ParameterSet
from repose.sim.registry import laws, scenes

FLAT = imgui.TreeNodeFlags_.no_tree_push_on_open | imgui.TreeNodeFlags_.span_avail_width
OPEN_AT_START = (_("Contact"), _("Gravity"), _("Container"), _("Shape"))


LABELS = (_("Undo"), _("Redo"), _("Defaults"), _("Fewer"))
"""Longest labels of the buttons: they fix the widths, although a label changes."""
ROWS = 5
"""Number of parameters of a lecture that are seen without scrolling."""
FEW = 4
"""Number of parameters shown first for a scene that declares none for a lecture."""


@dataclass(frozen=True)
class Listed:
    """What the column shows: whether all parameters, and which tab."""

    all: bool
    tab: str


@dataclass
class ParameterSearch:
    """The search of the parameters."""

    text: str = ""
    seeks: bool = False
    """Whether its field gets the keyboard next."""
    before: Listed | None = None
    """What was shown before the search; None without a search."""


@dataclass
class FewParameters:
    """The parameters listed without *More* in the last frame; one that is added is scrolled to."""

    scene: str = ""
    names: set[str] = field(default_factory=set)


@cache
def grouped(kind: type[ParameterSet]) -> dict[Message, tuple[Parameter, ...]]:
    """The declared parameters by group, in the order of declaration."""
    groups: dict[Message, list[Parameter]] = {}
    for parameter in kind.declared().values():
        groups.setdefault(parameter.quantity.group, []).append(parameter)
    return {group: tuple(members) for group, members in groups.items()}


def draw(ui: Ui) -> None:
    """Undo and redo, then the parameters that matter in a lecture, or all of them with a search."""
    ui.states[ParameterArea].covers_tools = lists_all(ui)
    parameters = ui.control.edits.parameters
    if parameters is None:
        note(_("The parameters appear as soon as the engine is ready."), ui.palette.muted)
        return
    _draw_buttons(ui)
    if not lists_all(ui):
        # The height is the same for all scenes: the tabs below have a fixed place. Further rows are scrolled to.
        room = 0.0 if is_short(ui) else ROWS * row_height(ui) - imgui.get_style().item_spacing.y
        imgui.begin_child("few", imgui.ImVec2(0.0, room), imgui.ChildFlags_.nav_flattened)
        shown, known = few(ui, parameters), ui.states[FewParameters]
        names, scene = {parameter.name for parameter in shown}, ui.snapshot.run.scene
        for parameter in shown:
            draw_field(ui, parameter)
            if known.scene == scene and parameter.name not in known.names:  # it has been changed elsewhere
                imgui.set_scroll_here_y(1.0)
        known.scene, known.names = scene, names
        imgui.end_child()
        return
    if not ui.settings.choices.expert:
        draw_seed(ui)
    text = _draw_search(ui)
    imgui.begin_child(
        "all", imgui.ImVec2(0.0, max(room_in_column(), 120 * ui.window.scale)), imgui.ChildFlags_.nav_flattened
    )
    if text:
        entries = [entry for entry in type(parameters).declared().values() if matches(entry, text)]
        for parameter in entries:
            draw_field(ui, parameter)
        if not entries:
            note(Message("No parameter is called “{text}”.", text=text), ui.palette.muted)
    else:
        for group, members in grouped(type(parameters)).items():
            if foldable(
                ui,
                f"group.{group}",
                group in OPEN_AT_START,
                partial(imgui.tree_node_ex, f"{translated(group)}###{group}", FLAT),
            ):
                for parameter in in_effect(members, ui.control.edits):
                    draw_field(ui, parameter)
    imgui.end_child()


def lecture_parameters(scene: str, kind: type[ParameterSet]) -> tuple[Parameter, ...]:
    """The parameters that the chosen law and the scene declare for a lecture and the law has; else its first
    numbers."""
    declared, record, law = kind.declared(), scenes().get(scene), laws().get(getattr(kind, "selected_law", ""))
    names = (*(law.lecture if law is not None else ()), *(record.lecture if record is not None else ()))
    chosen = tuple(declared[name] for name in names if name in declared)
    return chosen or tuple(entry for entry in declared.values() if entry.kind in ("float", "int"))[:FEW]


def few(ui: Ui, parameters: ParameterSet) -> tuple[Parameter, ...]:
    """The parameters that are seen without *More*: those of the lecture, then those that differ from their defaults,
    because the user, a preset, a lecture or the command line has changed them, or that did so before in this scene: no
    row vanishes during a drag or an undo."""
    edits, known = ui.control.edits, ui.states[FewParameters]
    kept = known.names if known.scene == ui.snapshot.run.scene else set()
    chosen = in_effect(lecture_parameters(ui.snapshot.run.scene, type(parameters)), edits)
    others = (
        entry
        for entry in type(parameters).declared().values()
        if entry.name in kept or edits.given(entry.name) != entry.default
    )
    return tuple(dict.fromkeys((*chosen, *in_effect(tuple(others), edits))))


def in_effect(listed: tuple[Parameter, ...], edits: Edits) -> tuple[Parameter, ...]:
    """The listed parameters; a chosen file replaces those that have no effect beside it."""
    assert edits.parameters is not None
    instead = {
        name: entry
        for entry in type(edits.parameters).declared().values()
        if entry.replaces and edits.value(entry.name)
        for name in entry.replaces
    }
    return tuple(dict.fromkeys(instead.get(entry.name, entry) for entry in listed))


def matches(parameter: Parameter, text: str) -> bool:
    """Whether every word of the search occurs in name, label, symbol, unit, group or help of the parameter."""
    quantity = parameter.quantity
    words = " ".join(
        map(str, (parameter.name, quantity.label, quantity.symbol, quantity.unit, quantity.group, parameter.help))
    )
    return all(word in words.lower() for word in text.lower().split())


def lists_all(ui: Ui) -> bool:
    """Whether all parameters are listed, and not only those of the lecture."""
    return is_shown(ui, MORE)


def toggle_all(ui: Ui) -> None:
    """List all parameters, or only those of the lecture."""
    show(ui, MORE, not lists_all(ui))
    searched = ui.states[ParameterSearch]
    searched.text, searched.before = "", None


def search(ui: Ui) -> None:
    """Show the column and put the keyboard into the search of all parameters."""
    ui.view.ui_visible, ui.mode.overlay = True, ""
    if chosen_fold(ui):
        fold(ui)
    searched = ui.states[ParameterSearch]
    before = searched.before or _listed(ui)
    if not lists_all(ui):
        toggle_all(ui)
    searched.before = before
    bring_forward(ui, TOOLS, PANEL.name)  # a tab of a short column
    searched.seeks = True


def _listed(ui: Ui) -> Listed:
    return Listed(lists_all(ui), ui.settings.choices.tabs.get(TOOLS, ""))


def end_search(ui: Ui) -> None:
    """Show the list and the tab that were shown before the search."""
    searched = ui.states[ParameterSearch]
    before, searched.text, searched.before = searched.before, "", None
    if before is None:
        return
    if before.all != lists_all(ui):
        toggle_all(ui)
    if before.tab:
        bring_forward(ui, TOOLS, before.tab)


def is_searching(ui: Ui) -> bool:
    """Whether Esc ends the search, and closes nothing over the picture."""
    return (
        not ui.mode.lecture.on
        and ui.states[ParameterSearch].before is not None
        and not (ui.mode.overlay or ui.mode.help_open)
    )


def _draw_search(ui: Ui) -> str:
    searched = ui.states[ParameterSearch]
    if searched.seeks:
        searched.seeks = False
        imgui.set_keyboard_focus_here()
    imgui.set_next_item_width(-1.0)
    __, searched.text = imgui.input_text_with_hint(
        "##search", translated(_("Search the parameters   Ctrl+F")), searched.text
    )
    ui.probe.mark("parameters.search")
    if imgui.is_item_deactivated() and imgui.is_key_pressed(imgui.Key.escape):
        end_search(ui)
    return searched.text.strip()


def _draw_buttons(ui: Ui) -> None:
    history, parameters = ui.control.edits.history, ui.control.edits.parameters
    declared = type(parameters).declared() if parameters is not None else {}
    changed = {name: entry.default for name, entry in declared.items() if ui.control.edits.given(name) != entry.default}
    entries: tuple[tuple[str, Message, bool, Message, Callable[[], object]], ...] = (
        (
            "parameters.undo",
            _("Undo"),
            bool(history.undoable),
            _("Undo the last change.  Ctrl+Z"),
            ui.control.edits.undo,
        ),
        (
            "parameters.redo",
            _("Redo"),
            bool(history.redoable),
            _("Repeat the change undone last.  Ctrl+Y or Ctrl+Shift+Z"),
            ui.control.edits.redo,
        ),
        (
            "parameters.defaults",
            _("Defaults"),
            bool(changed),
            plural(
                "Reset the {count} parameter that differs from its default. Undo brings it back.",
                "Reset the {count} parameters that differ from their defaults. Undo brings them back.",
                count=len(changed),
            ),
            partial(ui.control.edits.set, changed),
        ),
        (
            MORE,
            _("Fewer") if lists_all(ui) else _("More"),
            True,
            _("Show all parameters, or only the most important ones.  Ctrl+F searches all."),
            partial(toggle_all, ui),
        ),
    )
    everything = ui.settings.choices.expert or lists_all(ui)
    for index, (entry, width) in enumerate(zip(entries, widths(LABELS), strict=True)):
        name, label, enabled, help, act = entry
        if index:
            imgui.same_line()
        if not (enabled or everything):  # its place remains empty
            imgui.dummy(imgui.ImVec2(width, imgui.get_frame_height()))
            continue
        if button(ui, name, label, width=width, enabled=enabled, help=help):
            act()


KEYS = (
    Key("search", _("Ctrl+F"), _("search all parameters"), _("Parameters"), search, codes=(pygame.K_f,), ctrl=True),
    Key(
        "end_search",
        _("Esc"),
        _("end the search"),
        _("Parameters"),
        end_search,
        codes=(pygame.K_ESCAPE,),
        when=is_searching,
    ),
    Key(
        "undo",
        _("Ctrl+Z"),
        _("undo a parameter change"),
        _("Parameters"),
        lambda ui: ui.control.edits.undo(),
        codes=(pygame.K_z,),
        ctrl=True,
    ),
    Key(
        "redo",
        _("Ctrl+Y"),
        _("redo it"),
        _("Parameters"),
        lambda ui: ui.control.edits.redo(),
        codes=(pygame.K_y,),
        ctrl=True,
    ),
    Key(
        "redo",
        _("Ctrl+Shift+Z"),
        _("redo it"),
        _("Parameters"),
        lambda ui: ui.control.edits.redo(),
        codes=(pygame.K_z,),
        ctrl=True,
        shift=True,
    ),
)
PANEL = Panel("parameters", _("Parameters"), 20, "column", draw, keys=KEYS)
