"""Curves of parameters: how they are written, their values, and what is refused."""

from __future__ import annotations

import math

import pytest
from repose.sim.parameter_curves import CURVE_KINDS, is_curve, read_curve
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes

HEAP = scenes()["heap"].parameters


@pytest.mark.parametrize(
    ("text", "time", "value"),
    [
        ("ramp 0.2 0.8 1 5", 0.0, 0.2),
        ("ramp 0.2 0.8 1 5", 3.0, 0.5),
        ("ramp 0.2 0.8 1 5", 9.0, 0.8),
        ("ramp 0.2 0.8 1 5 from 2", 5.0, 0.5),
        ("steps 0 0.1 1 0.3 2 0.2", 0.999, 0.1),
        ("steps 0 0.1 1 0.3 2 0.2", 1.0, 0.3),
        ("steps 0 0.1 1 0.3 2 0.2", 7.0, 0.2),
        ("table 0 0.1 1 0.3 2 0.2", 1.5, 0.25),
        ("sine 0.5 0.2 4", 1.0 / 16.0, 0.7),
        ("sine 0.5 0.2 4 from 3", 1.0, 0.5),
        ("sine 0.5 0.2 4 from 3", 2.9, 0.5),
    ],
)
def test_a_curve_has_the_value_of_its_formula(text: str, time: float, value: float) -> None:
    assert read_curve(text).at(time) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize("text", ["ramp 0.2 0.8 0 5", "steps 0 0.1 1 0.3", "table 0 1e-7 2.5 0.3", "sine 0.5 0.2 4"])
def test_the_text_of_a_curve_gives_an_equal_curve(text: str) -> None:
    for curve in (read_curve(text), read_curve(text).set_at(0.1 + 0.2)):
        assert read_curve(curve.text) == curve


def test_every_kind_lies_between_its_extremes() -> None:
    for name in CURVE_KINDS:
        text = {"ramp": "ramp 0.2 0.8 1 5", "sine": "sine 0.5 0.3 0.7"}.get(name, f"{name} 0 0.4 2 0.9 3 0.1")
        curve = read_curve(text)
        low, high = curve.extremes
        values = [curve.at(0.01 * k) for k in range(600)]
        assert low - 1e-12 <= min(values) <= max(values) <= high + 1e-12
        assert max(values) - min(values) == pytest.approx(high - low, rel=0.02)


def test_a_word_of_a_choice_is_no_curve() -> None:
    assert not is_curve("ramps 1 2 3 4")
    assert not is_curve("auto")
    assert not is_curve(0.2)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("friction", "ramp 0.2 0.8 5 5", "the time 5 s follows 5 s, and times must increase"),
        ("friction", "table 0 0.1 2 0.3 1 0.2", "the time 1 s follows 2 s"),
        ("friction", "steps -1 0.1 2 0.3", "its first time is -1 s, and must be at least 0 s"),
        ("friction", "ramp 0.2 2.5 0 5", "it reaches 2.5, and must be a number from 0 to 2 at all times"),
        ("friction", "sine 0.1 0.2 1", "it reaches -0.1"),
        ("friction", "sine 0.5 0.2 0", "its frequency is 0 Hz, and must be above 0 Hz"),
        ("friction", "ramp 0.2 0.8 0", "a ramp has 4 numbers, not 3: write ramp VALUE VALUE TIME TIME"),
        ("friction", "ramp 0.2 0,8 0 1", "“0,8” has a comma: write 0.8 with a point"),
        ("friction", "ramp 0.2 x 0 1", "“x” is no number"),
        ("friction", "table 0 0.1", "it needs at least two pairs of a time and a value; numbers given: 2"),
        ("dt", "ramp 1e-6 1e-5 0 1", "this parameter has no curve, because the steps of the run follow from it"),
        (
            "grain_count",
            "ramp 10 100 0 1",
            "because the experiment is set up with it at the start",
        ),
        ("base_radius", "ramp 1e-4 1e-3 0 1", "a change of it rebuilds walls and base"),
        ("frction", "ramp 0.2 0.8 0 5", "did you mean 'friction'?"),
    ],
)
def test_a_curve_that_is_none_is_refused_in_one_sentence(name: str, text: str, words: str) -> None:
    with pytest.raises(ParameterError, match=None) as refusal:
        HEAP.checked({name: text})
    assert words in str(refusal.value)
    assert str(refusal.value).count(". ") == 0


def test_a_set_has_the_values_of_its_curves_at_a_time() -> None:
    driven = HEAP.checked({"friction": "ramp 0.2 0.8 0 5", "trickle_count": "ramp 10 20 0 1"})
    later = driven.at(0.0).at(2.5)
    assert later.friction == pytest.approx(0.5)
    assert driven.at(0.0).at(0.26).trickle_count == 13, "a count has whole values"
    assert later.given("friction") == "ramp 0.2 0.8 0 5 from 0"
    assert driven.at(2.0).at(4.5).friction == pytest.approx(0.5), "it begins when it is first asked for"
    assert later.at(2.5) is later


def test_a_value_ends_the_curve_of_its_parameter_only() -> None:
    driven = HEAP.checked({"friction": "ramp 0.2 0.8 0 5", "tilt": "sine 0 0.1 1"})
    assert set(driven.changed(gravity=5.0).curves) == {"friction", "tilt"}
    assert set(driven.changed(friction=0.3).curves) == {"tilt"}
    assert driven != driven.changed(friction=0.2), "equal values with and without a curve are not the same parameters"
    assert HEAP.parse("friction", " ramp 0.2 0.8 0 5 ") == "ramp 0.2 0.8 0 5"


def test_another_law_without_the_parameter_ends_its_curve() -> None:
    driven = HEAP.checked({"shear_damping": "ramp 100 200 0 1", "friction": "ramp 0.2 0.8 0 5"})
    other = driven.changed(law="spring_damper") if "spring_damper" in str(HEAP.declared()["law"].choices) else driven
    assert all(name in other.declared() for name in other.curves)


def test_the_words_of_a_change_name_the_curve() -> None:
    words = str(HEAP.declared()["tilt"].change(0.0, f"ramp 0 {math.pi / 6} 0 5"))
    assert words == "tilt of the table: 0° → ramp, 0° to 30° over 5 s"
