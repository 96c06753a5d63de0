"""Every case has a test: with its number here, or where the table says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.reliability.cases import ELSEWHERE, MISSED, NOT_YET, WANTED

ROOT = Path(__file__).resolve().parents[2]


def functions_of(path: Path) -> dict[str, ast.FunctionDef]:
    """The tests of a file by name."""
    found = ast.parse(path.read_text("utf-8")).body
    return {node.name: node for node in found if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def numbered(only_missed: bool = False) -> set[str]:
    """Cases that a test of this folder begins with, of all or of those marked as not met."""
    cases = set()
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        source = path.read_text("utf-8")
        marks = set(re.findall(r"^(\w+) = pytest\.mark\.xfail", source, re.M))
        for name, node in functions_of(path).items():
            decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
            missed = any(text.startswith("pytest.mark.xfail") or text in marks for text in decorators)
            if (case := re.match(r"test_([xitpgrf]\d\d)_", name)) and (missed or not only_missed):
                cases.add(case[1].upper())
    return cases


def test_every_case_is_tested_under_its_number_or_where_the_table_says() -> None:
    assert not set(WANTED) - numbered() - set(ELSEWHERE)
    assert not set(NOT_YET) & (set(WANTED) | numbered())


def test_what_the_table_names_exists() -> None:
    for where in {test for tests in ELSEWHERE.values() for test in tests}:
        file, _, name = where.partition("::")
        assert name in functions_of(ROOT / file), where


def test_missed_cases_are_listed_and_marked_as_expected_failures() -> None:
    assert numbered(only_missed=True) == set(MISSED)
