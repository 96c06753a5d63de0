"""A sweep: bad input is refused, results are written as runs end, a killed run ends no other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from repose.app.cli.commands import run_command_line
from repose.app.jobs import sweep_job
from repose.app.jobs.headless_plan import plan
from repose.app.jobs.sweep_plan import plan_repeat, plan_sweep, tasks
from repose.app.stopping import StopAsked
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.study.parallel_runs import Task, run_all

from tests.app.program import UNIX

FACTS = {"density": None, "gravity": 9.81, "radius": 0.02}
TINY = ("grain_count=60", "mean_radius=0.02", "fill_height=1.1", "window=10")
CALL = ["sweep", "hourglass", "--over", "orifice=0.25,0.3", *(word for value in TINY for word in ("--set", value))]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scene": "bounce"}, "measures no quantity"),
        ({"scene": "hourglas"}, "did you mean 'hourglass'"),
        ({"over": "orifice"}, "NAME=VALUE"),
        ({"over": "orifice="}, "NAME=VALUE"),
        ({"over": "orfice=0.1"}, "did you mean 'orifice'"),
        ({"over": "orifice=0.1,9"}, "20 mm to 350 mm"),
        ({"over": "orifice=0.1,0.10"}, "twice"),
        ({"over": "lid=true"}, "only a parameter that is a number"),
        ({"over": "dt=auto"}, "only a parameter that is a number"),
        ({"seeds": "1,1"}, "none twice"),
        ({"seeds": ""}, "at least one"),
        ({"seeds": "5-1"}, "must count up"),
        ({"seeds": "-1"}, "whole numbers"),
        ({"seeds": "0-99999999999"}, "must count up"),
        ({"seeds": "1-9999"}, "at most 10000 runs"),
        ({"processes": 0}, "1 to 256"),
        ({"changes": ("orifice=0.1",)}, "leave it out"),
        ({"size": "1x1"}, "WIDTHxHEIGHT"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(changes: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        plan_sweep(**({"scene": "hourglass"} | changes))


def test_shapes_of_clumps_stand_at_their_sphericity(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ParameterError, match="only a parameter that is a number, or shape"):
        plan_sweep("clumps", over="container=box")
    asked = plan_sweep(
        "clumps", over="shape=ball,peanut", changes=("members=2", "grain_count=20"), seeds="1-2", out=here
    )
    assert asked.places[0] == 1.0
    assert 0.5 < asked.places[1] < 0.7
    wanted = tasks(asked, here / "runs")
    assert [task.values["shape"] for task in wanted] == ["ball", "peanut", "ball", "peanut"]
    (here / "runs").mkdir()
    for task in wanted:  # as runs leave them
        angle = 0.3 if task.values["shape"] == "ball" else 0.5
        point = {"at": 0.5, "value": angle + 0.01 * task.seed, "error": 0.02, "aside": {"packing_fraction": 0.6}}
        parameters = scenes()["clumps"].parameters.checked(task.values).model_dump()
        said = {"scene": "clumps", "seed": task.seed, "parameters": parameters, "point": point}
        said |= {"fault": "", "complaint": "", "phase": "rested", "simulated_time": 1.0}
        task.path.write_text(json.dumps(said))
    assert sweep_job.run_sweep(asked) == 0
    told = capsys.readouterr().out
    assert "1 ball" in told
    assert "peanut" in told
    found = json.loads((here / "result.json").read_text())
    assert found["over"] == "sphericity"
    assert [row["at"] for row in found["table"]] == sorted(asked.places)
    assert [row["value"] for row in found["table"]] == pytest.approx([0.515, 0.315])
    assert {row["value"] for row in found["packing fraction in the container"]} == {0.6}
    assert (here / "sweep.png").stat().st_size > 10_000


def test_by_default_the_published_orifices_are_run_with_every_seed() -> None:
    wanted = tasks(plan_sweep("hourglass", seeds="1-2,7"), Path())
    assert [(task.at, task.seed) for task in wanted[:4]] == [(0.1, 1), (0.125, 1), (0.15, 1), (0.1, 2)]
    assert len(wanted) == len({task.path for task in wanted}) == 9


def test_published_values_are_compared_only_over_their_parameter() -> None:
    asked = plan_sweep("hourglass", over="friction=0.1 0.5")
    assert (asked.study.over, asked.study.published, asked.values) == ("friction", (), (0.1, 0.5))


def dies_once(task: Task, tell: Connection) -> None:
    """A worker that is killed at seed 1, refuses seed 2 and is fine otherwise."""
    tell.send({"compiled": True})
    if task.seed == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if task.seed == 2:
        tell.send({"trouble": "No."})
        return
    task.path.write_text("{}")


@UNIX
def test_a_killed_process_of_a_sweep_ends_no_other_run(tmp_path: Path) -> None:
    wanted = [Task("hourglass", {}, seed, 0.1, f"run {seed}", tmp_path / str(seed)) for seed in range(1, 4)]
    ended: dict[str, str] = {}
    run_all(
        wanted,
        2,
        on_progress=lambda words, share: None,
        on_end=lambda task, lost: ended.update({task.name: lost}),
        target=dies_once,
    )
    assert "killed by signal 9" in ended.pop("run 1")
    assert ended == {"run 2": "No.", "run 3": ""}


def never_tells(task: Task, tell: Connection) -> None:
    """A worker that is busy for long without a word, as with compiling."""
    tell.send({"words": "busy"})
    time.sleep(60.0)


ORPHANING = """
from pathlib import Path
from repose.sim.study.parallel_runs import Task, run_all
from tests.app.test_sweep import never_tells
if __name__ == "__main__":
    task = Task("heap", {}, 1, 0.1, "run", Path("result"))
    run_all([task], 1, on_progress=lambda *told: print(*told, flush=True), on_end=print, target=never_tells)
