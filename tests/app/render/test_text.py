"""Text of numbers with units and powers."""

from __future__ import annotations

import pytest
from repose.app.language import in_language, translated, typeset
from repose.app.render.text import RAISED, grouped, in_one_piece, pieces, si


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 s"),
        (1.8146e-5, "18.1 µs"),
        (9.4e-7, "940 ns"),
        (0.0009996, "1.00 ms"),
        (1.0, "1.00 s"),
        (123.4, "123 s"),
        (-2.19e-6, "−2.19 µs"),
        (4.2e7, "42.0 Ms"),
        (3.29e-28, "3.3·10⁻²⁸ s"),
        (5e12, "5.0·10¹² s"),
        (float("nan"), "nan s"),
        (float("inf"), "inf s"),
    ],
)
def test_a_value_is_written_with_the_prefix_that_fits(value: float, text: str) -> None:
    assert translated(si(value, "s")) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.9949, "0.995"), (0.98, "0.980"), (0.0123, "0.0123"), (-0.5, "−0.500"), (0.0012, "1.2·10⁻³")]
)
def test_a_share_is_written_without_a_power_of_ten(value: float, text: str) -> None:
    assert translated(si(value, "")) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1e+06 N/m^p", "10⁶ N/m^p"),
        ("2.5e+06", "2.5·10⁶"),
        ("1e-08", "10⁻⁸"),
        ("12e-10", "12·10⁻¹⁰"),
        ("0.25 mm", "0.25 mm"),
        ("friction", "friction"),
        ("grade+3", "grade+3"),
        ("-5.8°", "−5.8°"),
        ("-2e-05 m", "−2·10⁻⁵ m"),
        ("4 m^-1", "4 m^-1"),
    ],
)
def test_powers_of_ten_are_superscripts_and_negative_numbers_have_a_minus_sign(text: str, written: str) -> None:
    assert typeset(text) == written


def test_thousands_are_separated_by_a_space() -> None:
    assert grouped(1234567) == "1\u00a0234\u00a0567"


@pytest.mark.parametrize(("language", "exponent"), [("en", "1.5"), ("de", "1,5"), ("ja", "1.5")])
def test_an_exponent_has_the_decimal_sign_of_the_language(language: str, exponent: str) -> None:
    with in_language(language):
        assert pieces("10 N/m^1.5 of v1.5", RAISED) == [("10 N/m", ""), (exponent, "^"), (" of v1.5", "")]
        assert in_one_piece("k_n [N/m^1.5]") == f"k_n [N/m^{exponent}]"
