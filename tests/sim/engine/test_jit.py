"""Compiled loops are cached on disk, and run without a writable folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core.caching import FunctionCache
from numba.core.codegen import get_host_cpu_features
from numba.core.compiler_lock import global_compiler_lock
from repose.sim.engine import jit
from repose.sim.engine.compiler import address_of, argument_type
from repose.sim.engine.jit import OPTIONS, call, compiled_part

ROOT = Path(__file__).resolve().parents[3]


def plus_one(number: float) -> float:
    return number + 1.0


@pytest.mark.parametrize(
    ("error", "is_told"), [(AttributeError("no attribute 'Bonds'"), False), (EOFError("Ran out of input"), True)]
)
def test_code_of_another_version_is_compiled_again_and_only_a_damaged_cache_is_told(
    error: Exception, is_told: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def load(store: object, signature: object, target: object) -> None:
        raise error

    monkeypatch.setattr(FunctionCache, "load_overload", load)
    assert jit.compiled(plus_one)(1.0) == 2.0
    assert ("damaged" in caplog.text) == is_told


SUM = """
import sys
from repose.sim.engine.jit import compiled
def total(numbers):
    found = 0.0
    for k in range(numbers.size):
        found += numbers[k]
    return found
def product(numbers):
    found = 1.0
    for k in range(numbers.size):
        found *= numbers[k]
    return found
import numpy as np
"""
CALL = """
print(compiled(total)(np.arange(5.0)), compiled(product)(np.arange(1.0, 5.0)))
"""
FULL = """
import resource, sys
sys.dont_write_bytecode = True  # cut files of bytecode would stay behind in the environment
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # the index fits, the code does not
"""
NOWHERE = """
from numba.core.caching import _CacheLocator
def refuse(self):
    raise OSError("no room")
_CacheLocator.ensure_cache_path = refuse
"""


def run(tmp_path: Path, *lines: str, arguments: Sequence[str] = ()) -> tuple[str, list[str]]:
    """What a fresh process prints that compiles two loops, and says on standard error."""
    script = tmp_path / "loops.py"
    script.write_text("".join(lines))
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr.strip().splitlines()


def kept(tmp_path: Path) -> list[str]:
    """Files in the cache, by suffix."""
    return sorted(path.suffix for path in (tmp_path / "cache").rglob("*") if path.is_file())


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_with_a_full_disk_loops_run_and_one_sentence_reports_it(tmp_path: Path) -> None:
    said, complaints = run(tmp_path, SUM, FULL, CALL)
    assert said == "10.0 24.0"
    assert len(complaints) == 1
    assert complaints[0].startswith("The compiled engine cannot be stored (")
    assert complaints[0].endswith(": it is compiled again at the next start.")
    assert kept(tmp_path) == []
    assert run(tmp_path, SUM, CALL) == ("10.0 24.0", [])
    assert kept(tmp_path) == [".nbc", ".nbc", ".nbi", ".nbi"]


def test_without_a_writable_folder_loops_run_and_a_sentence_reports_it(tmp_path: Path) -> None:
    said, complaints = run(tmp_path, SUM, NOWHERE, CALL)
    assert said == "10.0 24.0"
    assert complaints == [
        "The compiled engine cannot be stored (no folder can be written to): it is compiled again at the next start."
    ]


CLOSURE = """
from repose.sim import registry
from repose.sim.engine.jit import compiled
import numpy as np
formula = registry.add_file("plugin.py").formula
def loop_of(formula):
    def loop(numbers):
        return formula(numbers[0])
    return loop
print(compiled(loop_of(formula))(np.array([3.0])))
"""
PLUGIN = """
from numba.extending import register_jitable
@register_jitable
def formula(x):
    return {formula}
"""


def test_a_loop_is_compiled_again_after_an_edit_of_its_plug_in(tmp_path: Path) -> None:
    for formula, expected in (("x + 1.0", "4.0"), ("x * 2.0", "6.0"), ("x + 1.0", "4.0")):
        (tmp_path / "plugin.py").write_text(PLUGIN.format(formula=formula))
        assert run(tmp_path, CLOSURE) == (expected, [])
    # The third loop is found. Each plug-in has an index of its own, which other processes need not be able to read.
    assert kept(tmp_path) == [".nbc", ".nbc", ".nbi", ".nbi"]


LAW_OF_A_PLUGIN = """
from typing import NamedTuple
from repose.sim.engine import vector
from repose.sim.engine.contacts.kinematics import Response
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundLaw
class Spring(NamedTuple):
    stiffness: float
@compilable(forceinline=True)
def force(params, contact):
    push = params.stiffness * max(contact.overlap, 0.0)
    nothing = vector.scale(0.0, contact.shear)
    return Response(push, nothing, nothing, vector.scale(0.0, contact.relative_spin), 0.0, 0.0)
@compilable(forceinline=True)
def energy(params, contact):
    return 0.5 * params.stiffness * max(contact.overlap, 0.0) ** 2, 0.0
@compilable(forceinline=True)
def stiffness(params, contact):
    return params.stiffness, 0.0, 0.0, 0.0
BOUND, NUMBERS = BoundLaw(force, energy, stiffness), Spring(10.0)
"""
LAWS_ALONE = """
import sys
from repose.sim.engine.compiler import address_of
from repose.sim.engine.model import Model
from repose.sim.engine.parts import argument_types, compiled_parts
from repose.sim.registry import add_file, integrators, laws
shipped = laws()["memoryless"]
parameters = shipped.parameters.checked({})
used = [(shipped.bind(parameters), shipped.coefficients(parameters))]
if "plugin" in sys.argv:
    used.insert(0, (add_file("plugin.py").BOUND, add_file("plugin.py").NUMBERS))
