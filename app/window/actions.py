"""Functions behind keys and buttons that need the window, the camera or the physics thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from repose.app.render.orbit import VIEWS
from repose.app.storage.manual_process import open_in_browser
from repose.app.storage.paths import runs_folder
from repose.app.storage.png import save_png
from repose.app.ui.layout import focus_next
from repose.app.ui.panels import all_keys
from repose.app.ui.places import fold
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.app.window.camera_control import CameraControl
from repose.app.window.physics import Physics
from repose.app.window.window import Window
from repose.sim.experiment.origin import origin_of
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.message import EMPTY, _
from repose.sim.registry import scenes


def make_actions(
    ui: Ui,
    camera_control: Callable[[], CameraControl],
    window: Window,
    physics: Physics,
    draw: Callable[[], NDArray[np.uint8] | None],
) -> dict[str, Callable[[], object]]:
    """A function without arguments for every key, and for buttons without a key.

    `camera_control` returns the camera control of the shown picture; `draw` returns the pixels of the picture, or None
    if it cannot be drawn.
    """
    actions: dict[str, Callable[[], object]] = {
        key.name: partial(key.act, ui) for key in all_keys() if key.act is not None
    }
    actions |= {f"look_{name}": partial(_turn_to, camera_control, name) for name in VIEWS}
    return actions | {
        "save_picture": partial(_save_picture, ui, draw),
        "frame_all": lambda: camera_control().follow_grains(),
        "hide_panels": partial(_toggle_panels, ui),
        "fullscreen": window.toggle_fullscreen,
        "next_column": partial(focus_next, ui),
        "fold": partial(fold, ui),
        "manual": partial(_open_manual, ui),
        "revive": partial(_revive, ui, physics),
        "stop_relaxing": physics.stop_relaxing,
    }


def _save_picture(ui: Ui, draw: Callable[[], NDArray[np.uint8] | None]) -> None:
    """Write the picture as PNG, and grains and forces as SVG, to the folder of the runs, with their origin inside."""
    snapshot, pixels = ui.snapshot, draw()
    if pixels is None or snapshot.run.scene not in scenes():
        ui.work.run_saver.trouble = _("The picture cannot be drawn now, and is not saved.")
        return
    origin = origin_of(scenes()[snapshot.run.scene], snapshot.run.seed, snapshot.run.time, parameters_of(snapshot.run))
    if ui.beside.runs:
        origin["side by side"] = "; ".join(str(shot.run.label) for shot in ui.beside.runs)
    ui.work.run_saver.save_picture(
        runs_folder(), f"{snapshot.run.scene}-picture", partial(save_png, pixels, origin=origin)
    )


def _open_manual(ui: Ui) -> None:
    """Open the manual in the browser, and say so where the page of keys does not cover it."""
    ui.mode.help_open = False
    ui.work.run_saver.trouble = EMPTY  # a second failure is told again
    show_toast(ui, _("The manual opens in the browser; the first time it is built, which takes some seconds."))
    open_in_browser(partial(setattr, ui.work.run_saver, "trouble"))


def _turn_to(camera_control: Callable[[], CameraControl], view: str) -> None:
    camera_control().turn_to(view)


def _toggle_panels(ui: Ui) -> None:
    ui.view.ui_visible = not ui.view.ui_visible


def _revive(ui: Ui, physics: Physics) -> None:
    """Restart the experiment after the physics thread ended because of a program error."""
    ui.work.film.stop()
    ui.control.edits.forget()
    physics.revive()
