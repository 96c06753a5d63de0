"""The manual is built once for each state of its sources, elsewhere on request, and opened in the browser."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest
from repose.app.cli.subcommands import _help_of_commands, run_command_line
from repose.app.jobs import manual_job, manual_pages
from repose.sim.io.atomic_file import machine
from repose.sim.parameters import ParameterError

opened: list[str] = []


@pytest.fixture(autouse=True)
def builds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """Files of each build; pages are one line, nothing is read by Sphinx, and the cache is empty."""
    made: list[list[str]] = []

    def build(source: Path, site: Path, count: int) -> None:
        made.append(sorted(path.relative_to(source.parent).as_posix() for path in source.parent.rglob("*.*")))
        site.mkdir()
        (site / manual_job.FIRST).write_text("first page", encoding="utf-8")

    monkeypatch.setattr(manual_job, "_build", build)
    monkeypatch.setattr(manual_job, "pages", lambda commands: {"reference/commands.md": str(commands)})
    monkeypatch.setattr(manual_job, "_kept", lambda: tmp_path / "cache" / "manual")
    monkeypatch.setattr(webbrowser, "open", lambda place: opened.append(place) or True)
    opened.clear()
    return made


def test_the_manual_is_built_once_and_again_when_a_page_changes(builds: list[list[str]], tmp_path: Path) -> None:
    first = manual_job.built({"repose": "help"})
    assert first.read_text(encoding="utf-8") == "first page"
    assert manual_job.built({"repose": "help"}) == first
    assert len(builds) == 1
    assert {"docs/conf.py", "docs/index.md", "docs/reference/commands.md", "sim/README.md"} <= set(builds[0])
    assert {"CHANGELOG.md", "assets/heap.webp", "assets/presets/pictures/moon.webp"} <= set(builds[0])
    changed = manual_job.built({"repose": "other help"})
    assert changed != first
    assert not first.exists(), "the manual of another version is kept"
    assert [path.name for path in (tmp_path / "cache" / "manual").iterdir()] == [changed.parent.name]


def test_a_build_that_was_stopped_leaves_no_manual(monkeypatch: pytest.MonkeyPatch, builds: list[list[str]]) -> None:
    build = manual_job._build

    def stopped(source: Path, site: Path, count: int) -> None:
        build(source, site, count)
        raise KeyboardInterrupt

    monkeypatch.setattr(manual_job, "_build", stopped)
    with pytest.raises(KeyboardInterrupt):
        manual_job.built({})
    monkeypatch.setattr(manual_job, "_build", build)
    assert manual_job.built({}).is_file()
    assert len(builds) == 2


def test_it_is_opened_in_the_browser_unless_asked_not_to(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert manual_job.open_manual({}, tmp_path / "site") == 0
    assert opened == [(tmp_path / "site" / "index.html").as_uri()]
    assert capsys.readouterr().out.strip() == str(tmp_path / "site" / "index.html")
    assert manual_job.open_manual({}, opens=False) == 0
    assert len(opened) == 1


def test_a_machine_without_a_browser_is_told_to_open_the_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda place: False)
    assert manual_job.open_manual({}) == 0
    assert "No browser was found" in capsys.readouterr().err


def test_a_folder_that_exists_and_one_that_cannot_be_written_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ParameterError, match="exists: name a new folder"):
        manual_job.open_manual({}, tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert manual_job.open_manual({}, tmp_path / "file" / "site") == 1
    said = f"{tmp_path / 'file'} cannot be written (File exists); repose manual --to FOLDER"
    assert said in capsys.readouterr().err


def test_a_cache_that_cannot_be_written_is_told_by_its_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cache").write_text("", encoding="utf-8")
    assert manual_job.open_manual({}) == 1
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'cache' / 'manual'} cannot be written (")


def test_the_next_build_removes_what_killed_builds_have_left(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "manual"
    ended = subprocess.Popen([sys.executable, "-c", "pass"])
    ended.wait()
    killed = folder / f".building-{ended.pid}-{machine()}-abc"
    kept = (
        folder / f".building-{os.getppid()}-{machine()}-abc",  # of a process that lives
        folder / f".building-{ended.pid}-{int(machine(), 16) ^ 1:08x}-abc",  # of another machine
        folder / ".building-mine",
    )
    for left in (killed, *kept):
        (left / "docs").mkdir(parents=True)
    manual_job.built({})
    assert not killed.exists()
    assert all(left.is_dir() for left in kept)


def test_a_relative_folder_is_opened_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert manual_job.open_manual({}, Path("site")) == 0
    assert opened == [(tmp_path / "site" / "index.html").as_uri()]


def test_a_folder_among_the_sources_is_refused() -> None:
    for part in ("docs", "assets/gallery"):
        with pytest.raises(ParameterError, match=f"in {part}: name a folder elsewhere"):
            manual_job.open_manual({}, manual_job._root() / part / "site")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_the_folder_around_the_manual_keeps_its_permissions(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    assert manual_job.open_manual({}, shared / "site") == 0
    assert stat.S_IMODE(shared.stat().st_mode) == 0o1777


def test_a_folder_that_appears_during_the_build_is_kept(
    monkeypatch: pytest.MonkeyPatch, builds: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = manual_job._build

    def beside(source: Path, site: Path, count: int) -> None:
        build(source, site, count)
        (tmp_path / "site").mkdir()
        (tmp_path / "site" / "thesis.txt").write_text("years of work", encoding="utf-8")

    monkeypatch.setattr(manual_job, "_build", beside)
    assert manual_job.open_manual({}, tmp_path / "site") == 1
    assert f"{tmp_path / 'site'} cannot be written" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["thesis.txt"]


def test_a_manual_that_another_process_has_built_meanwhile_is_kept(
    monkeypatch: pytest.MonkeyPatch, builds: list[list[str]]
) -> None:
    build = manual_job._build

    def beside(source: Path, site: Path, count: int) -> None:
        monkeypatch.setattr(manual_job, "_build", build)
        manual_job.built({}).write_text("of the other process", encoding="utf-8")
        build(source, site, count)

    monkeypatch.setattr(manual_job, "_build", beside)
    assert manual_job.built({}).read_text(encoding="utf-8") == "of the other process"
    assert len(builds) == 2


def test_the_help_of_every_command_has_a_heading() -> None:
    found = _help_of_commands()
    assert {"repose", "repose run", "repose manual", "repose study"} <= set(found)
    page = manual_pages._commands(found)
    assert page.count("\n## ") == len(found)
    assert "--no-picture" in found["repose sweep"]
    assert max(len(line) for text in found.values() for line in text.splitlines()) <= 92, "wider than the page"


def test_no_command_is_described_by_half_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert "..." not in _help_of_commands()["repose"].partition("Commands:")[2]
    assert run_command_line(["--help"]) == 0
    listed = capsys.readouterr().out.partition("Commands:")[2]
    assert listed.count("\n  ") > 15
    assert "..." not in listed


def test_signs_of_markdown_in_a_text_are_shown_as_they_are() -> None:
    assert manual_pages._cell("k_n | *a*\n<b>") == r"k\_n \| \*a\* \<b>"
