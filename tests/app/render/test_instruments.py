"""What the pass of the instruments draws, and the numbers in the snapshot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from repose.app.render.passes.instruments import (
    INSTRUMENTS,
    PASS,
    RING,
    ground_of,
    place_beside,
    ring_around,
    value_in_words,
    words_of,
)
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.snapshot import ShownInstrument, Snapshot
from repose.sim.experiment.take_snapshot import take_picture
from repose.sim.instruments.instrument import Instrument
from repose.sim.measure.display import Reading

from tests.snapshots import snapshot_of

LINE = Instrument("line", "cut", ((0.0, 4e-3), (10e-3, 4e-3)))


def test_a_snapshot_contains_the_outline_and_the_handles_before_anything_is_compiled() -> None:
    snapshot = Snapshot()
    take_picture(new_experiment("heap", {"grain_count": 10}, instruments=(LINE,)), snapshot)
    (shown,) = snapshot.geometry.instruments
    assert shown.instrument == LINE
    assert shown.handles == LINE.points
    assert np.array_equal(shown.outline[0], LINE.points)
    assert INSTRUMENTS.applies(snapshot)
    assert not INSTRUMENTS.applies(Snapshot())
    assert PASS.switch is INSTRUMENTS


def test_values_have_units_whose_prefix_suits_them() -> None:
    assert str(value_in_words(Reading("v", "v", 8e-4, "mm/s"))) == "800 nm/s"
    assert str(value_in_words(Reading("n", "n", 12.0))) == "12"
    assert str(value_in_words(Reading("a", "a", 30.0, "°"))) == "30°"


def test_a_count_says_since_when_it_is_if_that_is_not_the_beginning() -> None:
    shown = ShownInstrument(LINE, readings=(Reading("cut.number", "N", 3.0),), symbols=("N",), since=0.0)
    assert [str(words) for words in words_of(shown)] == ["N = 3"]
    assert [str(words) for words in words_of(replace(shown, since=0.5))] == ["N = 3", "since 500 ms"]


def test_the_ring_of_a_probe_is_around_its_grain_or_around_all_members_of_its_body() -> None:
    shot = snapshot_of(
        position=np.array(((0.0, 0.0), (4.0, 0.0), (6.0, 0.0)), np.float32),
        radius=np.array((1.0, 1.0, 2.0), np.float32),
        sphere_id=np.array((7, 8, 9)),
        body=np.array((-1, 0, 0)),
    )
    alone, member = ring_around(shot, 7), ring_around(shot, 8)
    assert alone is not None
    assert member is not None
    assert (alone[0].tolist(), alone[1]) == ([0.0, 0.0], RING)
    assert (member[0].tolist(), member[1]) == ([5.0, 0.0], 3.0 * RING)
    assert ring_around(shot, 70) is None


SIZE, CELL, GAP = (400, 300), 8.0, 10.0
ROOM = np.array((5.0, 5.0)), np.array((315.0, 235.0))
PLATE = np.array((80.0, 60.0))


def hides(place: np.ndarray, points: np.ndarray, radius: float = 0.0) -> bool:
    """Whether a plate at this place covers a part of one of these discs [px]."""
    return bool((np.hypot(*(np.clip(points, place, place + PLATE) - points).T) < radius).any())


def test_a_plate_covers_neither_grains_nor_lines_nor_other_plates_while_there_is_room() -> None:
    grains = np.stack(np.meshgrid(np.arange(120.0, 280.0, 8.0), np.arange(60.0, 280.0, 8.0)), axis=-1).reshape(-1, 2)
    box = np.array(((140.0, 100.0), (180.0, 100.0), (180.0, 140.0), (140.0, 140.0), (140.0, 100.0)))
    line = np.array(((20.0, 200.0), (110.0, 200.0)))
    ground = ground_of(SIZE, CELL, grains, np.full(len(grains), 4.0), [line, box])
    taken = [(0.0, 80.0, 110.0, 170.0)]
    place = place_beside(box, PLATE, ROOM, GAP, taken, ground)
    assert not hides(place, grains, 4.0)
    assert not hides(place, line[0] + np.linspace(0.0, 1.0, 50)[:, None] * (line[1] - line[0]), CELL)
    assert place[0] >= 110.0 or place[1] >= 170.0 or place[1] + PLATE[1] <= 80.0
    assert (place >= ROOM[0]).all()
    assert (place <= ROOM[1]).all()


def test_without_grains_a_plate_is_beside_its_instrument_and_at_the_border_within_the_picture() -> None:
    bare = ground_of(SIZE, CELL, np.empty((0, 2)), np.empty(0), [])
    rod = np.array(((180.0, 100.0), (180.0, 140.0)))
    beside = ground_of(SIZE, CELL, np.empty((0, 2)), np.empty(0), [rod])
    assert np.array_equal(place_beside(rod, PLATE, ROOM, GAP, [], beside), (190.0, 90.0))
    corner = np.array(((395.0, 295.0),))
    place = place_beside(corner, PLATE, ROOM, GAP, [], bare)
    assert np.array_equal(place, ROOM[1])
    assert np.isfinite(place_beside(corner, 9.0 * PLATE, (ROOM[0], ROOM[0]), GAP, [], bare)).all()


def test_the_plate_of_a_line_that_leaves_the_picture_is_beside_the_part_that_is_seen() -> None:
    line = np.column_stack((np.full(200, 150.0), np.linspace(-1500.0, 200.0, 200)))
    room = np.zeros(2), np.array((220.0, 140.0))
    grains = np.array([(x, y) for x in range(5, 300, 10) for y in range(135, 200, 10)], float)
    ground = ground_of((300, 200), 8.0, grains, np.full(len(grains), 5.0), [line])
    notice = (0.0, 0.0, 300.0, 30.0)
    place = place_beside(line, PLATE, room, GAP, [notice], ground)
    assert place[1] >= notice[3]
    assert not hides(place, grains, 5.0)
    assert not hides(place, line, 1.0)


def test_grains_behind_the_eye_or_out_of_sight_cover_nothing() -> None:
    away = np.array(((np.nan, 10.0), (-50.0, 10.0), (1e9, 1e9), (200.0, 150.0)))
    ground = ground_of(SIZE, CELL, away, np.full(4, 3.0), [])
    assert ground.under(0.0, 0.0, *SIZE) == ground.under(190.0, 140.0, 20.0, 20.0) == np.pi * 9.0
