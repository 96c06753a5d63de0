"""Bounds of the largest eigenvalue of the stiffness of a body."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine.timestep.stiffness_sums import largest_eigenvalue, largest_eigenvalue_by_square


@pytest.mark.parametrize("size", [3, 6])
@pytest.mark.parametrize("contacts", [1, 3, 40])
def test_the_bound_of_the_square_is_never_too_small_and_is_closer(size: int, contacts: int) -> None:
    generator = np.random.default_rng([size, contacts])
    closer = []
    for _ in range(100):
        arms = generator.normal(size=(contacts, size))
        matrix = (arms.T * generator.uniform(0.0, 1.0, contacts)) @ arms
        exact = float(np.linalg.eigvalsh(matrix)[-1])
        plain, squared = (bound(matrix[:, :, None], 0) for bound in (largest_eigenvalue, largest_eigenvalue_by_square))
        assert exact <= squared * (1.0 + 1e-12)
        closer.append((squared - exact) / (plain - exact + 1e-9 * exact))
    assert max(closer) < 1.0 if contacts > 1 else max(closer) < 1.5


def test_the_bound_of_the_square_is_that_of_the_example() -> None:
    matrix = np.diag([1.0, 0.8, 0.6, 0.4, 0.2, 0.0])[:, :, None]
    assert largest_eigenvalue(matrix, 0) == pytest.approx(1.264, abs=1e-3)
    assert largest_eigenvalue_by_square(matrix, 0) == pytest.approx(1.078, abs=1e-3)
    assert largest_eigenvalue_by_square(np.eye(6)[:, :, None], 0) == pytest.approx(1.0, rel=1e-12)
