"""A law that acts at a distance: what a liquid bridge pulls, when its memory begins and ends, and what it costs."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from repose.sim import Simulation
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import PAIR_COUNT
from repose.sim.measure.energy import Booked
from repose.sim.registry import laws

from tests.small_worlds import Bench, contacts_of, look, model_of, world_of

RADIUS, MASS, STIFFNESS = 1e-3, 1e-5, 1e3
PULL_OFF, RUPTURE = 4e-4, 2e-4
STORED = 0.5 * PULL_OFF * RUPTURE
"""What a bridge has taken up when it ruptures [J]."""
CONTACT_TIME = np.pi * sqrt(0.5 * MASS / STIFFNESS)
SMOOTH: dict[str, Any] = {"normal_damping": 0.0, "shear_damping": 0.0, "friction": 0.0}


def wet(position: Any, dt: float = CONTACT_TIME / 200.0, scheme: str = "velocity_verlet", **given: Any) -> Bench:
    """Spheres with bridges."""
    dimension, rotation = given.pop("dimension", 2), given.pop("rotation", False)
    values = {"normal_stiffness": STIFFNESS, "pull_off_force": PULL_OFF, "rupture_distance": RUPTURE} | SMOOTH
    values |= {name: given.pop(name) for name in list(given) if name in laws()["capillary"].parameters.model_fields}
    model, numbers = model_of(scheme, dimension, rotation, laws()["capillary"], **values)
    gravity = given.pop("gravity", ())
    world = world_of(model, position, RADIUS, MASS, skin=1e-4, **given)
    return Bench(world, model, numbers, dt, gravity)


@pytest.mark.parametrize(("load", "holds"), [(0.98, True), (1.02, False)])
@pytest.mark.parametrize("rotation", [False, True])
def test_a_bridge_holds_less_than_its_pull_off_force(load: float, holds: bool, rotation: bool) -> None:
    overlap = 1.5 * abs(1.0 - load) * PULL_OFF / STIFFNESS
    below = [(0.0, 0.0), (0.0, -2.0 * RADIUS + overlap)]
    weight = (0.0, -load * PULL_OFF / MASS)
    bench = wet(below, CONTACT_TIME / 30.0, fixed=[True, False], gravity=weight, normal_damping=2e4, rotation=rotation)
    bench.advance(600)
    gap = -bench.position[1, 1] - 2.0 * RADIUS
    if holds:  # k overlap = F_c - load
        assert gap == pytest.approx(-(1.0 - load) * PULL_OFF / STIFFNESS, rel=1e-3)
        assert contacts_of(bench).force[1, 0] == pytest.approx(-load * PULL_OFF, rel=1e-3)
    else:  # it pulls less and less from here on
        assert gap > 0.005 * RUPTURE
        assert bench.velocity[1, 1] < -1e-3


def test_a_bridge_forms_at_touch_and_not_within_reach() -> None:
    apart = wet([(0.0, 0.0), (2.0 * RADIUS + 0.1 * RUPTURE, 0.0)])
    apart.advance(50)
    assert apart.world.counters[PAIR_COUNT] == 1
    assert not apart.velocity.any()
    assert contacts_of(apart).i.size == 0
    met = wet([(0.0, 0.0), (2.0 * RADIUS + 0.1 * RUPTURE, 0.0)], velocity=[(0.2, 0.0), (-0.2, 0.0)])
    while not met.touching:
        assert met.advance(1) == 1
    while np.diff(met.position[:, 0])[0] < 2.0 * RADIUS + 0.5 * RUPTURE:
        assert met.advance(1) == 1
    assert met.touching  # remembered
    pulled = contacts_of(met)
    gap = np.diff(met.position[:, 0])[0] - 2.0 * RADIUS
    assert pulled.force[0, 0] == pytest.approx(PULL_OFF * (1.0 - gap / RUPTURE), rel=1e-9)
    before = met.velocity[0, 0]
    met.advance(1)
    assert met.velocity[0, 0] - before == pytest.approx(pulled.force[0, 0] / MASS * met.dt, rel=0.02)


@pytest.mark.parametrize(("dimension", "rotation"), [(2, False), (2, True), (3, False), (3, True)])
def test_a_collision_costs_the_energy_of_the_bridge(dimension: int, rotation: bool) -> None:
    def lost(share: float) -> tuple[float, float]:
        rest = (0.0,) * (dimension - 1)
        places = [(0.0, *rest), (2.0 * RADIUS + 0.3 * RUPTURE, *rest)]
        speeds = [(0.3, *rest), (-0.3, *rest)]
        bench = wet(places, CONTACT_TIME * share, velocity=speeds, dimension=dimension, rotation=rotation)
        before = bench.energy().kinetic
        bench.advance(round(4.5 / share))
        energy = bench.energy(Booked(poured=before))
        assert np.diff(bench.position[:, 0])[0] > 2.0 * RADIUS + RUPTURE
        assert not bench.touching
        assert energy.damping == pytest.approx(STORED, rel=1e-9)
        assert energy.elastic == 0.0
        return before - energy.kinetic, energy.gap

    coarse, fine = lost(1 / 40), lost(1 / 120)
    # The pull begins up to one step after touch.
    assert fine[0] == pytest.approx(STORED, rel=5e-3)
    for gap, share in ((coarse[1], 1 / 40), (fine[1], 1 / 120)):
        assert abs(gap) < PULL_OFF * 0.6 * CONTACT_TIME * share


def test_slow_spheres_stick_together() -> None:
    speed = 0.8 * sqrt(STORED / MASS)  # both together bring m v² of energy
    bench = wet([(0.0, 0.0), (2.0 * RADIUS + 1e-6, 0.0)], velocity=[(speed, 0.0), (-speed, 0.0)])
    widest = 0.0
    bench.dt *= 5.0
    for _ in range(60):
        bench.advance(10)
        widest = max(widest, np.diff(bench.position[:, 0])[0] - 2.0 * RADIUS)
    assert 0.3 * RUPTURE < widest < RUPTURE
    assert bench.touching


@pytest.mark.parametrize("rotation", [False, True])
def test_a_wall_holds_a_sphere_by_a_bridge_as_well(rotation: bool) -> None:
    bench = wet([(0.0, RADIUS + 0.1 * RUPTURE)], CONTACT_TIME / 100.0, velocity=(0.0, -0.3), rotation=rotation)
    bench.world = set_walls(bench.world, [PLANE], [((0.0, 0.0), (0.0, 1.0), (0.0, 0.0))])
    before = bench.energy().kinetic
    attracted = 0
    for _ in range(60):
        bench.advance(10)
        attracted += int(bench.position[0, 1] > RADIUS and contacts_of(bench).force[1].sum() < 0.0)
        assert look(bench).stable_dt < np.inf or not bench.touching
    assert attracted > 5
    assert bench.position[0, 1] > RADIUS + RUPTURE
    assert before - bench.energy().kinetic == pytest.approx(STORED, rel=5e-3)
    assert bench.energy().damping == pytest.approx(STORED, rel=1e-9)


def test_the_lists_reach_as_far_as_the_law_also_after_it_has_changed() -> None:
    bench = wet([(0.0, 0.0), (2.0 * RADIUS + 3e-3, 0.0)])
    bench.advance(1)
    assert bench.world.counters[PAIR_COUNT] == 0
    bench.numbers = bench.numbers._replace(rupture_distance=3.5e-3)
    bench.advance(1)
    assert bench.world.counters[PAIR_COUNT] == 1
    assert bench.world.search.reach[0] == 3.5e-3


def test_the_stable_step_of_a_bridge_follows_its_slope() -> None:
    bench = wet([(0.0, 0.0), (2.0 * RADIUS - 1e-9, 0.0)])
    bench.advance(1)
    touching = look(bench)
    assert touching.contacts == 1
    bench.world.motion[0, 0, 1] += 0.5 * RUPTURE
    bridged = look(bench)
    assert bridged.contacts == 0
    assert bridged.stable_dt / touching.stable_dt == pytest.approx(sqrt(STIFFNESS / (PULL_OFF / RUPTURE)), rel=1e-6)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_wet_grains_rest_at_a_steeper_slope() -> None:
    def angle(pull_off_force: float) -> float:
        values = {"law": "capillary", "grain_count": 300, "pull_off_force": pull_off_force, "integrator": "leapfrog"}
        found = Simulation("heap", values | {"rupture_distance": 2e-4}, seed=2).run(until=20.0)
        assert found["complaint"] is None
        return float(found["angle_of_repose"]["degrees"])

    weight = 1e-3 * 9.81  # of a grain of the thesis
    dry, wetted = angle(0.0), angle(2.0 * weight)
    assert wetted > dry + 5.0
