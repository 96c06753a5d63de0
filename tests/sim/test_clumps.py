"""Clumps that move: shapes of the library as rigid bodies, and the scene that pours them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import degrees, pi
from pathlib import Path

import numpy as np
import pytest
from repose.sim.clumps.clump import Clump, mass_properties
from repose.sim.clumps.clump_file import file_of, text_of
from repose.sim.engine.body_builder import shape_of_spheres
from repose.sim.engine.builder import add_spheres
from repose.sim.engine.orientation import matrices
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.io.plain import as_json
from repose.sim.measure.flank_angle import FlankAngle, measure_flank
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.scenes.clumps import scene as clumps
from repose.sim.scenes.clumps.plate_and_container import grains_beyond, layers, packing_in_container, sizes_now
from repose.sim.scenes.clumps.poured_clumps import grain_of_shape, joined_discs
from repose.sim.scenes.clumps.scene import steeper_flank
from repose.sim.scenes.common.clump_grains import BALL, random_orientations, shape_of

from tests.english import english
from tests.reliability.runs import resumed, saved
from tests.sim.engine.test_bodies import bench_of, period_of_flip, spin_of

SMALL = dict(scenes()["clumps"].test_values)


def begun(**values: object) -> Experiment:
    return new_experiment("clumps", SMALL | values)


def test_a_grain_of_any_size_has_the_volume_of_a_ball_and_the_inertia_of_its_shape() -> None:
    """An ellipsoid with the semi-axes 3 : 2 : 1 has m/5 (5, 10, 13) c², and the volume 4/3 pi 6 c³."""
    shape = shape_of(grain_of_shape("ellipsoid", 60), 2e-3, 2500.0 * BALL * 2e-3**3)
    mass = 2500.0 * BALL * 2e-3**3
    assert shape.mass == pytest.approx(mass)
    unit = 2e-3 / 6.0 ** (1.0 / 3.0)
    np.testing.assert_allclose(shape.moments, mass / 5.0 * unit**2 * np.array([5.0, 10.0, 13.0]), rtol=0.03)
    assert grain_of_shape("ellipsoid", 60).reach == pytest.approx(3.0 / 6.0 ** (1.0 / 3.0), rel=0.03)


def test_an_ellipsoid_that_turns_about_its_middle_axis_turns_over() -> None:
    """With the period of the closed form for the moments of the clump."""
    shape = shape_of(grain_of_shape("ellipsoid", 12), 5e-3, 1e-3)
    spin = np.array([0.5, 40.0, 0.5])
    steps = 600
    bench = bench_of(shape, period_of_flip(shape.moments, spin) / steps, spin=spin)
    along = []
    for _ in range(20):
        bench.advance(steps // 20)
        turn = matrices(bench.world.bodies.reference.T)[0]
        along.append(float((turn.T @ spin_of(bench))[1]))
    assert min(along) < -39.0
    assert along[-1] == pytest.approx(40.0, abs=0.05)


def test_two_vertebrae_that_collide_conserve_momentum_and_angular_momentum() -> None:
    shape = shape_of(grain_of_shape("vertebra", 8), 2e-3, 1e-4)
    reach = 2e-3 * grain_of_shape("vertebra", 8).reach
    position = np.array([(0.0, 0.0, 0.0), (1.4 * reach, 0.2 * reach, 0.1 * reach)])
    velocity = np.array([(1.0, 0.0, 0.0), (-1.0, 0.0, 0.05)])
    spin = np.array([(10.0, 60.0, 0.0), (0.0, -20.0, 30.0)])
    turned = random_orientations(2, np.random.default_rng(3))
    bench = bench_of(shape, 5e-6, position=position, velocity=velocity, spin=spin, orientation=turned, restitution=0.7)

    def state() -> tuple[np.ndarray, np.ndarray]:
        bodies = bench.world.bodies
        momentum = shape.mass * bodies.motion[:3, 1]
        orbital = np.cross(bodies.motion[:3, 0].T, momentum.T).sum(axis=0)
        return momentum.sum(axis=1), orbital + shape.moments.mean() * bodies.motion[3:, 1].sum(axis=1)

    before = state()
    speeds = bench.world.bodies.motion[:3, 1].copy()
    bench.advance(500)
    assert np.abs(bench.world.bodies.motion[:3, 1] - speeds).max() > 0.05  # they have met
    after = state()
    np.testing.assert_allclose(after[0], before[0], atol=1e-9 * shape.mass)
    np.testing.assert_allclose(after[1], before[1], atol=1e-3 * np.abs(before[1]).max())


def test_orientations_are_uniform() -> None:
    """Each entry of a uniformly distributed rotation matrix has the mean 0 and the mean square 1/3."""
    turn = matrices(random_orientations(20_000, np.random.default_rng(1)))
    np.testing.assert_allclose(turn.mean(axis=0), 0.0, atol=0.02)
    np.testing.assert_allclose((turn**2).mean(axis=0), 1.0 / 3.0, atol=0.01)


def test_layers_are_counted_in_advance_and_a_mixture_has_the_share_that_was_asked_for() -> None:
    experiment = begun(ball_share=0.3)
    expected = layers(experiment)
    state, count = experiment.run.state, experiment.parameters.grain_count
    assert sum(state.loose) == pytest.approx(0.3 * count, abs=2.8 * (0.21 * count) ** 0.5)
    apply(experiment, Act("fill"))
    while state.poured < count:
        advance(experiment, 500)
        state = experiment.run.state
    assert state.layers == expected
    world, clumps = experiment.run.world, count - sum(state.loose)
    assert world.bodies.begin.size - 1 == clumps
    assert world.sphere_count == sum(state.loose) + len(state.members) * clumps
    assert world.own_mass.sum() == pytest.approx(count * 2500.0 * BALL * 8e-3**3)


def test_a_run_that_is_saved_and_continued_or_has_two_threads_has_the_same_bits() -> None:
    straight = begun()
    apply(straight, Act("fill"))
    advance(straight, 3000)
    other = resumed(saved(straight))
    for experiment in (straight, other):
        advance(experiment, 3000)
    assert straight.run.world.bodies.begin.size > 3
    assert state_hash(other.run) == state_hash(straight.run)
    assert verify(saved_copy(straight), threads=2).differs_at is None


def test_grains_beyond_the_rim_leave_as_a_whole_and_are_counted_once() -> None:
    experiment = begun()
    apply(experiment, Act("fill"))
    advance(experiment, 50)
    world = experiment.run.world
    rim = sizes_now(experiment).plate
    assert grains_beyond(world, rim)[1] == 0
    body = int(world.body.max())
    assert body >= 0
    world.bodies.motion[0, 0, body] = 1.2 * rim
    gone, grains = grains_beyond(world, rim)
    assert grains == 1
    np.testing.assert_array_equal(gone, world.body == body)


def test_packing_fraction_counts_overlapping_members_once() -> None:
    experiment = begun(shape="ball", ball_share=1.0, grain_count=200)
    size = sizes_now(experiment)
    edge = 8e-3
    row = np.arange(-size.wide, size.wide, 2.0 * edge)
    grid = np.stack(np.meshgrid(row, row, edge + row - row[0]), axis=-1).reshape(-1, 3)
    spheres = add_spheres(experiment.run.world, np.concatenate([grid, grid + 1e-5]), edge, 1.0)
    experiment.run.world = spheres
    assert packing_in_container(experiment) == pytest.approx(pi / 6.0, rel=0.1)  # of either sphere alone


@pytest.mark.parametrize("name", ["clumps", "joined"])
def test_a_slope_of_few_grains_is_not_measured_and_says_how_many_are_needed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixteen tetrahedra in a heap had a slope of 61.5° without an error: of 7 grains."""
    experiment = new_experiment(name, scenes()[name].test_values | {"ball_share": 0.0})
    apply(experiment, Act("fill"))
    world, dimension = experiment.run.world, experiment.scene.model.dimension
    members = np.diff(world.bodies.begin)
    assert members.min() > 1
    in_bodies = world.sphere_id[world.bodies.member]
    assert clumps.grains_of(world, world.sphere_id) == len(members) + world.sphere_count - len(in_bodies)
    assert clumps.FEWEST_GRAINS == {2: 6, 3: 24}
    least = len(members)  # of the first layer
    assert least > 2
    monkeypatch.setitem(clumps.FEWEST_GRAINS, dimension, least)

    def fitted(count: int, error: float) -> FlankAngle:
        used = in_bodies[: int(members[:count].sum())]
        return FlankAngle(1.56, error, np.zeros(0), np.zeros(0), 0.0, (0.0, 0.0), used, len(members))

    experiment.run.state.phase = "rested"
    cases = (
        (least - 1, 0.1, f"{least - 1} grains are on its line, and at least {least} are needed"),
        (1, 0.1, f"1 grain is on its line, and at least {least} are needed"),
        (least, float("nan"), f"{least} grains on its line give no error"),
        (0, 0.1, str(clumps.NO_SLOPE)),
        (least, 0.1, ""),
    )
    for count, error, said in cases:
        found = fitted(count, error) if count else None
        monkeypatch.setattr(clumps, "_fitted", lambda _, found=found: found)
        slope, why = clumps.measured(experiment)
        assert (slope is None, bool(why)) == (bool(said), bool(said))
        assert [sentence for _, _, sentence in cases if sentence and sentence in str(why)] == [said] * bool(said)
        assert (clumps.measure(experiment) is None) == bool(said)
        if said:
            assert said in str(experiment.scene.course.act(experiment, "measure"))
            (reading,) = clumps.not_measured(experiment)
            assert (reading.value, f"of at least {least}" in str(reading.label)) == (count, True)
            assert said in str(experiment.scene.course.check(experiment))
            assert not experiment.run.state.reading
            assert not any(
                str(shown.label) == "angle of repose" for shown in experiment.scene.course.readings(experiment)
            )
        else:
            assert clumps.not_measured(experiment) == ()
            told = (experiment.scene.course.act(experiment, "measure"), experiment.scene.course.check(experiment))
            assert not [sentence for _, _, sentence in cases for words in told if sentence and sentence in str(words)]
            first = experiment.scene.course.readings(experiment)[0]
            assert (first.name, first.value) == ("angle_of_repose", pytest.approx(np.degrees(1.56)))


