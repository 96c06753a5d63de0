"""Parameters: every number and choice of the running experiment, by group; most take effect at once."""

from __future__ import annotations

from functools import cache, partial

import pygame
from imgui_bundle import imgui
from repose.app.render.text import note
from repose.app.ui.fields import draw_field
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, foldable
from repose.sim.parameters import Parameter, ParameterSet

FLAT = imgui.TreeNodeFlags_.no_tree_push_on_open | imgui.TreeNodeFlags_.span_avail_width
OPEN_AT_START = ("Contact", "Gravity", "Container", "Shape")


@cache
def grouped(kind: type[ParameterSet]) -> dict[str, tuple[Parameter, ...]]:
    """The declared parameters by group, in the order of declaration."""
    groups: dict[str, list[Parameter]] = {}
    for parameter in kind.declared().values():
        groups.setdefault(parameter.quantity.group, []).append(parameter)
    return {group: tuple(members) for group, members in groups.items()}


def draw(ui: Ui) -> None:
    """Undo and redo, then one row per parameter under the heading of its group."""
    parameters = ui.edits.parameters
    if parameters is None:
        note("The parameters appear as soon as the engine is ready.", ui.palette.muted)
        return
    _draw_undo(ui)
    for group, members in grouped(type(parameters)).items():
        if foldable(ui, f"group.{group}", group in OPEN_AT_START, partial(imgui.tree_node_ex, group, FLAT)):
            for parameter in members:
                draw_field(ui, parameter)


def _draw_undo(ui: Ui) -> None:
    third = (imgui.get_content_region_avail().x - 2 * imgui.get_style().item_spacing.x) / 3
    history = ui.edits.history
    if button(
        ui,
        "parameters.undo",
        "Undo",
        width=third,
        enabled=bool(history.undoable),
        help="Undo the last change.  Ctrl+Z",
    ):
        ui.edits.undo()
    imgui.same_line()
    if button(
        ui,
        "parameters.redo",
        "Redo",
        width=third,
        enabled=bool(history.redoable),
        help="Repeat the change undone last.  Ctrl+Y or Ctrl+Shift+Z",
    ):
        ui.edits.redo()
    imgui.same_line()
    parameters = ui.edits.parameters
    declared = type(parameters).declared() if parameters is not None else {}
    changed = {name: entry.default for name, entry in declared.items() if ui.edits.value(name) != entry.default}
    if button(
        ui,
        "parameters.defaults",
        "Defaults",
        width=third,
        enabled=bool(changed),
        help=f"Set {len(changed)} changed parameters to their defaults; Undo restores them.",
    ):
        ui.edits.set(changed)


KEYS = (
    Key(
        "undo",
        "Ctrl+Z",
        "undo a parameter change",
        "Parameters",
        lambda ui: ui.edits.undo(),
        codes=(pygame.K_z,),
        ctrl=True,
    ),
    Key("redo", "Ctrl+Y", "redo it", "Parameters", lambda ui: ui.edits.redo(), codes=(pygame.K_y,), ctrl=True),
    Key(
        "redo",
        "Ctrl+Shift+Z",
        "redo it",
        "Parameters",
        lambda ui: ui.edits.redo(),
        codes=(pygame.K_z,),
        ctrl=True,
        shift=True,
    ),
)
PANEL = Panel("parameters", "Parameters", 20, "left", draw, stretch=True, keys=KEYS)
