"""Dataclasses as JSON data: exact, strict, and one sentence for every error."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from repose.sim.io.plain import Array, PlainError, Tables, decode, encode, require_plain
from repose.sim.message import plain
from repose.sim.parameters import ParameterError, Value
from repose.sim.registry import scenes


class Reading(NamedTuple):
    at: float
    error: float


@dataclass(frozen=True)
class Inner:
    values: Mapping[str, Value]
    span: tuple[float, float]
    ids: tuple[int, ...] = ()


@dataclass
class Outer:
    name: str
    count: int
    times: list[float]
    places: list[list[float]] = field(default_factory=list)
    inner: Inner | None = None
    random: dict[str, Any] = field(default_factory=dict)


def written(value: Any) -> tuple[Any, Tables]:
    """What is in a file: the plain data after a passage through JSON, and the tables."""
    tables: Tables = {}
    return json.loads(json.dumps(encode(value, tables, "run"), allow_nan=False)), tables


def read_again(kind: Any, value: Any) -> Any:
    return decode(kind, *written(value), "run")


def test_every_float_is_read_as_it_was_written() -> None:
    draw = np.random.default_rng(5)
    floats = (draw.standard_normal(3_000) * 10.0 ** draw.integers(-307, 307, 3_000)).tolist()
    floats += [0.1 + 0.2, 5e-324, 1.7976931348623157e308, -0.0, math.nan, math.inf, -math.inf]
    for times in (floats, *([value] for value in floats)):  # as a table, and one by one in JSON
        found = read_again(Outer, Outer("a", 1, times)).times
        assert np.array(found).tobytes() == np.array(times).tobytes()


@dataclass
class WithArrays:
    columns: dict[str, Array]
    sums: Array = field(default_factory=lambda: np.empty(0))


def test_arrays_are_written_and_read_with_every_bit_and_their_shape() -> None:
    columns = {
        "time": np.arange(40.0) / 3.0,
        "place": np.linspace(-1.0, 1.0, 60).reshape(20, 3),
        "few": np.array([-0.0]),
    }
    found = read_again(WithArrays, WithArrays(columns, np.array([math.nan, math.inf])))
    assert found.columns.keys() == columns.keys()
    for name, rows in columns.items():
        assert (found.columns[name].shape, found.columns[name].tobytes()) == (rows.shape, rows.tobytes())
    np.testing.assert_array_equal(found.sums, [math.nan, math.inf])
    assert read_again(WithArrays, WithArrays({})).sums.shape == (0,)


@pytest.mark.parametrize("values", [3.0, ["1.0"], [[1.0], [1.0, 2.0]], [None], {"a": 1.0}, [True], "12"])
def test_an_array_that_is_none_is_refused(values: Any) -> None:
    with pytest.raises(PlainError, match=r"state\.sums = .* is refused: it must be a list of numbers, or"):
        decode(WithArrays, {"columns": {}, "sums": values}, {}, "state")


def test_values_keep_their_types() -> None:
    values = {"law": "voigt", "grain_count": 3, "friction": 3.0, "walls": True}
    outer = Outer(
        "ü",
        2**62,
        [np.float64(0.1)],
        [[1.0, 2.0]] * 20,
        Inner(values, (1.0, math.nan), (3, 5)),
        {"state": 2**127, "list": [1, 2.5]},
    )
    found = read_again(Outer, outer)
    assert repr(found) == repr(Outer(outer.name, outer.count, [0.1], outer.places, outer.inner, outer.random))
    assert {key: type(value) for key, value in found.inner.values.items()} == {
        key: type(value) for key, value in values.items()
    }


def test_long_lists_of_floats_become_tables_and_lists_with_integers_do_not() -> None:
    plain, tables = written({"times": [0.5] * 16, "short": [0.5] * 15, "changes": [[1, 0.5]] * 16})
    assert plain == {"times": {"table": "run.times"}, "short": [0.5] * 15, "changes": [[1, 0.5]] * 16}
    assert tables.keys() == {"run.times"}


def test_a_named_tuple_is_read_by_its_names() -> None:
    assert decode(list[Reading], [{"at": 1.0, "error": {"number": "inf"}}], {}, "run") == [Reading(1.0, math.inf)]


def test_a_missing_entry_has_its_default_and_is_refused_where_there_is_none() -> None:
    assert decode(Outer, {"name": "a", "count": 1, "times": []}, {}, "run") == Outer("a", 1, [])
    with pytest.raises(PlainError, match=r"^run\.count is missing\.$"):
        decode(Outer, {"name": "a", "times": []}, {}, "run")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"count": 1.0}, "run.count = 1.0 is refused: it must be a whole number."),
        ({"count": True}, "run.count = true is refused: it must be a whole number."),
        ({"count": 2**200}, "has more than 128 bits."),
        ({"times": [0.1, "0.2"]}, "run.times.1 = '0.2' is refused: it must be a number."),
        ({"times": {"table": "none"}}, "run.times names a table that does not exist."),
        ({"times": {"number": "nan"}}, "run.times = nan is refused: it must be a list of entries, each a number."),
        ({"inner": {"values": {}, "span": [1.0]}}, "run.inner.span.1 is missing."),
        ({"colour": 1}, "run.colour is refused: there is no entry of this name."),
        ({"inner": {"values": {}, "span": [1.0, 2.0], "deep": 1}}, "run.inner.deep is refused"),
        ({"name": ["x" * 500]}, "..."),
        ({"name": "\ud800"}, "is refused: "),
    ],
    ids=str,
)
def test_other_data_are_refused_in_one_sentence_with_the_name_of_the_field(change: dict[str, Any], said: str) -> None:
    with pytest.raises(PlainError) as caught:
        decode(Outer, {"name": "a", "count": 1, "times": []} | change, {}, "run")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@dataclass
class WithArray:
    place: np.ndarray


def test_a_state_that_cannot_be_saved_is_refused_before_the_run_begins() -> None:
    for scene in scenes().values():
        require_plain(scene.state_type, scene.name)
    with pytest.raises(ParameterError, match=r"^The state of the scene 'x' cannot be saved: it must contain.*\.$"):
        require_plain(WithArray, plain("The state of the scene 'x'"))


@pytest.mark.parametrize("returns", [None, "tuple", "tuple[World, Undefined]"])
def test_a_scene_that_does_not_name_its_state_is_refused_in_one_sentence(returns: str | None) -> None:
    def begin(parameters, seed):
        """As in the first draft of a plug-in."""

    if returns is not None:
        begin.__annotations__["return"] = returns
    heap = scenes()["heap"]
    with pytest.raises(ParameterError, match=r"^The scene 'heap' cannot be used: the annotation of its function begin"):
        replace(heap, course=replace(heap.course, begin=begin)).state_type  # noqa: B018
