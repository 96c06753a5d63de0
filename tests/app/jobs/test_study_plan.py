"""Requests for studies and sweeps: what is typed becomes runs, and bad input is refused in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from repose.app.jobs.headless_plan import plan
from repose.app.jobs.requests import RunRequest, StudyRequest, SweepRequest
from repose.app.jobs.study_plan import plan_repeat, plan_study, plan_sweep
from repose.app.storage.plot_files import slide
from repose.sim.parameters import ParameterError
from repose.sim.registry import studies


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scene": "bounce"}, "measures no quantity"),
        ({"scene": "hourglas"}, "did you mean 'hourglass'"),
        ({"over": ("orifice",)}, "NAME=VALUE"),
        ({"over": ("orifice=",)}, "NAME=VALUE"),
        ({"over": ("",)}, "NAME=VALUE"),
        ({"over": ("orfice=0.1,0.2",)}, "did you mean 'orifice'"),
        ({"over": ("mu=0.1,0.2",)}, "did you mean 'friction' (μ)?"),
        ({"over": ("orifice=0.1,9",)}, "20 mm to 350 mm"),
        ({"over": ("orifice=0.1,0.10",)}, "twice"),
        ({"over": ("orifice=0.1,0.2", "orifice=0.3,0.2")}, "--over gives orifice twice"),
        ({"over": ("orifice=0.1",)}, "gives one value, and a sweep compares at least two"),
        ({"over": ("orifice=0.2:0.1:3",)}, "must count up"),
        ({"over": ("orifice=0.1:0.2:1",)}, "a range has 2"),
        ({"over": ("orifice=0.1:b:3",)}, "two numbers and how many values"),
        ({"over": ("integrator=gear5,gear6",)}, "it must be 'gear3' or"),
        ({"over": ("preset=hourglass,mon",)}, "did you mean 'moon'"),
        ({"over": ("preset=hourglass,moon",)}, "Preset 'moon' is for the scene 'heap', not 'hourglass'"),
        ({"seeds": "1,1"}, "none twice"),
        ({"seeds": ""}, "at least one"),
        ({"seeds": "5-1"}, "must count up"),
        ({"seeds": "-1"}, "whole numbers"),
        ({"seeds": "0-99999999999"}, "must count up"),
        ({"seeds": "1-9999"}, "at most 10000 runs"),
        ({"workers": 0}, "--workers 0 is refused: it must be 1 to 256"),
        ({"changes": ("orifice=0.1",)}, "leave it out"),
        ({"size": "1x1"}, "WIDTHxHEIGHT"),
        ({"error": -1.0}, "at least 0"),
        ({"error": 0.0}, "--error 0 is refused"),
        ({"dask": " "}, "--dask '' is refused"),
        ({"over": ("orifice=0.1:0.2",)}, "FIRST:LAST:COUNT are two numbers and how many values"),
        ({"over": ("orifice=a:b",)}, "FIRST:LAST:COUNT"),
        ({"over": ("a:b",)}, "NAME=VALUE"),
        ({"over": ("gravity=0,9.81",)}, "gravity = 0 m/s² is refused in a study"),
    ],
)
def test_bad_input_of_a_sweep_is_refused_in_a_sentence(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        plan_sweep(SweepRequest(**({"scene": "hourglass"} | changes)))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"name": "thesis-4"}, "Unknown study 'thesis-4': did you mean"),
        ({"name": "gone.toml"}, "Study gone.toml cannot be read"),
        ({"name": "thesis-4.3", "workers": 0}, "--workers 0 is refused: it must be 1 to 256"),
        ({"name": "thesis-4.3", "seeds": "0"}, "must be 1 to 10000 seeds"),
        ({"name": "thesis-4.3", "seeds": "9-2"}, "must count up"),
        ({"name": "thesis-4.3", "changes": ("friction=0.1",)}, "varies friction"),
        ({"name": "thesis-4.3", "changes": ("exponent=linear",)}, "varies exponent"),
        ({"name": "thesis-4.3", "changes": ("frction=0.1",)}, "did you mean 'friction'"),
        ({"name": "tilt", "changes": ("gravity=0",)}, "gravity = 0 m/s² is refused in a study"),
        ({"name": "tilt", "error": 0.0}, "--error 0 is refused"),
        ({"name": "tilt", "dask": ""}, "--dask '' is refused"),
        ({"name": "thesis-4.3", "resume": True}, "name the folder with --out"),
    ],
)
def test_bad_input_of_a_study_is_refused_in_a_sentence(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        plan_study(StudyRequest(**asked))


def test_by_default_the_published_orifices_are_run_with_every_seed() -> None:
    (made,) = plan_sweep(SweepRequest("hourglass", seeds="1-2,7")).plans
    wanted = made.runs(Path())
    assert [(run.varied["orifice"], run.seed) for run in wanted[:4]] == [(0.1, 1), (0.125, 1), (0.15, 1), (0.1, 2)]
    assert len(wanted) == len({run.task.path for run in wanted}) == 9


def test_choices_presets_and_ranges_are_varied() -> None:
    over = ("friction=0.1:0.3:3", "integrator=gear5,leapfrog", "preset=linear-law,moon")
    (made,) = plan_sweep(SweepRequest("heap", over=over, seeds="1")).plans
    wanted = made.runs(Path())
    assert len(wanted) == 12
    assert {run.varied["friction"] for run in wanted} == {0.1, 0.2, 0.3}
    values = {run.case.name: run.task.values for run in wanted}
    assert values["linear-law"]["exponent"] == "linear"
    assert values["moon"]["gravity"] == pytest.approx(1.62)
    assert "exponent" not in values["moon"]


def test_a_part_of_the_thesis_that_varies_a_parameter_keeps_its_values() -> None:
    request = plan_study(StudyRequest("thesis", seeds="2", changes=("grain_count=100",)))
    assert request.whole is studies()["thesis"]
    by_name = {part.name: part for part in request.plans}
    assert by_name["thesis-4.3"].values["grain_count"] == 100
    assert "grain_count" not in by_name["thesis-4.4"].values
    assert {part.seeds for part in request.plans} == {(1, 2)}
    with pytest.raises(ParameterError, match="varies grain_count"):
        plan_study(StudyRequest("thesis-4.4", changes=("grain_count=100",)))


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
def test_an_impossible_repetition_is_refused(asked: dict[str, Any], runs: int, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        plan_repeat(plan(RunRequest(**({"scene": "heap", "repeat": runs} | asked))))


def test_repeated_runs_differ_in_their_seeds_only() -> None:
    (made,) = plan_repeat(plan(RunRequest("heap", changes=("friction=0.3",), seed=7, repeat=5))).plans
    wanted = made.runs(Path())
    assert [(run.seed, run.task.values["friction"]) for run in wanted] == [(seed, 0.3) for seed in range(7, 12)]


def test_sizes_with_commas_are_varied_between_semicolons() -> None:
    over = ("sizes=equal; two_sizes by mass: ratio 3, share 50 %", "friction=0.1; 0.2")
    (made,) = plan_sweep(SweepRequest("hourglass", over=over, seeds="1")).plans
    assert made.grid["sizes"] == ("equal", "two_sizes by mass: ratio 3, share 50 %")
    assert made.grid["friction"] == (0.1, 0.2)
    with pytest.raises(ParameterError, match="gives one value"):
        plan_sweep(SweepRequest("hourglass", over=("sizes=two_sizes by mass: ratio 3, share 50 %",)))
    with pytest.raises(ParameterError, match=r"mean radius of its grains is 0\.000"):
        plan_sweep(SweepRequest("hourglass", over=("sizes=equal; sieve: 1 µm 0 %, 2 µm 100 %",)))


def test_pictures_are_for_a_slide_for_print_or_left_out() -> None:
    usual = plan_sweep(SweepRequest("hourglass", size="640x360"))
    assert (usual.picture, usual.style) == (True, slide((640, 360)))
    assert plan_sweep(SweepRequest("hourglass", picture=False, style="journal")).style.kinds == ("pdf", "svg")
    assert not plan_sweep(SweepRequest("hourglass", picture=False)).picture
    assert plan_study(StudyRequest("thesis-4.3", style="journal-wide")).style.for_print
    with pytest.raises(ParameterError, match="'poster'"):
        SweepRequest("hourglass", style="poster")
