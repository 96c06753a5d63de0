"""Texts from outside in messages: no control characters, at most 200 characters, no words of Python."""

from __future__ import annotations

import datetime
import io
import json
import tomllib
import unicodedata
import zipfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repose.sim.wording import LONGEST, described, printable, reason_of, short, value_text

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.dates()
    | st.datetimes()
    | st.times()
    | st.sampled_from([10**4000, -(10**61), "x" * 60_000, "\x1b[2J\x1b]0;title\x07", "\ud800"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


def has_controls(text: str) -> bool:
    return any(unicodedata.category(letter)[0] == "C" or letter in "\u2028\u2029" for letter in text)


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@given(PLAIN)
def test_every_value_has_a_short_printable_text(value: Any) -> None:
    text = value_text(value)
    assert 0 < len(text) <= LONGEST
    assert not has_controls(text)
    assert "datetime" not in text
    assert "None" not in text or isinstance(value, str | list | dict)


@given(st.text())
def test_text_without_controls_is_not_changed(text: str) -> None:
    shown = printable(text)
    assert not has_controls(shown.replace("\t", ""))
    if not has_controls(text.replace("\t", "")):
        assert shown == text


@given(st.text(), st.integers(20, 300))
def test_a_long_text_keeps_its_ends(text: str, longest: int) -> None:
    assert len(short(text, longest)) <= longest
    words = "begin" + 400 * "-" + "end"
    assert short(words, longest).startswith("begin")
    assert short(words, longest).endswith("end")


def test_values_are_written_as_in_a_file() -> None:
    document = tomllib.loads("day = 1979-05-27\nlist = [1, 0.5, true, 'a']\n[table]\nx = inf\nat = 07:32:00\n")
    assert value_text(document["day"]) == "1979-05-27"
    assert value_text(document["list"]) == "[1, 0.5, true, 'a']"
    assert value_text(document["table"]) == "{x = inf, at = 07:32:00}"
    assert value_text(datetime.datetime(1979, 5, 27, 7, 32)) == "1979-05-27T07:32:00"
    assert value_text(None) == "null"


def test_a_list_of_any_depth_and_length_is_written() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    assert value_text(nested) == "[[[[[[...]]]]]]"
    assert value_text(10**5000) == "a number of more than 60 digits"
    assert value_text([*range(10**6)]).endswith(", ...]")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "No such file or directory"), "No such file or directory"),
        (UnicodeDecodeError("ascii", b"\x89", 0, 1, "ordinal not in range(128)"), "it is not UTF-8 text"),
        (RecursionError("maximum recursion depth exceeded"), "its lists are nested too deeply"),
        (TypeError("'NoneType' object is not iterable"), "its content has another form than expected"),
        (KeyError("runs"), "its content has another form than expected"),
        (zipfile.BadZipFile("File is not a zip file"), "File is not a zip file"),
        (ValueError("line 3\nis \x1b[2J cut."), "line 3 is \\x1b[2J cut"),
        (Unprintable(), "its content has another form than expected"),
    ],
    ids=repr,
)
def test_the_reason_of_an_error_is_about_the_data(error: BaseException, said: str) -> None:
    assert str(reason_of(error)) == said


def test_an_error_of_a_program_is_described_with_its_type() -> None:
    assert described(NameError("name 'x' is not defined")) == "NameError: name 'x' is not defined"
    assert described(Unprintable()) == "Unprintable"
    assert described(ValueError("\x1b[2J" + "x" * 60_000)).startswith("ValueError: \\x1b[2Jxxx")
    assert len(described(ValueError("x" * 60_000))) <= LONGEST


def test_deep_json_gives_a_reason() -> None:
    with pytest.raises(RecursionError) as caught:
        json.load(io.StringIO("[" * 100_000))
    assert str(reason_of(caught.value)) == "its lists are nested too deeply"


def test_a_short_text_has_no_tab() -> None:
    assert short("\t") == "\\t"
