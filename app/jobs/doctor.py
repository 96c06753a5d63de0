"""Checks the machine: what is installed, what is missing and how to install it. Changes nothing."""

from __future__ import annotations

import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from repose.app.signals import held
from repose.app.thread_option import most_threads
from repose.sim.engine.thread_count import GRAINS_PER_THREAD, available
from repose.sim.wording import reason_of, short

PACKAGES = (
    "numpy",
    "numba",
    "llvmlite",
    "pygame-ce",
    "imgui-bundle",
    "PyOpenGL",
    "av",
    "scipy",
    "scikit-image",
    "pydantic",
    "typer",
)
PROBE = "from repose.app.jobs.doctor import probe_opengl; probe_opengl()"
PROBE_DISPLAY = "from repose.app.window.window import use_display; use_display()"
OPENGL = "The window draws with OpenGL 3.3, which comes with the driver of the graphics card."
MISSING_OPENGL = {
    "linux": "A small installation lacks its libraries: sudo apt install libgl1 libegl1 libgl1-mesa-dri (Debian, "
    "Ubuntu), sudo dnf install mesa-libGL mesa-libEGL mesa-dri-drivers (Fedora), sudo pacman -S mesa (Arch). They draw "
    "with the processor where there is no card. In a container or over ssh there may be no display to draw on.",
    "darwin": "Every Mac since 2012 has it, but not a login over ssh, and not every virtual machine: start Repose "
    "on the screen of the Mac itself.",
    "win32": "Windows' own driver has only OpenGL 1.1: install the driver from the maker of the card (Intel, AMD, "
    "NVIDIA). In a virtual machine or Remote Desktop install 'OpenCL, OpenGL and Vulkan Compatibility Pack' from the "
    "Microsoft Store.",
}
"""Why OpenGL may be missing and what to install, by `sys.platform`."""
PATIENCE = 60.0
"""Longest wall time of a check in a separate process [s]."""


@dataclass(frozen=True)
class Finding:
    """Result of one check."""

    name: str
    value: str
    advice: str = ""
    """What the user should do; empty if nothing is wrong."""


def examine() -> list[Finding]:
    """The results of all checks, the most general first."""
    checks: tuple[Callable[[], list[Finding]], ...] = (
        *(_program, _plugins, _display, _opengl, _threads, _caches, _encoders),
    )
    return [finding for check in checks for finding in check()]


