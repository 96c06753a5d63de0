"""P16: fast walls pass no grain, and walls that are too fast are faults."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_geometry import FACET, PLANE
from repose.sim.engine.neighbours.verlet_list import LARGEST_STEP, OK
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS
from repose.sim.experiment.stepping import advance
from repose.sim.registry import laws
from repose.sim.scenes.heap3d.scene import FLOOR_WALL

from tests.reliability.random_clusters import DT, RADIUS
from tests.reliability.runs import CYLINDER, go
from tests.small_worlds import Bench, model_of, use_plain_engine, world_of


def pushed(shape: int, corners: list, dt: float) -> Bench:
    """A row of grains in space and a wall at 100 m/s towards them."""
    model, numbers = model_of("velocity_verlet", 3, rotation=True, law=laws()["hertz_mindlin"], young=1e9)
    position = [(2.1e-3 * (n + 1), 0.0, 0.0) for n in range(6)]
    world = world_of(model, position, RADIUS, 1e-5, skin=5e-4)
    world = set_walls(world, [shape], np.asarray([corners], float), velocity=(100.0, 0.0, 0.0), material=1)
    return Bench(world, model, numbers, dt)


PISTONS = {
    "plane": (PLANE, [(0, 0, 0), (1, 0, 0), (0, 0, 0)]),
    "facet": (FACET, [(0, -1, -1), (0, 2, -1), (0, -1, 2)]),
}


@pytest.mark.parametrize("piston", PISTONS)
def test_p16_a_wall_at_100_m_per_s_passes_no_grain_without_a_fault(piston: str) -> None:
    bench = pushed(*PISTONS[piston], dt=DT)
    for _ in range(300):
        bench.advance()
        if bench.status != OK:
            break
        behind = bench.position[:, 0] < bench.world.walls.moved[0, 0]
        assert not behind.any()
    else:
        # All six have been hit: struck by a wall, a grain leaves at up to twice its speed.
        assert bench.world.walls.moved[0, 0] > 6 * 2.1e-3
        assert (bench.velocity[:, 0] > 50.0).all()


@pytest.mark.parametrize(("share", "stops"), [(0.99, False), (1.01, True)])
def test_p16_a_wall_that_moves_more_than_half_a_radius_per_step_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, share: float, stops: bool
) -> None:
    use_plain_engine(monkeypatch)
    experiment = new_experiment("heap3d", CYLINDER | {"dt": 1e-5})
    assert not apply(experiment, Act("fill"))
    world = experiment.run.world
    limit = LARGEST_STEP * float(world.radius.min()) / experiment.dt
    world.walls.velocity[FLOOR_WALL] = 0.0, 0.0, -share * limit  # away from the grains: none is disturbed
    before = go(experiment, experiment.history.at + CHECK_STEPS).history.at
    fault = experiment.fault
    assert (fault is not None) == stops
    if fault is not None:
        assert f"Wall {FLOOR_WALL} moves at {share * limit:.3g} m/s" in str(fault.message)
        assert (
            f"faster than the {limit:.3g} m/s that a time step of 10 µs can resolve for a grain of radius "
            f"{1e3 * world.radius.min():.4g} mm"
        ) in str(fault.message)
        assert (
            "Likely cause: the speed of the wall. Lower the time step to 5 µs or let the program choose the time step "
            "('auto')."
        ) in str(fault.message)
        assert fault.sphere_id is None
        assert (advance(experiment, 10), experiment.history.at) == (0, before)
