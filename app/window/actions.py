"""What the keys of `repose.app.ui.keys`, and the buttons that say the same, do in the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from repose.app.render.colours import COLOURINGS
from repose.app.render.orbit import VIEWS
from repose.app.storage.paths import runs_folder
from repose.app.storage.run_saver import free_name
from repose.app.ui import rewind
from repose.app.ui.keys import KEYS
from repose.app.ui.layout import focus_next
from repose.app.window.camera_control import CameraControl
from repose.app.window.physics import Physics
from repose.app.window.window import Window
from repose.sim.experiment.commands import Act

if TYPE_CHECKING:
    from repose.app.ui.panels import Ui


def make_actions(
    ui: Ui, camera_control: CameraControl, window: Window, physics: Physics
) -> dict[str, Callable[[], None]]:
    """A function without arguments for every name a key may stand for."""
    acts = {key.does: partial(_act, ui, key.shown) for key in KEYS if key.group == "Experiment"}
    acts |= {f"look_{name}": partial(camera_control.look, name) for name in VIEWS}
    return acts | {
        "pause": lambda: ui.transport.pause(not ui.transport.paused),
        "step": lambda: rewind.step_on(ui),
        "faster": lambda: ui.transport.choose(ui.transport.index + 1),
        "slower": lambda: ui.transport.choose(ui.transport.index - 1),
        "step_back": lambda: rewind.step_back(ui),
        "earlier": lambda: rewind.earlier(ui),
        "later": lambda: rewind.later(ui),
        "save_run": partial(_save_run, ui),
        "open_run": partial(_open_run, ui),
        "halve": partial(_go_back, ui, "halve"),
        "remove": partial(_go_back, ui, "remove"),
        "undo": ui.edits.undo,
        "redo": ui.edits.redo,
        "frame_all": camera_control.show_everything,
        "next_colour": partial(_next_colour, ui),
        "force_chains": partial(_toggle_force_chains, ui),
        "record": lambda: ui.film.stop() if ui.film.running else ui.film.start(),
        "hide_panels": partial(_toggle_panels, ui),
        "fullscreen": window.toggle_fullscreen,
        "revive": partial(_revive, ui, physics),
        "next_column": partial(focus_next, ui),
        "help": partial(_toggle_help, ui),
        "close_help": partial(_close_help, ui),
    }


def _act(ui: Ui, letter: str) -> None:
    """Do what the scene offers under a letter: the wall of one scene is the lid or the cylinder of another."""
    for action in ui.snapshot.actions:
        if action.key == letter:
            ui.send(Act(action.name))


def _save_run(ui: Ui) -> None:
    """Where the path says, or without one in a file of its own."""
    ui.run_saver.save(ui.run_saver.path.strip() or str(free_name(runs_folder(), ui.snapshot.scene)))


def _open_run(ui: Ui) -> None:
    from repose.app.ui.panels.runs import ask_for_file  # panels know the actions

    ask_for_file(ui)


def _go_back(ui: Ui, name: str) -> None:
    """One of the ways on after a fault; nothing without one."""
    from repose.app.ui.panels.notices import ways_back  # panels know the actions

    for way, _, _, _, do in ways_back(ui):
        if way == name:
            do()


def _next_colour(ui: Ui) -> None:
    names = list(COLOURINGS)
    after = names[(names.index(ui.view.colour_by) + 1) % len(names)]
    ui.view.colour_by = ui.settings.choices.colour_by = after


def _toggle_force_chains(ui: Ui) -> None:
    shown = not ui.view.show_force_chains
    ui.view.show_force_chains = ui.settings.choices.show_force_chains = shown


def _toggle_panels(ui: Ui) -> None:
    ui.view.ui_visible = not ui.view.ui_visible


def _revive(ui: Ui, physics: Physics) -> None:
    """Start the experiment anew after the physics thread has ended by mistake."""
    ui.film.stop()
    ui.edits.forget()
    physics.revive()


def _toggle_help(ui: Ui) -> None:
    ui.help_open = not ui.help_open


def _close_help(ui: Ui) -> None:
    ui.help_open = False
