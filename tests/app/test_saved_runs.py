"""Saved runs on the command line: a continued run equals an uninterrupted one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import small_picture
from repose.app.jobs.replay_job import commands_in
from repose.app.storage.thumbnails import pixels
from repose.app.storage.view_settings import View
from repose.app.window.window import WindowError
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.replay import pictures, play, verify
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.io.lammps.read_dump import read_dump

from tests.small_worlds import use_plain_engine
from tests.snapshots import snapshot_of

FEW = ("--set", "grain_count=20", "--set", "width=0.01", "--no-picture")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hash_in(folder: str) -> str:
    return str(json.loads(Path(folder, "result.json").read_text())["state_hash"])


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run_command_line(arguments) == 2
    return capsys.readouterr().err


@pytest.mark.gl
def test_a_run_that_is_saved_has_a_picture_for_the_list_of_recent_runs(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ("run", "heap", *FEW[:-1], "--until", "0.05", "--size", "320x200")
    assert run_command_line((*few, "--save", "seen.repose")) == 0
    rows = pixels(saved_run.glimpse(here / "seen.repose").picture)
    assert rows is not None
    assert rows[..., :3].std() > 5.0

    def nothing(*size: object) -> None:
        raise WindowError("there is no OpenGL")

    monkeypatch.setattr(small_picture, "open_picture_maker", nothing)
    capsys.readouterr()
    assert run_command_line((*few, "--save", "unseen.repose")) == 0
    assert "OpenGL" not in capsys.readouterr().err
    assert saved_run.glimpse(here / "unseen.repose").picture == b""
    assert state_hash(saved_run.load(here / "unseen.repose").now.now.run) == state_hash(
        saved_run.load(here / "seen.repose").now.now.run
    )


def test_small_pictures_have_the_colours_that_the_window_shows_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[View] = []

    def draw(snapshot: Snapshot, view: View, camera: object) -> np.ndarray:
        drawn.append(view)
        return np.zeros((400, 640, 3), np.uint8)

    maker = SimpleNamespace(draw=draw, close=lambda: None)
    monkeypatch.setattr(small_picture, "open_picture_maker", lambda size: maker)
    assert small_picture.small_picture(Snapshot())
    (view,) = drawn
    assert (view.colour_by, view.colour_map) == (View().colour_by, View().colour_map)
    assert not view.shown["legend"]


def test_a_stopped_and_saved_run_continues_bit_by_bit(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(("run", "heap", *FEW, "--out", "whole", "--save", "whole.repose")) == 0
    assert run_command_line(("run", "heap", *FEW, "--out", "part", "--save", "part.repose", "--until", "0.1234")) == 0
    assert json.loads(Path("part/result.json").read_text())["simulated_time"] == pytest.approx(0.1234, abs=1e-4)
    assert "saved run        part.repose (continue it with --from)" in capsys.readouterr().out
    assert run_command_line(("run", "--from", "part.repose", "--no-picture", "--out", "on", "--save", "on.repose")) == 0
    assert hash_in("on") == hash_in("whole") != hash_in("part")
    assert Path("on.repose").read_bytes() == Path("whole.repose").read_bytes()
    capsys.readouterr()
    assert run_command_line(("replay", "on.repose", "--verify")) == 0
    assert "state hashes agree, 1 commands replayed" in capsys.readouterr().out
    assert run_command_line(("replay", "on.repose")) == 0
    assert "action = run" in capsys.readouterr().out
    assert run_command_line(("export", "on.repose", "--to", "grains.csv")) == 0
    assert "written to grains.csv" in capsys.readouterr().err
    assert Path("grains.csv").read_text().splitlines()[0].startswith("step,time [s],")
    assert ".csv, .vtk, .vtp" in refused(capsys, "export", "on.repose", "--to", "grains.xls")
    damaged = bytearray(Path("on.repose").read_bytes())
    damaged[len(damaged) // 2] ^= 4
    Path("bad.repose").write_bytes(damaged)
    for said in (refused(capsys, "replay", "bad.repose", "--verify"), refused(capsys, "run", "--from", "bad.repose")):
        assert "'bad.repose' cannot be opened" in said
    said = refused(capsys, "run", "--from", "on.repose", "--seed", "3")
    assert said == "--from continues the run in on.repose: leave --seed out; --set changes parameters.\n"
    assert "leave a scene out" in refused(capsys, "run", "heap", "--from", "on.repose")
    assert "on.repose exists already" in refused(capsys, "run", "heap", *FEW, "--save", "on.repose")
    assert "the folder nowhere does not exist" in refused(capsys, "run", "heap", "--save", "nowhere/a.repose")
    assert "above 0 s" in refused(capsys, "run", "heap", "--until", "-1")
    assert "from 0 to 2" in refused(capsys, "run", "--from", "on.repose", "--set", "friction=7")
    more = refused(capsys, "run", "--from", "on.repose", "--set", "grain_count=100")
    assert "--set grain_count = 100 is refused with --from" in more, "the run would continue with its own grains"
    assert not [*here.glob("repose-*")]


def test_a_replay_that_differs_names_the_step_and_gives_exit_code_3(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from repose.sim.experiment import replay, saved_run

    from tests.reliability.runs import poured

    saved_run.save(saved_copy(poured(500)), here / "run.repose")
    monkeypatch.setattr(replay, "verify", lambda saved, on_progress, threads: replay.Verdict(0, 1, 500))
    assert run_command_line(("replay", "run.repose", "--verify")) == 3
    assert "0 of 1 state hashes agree; the state at step 500 is the first that differs." in capsys.readouterr().err


def test_a_run_on_a_mesh_continues_without_the_mesh_file(here: Path) -> None:
    floor = "v -10 -10 0\nv 10 -10 0\nv 10 10 0\nv -10 10 0\nf 1 2 3\nf 1 3 4\n"
    Path("floor.obj").write_text(floor)
    few = ("--set", "mesh=floor.obj", "--set", "mesh_unit=cm", "--set", "grain_count=5", "--no-picture")
    assert run_command_line(("run", "vessel", *few, "--out", "part", "--save", "a.repose", "--until", "0.01")) == 0
    Path("floor.obj").unlink()
    assert run_command_line(("run", "--from", "a.repose", "--no-picture", "--out", "on", "--until", "0.02")) == 0
    assert json.loads(Path("on/result.json").read_text())["parameters"]["mesh"] == "floor.obj"


def test_the_log_shows_the_parameters_of_another_law_with_their_units(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_plain_engine(monkeypatch)
    experiment = new_experiment("heap", {"grain_count": 3, "width": 0.005})
    assert not apply(experiment, SetParameters({"law": "memoryless", "normal_viscosity": 0.02}))
    assert not apply(experiment, SetParameters({"friction": 0.3}))
    saved_run.save(saved_copy(experiment), Path("a.repose"))
    listed = [words for _, _, words in commands_in(Path("a.repose"))]
    assert listed == ["law = dry: without memory, normal_viscosity = 0.02 kg/s", "friction = 0.3"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run saved at its end."""
    folder = tmp_path_factory.mktemp("whole")
    path = folder / "whole.repose"
    assert run_command_line(("run", "heap", *FEW, "--out", str(folder / "out"), "--save", str(path))) == 0
    return path


