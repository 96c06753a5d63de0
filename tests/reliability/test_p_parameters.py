"""Group P, live parameters: what no field may let through, and changes in the midst of a run.

P06, P07, P18 and P19 follow from the declared ranges (tests/sim/test_parameters.py); what moves the grains while it
changes is in test_p_changes.py, a hand on everything in test_p10_any_order.py.
"""

from __future__ import annotations

import math

import pytest
from repose.app.ui.field_values import typed
from repose.sim.experiment.commands import Copy, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.saved_run import SavedRun
from repose.sim.experiment.stepping import advance
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes

from tests.reliability.runs import changed, go, poured

NUMBERS = [
    (scene, parameter)
    for scene in scenes()
    for parameter in scenes()[scene].parameters.declared().values()
    if parameter.kind in ("float", "int")
]
IDS = [f"{scene}.{parameter.name}" for scene, parameter in NUMBERS]


ONLY_PYTHON = ("0x10", "0b1", "0o7", "1_0", "1_0.0", "1j", "007", ".5", "5.", "٣", "True", "1e5_0")
"""What other grammars take for a number: there is one here, for command line, sweep and window."""
TOO_SMALL = ("1e-400", "-1e-400", "0.0001e-330")
"""Not zero, though a float would make it that."""


@pytest.mark.parametrize("text", [*ONLY_PYTHON, *TOO_SMALL, "1e400"])
def test_p02_window_and_command_line_accept_the_same_numbers(text: str) -> None:
    parameters = scenes()["heap"].parameters
    typed_in = typed(parameters.declared()["friction"], text)
    with pytest.raises(ParameterError, match="is refused"):
        parameters.checked({"friction": typed_in})


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0.0), ("0.25", 0.25), ("+1e0", 1.0), ("0.0e-400", 0.0), (" 1 ", 1.0)]
)
def test_p02_decimal_numbers_are_accepted(text: str, value: float) -> None:
    parameters = scenes()["heap"].parameters
    assert parameters.parse("friction", text) == typed(parameters.declared()["friction"], text) == value


@pytest.mark.case("P02", "P03", "P04")
@pytest.mark.parametrize(("scene", "parameter"), NUMBERS, ids=IDS)
def test_p01_to_p04_every_field_refuses_what_is_not_a_number_in_its_range(scene, parameter) -> None:
    parameters = scenes()[scene].parameters
    hostile = [math.nan, math.inf, -math.inf, True, "", "1,5", None, [1.0], parameter.high * 100.0 + 1.0]
    hostile += [parameter.low - 100.0 - abs(parameter.low)]
    for value in hostile:
        with pytest.raises(ParameterError, match="is refused") as caught:
            parameters.checked({parameter.name: value})
        assert "\n" not in str(caught.value)
    for text in ("nan", "inf", "-inf", "1e400", "-1e400", "1e-400x", "1,5", "1 mm", "--1", *ONLY_PYTHON, *TOO_SMALL):
        with pytest.raises(ParameterError, match="is refused") as caught:
            parameters.parse(parameter.name, text)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("scene", "parameter"), NUMBERS, ids=IDS)
def test_p05_the_ends_of_every_range_are_accepted_or_refused_in_a_sentence(scene, parameter) -> None:
    parameters = scenes()[scene].parameters
    for value in (parameter.low, parameter.high):
        value = int(value) if parameter.kind == "int" else float(value)
        try:
            taken = getattr(parameters.checked({parameter.name: value}), parameter.name)
        except ParameterError:  # a rule between two parameters may forbid it
            continue
        assert taken == value


def test_p08_stiffness_times_a_thousand_is_followed_by_the_step_or_stopped_with_the_old_run_kept() -> None:
    automatic = changed(poured(20_000), normal_stiffness=1e9)
    assert automatic.fault is None
    assert go(automatic, 20_500).fault is None
    assert automatic.dt < 2e-6
    fixed = poured(20_000, dt=2e-5)
    before = fixed.run.world.motion.copy()
    assert not apply(fixed, SetParameters({"normal_stiffness": 1e9}))
    assert fixed.fault is not None
    assert fixed.fault.parameter == "normal_stiffness"
    assert not apply(fixed, SetParameters({"normal_stiffness": 1e6}))
    assert fixed.fault is None
    assert (fixed.run.world.motion == before).all()


def test_p21_a_requested_copy_contains_one_set_of_parameters_between_two_steps() -> None:
    experiment = poured(3_000)
    copies: list[SavedRun] = []
    for friction in (0.2, 0.3):
        assert not apply(experiment, SetParameters({"friction": friction}))
        assert not apply(experiment, Copy(copies.append))
        advance(experiment, 10)
    assert [copy.now.now.parameters.friction for copy in copies] == [0.2, 0.3]
    assert [copy.now.at for copy in copies] == [3_000, 3_010]
    assert [copy.now.now.run.step for copy in copies] == [3_000, 3_010]
    assert [len(copy.log.entries) for copy in copies] == [2, 3]


def test_p22_a_thousand_undos_and_redos_restore_the_parameters_bit_by_bit() -> None:
    experiment = poured(100)
    before = experiment.parameters
    for _ in range(500):
        changed(experiment, tilt=0.1)
        changed(experiment, tilt=before.tilt)
    assert experiment.parameters == before
    assert len(experiment.history.log.entries) == 1_001
