"""The parts of a step that `repose bench` times are those the step is made of."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_geometry import PLANE
from repose.sim.engine.parts import plain_parts
from repose.sim.registry import laws
from repose.sim.study import step_parts

from tests.small_worlds import Bench, model_of, world_of


@pytest.mark.parametrize(("dimension", "rotation", "law"), [(2, False, "lee_herrmann"), (3, True, "hertz_mindlin")])
def test_every_part_of_a_step_is_timed(
    dimension: int, rotation: bool, law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_parts, "SPHERE_STEPS", 1)
    monkeypatch.setattr(step_parts, "compiled", lambda part: part)
    monkeypatch.setattr(step_parts, "addresses", lambda made, *_: made)
    monkeypatch.setattr(step_parts, "compiled_parts", plain_parts)
    monkeypatch.setattr(step_parts, "record_of", lambda tables: tables)
    monkeypatch.setattr(step_parts, "packed", lambda *groups: ((), groups))
    model, numbers = model_of("velocity_verlet", dimension, rotation, laws()[law])
    position = np.zeros((3, dimension))
    position[:, 0] = 0.0, 1.99e-3, 3.98e-3
    corner = np.zeros((1, 3, dimension))
    corner[0, 0, -1], corner[0, 1, -1] = -0.99e-3, 1.0
    world = set_walls(world_of(model, position, 1e-3, 1e-5), [PLANE], corner)
    bench = Bench(world, model, numbers, 1e-6)
    assert bench.advance() == 1
    found = step_parts.measure_parts(bench.world, model, (numbers, bench.gravity, bench.dt))
    assert set(found) == {"integration", "contacts", "walls", "watching", "one_list"}
    assert all(time > 0.0 for time in found.values())
