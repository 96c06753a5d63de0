"""Parameters: every refusal is one sentence with the value, the limit and what to do, and changes nothing."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, Literal

import pytest
from annotated_types import Ge, Le
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import Field
from repose.sim import registry
from repose.sim.message import Message
from repose.sim.parameters import (
    FilePath,
    OneOf,
    ParameterError,
    ParameterSet,
    Quantity,
    choice,
    count,
    file_path,
    length,
    named_by_symbol,
    number,
    require_known,
    switch,
    variant,
)
from repose.sim.registry import scenes
from repose.sim.wording import value_text

from tests.english import english

HeapParameters = scenes()["heap"].parameters
NUMBERS = [p for p in HeapParameters.declared().values() if p.kind in ("float", "int")]
FLOATS = [p for p in NUMBERS if p.kind == "float"]
CHOICES = [p for p in HeapParameters.declared().values() if p.kind == "choice"]


def refusal(values: dict) -> str:
    with pytest.raises(ParameterError) as caught:
        HeapParameters.checked(values)
    return str(caught.value)


def typed_refusal(name: str, text: str) -> str:
    with pytest.raises(ParameterError) as caught:
        HeapParameters.parse(name, text)
    return str(caught.value)


def test_a_record_that_a_plug_in_adds_is_offered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = registry.scenes()["heap"].parameters
    before = kind.declared()["integrator"].choices
    assert kind.checked({}).in_units()["integrator"].choices == before
    records = registry.records
    monkeypatch.setattr(
        registry, "records", lambda kind: records(kind) | ({"mine": None} if kind == "integrators" else {})
    )
    assert kind.declared()["integrator"].choices == (*before, "mine")
    assert kind.checked({}).in_units()["integrator"].choices == (*before, "mine")


def test_the_answer_of_declared_belongs_to_the_caller() -> None:
    kind = registry.scenes()["heap"].parameters
    kind.declared().clear()
    assert "friction" in kind.declared()


def test_defaults_of_every_scene_are_within_their_own_ranges() -> None:
    for scene in scenes().values():
        parameters = scene.parameters()
        assert scene.parameters.checked(parameters.model_dump()) == parameters
        for declared in scene.parameters.declared().values():
            assert str(declared.help).endswith("."), declared.name
            assert declared.quantity.label, declared.name
            if declared.kind not in ("choice", "bool", "path", "text"):
                assert declared.low is not None
                assert declared.high is not None
                assert declared.low < declared.high


@pytest.mark.parametrize("scene", scenes())
def test_the_range_in_a_refusal_is_in_the_unit_of_the_value_refused(scene: str) -> None:
    # "from 10000 to 1e+12 MPa" was said where pascals were meant.
    for parameter in scenes()[scene].parameters.declared().values():
        if parameter.kind != "float" or parameter.quantity.scale == 1.0:
            continue
        with pytest.raises(ParameterError, match=parameter.name) as caught:
            scenes()[scene].parameters.checked({parameter.name: 2.0 * abs(parameter.high) + 1.0})
        unit = parameter.quantity.unit
        assert f"to {parameter.high:g} {unit} (" not in str(caught.value), unit


def test_a_range_in_a_scaled_unit_that_only_a_plug_in_knows_is_not_called_one_in_that_unit() -> None:
    class Plugin(ParameterSet):
        width: Annotated[
            float, Ge(0.5), Le(5.0), Quantity("width", "w", "furlong", scale=201.0), Field(description="Of the field.")
        ] = 1.0

    with pytest.raises(ParameterError, match=r"from 0\.5 to 5 \(0\.\d+ furlong to 0\.\d+ furlong\)"):
        Plugin.checked({"width": 6.0})


PATH_FIELD = Field(max_length=4096, pattern=r"^[^\x00-\x1f]*$", description="Of the body.")
Shared = Annotated[float, number(..., 0.0, 500.0, "damping", "c", "kg/s", effect="ramp", group="Bonds", help="Shared.")]


class Written(ParameterSet):
    """One parameter of each kind, in the notation of pydantic, as older plug-ins declare them."""

    friction: Annotated[float, Ge(0.0), Le(2.0), Quantity("friction", "μ"), Field(description="Of grains.")] = 0.5
    young: Annotated[float, Ge(1e4), Le(1e12), Quantity("modulus", "E", "MPa", 1e6, True, "ramp", "Material")] = 1e7
    width: Annotated[float, Ge(1e-3), Le(2.0), Quantity("width", "W", "mm", scale=1e-3, effect="base")] = 0.1
    grains: Annotated[int, Ge(1), Le(9), Quantity("grains", "N", group="Grains"), Field(description="How many.")] = 3
    method: Annotated[Literal["line", "fit"], Quantity("angle from", "m"), Field(description="How.")] = "line"
    scheme: Annotated[str, OneOf("integrators"), Quantity("integrator", "")] = "gear5"
    rotation: Annotated[bool, Quantity("grains rotate", "", effect="restart"), Field(description="Whether.")] = True
    mesh: Annotated[
        str, PATH_FIELD, Quantity("shape", "", effect="anew"), FilePath((".stl",), "the goblet", replaces=("width",))
    ] = ""
    dt: Annotated[
        Annotated[float, Ge(1e-8), Le(1e-3)] | Literal["auto"], Quantity("time step", "Δt", "µs", scale=1e-6, log=True)
    ] = "auto"


class Declared(ParameterSet):
    """The same parameters by the declaring functions."""

    friction: float = number(0.5, 0.0, 2.0, "friction", "μ", help="Of grains.")
    young: float = number(1e7, 1e4, 1e12, "modulus", "E", "MPa", log=True, effect="ramp", group="Material")
    width: float = length(0.1, 1e-3, 2.0, "width", "W", effect="base")
    grains: int = count(3, 1, 9, "grains", "N", group="Grains", help="How many.")
    method: Literal["line", "fit"] = choice("line", "angle from", "m", help="How.")
    scheme: str = choice("gear5", "integrator", of=OneOf("integrators"))
    rotation: bool = switch(True, "grains rotate", effect="restart", help="Whether.")
    mesh: str = file_path(
        "shape", (".stl",), empty="the goblet", replaces=("width",), effect="anew", help="Of the body."
    )
    dt: Annotated[
        Annotated[float, Ge(1e-8), Le(1e-3)] | Literal["auto"],
        number(..., None, None, "time step", "Δt", "µs", log=True),
    ] = "auto"


@pytest.mark.parametrize("name", Written.model_fields)
def test_a_declaring_function_says_the_same_as_the_notation_of_pydantic(name: str) -> None:
    assert Declared.declared()[name] == Written.declared()[name]
    for value in (
        math.nan,
        -1.0,
        0.0,
        0.05,
        3,
        1e8,
        1e13,
        "line",
        "auto",
        "rk4",
        True,
        "a.stl",
        "a\x00.stl",
        "x" * 5000,
    ):
        answers = []
        for kind in (Declared, Written):
            try:
                answers.append(str(kind.checked({name: value})))
            except ParameterError as error:
                answers.append(f"{error} {error.in_units}")
        assert answers[0] == answers[1], value


def test_both_notations_give_the_same_json_schema() -> None:
    schemas = [kind.model_json_schema()["properties"] for kind in (Declared, Written)]
    assert schemas[0] == schemas[1]


def test_a_set_changes_default_and_help_of_a_shared_declaration_and_keeps_the_rest() -> None:
    class Own(ParameterSet):
        plain: Shared = 1.0
        varied: Shared = variant(2.0, help="Own.")
        narrower: Annotated[Shared, Le(5.0)] = 3.0

    plain, varied, narrower = Own.declared().values()
    assert plain == replace(narrower, name="plain", default=1.0, high=500.0)
    assert varied == replace(plain, name="varied", default=2.0, help=Message("{value}", value="Own."))
    assert english((narrower.low, narrower.high, narrower.help)) == (0.0, 5.0, "Shared.")
    Own.checked({"plain": 6.0, "varied": 6.0})
    for wrong in ({"plain": 501.0}, {"varied": 501.0}, {"narrower": 6.0}):
        with pytest.raises(ParameterError, match="is refused"):
            Own.checked(wrong)


def test_a_set_that_forgets_the_default_of_a_shared_declaration_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="the parameter damping of Without has no default value"):

        class Without(ParameterSet):
            damping: Shared


def test_a_plain_number_in_a_set_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="the parameter tilt of Plain has no label and range: declare it with number"):

        class Plain(ParameterSet):
            tilt: float = 0.42


def test_the_scale_of_a_unit_that_only_a_plug_in_knows_is_stated() -> None:
    class Plugin(ParameterSet):
        field_width: float = number(201.0, 20.1, 2010.0, "width", "w", "furlong", scale=201.0, help="Of the field.")
        lost: float = number(1.0, 0.0, 2.0, "way", "s", "league", help="Not scaled.")

    assert str(Plugin.declared()["field_width"].shown(402.0)) == "2 furlong"
    assert Plugin.declared()["lost"].quantity.scale == 1.0


def test_unknown_name_offers_the_nearest() -> None:
    assert refusal({"frictoin": 0.2}) == "Unknown parameter 'frictoin': did you mean 'friction'?"
    assert "known: friction, normal_stiffness" in refusal({"zzzzzz": 1.0})


def test_unknown_name_far_from_all_others_is_compared_with_none() -> None:
    assert "did you mean" not in refusal({"nothing": 1.0})
    with pytest.raises(ParameterError, match="Unknown scene 'nosuch': known: heap, "):
        require_known("nosuch", ("heap", "heap3d", "bounce"), "scene")
    with pytest.raises(ParameterError, match="did you mean 'heap3d'"):
        require_known("heap3", ("heap", "heap3d", "bounce"), "scene")


@pytest.mark.parametrize("parameter", NUMBERS, ids=lambda p: p.name)
@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, "fast", "0,2", True, None, [1.0]])
def test_values_that_are_not_finite_numbers_are_refused(parameter, wrong) -> None:
    said = refusal({parameter.name: wrong})
    assert said.startswith(f"{parameter.name} = {value_text(wrong)} is refused: it must be a ")
    assert f"the default is {parameter.default!r}{parameter.converted(parameter.default)}." in said
    assert "\n" not in said


@pytest.mark.case("P06", "P18", "P19")
@pytest.mark.parametrize("parameter", NUMBERS, ids=lambda p: p.name)
def test_a_value_out_of_range_is_refused_with_the_range(parameter) -> None:
    kind, digits = (int, "d") if parameter.kind == "int" else (float, "g")
    for wrong in (kind(100 * parameter.high + 1), kind(-100 * abs(parameter.high) - 1)):
        said = refusal({parameter.name: wrong})
        assert f"{parameter.name} = {wrong!r}{parameter.converted(wrong)} is refused" in said
        assert f"from {kind(parameter.low):{digits}} to {kind(parameter.high):{digits}}" in said
    for right in (kind(parameter.low), kind(parameter.high)):
        assert getattr(HeapParameters.checked({parameter.name: right}), parameter.name) == right


@pytest.mark.case("X08")
@pytest.mark.parametrize("parameter", FLOATS, ids=lambda p: p.name)
def test_the_smallest_step_beyond_a_limit_is_refused(parameter) -> None:
    for wrong in (math.nextafter(parameter.high, math.inf), math.nextafter(parameter.low, -math.inf)):
        assert "is refused" in refusal({parameter.name: wrong})


@pytest.mark.parametrize("name", ["normal_stiffness", "mean_radius", "mass_at_mean", "friction", "dt", "grain_count"])
def test_negative_values_are_refused(name: str) -> None:
    assert "is refused" in refusal({name: -1 if name == "grain_count" else -1e-3})


@pytest.mark.case("P07")
def test_zero_is_accepted_where_it_is_physical() -> None:
    zeros = ("gravity", "friction", "shear_stiffness", "normal_damping", "shear_damping", "radius_spread", "tilt")
    assert HeapParameters.checked(dict.fromkeys(zeros, 0.0)).gravity == 0.0
    for name in ("normal_stiffness", "mean_radius", "mass_at_mean", "dt", "width"):
        assert "is refused" in refusal({name: 0.0})


@pytest.mark.parametrize("parameter", CHOICES, ids=lambda p: p.name)
def test_a_choice_accepts_only_its_words(parameter) -> None:
    for wrong in ("hertzz", 1.0, True, ""):
        said = refusal({parameter.name: wrong})
        assert all(f"'{word}'" in said for word in parameter.choices)
    for word in parameter.choices:
        assert getattr(HeapParameters.checked({parameter.name: word}), parameter.name) == word


def test_a_fraction_is_refused_for_an_integer_and_all_refusals_are_in_the_message() -> None:
    said = refusal({"grain_count": 10.5, "friction": -1.0})
    assert "grain_count = 10.5 is refused: it must be a whole number from 1 to 1000000" in said
    assert "friction = -1.0 is refused: it must be a number from 0 to 2" in said


def test_a_refusal_gives_value_limits_and_default_also_in_the_display_unit() -> None:
    assert refusal({"base_radius": 1.0}) == (
        "base_radius = 1.0 (1000 mm) is refused: it must be a number from 5e-05 to 0.003 m (0.05 mm to 3 mm); the "
        "default is 0.00025 (0.25 mm)."
    )
    assert "friction = 3.0 is refused" in refusal({"friction": 3.0})  # no unit: nothing to convert
    for wrong in (math.nan, 10**400, True):
        said = refusal({"base_radius": wrong})
        assert said.startswith(f"base_radius = {value_text(wrong)} is refused")
        assert said.count("mm") == 3  # of limits and default only
    assert "or 'auto'" in refusal({"dt": 1.0})


def test_a_refusal_for_a_slider_has_its_label_and_its_unit() -> None:
    for value, shown in ((2.8e-11, "2.8e-05 µs"), ("abc", "'abc'")):
        with pytest.raises(ParameterError) as refused:
            HeapParameters.checked({"dt": value})
        assert str(refused.value.in_units) == (
            f"time step = {shown} is refused: it must be a number from 0.01 µs to 1000 µs, or 'auto'; "
            "the default is auto."
        )


def test_a_whole_number_may_have_an_exponent_and_a_refused_one_is_shown_as_short_as_it_was_typed() -> None:
    assert HeapParameters.parse("grain_count", "1e3") == 1000
    with pytest.raises(ParameterError) as refused:
        HeapParameters.checked({"grain_count": 1e9})
    assert ".0" not in str(refused.value.in_units)
    assert "1e+09" in str(refused.value.in_units)
    for text in ("2.5", "1e300"):
        with pytest.raises(ParameterError, match="is refused: it must be a whole number"):
            HeapParameters.parse("grain_count", text)


@pytest.mark.parametrize(
    ("text", "value"), [("0.2", 0.2), (" 2e-1 ", 0.2), ("+0.2", 0.2), ("1", 1.0), ("0", 0.0), ("10e-2", 0.1)]
)
def test_all_parameters_accept_the_same_notation_of_numbers(text: str, value: float) -> None:
    assert HeapParameters.parse("friction", text) == value
    assert type(HeapParameters.parse("friction", text)) is float


NO_COEFFICIENTS = [
    "0,2",
    "0.2 mm",
    "1 mm",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "1e400",
    "",
    "true",
    "'0.2'",
    "0x1p3",
    "0.2;",
    "1_0e-2",
]
HOSTILE = ["[0.2]", "__import__('os')", "1e-1\nfriction = 3", "2020-01-01"]


@pytest.mark.parametrize("text", NO_COEFFICIENTS + HOSTILE)
def test_anything_else_typed_for_a_number_is_refused(text: str) -> None:
    assert "friction = " in typed_refusal("friction", text)


def test_words_are_typed_with_or_without_quotes() -> None:
    assert HeapParameters.parse("exponent", "linear") == "linear"
    assert HeapParameters.parse("exponent", '"linear"') == "linear"
    assert HeapParameters.parse("dt", "auto") == "auto"
    assert HeapParameters.parse("dt", "2e-5") == 2e-5
    assert HeapParameters.parse("grain_count", "300") == 300
    assert scenes()["impacts"].parameters.parse("test", "6") == "6"  # a choice whose words are digits
    assert "whole number" in typed_refusal("grain_count", "300.5")


NAMES = st.sampled_from(sorted(HeapParameters.model_fields))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(NAMES, st.floats() | st.integers() | st.text(), max_size=3))
def test_any_value_is_accepted_in_range_or_refused_in_a_sentence(values: dict) -> None:
    try:
        parameters = HeapParameters.checked(values)
    except ParameterError as error:
        sentence = str(error)
    else:
        sentence = ""
        assert parameters.model_dump().keys() == HeapParameters.model_fields.keys()
    if sentence:
        assert " is refused: " in sentence
        return
    for entry in NUMBERS:
        value = getattr(parameters, entry.name)
        assert value == "auto" or entry.low <= value <= entry.high


def test_a_set_cannot_be_changed_in_place() -> None:
    parameters = HeapParameters()
    with pytest.raises(ValueError, match="frozen"):
        parameters.friction = 0.5
    assert parameters.changed(friction=0.5).friction == 0.5
    assert parameters.friction == 0.1


def test_a_container_narrower_than_its_largest_grain_is_refused() -> None:
    said = refusal({"width": 6e-3, "mean_radius": 2e-3})
    assert said.startswith(
        "width = 0.006 (6 mm) is refused: it must be at least 0.0072 m (7.2 mm), the diameter of the largest grain"
    )
    assert HeapParameters.checked({"width": 6e-3, "mean_radius": 2e-3, "radius_spread": 0.0}).width == 6e-3


def test_walls_of_a_quarter_million_grains_are_refused_before_they_are_built() -> None:
    tower = {"width": 5e-3, "grain_count": 20_000, "mean_radius": 1.2e-3, "wall_radius": 1e-4}
    assert "walls and base would need 279128 grains" in refusal(tower)
    assert "at most 100000 are built; make the wall grains larger" in refusal(tower)
    assert HeapParameters.checked({"grain_count": 20_000}).grain_count == 20_000


@pytest.mark.parametrize(("exponent", "unit"), [("hertz", "N/m^1.5"), ("linear", "N/m")])
def test_the_unit_of_a_stiffness_is_that_of_the_exponent_chosen(exponent: str, unit: str) -> None:
    chosen = HeapParameters.checked({"exponent": exponent}).in_units()
    assert str(chosen["normal_stiffness"].change(1e4, 2e4)) == f"normal stiffness: 10000 {unit} → 20000 {unit}"
    assert chosen["gravity"] == HeapParameters.declared()["gravity"]


def test_a_message_about_a_change_has_four_digits_or_as_many_as_tell_the_values_apart() -> None:
    declared, wide = HeapParameters.declared(), HeapParameters.checked({"grain_count": 20_000}).width
    assert len(repr(wide)) > 12  # it follows from the grains, with all digits
    assert str(declared["width"].change(0.0456, wide)) == "container width: 45.6 mm → 194.4 mm"
    assert str(declared["width"].change(0.1, 0.1000001)) == "container width: 100 mm → 100.0001 mm"
    assert str(declared["normal_stiffness"].change(123456.0, 2e6)).endswith("123500 N/m^p → 2e+06 N/m^p")


@pytest.mark.parametrize(
    ("scene", "symbol", "names"),
    [
        ("heap", "mu", "'friction' (μ)"),
        ("heap", "k_n", "'normal_stiffness' (k_n)"),
        ("heap", "kn", "'normal_stiffness' (k_n)"),
        ("heap", "gamma_n", "'normal_damping' (γ_n)"),
        ("heap", "g", "'gravity' (g)"),
        ("heap3d", "e", "'restitution' (e)"),
        ("heap3d", "E", "'young' (E)"),
        ("heap3d", "NU", "'poisson' (ν)"),
        ("heap3d", "mu_r", "'rolling_friction' (μ_r)"),
    ],
)
def test_a_symbol_is_answered_with_the_name(scene: str, symbol: str, names: str) -> None:
    parameters = scenes()[scene].parameters
    for refuse in (lambda: parameters.checked({symbol: 0.1}), lambda: parameters.parse(symbol, "0.1")):
        with pytest.raises(ParameterError) as raised:
            refuse()
        assert str(raised.value) == f"Unknown parameter '{symbol}': did you mean {names}?"


def test_the_symbol_of_several_parameters_is_answered_with_all_their_names() -> None:
    found = named_by_symbol("k", {"spring": "k", "thread": "k", "height": "h"})
    assert [str(name) for name in found] == ["'spring' (k)", "'thread' (k)"]
    assert [str(name) for name in named_by_symbol("lambda0", {"length": "λ₀"})] == ["'length' (λ₀)"]
    assert named_by_symbol("", {"switch": ""}) == []


def test_a_typed_value_is_checked_alone_and_together_with_the_others_later() -> None:
    kind = scenes()["hourglass_glass"].parameters
    assert kind.parse("width", "0.1") == 0.1
    assert kind.checked({"width": 0.1, "orifice": 0.05}).width == 0.1
    with pytest.raises(ParameterError, match="the width of the glass"):
        kind.checked({"width": 0.1})
    with pytest.raises(ParameterError, match=r"width = 9\.0"):
        kind.parse("width", "9")


def test_a_switch_is_shown_in_words_that_have_translations() -> None:
    entry = registry.scenes()["heap"].parameters.declared()["rotation"]
    assert [str(entry.shown(value)) for value in (True, False)] == ["yes", "no"]
    assert str(entry.named(False)).endswith(": no")


@pytest.mark.parametrize(("text", "value"), [("yes", True), (" no ", False), ("True", True), ("false", False)])
def test_a_switch_is_typed_as_it_is_shown(text: str, value: bool) -> None:
    assert registry.scenes()["heap"].parameters.parse("rotation", text) is value
