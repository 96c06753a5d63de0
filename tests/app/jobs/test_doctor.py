"""Doctor: every part is checked, and a missing part is reported with the way to install it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from repose.app import thread_option
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import doctor

REAL_PROBE = doctor.PROBE


@pytest.fixture(autouse=True)
def quick_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests do not need the process that opens a window."""
    found = '{"version": "4.5", "renderer": "none"}'
    monkeypatch.setattr(doctor, "PROBE", f"import sys; sys.stdout.write({found!r})")


def finding(name: str) -> doctor.Finding:
    (found,) = [entry for entry in doctor.examine() if entry.name == name]
    return found


def test_doctor_checks_every_part(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PROBE", REAL_PROBE)
    assert run_command_line(["doctor"]) == 0
    shown = capsys.readouterr().out
    for name in (
        "repose",
        "system",
        "packages",
        "display",
        "OpenGL",
        "processor cores",
        "threads of a run",
        "settings",
        "films",
    ):
        assert name in shown
    assert "compiled engine" in shown
    assert "libx264" in shown
    assert "numba" in shown


@pytest.mark.parametrize(("processors", "words"), [(1, "1;"), (6, "up to 6, one for every 2500 grains")])
def test_doctor_reports_processors_and_threads_of_a_run(
    monkeypatch: pytest.MonkeyPatch, processors: int, words: str
) -> None:
    for module in (doctor, thread_option):
        monkeypatch.setattr(module, "available", lambda: processors)
    assert finding("processor cores").value.startswith(f"{processors} usable of ")
    assert finding("threads of a run").value.startswith(words)


@pytest.mark.case("G04")
@pytest.mark.gl
def test_opengl_is_named_with_its_version_and_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PROBE", REAL_PROBE)
    found = finding("OpenGL")
    assert found.value[0].isdigit()
    assert "," in found.value
    if "llvmpipe" in found.value.lower():
        assert "drawn by the processor" in found.advice


def test_a_crash_of_the_driver_ends_only_the_probe_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PROBE", "import os; os.abort()")
    found = finding("OpenGL")
    assert found.value.startswith("not usable")
    assert "OpenGL 3.3" in found.advice


@pytest.mark.case("G02")
@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("linux", "sudo apt install libgl1 libegl1"),
        ("freebsd14", "sudo apt install libgl1 libegl1"),
        ("darwin", "on the screen of the Mac itself"),
        ("win32", "the driver from the maker of the card"),
    ],
)
def test_missing_opengl_is_explained_in_words_for_each_system(
    system: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PROBE", "raise SystemExit('WindowError: no libGL')")
    about = doctor._about_opengl
    monkeypatch.setattr(doctor, "_about_opengl", lambda: about(system))
    found = finding("OpenGL")
    assert "no libGL" in found.value
    assert "OpenGL 3.3, which comes with the driver of the graphics card" in found.advice
    assert words in found.advice
    assert found.advice.endswith("repose run heap.")


def test_a_missing_package_is_reported_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = doctor._installed
    monkeypatch.setattr(doctor, "_installed", lambda name: "" if name == "numba" else installed(name))
    found = finding("packages")
    assert "numba missing" in found.value
    assert found.advice.endswith("pip install numba")


def test_doctor_reports_two_versions_of_pygame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_installed", lambda name: "1.0")
    assert "pip uninstall pygame" in finding("packages").advice


def test_folder_that_cannot_be_written_to_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    found = finding("compiled engine")
    assert str(tmp_path / "file" / "cache") in found.value
    assert "writ" in found.advice


def test_no_display_points_to_the_run_without_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repose.app.jobs.doctor.has_display", lambda: False)
    found = finding("display")
    assert found.value == "none"
    assert "repose run heap" in found.advice


@pytest.mark.skipif(sys.platform != "linux", reason="displays of X")
def test_a_display_without_a_server_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":40961")
    found = finding("display")
    assert found.value == "DISPLAY=:40961 does not answer"
    assert "correct the variable" in found.advice


@pytest.mark.parametrize("module", [None, ModuleType("av")], ids=["missing", "broken"])
def test_a_missing_or_broken_video_library_is_reported_with_the_alternative(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType | None
) -> None:
    monkeypatch.setitem(sys.modules, "av", module)
    found = finding("video encoders")
    assert found.value == "none"
    assert "PyAV cannot be loaded" in found.advice
    assert "--video FOLDER/" in found.advice
