"""A law that reads the effective radius gets that of each contact, also beside contacts with walls."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine import vector
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.kinematics import Response
from repose.sim.engine.contacts.wall_geometry import PLANE
from repose.sim.engine.model import BoundLaw, Model
from repose.sim.registry import integrators

from tests.small_worlds import Bench, world_of

STIFFNESS = 3.0
"""Force per overlap over effective radius [N]."""
POWER = 1e-9
"""Power times effective radius [W m]."""
MASS = 1e-3


def force(params, contact):
    touching = 1.0 if contact.overlap > 0.0 else 0.0
    push = params[0] * max(contact.overlap, 0.0) / contact.effective_radius
    nothing = vector.scale(0.0, contact.shear)
    power = touching * POWER / contact.effective_radius
    return Response(push, nothing, nothing, vector.scale(0.0, contact.relative_spin), power, power)


def energy(params, contact):
    return 0.5 * params[0] * max(contact.overlap, 0.0) ** 2 / contact.effective_radius, 0.0


def stiffness(params, contact):
    return params[0] / contact.effective_radius, 0.0, 0.0, 0.0


BY_RADIUS = BoundLaw(force, energy, stiffness)


@pytest.mark.parametrize("rotation", [False, True])
@pytest.mark.parametrize("dimension", [2, 3])
def test_force_and_power_follow_the_effective_radius_of_each_pair_and_wall(dimension: int, rotation: bool) -> None:
    model = Model(BY_RADIUS, integrators()["leapfrog"], dimension, rotation)
    radius = np.array([1e-3, 2e-3, 5e-3, 4e-3, 3e-3, 6e-3, 3e-3, 6e-3])
    position = np.zeros((8, dimension))
    position[:, 0] = 0.0, 2.9e-3, 20e-3, 28.8e-3, 50e-3, 80e-3, 120e-3, 160e-3
    position[:, -1] = (
        0.1,
        0.1,
        0.1,
        0.1,
        2.9e-3,
        5.7e-3,
        2.9e-3,
        5.7e-3,
    )  # two pairs in the air, four spheres on a plane
    plane = [[0.0] * dimension, [0.0] * (dimension - 1) + [1.0], [0.0] * dimension]
    bench = Bench(set_walls(world_of(model, position, radius, MASS), [PLANE], [plane]), model, (STIFFNESS,), dt=0.0)
    effective = np.array([1e-3 * 2e-3 / 3e-3, 5e-3 * 4e-3 / 9e-3])
    push = STIFFNESS * np.array([0.1e-3, 0.2e-3]) / effective
    expected = np.zeros((dimension, 8))
    expected[0, :4] = -push[0], push[0], -push[1], push[1]
    expected[-1, 4:] = STIFFNESS * np.array([0.1e-3, 0.3e-3, 0.1e-3, 0.3e-3]) / radius[4:]
    for _ in range(3):  # from the second time on the block contains what contacts with walls have left there
        bench.advance(1)
        np.testing.assert_allclose(bench.world.motion[:dimension, 2], expected / MASS, rtol=1e-9, atol=1e-9)
        # The work of spheres that rotate counts by the distance over the sum of the radii.
        shares = np.array([2.9 / 3.0, 8.8 / 9.0]) if rotation else np.ones(2)
        heat = [(POWER / effective).sum(), (POWER / effective * shares).sum()]
        np.testing.assert_allclose(bench.world.workspace.threads.heat[:2, 0], heat, rtol=1e-12)
