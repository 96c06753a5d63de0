"""Files of runs in the folder of a study: read only if they contain what a run has written."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repose.sim.io.json_text import LARGEST_FILE, read_json
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import Case, StudyPlan
from repose.sim.study.runs_on_disk import StudyRuns, earlier

from tests.python_words import PYTHON_WORDS

PLAN = StudyPlan("one", "One", "heap", {"friction": (0.1,)}, cases=(Case(""),), seeds=(1,))
NESTED = "[" * 100_000
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def sound(folder: Path) -> tuple[StudyRuns, dict[str, Any]]:
    """The runs of the plan, and the result that the only run would write."""
    from importlib import metadata

    runs = StudyRuns((PLAN,), folder)
    (task,) = runs.begin()
    point = {"value": 0.3, "error": 0.01, "aside": {"left": 0.2, "right": None}}
    result = {"scene": "heap", "seed": 1, "version": metadata.version("repose"), "point": point, "measurements": {}}
    result["parameters"] = scenes()["heap"].parameters.checked(task.values).model_dump()
    task.path.write_text(json.dumps(result))
    return StudyRuns((PLAN,), folder), result


def test_a_sound_result_is_read_and_its_run_is_not_done_again(tmp_path: Path) -> None:
    runs, _ = sound(tmp_path)
    assert runs.begin() == []


@pytest.mark.parametrize(
    "text",
    [NESTED, '{"a":' * 100_000, "", "null", "3", "[]", "{}", '"' + "x" * 10, "\x00", '{"scene": 1e999}'],
    ids=lambda text: text[:12],
)
def test_a_file_that_contains_no_result_is_refused_by_name(text: str, tmp_path: Path) -> None:
    runs, _ = sound(tmp_path)
    (path,) = tmp_path.glob("*.json")
    path.write_text(text)
    with pytest.raises(ParameterError, match=f"{path.name} contains no result of a run: remove it"):
        runs.begin()


@settings(max_examples=300)
@given(data=st.data())
def test_any_other_content_is_refused_or_can_be_used(data: st.DataObject, tmp_path_factory: Any) -> None:
    runs, result = prepared(tmp_path_factory)
    (run,) = runs.runs["one"]
    changed: Any = copy.deepcopy(result)
    inner = data.draw(st.sampled_from([changed, changed["point"], changed["point"]["aside"]]))
    inner[data.draw(st.sampled_from(sorted(inner)))] = data.draw(VALUES)
    run.task.path.write_text(json.dumps(changed))
    try:
        runs.results[run.task.path.name] = earlier(run.task)
    except ParameterError as error:
        assert not PYTHON_WORDS.search(str(error))  # noqa: PT017
        return
    StudyOutcome(PLAN, [run], runs.results, {}).csv()


_prepared: list[tuple[StudyRuns, dict[str, Any]]] = []


def prepared(tmp_path_factory: Any) -> tuple[StudyRuns, dict[str, Any]]:
    """The sound result, written once for all examples."""
    if not _prepared:
        runs, result = sound(tmp_path_factory.mktemp("runs"))
        runs.begin()
        _prepared.append((runs, result))
    return _prepared[0]


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(ValueError, match=f"it has more than {LARGEST_FILE} bytes"):
        read_json(path)
