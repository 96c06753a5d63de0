"""Folders of the program's files, as each operating system defines them; never the current folder."""

from __future__ import annotations

import stat
import sys
from contextlib import suppress
from pathlib import Path

import platformdirs
from repose.sim.io.atomic_file import remove_leftovers, write_whole_file

NAME = "repose"


def settings_folder() -> Path:
    """Folder of the settings; it may not exist."""
    return Path(platformdirs.user_config_dir(NAME, appauthor=False))


def settings_file() -> Path:
    """File of the settings."""
    return settings_folder() / "settings.toml"


def presets_folder() -> Path:
    """Folder of presets saved by the user."""
    return settings_folder() / "presets"


def autosave_folder() -> Path:
    """Folder of automatic saves."""
    return Path(platformdirs.user_state_dir(NAME, appauthor=False)) / "autosave"


def runs_folder() -> Path:
    """Default folder of saved runs."""
    return Path(platformdirs.user_documents_dir()) / "Repose"


def videos_folder() -> Path:
    """Default folder of films."""
    return Path(platformdirs.user_videos_dir()) / "Repose"


def remove_all_leftovers() -> None:
    """Remove temporary files of killed processes from the folders of the program."""
    for folder in (settings_folder(), presets_folder(), runs_folder(), videos_folder()):
        remove_leftovers(folder)


def make_private(folder: Path) -> None:
    """Create a folder, and the missing ones above it, which no other user can read or write, whatever the umask is.

    A folder that exists and that every user can write to is closed to them. Raises `OSError`.
    """
    for parent in (*reversed(folder.parents), folder):
        if not parent.exists():
            parent.mkdir(mode=0o700, exist_ok=True)
    if sys.platform != "win32" and (mode := folder.stat().st_mode) & stat.S_IWOTH:
        with suppress(PermissionError):  # of another owner
            folder.chmod(stat.S_IMODE(mode) & ~stat.S_IWOTH)


def write_private(path: Path, text: str) -> None:
    """Write a text file that no other user can read or write, in a private folder; after a crash either the complete
    old or the complete new file exists. Raises `OSError`."""
    make_private(path.parent)
    write_whole_file(path, lambda file: file.write(text.encode("utf-8")), mode=0o600)
