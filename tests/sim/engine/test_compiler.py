"""LLVM and the undocumented parts of numba are used in one package and one module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba import types
from repose.sim.engine.compiler import cpu_target

ROOT = Path(__file__).resolve().parents[3]

ALLOWED = ("sim/engine/simd/", "sim/engine/compiler.py")
"""Where they are used: vector operations, and the module that says why it uses what else it does."""

DOCUMENTED = {
    "numba": {"njit", "typeof", "types", "config", "extending"},
    "numba.extending": {"overload", "register_jitable"},
}
"""What other modules use of numba."""


def uses(source: str) -> Iterator[tuple[int, str]]:
    """Line and name of everything that a module uses of LLVM, and of numba beyond `DOCUMENTED`."""
    names: dict[str, str] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
                yield from ((node.lineno, flaw) for flaw in flaws(alias.name))
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                yield from ((node.lineno, flaw) for flaw in flaws(f"{node.module}.{alias.name}"))
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            first, *rest = ast.unparse(node).split(".")
            if first in names:
                yield from ((node.lineno, flaw) for flaw in flaws(".".join((names[first], *rest))))


def flaws(name: str) -> Iterator[str]:
    """The name, if it is one of LLVM, or one of numba that is not documented."""
    top, *rest = name.split(".")
    further = rest[0] if rest else ""
    undocumented = further not in DOCUMENTED["numba"] or (
        further == "extending" and len(rest) > 1 and rest[1] not in DOCUMENTED["numba.extending"]
    )
    if top == "llvmlite" or (top == "numba" and further and undocumented):
        yield name


def found_in(paths: Iterator[Path], root: Path) -> list[str]:
    """File, line and name of every use outside `ALLOWED`."""
    found = []
    for path in paths:
        name = path.relative_to(root).as_posix()
        if not name.startswith(ALLOWED):
            found += [f"{name}:{line}: {what}" for line, what in uses(path.read_text("utf-8"))]
    return sorted(set(found))


def test_no_other_module_uses_llvm_or_undocumented_parts_of_numba() -> None:
    paths = (path for folder in ("sim", "app", "assets") for path in (ROOT / folder).rglob("*.py"))
    assert found_in(paths, ROOT) == []


def test_both_places_use_them() -> None:
    for place in ("sim/engine/simd/lanes.py", "sim/engine/simd/vectorised.py", "sim/engine/compiler.py"):
        assert list(uses((ROOT / place).read_text("utf-8"))), place


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("from llvmlite import ir", "llvmlite.ir"),
        ("import llvmlite.binding as llvm", "llvmlite.binding"),
        ("from numba.core import cgutils", "numba.core.cgutils"),
        ("from numba import core", "numba.core"),
        ("from numba._dispatcher import compute_fingerprint", "numba._dispatcher.compute_fingerprint"),
        ("from numba.np.numpy_support import as_dtype", "numba.np.numpy_support.as_dtype"),
        ("from numba.extending import intrinsic", "numba.extending.intrinsic"),
        ("import numba; numba.core.registry.cpu_target", "numba.core.registry"),
        ("import numba.extending as further; further.models", "numba.extending.models"),
        ("def late():\n    from numba.core.compiler_lock import global_compiler_lock", "compiler_lock"),
    ],
)
def test_such_a_use_is_found_with_file_and_line(tmp_path: Path, line: str, what: str) -> None:
    (tmp_path / "sim").mkdir()
    (tmp_path / "sim" / "law.py").write_text(f"import numba\nfrom numba.extending import overload\n\n{line}\n")
    found = found_in(tmp_path.rglob("*.py"), tmp_path)
    assert found
    assert all(one.startswith(("sim/law.py:4: ", "sim/law.py:5: ")) for one in found)
    assert any(what in one for one in found)


def test_the_size_of_a_type_is_that_of_the_c_language_also_when_it_is_asked_again() -> None:
    context = cpu_target.target_context
    sizes = {types.float64: 8, types.int32: 4, types.UniTuple(types.float64, 3): 24}
    sizes[types.Tuple((types.int32, types.float64, types.int32))] = 24  # the double is aligned to its size
    for _ in range(2):
        for kind, size in sizes.items():
            assert context.get_abi_sizeof(context.get_value_type(kind)) == size