def test_a_heap_that_stands_upright_is_measured_at_its_flank_and_a_cone_by_its_profile() -> None:
    """Spheres at random in a column and in a cone of 30°; the profile of the column has no slope of 80°."""
    generator = np.random.default_rng(1)
    position = generator.uniform((-0.1, -0.1, 0.0), (0.1, 0.1, 0.2), (20_000, 3))
    away = np.hypot(position[:, 0], position[:, 1])
    angles = {}
    for name, radius in (
        ("column", np.full(len(position), 0.1)),
        ("cone", 0.1 - position[:, 2] / np.tan(np.radians(30.0))),
    ):
        experiment = begun(shape="ball", ball_share=1.0)
        experiment.run.world = add_spheres(experiment.run.world, position[away < radius], 2e-3, 1.0)
        experiment.run.state.phase = "rested"
        assert "Angle of repose" in str(experiment.scene.course.act(experiment, "measure"))
        readings = {str(reading.label): reading.value for reading in experiment.scene.course.readings(experiment)}
        angles[name] = readings["angle of repose"]
        assert ("cone angle" in english(readings)) == (name == "cone")
        results = experiment.scene.course.results(experiment)["angle_of_repose"]
        assert results["angle_degrees"] == readings["angle of repose"]
        drawn = experiment.scene.view.slope(experiment)
        assert drawn is not None
        assert np.isfinite([drawn.slope, drawn.intercept, *drawn.x_range]).all()
        (curve,) = experiment.scene.view.curves(experiment)
        assert all(np.isfinite(line.y).all() for line in curve.lines)
    assert angles["column"] > 80.0
    assert angles["cone"] == pytest.approx(30.0, abs=4.0)


