"""Folders of the program's files, as each operating system defines them; never the current folder."""

from __future__ import annotations

from pathlib import Path

import platformdirs
from repose.sim.io.atomic_file import sweep, write_whole_file

NAME = "repose"


def settings_folder() -> Path:
    """Folder of window size, theme and last preset; it need not exist yet."""
    return Path(platformdirs.user_config_dir(NAME, appauthor=False))


def settings_file() -> Path:
    """File the settings are kept in."""
    return settings_folder() / "settings.toml"


def presets_folder() -> Path:
    """Folder of the presets a user has saved."""
    return settings_folder() / "presets"


def autosave_folder() -> Path:
    """Folder of automatic saves."""
    return Path(platformdirs.user_state_dir(NAME, appauthor=False)) / "autosave"


def runs_folder() -> Path:
    """Folder saved runs go to unless told otherwise."""
    return Path(platformdirs.user_documents_dir()) / "Repose"


def videos_folder() -> Path:
    """Folder recordings go to unless told otherwise."""
    return Path(platformdirs.user_videos_dir()) / "Repose"


def sweep_all() -> None:
    """Delete temporary files of killed processes from the program's folders."""
    for folder in (settings_folder(), presets_folder(), runs_folder(), videos_folder()):
        sweep(folder)


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that a crash leaves either the old or the new one, never half of it."""
    write_whole_file(path, lambda file: file.write(text.encode("utf-8")))
