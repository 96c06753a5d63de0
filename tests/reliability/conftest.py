"""Fixtures of several groups of cases."""

from __future__ import annotations

import pytest

from tests.reliability.runs import changed, poured, saved


@pytest.fixture(scope="module")
def blob() -> bytes:
    """A heap being poured, its friction changed on the way."""
    return saved(changed(poured(9_000), friction=0.3))