def test_a_mixture_of_two_shapes_and_spheres_is_poured_in_its_shares_and_belongs_to_the_run() -> None:
    experiment = begun(grain_count=100, ball_share=0.3, second_share=0.5, second_shape="rod", second_members=6)
    tetrahedra, rods = experiment.run.state.grains
    assert (len(tetrahedra.members), len(rods.members)) == (4, 6)
    state = experiment.run.state
    of_kind = [int((state.kinds == kind).sum()) for kind in (-1, 0, 1)]
    assert sum(of_kind) == 100
    np.testing.assert_allclose(of_kind, (30, 35, 35), atol=14)  # three standard deviations
    words = experiment.scene.course.describe(experiment)[1]
    assert str(words).endswith(
        f"{of_kind[1]} clumps of 4 spheres, {of_kind[2]} clumps of 6 spheres, {of_kind[0]} loose spheres"
    )
    assert [entry["grains"] for entry in experiment.scene.course.results(experiment)["clumps"]] == of_kind[1:]
    apply(experiment, Act("fill"))
    advance(experiment, 50)
    world, poured = experiment.run.world, experiment.run.state.kinds[: experiment.run.state.poured]
    first = [(poured == kind).sum() for kind in (-1, 0, 1)]
    assert world.sphere_count == np.dot(first, (1, 4, 6))
    assert sorted(np.bincount(world.body[world.body >= 0])) == [4] * first[1] + [6] * first[2]
    mass = 2500.0 * BALL * 8e-3**3
    np.testing.assert_allclose(1.0 / world.bodies.inverse_mass[0, : first[1] + first[2]], mass)
    assert verify(saved_copy(experiment)).differs_at is None
    other = resumed(saved(experiment))
    for run in (experiment, other):
        advance(run, 50)
    assert state_hash(other.run) == state_hash(experiment.run)
    assert other.run.state.which == experiment.run.state.which


