"""The entry among the programs of the user: its files are as their systems define them, and are removed again."""

from __future__ import annotations

import io
import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import shortcut as jobs
from repose.app.jobs.shortcut import NAME, Shortcut, command, desktop_entry, mac_bundle, shortcut, windows_link

ODD = ['/home/é x/100%/a"b$c`d\\e', "-m", "repose.app"]


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def use(monkeypatch: pytest.MonkeyPatch, found: Shortcut) -> None:
    monkeypatch.setattr(jobs, "shortcut", lambda: found)


def test_linux_gets_a_desktop_entry_with_an_icon_and_loses_both_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    use(monkeypatch, shortcut("linux"))
    (tmp_path / "applications").mkdir()
    (tmp_path / "applications" / "other.desktop").touch()
    for _ in range(2):  # a second time it is replaced
        assert run_command_line(["install-shortcut"]) == 0
    wanted = ["applications/repose.desktop", "icons/hicolor/256x256/apps/repose.png"]
    assert files_in(tmp_path) == ["applications/other.desktop", *wanted]
    entry = ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(tmp_path / wanted[0], encoding="utf-8")
    group = entry["Desktop Entry"]
    assert (group["Type"], group["Name"], group["Icon"], group["Terminal"]) == ("Application", NAME, "repose", "false")
    if checker := shutil.which("desktop-file-validate"):  # of the package desktop-file-utils, which CI installs
        checked = subprocess.run([checker, tmp_path / wanted[0]], capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stdout) == (0, "")
    program = shlex.split(group["Exec"])
    assert Path(program[0]).exists()
    done = subprocess.run([*program, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("repose ")
    with Image.open(tmp_path / wanted[1]) as picture:
        assert (picture.format, picture.size) == ("PNG", (256, 256))
    assert run_command_line(["install-shortcut", "--remove"]) == 0
    assert "is removed" in capsys.readouterr().err
    assert files_in(tmp_path) == ["applications/other.desktop"]
    assert run_command_line(["install-shortcut", "--remove"]) == 0
    assert "nothing is removed" in capsys.readouterr().err


def test_every_character_of_a_path_survives_the_desktop_entry(tmp_path: Path) -> None:
    made = desktop_entry(tmp_path, ODD)
    (line,) = (row for row in made.files[made.shown].decode().splitlines() if row.startswith("Exec="))
    value = line.removeprefix("Exec=").replace("\\\\", "\\")  # escapes of any value of type string
    words = re.findall(r'"((?:[^"\\]|\\.)*)"', value.replace("%%", "%"))  # quotes and escapes of the key Exec
    assert [re.sub(r"\\(.)", r"\1", word) for word in words] == ODD


@pytest.mark.skipif(sys.platform == "win32", reason="runs a line of sh")
def test_macos_gets_a_bundle_that_starts_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = shortcut("darwin", tmp_path)
    assert made.shown == tmp_path / "Applications" / "Repose.app"
    made = mac_bundle(tmp_path / "Applications", [sys.executable, "-c", "import sys; print(sys.argv[1:], 'é x')"])
    use(monkeypatch, made)
    assert run_command_line(["install-shortcut"]) == 0
    inside = made.shown / "Contents"
    about = plistlib.loads((inside / "Info.plist").read_bytes())
    assert about["CFBundlePackageType"] == "APPL"
    program = inside / "MacOS" / about["CFBundleExecutable"]
    assert os.access(program, os.X_OK)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == "[] é x\n"
    with Image.open(inside / "Resources" / f"{about['CFBundleIconFile']}.icns") as picture:
        assert picture.format == "ICNS"
        assert picture.size[0] >= 256
    (tmp_path / "Applications" / "Other.app").mkdir()
    assert run_command_line(["install-shortcut", "--remove"]) == 0
    assert [path.name for path in (tmp_path / "Applications").iterdir()] == ["Other.app"]


def test_windows_itself_writes_the_link_in_the_start_menu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[list[str], dict[str, str]]] = []

    def run(words: list[str], env: dict[str, str], **_: object) -> SimpleNamespace:
        asked.append((words, env))
        Path(env["REPOSE_LINK"]).write_bytes(b"L\0\0\0")
        return SimpleNamespace(returncode=0, stderr="")

    use(monkeypatch, windows_link(tmp_path, ["C:\\Users\\é x\\pythonw.exe", "-m", "repose.app"]))
    monkeypatch.setattr(jobs.subprocess, "run", run)
    assert run_command_line(["install-shortcut"]) == 0
    ((words, told),) = asked
    assert words[0] == "powershell.exe"
    assert all(f"$env:{name}" in words[-1] for name in told if name.startswith("REPOSE_") and name in jobs.LINK)
    assert (told["REPOSE_TARGET"], told["REPOSE_ARGUMENTS"]) == ("C:\\Users\\é x\\pythonw.exe", "-m repose.app")
    link = "Microsoft/Windows/Start Menu/Programs/Repose.lnk"
    assert files_in(tmp_path) == [link, "repose/repose.ico"]
    assert told["REPOSE_ICON"] == f"{tmp_path / 'repose' / 'repose.ico'},0"
    with Image.open(io.BytesIO((tmp_path / "repose" / "repose.ico").read_bytes())) as picture:
        assert (16, 16) in picture.info["sizes"]
        assert (256, 256) in picture.info["sizes"]
    assert run_command_line(["install-shortcut", "--remove"]) == 0
    assert files_in(tmp_path) == []


def test_a_folder_that_cannot_be_written_and_a_failing_powershell_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    use(monkeypatch, desktop_entry(tmp_path / "file", command()))
    assert run_command_line(["install-shortcut"]) == 1
    failed = SimpleNamespace(returncode=1, stderr="Access is\ndenied.")
    monkeypatch.setattr(jobs.subprocess, "run", lambda *_, **__: failed)
    use(monkeypatch, windows_link(tmp_path, command(windows=True)))
    assert run_command_line(["install-shortcut"]) == 1
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    assert "could not be written" in told[0]
    assert "Access is denied" in told[1]
