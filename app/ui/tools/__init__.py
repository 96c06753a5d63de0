"""Tools of the mouse on the picture: one module each, with its record `TOOL`; plug-ins add more.

A tool decides what a drag of the left button does. It requests changes by commands, like a panel. The camera keeps the
right button, the wheel, and the drags that the chosen tool leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from repose.app.extensions import offered
from repose.app.ui.keys import Key
from repose.app.ui.toasts import tell
from repose.app.ui.ui import Ui
from repose.sim.experiment.snapshot import Snapshot

Pixel = tuple[float, float]
"""Place of the pointer [px of the window]."""


def no_click(ui: Ui, at: Pixel) -> None:
    """A click that no tool uses."""


@dataclass(frozen=True)
class Tool:
    """One tool of the mouse."""

    name: str
    title: str
    """On its button: one or two words."""
    order: int
    key: str
    """Letter that chooses it."""
    help: str
    press: Callable[[Ui, Pixel], bool] = lambda ui, at: False
    """press(ui, at), when the left button goes down over the picture -> whether this drag is the tool's; otherwise it
    is the camera's."""
    hold: Callable[[Ui, Pixel], bool] = lambda ui, at: True
    """hold(ui, at), once per frame of the drag -> whether it goes on."""
    release: Callable[[Ui], None] = lambda ui: None
    """Called at the end of the drag, however it ends."""
    abandon: Callable[[Ui], None] | None = None
    """Called in place of `release` where the run has gone to another moment during the drag, by undo, rewinding or a
    restart: what the drag does belongs to the moment that was left. None calls `release`."""
    click: Callable[[Ui, Pixel], None] = no_click
    """click(ui, at), when the button went up near the place where it went down, whoever had the drag."""
    keeps_band: bool = False
    """Whether the band for plates at the right of the picture is kept free, so that the picture does not move with a
    click."""
    options: Callable[[Ui], None] | None = None
    """Draws the settings of the tool below the buttons while it is chosen."""
    keys: tuple[Key, ...] = ()
    """Keys that it has while it is chosen."""
    again: Callable[[Ui], None] = lambda ui: None
    """Called when its key is pressed while it is chosen already."""
    refusal: Callable[[Snapshot], str] = lambda snapshot: ""
    """refusal(snapshot) -> why the present scene has no use for it, one sentence; empty if it has."""


@cache
def all_tools() -> tuple[Tool, ...]:
    """Every tool of this package and of the plug-ins, in order; the first one is chosen at the start."""
    return tuple(sorted(offered(__name__, "TOOL"), key=lambda tool: tool.order))


def chosen_tool(ui: Ui) -> Tool:
    """The tool of the left button now: the first one where the scene has no use for the one that was chosen."""
    chosen = (tool for tool in all_tools() if tool.name == ui.tool and not tool.refusal(ui.snapshot))
    return next(chosen, all_tools()[0])


def choose_tool(ui: Ui, tool: Tool) -> None:
    """Let the left button do what this tool does."""
    ui.tool = tool.name


def choose_by_key(tool: Tool, ui: Ui) -> None:
    """What the key of a tool does: choose it, or do what it does when it is chosen already; say why the scene has no
    use for it."""
    if refusal := tool.refusal(ui.snapshot):
        tell(ui, refusal, bad=True)
        return
    if chosen_tool(ui) is tool:
        tool.again(ui)
    choose_tool(ui, tool)
