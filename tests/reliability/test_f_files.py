"""Group F, files: what is written is whole or not there, whatever the disk does."""

from __future__ import annotations

import errno
import itertools
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.storage.settings import load_settings
from repose.sim.io import atomic_file, presets
from repose.sim.io.atomic_file import write_new_file, write_whole_file
from repose.sim.parameters import ParameterError

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither modes nor links of a user")


def put(content: bytes) -> Callable[[Any], object]:
    """A function that writes it."""
    return lambda file: file.write(content)


@pytest.mark.parametrize("persistent", [False, True], ids=["once", "from then on"])
def test_f07_whichever_call_of_the_disk_fails_the_old_file_is_whole_and_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, persistent: bool
) -> None:
    file, calls, at = tmp_path / "a.toml", itertools.count(), 0

    def failing(real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **more: Any) -> Any:
            number = next(calls)
            if number == at or (persistent and number > at):
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return real(*arguments, **more)

        return called

    for write, before in ((write_whole_file, b"old"), (write_new_file, None)):
        for at in range(100):
            file.unlink(missing_ok=True)
            if before is not None:
                file.write_bytes(before)
            calls, failed = itertools.count(), False
            with monkeypatch.context() as patch:
                for owner, name in ((Path, "open"), (os, "open"), (os, "fsync"), (os, "replace")):
                    patch.setattr(owner, name, failing(getattr(owner, name)))
                try:
                    write(file, put(b"new"))
                except OSError as error:
                    failed = error.errno == errno.EIO
            if not failed:
                assert at >= 3
                assert file.read_bytes() == b"new"
                break
            assert (file.read_bytes() if file.exists() else None) == before
            assert [*tmp_path.iterdir()] == [file] * (before is not None)
        else:
            raise AssertionError("it never succeeded")


@pytest.mark.case("F15")
def test_f08_a_refused_replacement_is_tried_again_and_then_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, real, refusals = tmp_path / "a.toml", os.replace, iter(range(3))

    def busy(draft: Path, path: Path) -> None:
        if next(refusals, None) is not None:
            raise PermissionError(errno.EACCES, "The file is open in another program")
        real(draft, path)

    monkeypatch.setattr(os, "replace", busy)
    write_whole_file(file, put(b"new"))
    assert file.read_bytes() == b"new"
    monkeypatch.setattr(atomic_file, "PATIENCE", 0.0)
    refusals = itertools.count()
    settings = load_settings(tmp_path / "settings.toml")
    settings.choices.theme = "light"
    assert not settings.save()
    assert "open in another program" in str(settings.trouble)
    assert {path.name for path in tmp_path.iterdir()} <= {"a.toml", "settings.toml"}


@pytest.mark.parametrize("length", [300, 5_000])
def test_f09_a_name_too_long_for_the_disk_is_refused_in_a_sentence_before_any_work(
    length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    long = "x" * length
    for arguments in (
        ("open", f"{long}.toml"),
        ("open", f"{long}.repose"),
        ("open", f"{long}.lammpstrj"),
        ("run", "heap", "--preset", f"{long}.toml"),
        ("run", "heap", "--out", long),
        ("run", "heap", "--save", f"{long}.repose"),
    ):
        assert run_command_line(arguments) == 2, arguments[:2]
        said = capsys.readouterr().err
        assert "too long" in said
        assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@POSIX
def test_f10_links_that_lead_nowhere_are_refused_and_a_written_link_spares_what_it_points_to(tmp_path: Path) -> None:
    loop, dangling, link, target = (tmp_path / f"{name}.toml" for name in ("loop", "dangling", "link", "target"))
    loop.symlink_to(loop)
    dangling.symlink_to(tmp_path / "nothing")
    for path in (loop, dangling):
        with pytest.raises(ParameterError, match=path.stem):
            presets.load(path)
        with pytest.raises(FileExistsError):
            write_new_file(path, put(b"new"))
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_whole_file(link, put(b"new"))
    assert (target.read_bytes(), link.read_bytes(), link.is_symlink()) == (b"old", b"new", False)


@POSIX
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077], ids=oct)
def test_f16_files_are_never_programs_and_as_private_as_the_mask_says(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_whole_file(tmp_path / "whole", put(b"a"))
        write_new_file(tmp_path / "new", put(b"a"))
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o666 & ~mask}
