"""The largest acceleration by fields: against closed forms, of spheres that can move, without what drag does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from repose.sim.engine.model import Coefficients
from repose.sim.engine.timestep.acceleration import field_acceleration
from repose.sim.fields import central_gravity, liquid
from repose.sim.fields.central_gravity import CentralGravity
from repose.sim.fields.liquid import Liquid

from tests.small_worlds import model_of, world_of

PULL = CentralGravity((0.0, 0.0), 3.0, 0.0)


def test_it_is_that_of_the_sphere_which_fields_pull_most_and_which_can_move() -> None:
    model = replace(model_of("velocity_verlet")[0], fields=(central_gravity.BOUND,))
    world = world_of(model, ((2.0, 0.0), (0.0, -0.5), (0.1, 0.0)), 1e-3, (1.0, 2.0, 5.0))
    world.inverse_mass[:, 2] = 0.0
    assert field_acceleration(model.fields, model.shapes, world, Coefficients((PULL,))) == pytest.approx(3.0 / 0.5**2)
    assert field_acceleration((), model.shapes, world, Coefficients()) == 0.0


def test_drag_does_not_count_for_it_and_buoyancy_does() -> None:
    model = replace(model_of("velocity_verlet")[0], fields=(liquid.BOUND,))
    world = world_of(model, (0.0, 0.0), 1e-3, 1e-6, velocity=(50.0, 0.0))
    numbers = Coefficients((Liquid(1.0, 1e4, 1.0, 500.0),))
    volume = 4.0 / 3.0 * np.pi * 1e-9
    assert field_acceleration(model.fields, model.shapes, world, numbers) == pytest.approx(1e4 * volume / 1e-6)
