"""Drags of the left button on the picture that the chosen tool takes from the camera."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repose.app.ui.tools import Pixel, Tool, chosen_tool, no_click
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import Release

if TYPE_CHECKING:
    import pygame


CLICK = 4.0
"""Largest distance between press and release of a click [px at scale 1]."""
PATIENCE = 3
"""Number of snapshots after a release in which a pull may still act: physics has not carried out the release yet."""


@dataclass
class Gestures:
    """Passes a drag to the tool that began the drag, with the position of the pointer once per frame.

    A pull or a push that the newest state shows while no drag is under way is ended. It can be there because a command
    of the drag arrived after a restart of the run, because a release was refused during a rewind, or because the run
    continues from the middle of a former drag.
    """

    tool: Tool | None = None
    """The tool of the present drag; None without a drag."""
    _moment: tuple[int, int, int, float] = (0, 0, 0, 0.0)
    """Run, log, step and time of the last frame of the drag [-, -, -, s]."""
    _at: Pixel = (0.0, 0.0)
    _pressed: tuple[Tool, Pixel] | None = None
    """The chosen tool and the place when the button went down on the picture; None while it is up."""
    _released: int = 0
    """Serial of the snapshot shown at the last release."""
    _modified: bool = False
    """Whether Ctrl or Shift is down: such drags turn the glass or move the camera."""

    def handle(self, event: pygame.Event, ui: Ui, free: bool) -> bool:
        """True if the event was used; `free` is False if the pointer is on a panel."""
        import pygame

        if event.type in (pygame.KEYDOWN, pygame.KEYUP):
            self._modified = bool(event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META | pygame.KMOD_SHIFT))
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and free and not self._modified:
            self.end(ui)  # a release outside the window may be lost
            tool = chosen_tool(ui)
            self._at, self._pressed = event.pos, (tool, event.pos)
            self._moment = _moment_of(ui)
            self.tool = tool if ui.snapshot.serial and tool.press(ui, self._at) else None
            return self.tool is not None
        elif event.type == pygame.MOUSEBUTTONUP and event.button == 1:
            pressed, self._pressed, self._at, used = self._pressed, None, event.pos, self.tool is not None
            self.update(ui)  # to the place of the release, even in the frame of the press
            self.end(ui)
            if pressed is not None and math.dist(pressed[1], event.pos) <= CLICK * ui.window.scale:
                pressed[0].click(ui, event.pos)
            return used
        elif event.type == pygame.WINDOWFOCUSLOST:  # another window or a dialog may get the release
            self._pressed, self._modified = None, False
            self.end(ui)
        elif event.type == pygame.MOUSEMOTION and self.tool is not None:
            self._at = event.pos
            return True
        return False

    def takes_clicks(self, ui: Ui) -> bool:
        """Whether a drag is under way or the chosen tool acts on clicks; then the camera ignores double-clicks."""
        return self.tool is not None or chosen_tool(ui).click is not no_click

    def update(self, ui: Ui, covered: bool = False) -> None:
        """Pass the pointer to the tool, once per frame; end the drag if the run was changed, replaced or moved back, or
        if it is `covered` by another picture, whose camera gets the release of the button."""
        if covered:
            self.end(ui)
        if self.tool is None:
            self._free_grains(ui)
            return
        before, self._moment = self._moment, _moment_of(ui)
        run, log, step, now = self._moment
        if run == before[0] and (log != before[1] or step < before[2] or now < before[3]):
            tool, self.tool = self.tool, None
            (tool.abandon or tool.release)(ui)
        elif run != before[0] or not self.tool.hold(ui, self._at):
            self.end(ui)

    def end(self, ui: Ui) -> None:
        """End the drag under way, if there is one."""
        tool, self.tool = self.tool, None
        if tool is not None:
            self._released = ui.snapshot.serial
            tool.release(ui)

    def _free_grains(self, ui: Ui) -> None:
        """End a pull or a push that no drag holds; an earlier state is shown as it was."""
        snapshot = ui.snapshot
        acts = any(run.hand.pull is not None or run.hand.push is not None for run in ui.beside.runs or (snapshot,))
        if acts and snapshot.history.at == snapshot.history.log_end and snapshot.serial > self._released + PATIENCE:
            self._released = snapshot.serial
            ui.control.send(Release())


def _moment_of(ui: Ui) -> tuple[int, int, int, float]:
    """Run, log, step and time that the picture shows."""
    return ui.beside.chosen, ui.snapshot.history.logs, ui.snapshot.history.at, ui.snapshot.run.time
