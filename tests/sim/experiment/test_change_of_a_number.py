"""A change of a number does only what it must: no formulas are selected again, and coefficients are computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from repose.sim import registry
from repose.sim.experiment import activation
from repose.sim.experiment.activation import Watched, read_from
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Rewind, SetParameters, Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.stepping import advance
from repose.sim.registry import laws

from tests.small_worlds import use_plain_engine

TINY = {"grain_count": 3, "width": 5e-3, "base_radius": 1e-3, "wall_radius": 3e-3, "dt": 4e-5}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often laws were bound and their coefficients computed, and loops composed."""
    use_plain_engine(monkeypatch)
    calls: Counter[str] = Counter()

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            calls[name] += 1
            return function(*given)

        return call

    known = laws()
    watched = {
        name: replace(law, bind=counting("bind", law.bind), coefficients=counting("coefficients", law.coefficients))
        for name, law in known.items()
    }
    monkeypatch.setattr(activation, "laws", lambda: watched)
    for name in ("compose", "compose_survey", "contact_table"):
        monkeypatch.setattr(activation, name, counting("compose", getattr(activation, name)))
    return calls


def filling() -> Experiment:
    """Grains that have just begun to fall."""
    experiment = new_experiment("heap", TINY)
    assert not apply(experiment, Act("fill"))
    advance(experiment, 10)
    return experiment


def changed(experiment: Experiment, counted: Counter[str], **values: Any) -> dict[str, int]:
    counted.clear()
    assert not apply(experiment, SetParameters(values))
    return dict(counted)


def test_a_change_of_friction_computes_the_coefficients_once(counted: Counter[str]) -> None:
    experiment = filling()
    assert changed(experiment, counted, friction=0.35) == {"coefficients": 1}
    assert experiment.engine.law_parameters.friction == 0.35


def test_a_change_of_gravity_computes_those_of_both_ends_of_the_ramp(counted: Counter[str]) -> None:
    experiment = filling()
    assert changed(experiment, counted, gravity=2.0) == {"coefficients": 2}
    assert experiment.run.ramp is not None
    assert experiment.engine.gravity[1] == pytest.approx(-9.81)
    assert experiment.engine.requested.gravity[1] == pytest.approx(-2.0)
    counted.clear()
    advance(experiment, experiment.run.ramp.steps)
    assert dict(counted) == {"coefficients": 8}  # one for each part of the ramp
    assert experiment.engine.gravity[1] == pytest.approx(-2.0)


def test_a_change_of_the_formula_or_of_the_law_binds_and_composes_once(counted: Counter[str]) -> None:
    experiment = filling()
    assert changed(experiment, counted, exponent="linear")["bind"] == 1
    assert counted["compose"] == 3
    slope = new_experiment("heap3d", registry.scenes()["heap3d"].test_values)
    before = slope.engine.model.law
    assert changed(slope, counted, law="voigt")["compose"] == 3
    assert slope.engine.model.law != before
    assert counted["bind"] <= 2  # to check the world, and to use it


def test_a_start_composes_once_and_a_rewind_never(counted: Counter[str]) -> None:
    experiment = filling()
    assert counted["compose"] == 3
    counted.clear()
    assert not apply(experiment, Rewind(0))
    assert counted["compose"] == counted["bind"] == 0
    assert not apply(experiment, Start("bounce", registry.scenes()["bounce"].test_values, 1))
    assert counted["compose"] == 3


class Plain:
    """Parameters with a method."""

    def __init__(self) -> None:
        self.word, self.number = "hertz", 0.5

    def declared(self) -> dict[str, None]:
        return {"word": None, "number": None}

    def twice(self) -> float:
        return 2.0 * self.number


def test_the_values_that_select_formulas_are_noted_also_behind_a_method() -> None:
    watched: Any = Watched(Plain())
    assert isinstance(watched, Plain)
    assert watched.word == "hertz"
    assert read_from(watched) == {"word": "hertz"}
    assert watched.twice() == 1.0
    assert read_from(watched) == {"word": "hertz", "number": 0.5}


def test_formulas_that_a_number_selects_are_selected_again(counted: Counter[str], monkeypatch) -> None:
    law = activation.laws()["lee_herrmann"]

    def bind(parameters: Any) -> Any:
        return replace(law.bind(parameters), reads_radius=parameters.friction > 0.3)

    choosing = activation.laws() | {"lee_herrmann": replace(law, bind=bind)}
    monkeypatch.setattr(activation, "laws", lambda: choosing)
    experiment = filling()
    counted.clear()
    assert changed(experiment, counted, friction=0.35)["bind"] == 1
    assert experiment.engine.model.law.reads_radius
    assert changed(experiment, counted, friction=0.25)["bind"] == 1
    assert not experiment.engine.model.law.reads_radius
    assert "bind" not in changed(experiment, counted, wall_stiffness_factor=3.0)
