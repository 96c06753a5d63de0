"""The experiment in the window as a code, as a command line, and as a QR code."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from imgui_bundle import imgui
from repose.app.ui.preset_library import different
from repose.app.ui.qr_code import qr_of
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.io import presets
from repose.sim.message import EMPTY, Message, _
from repose.sim.parameters import ParameterError, ParameterSet, Value
from repose.sim.registry import scenes
from repose.sim.wording import message_of


def experiment_of(ui: Ui) -> presets.Preset | None:
    """Scene, seed, ready state at the beginning and present parameters of the run, or of all runs side by side; None
    before the run has begun. Raises `ParameterError` if one preset cannot describe all runs."""
    runs = ui.beside.runs or (ui.snapshot,)
    sets = [found for shot in runs if (found := parameters_of(shot.run)) is not None]
    if len(sets) < len(runs) or ui.snapshot.engine.compiling:  # runs side by side begin once the engine is ready
        return None
    first = runs[0]
    names = dict.fromkeys(name for parameters in sets for name in different(parameters))
    values: dict[str, list[Any]] = {name: [parameters.as_given().get(name) for parameters in sets] for name in names}
    own = {name: tuple(given) for name, given in values.items() if given.count(given[0]) < len(given)}
    common = {name: given[0] for name, given in values.items() if name not in own}
    title = str(scenes()[first.run.scene].title)
    preset = presets.Preset("shared", title, first.run.scene, first.run.seed, common, first.run.ready, side_by_side=own)
    if len(runs) > 1:
        _require_same(preset, [(shot.run.scene, shot.run.seed, shot.run.ready) for shot in runs], sets)
    return preset


def _require_same(
    preset: presets.Preset, begun: Sequence[tuple[str, int, str | None]], sets: list[ParameterSet]
) -> None:
    """Raise `ParameterError` unless the runs of the preset have these scenes, seeds, ready states and parameters."""
    with suppress(ParameterError):
        described = presets.load(presets.code_of(preset)).runs
        as_begun = [(run.scene, run.seed, run.ready) for run in described]
        checked = [scenes()[run.scene].parameters.checked(run.values).as_given() for run in described]
        if as_begun == begun and checked == [parameters.as_given() for parameters in sets]:
            return
    raise ParameterError(
        _(
            "A code cannot describe these runs: they differ in more than values of one preset. Save them and share "
            "the file, or share one of them alone (F9)."
        )
    )


def code_or_refusal(ui: Ui) -> tuple[str, Message]:
    """The code of the run in the window, and why there is none; one of the two is empty."""
    try:
        preset = experiment_of(ui)
        if preset is None:
            return "", _("The code appears as soon as the engine is ready.")
        return presets.code_of(preset), EMPTY
    except ParameterError as error:
        return "", message_of(error)


def command_line(preset: presets.Preset) -> str:
    """The command that runs the preset without a window, or opens runs side by side in a window; raises
    `ParameterError` if there is no such command."""
    if preset.side_by_side:
        return _joined(["repose", "open", presets.code_of(preset)])
    start = presets.load(presets.DEFAULT)
    if start.scene != preset.scene:
        start = presets.Preset("defaults", "", preset.scene)
    if preset.ready is not None and (preset.ready, preset.seed) != (start.ready, start.seed):
        return _joined(["repose", "run", "--preset", presets.code_of(preset), "--ready"])
    declared = scenes()[preset.scene].parameters
    before = declared.checked(start.values).as_given()
    after = declared.checked(preset.values).as_given()
    values = {name: value for name, value in after.items() if value != before.get(name)} | dict(preset.values)
    words = ["repose", "run", preset.scene, "--seed", str(preset.seed)]
    words += [f"--set={name}={_written(value)}" for name, value in values.items()]
    return _joined(words + ["--ready"] * (preset.ready is not None))


def _written(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _joined(words: list[str]) -> str:
    """The words as one line of the system's shell."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def copy_code(ui: Ui) -> None:
    """Put the code on the clipboard."""
    code, refusal = code_or_refusal(ui)
    if code:
        imgui.set_clipboard_text(code)
    show_toast(
        ui,
        refusal or _("The code is on the clipboard: it opens this experiment in Repose on another machine."),
        bool(refusal),
    )


def copy_command_line(ui: Ui) -> None:
    """Put the command line on the clipboard."""
    try:
        preset = experiment_of(ui)
        line = command_line(preset) if preset is not None else ""
    except ParameterError as error:
        show_toast(ui, message_of(error), bad=True)
        return
    if preset is not None:
        imgui.set_clipboard_text(line)
        show_toast(
            ui,
            _("The command line is on the clipboard: it opens these runs side by side in a window.")
            if preset.side_by_side
            else _("The command line is on the clipboard: it runs this experiment without a window."),
        )


def write_qr(code: str, kind: str, file: BinaryIO) -> None:
    """Write the QR code as "png" or "svg", with the code inside."""
    if kind == "svg":
        qr_of(code).save(
            file, kind="svg", scale=8, border=4, title=str(_("Experiment of Repose")), desc=code, light="white"
        )
    else:
        qr_of(code).save(file, kind="png", scale=8, border=4)