kind = argument_types()["evaluate_pairs"]
for law, numbers in used:
    part = compiled_parts(Model(law, integrators()["leapfrog"]), numbers).evaluate_pairs
    address_of(part, kind)
    print(sum(part.stats.cache_misses.values()), end=" ")
"""


@pytest.mark.slow  # three processes that import the engine
def test_a_law_of_a_plug_in_leaves_a_cache_that_a_process_without_the_plug_in_can_load(tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(LAW_OF_A_PLUGIN)
    assert run(tmp_path, LAWS_ALONE, arguments=["plugin"]) == ("1 1", [])
    (tmp_path / "plugin.py").rename(tmp_path / "elsewhere")
    assert run(tmp_path, LAWS_ALONE) == ("0", [])
    (tmp_path / "elsewhere").rename(tmp_path / "plugin.py")
    assert run(tmp_path, LAWS_ALONE, arguments=["plugin"]) == ("0 0", [])


TWO_LAWS = """
import sys
from repose.sim.engine.jit import compilable, compiled
def bound(stiffness):
    @compilable
    def force(x):
        y = 0.0
{too_long_to_be_inlined}
        return y
    def loop(x):
        return force(x) + force(x + 1.0)
    return compiled(loop)
for word in sys.argv[1:]:
    print(bound(float(word))(0.0))
"""


def test_laws_of_one_name_that_other_processes_have_compiled_are_told_apart(tmp_path: Path) -> None:
    text = TWO_LAWS.format(too_long_to_be_inlined=150 * "        y = (y * x + stiffness) * 0.5\n")
    for stiffness, expected in (("1", "1.5"), ("2", "3.0")):
        assert run(tmp_path, text, arguments=[stiffness]) == (expected, [])
    assert kept(tmp_path) == [".nbc", ".nbc", ".nbi"]
    assert run(tmp_path, text, arguments=["1", "2"]) == ("1.5\n3.0", [])


SLOW = """
import time
from pathlib import Path
from contextlib import contextmanager
from repose.sim.engine import jit
@contextmanager
def compiling():
    Path("begun").touch()
    while not Path("other").exists():
        time.sleep(0.01)
    time.sleep(1.0)  # the other process is about to look for the function
    yield
jit._collector_off = compiling
"""
OTHER = """
from pathlib import Path
while not Path("begun").exists():
    pass
Path("other").touch()
"""
MISSES = """
loop = compiled(total)
print(loop(np.arange(5.0)), sum(loop.stats.cache_misses.values()))
"""


def test_of_two_processes_that_need_a_loop_one_compiles_it(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "quick.py").write_text(OTHER)
    # Both run one file: numba keeps a loop by the file that it is in.
    lines = ("import importlib, sys\nimportlib.import_module(sys.argv[1])\n", SUM, MISSES)
    with ThreadPoolExecutor(2) as pool:
        ran = [pool.submit(run, tmp_path, *lines, arguments=[module]) for module in ("slow", "quick")]
        assert [one.result() for one in ran] == [("10.0 1", []), ("10.0 0", [])]
    assert kept(tmp_path) == [".nbc", ".nbi"]


class Coefficients(NamedTuple):
    """The argument of a part."""

    values: np.ndarray
    factor: float


def weighted(numbers):
    """Ten times the weighted sum, as a whole number."""
    total = 0.0
    for k in range(numbers.values.size):
        total += numbers.factor * numbers.values[k]
    return int(10.0 * total)


def caller(part, values, factor):
    return call(part, Coefficients(values, factor)) + 1


def test_a_part_is_called_by_its_address_and_only_with_what_it_was_compiled_for() -> None:
    values, part = np.arange(4.0), numba.njit(**OPTIONS)(weighted)
    address = address_of(part, argument_type(Coefficients(values, 0.5)))
    compiled_caller = numba.njit(**OPTIONS)(caller)
    assert compiled_caller(address, values, 0.5) == caller(weighted, values, 0.5) == 31
    with pytest.raises(numba.TypingError, match="No part of the step was compiled for"):
        compiled_caller(address, np.arange(4), 0.5)


def test_the_lock_of_the_compiler_is_taken_before_that_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clump workshop holds the first for all of its loops; in the other order, a scene that compiled one of them
    at that time and the workshop waited for each other for ever."""
    held = []

    @contextmanager
    def watched(*_: object) -> Iterator[None]:
        held.append(global_compiler_lock.is_locked())
        yield

    def doubled(number: float) -> float:
        return number + number

    monkeypatch.setattr(jit, "_only_process", watched)
    assert jit.compiled(doubled)(2.0) == 4.0
    assert held == [True]


@pytest.mark.skipif("+fma" not in get_host_cpu_features(), reason="the processor has no instruction for it")
def test_a_fused_part_rounds_a_product_and_the_sum_with_it_once_and_another_part_twice() -> None:
    def part(x: np.ndarray) -> int:
        return int((x[0] * x[1] + x[2]) * 2.0**60)

    @numba.njit(**OPTIONS)
    def answer(address: int, x: np.ndarray) -> int:
        return call(address, x)

    factors = np.array([1.0 + 2.0**-30, 1.0 - 2.0**-30, -1.0])  # the product is 1 - 2^-60, or 1 if rounded
    kind = argument_type(factors)
    assert answer(address_of(compiled_part(part, fused=True), kind), factors) == -1
    assert answer(address_of(compiled_part(part), kind), factors) == 0
