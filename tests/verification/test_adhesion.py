"""Cohesion beside closed forms: pull-off forces, the energy that parting two grains costs, and the area of JKR."""

from __future__ import annotations

import itertools
from math import cos, pi, radians, sqrt
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.laws.material_columns import YOUNG
from repose.sim.measure.energy import Booked
from repose.sim.parameters import ParameterError
from repose.sim.registry import integrators, laws

from tests.random_contacts import RADIUS as CONTACT_RADIUS
from tests.random_contacts import head_on
from tests.small_worlds import Bench, model_of, world_of
from tests.tiers import tiered

RADIUS, MASS = 1e-3, 1e-5
SURFACE_ENERGY = 0.5
SHARE, TENSION, ANGLE = 2e-3, 0.05, radians(30.0)
COHESIVE: dict[str, dict[str, Any]] = {
    "jkr": {"surface_energy": SURFACE_ENERGY},
    "dmt": {"surface_energy": SURFACE_ENERGY},
    "liquid_bridge": {"liquid_volume": SHARE, "surface_tension": TENSION, "contact_angle": ANGLE},
}


IMPACTS = tiered(itertools.product(integrators(), (2, 3)), fast={("leapfrog", 3)})


def pull_off_force(law: str, radius: float) -> float:
    """In closed form, for this effective radius [N]."""
    adhesion = 2.0 * SURFACE_ENERGY
    return {
        "jkr": 1.5 * pi * adhesion * radius,
        "dmt": 2.0 * pi * adhesion * radius,
        "liquid_bridge": 4.0 * pi * TENSION * cos(ANGLE) * radius,
    }[law]


def cost(law: str, radius: float, young: float) -> float:
    """Energy that parting two grains costs after they have met, in closed form [J]."""
    adhesion, volume = 2.0 * SURFACE_ENERGY, SHARE * 4.0 / 3.0 * pi * (2.0 * radius) ** 3
    return {
        "jkr": 7.09 * (adhesion**5 * radius**4 / young**2) ** (1.0 / 3.0),  # Thornton & Ning (1998), eq. 45
        "dmt": 0.0,
        "liquid_bridge": 0.5 * pull_off_force(law, radius) * (1.0 + 0.5 * ANGLE) * volume ** (1.0 / 3.0),
    }[law]


def cohesive(law: str, position: Any, dt: float, scheme: str = "velocity_verlet", **given: Any) -> Bench:
    """Spheres that cohere."""
    values = COHESIVE[law] | {"restitution": given.pop("restitution", 1.0), "friction": given.pop("friction", 0.0)}
    rotation, gravity = given.pop("rotation", False), given.pop("gravity", ())
    model, numbers = model_of(scheme, len(position[0]), rotation, laws()[law], **values)
    return Bench(
        world_of(model, position, RADIUS, MASS, skin=1e-4, **given), model, numbers, dt, gravity, compiled=True
    )


@pytest.mark.parametrize("law", COHESIVE)
@pytest.mark.parametrize("at_wall", [False, True])
def test_a_grain_hangs_up_to_the_pull_off_force_of_the_closed_form(law: str, at_wall: bool) -> None:
    radius = RADIUS if at_wall else 0.5 * RADIUS
    for load, holds in ((0.99, True), (1.01, False)):
        weight = -load * pull_off_force(law, radius) / MASS
        hung = [(0.0, -RADIUS + 1e-9)] if at_wall else [(0.0, RADIUS), (0.0, -RADIUS + 1e-9)]
        fixed = [False] if at_wall else [True, False]
        bench = cohesive(law, hung, 5e-6, restitution=0.0, fixed=fixed, gravity=(0.0, weight))
        if at_wall:
            bench.world = set_walls(bench.world, [PLANE], [((0.0, 0.0), (0.0, -1.0), (0.0, 0.0))])
        bench.advance(6000)
        assert bench.touching == holds
        assert abs(bench.velocity[-1, 1]) < 1e-6 or not holds


@pytest.mark.parametrize("law", COHESIVE)
@pytest.mark.parametrize(("scheme", "dimension"), IMPACTS)
def test_an_impact_costs_the_energy_of_the_closed_form(law: str, scheme: str, dimension: int) -> None:
    speed, dt = 0.3, 4e-7
    bench = meeting(law, dt, scheme, (speed, *(0.0,) * (dimension - 1)), rotation=dimension == 3)
    before = bench.energy().kinetic
    bench.advance(round(2.2e-3 / dt))
    assert not bench.touching
    energy = bench.energy(Booked(poured=before))
    expected = cost(law, 0.5 * RADIUS, float(bench.numbers.table[0, YOUNG]))
    assert energy.damping == pytest.approx(expected, rel=5e-4, abs=1e-30)  # 7.09 is printed with three digits
    assert before - energy.kinetic == pytest.approx(expected, rel=5e-4, abs=late(law, 2.0 * speed * dt))
    assert abs(energy.gap) < late(law, 2.0 * speed * dt)


def meeting(law: str, dt: float, scheme: str, velocity: tuple[float, ...], **given: Any) -> Bench:
    """Two spheres 2 µm apart that approach each other with this velocity each [m/s]."""
    places, speeds = np.zeros((2, 2, len(velocity)))
    places[1, 0], speeds[0], speeds[1] = 2.0 * RADIUS + 2e-6, velocity, np.negative(velocity)
    return cohesive(law, places, dt, scheme, velocity=speeds, **given)


