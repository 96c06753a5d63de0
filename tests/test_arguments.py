"""No function outside the constructor of a record takes more than eight arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST = 8
FOLDERS = ("app", "sim")
CONSTRUCTORS = {"number", "count", "length"}
"""Functions of `sim/parameters.py` that make the record of a parameter, as its constructor would."""


def functions_with_many_arguments(source: str) -> Iterator[tuple[str, int]]:
    """Name and number of arguments of each function with more than `MOST`, without `self`, `cls` and the `typing` that
    numba gives an intrinsic."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            count = len(names) - (names[:1] in (["self"], ["cls"], ["typing"]))
            if count > MOST:
                yield node.name, count


def test_no_function_takes_more_than_eight_arguments() -> None:
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    found = [
        (path.relative_to(ROOT).as_posix(), name, count)
        for path in files
        for name, count in functions_with_many_arguments(path.read_text(encoding="utf-8"))
        if not (path == ROOT / "sim" / "parameters.py" and name in CONSTRUCTORS)
    ]
    assert len(files) > 200
    assert found == []


def test_a_function_with_nine_arguments_is_found() -> None:
    names = "a, b, c, d, *, e, f, g, h"
    assert list(functions_with_many_arguments(f"def few({names}): ...")) == []
    assert list(functions_with_many_arguments(f"class A:\n    def few(self, {names}): ...")) == []
    assert list(functions_with_many_arguments(f"class A:\n    def many(self, {names}, i=0): ...")) == [("many", 9)]
