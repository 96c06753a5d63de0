"""Every case has a test: with its number in the name here, or as a mark anywhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.reliability.cases import MISSED, NOT_YET, WANTED

ROOT = Path(__file__).resolve().parents[1]


def functions_of(path: Path) -> Iterator[tuple[str, list[ast.expr]]]:
    """Name and decorators of each test of a file."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name, node.decorator_list


def marked(decorator: ast.expr) -> set[str]:
    """The cases that a decorator names."""
    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.case":
        return {str(ast.literal_eval(argument)) for argument in decorator.args}
    return set()


def covered() -> set[str]:
    """Cases that are the mark of a test, or the beginning of its name in this folder."""
    cases = set()
    for path in ROOT.rglob("test_*.py"):
        for name, decorators in functions_of(path):
            cases |= set.union(set(), *map(marked, decorators))
            if path.parent == Path(__file__).parent and (case := re.match(r"test_([xitpgrf]\d\d)_", name)):
                cases.add(case[1].upper())
    return cases


def expected_to_fail() -> set[str]:
    """Cases of this folder that are marked as not met."""
    cases = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        marks = set(re.findall(r"^(\w+) = pytest\.mark\.xfail", path.read_text("utf-8"), re.M))
        for name, decorators in functions_of(path):
            texts = map(ast.unparse, decorators)
            missed = any(text.startswith("pytest.mark.xfail") or text in marks for text in texts)
            if missed and (case := re.match(r"test_([xitpgrf]\d\d)_", name)):
                cases.add(case[1].upper())
    return cases


def test_every_case_is_tested_and_no_mark_names_an_unknown_case() -> None:
    assert set(WANTED) - covered() == set()
    assert covered() - set(WANTED) == set()
    assert not set(NOT_YET) & set(WANTED)


def test_missed_cases_are_listed_and_marked_as_expected_failures() -> None:
    assert expected_to_fail() == set(MISSED)
