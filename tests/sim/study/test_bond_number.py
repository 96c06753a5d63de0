"""The verdicts of the study over the Bond number on made results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.studies.bond_number import BOND_NUMBERS, GRAINS, STUDY, WEIGHT


def verdicts_of(angle: Callable[[float], float], stands_from: float) -> list[bool | None]:
    """Verdicts on both statements if the heap has this angle [°] over the Bond number, and the column stands from a
    Bond number on."""
    runs = STUDY.runs(Path(), (1, 2, 3))
    results = {}
    for run in runs:
        bond = float(run.varied["pull_off_force"]) / WEIGHT
        upright = bond >= stands_from
        value = {"value": 0.0 if upright else angle(bond) + run.seed, "error": 1.0, "unit": "°", "aside": {}}
        left = GRAINS if upright else 50
        results[run.task.path.name] = {"scene": "heap", "point": value, "grains_left": left, "measurements": {}}
    return [verdict.agrees for _statement, verdict in StudyOutcome(STUDY, runs, results).verdicts()]


@pytest.mark.parametrize(
    ("angle", "stands_from", "agrees"),
    [
        (lambda bond: 20.0 + 2.0 * bond, 30.0, [True, True]),
        (lambda bond: 20.0 + 2.0 * bond, 1e9, [True, False]),
        (lambda bond: 20.0 + 0.01 * bond, 30.0, [False, True]),  # as steep as a dry one
        (lambda bond: 50.0 - abs(bond - 3.0) * 4.0, 30.0, [False, True]),  # flatter beyond a maximum
    ],
)
def test_the_angle_rises_until_the_column_stands(angle, stands_from: float, agrees: list[bool]) -> None:
    assert verdicts_of(angle, stands_from) == agrees


def test_a_column_that_stands_has_no_angle_in_the_figure() -> None:
    runs = STUDY.runs(Path(), (1,))
    results = {
        run.task.path.name: {
            "scene": "heap",
            "point": {"value": 30.0, "error": 1.0, "unit": "°", "aside": {}},
            "grains_left": GRAINS if float(run.varied["pull_off_force"]) > 50.0 * WEIGHT else 50,
            "measurements": {},
        }
        for run in runs
    }
    outcome = StudyOutcome(STUDY, runs, results)
    (group,) = outcome.groups
    assert [row.at / WEIGHT for row in outcome.rows(group)] == pytest.approx(BOND_NUMBERS[:-1])
    assert [row.at / WEIGHT for row in outcome.rows(group, "grains_left")] == pytest.approx(BOND_NUMBERS)


def test_the_figure_is_over_the_bond_number() -> None:
    outcome = StudyOutcome(STUDY, STUDY.runs(Path()), {})
    assert str(outcome.curve().x.label) == "Bond number Bo"
    assert [float(at) / WEIGHT for at in outcome.places] == pytest.approx(BOND_NUMBERS)
