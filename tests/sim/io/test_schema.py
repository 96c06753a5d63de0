"""Errors of files as sentences: which one is chosen, where it is, and what is allowed there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pytest
from annotated_types import Ge, Gt, Le, MaxLen, MinLen, Unit
from pydantic import Field
from repose.sim.io.schema import (
    Allowed,
    EntryName,
    FileFormat,
    FilePart,
    Known,
    ListOf,
    a_table,
    checked,
    from_json,
    from_toml,
    usable,
)
from repose.sim.message import Message, _
from repose.sim.parameters import ParameterError

NAMES = ["sand", "clay"]


class Inner(FilePart):
    size: Annotated[float, Gt(0.0)] = 1.0
    kind: Annotated[str, Known(_("colour"), lambda: NAMES)] = "sand"


class File(FilePart):
    format: Annotated[int, FileFormat("format", 3)] = 3
    name: Annotated[str, MaxLen(20)]
    count: Annotated[int, Ge(1), Le(9)] = 1
    width: Annotated[float, Ge(0.5), Unit("m")] = 1.0
    choice: Literal["a", "b"] = "a"
    either: bool | Inner = False
    part: Inner | None = None
    parts: Annotated[ListOf[Annotated[Inner, a_table("[[parts]]")]], EntryName("part")] = ()
    point: Annotated[list[float], MinLen(2), MaxLen(2)] = Field(default_factory=list)
    points: ListOf[list[int]] = ()
    table: Mapping[Annotated[str, MaxLen(3), Allowed(_("a short key"))], int] = Field(default_factory=dict)
    own: bool = Field(True, alias="continue")


def refusal(**changes: Any) -> str:
    with pytest.raises(ParameterError) as caught:
        checked(File, {"name": "sand"} | changes)
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"count": 10}, "count = 10 is refused: it must be a whole number from 1 to 9."),
        ({"count": "1"}, "count = '1' is refused: it must be a whole number from 1 to 9."),
        ({"count": True}, "count = true is refused: it must be a whole number from 1 to 9."),
        ({"width": 0}, "width = 0 is refused: it must be a number of at least 0.5 m."),
        ({"width": float("inf")}, "width = inf is refused: it must be a finite number of at least 0.5 m."),
        ({"choice": "c"}, "choice = 'c' is refused: it must be 'a' or 'b'."),
        ({"name": "x" * 21}, "name has 21 characters, at most 20 are allowed."),
        ({"name": 3}, "name = 3 is refused: it must be text of at most 20 characters."),
        ({"either": 3}, "either = 3 is refused: it must be true or false or a table."),
        ({"either": {"size": 0.0}}, "either.size = 0.0 is refused: it must be a number above 0."),
        ({"either": {"sise": 1.0}}, "Unknown key of either 'sise': did you mean 'size'?"),
        ({"part": {"kind": "glass"}}, "Unknown colour 'glass': known: sand, clay."),
        ({"part": {"kind": 3}}, "part.kind = 3 is refused: it must be one of sand, clay."),
        ({"part": 3}, "part = 3 is refused: it must be a table."),
        ({"parts": [{}, {"size": "a"}]}, "part 2 of 2: size = 'a' is refused: it must be a number above 0."),
        ({"parts": [3]}, "part 1 of 1: 3 is refused: it must be a table, [[parts]]."),
        ({"parts": 3}, "parts = 3 is refused: it must be a list of entries, each a table, [[parts]]."),
        ({"point": [1.0]}, "point = [1.0] is refused: it must be a list of 2 entries, each a number."),
        ({"point": [1.0, "a"]}, "point = [1.0, 'a'] is refused: it must be a list of 2 entries, each a number."),
        ({"point": [0.0] * 30}, "point has 30 entries: it must be a list of 2 entries, each a number."),
        ({"table": {"long": 1}}, "the key 'table.long' is refused: it must be a short key."),
        ({"table": {"a": 1.5}}, "table.a = 1.5 is refused: it must be a whole number."),
        ({"continue": 1}, "continue = 1 is refused: it must be true or false."),
        ({"own": True}, "Unknown key 'own': known: format, name, count, width, choice, either, part, parts, point, "),
    ],
    ids=str,
)
def test_a_sentence_has_position_key_value_and_what_is_allowed(changes: dict[str, Any], sentence: str) -> None:
    assert refusal(**changes).startswith(sentence)


def test_a_missing_key_is_named_with_what_it_must_be() -> None:
    with pytest.raises(
        ParameterError, match=r"^the key 'name' is missing: it must be text of at most 20 characters\.$"
    ):
        checked(File, {})


def test_an_unknown_key_explains_a_missing_one_and_another_format_explains_all() -> None:
    with pytest.raises(ParameterError, match=r"^Unknown key 'nane': did you mean 'name'\?$"):
        checked(File, {"nane": "a", "count": 0})
    for version, remedy in ((4, "a newer version of Repose made the file"), (2, "write format = 3"), (True, "write")):
        with pytest.raises(ParameterError, match=rf"this program reads format 3: {remedy}"):
            checked(File, {"nane": "a", "count": 0, "format": version})


def test_names_that_are_added_later_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.NAMES", [*NAMES, "glass"])
    assert checked(Inner, {"kind": "glass"}).kind == "glass"


def test_the_sentence_is_data_that_can_be_translated() -> None:
    with pytest.raises(ParameterError) as caught:
        checked(Inner, {"size": 0.0})
    values = dict(caught.value.message.values)
    (sentence,) = values["value"].values
    assert isinstance(sentence, Message)
    assert (sentence.template, dict(sentence.values)["key"]) == ("{key} = {value} is refused: {reason}.", "size")


def test_what_can_be_used_is_used_without_the_refused_entries() -> None:
    document = {"name": "sand", "count": 0, "part": {"size": -1.0, "kind": "clay"}, "table": {"a": 1, "b": "x"}}
    found, refusals = usable(File, document)
    assert found == File(name="sand", part=Inner(kind="clay"), table={"a": 1})
    assert [str(words).split(" = ")[0] for words in refusals] == ["count", "part.size", "table.b"]
    assert document["part"] == {"size": -1.0, "kind": "clay"}


def test_syntax_errors_have_the_name_and_the_line() -> None:
    with pytest.raises(ParameterError, match=r"^a\.toml is not valid TOML: .*line 2"):
        from_toml("a = 1\nb c\n", "a.toml")
    with pytest.raises(ParameterError, match=r"^a\.json is not valid JSON: .*line 2"):
        from_json("{\n'a': 1}", "a.json")
    with pytest.raises(ParameterError, match=r"^a\.json is not valid JSON: the key 'a' occurs twice\.$"):
        from_json('{"a": 1, "b": 2, "a": 3}', "a.json")
    assert from_toml("a = 1_0\nb = 10", "a", decimal=True) == {"a": "1_0", "b": 10}
    assert from_toml("a = 1_0", "a") == {"a": 10}
