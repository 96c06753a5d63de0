"""Command line: bad input is refused before any work; lists and help are printed for every terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import headless_job
from repose.app.window.window import WindowError
from repose.sim.io import presets

from tests.app.program import UNIX, start
from tests.python_words import PYTHON_WORDS


@pytest.mark.case("F01")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["run", "--help"], ["sweep", "--help"]])
def test_help_and_version_import_nothing_heavy_and_need_no_home(arguments: list[str], tmp_path: Path) -> None:
    code = (
        "import sys; from repose.app.cli.subcommands import run_command_line; code = run_command_line(sys.argv[1:]);"
        "heavy = {'numba', 'numpy', 'OpenGL', 'pygame', 'imgui_bundle', 'av', 'scipy', 'matplotlib'};"
        "heavy &= set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "repose" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "hepa"], "did you mean 'heap'"),
        (["run", "--preset", "mon"], "did you mean 'moon'"),
        (["run", "--preset", "missing.toml"], "missing.toml cannot be read"),
        (["run", "--preset", "."], "Unknown preset"),
        (["run", "--set", "frictoin=0.2"], "did you mean 'friction'"),
        (["run", "--set", "friction=nan"], "friction = 'nan' is refused: it must be a number from 0 to 2"),
        (["run", "--set", "friction=inf"], "0 to 2"),
        (["run", "--set", "friction=1e999"], "0 to 2"),
        (["run", "--set", "friction=-0.1"], "0 to 2"),
        (["run", "--set", "friction=2.5"], "0 to 2"),
        (["run", "--set", "friction=rough"], "friction = 'rough' is refused"),
        (["run", "--set", "friction=0,2"], "0 to 2"),
        (["run", "--set", "friction=true"], "0 to 2"),
        (["run", "--set", "friction"], "NAME=VALUE"),
        (["run", "--set", "friction="], "NAME=VALUE"),
        (["run", "--set", "friction=0.1", "--set", "friction=0.2"], "gives friction twice"),
        (["run", "--set", "dt=0"], "'auto'"),
        (["run", "--set", "dt=1e-400"], "'auto'"),
        (["run", "--set", "dt=0x10"], "'auto'"),
        (["run", "--set", "base_radius=1"], "0.05 mm to 3 mm"),
        (["run", "--set", "grain_count=1000001"], "1 to 1000000"),
        (["run", "--set", "grain_count=10.5"], "whole number"),
        (["run", "--set", "exponent=cubic"], "'hertz' or 'linear'"),
        (["run", "--seed", "-1"], "whole number from 0"),
        (["run", "--seed", "18446744073709551616"], "whole number from 0"),
        (["run", "--seed", "one"], "--seed"),
        (["run", "--fps", "0"], "1 to 1000"),
        (["run", "--fps", "nan"], "'nan' is not a number"),
        (["run", "--fps", "6_0"], "'6_0' is not a number"),
        (["run", "--fps", "0,5"], "Use a point: 0.5."),
        (["run", "--speed", "1_0"], "'1_0' is not a number"),
        (["run", "--seed", "1_0"], "'1_0' is not a whole number"),
        (["run", "--seed", "1.5"], "'1.5' is not a whole number"),
        (["run", "--until", "0.0_01"], "'0.0_01' is not a number"),
        (["run", "--until", "١"], "'١' is not a number"),
        (["run", "--until", "0,5"], "'0,5' is not a number. Use a point: 0.5."),
        (["run", "--threads", "١"], "--threads '١' is refused"),
        (["run", "--set", "friction=0.1_5"], "0 to 2"),
        (["run", "--set", "friction=0,5"], "Use a point: 0.5."),
        (["run", "--size", "١٦x٩"], "WIDTHxHEIGHT"),
        (["sweep", "--workers", "1_0"], "'1_0' is not a whole number"),
        (["sweep", "--seeds", "1_0"], "whole numbers such as"),
        (["sweep", "--over", "friction=0.1_5"], "0 to 2"),
        (["run", "--speed", "-1"], "1e-08 to 1000"),
        (["run", "--speed", "inf"], "'inf' is not a number"),
        (["run", "--overlay", "some"], "full or none"),
        (["run", "--colour", "spead"], "did you mean 'speed'"),
        (["run", "--size", "0x0"], "WIDTHxHEIGHT"),
        (["run", "--size", "1920"], "WIDTHxHEIGHT"),
        (["run", "--size", "99999x99999"], "16 to 8192"),
        (["run", "--preset", "goblet", "--ready"], "leave --ready out"),
        (["run", "--out", "a_file"], "cannot be written to"),
        (["run", "--out", "a_file/below"], "cannot be written to"),
        (["run", "--out", "x" * 300], "cannot be written to"),
        (["run", "--out", "used"], "already contains result.json"),
        (["run", "--bogus"], "--bogus"),
        (["run", "--seed"], "--seed"),
        (["run", "heap", "heap"], "heap"),
        (["rnu"], "rnu"),
        (["--preset", "mon"], "did you mean 'moon'"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_before_any_work(
    arguments: list[str], words: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a_file").touch()
    (here / "used").mkdir()
    (here / "used" / "result.json").write_text("precious")
    monkeypatch.setattr("repose.app.jobs.doctor.has_display", lambda: False)
    monkeypatch.setattr(headless_job, "_simulate", lambda *_: pytest.fail("work was begun"))
    before = sorted(here.rglob("*"))
    assert run_command_line(arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert sorted(here.rglob("*")) == before
    assert (here / "used" / "result.json").read_text() == "precious"


def test_an_option_of_a_video_is_refused_for_a_photograph_also_where_a_window_could_open(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repose.app.jobs.doctor.has_display", lambda: True)
    monkeypatch.setattr("repose.app.window.start.run", lambda **_: pytest.fail("the window opens without the option"))
    assert run_command_line(["open", "heap.jpg", "--begins", "1"]) == 2
    assert "--begins and --computed are for a video of a heap" in capsys.readouterr().err


@pytest.mark.gl
def test_a_film_that_cannot_be_written_is_refused_before_any_work(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a_file").touch()
    monkeypatch.setattr(headless_job, "_simulate", lambda *_: pytest.fail("work was begun"))
    assert run_command_line(["run", "--video", "a_file/film.mp4"]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert run_command_line(["run", "--video", "film.avi"]) == 2
    assert run_command_line(["run", "--video", "film.mp4", "--out", "a_file"]) == 2
    assert [path.name for path in here.iterdir()] == ["a_file"]


def test_scenes_and_presets_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["scenes"]) == 0
    assert "heap" in capsys.readouterr().out
    assert run_command_line(["presets"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in presets.names())
    assert "gravity = 1.62 m/s²" in listed


def test_a_damaged_preset_of_the_user_does_not_hide_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text(
        presets.dumps(presets.Preset("mine", "My own", "heap", values={"friction": 0.4}))
    )
    (tmp_path / "bad.toml").write_text("scene = 'heap'\n[parameters]\nfriction = nan")
    monkeypatch.setattr("repose.app.storage.paths.presets_folder", lambda: tmp_path)
    assert run_command_line(["presets"]) == 0
    listed = capsys.readouterr().out
    assert "friction = 0.4" in listed
    assert "cannot be used" in listed
    assert "thesis-heap" in listed


def test_every_exit_code_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert all(f"{code} " in told for code in (0, 1, 2, 3, 130))


def test_without_display_the_default_experiment_runs_without_a_window(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    jobs: list[Any] = []
    monkeypatch.setattr(headless_job, "run_job", lambda job: jobs.append(job) or 0)
    assert run_command_line([]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "No display" in line
    (job,) = jobs
    assert (job.scene, job.preset, job.values, job.request.out) == ("heap", presets.DEFAULT, {}, None)


def test_a_window_that_cannot_open_gives_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **options: object) -> int:
        raise WindowError("OpenGL 3.3 is needed.")

    monkeypatch.setattr("repose.app.jobs.doctor.has_display", lambda: True)
    monkeypatch.setattr("repose.app.window.start.run", fail)
    assert run_command_line([]) == 2
    assert capsys.readouterr().err == "OpenGL 3.3 is needed.\n"


@UNIX
def test_a_closed_pipe_causes_no_traceback(tmp_path: Path) -> None:
    with start(["presets"], tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
    assert process.returncode == 1
    assert errors == ""


def test_a_terminal_without_greek_letters_gets_readable_text(tmp_path: Path) -> None:
    with start(["presets"], tmp_path, LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0") as process:
        shown, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert "1.62 m/s?" in shown


HOSTILE = "\x1b[2J\x1b]0;title\x07\x9b\u202e"
"""Clears the screen, sets the title of the terminal, reverses the direction of writing."""


@pytest.mark.parametrize(
    "arguments",
    [
        *(["run", word] for word in (HOSTILE, 60_000 * "x", 12_000 * "x y z")),
        *(["run", "--preset", word] for word in (HOSTILE, 60_000 * "x", f"{HOSTILE}.toml", 60_000 * "x" + ".toml")),
        *(["run", "--set", f"{word}=1"] for word in (HOSTILE, 60_000 * "x")),
        *(["run", "--set", f"friction={word}"] for word in (HOSTILE, 60_000 * "x")),
        *(["run", "--set", f"law={word}"] for word in (HOSTILE, 60_000 * "x")),
        *(["run", "--set", word] for word in (HOSTILE, 60_000 * "x")),
        *(["run", option, HOSTILE] for option in ("--seed", "--fps", "--size", "--colour", "--overlay", "--threads")),
        *(["run", option, 60_000 * "x"] for option in ("--seed", "--fps", "--size", "--colour", "--show", "--threads")),
        *(["run", option, word] for option in ("--from", "--save") for word in (HOSTILE + "/a", 60_000 * "x")),
        ["run", "--out", 60_000 * "x"],
        *(["run", f"{word}.py"] for word in (HOSTILE, 60_000 * "x")),
        *(["run", "--video", f"{word}.avi"] for word in (HOSTILE, 60_000 * "x")),
        *(["run", "heap", word] for word in (HOSTILE, 60_000 * "x")),
        *([word] for word in (HOSTILE, 60_000 * "x", f"--{HOSTILE}", "--" + 60_000 * "x")),
        *(["--plugin", word, "scenes"] for word in (HOSTILE, 60_000 * "x")),
        *(["--preset", word, "scenes"] for word in (HOSTILE, 60_000 * "x")),
        *(["--language", word] for word in (HOSTILE, 60_000 * "x")),
        *(["open", word] for word in (HOSTILE, 60_000 * "x", f"repose1-{HOSTILE}", "repose1-" + 60_000 * "x")),
        *(["open", f"{word}{end}"] for end in (".repose", ".toml", ".dump") for word in (HOSTILE, 60_000 * "x")),
        *(["replay", word] for word in (HOSTILE, 60_000 * "x")),
        *(["picture", word, "--out", "a.png"] for word in (HOSTILE, 60_000 * "x")),
        *(["export", "a.repose", "--to", word] for word in (HOSTILE, 60_000 * "x")),
        *(["export", "a.repose", "--to", "b", "--for", word] for word in (HOSTILE, 60_000 * "x")),
        *(["lecture", word] for word in (HOSTILE, 60_000 * "x", f"{HOSTILE}.toml", 60_000 * "x" + ".toml")),
        *(["study", word] for word in (HOSTILE, 60_000 * "x", f"{HOSTILE}.toml", 60_000 * "x" + ".toml")),
        *(["sweep", option, word] for option in ("--over", "--seeds", "--set") for word in (HOSTILE, 60_000 * "x")),
        *(["calibrate", "--vary", word] for word in (HOSTILE, 60_000 * "x", f"{HOSTILE}=1:2", "friction=1:" + HOSTILE)),
        *(
            ["clump", word]
            for word in (HOSTILE, 60_000 * "x", f"{HOSTILE}.stl", f"{HOSTILE}.npy", 60_000 * "x" + ".obj")
        ),
        *(["clump", "ball", option, HOSTILE] for option in ("--algorithm", "--unit", "--spheres", "--export", "--out")),
        *(["clump", "ball", option, 60_000 * "x"] for option in ("--algorithm", "--unit", "--export", "--picture")),
        *(["validate", word] for word in (HOSTILE, 60_000 * "x")),
    ],
    ids=lambda arguments: " ".join(word[:12].encode("unicode_escape").decode() for word in arguments),
)
def test_words_of_the_command_line_are_repeated_without_control_characters_and_short(
    arguments: list[str], here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repose.app.jobs.doctor.has_display", lambda: False)
    assert run_command_line(arguments) == 2
    told = capsys.readouterr()
    controls = [letter for letter in told.err if not letter.isprintable() and letter != "\n"]
    long = re.search(r"x{201}|(x y z){67}", told.err) is not None or len(told.err) > 3000
    words = PYTHON_WORDS.search(told.err)
    assert (told.out, controls, long, words) == ("", [], False, None)


def test_the_package_is_run_like_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "repose", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("repose ")
