"""`repose install-shortcut`: an entry for the program where the system lists its programs, and its removal.

Linux: a desktop entry (Desktop Entry Specification 1.1, which the desktops in use read) and an icon of the theme
hicolor. macOS: a bundle in the user's Applications. Windows: a link in the Start menu, which Windows itself writes
(WScript.Shell), and an icon. Nothing is written outside the user's own folders.
"""

from __future__ import annotations

import io
import os
import plistlib
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from operator import methodcaller
from pathlib import Path
from typing import NamedTuple

from repose.app.progress import print_line
from repose.app.window.icon import draw_icon
from repose.sim.io.atomic_file import write_whole_file
from repose.sim.wording import reason_of

NAME, IDENTIFIER = "Repose", "io.github.repose"
WORDS = "A live granular laboratory"
ICON, SIZES = 256, (16, 32, 48, 64, 128, 256)
"""Edge of the icon, and edges of the smaller ones in a file for Windows [px]."""
LINK = """
$ErrorActionPreference = 'Stop'
$link = (New-Object -ComObject WScript.Shell).CreateShortcut($env:REPOSE_LINK)
$link.TargetPath = $env:REPOSE_TARGET
$link.Arguments = $env:REPOSE_ARGUMENTS
$link.IconLocation = $env:REPOSE_ICON
$link.Description = $env:REPOSE_WORDS
$link.WorkingDirectory = $env:USERPROFILE
$link.Save()
"""
"""Script for Windows PowerShell; its values are environment variables, which need no quotes."""
PATIENCE = 60.0
"""Longest wall time of PowerShell [s]."""


class Shortcut(NamedTuple):
    """The entry of the program in one system."""

    shown: Path
    """File or folder that the user sees."""
    files: Mapping[Path, bytes]
    """Files to write, by their paths."""
    runnable: Path | None = None
    """The file that is a program; None if there is none."""
    link: Callable[[], None] = lambda: None
    """Makes the system write `shown`, if only the system can write this format."""


def install(remove: bool = False) -> int:
    """Write the entry of this system, or remove it; returns the exit code."""
    installed = shortcut()
    try:
        if remove:
            gone = _remove(installed)
            print_line(
                f"{installed.shown} is removed." if gone else f"There is no {installed.shown}: nothing is removed."
            )
            return 0
        for path, content in installed.files.items():
            write_whole_file(path, methodcaller("write", content))
        if installed.runnable is not None:
            installed.runnable.chmod(0o755)
        installed.link()
    except (OSError, subprocess.SubprocessError) as error:
        reason = reason_of(error)
        print_line(f"{installed.shown} could not be {'removed' if remove else 'written'}: {reason}.")
        return 1
    print_line(
        f"{NAME} is among the programs of this user now: {installed.shown}; "
        "`repose install-shortcut --remove` removes it."
    )
    return 0


