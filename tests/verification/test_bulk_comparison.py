"""Three cases of the comparison of nine programs (Dosta et al. 2024), reduced: the silo, and verdicts of the studies.

The drum and the impact are in `tests/sim/scenes/test_drum_in_space.py` and `test_bed_impact.py`.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.io import presets
from repose.sim.scenes.lecture.drum_in_space import QUADRANTS
from repose.sim.study.studies.bulk_comparison import NEAR, RATES, WAYS, fills_equally, flows_as_published, goes_as_far


def outcome(name: str, values: dict[float, float]) -> Any:
    """A study with these values of its first quantity."""
    rows = [SimpleNamespace(at=at, value=value, error=1e-4) for at, value in values.items()]
    return SimpleNamespace(groups=[SimpleNamespace(name=name)], rows=lambda group: rows)


def test_a_reduced_bed_has_the_volume_of_the_published_one() -> None:
    assert [(point.at, point.value) for point in WAYS] == [(3125, 0.139), (12_500, 0.0905)]


@pytest.mark.parametrize(("wide", "agrees"), [(23_200.0, True), (21_000.0, True), (20_000.0, False), (26_000.0, False)])
def test_a_rate_that_is_far_from_the_published_one_is_noticed(wide: float, agrees: bool) -> None:
    assert flows_as_published(outcome("M1", {0.04: 7700.0, 0.06: wide})).agrees is agrees


@pytest.mark.parametrize(("way", "agrees"), [(0.139, True), (0.1355, True), (0.134, False), (0.144, False)])
def test_a_displacement_that_is_off_by_more_than_a_grain_is_noticed(way: float, agrees: bool) -> None:
    assert goes_as_far(outcome("", {3125: way, 12_500: 0.06})).agrees is agrees


def test_without_a_published_case_nothing_is_judged() -> None:
    assert goes_as_far(outcome("", {6250: 0.1})).agrees is None
    assert flows_as_published(outcome("M1", {0.05: 1e4})).agrees is None


@pytest.mark.slow
def test_the_narrow_silo_empties_at_the_published_rate() -> None:
    preset = presets.load("silo-emptying")
    experiment = new_experiment(preset.scene, preset.values, preset.seed, ready=preset.ready)
    assert experiment.phase == "filled", "the stored packing belongs to the preset"
    rate = run_experiment(experiment)["flow_rate"]["mean"]
    assert rate == pytest.approx(RATES[0.04], rel=NEAR)


@pytest.mark.parametrize(("stiff", "agrees"), [(0.30, True), (0.33, True), (0.36, False)])
def test_shares_that_depend_on_the_stiffness_are_noticed(stiff: float, agrees: bool) -> None:
    rows = [
        SimpleNamespace(means={name: SimpleNamespace(value=value) for name in QUADRANTS}) for value in (0.30, stiff)
    ]
    assert fills_equally(SimpleNamespace(table=rows)).agrees is agrees  # type: ignore[arg-type]
    assert fills_equally(SimpleNamespace(table=rows[:1])).agrees is None  # type: ignore[arg-type]
