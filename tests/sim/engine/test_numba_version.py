"""numba is pinned to the minor version on which the tests pass: the engine uses parts of it that are not documented."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numba
import pytest

ROOT = Path(__file__).resolve().parents[3]


def pinned() -> tuple[tuple[int, int], tuple[int, int]]:
    """First minor version of numba that pyproject.toml allows, and the first one that it does not allow."""
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    (entry,) = (entry for entry in dependencies if entry.startswith("numba"))
    low, high = entry.removeprefix("numba").split(",")
    return minor(low.removeprefix(">=")), minor(high.removeprefix("<"))


def minor(version: str) -> tuple[int, int]:
    first, second, *_ = version.split(".")
    return int(first), int(second)


def refuse_untested(version: str) -> None:
    """Fail if these tests run with a version that pyproject.toml does not allow."""
    low, high = pinned()
    if not low <= minor(version) < high:
        pytest.fail(
            f"numba {version} is installed, and pyproject.toml allows >= {low[0]}.{low[1]}, < {high[0]}.{high[1]}. "
            "The engine uses parts of numba that change between minor versions: run all tests with this version, slow "
            "ones too, compare the state hashes of all scenes, and then change the limits in pyproject.toml."
        )


def test_the_installed_numba_is_of_a_minor_version_on_which_the_tests_passed() -> None:
    refuse_untested(numba.__version__)


@pytest.mark.parametrize("version", ["0.67.1", "0.69.0", "0.69.0rc1", "1.0.0"])
def test_another_minor_version_is_refused_with_what_to_do(version: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=rf"^numba {version} is installed, .* run all tests"):
        refuse_untested(version)


def test_only_one_minor_version_is_allowed_at_a_time() -> None:
    low, high = pinned()
    assert high == (low[0], low[1] + 1), "a range of versions cannot be tested with the one that is installed"
