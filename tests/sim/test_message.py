"""Messages: English text, equality, copies, plain data."""

from __future__ import annotations

import copy
import json
from multiprocessing import Pipe

import pytest
from repose.sim.message import Joined, Message, Number, Value, _, as_data, from_data, joined, plain, plural

MESSAGES = (
    _("Silo"),
    _("A table {a = 1} without values"),
    Message("Grain {id} moves at {speed} in {place}.", id=17, speed=Number(3.2, "m/s"), place=_("the silo")),
    plural("{count} grain of {file}", "{count} grains of {file}", count=3, file="{name}.csv"),
    joined((_("first"), plain("two"), 3, 4.5), "; "),
)


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_survives_a_copy_a_process_and_a_file(message: Message) -> None:
    here, there = Pipe()
    here.send(message)
    for other in (
        copy.deepcopy(message),
        there.recv(),
        from_data(json.loads(json.dumps(as_data(message)))),
    ):
        assert isinstance(other, Message)
        assert (other, other.template, other.plural, other.values) == (
            message,
            message.template,
            message.plural,
            message.values,
        )
        assert hash(other) == hash(message)


def test_english_texts_of_messages() -> None:
    assert list(map(str, MESSAGES)) == [
        "Silo",
        "A table {a = 1} without values",
        "Grain 17 moves at 3.2 m/s in the silo.",
        "3 grains of {name}.csv",
        "first; two; 3; 4.5",
    ]


@pytest.mark.parametrize(("count", "text"), [(0, "0 grains"), (1, "1 grain"), (2, "2 grains"), (1.5, "1.5 grains")])
def test_the_english_plural_follows_the_number(count: float, text: str) -> None:
    assert str(plural("{count} grain", "{count} grains", count=count)) == text


def test_the_digits_that_are_shown_decide_about_the_plural() -> None:
    assert str(plural("{count} turn", "{count} turns", count=Number(1.004, format=".0f"))) == "1 turn"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Number(1.25e-3, "m"), "1.25 mm"),
        (Number(0.31983e-6, "J", digits=3), "320 nJ"),
        (Number(30.0, "°", ".1f"), "30.0°"),
        (Number(0.125, format=".1%"), "12.5 %"),
        (Number(2.5, "N/m^1.5", "g"), "2.5 N/m^1.5"),
    ],
)
def test_numbers_are_written_with_unit_and_decimal_sign(number: Number, text: str) -> None:
    assert str(number) == text
    assert number.written(",") == text.replace(".", ",", 1 if "." in text.split(" ")[0] else 0)


def test_different_values_make_different_messages() -> None:
    def of(value: Value) -> Message:
        return Message("{value} of {all}", value=value, all=Joined((1, 2)))

    assert of(1) == of(1)
    assert of(1) != of(2)