def test_any_part_of_a_saved_run_is_replayed_with_the_same_bits(whole: Path) -> None:
    saved = saved_run.load(whole)
    frames: list[Snapshot] = []

    def take(snapshot: Snapshot) -> float:
        frames.append(snapshot_of(time=snapshot.run.time, phase=snapshot.run.phase, dt=snapshot.run.dt))
        return 0.01

    played = play(saved, pictures(take), since=0.2, until=0.4)
    times = np.array([frame.run.time for frame in frames])
    due = 0.2 + 0.01 * np.arange(len(times))
    assert len(times) in (20, 21)
    assert (times >= due - 1e-9).all()
    assert (times < due + 1e-3).all()
    assert played.duration == pytest.approx(0.2, abs=1e-3)
    assert played.verdict.differs_at is None
    frames.clear()
    played = play(saved, pictures(take), at_phases=True)
    assert {"filling", "flowing", "rested"} <= {frame.run.phase.name for frame in frames}
    assert frames[0].run.time == 0.0
    assert state_hash(played.experiment.run) == state_hash(saved.now.now.run)
    assert played.verdict.compared == verify(saved).compared - 1
    assert played.verdict.agreed == played.verdict.compared


@pytest.mark.timeout(120)
def test_a_replay_that_differs_goes_on_to_the_end_of_the_part_and_names_the_step(whole: Path) -> None:
    saved = saved_run.load(whole)
    marks = [saved.log.marks[0]._replace(digest="0" * 64), *saved.log.marks[1:]]
    other = replace(saved, log=replace(saved.log, marks=marks))
    times: list[float] = []

    def take(snapshot: Snapshot) -> float:
        times.append(snapshot.run.time)
        return 0.05

    played = play(other, pictures(take), since=0.3, until=0.4)
    assert played.verdict.differs_at == marks[0].at
    assert played.duration == pytest.approx(0.1, abs=1e-3)
    assert len(times) in (2, 3)


def test_a_part_after_the_end_has_no_frames(whole: Path) -> None:
    assert play(saved_run.load(whole), lambda experiment, clock: 0.1, since=100.0).duration == 0.0


