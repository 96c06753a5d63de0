"""Mass properties of clumps against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.clumps.body import body_of_shape
from repose.sim.clumps.clump import Clump, mass_properties
from repose.sim.clumps.greedy import greedy_clump
from repose.sim.parameters import ParameterError


def test_two_spheres_that_overlap_have_the_volume_of_their_union() -> None:
    """A lens of two equal spheres whose centres are d apart has the volume pi (4 R + d) (2 R - d)² / 12."""
    clump = Clump("pair", "by hand", np.array([[-0.5, 0.2, 0.0], [0.5, 0.2, 0.0]]), np.ones(2))
    lens = math.pi * (4.0 + 1.0) * (2.0 - 1.0) ** 2 / 12.0
    found = mass_properties(clump, 0.05)
    assert found.volume == pytest.approx(2.0 * 4.0 / 3.0 * math.pi - lens, rel=1e-3)
    np.testing.assert_allclose(found.centre, (0.0, 0.2, 0.0), atol=1e-12)


def test_one_sphere_has_two_fifths_of_m_r_squared_wherever_it_is() -> None:
    found = mass_properties(Clump("ball", "by hand", np.array([[3.0, -7.0, 1.0]]), np.ones(1)), 0.05)
    np.testing.assert_allclose(found.inertia, np.eye(3) * 0.4 * 4.0 / 3.0 * math.pi, rtol=2e-3, atol=1e-9)


def test_principal_axes_of_an_oblique_rod_are_along_and_across_it() -> None:
    along = np.array([1.0, 2.0, 2.0]) / 3.0
    centre = np.linspace(-2.0, 2.0, 40)[:, None] * along
    found = mass_properties(Clump("rod", "by hand", centre, np.full(40, 0.3)), 0.05)
    assert abs(found.axes[:, 0] @ along) == pytest.approx(1.0, abs=1e-4)
    np.testing.assert_allclose(found.axes @ np.diag(found.moments) @ found.axes.T, found.inertia, atol=1e-12)
    assert np.linalg.det(found.axes) == pytest.approx(1.0)


def test_cube_has_the_inertia_of_a_cube() -> None:
    body = body_of_shape("cube", 64, 2.0)
    found = mass_properties(greedy_clump(body, 15000, 0.5), body.field.step)
    np.testing.assert_allclose(found.inertia, np.eye(3) * 8.0 * 4.0 / 6.0, rtol=0.01, atol=0.01)


def test_ellipsoid_has_the_inertia_of_an_ellipsoid() -> None:
    body = body_of_shape("ellipsoid", 96, 6.0)
    found = mass_properties(greedy_clump(body, 20000, 0.3), body.field.step)
    volume = 4.0 / 3.0 * math.pi * 6.0
    assert found.volume == pytest.approx(volume, rel=0.01)
    np.testing.assert_allclose(found.moments, volume / 5.0 * np.array([5.0, 10.0, 13.0]), rtol=0.01)


def test_dumbbell_has_the_inertia_of_a_dumbbell() -> None:
    """A body of revolution with the radius r(x): I_x = pi/2 ∫ r⁴ dx, I_y = I_x / 2 + pi ∫ r² x² dx."""
    body = body_of_shape("dumbbell", 96, 6.0)
    found = mass_properties(greedy_clump(body, 20000, 0.3), body.field.step)
    x = np.linspace(-3.0, 3.0, 200_001)
    square = np.maximum(1.0 - (np.abs(x) - 2.0) ** 2, np.where(np.abs(x) < 2.0, 0.16, 0.0))
    step = x[1] - x[0]
    about_axis = 0.5 * math.pi * float((square**2).sum()) * step
    across = 0.5 * about_axis + math.pi * float((square * x**2).sum()) * step
    np.testing.assert_allclose(found.moments, (about_axis, across, across), rtol=0.01)


@pytest.mark.parametrize("step", [0.1, 1.0, 5.0])
def test_coarse_grid_takes_no_accuracy_from_the_volume(step: float) -> None:
    found = mass_properties(Clump("ball", "by hand", np.array([[0.3, 0.0, 0.0]]), np.ones(1)), step)
    assert found.volume == pytest.approx(4.0 / 3.0 * math.pi, rel=0.02)
    np.testing.assert_allclose(found.moments, 8.0 / 15.0 * math.pi, rtol=0.04)


def test_members_smaller_than_the_sampling_are_refused() -> None:
    far = Clump("dust", "by hand", np.array([[0.0, 0.0, 0.0], [0.98, 0.69, 0.88]]), np.full(2, 1e-6))
    with pytest.raises(ParameterError, match="finer grid"):
        mass_properties(far, 0.1)
