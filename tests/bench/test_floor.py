"""The floor moves the grains as the engine does, so that their timings can be compared."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from repose.sim import Material, Plane, Setup, Simulation, Spheres
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, World, copy_world
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.stepping import advance
from repose.sim.study.floor import OPTIONS, floor_program, run_floor, write_state

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")

STEPS, WARM_UP = 200, 20


@pytest.mark.parametrize("vectors", ["of the processor", "none"])
@pytest.mark.parametrize("integrator", ["gear5", "leapfrog"])
def test_floor_and_engine_move_the_grains_alike(
    integrator: str, vectors: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The friction spring differs: the floor adds up tangential displacements from before the first touch on. Contacts
    # made on the way begin with a stretch of up to one step of motion, which the floor has in addition.
    if vectors == "none":
        monkeypatch.setattr("repose.sim.study.floor.OPTIONS", (*OPTIONS, "-U__AVX512F__"))
    experiment = new_experiment("heap", {"integrator": integrator}, ready="column")
    advance(experiment, 50)
    apply(experiment, Act("open"))
    advance(experiment, 2000)
    world, engine, dt = experiment.run.world, experiment.engine, experiment.dt
    ours = copy_world(world)
    done, status, _ = engine.advance(ours, engine.law_parameters, engine.gravity, dt, STEPS + WARM_UP)
    assert (done, status) == (STEPS + WARM_UP, 0)
    state, end = tmp_path / "state", tmp_path / "end"
    rows = write_state(state, world, experiment, 0.3 * float(world.radius.mean()), STEPS)
    with floor_program(2) as program:
        assert run_floor(program, state, end) > 0.0
    position = np.empty_like(world.motion[:, 0])
    position[:, rows] = np.fromfile(end).reshape(2, 2, -1)[0]
    moving = ~world.fixed
    flight = world.motion[:, 0] + (STEPS + WARM_UP) * dt * world.motion[:, 1]
    pushed = (ours.motion[:, 0] - flight)[:, moving].std()
    assert (position - ours.motion[:, 0])[:, moving].std() < 0.008 * pushed
    assert (position == world.motion[:, 0])[:, world.fixed].all()


@pytest.fixture(scope="module")
def rolling_beads() -> Simulation:
    """Beads of several sizes that fall onto each other in a tilted box, roll and slide; some contacts begin."""
    random = np.random.default_rng(3)
    material = Material(young=1e6, poisson=0.25, density=2500.0, restitution=0.4, friction=0.3)
    position = 2.0e-3 * (np.stack(np.unravel_index(np.arange(120), (5, 4, 6)), axis=1) + 0.5)
    position += random.uniform(-3e-5, 3e-5, position.shape)
    beads = Spheres(position, random.uniform(0.8e-3, 1e-3, 120), material, velocity=random.normal(0.0, 0.1, (120, 3)))
    corner, far = (0.0, 0.0, 0.0), (1e-2, 8e-3, 0.0)
    walls = [
        Plane(point, normal, material=material)
        for point, normal in (
            (corner, (0.0, 0.0, 1.0)),
            (corner, (1.0, 0.0, 0.0)),
            (corner, (0.0, 1.0, 0.0)),
            (far, (-1.0, 0.0, 0.0)),
            (far, (0.0, -1.0, 0.0)),
        )
    ]
    simulation = Simulation(Setup(beads, walls=walls), {"integrator": "leapfrog", "gravity": (3.0, 1.0, -9.0)})
    simulation.run(0.03)
    return simulation


def ended_in_space(state: Path, world: World, simulation: Simulation, steps: int) -> NDArray[np.float64]:
    """Positions, velocities and spins at the end of the program, shape (3, 3, spheres)."""
    write_state(state, world, simulation.experiment, 0.3e-3, steps)
    with floor_program(3) as program:
        assert run_floor(program, state, state.with_suffix(".end")) > 0.0
    return np.fromfile(state.with_suffix(".end")).reshape(3, 3, -1)


@pytest.mark.parametrize("vectors", ["of the processor", "none"])
def test_the_floor_in_space_computes_the_same_motion_as_the_engine(
    vectors: str, rolling_beads: Simulation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The same formulas in another order: the difference is that of rounding, which impacts magnify.
    if vectors == "none":
        monkeypatch.setattr("repose.sim.study.floor.OPTIONS", (*OPTIONS, "-U__AVX512F__"))
    world, engine, dt = rolling_beads.world, rolling_beads.experiment.engine, rolling_beads.dt
    assert (world.pairs.touching[: world.counters[PAIR_COUNT]] != 0).sum() > 100
    assert (world.wall_contacts.touching[: world.counters[WALL_CONTACT_COUNT]] != 0).sum() > 20
    ours = copy_world(world)
    assert engine.advance(ours, engine.law_parameters, engine.gravity, dt, STEPS + WARM_UP)[:2] == (STEPS + WARM_UP, 0)
    position, velocity, spin = ended_in_space(tmp_path / "state", world, rolling_beads, STEPS)
    flight = world.motion[:3, 0] + (STEPS + WARM_UP) * dt * world.motion[:3, 1]
    pushed = (ours.motion[:3, 0] - flight).std()
    assert np.abs(position - ours.motion[:3, 0]).max() < 1e-8 * pushed
    assert np.abs(velocity - ours.motion[:3, 1]).max() < 1e-8 * ours.motion[:3, 1].std()
    assert np.abs(spin - ours.motion[3:6, 1]).max() < 1e-8 * ours.motion[3:6, 1].std()
    # A control: without friction springs the program differs by far more.
    world = copy_world(world)
    for contacts in (world.pairs, world.wall_contacts):
        contacts.shear_spring[:] = 0.0
    position, _, _ = ended_in_space(tmp_path / "other", world, rolling_beads, STEPS)
    assert np.abs(position - ours.motion[:3, 0]).max() > 1e-4 * pushed
