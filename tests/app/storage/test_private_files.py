"""Settings, presets, automatic saves and compiled code are closed to other users, whatever the umask is."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from repose.app.storage import autosave, engine_cache, paths
from repose.app.storage.settings import load_settings
from repose.app.ui.preset_library import PresetLibrary
from repose.sim.registry import scenes

from tests.app.program import UNIX


@pytest.fixture
def open_to_all() -> Iterator[None]:
    """A process whose new files and folders every user can write to."""
    before = os.umask(0)
    yield
    os.umask(before)


@UNIX
@pytest.mark.usefixtures("open_to_all")
def test_settings_presets_and_saves_are_private_without_a_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv(engine_cache.VARIABLE, raising=False)
    settings = load_settings()
    settings.choices.theme = "light"
    assert settings.save()
    library = PresetLibrary(lambda command: None)
    assert library.save("mine", "heap", scenes()["heap"].parameters(), 1)
    position = autosave.begin()
    assert not engine_cache.choose_engine_cache()
    position.lock.close()
    folders = [tmp_path / "XDG_CONFIG_HOME", settings.path.parent, paths.presets_folder(), position.folder]
    folders += [paths.autosave_folder(), Path(os.environ[engine_cache.VARIABLE])]
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders] == [0o700] * len(folders)
    assert stat.S_IMODE(settings.path.stat().st_mode) == 0o600


@UNIX
@pytest.mark.usefixtures("open_to_all")
def test_a_folder_of_settings_that_everybody_can_write_to_is_closed(tmp_path: Path) -> None:
    (tmp_path / "settings").mkdir()
    settings = load_settings(tmp_path / "settings" / "settings.toml")
    settings.choices.theme = "light"
    assert settings.save()
    assert stat.S_IMODE(settings.path.parent.stat().st_mode) == 0o775
