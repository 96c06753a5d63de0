"""The experiment in the window as a code, as a command line, and as a QR code."""

from __future__ import annotations

import shlex
import subprocess
import sys
from functools import lru_cache
from typing import Any, BinaryIO

from imgui_bundle import imgui
from repose.app.ui.preset_library import different
from repose.app.ui.toasts import tell
from repose.app.ui.ui import Ui
from repose.sim.io import presets
from repose.sim.parameters import ParameterError, Value
from repose.sim.registry import scenes


def experiment_of(ui: Ui) -> presets.Preset | None:
    """Scene, seed, ready state at the beginning and present parameters of the run; None before it has begun."""
    snapshot, parameters = ui.snapshot, ui.snapshot.parameters
    if parameters is None:
        return None
    scene = snapshot.scene
    return presets.Preset("shared", scenes()[scene].title, scene, snapshot.seed, different(parameters), snapshot.ready)


def code_or_refusal(ui: Ui) -> tuple[str, str]:
    """The code of the run in the window, or an empty one and why there is none."""
    found = experiment_of(ui)
    if found is None:
        return "", "The code appears as soon as the engine is ready."
    try:
        return presets.code_of(found), ""
    except ParameterError as error:
        return "", str(error)


def command_line(preset: presets.Preset) -> str:
    """The command that runs the preset without a window; raises `ParameterError` where there is none."""
    start = presets.load(presets.DEFAULT)
    if start.scene != preset.scene:
        start = presets.Preset("defaults", "", preset.scene)
    if preset.ready not in (None, start.ready):
        return _joined(["repose", "run", "--preset", presets.code_of(preset), "--ready"])
    declared = scenes()[preset.scene].parameters
    before = declared.checked(start.values).model_dump()
    after = declared.checked(preset.values).model_dump()
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
    tell(
        ui,
        refusal or "The code is on the clipboard: it opens this experiment in Repose on another machine.",
        bool(refusal),
    )


def copy_command_line(ui: Ui) -> None:
    """Put the command line on the clipboard."""
    found = experiment_of(ui)
    try:
        line = command_line(found) if found is not None else ""
    except ParameterError as error:
        tell(ui, str(error), bad=True)
        return
    if line:
        imgui.set_clipboard_text(line)
        tell(ui, "The command line is on the clipboard: it runs this experiment without a window.")


@lru_cache(maxsize=4)
def qr_of(code: str) -> Any:
    """The QR code with a medium error correction."""
    import segno

    return segno.make(code, error="m", micro=False, boost_error=False)


def write_qr(code: str, kind: str, file: BinaryIO) -> None:
    """Write the QR code as "png" or "svg", with the code inside."""
    if kind == "svg":
        qr_of(code).save(file, kind="svg", scale=8, border=4, title="Experiment of Repose", desc=code, light="white")
    else:
        qr_of(code).save(file, kind="png", scale=8, border=4)
