"""How tests are shared out: mistakes here would cost minutes without a message."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import pytest

from tests.sharing import COMPILING, FIRST, rewrite_in_turn

ROOT = Path(__file__).resolve().parent.parent


def test_every_file_that_is_shared_out_by_name_exists() -> None:
    assert [name for name in COMPILING + FIRST if not (ROOT / name).is_file()] == []


def test_every_worker_imports_all_files_and_begins_with_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    monkeypatch.setattr(importlib, "import_module", imported.append)
    orders = []
    for worker in range(3):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", f"gw{worker}")
        monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "3")
        imported.clear()
        rewrite_in_turn([ROOT / "tests" / "verification", ROOT / "tests" / "test_sharing.py"])
        orders.append(tuple(imported))
    assert "tests.test_sharing" in orders[0]
    assert len({order[0] for order in orders}) == 3
    assert len({frozenset(order) for order in orders}) == 1


def test_programs_that_tests_start_keep_their_bytecode() -> None:
    assert not sys.dont_write_bytecode
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
