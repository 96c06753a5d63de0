"""The course of a heap in space after its first rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from repose.app.language import read_language
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import resumed_experiment
from repose.sim.experiment.stepping import advance
from repose.sim.message import Message
from repose.sim.scenes.heap3d import scene

from tests.english import english

AT_REST = Path(__file__).resolve().parent.parent / "reliability" / "data" / "format2.repose"
"""20 beads at rest on the plate."""


def test_a_heap_shaken_after_its_rest_flows_again_and_comes_to_rest_again() -> None:
    experiment = resumed_experiment(saved_run.load(AT_REST))
    assert experiment.phase == "rested"
    assert experiment.message_repeats, "what happened before the run was saved is no news"
    grains = experiment.run.world.sphere_count
    experiment.run.state.reading |= {"angle": 0.3, "standard_error": 0.01, "intercept": 0.02, "fitted": [0.0, 0.05]}
    experiment.run.state.reading |= {"used_ids": [1, 2], "grains_left": 20}
    assert experiment.scene.view.slope(experiment) is not None
    experiment.run.world.motion[2, 1, ~experiment.run.world.fixed] += 0.3
    advance(experiment, 400)
    assert english((experiment.phase, experiment.message)) == ("flowing", "The heap moves again.")
    assert not experiment.message_repeats
    assert experiment.scene.view.slope(experiment) is None, "the cone would be that of the past"
    while experiment.phase == "flowing" and experiment.time < 10.0:
        advance(experiment, 2000)
    assert experiment.phase == "rested"
    assert experiment.run.world.sphere_count <= grains


def test_the_funnel_that_jams_is_named_in_the_language_of_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment, why = resumed_experiment(saved_run.load(AT_REST)), list[Message]()
    monkeypatch.setattr(scene, "pour_on", lambda experiment, high, pour, jammed: bool(why.append(jammed)))
    experiment.run.state.phase = "filling"
    scene.supervise(experiment)
    assert experiment.run.built.pouring == "funnel"
    assert english(why[0]).startswith("no grain leaves the funnel any more.")
    assert read_language("de").translated(why[0]).startswith("aus dem Trichter ")
