"""Select a grain or a contact with a click, to see its forces; every drag moves the camera."""

from __future__ import annotations

from repose.app.render.selection import rows_of, selection_at
from repose.app.ui.toasts import show_toast
from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.ui import Ui
from repose.sim.message import Message, _

REACH = 6.0
"""Distance from a grain or a contact at which a click still selects it [px at scale 1]."""


def click(ui: Ui, at: Pixel) -> None:
    """Select the grain or contact at this place; a click beside the grains ends the selection."""
    ui.view.selected = selection_at(ui.snapshot, ui.view, ui.camera, ui.window.size, at, REACH * ui.window.scale)


def end_with_grain(ui: Ui) -> None:
    """End the selection once the selected grain has left, and tell the user."""
    if ui.view.selected and rows_of(ui.snapshot, ui.view.selected) is None:
        show_toast(
            ui,
            Message("Grain {selected} has left the scene: nothing is selected any more.", selected=ui.view.selected[0]),
        )
        ui.view.selected = ()


TOOL = Tool(
    "inspect",
    _("Inspect"),
    20,
    "I",
    _("Click a grain to see its forces, then one of its contacts to see overlap, forces and friction spring."),
    click=click,
)
