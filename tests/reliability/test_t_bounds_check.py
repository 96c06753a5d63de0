"""T17: the tests of the engine also pass with bounds checks in compiled code, which are off by default.

Rows that are read as vectors, eight pairs at a time (repose.sim.engine.contacts.sphere_rows), are not checked.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ("tests/sim", "tests/verification")
LEFT_OUT = ("tests/sim/engine/contacts/test_pair_blocks.py",)
"""It reads from the machine code that laws run on several contacts at once, which checks prevent."""

OUT_OF_BOUNDS = """
from repose.sim.engine.world import PAIR_COUNT
from tests.sim.engine.test_step import cluster
bench = cluster(compiled=True)
bench.advance(5)
last = bench.world.counters[PAIR_COUNT] - 1
assert last % 8 < 7  # one of the pairs left over by the vectors of eight, which are read one by one
bench.world.pairs.j[last] = bench.world.sphere_count + 900
bench.advance(1)
"""


def checked(arguments: list[str], cache: Path) -> subprocess.CompletedProcess[str]:
    """Python in a process of its own that checks indices, with a cache of its own."""
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_t17_the_engine_stays_within_its_tables(tmp_path: Path) -> None:
    planted = checked(["-c", OUT_OF_BOUNDS], tmp_path)
    assert "IndexError" in planted.stderr, "indices are not checked, so that what follows would prove nothing"
    assert all((ROOT / path).is_file() for path in LEFT_OUT), "a test has moved: pytest would not leave it out"
    ignored = [f"--ignore={path}" for path in LEFT_OUT]
    done = checked(["-m", "pytest", "-q", "-o", "timeout=3000", *ENGINE, *ignored], tmp_path)
    assert done.returncode == 0, done.stdout[-4000:]