def has_display() -> bool:
    """Whether there is a display for a window."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"))


def probe_opengl() -> None:
    """Print version and renderer of OpenGL as JSON; called in a separate process, which a broken driver can crash."""
    from repose.app.window.window import open_offscreen

    window = open_offscreen((64, 64))
    with held():
        importlib.import_module("imgui_bundle")  # needs the X libraries, which a minimal installation lacks
    sys.stdout.write(json.dumps({"version": window.gl_version, "renderer": window.gl_renderer}) + "\n")
    window.close()


def _program() -> list[Finding]:
    system = Finding("system", f"{platform.platform()}, Python {platform.python_version()}")
    both = _installed("pygame") and _installed("pygame-ce")
    clash = "pygame and pygame-ce overwrite each other: pip uninstall pygame, then reinstall pygame-ce" if both else ""
    versions = [f"{name} {_installed(name) or 'missing'}" for name in PACKAGES]
    missing = [name for name in PACKAGES if not _installed(name)]
    advice = clash or (f"install what is missing: pip install {' '.join(missing)}" if missing else "")
    return [
        Finding("repose", _installed("repose") or "not installed"),
        system,
        Finding("packages", ", ".join(versions), advice),
    ]


def _plugins() -> list[Finding]:
    from repose.sim import registry

    plugins, troubles = registry.plugins(), registry.troubles()
    not_imported = {plugin.trouble for plugin in plugins}
    return [
        Finding("plug-in folder", str(registry.plugin_folder())),
        *(
            Finding("plug-in", f"{plugin.source}: {', '.join(_offers(plugin)) or 'no records'}", plugin.trouble)
            for plugin in plugins
        ),
        *(Finding("plug-in", "record not used", trouble) for trouble in troubles if trouble not in not_imported),
        *_plugin_files(),
    ]


def _plugin_files() -> list[Finding]:
    """The presets, lectures and studies without code in the plug-in folder."""
    from repose.app.lectures import lecture_file
    from repose.sim import registry
    from repose.sim.io import presets
    from repose.sim.parameters import ParameterError
    from repose.sim.study.plan_file import read_plan

    kinds: tuple[tuple[str, Callable[[Path], object], tuple[str, ...]], ...] = (
        ("preset", presets.load, (*presets.names(), *presets.plugin_scenes())),
        ("lecture", lecture_file.load, lecture_file.names()),
        ("study", read_plan, tuple(registry.studies())),
    )
    entries = []
    for kind, read, taken in kinds:
        for name, path in presets.plugin_files(kind).items():
            trouble = f"the {kind} '{name}' exists already: rename the file" if name in taken else ""
            try:
                read(path)
            except ParameterError as error:
                trouble = str(error)
            entries.append(Finding("plug-in", f"{path}: {kind} {name}", trouble))
    return entries


def _offers(plugin: Any) -> list[str]:
    """Kinds and names of the records of a plug-in, such as "law springy" or "panel mine"."""
    from repose.sim.registry import records_in

    drawn = (("PANEL", "panel"), ("TOOL", "tool"), ("PASS", "draw pass"))
    records = [(word, record) for name, word in drawn for record in records_in(plugin.module, name)]
    return [*plugin.offers, *(f"{word} {short(str(getattr(record, 'name', '?')))}" for word, record in records)]


def _display() -> list[Finding]:
    names = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    variables = ", ".join(f"{name}={os.environ[name]}" for name in names if os.environ.get(name))
    without = "`repose run heap` runs the experiment without one"
    if not has_display():
        return [Finding("display", "none", f"the window needs a display; {without}")]
    location = variables or f"that of {platform.system()}"
    try:
        answers = _probed(PROBE_DISPLAY).returncode == 0
    except subprocess.TimeoutExpired:
        answers = False
    if answers:
        return [Finding("display", location)]
    advice = f"the window needs a display: start Repose on the screen itself, or correct the variable; {without}"
    return [Finding("display", f"{location} does not answer", advice)]


def _opengl() -> list[Finding]:
    try:
        done = _probed(PROBE)
    except subprocess.TimeoutExpired:
        return [Finding("OpenGL", f"no answer within {PATIENCE:g} s", "update the graphics driver")]
    if done.returncode == 0:
        content = json.loads(done.stdout.splitlines()[-1])
        software = any(
            word in content["renderer"].lower() for word in ("llvmpipe", "softpipe", "swiftshader", "basic render")
        )
        advice = (
            "drawn by the processor: install the graphics card's driver for smooth large windows" if software else ""
        )
        return [Finding("OpenGL", f"{content['version']}, {content['renderer']}", advice)]
    lines = done.stderr.strip().splitlines() or [f"the probe ended with code {done.returncode}"]
    reason = lines[-1].partition(": ")[2] or lines[-1]
    return [Finding("OpenGL", f"not usable: {reason}", _about_opengl())]


def _probed(code: str) -> subprocess.CompletedProcess[str]:
    """The end of a separate process that runs the code, which a driver can crash; raises `TimeoutExpired`."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=_root())


def _about_opengl(system: str = sys.platform) -> str:
    """What OpenGL is, why this system may not have it, and how to get it."""
    name = system if system in MISSING_OPENGL else "linux"
    return f"{OPENGL} {MISSING_OPENGL[name]} Without a window everything works too: repose run heap."


def _threads() -> list[Finding]:
    usable, most = available(), most_threads()
    advice = "physics and picture share one core: few frames per second" if usable < 2 else ""
    words = f"up to {most}, one for every {GRAINS_PER_THREAD} grains" if most > 1 else "1"
    return [
        Finding("processor cores", f"{usable} usable of {os.cpu_count()}", advice),
        Finding("threads of a run", f"{words}; --threads sets another number"),
    ]


def _caches() -> list[Finding]:
    from repose.app.storage.engine_cache import VARIABLE
    from repose.app.storage.paths import settings_folder, videos_folder

    folders = {"settings": settings_folder(), "films": videos_folder()}
    if VARIABLE in os.environ:
        folders["compiled engine"] = Path(os.environ[VARIABLE])
    return [_writable(name, folder) for name, folder in folders.items()]


def _writable(name: str, folder: Path) -> Finding:
    """Whether a file can be created in `folder`, or in the nearest parent that exists."""
    location = folder
    while not location.exists() and location != location.parent:
        location = location.parent
    try:
        with tempfile.TemporaryFile(dir=location):
            return Finding(name, str(folder))
    except OSError as error:
        reason = reason_of(error)
        return Finding(name, f"{folder} cannot be written to ({reason})", "make it writable")


def _encoders() -> list[Finding]:
    from repose.app.storage.recorder import RecorderError, encoder_names

    try:
        names = encoder_names()
    except RecorderError as error:
        return [Finding("video encoders", "none", str(error))]
    return [Finding("video encoders", ", ".join(names) or "none", "" if names else "pip install --upgrade av")]


def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _root() -> Path:
    return Path(__file__).resolve().parent.parent
