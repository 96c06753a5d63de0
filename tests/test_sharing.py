"""The files that run first, or together, exist: a wrong path would cost minutes without a message."""

from __future__ import annotations

from pathlib import Path

from tests.sharing import COMPILING, FIRST

ROOT = Path(__file__).resolve().parent.parent


def test_every_file_that_is_shared_out_by_name_exists() -> None:
    assert [name for name in COMPILING + FIRST if not (ROOT / name).is_file()] == []
