"""Parameters that follow curves in a run: bits, replay, files, undo, and when a run ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment, require_continuable
from repose.sim.experiment.commands import Act, Rewind, SetParameters, Start, TakeBack
from repose.sim.experiment.control import apply
from repose.sim.experiment.driven import CHECKS_PER_PERIOD
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.parameter_values import parameter_set, values_of
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import results_of, state_hash
from repose.sim.experiment.run_answer import same_physics
from repose.sim.experiment.stepping import advance, at_rest
from repose.sim.instruments.instrument import Instrument
from repose.sim.io.archive import ArchiveError
from repose.sim.parameters import ParameterError

SMALL = {"grain_count": 40, "width": 0.012}
DRIVEN = SMALL | {
    "friction": "ramp 0.1 0.6 0.02 0.1",
    "gravity": "sine 9 2 20",
    "normal_stiffness": "steps 0 1e6 0.05 2e6",
}
STEPS = 6_000


def begun(values: dict[str, object] = DRIVEN) -> Experiment:
    experiment = new_experiment("heap", values)
    assert not apply(experiment, Act("run"))
    return experiment


@pytest.fixture(scope="module")
def whole() -> Experiment:
    """A run with three curves, after `STEPS` steps in one batch."""
    experiment = begun()
    advance(experiment, STEPS)
    return experiment


def test_values_follow_their_curves_at_every_check(whole: Experiment) -> None:
    middle = whole.time + 0.5 * CHECK_STEPS * whole.dt
    now = whole.parameters
    assert now.friction == pytest.approx(now.curves["friction"].at(middle), rel=1e-9)
    assert now.gravity == pytest.approx(now.curves["gravity"].at(middle), rel=1e-9)
    assert now.normal_stiffness == 2e6


def test_batches_of_any_length_give_the_same_bits(whole: Experiment) -> None:
    other = begun()
    while other.step < STEPS:
        advance(other, min(37, STEPS - other.step))
    assert state_hash(other.run) == state_hash(whole.run)
    assert other.parameters == whole.parameters
    assert other.run.booked == whole.run.booked


def test_a_run_with_curves_differs_from_one_without(whole: Experiment) -> None:
    plain = begun(SMALL)
    advance(plain, STEPS)
    assert state_hash(plain.run) != state_hash(whole.run)
    assert not same_physics(plain.parameters, whole.parameters)


def test_a_saved_run_continues_and_repeats_with_the_same_bits(whole: Experiment, tmp_path: Path) -> None:
    part = begun()
    advance(part, 3_000)
    saved_run.save(saved_copy(part), tmp_path / "part.repose")
    from repose.sim.experiment.changes import resumed_experiment

    again = resumed_experiment(saved_run.load(tmp_path / "part.repose"))
    assert again.parameters == part.parameters
    advance(again, STEPS - 3_000)
    assert state_hash(again.run) == state_hash(whole.run)
    verdict = verify(saved_copy(again))
    assert verdict.differs_at is None
    assert verdict.compared >= 2


def test_a_file_with_an_impossible_curve_is_refused(whole: Experiment, tmp_path: Path) -> None:
    saved = saved_copy(whole)
    wrong = saved.now.now.parameters.driven_by({"grain_count": whole.parameters.curves["friction"]})
    object.__setattr__(saved.now.now, "parameters", wrong)
    saved_run.save(saved, tmp_path / "wrong.repose")
    with pytest.raises(ArchiveError):
        saved_run.load(tmp_path / "wrong.repose")


def test_rewinding_and_going_on_gives_the_same_bits(whole: Experiment) -> None:
    again = begun()
    advance(again, STEPS)
    assert not apply(again, Rewind(2_500))
    assert again.parameters.friction < whole.parameters.friction
    assert not apply(again, Rewind(STEPS))
    assert state_hash(again.run) == state_hash(whole.run)


def test_a_curve_set_during_a_run_counts_from_then_and_is_taken_back() -> None:
    experiment = begun(SMALL)
    advance(experiment, 1_000)
    then, before = experiment.time, experiment.parameters.friction
    assert not apply(experiment, SetParameters({"friction": f"ramp {before} 0.7 0 0.05"}))
    assert experiment.parameters.friction == before
    assert experiment.parameters.curves["friction"].begins == then
    advance(experiment, 1_000)
    assert experiment.parameters.friction > before
    assert not apply(experiment, SetParameters({"friction": 0.3}))
    assert not experiment.parameters.curves, "a value by hand ends the curve"
    assert not apply(experiment, TakeBack("friction"))
    assert experiment.parameters.friction > before
    assert experiment.parameters.curves
    assert not apply(experiment, TakeBack("friction"))
    assert experiment.parameters.friction == before
    assert not experiment.parameters.curves


def test_a_refused_curve_changes_nothing() -> None:
    experiment = begun(SMALL)
    advance(experiment, 500)
    before = experiment.parameters
    assert "times must increase" in str(apply(experiment, SetParameters({"friction": "ramp 0.1 0.2 1 1"})))
    assert "a curve has at most" in str(apply(experiment, SetParameters({"gravity": "sine 5 1 5000"})))
    assert experiment.parameters is before
    with pytest.raises(ParameterError, match="values change every 50 steps"):
        new_experiment("heap", SMALL | {"gravity": "sine 5 1 5000"})


def not_compiled(*_args: object, **_options: object) -> None:
    raise AssertionError("the engine is compiled before the refusal")


def test_a_curve_that_is_too_fast_is_refused_before_the_engine_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    fastest = 1.0 / (CHECKS_PER_PERIOD * CHECK_STEPS * new_experiment("heap", SMALL).dt)
    new_experiment("heap", SMALL | {"gravity": f"sine 5 1 {0.999 * fastest}"})
    running = new_experiment("heap", SMALL)
    monkeypatch.setattr("repose.sim.experiment.changes.activate", not_compiled)
    for values in (
        {"gravity": f"sine 5 1 {1.001 * fastest}"},
        {"gravity": "sine 5 1 101", "dt": 1e-5},
    ):
        with pytest.raises(ParameterError, match="a curve has at most"):
            new_experiment("heap", SMALL | values)
        assert "a curve has at most" in str(apply(running, Start("heap", SMALL | values, 1)))
    with pytest.raises(ParameterError, match="= 'sine 5 1 1e9' is refused"):
        new_experiment("heap", {"gravity": type(running.parameters).parse("gravity", '"sine 5 1 1e9"')})
    with pytest.raises(ParameterError, match="a curve has at most"):
        new_experiment("silo", {"grain_count": 60, "gravity": "sine 5 1 1e4"})
    saved = saved_copy(running)
    with pytest.raises(ParameterError, match="a curve has at most"):
        require_continuable(saved, {"gravity": f"sine 5 1 {1.001 * fastest}"}, ())
    with pytest.raises(ParameterError, match="outside the box"):
        require_continuable(saved, {}, (Instrument("line", "a", ((0.0, 0.0), (9.0, 0.0))),))
    require_continuable(saved, {"gravity": f"sine 5 1 {0.999 * fastest}"}, ())


def test_a_reset_begins_the_curves_again(whole: Experiment) -> None:
    experiment = begun()
    advance(experiment, 4_000)
    assert not apply(experiment, Act("reset"))
    assert experiment.parameters.friction == 0.1
    assert not apply(experiment, Act("run"))
    advance(experiment, STEPS)
    assert state_hash(experiment.run) == state_hash(whole.run)


def test_the_window_and_results_get_the_curves(whole: Experiment) -> None:
    assert parameter_set("heap", values_of(whole.parameters)) == whole.parameters
    assert results_of(whole)["parameters"]["friction"] == "ramp 0.1 0.6 0.02 0.1 from 0"


def test_the_clock_goes_on_while_a_curve_will_change_something() -> None:
    experiment = new_experiment("heap", SMALL | {"friction": "ramp 0.1 0.6 1 2"})
    assert not at_rest(experiment)
    assert at_rest(new_experiment("heap", SMALL))
