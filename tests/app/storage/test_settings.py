"""Settings are read back as stored, and a file that cannot be read is never overwritten."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from repose.app.storage import paths
from repose.app.storage.settings import LARGEST_FILE, Choices, load_settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "settings.toml"


def write(path: Path, content: bytes) -> bytes:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return content


def test_without_a_file_defaults_are_used_and_stored(file: Path) -> None:
    settings = load_settings(file)
    assert not settings.trouble
    assert settings.choices == Choices()
    settings.choices.theme = "light"
    assert settings.save()
    assert load_settings(file).choices.theme == "light"


def test_what_a_scene_has_turned_on_is_no_choice_of_the_user(file: Path) -> None:
    settings = load_settings(file)
    settings.directed = {"force_chains": False, "stress_field": True}
    settings.choices.view.shown = {"force_chains": True, "stress_field": True, "rose": True}
    assert settings.save()
    assert load_settings(file).choices.view.shown == {"force_chains": False, "stress_field": True, "rose": True}
    assert settings.choices.view.shown["force_chains"], "it goes on being shown"


def test_saving_twice_writes_once(file: Path) -> None:
    settings = load_settings(file)
    settings.choices.theme = "light"
    settings.save()
    before = file.stat().st_mtime_ns, file.stat().st_ino
    settings.save()
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before


@pytest.mark.case("G14")
@pytest.mark.parametrize(
    "content",
    [b"theme == 3", b"\xff\xfe\x00", b"theme = 'light'\ntheme = 'dark'", b"a" * (LARGEST_FILE + 1)],
    ids=["no toml", "no text", "twice", "too large"],
)
def test_an_unreadable_file_is_reported_and_not_changed(file: Path, content: bytes) -> None:
    write(file, content)
    settings = load_settings(file)
    assert str(file) in str(settings.trouble)
    assert settings.choices == Choices()
    settings.choices.theme = "light"
    assert not settings.save()
    assert file.read_bytes() == content


@pytest.mark.parametrize("kind", ["folder", "pipe", "device"])
@pytest.mark.timeout(20)
def test_pipes_and_devices_are_reported_and_not_read(file: Path, kind: str) -> None:
    file.parent.mkdir()
    if kind == "folder":
        file.mkdir()
    elif not hasattr(os, "mkfifo"):
        pytest.skip("Windows has no pipes and devices among its files")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to("/dev/zero")
    settings = load_settings(file)
    assert str(file) in str(settings.trouble)
    assert "a settings file is a TOML file" in str(settings.trouble)
    assert settings.choices == Choices()
    settings.choices.theme = "light"
    assert not settings.save()
    assert not file.is_file()


@pytest.mark.parametrize("line", ["theme = 'pink'", "width = nan", "width = '3'", "font_scale = 1e999", "height = -4"])
def test_an_invalid_value_is_reported_and_replaced_only_by_a_choice_of_the_user(file: Path, line: str) -> None:
    write(file, f"{line}\npreset = 'moon'\n".encode())
    name = line.split()[0]
    settings = load_settings(file)
    assert name in str(settings.trouble)
    assert settings.choices.preset == "moon"
    assert settings.save()
    assert line in file.read_text(encoding="utf-8")


@pytest.mark.case("F04")
def test_two_windows_do_not_overwrite_each_others_choices(file: Path) -> None:
    one, other = load_settings(file), load_settings(file)
    one.choices.theme = "light"
    assert one.save()
    other.choices.preset = "moon"
    assert other.save()
    kept = load_settings(file).choices
    assert (kept.theme, kept.preset) == ("light", "moon")
    assert one.save()
    assert load_settings(file).choices.preset == "moon"


def test_a_file_damaged_during_the_session_is_reported_and_not_changed(file: Path) -> None:
    settings = load_settings(file)
    content = write(file, b"theme == 3")
    settings.choices.theme = "light"
    assert not settings.save()
    assert str(file) in str(settings.trouble)
    assert file.read_bytes() == content


@pytest.mark.case("F13")
def test_keys_and_comments_of_another_version_are_kept(file: Path) -> None:
    write(file, b"# mine\nfuture_setting = 3\ntheme = 'light'\n")
    settings = load_settings(file)
    settings.choices.theme = "dark"
    settings.save()
    text = file.read_text(encoding="utf-8")
    assert "# mine" in text
    assert "future_setting = 3" in text
    assert load_settings(file).choices.theme == "dark"


@pytest.mark.case("F06", "G14")
def test_a_folder_that_cannot_be_written_is_reported_and_the_old_file_remains(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = write(file, b"theme = 'light'\n")
    settings = load_settings(file)
    settings.choices.theme = "dark"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert not settings.save()
    assert "No space left" in str(settings.trouble)
    assert file.read_bytes() == content
    assert list(file.parent.iterdir()) == [file]


def test_no_draft_remains_after_a_failed_write(tmp_path: Path) -> None:
    paths.write_private(tmp_path / "a.txt", "one")
    paths.write_private(tmp_path / "a.txt", "two")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "two"