def shortcut(system: str = sys.platform, home: Path | None = None) -> Shortcut:
    """The entry for a system, in the folders of the user."""
    home = home or Path.home()
    if system == "win32":
        roaming = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
        return windows_link(roaming, command(windows=True))
    if system == "darwin":
        return mac_bundle(home / "Applications", command())
    return desktop_entry(Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share"), command())


def command(windows: bool = False) -> list[str]:
    """The words that start the window: the installed program, on Windows without a console."""
    python = Path(sys.executable)
    if windows:
        quiet = python.with_name("pythonw.exe")
        return [str(quiet if quiet.exists() else python), "-m", "repose.app"]
    program = Path(sysconfig.get_path("scripts")) / "repose"
    return [str(program)] if program.exists() else [str(python), "-m", "repose.app"]


def desktop_entry(data: Path, words: Sequence[str]) -> Shortcut:
    """The entry for Linux; `data` is the folder XDG_DATA_HOME."""
    lines = [
        "[Desktop Entry]",
        "Type=Application",
        "Version=1.1",
        f"Name={NAME}",
        f"Comment={WORDS}",
        f"Exec={' '.join(map(_quoted, words))}",
        "Icon=repose",
        "Terminal=false",
        "Categories=Education;Physics;",
        "Keywords=granular;heap;angle of repose;discrete element method;",
        "StartupWMClass=repose",
    ]
    shown = data / "applications" / "repose.desktop"
    icon = data / "icons" / "hicolor" / f"{ICON}x{ICON}" / "apps" / "repose.png"
    return Shortcut(shown, {shown: ("\n".join(lines) + "\n").encode("utf-8"), icon: _icon("PNG")})


def _quoted(word: str) -> str:
    r"""An argument of the key Exec: in quotes, with the characters " ` $ \ escaped, and once more as in every value."""
    escaped = "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in word)
    return '"' + escaped.replace("\\", "\\\\").replace("%", "%%") + '"'


def mac_bundle(applications: Path, words: Sequence[str]) -> Shortcut:
    """The entry for macOS; the bundle starts the program by a line of shell."""
    shown = applications / f"{NAME}.app"
    inside, program = shown / "Contents", shown / "Contents" / "MacOS" / NAME
    version = metadata.version("repose")
    about = {
        "CFBundleName": NAME,
        "CFBundleDisplayName": NAME,
        "CFBundleIdentifier": IDENTIFIER,
        "CFBundleVersion": version,
        "CFBundleShortVersionString": version,
        "CFBundlePackageType": "APPL",
        "CFBundleInfoDictionaryVersion": "6.0",
        "CFBundleExecutable": NAME,
        "CFBundleIconFile": NAME,
        "NSHighResolutionCapable": True,
        "LSApplicationCategoryType": "public.app-category.education",
    }
    files = {
        inside / "Info.plist": plistlib.dumps(about),
        inside / "Resources" / f"{NAME}.icns": _icon("ICNS"),
        program: f"#!/bin/sh\nexec {shlex.join(words)}\n".encode(),
    }
    return Shortcut(shown, files, runnable=program)


def windows_link(roaming: Path, words: Sequence[str]) -> Shortcut:
    """The entry for Windows; `roaming` is the folder APPDATA."""
    shown = roaming / "Microsoft" / "Windows" / "Start Menu" / "Programs" / f"{NAME}.lnk"
    icon = roaming / "repose" / "repose.ico"
    variables = {
        "REPOSE_LINK": str(shown),
        "REPOSE_TARGET": words[0],
        "REPOSE_ARGUMENTS": subprocess.list2cmdline(words[1:]),
        "REPOSE_ICON": f"{icon},0",
        "REPOSE_WORDS": WORDS,
    }

    def link() -> None:
        shown.parent.mkdir(parents=True, exist_ok=True)
        shell = ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", LINK]
        done = subprocess.run(
            shell, env=os.environ | variables, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        if done.returncode:
            reason = " ".join(done.stderr.split())[:200]
            raise OSError(f"Windows PowerShell ended with code {done.returncode}: {reason}")

    return Shortcut(shown, {icon: _icon("ICO")}, link=link)


def _icon(kind: str) -> bytes:
    """The icon of the window as a file."""
    from PIL import Image

    file = io.BytesIO()
    picture = Image.fromarray(draw_icon(ICON), "RGBA")
    if kind == "ICO":
        picture.save(file, kind, sizes=[(size, size) for size in SIZES])
    else:
        picture.save(file, kind)
    return file.getvalue()


def _remove(installed: Shortcut) -> bool:
    """Remove what `install` has written, and nothing else; False if there was nothing."""
    paths = [path for path in dict.fromkeys((*installed.files, installed.shown)) if path.is_file() or path.is_symlink()]
    for path in paths:
        path.unlink()
    if installed.shown.is_dir():  # a bundle, whose folders are its own
        for folder in sorted({path.parent for path in installed.files}, key=lambda path: -len(path.parts)):
            with suppress(OSError):
                folder.rmdir()
        with suppress(OSError):
            installed.shown.rmdir()
    return bool(paths)
