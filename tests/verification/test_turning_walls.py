"""Walls that turn: a plate under a sphere, a drum around one, the power of their turning, and files with them.

A sphere that rolls without slip on a plate that turns with Ω (Weltner, American Journal of Physics 47 (1979) 984)
accelerates by a' = 2/7 Ω x v, because at the contact v - R n x w = Ω x r and m v' = F, 2/5 m R² w' = -R n x F: with
these v' = 2/7 Ω x r', a circle passed with 2/7 Ω, whatever its place and its speed are.
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import CYLINDER, FACET, PLANE
from repose.sim.experiment.simulation import Simulation
from repose.sim.io import world_tables
from repose.sim.laws.law import Law
from repose.sim.laws.materials import Material
from repose.sim.parameters import ParameterError
from repose.sim.registry import laws
from repose.sim.scenes.common.setup import Cylinder, Plane, Setup, Spheres

from tests.small_worlds import Bench, model_of, world_of

VOIGT = laws()["voigt"]
RADIUS, MASS, K, G = 0.01, 0.01, 1e5, 9.81
REST = RADIUS - MASS * G / K
"""Distance of the centre from a wall under the weight, which is the lever of the friction [m]."""
SHARE = 0.4 * RADIUS**2 / (0.4 * RADIUS**2 + REST**2)
"""2/7 for a sphere without overlap [-]."""
OMEGA = 5.0
DT = 2e-5
PLATE = [[(0, 0, 0), (0, 0, 1), (0, 0, 0)]]
DRUM = 0.1
ACROSS = [[(0, 0, 0), (0, 1, 0), (DRUM, 1, 0)]]


def on_turning(shape, corner, position, *, law: Law = VOIGT, rate=OMEGA, dt=DT, rotation=True, **values) -> Bench:
    """One sphere and walls that turn."""
    fitting = {"normal_stiffness": K, "shear_stiffness": K, "friction": 0.4, "wall_friction": 0.4} | values
    moving = {name: fitting.pop(name, 0.0) for name in ("velocity", "spin", "wall_velocity")}
    model, numbers = model_of("velocity_verlet", 3, rotation=rotation, law=law, **fitting)
    motion = {"velocity": moving["velocity"], "spin": moving["spin"]} if rotation else {}
    world = world_of(model, [position], RADIUS, MASS, skin=2e-3, **motion)
    world = set_walls(world, shape, np.asarray(corner, float), velocity=moving["wall_velocity"], spin=rate, material=1)
    return Bench(world, model, numbers, dt, (0.0, 0.0, -G), compiled=True)


def rolling_spin(position, velocity, rate=OMEGA) -> np.ndarray:
    """The spin with which a sphere on a turning plate does not slip [rad/s]: w = n x (v - Ω x r)/l with the lever l."""
    slip = np.array(velocity) - np.cross((0.0, 0.0, rate), (*position[:2], 0.0))
    return np.cross((0.0, 0.0, 1.0), slip) / REST


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.05, -0.2, 0.0)])
def test_a_sphere_that_rolls_on_a_turning_plate_goes_round_in_a_circle(velocity: tuple[float, ...]) -> None:
    start = np.array([0.05, 0.0, REST])
    bench = on_turning([PLANE], PLATE, start, velocity=velocity, spin=rolling_spin(start, velocity))
    slow = SHARE * OMEGA
    speed = complex(*velocity[:2])
    path, expected = [], []
    for _ in range(8):
        bench.advance(5000)
        path.append(bench.position[0, :2])
        turned = np.exp(1j * slow * bench.time)
        at = complex(*start[:2]) + speed / (1j * slow) * (turned - 1.0)
        expected.append((at.real, at.imag))
    assert bench.time == pytest.approx(0.8)
    # The friction spring bears m v' and is stretched by m v'/k, 3e-8 m, from 0 at the start.
    assert np.array(path) == pytest.approx(np.array(expected), abs=5e-8)


def test_a_sphere_put_down_on_a_turning_plate_slips_with_the_friction_and_then_rolls() -> None:
    # At rest at r: the plate drags it along Ω x r with μ g, until it rolls with 2/7 of the speed of the plate there.
    friction, far = 0.05, 1.0
    bench = on_turning(
        [PLANE], PLATE, (far, 0.0, REST), rate=0.5, friction=friction, wall_friction=friction, shear_stiffness=K
    )
    bench.advance(1000)
    assert bench.velocity[0, 1] == pytest.approx(friction * G * bench.time, rel=0.02)
    until = 2.0 / 7.0 * 0.5 * far / (friction * G)
    bench.advance(int(1.2 * until / DT) - 1000)
    assert np.hypot(*bench.velocity[0, :2]) == pytest.approx(2.0 / 7.0 * 0.5 * far, rel=0.01)


def test_a_sphere_that_turns_with_the_plate_stays_at_its_place_on_it() -> None:
    # At the axis with the spin of the plate nothing moves at the contact: rolling and twisting resistance do nothing.
    law = laws()["voigt"]
    bench = on_turning([PLANE], PLATE, (0.0, 0.0, REST), law=law, spin=(0.0, 0.0, OMEGA), rolling_friction=0.1)
    bench.advance(2000)
    assert bench.spin[0] == pytest.approx((0.0, 0.0, OMEGA), abs=1e-9)
    assert bench.position[0] == pytest.approx((0.0, 0.0, REST), abs=1e-9)


def test_a_sphere_at_rest_in_a_turning_drum_spins_at_its_bottom() -> None:
    # It slips until the surface of the sphere has the speed of the wall: w R = Ω R_d, and stays at the bottom then.
    low = -(DRUM - REST)
    bench = on_turning([CYLINDER], ACROSS, (0.0, 0.0, low), spin=(0.0, OMEGA * DRUM / REST, 0.0))
    bench.advance(2000)
    assert bench.position[0] == pytest.approx((0.0, 0.0, low), abs=1e-9)
    assert bench.spin[0, 1] == pytest.approx(OMEGA * DRUM / REST, rel=1e-9)


def test_friction_holds_a_sphere_that_does_not_spin_on_the_side_of_a_turning_drum() -> None:
    # With an infinite moment of inertia it slips for ever: it is in balance where tan θ = μ, on the side that rises.
    friction = 0.3
    bench = on_turning([CYLINDER], ACROSS, (0.0, 0.0, -(DRUM - REST)), friction=friction, wall_friction=friction)
    bench.world.inverse_mass[3:] = 0.0
    bench.world.motion[0, 0, 0], bench.world.motion[2, 0, 0] = (
        value * (DRUM - REST) for value in (-friction / sqrt(1.0 + friction**2), -1.0 / sqrt(1.0 + friction**2))
    )
    bench.advance(4000)
    x, _, z = bench.position[0]
    assert x / z == pytest.approx(friction, rel=0.02)
    assert np.abs(bench.velocity[0]).max() < 2e-3


@pytest.mark.parametrize("shape", ["plate", "drum"])
def test_the_work_of_a_turning_wall_is_in_the_ledger(shape: str) -> None:
    if shape == "plate":
        bench = on_turning([PLANE], PLATE, (0.05, 0.0, REST), rolling_friction=0.02)
    else:
        bench = on_turning([CYLINDER], ACROSS, (0.0, 0.0, -(DRUM - REST)), rolling_friction=0.02)
    begin = bench.energy().mechanical
    bench.advance(10_000)
    found = bench.energy()
    assert found.work > 1e-4
    assert found.mechanical - begin + found.dissipated == pytest.approx(found.work, rel=5e-4)


def scene_on_a_turning_plate(threads: int = 1) -> Simulation:
    """Twenty grains on a plate that turns in a drum around it, of a script."""
    glass = Material(1e7, 0.25, 2500.0, 0.6, 0.4)
    places = np.array([(0.012 * i - 0.024, 0.012 * j - 0.018, 0.0051) for i in range(5) for j in range(4)])
    walls = [Plane((0, 0, 0), (0, 0, 2), spin=6.0), Cylinder((0, 0, 0), 0.05, spin=-3.0)]
    setup = Setup(Spheres(places, 0.005, glass), walls=walls)
    return Simulation(setup, {"gravity": (0.0, 0.0, -G)}, threads=threads)


def test_walls_of_a_script_turn_and_a_file_carries_their_spin(tmp_path: Path) -> None:
    simulation = scene_on_a_turning_plate()
    simulation.run(0.05)
    assert simulation.world.walls.spin.tolist() == [6.0, -3.0]
    simulation.save(tmp_path / "turning.repose")
    again = Simulation.load(tmp_path / "turning.repose")
    assert again.state_hash() == simulation.state_hash()
    for each in (simulation, again):
        each.run(0.1)
    assert again.state_hash() == simulation.state_hash()
    assert simulation.world.motion[3:, 1].any(), "the plate makes the grains roll"
    still = scene_on_a_turning_plate()
    still.world.walls.spin[:] = 0.0
    before = still.state_hash()
    still.world.walls.spin[0] = 1e-9
    assert still.state_hash() != before


def test_a_turning_wall_gives_the_same_bits_for_any_number_of_threads() -> None:
    alone, several = (scene_on_a_turning_plate(threads) for threads in (1, 2))
    for each in (alone, several):
        each.run(0.05)
    assert several.state_hash() == alone.state_hash()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (
            {"shape": [FACET], "corner": [np.eye(3)]},
            "Facet 0 with a spin of 5 rad/s is refused",
        ),
        (
            {"rotation": False},
            "refused: walls turn in space and with grains that rotate",
        ),
        ({"rate": np.nan}, "spin"),
    ],
)
def test_what_cannot_turn_is_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        on_turning(**{"shape": [PLANE], "corner": PLATE, "position": (0.0, 0.0, REST)} | given)


def test_a_file_with_a_facet_that_turns_is_damaged() -> None:
    bench = on_turning([PLANE], PLATE, (0.0, 0.0, REST))
    tables = world_tables.tables_of(bench.world)
    assert world_tables.state_of(tables).walls.spin.tolist() == [OMEGA]
    with pytest.raises(world_tables.StoreError, match="has walls that cannot turn"):
        world_tables.state_of(tables | {"walls.shape": np.array([FACET]), "walls.corner": np.eye(3)[None]})
