"""The parser of typed numbers accepts clear ones and refuses ambiguous ones; messages use readable units."""

from __future__ import annotations

import ast
import inspect
import math
import re
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st
from repose.app.cli.subcommands import cli
from repose.app.cli.terminal import typed_number, typed_whole
from repose.app.storage.settings import load_settings
from repose.app.ui.field_values import typed
from repose.sim.io import presets
from repose.sim.message import length_text, time_text, with_prefix
from repose.sim.numbers import as_written, read_number, read_whole
from repose.sim.parameters import DISPLAY_UNITS, ParameterError, about_comma
from repose.sim.registry import bonds, fields, laws, measurements, scenes
from repose.sim.scales import prefix_of, ratio_of_units, time_unit

from tests.english import english

ROOT = Path(__file__).resolve().parents[2]
SLIPS = ("1_0", "0.0_01", "1e1_0", "١", "１", "0x10", "0b1", "0o7", "007", "1.", ".5", "nan", "inf", "-inf", "1e999")
SLIPS += ("0,5", "1 000", "1'000", "5 mm", "", "+", "--1", "1e", "e5", "½", "1\x00", "1\n2", "9" * 400)


@pytest.mark.parametrize("slip", SLIPS, ids=repr)
def test_ambiguous_numbers_are_refused_everywhere(slip: str) -> None:
    import typer

    heap = scenes()["heap"].parameters
    assert isinstance(read_number(slip), str)
    assert isinstance(read_whole(slip), str)
    # A slider shows at once what it has understood, so that a decimal comma can be read there.
    assert isinstance(typed(heap.declared()["friction"], slip), float if slip == "0,5" else str)
    for parse in (typed_number, typed_whole):
        with pytest.raises(typer.BadParameter):
            parse(slip)
    for name in ("friction", "grain_count"):
        with pytest.raises(ParameterError, match="is refused"):
            heap.parse(name, slip)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_python_writes_is_read_back(value: float) -> None:
    assert read_number(repr(value)) == value
    assert read_number(f" {value:.17g}\t") == value


@given(st.integers(-(10**18), 10**18))
def test_every_whole_number_is_read_back(value: int) -> None:
    assert read_number(str(value)) == read_whole(f"+{value}" if value >= 0 else str(value)) == value


def test_a_whole_number_may_be_written_with_an_exponent() -> None:
    assert (read_whole("1e6"), read_whole("2.0"), read_whole("2.5")) == (1_000_000, 2, "2.5")


def test_a_decimal_comma_is_refused_with_the_number_written_with_a_point() -> None:
    assert str(about_comma("0,5")) == " Use a point: 0.5."
    assert str(about_comma(" -12,25e3 ")) == " Use a point: -12.25e3."
    assert english([about_comma(other) for other in ("0.5", "1,2,3", "a,b", ",5", 5, None)]) == [""] * 6
    with pytest.raises(ParameterError, match=r"the default is 0\.1\. Use a point: 0\.5\.$"):
        scenes()["heap"].parameters.checked({"friction": "0,5"})


@pytest.mark.parametrize("written", ["0.1_5", "1_0e-2", "0x1", "0b1"])
def test_a_preset_refuses_ambiguous_numbers(written: str) -> None:
    with pytest.raises(ParameterError, match=f"friction = '{written}' is refused"):
        presets.parse(f'scene = "heap"\n[parameters]\nfriction = {written}\n', "mine")
    with pytest.raises(ParameterError, match=f"seed = '{written}' is refused"):
        presets.parse(f'scene = "heap"\nseed = {written}\n', "mine")
    kept = presets.parse(f'title = "0x10 is 1_6"\nscene = "heap"\n[parameters]\nfriction = 0.15 # {written}\n', "mine")
    assert (kept.title, kept.values) == ("0x10 is 1_6", {"friction": 0.15})


def test_settings_refuse_ambiguous_numbers(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("width = 1_280\nheight = 720\nfont_scale = 1.5\n[unfolded]\nfilm = true\n")
    settings = load_settings(path)
    assert (settings.choices.width, settings.choices.height, settings.choices.font_scale) == (None, 720, 1.5)
    assert settings.choices.unfolded == {"film": True}
    assert "Defaults are used" in str(settings.trouble)


def test_values_from_toml_become_python_types() -> None:
    text = 'a = 1\nb = [1.5, 2_0, {c = true}]\nd = "x"\ne = 2020-01-01\n[t]\nu = nan\n'
    found = as_written(tomlkit.parse(text))
    assert repr(found) == repr(
        {
            "a": 1,
            "b": [1.5, "2_0", {"c": True}],
            "d": "x",
            "e": tomlkit.parse(text).unwrap()["e"],
            "t": {"u": float("nan")},
        }
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 ms"),
        (7.987e-5, "79.87 µs"),
        (0.0005417, "0.5417 ms"),
        (0.0371, "37.1 ms"),
        (0.1, "0.1000 s"),
        (12.34567, "12.3457 s"),
    ],
)
def test_a_time_in_a_message_is_in_seconds_or_milliseconds(seconds: float, text: str) -> None:
    assert str(time_text(seconds)) == text


