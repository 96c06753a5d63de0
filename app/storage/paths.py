"""Folders of the program's files, as each operating system defines them; never the current folder."""

from __future__ import annotations

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


def write_text(path: Path, text: str) -> None:
    """Write a text file; after a crash either the complete old or the complete new file exists."""
    write_whole_file(path, lambda file: file.write(text.encode("utf-8")))