def late(law: str, way: float) -> float:
    """Energy that a jump of the force costs which is noticed at the next step: half a step before or after it is right,
    in the mean; `way` is that of a step [m]. The force jumps at touch, and where the contact ends."""
    jumps = {"jkr": 8.0 / 9.0 + 5.0 / 9.0, "dmt": 2.0, "liquid_bridge": 1.0}[law]
    return 0.5 * jumps * pull_off_force(law, 0.5 * RADIUS) * way


@pytest.mark.parametrize("law", COHESIVE)
@pytest.mark.parametrize("friction", [0.2, 2.0])
def test_the_ledger_of_an_oblique_impact_is_closed_but_for_the_jumps_of_the_force(law: str, friction: float) -> None:
    dt = 4e-7
    bench = meeting(law, dt, "leapfrog", (0.3, 0.2, 0.0), rotation=True, friction=friction, restitution=0.8)
    before = bench.energy().mechanical
    bench.advance(round(2.2e-3 / dt))
    assert not bench.touching
    energy = bench.energy()
    print(
        law,
        friction,
        (energy.mechanical + energy.dissipated - before) / late(law, 0.6 * dt),
        energy.dissipated / before,
    )
    assert abs(energy.mechanical + energy.dissipated - before) < late(law, 0.6 * dt)


@pytest.mark.parametrize(("share", "sticks"), [(0.97, True), (1.03, False)])
def test_grains_slower_than_the_sticking_speed_stay_together(share: float, sticks: bool) -> None:
    # Thornton & Ning (1998), eq. 47: 14.18 = 2 · 7.09.
    young = 1e7 / (2.0 * (1.0 - 0.25**2))
    energy = 14.18 * ((2.0 * SURFACE_ENERGY) ** 5 * (0.5 * RADIUS) ** 4 / young**2) ** (1.0 / 3.0)
    speed = share * sqrt(energy / (0.5 * MASS))
    bench = meeting("jkr", 2e-7, "velocity_verlet", (0.5 * speed, 0.0))
    bench.advance(8000)
    assert bench.touching == sticks


@pytest.mark.parametrize("surface_energy", [1e-4, 0.5, 20.0])
def test_the_area_of_jkr_solves_its_equation_down_to_the_gap_at_which_it_is_lost(surface_energy: float) -> None:
    model, numbers = model_of("leapfrog", 2, False, laws()["jkr"], surface_energy=surface_energy)
    material = model.law.material(numbers, 0)
    young, radius = material[YOUNG], CONTACT_RADIUS
    least = (pi * surface_energy * radius**2 / (4.0 * young)) ** (1.0 / 3.0)
    gap = 3.0 * least**2 / radius
    assert model.law.reach(numbers, radius) == pytest.approx(gap, rel=1e-12)
    for overlap in (*np.linspace(-0.999, 1.0, 40) * gap, 1e-6, 1e-4):
        # Johnson, Kendall & Roberts: overlap = a²/R - sqrt(2 pi w a/E), with c² = a.
        slope = 2.0 * radius * sqrt(pi * surface_energy / young)
        roots = np.roots([1.0, 0.0, 0.0, -slope, -radius * overlap])
        area = max(root.real for root in roots if abs(root.imag) < 1e-6 * abs(root)) ** 2
        expected = 4.0 * young * area**3 / (3.0 * radius) - 4.0 * sqrt(pi * surface_energy * young * area**3)
        found = model.law.force(numbers, head_on(material, float(overlap), 0.0, 0.0))
        assert found.normal_force == pytest.approx(expected, rel=1e-9, abs=1e-9 * 3.0 * pi * surface_energy * radius)
    lost = model.law.force(numbers, head_on(material, -1.001 * gap, 0.0, 0.0))
    assert lost.normal_force == 0.0


@pytest.mark.parametrize("law", ["jkr", "dmt", "liquid_bridge"])
def test_without_cohesion_the_contact_is_that_of_hertz_and_mindlin(law: str) -> None:
    none = {"liquid_volume": 0.0} if law == "liquid_bridge" else {"surface_energy": 0.0}
    dry = model_of("leapfrog", 2, False, laws()["hertz_mindlin"])
    wetted = model_of("leapfrog", 2, False, laws()[law], **none)
    for overlap in (1e-9, 1e-6, 1e-4):
        found = []
        for model, numbers in (dry, wetted):
            contact = head_on(model.law.material(numbers, 0), overlap, -0.1, 0.0, shear=1e-7)
            answer = model.law.force(numbers, contact)
            stored = model.law.energy(numbers, contact)
            stiffness = model.law.stiffness(numbers, contact)
            found.append((answer.normal_force, *answer.shear_force, answer.damping_power, *stored, *stiffness))
        assert found[1] == pytest.approx(found[0], rel=1e-12)


@pytest.mark.parametrize("law", COHESIVE)
@pytest.mark.parametrize("name", ["surface_energy", "liquid_volume"])
def test_a_negative_number_is_refused_with_its_limit(law: str, name: str) -> None:
    if name not in COHESIVE[law]:
        return
    with pytest.raises(ParameterError, match=r"-1.* 0 to "):
        laws()[law].parameters.checked({name: -1.0})
