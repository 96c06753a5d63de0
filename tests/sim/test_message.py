"""Messages: English text, equality, copies, plain data."""

from __future__ import annotations

import ast
import copy
import json
import string
from multiprocessing import Pipe
from pathlib import Path

import pytest
from repose.sim.io.json_text import json_text
from repose.sim.message import (
    EMPTY,
    Joined,
    Message,
    Number,
    Value,
    _,
    as_data,
    from_data,
    in_english,
    joined,
    plain,
    plural,
    read_message,
)

DATA = {"changed_parameter"}
"""Values that a message has for programs and does not show."""
ROOT = Path(__file__).resolve().parents[2]
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


def test_a_message_is_no_text_and_is_not_changed() -> None:
    message = _("Silo")
    assert not isinstance(message, str)
    others: tuple[object, ...] = ("Silo", plain("Silo"), _("Vessel"))
    assert message not in others, "a text, and a name, which is not translated, are other data"
    assert message == _("Silo")
    with pytest.raises(AttributeError):
        setattr(message, "temp" + "late", "Vessel")


def test_only_messages_without_a_text_are_false() -> None:
    assert not any((EMPTY, plain(""), joined(()), joined((EMPTY, ""), ""), plain(EMPTY)))
    assert all((_("Silo"), plain(0), plain("0"), joined((EMPTY, 0), ""), *MESSAGES))


def test_results_for_files_have_english_texts() -> None:
    found = {"answer": _("Silo"), "outcomes": [{"found": plain(3)}], "span": (1.0, plain("m"))}
    assert in_english(found) == {"answer": "Silo", "outcomes": [{"found": "3"}], "span": (1.0, "m")}
    assert json_text(found) == '{"answer": "Silo", "outcomes": [{"found": "3"}], "span": [1.0, "m"]}\n'


@pytest.mark.parametrize(
    "data",
    [
        {"template": "{}", "values": {"count": 1}},
        {"template": "{other}", "values": {"count": 1}},
        {"template": "{part}", "values": {"part": {"template": "{", "values": {"count": 1}}}},
        {"template": "{count} grain", "plural": "{many} grains", "values": {"count": 2}},
        {"template": "{count} grain", "plural": "{count} grains", "values": {}},
    ],
)
def test_a_damaged_message_is_refused_when_it_is_read_and_not_when_it_is_drawn(data: object) -> None:
    with pytest.raises(ValueError, match="it is no message"):
        read_message(data)


def misfits(source: str) -> list[tuple[int, set[str]]]:
    """Line and names of each message whose template and values do not have the same names."""
    found = []
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        texts = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
        if not isinstance(call.func, ast.Name) or call.func.id not in ("Message", "plural") or not texts:
            continue
        if any(keyword.arg is None for keyword in call.keywords):
            continue  # values from a mapping are known at run time only
        given = {keyword.arg for keyword in call.keywords} - DATA
        named = [{name for _, name, _, _ in string.Formatter().parse(text) if name is not None} for text in texts]
        if set.union(*named) != given:  # "The only frame." and "The last of {count} frames."
            found.append((call.lineno, set.union(*named) ^ given))
    return found


@pytest.mark.parametrize("folder", ["app", "sim"])
def test_the_values_of_every_message_have_the_names_in_its_template(folder: str) -> None:
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert [(path.name, *misfit) for path in paths for misfit in misfits(path.read_text(encoding="utf-8"))] == []


def test_a_message_with_a_misspelt_value_is_noticed() -> None:
    assert misfits('Message("{count} grains", number=2)') == [(1, {"count", "number"})]
    assert misfits('plural("{count} grain", "{number} grains", count=2)') == [(1, {"number"})]
    assert misfits('Message("{count} grains", **values)') == []
