"""Stored packings: they belong to the present defaults, lie at rest, and are not used for another run."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.world import WALL_CONTACT_COUNT
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.energy_gap import gap_share
from repose.sim.experiment.experiment import CHECK_STEPS
from repose.sim.experiment.sampling import system_of
from repose.sim.experiment.stepping import advance
from repose.sim.io import world_tables
from repose.sim.measure.energy import ledger_of
from repose.sim.message import _
from repose.sim.registry import scenes
from repose.sim.scenes.common.stream import SIDES
from repose.sim.scenes.heap3d.plate_and_funnel import sizes

from tests.tools.settled_packings import stored_courses, stored_packings

STORED = stored_courses()
PACKINGS = stored_packings()
POURED = [name for name, stored in PACKINGS.items() if stored.scene in ("heap3d", "clumps", "joined")]
"""Packings that a preset asks for, of grains and bodies in a container."""


def begun(scene: str, seed: int = 1, **values: Any) -> tuple[Any, Any]:
    record = scenes()[scene]
    return record.course.begin(record.parameters.checked(values), seed)


@pytest.mark.parametrize("scene", STORED)
def test_a_scene_begins_with_the_stored_packing_of_its_defaults(scene: str) -> None:
    world, state = begun(scene)
    assert state.phase == "filled", "python -m tests.tools.settled_packings writes the files again"
    assert not world.motion[:, 1:].any(), "at rest"
    loose = ~world.fixed
    position = world.motion[: world.dimension, 0, loose]
    radius = world.radius[loose]
    gap = (
        np.linalg.norm(position[:, :, None] - position[:, None, :], axis=0)
        - radius[:, None]
        - radius
        + np.diag(2.0 * radius)
    )
    assert np.isfinite(gap).all()
    assert 0.0 < -gap.min() < 0.2 * radius.mean(), "grains press one another"
    assert (gap < 0.0).sum() > 2.0 * len(radius), "and each has two contacts or more"


@pytest.mark.parametrize("scene", STORED)
def test_another_seed_another_packing_and_another_gravity_are_computed(scene: str) -> None:
    assert begun(scene, seed=2)[1].phase == "filling"
    count = "small_count" if scene == "drum_in_space" else "grain_count"
    assert begun(scene, **{count: 250})[1].phase == "filling"
    assert begun(scene, rolling_friction=0.1)[1].phase == "filling"
    declared = scenes()[scene].parameters.declared()
    for name in STORED[scene].packing[1].later:
        default = declared[name].default
        assert begun(scene, **{name: default + 1 if isinstance(default, int) else 0.9 * default})[1].phase == "filled"


def prepared(name: str, **values: Any) -> tuple[Any, Any] | None:
    """World and state of a prepared state, with these values over the parameters of its packing."""
    scene, packing = PACKINGS[name]
    record = scenes()[scene]
    reads = record.course.prepared
    read = reads.get(name) or reads["filled"]
    return read(record.parameters.checked({**packing.values, **values}))


@pytest.mark.parametrize("name", POURED)
def test_a_filled_container_stands_ready_and_its_grains_are_at_rest(name: str) -> None:
    stored = PACKINGS[name]
    found = prepared(name)
    assert found is not None, f"python -m tests.tools.settled_packings {name} writes the file again"
    world, state = found
    assert world.pairs.shear_spring.any() == stored.packing.springs
    assert (state.phase, state.prepared, state.poured) == ("filled", True, len(state.radii))
    ready = "funnel" if stored.scene == "heap3d" else "filled"
    experiment = new_experiment(stored.scene, stored.packing.values, ready=ready)
    before = experiment.run.world.motion[:, 0].copy()
    assert any(action.name == "lift" and action.enabled for action in experiment.scene.course.actions(experiment))
    advance(experiment, max(CHECK_STEPS, round(0.003 / experiment.dt)))
    moved = np.abs(experiment.run.world.motion[:, 0] - before)[: experiment.scene.model.dimension]
    assert moved.max() < 0.05 * experiment.parameters.mean_radius, "also where friction springs form anew"


@pytest.mark.parametrize("name", POURED)
def test_other_grains_another_friction_and_another_law_are_poured(name: str) -> None:
    for values in ({"grain_count": 90}, {"friction": 0.31}, {"gravity": 1.6}, {"law": "voigt"}):
        assert prepared(name, **values) is None, values
    assert prepared(name, lift_speed=0.3) is not None, "it acts only when the container is lifted"


def test_a_reset_after_another_friction_says_that_the_grains_have_to_be_poured() -> None:
    experiment = new_experiment("joined", PACKINGS["loose_discs"].packing.values, ready="filled")
    apply(experiment, SetParameters({"friction": 0.3}))
    assert experiment.phase == "filled", "a change acts on the filled container"
    apply(experiment, Act("reset"))
    assert experiment.phase == "empty"
    assert str(experiment.message).endswith("The stored packing belongs to other parameters. F pours again.")
    apply(experiment, SetParameters({"friction": 0.5}))
    apply(experiment, Act("reset"))
    assert (experiment.phase, str(experiment.message)) == ("filled", "The filled container is restored.")


def test_the_opening_of_the_funnel_keeps_the_contacts_with_its_side_and_the_energy_balanced() -> None:
    experiment = new_experiment("heap3d", {}, ready="funnel")
    advance(experiment, CHECK_STEPS)
    world = experiment.run.world
    beside = world.wall_contacts.wall[: world.counters[WALL_CONTACT_COUNT]] < world.walls.shape.size - SIDES
    assert beside.any()
    apply(experiment, Act("lift"))
    assert experiment.run.world.counters[WALL_CONTACT_COUNT] == beside.sum()
    for _check in range(5):
        advance(experiment, CHECK_STEPS)
        assert gap_share(ledger_of(system_of(experiment))) < 1e-3  # 0.2, if all contacts with walls are found anew


def test_grains_leave_the_funnel_only_after_it_is_open() -> None:
    experiment = new_experiment("heap3d", {}, ready="funnel")
    lid = experiment.run.state.lid
    low = sizes(experiment.run.built).low

    def fallen() -> int:
        world = experiment.run.world
        return int((~world.fixed & (world.motion[2, 0] < low - world.radius)).sum())

    assert lid == SIDES
    assert fallen() == 0
    walls = experiment.run.world.walls.shape.size
    apply(experiment, Act("lift"))
    assert (experiment.phase, experiment.run.world.walls.shape.size) == ("flowing", walls - lid)
    advance(experiment, round(0.15 / experiment.dt))
    assert 0 < fallen() < 0.2 * experiment.run.state.poured


def test_files_are_small() -> None:
    sizes = {entry.name: entry.stat().st_size for entry in (files("repose.assets") / "settled").iterdir()}  # type: ignore[attr-defined]
    assert sizes.keys() == {f"{name}.npz" for name in PACKINGS}
    assert max(sizes.values()) < 400_000
    assert sum(sizes.values()) < 6_000_000


def test_single_precision_keeps_places_and_the_exact_masses() -> None:
    world = begun("drum")[0]
    state = STORED["drum"].state(phase="filled")
    exact, rounded = (
        world_tables.from_bytes(world_tables.to_bytes(world, state, {}, single), type(state))[0]
        for single in (False, True)
    )
    assert np.array_equal(exact.motion, world.motion)
    assert not np.array_equal(rounded.motion, world.motion)
    np.testing.assert_allclose(rounded.motion[:2, 0], world.motion[:2, 0], rtol=1e-7)
    assert rounded.motion.dtype == exact.motion.dtype
    for name in ("mass", "radius", "inverse_mass"):
        assert np.array_equal(getattr(rounded, name), getattr(world, name))


def test_a_damaged_file_is_as_if_there_were_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*arguments: Any) -> Any:
        raise world_tables.StoreError(_("damaged"))

    monkeypatch.setattr(world_tables, "from_bytes", damaged)
    assert begun("drum")[1].phase == "filling"
