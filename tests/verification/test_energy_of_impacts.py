"""The energy ledger of one oblique impact closes in second order: the friction spring's work is that of the mean force.

A contact that sticks, slides and sticks again has neither constant stiffness nor a constant limit of its shear force. A
sum of the forces at the end of each step times the slip is of first order; halving the step halves the gap. Begin and
end of the contact and of its sliding lie anywhere within a step: the gap of one impact is a random number times dt²,
hence the root mean square over phases and the mean ratio over three halvings of the step.
"""

from __future__ import annotations

import itertools
from math import pi, prod, sqrt

import numpy as np
import pytest
from repose.sim.laws.materials import Material
from repose.sim.registry import integrators, laws

from tests.small_worlds import Bench, model_of, world_of
from tests.tiers import tiered

RADIUS, DENSITY, SPEED = 1e-3, 2500.0, (0.05, 0.03)
MASS = DENSITY * 4.0 / 3.0 * pi * RADIUS**3
PHASES = 6
"""Times within a step at which the spheres touch."""
STEPS = (4.8e-6, 2.4e-6, 1.2e-6, 0.6e-6)
"""[s]; the contacts last between 0.2 and 0.5 ms."""
DURATION = 2.4e-3
"""From 40 µm apart to far apart [s]."""
CUNDALL = {"anchor": "cundall-strack", "normal_damping": 500.0, "shear_damping": 200.0}
IMPACTS = {
    "Hertz-Mindlin, sticks": ("hertz_mindlin", {"restitution": 1.0, "friction": 5.0}),
    "Hertz-Mindlin, slides and sticks": ("hertz_mindlin", {"restitution": 1.0, "friction": 0.2}),
    "Hertz-Mindlin, damped, slides": ("hertz_mindlin", {"restitution": 0.7, "friction": 0.1}),
    "Hertz-Mindlin, damped, sticks": ("hertz_mindlin", {"restitution": 0.7, "friction": 5.0}),
    "Voigt, damped, slides": ("voigt", {"restitution": 0.7, "friction": 0.2}),
    "Lee-Herrmann, slides": ("lee_herrmann", {"friction": 0.2, "normal_damping": 0.0, "shear_damping": 0.0}),
    "Lee-Herrmann, slides late": ("lee_herrmann", {"friction": 2.0, "normal_damping": 0.0, "shear_damping": 0.0}),
    "Cundall-Strack, damped, limit of the spring": ("lee_herrmann", CUNDALL | {"friction": 0.2}),
    "Cundall-Strack, damped, limit of the sum": ("lee_herrmann", CUNDALL | {"friction": 0.2, "coulomb_cap": "total"}),
}


def gap_of_impact(law_name: str, values: dict, integrator: str, dt: float, phase: float) -> float:
    """Gap of the ledger after an impact of two equal spheres, over the energy before [-]."""
    law = laws()[law_name]
    if law_name == "lee_herrmann":
        dimension, turning, materials = 2, False, ()
        values = {"normal_stiffness": 1e6, "shear_stiffness": 3e2} | values
    else:
        dimension, turning = 3, True
        materials = (Material(1e8, 0.25, DENSITY, values["restitution"], values["friction"]),) * 2
        values = {"normal_stiffness": 2e3, "shear_stiffness": 1.5e3} if law_name == "voigt" else {}
    model, numbers = model_of(integrator, dimension, turning, law, materials, **values)
    distance = RADIUS + 2e-5 + phase * SPEED[0] * dt
    position, velocity = np.zeros((2, 2, dimension))
    position[:, 0], velocity[:, 0], velocity[:, 1] = (-distance, distance), (SPEED[0], -SPEED[0]), (SPEED[1], -SPEED[1])
    bench = Bench(world_of(model, position, RADIUS, MASS, velocity=velocity), model, numbers, dt, compiled=True)
    begin = bench.energy().mechanical
    bench.advance(round(DURATION / dt))
    assert not bench.touching
    end = bench.energy()
    return (end.mechanical + end.dissipated - begin) / begin


@pytest.mark.parametrize("integrator", tiered(integrators(), fast={"gear5", "leapfrog", "velocity_verlet"}))
@pytest.mark.parametrize("impact", IMPACTS)
def test_the_ledger_of_an_oblique_impact_closes_in_second_order(impact: str, integrator: str) -> None:
    gaps = [
        sqrt(np.mean([gap_of_impact(*IMPACTS[impact], integrator, dt, k / PHASES) ** 2 for k in range(PHASES)]))
        for dt in STEPS
    ]
    ratios = [coarse / fine for coarse, fine in itertools.pairwise(gaps)]
    assert prod(ratios) ** (1.0 / len(ratios)) > 3.5
    assert gaps[0] < 5e-3
