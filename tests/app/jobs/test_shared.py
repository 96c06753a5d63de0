"""`repose open` takes a code, a saved run, a preset or a dump, and refuses everything else in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import doctor, headless_job
from repose.app.jobs.headless_plan import Job
from repose.app.lectures.lecture_file import Lecture
from repose.app.window import start
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.io import presets
from repose.sim.io.presets import Preset, code_of

from tests.small_worlds import use_plain_engine

CODE = code_of(Preset("", "", "heap", 9, {"gravity": 1.62}, "column"))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    use_plain_engine(monkeypatch)
    saved_run.save(saved_copy(new_experiment("heap", {"grain_count": 3, "width": 0.005})), Path("a.repose"))
    Path("b.toml").write_text(presets.dumps(Preset("b", "B", "heap", 4, {"friction": 0.3})))
    return tmp_path


def test_without_a_window_each_becomes_the_same_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[Job] = []
    monkeypatch.setattr(headless_job, "run_job", lambda job: jobs.append(job) or 0)
    for what in (CODE, "b.toml", "a.repose"):
        assert run_command_line(["open", what, "--no-window", "--no-picture"]) == 0
    code, preset, run = jobs
    assert (code.scene, code.seed, code.values, code.ready) == ("heap", 9, {"gravity": 1.62}, "column")
    assert (preset.seed, preset.values, preset.ready) == (4, {"friction": 0.3}, None)
    assert run.resumed is not None
    assert run.resumed.now.now.parameters.grain_count == 3


def test_with_a_display_each_opens_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str, Path | None, str]] = []
    monkeypatch.setattr(doctor, "has_display", lambda: True)
    Path("c.toml").write_text('[[step]]\ntitle = "One"\nscene = "heap"\n')

    def run(preset: str, saved: Path | None, lecture: Lecture | None) -> int:
        opened.append((preset, saved, lecture.name if lecture is not None else ""))
        return 0

    monkeypatch.setattr(start, "run", run)
    for what in (CODE, "b.toml", "a.repose", "c.toml"):
        assert run_command_line(["open", what]) == 0
    assert opened == [(CODE, None, ""), ("b.toml", None, ""), ("", Path("a.repose"), ""), ("", None, "c.toml")]
    assert run_command_line(["open", "c.toml", "--no-window"]) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((CODE[:-5],), "checksum"),
        ((CODE.replace("repose1", "repose9"),), "newer version"),
        (("gone.repose",), "'gone.repose' cannot be opened"),
        (("gone.toml",), "gone.toml"),
        (("b.repose",), "'b.repose' cannot be opened"),
        ((CODE, "--radius", "1"), "--radius is for dumps of LAMMPS"),
        (("heap",), "heap cannot be opened"),
        (("x.bin",), "x.bin is no text dump of LAMMPS: it has no ITEM: TIMESTEP at its beginning; codes, saved runs"),
        (("x.png",), "x.png is not a picture that can be read"),
    ],
)
def test_what_cannot_be_opened_is_refused_in_a_sentence(
    arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("x.png", "x.bin"):
        Path(name).write_bytes(b"\x89PNG\r\n\x1a\n")
    Path("b.repose").write_bytes(Path("a.repose").read_bytes()[:200])
    assert run_command_line(["open", *arguments, "--no-window"]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
    assert "codec" not in told


@pytest.mark.parametrize(
    ("option", "words"), [("--radius", "it must be a length above 0 m"), ("--timestep", "it must be a time above 0 s")]
)
@pytest.mark.parametrize("value", ["0", "-1"])
def test_a_radius_or_time_step_that_cannot_be_is_refused_also_if_the_dump_has_its_own(
    option: str, words: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\n"
    Path("d.dump").write_text(head + "ITEM: ATOMS id x y z radius\n1 0.5 0.5 0.5 0.01\n")
    assert run_command_line(["open", "d.dump", "--no-window", option, value]) == 2
    assert capsys.readouterr().err == f"{option} {value} is refused: {words}.\n"