def test_an_axis_of_time_has_the_unit_that_keeps_its_numbers_readable() -> None:
    ends = (5.0, 0.1, 0.0999, 0.00184, 9.68e-5, -3e-5, 0.0)
    assert [time_unit(end)[1] for end in ends] == ["s", "s", "ms", "ms", "µs", "µs", "s"]
    assert time_unit(9.68e-5)[0] == 1e-6


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (3.2e-7, "J", "320 nJ"),
        (0.0007987, "s", "798.7 µs"),
        (0.0, "J", "0 J"),
        (-0.00123456, "m", "-1.235 mm"),
        (12345.6, "Pa", "12.35 kPa"),
        (999.96, "J", "1 kJ"),
        (1.2e8, "1/m³", "1.2e+08 1/m³"),
        (0.0123, "mm", "0.0123 mm"),
        (0.012, "%", "0.012 %"),
        (12.0, "", "12"),
        (11.84, "°", "11.84°"),
        (0.01774, "m²/s²", "177.4 cm²/s²"),
        (1.774e-5, "m²/s²", "17.74 mm²/s²"),
        (2.5e-5, "m²", "25 mm²"),
        (2.5e-7, "m²", "0.25 mm²"),
        (3e4, "m²", "0.03 km²"),
        (4.2e-9, "m³", "4.2 mm³"),
        (0.07, "m³", "0.07 m³"),
        (5e-4, "s²", "500 ms²"),
        (0.05, "s²", "0.05 s²"),
        (-2e-5, "m³/s²", "-20 cm³/s²"),
        (0.002, "m^1.5", "2 cm^1.5"),
        (0.002, "N/m²", "2 mN/m²"),
        (0.003, "kg m²/s", "0.003 kg m²/s"),
        (0.003, "mPa s", "0.003 mPa s"),
        (4000.0, "MPa", "4000 MPa"),
        (4e3, "1/min", "4000 1/min"),
        (0.02, "grains", "0.02 grains"),
        (4e3, "m^p", "4000 m^p"),
        (1e-12, "J", "1 pJ"),
    ],
)
def test_a_value_is_written_with_the_prefix_that_keeps_it_readable(value: float, unit: str, text: str) -> None:
    assert str(with_prefix(value, unit)) == text


def test_a_length_in_a_message_is_in_millimetres_and_a_far_one_in_metres() -> None:
    assert str(length_text(0.0008)) == "0.8 mm"
    assert str(length_text(0.0196, -0.0082)) == "(19.6, -8.2) mm"
    assert str(length_text(2.5e4)) == "2.5e+04 m"
    assert str(length_text(0.5, 30.0, 0.0)) == "(0.5, 30, 0) m"


def test_every_number_of_the_command_line_uses_the_same_parser() -> None:
    # An option that is a number without our reader would be read by Python's.
    commands = [info.callback for info in cli.registered_commands if info.callback is not None]
    arguments = [each for command in commands for each in inspect.signature(command).parameters.values()]
    kinds = [(each, get_args(each.annotation)[0]) for each in arguments]
    numbers = [each for each, kind in kinds if {int, float} & {kind, *get_args(kind)}]
    assert {"fps", "until", "seed", "spheres", "kappa", "workers", "angle"} < {each.name for each in numbers}
    assert all(get_args(each.annotation)[1].parser in (typed_number, typed_whole) for each in numbers)


@pytest.mark.parametrize(
    ("unit", "other", "ratio"),
    [
        ("s", "ms", 1e3),
        ("m", "cm", 100.0),
        ("m²", "mm²", 1e6),
        ("m/s", "mm/s", 1e3),
        ("m/s", "m/ms", 1e-3),
        ("N/m^1.5", "kN/mm^1.5", 10.0**-7.5),
        ("kg", "g", 1e3),
        ("°", "°", 1.0),
        ("", "", 1.0),
        ("s", "m", None),
        ("m", "", None),
        ("m", "mm²", None),
        ("s", "min", None),
        ("°", "rad", None),
        ("%", "", None),
        ("N/m", "N", None),
        ("1/s", "1/min", None),
        ("m^2", "mm^2", None),
    ],
)
def test_units_that_differ_by_a_prefix_have_a_ratio_and_others_none(unit: str, other: str, ratio: float | None) -> None:
    assert ratio_of_units(unit, other) == (None if ratio is None else pytest.approx(ratio))
    assert ratio_of_units(other, unit) == (None if ratio is None else pytest.approx(1.0 / ratio))


