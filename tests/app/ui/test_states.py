"""State of panels between frames: one record of each dataclass, and one module that writes it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from repose.app.ui.states import States

ROOT = Path(__file__).resolve().parents[3]
CHANGING = ("add", "append", "clear", "discard", "extend", "pop", "remove", "setdefault", "update")
"""Methods that change a list, a set or a dictionary."""


@dataclass
class Sample:
    values: list[int] = field(default_factory=list)


def test_a_record_is_made_at_first_use_and_kept_until_all_are_forgotten() -> None:
    states = States()
    states[Sample].values.append(1)
    assert states[Sample].values == [1]
    assert States()[Sample].values == []
    states.clear()
    assert states[Sample].values == []


def kind_of(node: ast.expr) -> str:
    """The dataclass of `….states[Kind]`; empty for anything else."""
    inside = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "states"
    return ast.unparse(node.slice).rpartition(".")[2] if inside and isinstance(node, ast.Subscript) else ""


def bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """(name, value) of every name that an assignment binds."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one, other in zip(target.elts, value.elts, strict=True):
            yield from bound(one, other)
    elif isinstance(target, ast.Name):
        yield target.id, value


def written(source: str) -> set[str]:
    """The dataclasses whose records a module writes, directly or by a name bound to the record or to a part of it."""
    found = set()
    tree = ast.parse(source)
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        names: dict[str, str] = {}

        def holder(node: ast.expr, names: dict[str, str] = names) -> str:
            """The dataclass of the record of which this is a part."""
            while not kind_of(node) and isinstance(node, ast.Attribute | ast.Subscript):
                node = node.value
            return names.get(node.id, "") if isinstance(node, ast.Name) else kind_of(node)

        for node in [node for node in ast.walk(function) if isinstance(node, ast.Assign)]:
            for name, value in (pair for target in node.targets for pair in bound(target, node.value)):
                if holder(value):
                    names[name] = holder(value)
        for node in ast.walk(function):
            targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else []
            targets = [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else targets
            for part in [part for target in targets for part in getattr(target, "elts", [target])]:
                if not isinstance(part, ast.Name):
                    found.add(holder(part))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
                found.add(holder(node.func.value))
    return found - {""}


def declared() -> dict[str, str]:
    """The module that writes each dataclass: the one that its docstring names, otherwise the one that declares it."""
    writers: dict[str, str] = {}
    for path in (ROOT / "app").rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                named = re.search(r"Written by\s+`([\w.]+)`", ast.get_docstring(node) or "")
                writers[node.name] = named[1] if named else module_of(path)
    return writers


def module_of(path: Path) -> str:
    return ".".join(("repose", *path.relative_to(ROOT).with_suffix("").parts))


def test_every_record_is_written_by_one_module() -> None:
    writers = declared()
    found = defaultdict(set)
    for path in (ROOT / "app").rglob("*.py"):
        for kind in written(path.read_text("utf-8")):
            found[kind].add(module_of(path))
    assert len(found) > 25
    assert {kind: modules for kind, modules in found.items() if modules != {writers[kind]}} == {}


@pytest.mark.parametrize(
    "line",
    [
        "ui.states[Area].foot = 1.0",
        "ui.mode.overlay, ui.states[places.Area].foot = '', 1.0",
        "ui.states[Area].foot += 1.0",
        "area, other = ui.states[Area], 2\n    area.foot = 1.0",
        "texts = ui.states[Area].texts\n    texts['a'] = ''",
        "ui.states[Area].texts.append('')",
    ],
)
def test_each_way_to_write_a_record_is_seen(line: str) -> None:
    assert written(f"def draw(ui):\n    {line}\n") == {"Area"}


@pytest.mark.parametrize("line", ["foot = ui.states[Area].foot", "area = ui.states[Area]\n    area = area.foot"])
def test_reading_is_not_writing(line: str) -> None:
    assert written(f"def draw(ui):\n    {line}\n") == set()
