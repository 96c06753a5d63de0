"""The preset in use: it changes together with the experiment in the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from repose.app.ui.preset_library import PresetLibrary
from repose.sim.experiment.commands import Command, Start
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.io import presets
from repose.sim.registry import scenes

from tests.english import english
from tests.snapshots import snapshot_of


@pytest.fixture
def library(tmp_path: Path) -> PresetLibrary:
    sent: list[Command] = []
    library = PresetLibrary(sent.append, lambda: len(sent), folder=tmp_path)
    library.refresh()
    library.note(presets.card_of("thesis-heap"))
    return library


def test_a_preset_is_the_current_one_from_the_first_snapshot_of_its_experiment_on(library: PresetLibrary) -> None:
    assert library.take("moon")
    assert not library.see(snapshot_of(scene="heap"))
    assert english((library.current, library.title("heap"))) == ("thesis-heap", "Thesis heap")
    assert library.see(snapshot_of(scene="heap", starts=1, begun_by=1))
    assert english((library.current, library.title("heap"), library.awaited)) == ("moon", "Moon", [])
    assert not library.see(snapshot_of(scene="heap", starts=1, begun_by=1))


def test_each_of_two_presets_chosen_in_succession_has_its_own_picture(library: PresetLibrary) -> None:
    assert library.take("moon")
    assert library.take("bounce")
    assert library.see(snapshot_of(scene="heap", starts=1, begun_by=1))
    assert (library.current, [awaited.preset for awaited in library.awaited]) == ("moon", ["bounce"])
    assert library.see(snapshot_of(scene="bounce", starts=2, begun_by=2))
    assert library.current == "bounce"


def test_a_preset_that_another_replaces_before_it_is_shown_never_becomes_the_current_one(
    library: PresetLibrary,
) -> None:
    assert library.take("moon")
    assert library.take("bounce")
    assert library.see(snapshot_of(scene="bounce", starts=2, begun_by=2))
    assert (library.current, library.awaited) == ("bounce", [])


@pytest.mark.parametrize(("gravity", "own"), [(1.62, True), (9.81, False)])
def test_another_seed_keeps_the_words_of_the_answer_with_the_parameters_of_the_preset_only(
    tmp_path: Path, gravity: float, own: bool
) -> None:
    sent: list[Command] = []
    library = PresetLibrary(sent.append, lambda: len(sent), folder=tmp_path)
    library.refresh()
    moon = presets.load("moon")
    library.note(moon.card)
    parameters = scenes()["heap"].parameters.checked({**moon.values, "gravity": gravity})
    library.restart(snapshot_of(scene="heap", direction=moon.direction).run, parameters, 7)
    (started,) = sent
    assert isinstance(started, Start)
    assert started.direction is not None
    assert bool(started.direction.answer) == own


@pytest.mark.parametrize("begin", [PresetLibrary.take, lambda library, name: library.note(presets.load(name).card)])
def test_a_preset_of_another_folder_has_its_own_about_and_question(
    library: PresetLibrary, tmp_path: Path, begin: Callable[[PresetLibrary, str], object]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    path = tmp_path / "elsewhere" / "steep.toml"
    path.write_text('title = "Steep"\nabout = "Rough grains."\nquestion = "How steep?"\nscene = "heap"\n')
    begin(library, str(path))
    library.see(snapshot_of(scene="heap", starts=1, begun_by=1))
    assert english(library.sentences("heap")) == ("Rough grains.", "How steep?")


def test_a_refused_preset_leaves_the_current_one(library: PresetLibrary) -> None:
    assert library.take("moon")
    assert not library.see(snapshot_of(scene="heap", starts=1, begun_by=0))
    assert (library.current, library.awaited) == ("thesis-heap", [])


def test_one_run_that_goes_on_after_several_side_by_side_has_the_title_of_its_scene(library: PresetLibrary) -> None:
    assert library.take("friction-side-by-side")
    several = snapshot_of(scene="heap", starts=1, begun_by=1, beside=(Snapshot(), Snapshot()))
    assert library.see(several)
    assert str(library.title("heap")) == "Three frictions side by side"
    library.see(snapshot_of(scene="heap", starts=1, begun_by=1))
    assert str(library.title("heap")) == "Heap"
    assert not library.sentences("heap")[1]
