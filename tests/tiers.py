"""Cases of a test that every run tries, and cases that only the slow tier adds."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def tiered(cases: Iterable[Any], fast: Container[Any]) -> list[Any]:
    """Parameters of a test: cases that are not among the fast ones are marked slow."""
    return [case if case in fast else _slow(case) for case in cases]


def _slow(case: Any) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