@pytest.mark.gl
def test_a_saved_run_is_filmed_later_at_any_speed_and_size(
    whole: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import av

    part = ("--from", "0.1", "--to", "0.2", "--speed", "0.05", "--fps", "10", "--overlay", "none")
    assert run_command_line(("replay", str(whole), "--video", "part.mp4", "--size", "320x180", *part)) == 0
    assert "part.mp4 (20 frames)" in capsys.readouterr().out
    assert run_command_line(("replay", str(whole), "--video", "k%02d.png", "--size", "64x48", *part)) == 0
    assert len(list(here.glob("k*.png"))) == 20
    with av.open("part.mp4") as film:
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert len(frames) == 20
    assert frames[0].shape == (180, 320, 3)
    assert np.abs(frames[0].astype(int) - frames[-1]).max() > 100
    late = ("--video", "late.mp4", "--size", "64x48", "--from", "50")
    assert run_command_line(("replay", str(whole), *late)) == 1
    assert "ends before 50 s" in capsys.readouterr().err
    assert not Path("late.mp4").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--from", "2", "--to", "1"), "--from 2 --to 1 is refused"),
        (("--from", "-1"), "is refused"),
        (("--speed", "0"), "--speed 0 is refused"),
        (("--size", "4K"), "WIDTHxHEIGHT"),
        (("--video", "film.avi"), ".mp4, .gif or .webp"),
    ],
)
def test_an_impossible_film_of_a_saved_run_is_refused_in_a_sentence(
    options: tuple[str, ...], words: str, whole: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "replay", str(whole), "--video", "film.mp4", *options)
    assert words in said
    assert said.count("\n") == 1
    assert list(here.iterdir()) == []


def test_a_part_of_a_saved_run_is_exported_over_time_as_it_was_computed(
    whole: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = ("--every", "0.05", "--from", "0.2", "--until", "0.301")
    assert run_command_line(("export", str(whole), "--to", "part.lammpstrj", *part)) == 0
    assert "in 3 states written to part.lammpstrj" in capsys.readouterr().err
    found = read_dump(here / "part.lammpstrj")
    assert [position.time for position in found.places] == pytest.approx([0.2, 0.25, 0.3], abs=1e-3)
    saved = saved_run.load(whole)
    states: list[np.ndarray] = []

    def take(experiment: Experiment, clock: float) -> float:
        states.append(experiment.run.world.motion[:2, 0].T.copy())
        return 0.05

    play(saved, take, since=0.2, until=0.301)
    assert all(np.array_equal(found.frame(k).position[:, :2], states[k]) for k in range(3))
    assert run_command_line(("export", str(whole), "--to", "last", "--for", "ovito")) == 0
    assert "Load trajectory" in capsys.readouterr().err
    assert {path.name for path in (here / "last").iterdir()} == {
        "grains.lammpstrj",
        "contacts.dump",
        "wall_contacts.lammpstrj",
    }
    assert read_dump(here / "last" / "grains.lammpstrj").places[0].step == saved.now.now.run.step


def test_a_part_after_the_end_of_a_run_is_refused_and_leaves_no_folder(
    whole: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--to", "new", "--for", "ovito", "--every", "0.1", "--from", "1000")
    assert "--from 1000 is refused: the run in" in refused(capsys, "export", str(whole), *options)
    assert list(here.iterdir()) == []


def test_a_run_that_was_reset_is_exported_as_one_series_whose_steps_and_times_increase(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment, spent = new_experiment("heap", {"grain_count": 20, "width": 0.01}), 0.0
    for _ in range(2):
        assert not apply(experiment, Act("fill"))
        advance(experiment, 300)
        spent += experiment.time
        assert not apply(experiment, Act("reset"))
    assert not apply(experiment, Act("fill"))
    advance(experiment, 300)
    saved_run.save(saved_copy(experiment), Path("reset.repose"))
    every = "1e-6"  # shorter than a step: every step is written once
    assert run_command_line(("export", "reset.repose", "--to", "all.lammpstrj", "--every", every)) == 0
    assert "in 901 states" in capsys.readouterr().err
    found = read_dump(Path("all.lammpstrj"))
    assert [position.step for position in found.places] == list(range(901))
    assert found.places[-1].time == pytest.approx(spent + experiment.time, rel=1e-9)
    last = found.frame(900).position[:, :2]
    assert np.array_equal(last, experiment.run.world.motion[:2, 0].T)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--to", "a.vtk", "--every", "0.1"), "can hold one state only"),
        (("--to", "a.csv", "--from", "0.1"), "give the time between two states with --every"),
        (("--to", "a.csv", "--every", "0"), "at least 1e-06 s"),
        (("--to", "a.csv", "--every", "0.1", "--from", "2", "--until", "1"), "begin at 0 s or later and end after"),
        (("--to", "new", "--for", "parview"), "did you mean 'paraview'"),
        (("--to", "new", "--for", "lammps", "--every", "0.1"), "writes the last state"),
    ],
)
def test_an_impossible_export_is_refused_in_a_sentence_and_leaves_no_file(
    options: tuple[str, ...], words: str, whole: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "export", str(whole), *options)
    assert words in said
    assert said.count("\n") == 1
    assert list(here.iterdir()) == []