def test_a_mixture_without_a_share_of_the_second_shape_is_the_run_of_the_first_alone() -> None:
    plain, mixed = begun(), begun(second_shape="tetrapod", second_members=9)
    assert as_json(mixed.run.state) == as_json(plain.run.state)
    assert mixed.run.state.which == []


def test_the_first_time_step_is_that_of_the_most_easily_moved_member_of_a_mixture() -> None:
    shape, declared = scenes()["clumps"].model.smallest_grain, scenes()["clumps"].parameters
    rods = {"members": 20, "shape": "rod"}
    both = shape(declared.checked({"second_share": 0.5, "second_shape": "rod", "second_members": 20}))
    alone = [shape(declared.checked(values)) for values in ({}, rods)]
    assert both == (min(mass for mass, _ in alone), min(radius for _, radius in alone))


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """The file of a clump of two spheres."""
    clump = Clump("pair", "by hand", np.array([[0.1, 0.0, 0.0], [0.3, 0.0, 0.0]]), np.array([0.15, 0.12]))
    path = tmp_path / "pair.json"
    path.write_text(text_of(file_of(clump, mass_properties(clump, 0.01))))
    return path


def test_a_clump_from_a_file_is_poured_in_the_size_of_the_grains_and_belongs_to_the_run(pair: Path) -> None:
    experiment = begun(clump=str(pair), ball_share=0.0)
    pair.unlink()  # the file is read at the start only
    apply(experiment, Act("fill"))
    advance(experiment, 50)
    world = experiment.run.world
    assert world.bodies.begin.size > 1
    np.testing.assert_allclose(world.radius[0] / world.radius[1], 0.15 / 0.12)
    members = world.motion[:3, 0, :2]
    assert np.linalg.norm(members[:, 0] - members[:, 1]) / world.radius[0] == pytest.approx(0.2 / 0.15)
    assert world.own_mass[:2].sum() == pytest.approx(2500.0 * BALL * 8e-3**3)
    # A saved run contains the clump, and is replayed without the file.
    assert verify(saved_copy(experiment)).differs_at is None
    other = resumed(saved(experiment))
    for run in (experiment, other):
        advance(run, 50)
    assert state_hash(other.run) == state_hash(experiment.run)
    assert not apply(other, Act("reset"))
    assert other.run.state.members == experiment.run.state.members