"""


def test_a_worker_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "sweep.py"
    script.write_text(ORPHANING)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    parent = subprocess.Popen([sys.executable, str(script)], cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
    with parent:
        assert parent.stdout is not None
        while b"busy" not in parent.stdout.readline():
            assert parent.poll() is None
        parent.kill()
        rest = threading.Thread(target=parent.stdout.read, daemon=True)
        rest.start()
        rest.join(30.0)  # the output ends with the last process that has it open
        assert not rest.is_alive(), "the worker lives on"


def test_results_are_written_as_runs_end_and_a_second_call_does_only_missing_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = [*CALL, "--out", str(tmp_path / "rates"), "--size", "640x360"]
    assert run_command_line([*call, "--seeds", "1"]) == 0
    runs = sorted((tmp_path / "rates" / "runs").iterdir())
    assert [path.name for path in runs] == ["orifice-0.25-seed-1.json", "orifice-0.3-seed-1.json"]
    kept = json.loads(runs[0].read_text())
    assert (kept["phase"], kept["parameters"]["orifice"]) == ("rested", 0.25)
    assert not (tmp_path / "rates" / "sweep.png").exists()  # the tiny glass is empty before its flow is steady
    done = []

    def stops_after_one(missing: list[Task], *_: object, **callbacks: object) -> None:
        done.extend(missing)
        missing[0].path.write_text(
            json.dumps(kept | {"seed": 2, "point": {"value": 9.0, "error": None, "aside": FACTS}})
        )
        callbacks["on_end"](missing[0], "")
        callbacks["on_end"](missing[1], "its process was killed by signal 9")
        raise StopAsked

    monkeypatch.setattr(sweep_job, "run_all", stops_after_one)
    before = [path.stat().st_mtime_ns for path in runs]
    capsys.readouterr()
    assert run_command_line([*call, "--seeds", "1,2"]) == 3
    report = json.loads((tmp_path / "rates" / "result.json").read_text())
    assert report["lost"] == {"orifice 0.3, seed 2": "its process was killed by signal 9"}
    assert [(run["orifice"], run["seed"]) for run in report["runs"]] == [(0.25, 1), (0.3, 1), (0.25, 2)]
    assert report["table"] == [{"at": 0.25, "runs": 1, "value": 9.0, "error": None, "between": None}]
    words = capsys.readouterr()
    assert "orifice 0.25, seed 2: Q = 9 1/s" in words.err
    assert "250     1     9" in words.out
    assert (tmp_path / "rates" / "sweep.png").read_bytes().startswith(b"\x89PNG")
    assert [task.seed for task in done] == [2, 2]
    assert [path.stat().st_mtime_ns for path in runs] == before


def test_a_folder_with_other_runs_or_results_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rates"
    call = [*CALL, "--seeds", "1", "--out", str(out)]
    out.mkdir()
    (out / "result.json").write_text("precious")
    assert run_command_line(call) == 2
    assert "already contains result.json" in capsys.readouterr().err
    (out / "result.json").unlink()
    runs = out / "runs"
    runs.mkdir()
    asked = plan_sweep("hourglass", over="orifice=0.25", changes=TINY)
    parameters = {"scene": "hourglass", "seed": 1, "parameters": {"friction": 0.7}}
    (runs / "orifice-0.25-seed-1.json").write_text(json.dumps(parameters))
    assert run_command_line(call) == 2
    assert "choose another --out" in capsys.readouterr().err
    (runs / "orifice-0.25-seed-1.json").write_text("{")
    assert run_command_line(call) == 2
    assert "contains no result of a run" in capsys.readouterr().err
    assert len(tasks(asked, runs)) == 3


@pytest.mark.parametrize(
    ("asked", "runs", "words"),
    [
        ({}, 1, "2 to 10000 runs"),
        ({"until": 1.0}, 5, "--until is for a single run"),
        ({"video": "heap.mp4"}, 5, "--video is for a single run"),
        ({"ready": True}, 5, "leave --ready out"),
        ({"scene": "bounce"}, 5, "measures no quantity"),
    ],
)
def test_an_impossible_repetition_is_refused(asked: dict, runs: int, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        plan_repeat(plan(**({"scene": "heap"} | asked)), runs)


def test_repeated_runs_differ_in_their_seeds_only() -> None:
    wanted = tasks(plan_repeat(plan("heap", changes=("friction=0.3",), seed=7), 5), Path())
    assert [(task.seed, task.at) for task in wanted] == [(seed, 0.3) for seed in range(7, 12)]


def test_a_run_repeated_from_the_command_line_gives_mean_and_error_over_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = (f"{name}={value}" for name, value in scenes()["heap"].test_values.items())
    call = ["run", "heap", *(word for value in small for word in ("--set", value)), "--repeat", "2", "--no-picture"]
    assert run_command_line([*call, "--out", str(tmp_path / "heaps")]) == 0
    report = json.loads((tmp_path / "heaps" / "result.json").read_text())
    angles = [run["measured"]["value"] for run in report["runs"]]
    assert [run["seed"] for run in report["runs"]] == [1, 2]
    row = report["table"][0]
    assert (row["runs"], row["value"]) == (2, pytest.approx(sum(angles) / 2.0))
    assert row["error"] == pytest.approx(abs(angles[0] - angles[1]) / 2.0)
    words = capsys.readouterr()
    assert "° (mean ± standard error over runs, n = 2)" in words.out
    assert words.err.count("° (line fit)") == 2
    assert not (tmp_path / "heaps" / "sweep.png").exists()
