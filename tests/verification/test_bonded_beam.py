"""A cantilever of 40 bonded spheres against the beam of Euler and Bernoulli with lumped masses.

The element matrices with the stiffnesses E A/l, 12 E I/l³ and E I/l are exact at the nodes; each node has the mass and
the moment of inertia of its sphere. The eigenvectors of K x = w² M x are the modes: a beam that begins with the
velocities of a mode and without deformation follows x sin(w t)/w, and keeps its energy.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from math import pi

import numpy as np
import pytest
from repose.sim.engine.builder import add_bonds
from repose.sim.engine.model import Coefficients
from repose.sim.engine.timestep.stable_step import amplification
from repose.sim.registry import bonds, integrators
from scipy.linalg import eigh

from tests.small_worlds import Bench, model_of, world_of
from tests.tiers import tiered

COUNT, SPACING, RADIUS, MASS = 40, 2e-3, 1e-3, 1e-5
YOUNG, BEAM_RADIUS = 1e8, 5e-4
INERTIA = 0.4 * MASS * RADIUS**2
AREA, MOMENT = pi * BEAM_RADIUS**2, 0.25 * pi * BEAM_RADIUS**4


def modes() -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [1/s] and shapes of the bending modes: deflection and slope of each node, shape (2 nodes, modes); the
    first sphere is clamped."""
    stiffness = np.zeros((2 * COUNT, 2 * COUNT))
    bending, half = YOUNG * MOMENT / SPACING, 0.5 * SPACING
    for node in range(COUNT - 1):
        # Shear of the element: v_i - v_j - (slope_i + slope_j)/2 l; bending: slope_i - slope_j.
        shear = np.array([-1.0, -half, 1.0, -half])
        turn = np.array([0.0, -1.0, 0.0, 1.0])
        at = slice(2 * node, 2 * node + 4)
        stiffness[at, at] += 12.0 * bending / SPACING**2 * np.outer(shear, shear) + bending * np.outer(turn, turn)
    mass = np.tile([MASS, INERTIA], COUNT)
    squares, shapes = eigh(stiffness[2:, 2:], np.diag(mass[2:]))
    return np.sqrt(squares), np.vstack([np.zeros((2, shapes.shape[1])), shapes])


def beam(integrator: str, shape: np.ndarray, omega: float, steps: int) -> Bench:
    """The cantilever with the velocities of a mode, `steps` steps per period."""
    law = bonds()["beam"]
    parameters = law.parameters.checked({"bond_young": YOUNG})
    model, numbers = model_of(integrator, 3, True)
    model = replace(model, bond=law.bind(parameters))
    position = np.zeros((COUNT, 3))
    position[:, 0] = SPACING * np.arange(COUNT)
    # Small: a deflection of 1e-7 of the length stretches the beam by a square of it.
    scale = 1e-8 * omega / np.abs(shape[0::2]).max()
    velocity, spin = np.zeros((COUNT, 3)), np.zeros((COUNT, 3))
    velocity[:, 1], spin[:, 2] = scale * shape[0::2], scale * shape[1::2]
    fixed = np.arange(COUNT) == 0
    world = world_of(model, position, 0.9 * RADIUS, MASS, velocity=velocity, spin=spin, fixed=fixed)
    world.inverse_mass[3:, 1:] = 1.0 / INERTIA
    rows = np.arange(COUNT - 1)
    world = add_bonds(world, rows, rows + 1, [BEAM_RADIUS])
    dt = 2.0 * pi / omega / steps
    return Bench(world, model, numbers, dt, compiled=True, further=Coefficients(bond=law.coefficients(parameters)))


@pytest.mark.parametrize(
    ("integrator", "mode"),
    tiered(
        itertools.product(("leapfrog", "velocity_verlet", "rk4", "gear5"), (0, 2)),
        fast={("velocity_verlet", 0), ("leapfrog", 2), ("velocity_verlet", 2), ("rk4", 2), ("gear5", 2)},
    ),
)
def test_a_mode_of_a_cantilever_has_its_frequency_and_keeps_its_energy(integrator: str, mode: int) -> None:
    omega, shapes = modes()
    stiffest = omega[-1]
    # The stiffest mode is stable, with 0.25 rad per step: an eighth of the limit of leap-frog, most of that of Gear-5.
    steps = int(np.ceil(2.0 * pi * stiffest / omega[mode] / 0.25))
    bench = beam(integrator, shapes[:, mode], omega[mode], steps)
    start, before = bench.velocity.copy(), bench.energy().mechanical
    bench.advance(steps if mode == 0 else 6 * steps)
    found = np.sum(bench.velocity * start) / np.sum(start * start)
    phase = omega[mode] * bench.dt
    values = np.linalg.eigvals(amplification(integrators()[integrator], phase, 0.0))
    largest = values[np.argmax(np.abs(values) * (np.abs(values.imag) > 1e-9))]
    # cos of the remaining phase: of second order in it; its error is that of the scheme.
    assert found == pytest.approx(1.0, abs=1e-4)
    lost = 1.0 - bench.energy().mechanical / before
    assert abs(lost) < 1e-4 + abs(1.0 - abs(largest) ** (2 * steps * 6))