def test_a_clump_file_that_cannot_be_used_changes_nothing(pair: Path) -> None:
    experiment = begun()
    content = json.loads(pair.read_text())
    content["spheres"] = content["spheres"][:1]
    pair.write_text(json.dumps(content))
    assert "some are missing" in str(apply(experiment, SetParameters({"clump": str(pair)})))
    assert experiment.parameters.clump == ""
    with pytest.raises(ParameterError, match="No such file"):
        begun(clump=str(pair.with_name("none.json")))
    with pytest.raises(ParameterError, match="members"):
        begun(members=0)


@pytest.mark.parametrize(
    ("place", "radius", "words"),
    [(0.5, 1e-9, "smallest sphere has the radius"), (1e3, 0.1, "farthest point the distance")],
)
def test_a_file_with_a_sphere_too_small_or_too_far_to_be_poured_is_refused_by_its_name(
    place: float, radius: float, words: str, pair: Path
) -> None:
    content = json.loads(pair.read_text())
    content["spheres"].append({"x": place, "y": 0.0, "z": 0.0, "r": radius})
    pair.write_text(json.dumps(content | {"members": 3}))
    with pytest.raises(ParameterError, match=f"pair.json' is refused.*{words}"):
        begun(clump=str(pair))


def test_a_shape_that_falls_apart_is_not_poured_and_changes_nothing() -> None:
    experiment = begun()
    shape = experiment.parameters.shape
    refused = apply(experiment, SetParameters({"shape": "torus", "members": 5}))
    assert re.search(r"of 5 spheres for 'torus' falls apart into 5 pieces: \d+ spheres make one piece", str(refused))
    assert experiment.parameters.shape == shape
    second = {"second_shape": "dumbbell", "second_members": 4}
    assert not apply(experiment, SetParameters(second))  # of which none is poured
    assert "of 4 spheres for 'dumbbell' falls apart" in str(apply(experiment, SetParameters({"second_share": 0.5})))


def test_two_clump_files_are_mixed_and_a_bad_second_one_changes_nothing(pair: Path) -> None:
    other = pair.with_name("other.json")
    clump = Clump("other", "by hand", np.array([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.2, 0.0]]), np.full(3, 0.15))
    other.write_text(text_of(file_of(clump, mass_properties(clump, 0.01))))
    experiment = begun(clump=str(pair), second_clump=str(other), second_share=0.5)
    assert [len(grain.members) for grain in experiment.run.state.grains] == [2, 3]
    assert verify(saved_copy(experiment)).differs_at is None
    refused = apply(experiment, SetParameters({"second_clump": str(pair.with_name("none.json"))}))
    assert "none.json" in str(refused)
    assert "No such file" in str(refused)
    assert experiment.parameters.second_clump == str(other)


def test_a_damaged_mixture_is_refused() -> None:
    experiment = begun(second_share=0.5)
    invalid_state, state = experiment.scene.course.invalid_state, experiment.run.state
    assert invalid_state(state, experiment.run.world, experiment.run.built) is None
    for which in ([], [2] * 100, [0] * 99):
        damaged = replace(state, which=which)
        assert str(invalid_state(damaged, experiment.run.world, experiment.run.built)) == "which"
    broken = replace(state, others=[state.others[0]._replace(members=((0.0, 0.0, 0.0, -1.0),))])
    assert str(invalid_state(broken, experiment.run.world, experiment.run.built)) == "members"


