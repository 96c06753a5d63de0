"""Every scene that is exported to LAMMPS: forces of its first step beside ours, and some hundred steps in LAMMPS."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim import Simulation
from repose.sim.engine.world import STEP_COUNT
from repose.sim.experiment.export_state import for_lammps
from repose.sim.io.lammps.in_scenes import IN_LAMMPS
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.scenes.lecture import two_sided

from tests.lammps_program import drawn_together, first_forces, new_lammps, stirred

pytestmark = [pytest.mark.usefixtures("uncompiled"), pytest.mark.slow]

EQUAL = 1e-9
FIRST = {"clumps": ("fill",), "heap": ("fill",), "heap3d": ("fill",), "joined": ("fill",), "vessel": ("fill",)}
"""Actions before a scene has grains."""
EXACT_WITH = {
    "heap": {"coulomb_cap": "lammps"},
    "heap3d": {"rolling_friction": 0.0},
    "clumps": {"rolling_friction": 0.0},
}
"""Values with which a scene whose export is approximate has equal forces."""
AT_WALLS = {"drum_in_space": 0.03, "hourglass_glass": 0.03, "sphere_tests": 0.4}
"""Largest difference at walls, where the export states one: LAMMPS gives a contact that slides from its first step no
friction in it, here 0.4 of the weight."""
RELEASED = ("bounce", "impacts", "slope", "sphere_tests")
"""Scenes whose spheres are held until they are released; they begin without contacts, or with those of a plate."""


def prepared(name: str, values: Mapping[str, Any] | None = None) -> Simulation:
    """A scene with its test values and grains that touch each other and walls."""
    simulation = Simulation(name, {**scenes()[name].test_values, **(values or {})}, seed=1)
    for action in FIRST.get(name, ()):
        simulation.act(action)
    experiment = simulation.experiment
    if name in FIRST:
        experiment.scene.course.supervise(experiment)  # pours the first layer
    if name == "two_sided":
        for _grain in range(8):
            two_sided.pour(experiment)
    if name in RELEASED:
        simulation.act("run")
    elif experiment.run.world.bodies:
        drawn_together(experiment)
    else:
        stirred(experiment)
    return simulation


def test_the_table_has_every_scene_of_the_program() -> None:
    assert IN_LAMMPS.keys() == scenes().keys()
    continued = [name for name, entry in IN_LAMMPS.items() if entry.state != "no"]
    assert len(continued) >= 14


@pytest.mark.parametrize("name", [name for name, entry in IN_LAMMPS.items() if entry.state != "no"])
def test_the_first_forces_are_those_of_lammps_and_it_goes_on(name: str, tmp_path: Path) -> None:
    experiment = prepared(name, EXACT_WITH.get(name)).experiment
    experiment.run.world.counters[STEP_COUNT] = 100  # at step 0 LAMMPS gives no region a velocity
    exported = for_lammps(experiment)
    found = first_forces(experiment, exported, tmp_path)
    assert name in RELEASED or found.contacts + found.at_walls > (0 if experiment.run.world.bodies else 3)
    assert found.pairs < EQUAL
    assert found.grains < AT_WALLS.get(name, EQUAL)
    other = new_lammps(tmp_path)
    other.commands_string(exported.commands)
    other.command("run 300 post no")
    position = other.numpy.extract_atom("x")[: other.extract_setting("nlocal")]
    assert len(position) == experiment.run.world.sphere_count
    assert np.isfinite(position).all()
    other.close()


@pytest.mark.parametrize("known", [True, False])
def test_forces_at_ends_that_turn_are_those_of_lammps(known: bool, tmp_path: Path) -> None:
    """So slowly that no contact slides in its first step, to which LAMMPS gives no friction; without the side, whose
    curvature LAMMPS takes into the effective radius."""
    experiment = prepared("drum_in_space").experiment
    walls = experiment.run.world.walls
    walls.corner[0, 2, 0] = 1.0
    experiment.run.world.counters[STEP_COUNT] = 100
    turning = 0.02 * walls.corner[:, 1, 1]
    walls.spin[:] = turning if known else 0.0
    exported = for_lammps(experiment)
    walls.spin[:] = turning
    found = first_forces(experiment, exported, tmp_path)
    assert found.at_walls > 3
    assert found.grains < EQUAL if known else found.grains > 0.01, "without the spin LAMMPS has other forces"


@pytest.mark.parametrize("name", [name for name, entry in IN_LAMMPS.items() if entry.state == "exact"])
def test_an_exact_scene_states_no_difference_before_its_course(name: str) -> None:
    if name in FIRST:
        experiment = prepared(name).experiment
    else:
        experiment = Simulation(name, dict(scenes()[name].test_values), seed=1).experiment
    assert for_lammps(experiment).differences == ()


@pytest.mark.parametrize("name", [name for name, entry in IN_LAMMPS.items() if entry.state == "approximate"])
def test_an_approximate_scene_states_each_difference_once(name: str) -> None:
    entry, exported = IN_LAMMPS[name], for_lammps(prepared(name).experiment)
    assert bool(exported.differences) == bool(entry.differs)
    assert len(set(exported.notes)) == len(exported.notes)
    assert any(entry.later in note for note in exported.notes)
    assert not any(entry.differs and entry.differs in note for note in exported.notes)


@pytest.mark.parametrize("name", [name for name, entry in IN_LAMMPS.items() if entry.state == "no"])
def test_a_scene_that_lammps_cannot_continue_is_refused_with_the_reason(name: str) -> None:
    simulation = Simulation(name, dict(scenes()[name].test_values), seed=1)
    with pytest.raises(ParameterError, match="export"):
        for_lammps(simulation.experiment)
