"""Scenes with stated sizes: grains begin apart, follow the distribution, and the containers follow their volume."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim import ParameterError, place_spheres
from repose.sim.engine.world import Floats
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.named_records import curves_of
from repose.sim.io import presets
from repose.sim.measure.mixing import mixing_of_kinds, mixing_of_sizes, second_kind
from repose.sim.message import Number
from repose.sim.registry import scenes
from repose.sim.scenes.common.random_places import place_at_random
from repose.sim.scenes.common.timed_course import keep_record
from repose.sim.scenes.lecture import drum
from repose.sim.size_distribution import read_sizes, sorted_radii

WIDE = "gaudin_schuhmann by mass: exponent 0.6, ratio 10"
TWO = "two_sizes by mass: ratio 3, share 50 %"
TWO_BY_NUMBER = "two_sizes by number: ratio 2.5, share 20 %"
SIZED = [name for name, scene in scenes().items() if "sizes" in scene.parameters.declared()]
FEW = {"hourglass": 150, "hourglass_glass": 150, "clumps": 40}
AT_ONCE = ("biaxial", "drum", "rough_plane", "silo", "hourglass", "hourglass_glass")
"""Scenes whose grains are all there at the start."""


def test_all_scenes_that_pour_grains_have_sizes() -> None:
    assert {"heap", "heap3d", "vessel", "hourglass", "hourglass_glass", "clumps", "joined", *AT_ONCE} <= set(SIZED)


@pytest.mark.parametrize("text", [WIDE, TWO])
@pytest.mark.parametrize("name", AT_ONCE)
def test_grains_begin_apart_with_the_radii_of_the_distribution(name: str, text: str) -> None:
    scene = scenes()[name]
    count = FEW.get(name, 200)
    parameters = scene.parameters.checked({"sizes": text, "grain_count": count})
    world, _ = scene.course.begin(parameters, 1)
    position, radius = world.motion[: scene.model.dimension, 0].T, world.radius
    apart = np.sqrt(((position[:, None] - position) ** 2).sum(axis=2)) - radius[:, None] - radius
    assert (apart < 0.0)[~world.fixed].sum() == (~world.fixed).sum(), "each overlaps with itself only"
    wanted = sorted_radii(read_sizes(text), count, parameters.mean_radius)
    assert np.sort(radius[~world.fixed]) == pytest.approx(wanted)
    smallest = scene.model.smallest_grain(parameters)[1]
    assert smallest == pytest.approx(parameters.radius_limits[0])
    assert smallest <= wanted[0] * (1.0 + 1e-12)


@pytest.mark.parametrize("name", ["heap", "heap3d", "vessel", "joined"])
def test_poured_grains_have_the_radii_of_the_distribution_in_the_order_of_the_seed(name: str) -> None:
    scene = scenes()[name]
    parameters = scene.parameters.checked({"sizes": WIDE, "grain_count": 300})
    one, again, other = (scene.course.begin(parameters, seed)[1].radii for seed in (1, 1, 2))
    wanted = sorted_radii(read_sizes(WIDE), 300, parameters.mean_radius)
    assert np.sort(one) == pytest.approx(wanted)
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    # Neither large nor small grains come first: of a random order the correlation is below 4/√N.
    assert abs(np.corrcoef(np.arange(300), np.log(one))[0, 1]) < 4.0 / math.sqrt(300)


def test_the_container_of_a_heap_has_the_width_for_the_area_of_its_grains() -> None:
    heap = scenes()["heap"].parameters
    equal, wide = heap.checked({"sizes": "equal"}), heap.checked({"sizes": WIDE})
    assert equal.width == pytest.approx(heap().width)
    assert wide.width == pytest.approx(equal.width * math.sqrt(read_sizes(WIDE).curve.mean_square_ratio))


def test_a_full_hourglass_has_fewer_grains_of_the_same_distribution() -> None:
    scene = scenes()["hourglass"]
    parameters = scene.parameters.checked(
        {"sizes": TWO, "grain_count": 3000, "mean_radius": 0.03, "orifice": 0.3, "fill_height": 0.95}
    )
    world, state = scene.course.begin(parameters, 1)
    assert 20 < state.placed < 3000
    wanted = sorted_radii(read_sizes(TWO), state.placed, 0.03)
    assert np.sort(world.radius) == pytest.approx(wanted)


def test_discs_without_room_are_refused_in_a_sentence() -> None:
    parameters = scenes()["drum"].parameters.checked({"grain_count": 4, "sizes": "two_sizes: ratio 10"})
    with pytest.raises(ParameterError, match=r"grain_count = 4 is refused: there is room for only .* of these sizes"):
        scenes()["drum"].course.begin(parameters, 1)


def test_half_of_the_grains_of_a_drum_is_marked() -> None:
    scene = scenes()["drum"]
    for marked, axis in (("left_half", 0), ("lower_half", 1)):
        world, _ = scene.course.begin(scene.parameters.checked({"marked": marked, "grain_count": 60}), 1)
        second = second_kind(world)
        assert second is not None
        assert second.sum() == 30
        assert world.motion[axis, 0, second].max() <= world.motion[axis, 0, ~second].min()


def test_the_answer_of_a_drum_has_the_mixing_index_of_two_sizes_or_of_marked_grains() -> None:
    values = {"grain_count": 100, "stages": 2, "stage_time": 1.0}
    for sizes, marked in ((TWO_BY_NUMBER, "nothing"), ("equal", "nothing"), ("equal", "left_half")):
        experiment = new_experiment("drum", values | {"sizes": sizes, "marked": marked})
        for time in np.linspace(0.05, 1.95, 39):
            keep_record(experiment.run.state.columns, {"time": float(time), "angle": 0.4, "flow": 0.1})
        world = experiment.run.world
        answer = drum.answer(experiment)
        mixing = mixing_of_sizes(world) if sizes != "equal" else mixing_of_kinds(world)
        assert answer is not None
        found = dict(answer.words.values).get("mixing")
        assert found == (None if mixing is None else Number(mixing.index, format=".2f"))
        assert (mixing is None) == (sizes == "equal" and marked == "nothing")
    assert presets.load("segregation-drum").values["sizes"] == TWO_BY_NUMBER
    for name in ("segregation-drum", "mixing-drum"):
        direction = presets.load(name).direction
        assert direction is not None
        assert "{mixing}" in direction.answer.template


def test_the_plots_of_a_run_show_its_sizes_only_if_they_are_stated() -> None:
    assert not {"sizes", "size_histogram"} & {curve.name for curve in curves_of(new_experiment("heap", {}))}
    curves = {curve.name: curve for curve in curves_of(new_experiment("heap", {"sizes": TWO}))}
    wanted, generated = curves["sizes"].lines
    assert (wanted.y[0], wanted.y[-1]) == (0.0, 100.0)
    assert generated.y == pytest.approx(np.interp(generated.x, wanted.x, wanted.y), abs=1.0)
    parts = curves["size_histogram"].lines[1].y
    assert parts.sum() == pytest.approx(100.0)
    assert (parts > 0.0).sum() == 2


@pytest.mark.parametrize("dimension", [2, 3])
def test_random_places_of_wide_sizes_do_not_touch(dimension: int) -> None:
    radii = -np.sort(-sorted_radii(read_sizes(WIDE), 300, 1.0))
    side = (float((radii**dimension).sum()) * 4.2 / 0.25) ** (1.0 / dimension)
    box = np.zeros(dimension), np.full(dimension, side)

    def free(centres: Floats, radius: float) -> np.ndarray:
        return ((centres > radius) & (centres < side - radius)).all(axis=1)

    limits = float(radii[-1]), float(radii[0])
    position, placed = place_at_random(radii, 300, limits, box, free, np.random.default_rng(3), descending=True)
    assert np.array_equal(placed, radii)
    apart = np.sqrt(((position[:, None] - position) ** 2).sum(axis=2)) - radii[:, None] - radii
    np.fill_diagonal(apart, math.inf)
    assert apart.min() >= 0.0
    assert free(position, 0.0).all()


def test_a_script_draws_the_radii_of_its_spheres() -> None:
    position = np.column_stack([np.arange(60) * 0.02, np.zeros(60), np.zeros(60)])
    one = place_spheres(position, sizes=TWO, mean_radius=1e-3, seed=4, mass=1e-3, gravity=0.0)
    radius = one.experiment.run.world.radius
    assert np.sort(radius) == pytest.approx(sorted_radii(read_sizes(TWO), 60, 1e-3))
    curve = "sieve by number: 1 mm 0 %, 3 mm 100 %"
    two = place_spheres(position, sizes=curve, mass=1e-3, gravity=0.0)
    assert two.experiment.run.world.radius.mean() == pytest.approx(read_sizes(curve).mean_radius, rel=1e-3)
    for given in ({}, {"radius": 1e-3, "sizes": TWO}, {"sizes": TWO}, {"sizes": 5}, {"sizes": "pareto"}):
        with pytest.raises(ParameterError):
            place_spheres(position, mass=1e-3, **given)