# In the plane.


@pytest.mark.parametrize(("name", "discs"), [("triangle", 3), ("square", 4), ("rod", 5)])
def test_joined_discs_touch_and_have_the_area_mass_and_inertia_of_their_discs(name: str, discs: int) -> None:
    grain = joined_discs(name, 5)
    members = np.array(grain.members)
    assert len(members) == discs
    assert (pi * members[:, 3] ** 2).sum() == pytest.approx(pi)
    apart = np.linalg.norm(members[:, None, :2] - members[None, :, :2], axis=2)
    assert np.sort(apart, axis=1)[:, 1] == pytest.approx(2.0 * members[:, 3])
    exact = shape_of_spheres(2e-3 * members[:, :2], 2e-3 * members[:, 3], np.full(discs, 1e-3 / discs))
    made = shape_of(grain, 2e-3, 1e-3, dimension=2)
    np.testing.assert_allclose(made.offset, exact.offset, atol=1e-15)
    np.testing.assert_allclose(made.moments, exact.moments)


def test_layers_in_the_plane_are_counted_and_poured_one_after_the_other() -> None:
    experiment = new_experiment("joined", scenes()["joined"].test_values)
    expected = layers(experiment)
    apply(experiment, Act("fill"))
    highest = 0.0
    while experiment.run.state.poured < 60:
        advance(experiment, 200)
        highest = max(highest, float(experiment.run.world.motion[1, 0].max()))
    assert experiment.run.state.layers == expected
    assert experiment.time < 3.0  # a layer that has fallen makes room for the next, whatever its spheres have turned by
    assert highest > sizes_now(experiment).high


def test_the_flanks_of_a_heap_in_the_plane_are_one_reading_with_the_error_of_both() -> None:
    sides = {"left": [0.5, 0.03], "right": [0.4, 0.04]}
    (found,) = steeper_flank(sides)
    assert str(found.label) == "left flank steeper by"
    assert (found.value, found.error) == pytest.approx((degrees(0.1), degrees(0.05)))
    assert all(f"{degrees(at):.1f}°" in str(found.help) for at, _ in sides.values())
    assert steeper_flank({"left": [0.5, 0.03]}) == ()


def test_words_in_the_plane_are_those_of_discs() -> None:
    experiment = new_experiment("joined", dict(scenes()["joined"].test_values))
    words = experiment.scene.course.describe(experiment)[1]
    assert "clumps of 3 discs" in str(words)
    assert "loose discs" in str(words)
    assert "sphere" not in str(words)
    declared = experiment.parameters.declared()
    assert "discs" in str(declared["ball_share"].quantity.label)
    assert "loose spheres" in str(begun().scene.course.describe(begun())[1])


@pytest.mark.slow
def test_a_heap_of_rods_is_steeper_than_a_heap_of_discs() -> None:
    angles = {}
    for shape in ("disc", "rod"):
        values = scenes()["joined"].test_values | {"shape": shape, "members": 4, "ball_share": 0.0, "grain_count": 200}
        result = run_experiment(new_experiment("joined", values))
        angles[shape] = result["angle_of_repose"]["angle_degrees"]
    assert angles["rod"] > angles["disc"] + 5.0


@pytest.mark.slow
def test_slender_arms_hold_a_heap_upright() -> None:
    """Packings of stars stand without their container (Zhao et al., Granular Matter 18, 24, 2016)."""
    values = {"shape": "caltrop", "members": 13, "grain_count": 100, "young": 1e6, "friction": 0.8, "lift_speed": 0.2}
    experiment = new_experiment("clumps", values)
    run_experiment(experiment)
    assert experiment.phase == "rested"
    world = experiment.run.world
    found = measure_flank(world.motion[:3, 0].T, world.radius, world.sphere_id)
    assert found is not None
    assert degrees(found.angle) > 60.0
