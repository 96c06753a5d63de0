"""Large grains rise through small ones in a sheared layer (Savage & Lun 1988), unless they are denser."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.measure.grains import grain_radii
from repose.sim.measure.mixing import Mixing, grain_positions, large_grains, mixing_of_sizes
from repose.sim.registry import scenes

TWO = "two_sizes by number: ratio 2, share 35 %"


def after_flow(one_thickness: bool) -> tuple[Mixing, float]:
    """Mixture of the sizes after 6 s on a chute, and mean height of the large over that of the small grains [-]."""
    values = {"sizes": TWO, "thickness": 10.0, "slope": 0.41, "duration": 6.0, "young": 2e6}
    experiment = new_experiment("chute", values | {"one_thickness": one_thickness})
    run_experiment(experiment)
    world = experiment.run.world
    mixing, large = mixing_of_sizes(world), large_grains(grain_radii(world))
    assert mixing is not None
    assert large is not None
    height = grain_positions(world)[:, 1]
    return mixing, float(height[large].mean() / height[~large].mean())


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_discs_of_one_thickness_are_sorted_by_size_and_spheres_in_the_plane_are_not() -> None:
    """A random mixture is below 1 − 4 σ in one of 30 000 cases."""
    sorted_by_size, height = after_flow(one_thickness=True)
    mixed, same_height = after_flow(one_thickness=False)
    print(f"discs {sorted_by_size.index:.3f}, {height:.2f}; spheres {mixed.index:.3f}, {same_height:.2f}")
    assert sorted_by_size.index < 1.0 - 4.0 * sorted_by_size.error
    assert mixed.index > 1.0 - 4.0 * mixed.error
    assert height > 1.5
    assert abs(same_height - 1.0) < 0.5 * (height - 1.0)


def test_discs_of_one_thickness_have_one_mass_per_area_and_the_mass_of_spheres_at_the_mean_radius() -> None:
    of = scenes()["chute"].parameters
    spheres, discs = (of.checked({"sizes": TWO, "one_thickness": disc}) for disc in (False, True))
    radius = np.array([0.5, 1.0, 2.0]) * spheres.mean_radius  # type: ignore[attr-defined]
    ratio = discs.mass_of(radius) / spheres.mass_of(radius)  # type: ignore[attr-defined]
    assert ratio == pytest.approx([2.0, 1.0, 0.5])
    world, _ = scenes()["chute"].course.begin(discs, 1)
    loose = ~world.fixed
    area = world.mass[loose] / world.radius[loose] ** 2
    assert area == pytest.approx(np.full(area.size, area[0]))
    assert len(np.unique(world.mass[loose])) == 2
