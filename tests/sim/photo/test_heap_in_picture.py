"""Angles of rendered heaps of known shape, and the pictures that are refused."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray
from repose.sim.measure.flanks import measure_flanks
from repose.sim.parameters import ParameterError
from repose.sim.photo.found_surface import SMOOTH, surface_with
from repose.sim.photo.heap_in_picture import PictureHeap, measure_picture
from repose.sim.photo.marks import Marks

from tests.rendered_heap import Camera, Light, pixel_of, render, triangle
from tests.tiers import tiered

SIZE = (480, 270)
NEAR = 0.5
"""Wanted accuracy without help [°]."""


@dataclass
class Tally:
    """Angles that were found near the truth, away from it within two errors, confidently wrong, and refused."""

    near: int = 0
    covered: int = 0
    wrong: int = 0
    refused: int = 0


def case(seed: int) -> tuple[float, NDArray[np.uint8], Marks]:
    """The angle [°] and the picture of a heap with everything that disturbs, drawn from the seed, and a mark of the
    true line of the table."""
    random = np.random.default_rng(seed)

    def one_of(*choices: object) -> object:
        return choices[random.integers(len(choices))]

    angle = float(random.uniform(5.0, 40.0))
    camera = Camera(
        size=(720, 405),
        roll=random.uniform(-10.0, 10.0),
        pitch=random.uniform(-2.0, 2.0),
        yaw=random.uniform(-3.0, 3.0),
        blur=random.uniform(0.5, 2.5),
        noise=random.uniform(1.0, 9.0),
        share=random.uniform(0.45, 0.8),
    )
    light = Light(
        heap=one_of((168, 128, 78), (90, 90, 95), (215, 195, 160), (188, 188, 186), (60, 50, 45)),  # type: ignore[arg-type]
        table=one_of((112, 100, 92), (60, 60, 70), (225, 225, 228)),  # type: ignore[arg-type]
        gradient=random.uniform(-0.25, 0.25),
        shadow=float(one_of(0.0, 0.0, 0.2, 0.4)),  # type: ignore[arg-type]
        shadow_to=(random.uniform(-0.1, 0.1), random.uniform(-0.05, 0.02)),
        shadow_blur=random.uniform(0.004, 0.03),
    )
    shape = triangle(angle, seed, across=int(random.choice([60, 120])))
    left, right = (pixel_of((x, 0.0), camera, shape) for x in (-0.1, 0.1))
    return angle, render(shape, camera, light, seed), Marks(horizon=(left, right))


@pytest.mark.timeout(3600)  # two minutes of processor time, several times as long beside other programs
@pytest.mark.parametrize(("cases", "least"), tiered([(6, 5), (200, 180)], [(6, 5)]))
def test_the_angle_of_nine_in_ten_pictures_is_found_and_none_is_confidently_wrong(cases: int, least: int) -> None:
    tally = Tally()
    for seed in range(cases):
        angle, picture, _table = case(seed)
        try:
            heap = measure_picture(picture)
        except ParameterError:
            tally.refused += 1
            continue
        away = abs(math.degrees(heap.angle) - angle)
        tally.near += away <= NEAR
        tally.covered += NEAR < away <= 2.0 * math.degrees(heap.standard_error)
        tally.wrong += away > max(NEAR, 2.0 * math.degrees(heap.standard_error))
    assert tally.near >= least, tally
    assert tally.wrong == 0, tally


def simple(angle: float = 25.0, **camera: float) -> PictureHeap:
    return measure_picture(render(triangle(angle), replace(Camera(size=SIZE), **camera)))


def test_both_flanks_follow_the_tilted_table() -> None:
    heap = simple(roll=7.0)
    assert math.degrees(heap.tilt) == pytest.approx(7.0, abs=0.3)
    assert heap.left is not None
    assert heap.right is not None
    assert math.degrees(heap.left.angle) == pytest.approx(25.0, abs=NEAR)
    assert math.degrees(heap.right.angle) == pytest.approx(25.0, abs=NEAR)


def test_two_points_at_a_known_distance_give_metres() -> None:
    camera, shape = Camera(size=SIZE), triangle(25.0)
    scale = pixel_of((-0.1, 0.0), camera, shape), pixel_of((0.1, 0.0), camera, shape)
    heap = measure_picture(render(shape, camera), Marks(scale=scale, length=0.2))
    assert heap.scaled
    pixel = 0.2 / (camera.share * SIZE[0])  # smoothing and blur cut the tip off
    assert heap.flanks.height == pytest.approx(float(shape.surface[1].max()), abs=(2.0 * SMOOTH + camera.blur) * pixel)
    # The feet are 5 % of the height above the table, and two smoothing lengths of them are lost.
    lost = (0.05 * heap.flanks.height + 2.0 * SMOOTH * pixel) / math.tan(math.radians(25.0))
    assert 0.2 - 2.0 * lost < heap.flanks.feet[1] - heap.flanks.feet[0] < 0.2


@pytest.mark.parametrize("blur", [0.7, 2.5])
@pytest.mark.parametrize("table", [(112.0, 100.0, 92.0), (205.0, 208.0, 212.0)], ids=["seen", "of the backdrop"])
def test_the_line_of_the_table_lies_at_its_edge(table: tuple[float, float, float], blur: float) -> None:
    camera, shape = Camera(size=SIZE, roll=3.0, blur=blur), triangle(25.0)
    horizon = measure_picture(render(shape, camera, Light(table=table))).surface.horizon
    for x in (-0.08, 0.0, 0.08):
        column, row = pixel_of((x, 0.0), camera, shape)
        assert float(horizon.row(np.array(column))) == pytest.approx(row, abs=1.0)  # one pixel


@pytest.mark.parametrize(
    ("table", "front"),
    [((178.0, 172.0, 165.0), 8), ((178.0, 172.0, 165.0), 20), (Light().backdrop, 15), (Light().backdrop, 30)],
)
def test_the_dark_front_of_a_table_is_not_its_upper_edge(table: tuple[float, float, float], front: int) -> None:
    camera, shape = Camera(size=SIZE), triangle(25.0)
    edge = pixel_of((0.0, 0.0), camera, shape)[1]
    picture = render(shape, camera, Light(table=table))
    picture[round(edge) + front :] = (30, 28, 26)
    horizon = measure_picture(picture).surface.horizon
    assert float(horizon.row(np.array(240.0))) == pytest.approx(edge, abs=1.0)  # one pixel


def test_a_table_that_fades_in_begins_where_the_backdrop_ends() -> None:
    camera, shape, width = Camera(size=SIZE), triangle(25.0), 20
    edge = pixel_of((0.0, 0.0), camera, shape)[1]
    picture = render(shape, camera, Light(table=Light().backdrop))
    share = np.clip((np.arange(SIZE[1]) + 0.5 - edge) / width, 0.0, 1.0)[:, None, None]
    faded = np.round(picture * (1.0 - share) + 60.0 * share).astype(np.uint8)
    horizon = measure_picture(faded).surface.horizon
    assert float(horizon.row(np.array(240.0))) == pytest.approx(edge, abs=2.0)


def test_a_smaller_picture_of_the_same_file_has_the_same_metres() -> None:
    camera, shape = Camera(size=SIZE), triangle(25.0)
    scale = ((0.0, 100.0), (480.0, 100.0))
    picture = render(shape, camera)
    whole = measure_picture(picture, Marks(scale=scale, length=1.0))
    doubled = tuple((2.0 * x, 2.0 * y) for x, y in scale)
    half = measure_picture(picture, Marks(scale=doubled, length=1.0), step=2.0)  # type: ignore[arg-type]
    assert half.flanks.height == pytest.approx(whole.flanks.height, rel=1e-9)
    assert half.pixel_of(half.x, half.height) == pytest.approx(2.0 * whole.pixel_of(whole.x, whole.height), rel=1e-9)


def test_the_marked_horizon_replaces_the_found_one() -> None:
    camera, shape = Camera(size=SIZE), triangle(25.0)
    left, right = pixel_of((-0.1, 0.0), camera, shape), pixel_of((0.1, 0.0), camera, shape)
    turned = Marks(horizon=(left, (right[0], right[1] + math.tan(math.radians(2.0)) * (right[0] - left[0]))))
    heap = measure_picture(render(shape, camera), turned)
    assert not heap.surface.horizon.detected
    assert math.degrees(heap.tilt) == pytest.approx(2.0, abs=0.05)
    assert heap.left is not None
    assert math.degrees(heap.left.angle) == pytest.approx(27.0, abs=NEAR)


@pytest.mark.parametrize("seed", [65, 164])
def test_the_blurred_edge_of_a_marked_table_is_no_heap(seed: int) -> None:
    angle, picture, table = case(seed)  # flat, and fainter than the table
    assert math.degrees(measure_picture(picture, table).angle) == pytest.approx(angle, abs=NEAR)


def test_points_of_the_user_replace_the_surface_between_them() -> None:
    camera, shape = Camera(size=SIZE), triangle(25.0)
    picture = render(shape, camera)
    picture[40:120, 180:200] = (30, 30, 200)  # a stick on the left flank
    places = [(-0.1, 0.0), (0.0, 0.1 * math.tan(math.radians(25.0))), (0.1, 0.0)]
    points = tuple(pixel_of(place, camera, shape) for place in places)
    heap = measure_picture(picture, Marks(points=points))
    assert math.degrees(heap.angle) == pytest.approx(25.0, abs=0.3)


def test_the_heap_of_a_crop_is_measured() -> None:
    picture = render(triangle(25.0), Camera(size=SIZE))
    picture[5:30, 5:470] = (20, 20, 20)  # a lamp above
    heap = measure_picture(picture, Marks(crop=((20.0, 40.0), (470.0, 265.0))))
    assert math.degrees(heap.angle) == pytest.approx(25.0, abs=NEAR)
    top = heap.pixel_of(np.array(heap.flanks.apex), np.array(heap.flanks.height))
    assert top == pytest.approx(
        pixel_of((0.0, 0.1 * math.tan(math.radians(25.0))), Camera(size=SIZE), triangle(25.0)), abs=6
    )


@pytest.mark.parametrize("seed", [64, 135, 140])  # grey heaps before a grey wall
def test_a_heap_of_the_colour_of_its_backdrop_is_found_by_its_grains(seed: int) -> None:
    angle, picture, _table = case(seed)
    with pytest.raises(ParameterError, match="too faint"):
        surface_with(picture, Marks(), 1.0, SMOOTH, by_grains=False)
    heap = measure_picture(picture)
    assert heap.surface.by_grains
    assert math.degrees(heap.angle) == pytest.approx(angle, abs=NEAR)
    assert not simple().surface.by_grains


@pytest.mark.parametrize("name", ["grey", "noise", "table", "half", "stripes"])
def test_a_picture_without_a_heap_is_refused_in_one_sentence(name: str) -> None:
    height, width = SIZE[1], SIZE[0]
    random = np.random.default_rng(1)
    row, column = np.mgrid[:height, :width]
    shapes = {
        "grey": np.zeros((height, width)),
        "noise": 60.0 * random.standard_normal((height, width)),
        "table": np.where(row > 150, -80.0, 3.0 * random.standard_normal((height, width))),
        "half": np.where(column > 240, -80.0, 0.0),
        "stripes": 60.0 * np.sign(np.sin(column / 9.0)),
    }
    picture = np.clip(150.0 + shapes[name][..., None] * np.ones(3), 0, 255).astype(np.uint8)
    with pytest.raises(ParameterError) as caught:
        measure_picture(picture)
    assert str(caught.value).endswith(".")
    assert len(str(caught.value)) < 220


def test_a_heap_of_the_colour_of_its_background_is_refused() -> None:
    row, column = np.mgrid[: SIZE[1], : SIZE[0]]
    heap = np.where(row > 100 + 0.5 * np.abs(column - 240), 1.0, 0.0) * (row < 200)
    noise = 8.0 * np.random.default_rng(3).standard_normal((*heap.shape, 3))
    with pytest.raises(ParameterError):
        measure_picture(np.clip(150.0 + heap[..., None] + noise, 0, 255).astype(np.uint8))


@pytest.mark.parametrize(
    ("marks", "sentence"),
    [
        ({"scale": ((1.0, 1.0), (2.0, 1.0)), "length": 0.1}, "The two points of the scale are 1 pixels apart"),
        ({"scale": ((1.0, 1.0), (99.0, 1.0)), "length": 0.0}, "A length of 0 m is refused as scale"),
        ({"horizon": ((5.0, 1.0), (5.0, 50.0))}, "rises by more than 45°"),
        ({"horizon": ((5.0, 1.0), (6.0, 50.0))}, "rises by more than 45°"),
        ({"crop": ((5.0, 1.0), (9.0, 50.0))}, "at least 32 pixels wide"),
        ({"threshold": 0.0}, "A threshold of 0 is refused"),
        ({"points": ((math.nan, 1.0),)}, "finite numbers of pixels"),
    ],
)
def test_marks_that_cannot_be_are_refused(marks: dict[str, object], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        Marks(**marks)  # type: ignore[arg-type]


def test_the_flanks_of_a_profile_are_those_of_the_triangle() -> None:
    x = np.linspace(-1.0, 2.0, 3001)
    height = np.maximum(0.0, np.minimum(0.5 * (x + 1.0), 0.25 * (2.0 - x)))
    flanks = measure_flanks(x, height)
    assert flanks is not None
    assert flanks.left is not None
    assert flanks.right is not None
    assert flanks.left.angle == pytest.approx(math.atan(0.5), rel=1e-6)
    assert flanks.right.angle == pytest.approx(math.atan(0.25), rel=1e-6)
    one_sided = measure_flanks(x[x > 0.0], height[x > 0.0])
    assert one_sided is not None
    assert one_sided.left is None
