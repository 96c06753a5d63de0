"""No granular ratcheting: closed cycles of pressing and sliding leave no displacement behind.

A grain is moved round a small loop, pressed in while it slides to one side and let out while it slides back. Slip
measured at the deformed surface would add up to pi a b / 2R every cycle for half axes a (sideways) and b (inward);
measured at the undeformed radius it is R times an angle, which a closed path ends where it began
(McNamara, Garcia-Rojo & Herrmann, Phys. Rev. E 77 (2008) 031304).
"""

from __future__ import annotations

from itertools import pairwise
from math import cos, hypot, pi, sin

import numpy as np
import pytest
from repose.sim.engine.contacts.kinematics import PairMotion, PairProperties, ShearMemory, contact_between, relaxed
from repose.sim.engine.model import Stage
from repose.sim.registry import laws

RADIUS, SIDEWAYS, INWARD, CYCLES, STEPS = 1e-3, 2e-7, 2e-5, 2_000, 12


@pytest.mark.case("I22")
@pytest.mark.parametrize("law", ["voigt", "hertz_mindlin"])
def test_thousands_of_closed_cycles_leave_no_shear_behind(law: str) -> None:
    chosen = laws()[law]
    parameters = chosen.parameters.checked({"friction": 2.0, "wall_friction": 2.0, "restitution": 1.0})
    numbers, functions = chosen.coefficients(parameters), chosen.bind(parameters)
    angle = 2.0 * pi * np.arange(STEPS + 1) / STEPS
    path = [(SIDEWAYS * sin(a), 2.0 * RADIUS - 3e-5 + INWARD * cos(a)) for a in angle]
    pair = PairProperties(2.0 * RADIUS, RADIUS / 2.0, 1e-3, 1.0, 0.0, functions.material(numbers, 0))
    memory = ShearMemory((0.0, 0.0), 0.0)
    left = []
    for _ in range(CYCLES):
        for (x0, y0), (x, y) in pairwise(path):
            moved = (x - x0, y - y0)
            motion = PairMotion((x, y), 1.0 / hypot(x, y), (x, y), moved, (0.0,), (0.0,), moved, (0.0,), (0.0,), 1.0)
            contact, start = contact_between(motion, pair, memory, Stage(1.0, 1.0, 0.0, 1.0))
            relaxation = functions.force(numbers, contact).spring_relaxation
            memory = ShearMemory(relaxed(start, contact, relaxation), 1.0)
        left.append(memory.shear_spring[0])
    ratchet = pi * SIDEWAYS * INWARD / (2.0 * RADIUS) * CYCLES
    assert abs(left[-1] - left[0]) < 1e-3 * ratchet
    assert np.ptp(left) < 1e-3 * ratchet
