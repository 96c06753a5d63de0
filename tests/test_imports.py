"""Imports point one way: the graph of all modules, built from the sources, has no cycle and no arrow upwards."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = (
    ("repose.app.__main__",),
    ("repose.app.cli",),
    ("repose.app.jobs",),
    ("repose.app.window",),
    ("repose.app.ui",),
    ("repose.app.lectures",),
    ("repose.app.page",),
    ("repose.app.render",),
    ("repose.app.sound",),
    ("repose.app.storage",),
    ("repose.app.audience",),
    ("repose.app",),
    ("repose.sim",),
    ("repose.sim.study",),
    ("repose.sim.scenes",),
    ("repose.sim.colours",),
    ("repose.sim.experiment",),
    ("repose.sim.clumps",),
    ("repose.sim.io",),
    ("repose.sim.instruments",),
    ("repose.sim.photo",),
    ("repose.sim.measure",),
    ("repose.sim.laws", "repose.sim.integrators", "repose.sim.fields", "repose.sim.bonds"),
    ("repose.sim.engine",),
    ("repose.sim.size_distribution",),
    ("repose.sim.direction", "repose.sim.parameters", "repose.sim.registry", "repose.sim.scene_fields"),
    (
        "repose.sim.choices",
        "repose.sim.parameter_curves",
        "repose.sim.message",
        "repose.sim.numbers",
        "repose.sim.rate_integral",
        "repose.sim.scales",
        "repose.sim.wording",
    ),
)
"""Packages and modules from top to bottom; each imports its own layer and those below it.

`repose.app` and `repose.sim` stand for the modules directly in these packages that no other line names.
"""


@cache
def graph_of(root: Path) -> dict[str, set[str]]:
    """Modules that each module of `sim` and `app` imports, wherever in the file, `TYPE_CHECKING` blocks included."""
    files = {name_of(path, root): path for folder in ("sim", "app") for path in (root / folder).rglob("*.py")}
    return {name: imports_of(path, name, set(files)) - {name} for name, path in files.items()}


def name_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(("repose", *parts)).removesuffix(".__init__")


def imports_of(path: Path, name: str, known: set[str]) -> set[str]:
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            # `from package import name` imports a module, or a name that the package itself defines.
            for submodule in (f"{module}.{alias.name}" for alias in node.names):
                found.add(submodule if submodule in known else module)
    return found & known


def layer_of(module: str) -> int:
    """Index of the layer with the longest name that `module` begins with."""
    fitting = [
        (len(name), number)
        for number, names in enumerate(LAYERS)
        for name in names
        if module == name or module.startswith(f"{name}.")
    ]
    return max(fitting)[1]


def cycle_in(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def upward_imports(graph: dict[str, set[str]]) -> list[str]:
    return sorted(
        f"{module} imports {target}"
        for module, targets in graph.items()
        for target in targets
        if layer_of(target) < layer_of(module)
    )


def test_import_graph_has_no_cycle() -> None:
    assert cycle_in(graph_of(ROOT)) == []


def test_no_module_imports_from_a_layer_above_its_own() -> None:
    assert upward_imports(graph_of(ROOT)) == []


def test_scenes_share_code_only_through_the_package_common() -> None:
    def scene_of(module: str) -> str:
        return module.split(".")[3] if module.startswith("repose.sim.scenes.") else ""

    shared = ("", "common")
    between = [
        f"{module} imports {target}"
        for module, targets in graph_of(ROOT).items()
        for target in targets
        if scene_of(module) not in ("", scene_of(target)) and scene_of(target) not in shared
    ]
    assert sorted(between) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import repose.sim.io", {"repose.sim.io"}),
        ("def later():\n    from repose.sim.io import archive", {"repose.sim.io.archive"}),
        ("from repose.sim.io import something_defined_there", {"repose.sim.io"}),
        ("if TYPE_CHECKING:\n    from ..io.archive import Archive", {"repose.sim.io.archive"}),
        ("import numpy", set()),
    ],
)
def test_every_form_of_import_is_an_arrow_of_the_graph(text: str, found: set[str], tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(text, encoding="utf-8")
    known = {"repose.sim.io", "repose.sim.io.archive", "repose.sim.engine.module"}
    assert imports_of(path, "repose.sim.engine.module", known) == found


def test_cycle_and_upward_import_are_found() -> None:
    graph = {"repose.sim.io": {"repose.sim.experiment"}, "repose.sim.experiment": {"repose.sim.io"}}
    assert set(cycle_in(graph)) == set(graph)
    assert upward_imports(graph) == ["repose.sim.io imports repose.sim.experiment"]
