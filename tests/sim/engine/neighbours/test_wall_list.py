"""Spheres near walls: the list is what comparing every sphere with every wall gives."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine.builder import add_spheres, empty_world, enlarge_pairs, set_walls
from repose.sim.engine.contacts.wall_geometry import FACET, approach
from repose.sim.engine.neighbours.verlet_list import OK, PAIRS_FULL
from repose.sim.engine.world import WALL_CONTACT_COUNT

from tests.sim.engine.neighbours.lists import arguments_of, renew


@pytest.mark.parametrize("ratio", [1.0, 50.0])
@pytest.mark.parametrize("dimension", [2, 3])
def test_spheres_near_facets_are_listed_whatever_their_size(dimension: int, ratio: float) -> None:
    generator = np.random.default_rng([dimension, int(ratio)])
    spread = 1.0 if dimension == 2 else 0.2
    listed = 0
    for _ in range(5):
        position = generator.uniform(-spread, spread, (1500, dimension))
        radius = 0.01 * generator.uniform(0.5, 1.0, 1500)
        radius[generator.random(1500) < 0.01] *= ratio
        corner = generator.uniform(-spread, spread, (6, 1, dimension))
        corner = corner + generator.uniform(-0.05, 0.05, (6, 3, dimension))
        if dimension == 2:
            corner[:, 2] = corner[:, 1]
        world = add_spheres(empty_world(dimension, skin=0.005), position, radius, radius**dimension)
        world = set_walls(world, FACET, corner)
        assert (world.workspace.search.large_start.size > 1) == (ratio > 1.0)
        while (status := renew(*arguments_of(world), 0)) == PAIRS_FULL:
            world = enlarge_pairs(world)
        assert status == OK
        count = int(world.counters[WALL_CONTACT_COUNT])
        found = set(zip(world.wall_contacts.sphere[:count].tolist(), world.wall_contacts.wall[:count].tolist()))
        assert len(found) == count
        gap = np.array([[approach(world.walls, w, tuple(x))[0] for w in range(6)] for x in position])
        near = np.nonzero(gap <= (radius + world.search.skin[0])[:, None])
        assert found == set(zip(*(rows.tolist() for rows in near)))
        listed += count
    assert listed > 15
