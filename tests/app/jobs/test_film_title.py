"""The title of a film without a window: that of the preset, also of a saved run."""

from __future__ import annotations

from pathlib import Path

import pytest
from repose.app.jobs.headless_plan import plan, title_of
from repose.app.jobs.requests import RunRequest
from repose.app.ui.preset_library import PresetLibrary
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.io import presets
from repose.sim.parameters import ParameterError


def test_the_title_of_a_film_is_that_of_the_preset_or_of_the_scene() -> None:
    assert plan(RunRequest(preset="moon", changes=("friction=0.3",))).title == presets.load("moon").title == "Moon"
    assert plan(RunRequest("slope")).title == "Spheres on a slope"


def test_a_saved_run_has_the_title_of_the_preset_with_which_it_began() -> None:
    moon = presets.load("moon")
    assert title_of(saved_copy(new_experiment(moon.scene, dict(moon.values)))) == "Moon"
    assert title_of(saved_copy(new_experiment("heap", {"friction": 0.123}))) == "Heap"


def test_a_run_of_another_scene_does_not_have_the_title_of_the_preset_in_use(tmp_path: Path) -> None:
    library = PresetLibrary(lambda command: None, folder=tmp_path)
    library.refresh()
    library.note(presets.card_of("moon"))
    assert str(library.title("heap")) == "Moon"
    assert str(library.title("slope")) == "Spheres on a slope"


@pytest.mark.parametrize(("changes", "own"), [((), True), (("dt=1e-6",), True), (("gravity=9.81",), False)])
def test_the_words_of_an_answer_belong_to_the_parameters_of_the_preset(changes: tuple[str, ...], own: bool) -> None:
    """`repose run --preset moon --set gravity=9.81` answered "On the Moon"."""
    job = plan(RunRequest(preset="moon", changes=changes))
    assert bool(job.direction.answer) == own


def test_another_seed_is_refused_with_a_container_that_is_filled() -> None:
    """Its run was that of the stored seed bit by bit, and its result had the other one."""
    with pytest.raises(ParameterError, match=r"^--seed 7 is refused with --ready: .* seed 1, and .* the same run"):
        plan(RunRequest(preset="heap-in-space", ready=True, seed=7))
    assert plan(RunRequest(preset="heap-in-space", ready=True, seed=1)).ready == "funnel"
    assert plan(RunRequest(preset="heap-in-space", seed=7)).seed == 7