@cache
def declared_units() -> frozenset[str]:
    """The units of all parameters and measurements, as shown and in SI, and all texts of the source that are units."""
    sets = [record.parameters for kind in (scenes(), laws(), fields(), bonds()) for record in kind.values()]
    units = {entry.quantity.unit for one in sets for entry in one.declared().values()}
    for measurement in measurements().values():
        units |= {measurement.unit} if isinstance(measurement.unit, str) else set(measurement.unit.values())
    units |= units & DISPLAY_UNITS.keys() | {si for si, _ in DISPLAY_UNITS.values()}
    for folder in ("sim", "app"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                text = node.value if isinstance(node, ast.Constant) else None
                if isinstance(text, str) and text and all(map(factor_in_si, factors(text))):
                    units.add(text)
    return frozenset(units)


def factors(unit: str) -> list[str]:
    """The factors of a unit: kg, m², s of kg m²/s."""
    return [part for part in re.split(r"[ /·]", unit) if part != "1"]


SI = {"m": 1.0, "s": 1.0, "kg": 1.0, "g": 1e-3, "N": 1.0, "J": 1.0, "W": 1.0, "Pa": 1.0, "Hz": 1.0, "rad": 1.0}
POWERS_OF_TEN = {"G": 9, "M": 6, "k": 3, "c": -2, "m": -3, "µ": -6, "n": -9, "p": -12}


def factor_in_si(factor: str) -> float | None:
    """One factor of a unit in SI, such as 1e-6 for mm², after the SI brochure: a power applies to the prefix too."""
    found = re.fullmatch(r"([A-Za-zµ]+?)(²|³|\^1\.5|)", factor)
    symbol, power = (found[1], {"": 1.0, "²": 2.0, "³": 3.0, "^1.5": 1.5}[found[2]]) if found else (factor, 1.0)
    if symbol in SI:
        return SI[symbol] ** power
    if symbol[:1] in POWERS_OF_TEN and symbol[1:] in SI:
        return (10.0 ** POWERS_OF_TEN[symbol[0]] * SI[symbol[1:]]) ** power
    return None


def in_si(text: str) -> float:
    """A number with a unit that begins with a letter, read in SI. Factors after the first are the same in any case."""
    number, unit = text.split(" ", 1)
    return float(number) * (factor_in_si(re.split(r"[ /·]", unit)[0]) or math.nan)


def takes_prefix(unit: str) -> bool:
    """Whether a unit begins with one that has prefixes."""
    return bool(unit) and factor_in_si(re.split(r"[ /·]", unit)[0]) is not None


def declared(prefixed: bool, *more: str) -> st.SearchStrategy[str]:
    """Declared units, with or without prefixes; the source is searched when a test draws one, not by all workers."""
    return st.deferred(
        lambda: st.sampled_from([*sorted(u for u in declared_units() - {""} if takes_prefix(u) == prefixed), *more])
    )


MADE = [
    one + sign + other
    for one in ("m²", "s²", "m³", "N", "m^1.5", "kg", "g", "mm²")
    for sign in " /·"
    for other in ("m", "s²")
]


def test_all_declared_units_are_found() -> None:
    assert {"m", "m/s²", "N/m^p", "m³/s²", "kg/m³", "MPa", "mPa s", "µs", "°", "%", "1/min", "J"} <= declared_units()


@given(st.floats(1e-15, 1e15), st.sampled_from([-1.0, 1.0]), declared(True, *MADE))
def test_a_value_with_a_prefix_is_the_value_without_for_every_declared_unit(
    size: float, sign: float, unit: str
) -> None:
    plain = in_si(f"{sign * size!r} {unit}")
    assert in_si(str(with_prefix(sign * size, unit))) == pytest.approx(plain, rel=5.1e-4)
    factor, shown = prefix_of(sign * size, unit)
    assert in_si(f"{sign * size / factor!r} {shown}") == pytest.approx(plain)
    assert ratio_of_units(shown, unit) == pytest.approx(factor)


@given(st.floats(1e-15, 1e15), declared(False))
def test_a_unit_that_takes_no_prefix_stays_as_it_is(size: float, unit: str) -> None:
    assert prefix_of(size, unit) == (1.0, unit)


@given(st.floats(1e-11, 1e12), st.sampled_from(["m", "m²", "m³", "s²", "m³/s²", "J", "N/m"]), st.integers(2, 6))
def test_a_number_with_a_prefix_needs_no_exponent(size: float, unit: str, digits: int) -> None:
    assert "e" not in str(with_prefix(size, unit, digits)).split()[0]
