"""Kinds of grains by size for LAMMPS."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine.builder import add_spheres, empty_world
from repose.sim.io.lammps import coefficients
from repose.sim.io.lammps.coefficients import kinds_of


def test_classes_of_sizes_leave_gaps_out_and_differ_by_the_least_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    radius = np.append(np.geomspace(1e-3, 2e-3, 65), 0.1e-3)
    position = np.column_stack([0.01 * np.arange(radius.size), np.zeros(radius.size)])
    world = add_spheres(empty_world(2, 0, 3, 1e-3), position, radius, np.ones(radius.size))
    every = kinds_of(world, by_size=True)
    assert np.array_equal(every.radius[every.of], radius)
    monkeypatch.setattr(coefficients, "MOST_SIZES", 5)
    found = kinds_of(world, by_size=True)
    assert found.radius.size == 5
    assert found.radius[0] == pytest.approx(0.1e-3)  # alone
    # 65 radii in four classes: 17 of them at most, whose ends are the ratio 2^(16/64) apart.
    apart = np.maximum(found.radius[found.of] / radius, radius / found.radius[found.of])
    assert apart.max() == pytest.approx(2.0 ** (8.0 / 64.0), rel=1e-9)
