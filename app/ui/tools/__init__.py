"""Tools of the mouse on the picture: one module each, with its record `TOOL`; plug-ins add more.

A tool decides what a drag of the left button does. It requests changes by commands, like a panel. The camera keeps the
right button, the wheel, and the drags that the chosen tool leaves. Grains are pulled and pushed during a drag only: the
window ends a pull or a push that no drag holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from repose.app.extensions import offered
from repose.app.ui.keys import Key
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message

Pixel = tuple[float, float]
"""Position of the pointer [px of the window]."""


def no_click(ui: Ui, at: Pixel) -> None:
    """A click that no tool uses."""


@dataclass(frozen=True)
class Tool:
    """One tool of the mouse."""

    name: str
    title: Message
    """Label of the button: one or two words."""
    order: int
    key: str
    """Letter that chooses the tool."""
    help: Message
    press: Callable[[Ui, Pixel], bool] = lambda ui, at: False
    """press(ui, at), called when the left button goes down over the picture -> whether the tool takes the drag, which
    otherwise moves the camera."""
    hold: Callable[[Ui, Pixel], bool] = lambda ui, at: True
    """hold(ui, at), called once per frame of the drag -> whether the drag continues."""
    release: Callable[[Ui], None] = lambda ui: None
    """Called at the end of the drag, however it ends."""
    abandon: Callable[[Ui], None] | None = None
    """Called instead of `release` if undo, rewinding or a restart has moved the run to another time during the drag,
    whose effect belongs to the former time; the window ends a pull or a push that acts there. None: `release` is
    called."""
    click: Callable[[Ui, Pixel], None] = no_click
    """click(ui, at), called when the button is released near the place of the press, even if the camera had the
    drag."""
    options: Callable[[Ui], None] | None = None
    """Draws the settings of the tool below the buttons while it is chosen."""
    on_picture: Callable[[Ui], None] | None = None
    """Draws on the picture while its settings are shown, after the camera has moved in this frame."""
    keys: tuple[Key, ...] = ()
    """Keys that work while the tool is chosen."""
    again: Callable[[Ui], None] = lambda ui: None
    """Called when the key of the tool is pressed while the tool is chosen already."""
    refusal: Callable[[Snapshot], Message] = lambda snapshot: EMPTY
    """refusal(snapshot) -> one sentence why the tool does nothing in the present scene; empty if it does something."""
    first: bool = False
    """Whether its button is shown without *More*."""


@cache
def all_tools() -> tuple[Tool, ...]:
    """Every tool of this package and of the plug-ins, in order; the first one is chosen at the start."""
    return tuple(sorted(offered(__name__, "TOOL"), key=lambda tool: tool.order))


def chosen_tool(ui: Ui) -> Tool:
    """The tool of the left button: the chosen one, or the first one if the chosen one does nothing in this scene."""
    chosen = (tool for tool in all_tools() if tool.name == ui.mode.tool and not tool.refusal(ui.snapshot))
    return next(chosen, all_tools()[0])


def choose_tool(ui: Ui, tool: Tool) -> None:
    """Choose the tool of the left button."""
    ui.mode.tool = tool.name


def choose_by_key(tool: Tool, ui: Ui) -> None:
    """Choose a tool by its key; call its `again` if it is chosen already; tell the user its refusal, if any."""
    if refusal := tool.refusal(ui.snapshot):
        show_toast(ui, refusal, bad=True)
        return
    if chosen_tool(ui) is tool:
        tool.again(ui)
    choose_tool(ui, tool)
