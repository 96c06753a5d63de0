"""Several pictures in one: where they are, and the film of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from repose.app.render.pictures_side_by_side import GROUND, LINE, Together, columns_for, gaps, places, upper_right
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Message

from tests.snapshots import snapshot_of


@pytest.mark.parametrize(("count", "columns"), [*product((2, 3, 4), (1, 2))])
def test_pictures_cover_the_area_without_overlap(count: int, columns: int) -> None:
    covered = np.zeros((77, 101), int)
    for x, y, width, height in places(count, columns, (101, 77)):
        covered[y : y + height, x : x + width] += 1
    assert (covered == 1).all()


def test_flat_scenes_stand_one_above_the_other_and_high_ones_side_by_side() -> None:
    assert columns_for(2, 1000, 1000, shape=4.0) == 1
    assert columns_for(2, 1000, 1000, shape=0.3) == 2
    assert columns_for(4, 1000, 1000, shape=1.0) == 2


class OneColour:
    """A director whose pictures have the number of steps of the snapshot as their grey level."""

    def __init__(self, size: tuple[int, int], label: str) -> None:
        self.size, self.label, self.shown = size, label, 0

    def picture(self) -> np.ndarray:
        return np.full((self.size[1], self.size[0], 3), self.shown, np.uint8)

    def take(self, snapshot: Snapshot) -> Iterator[Any]:
        self.shown = snapshot.run.step
        yield self.picture()

    def ending(self) -> Iterator[Any]:
        yield self.picture()


def test_a_film_shows_every_run_in_its_part_and_one_that_has_ended_stands_still() -> None:
    labels: list[str] = []

    def make(size: tuple[int, int], label: Message) -> Any:
        labels.append(str(label))
        return OneColour(size, str(label))

    film = Together(make, (100, 60))
    box = ((0.0, 0.0), (1.0, 4.0))
    right = snapshot_of(step=200, label="right", box=box)
    (picture,) = film.take(snapshot_of(step=100, label="left", box=box, beside=(right,)))
    assert labels == ["left", "right"]
    assert picture.shape == (60, 100, 3)
    assert (picture[: 60 - LINE, : 50 - LINE] == 100).all()
    assert (picture[: 60 - LINE, 50 : 100 - LINE] == 200).all()
    assert (picture[:, 50 - LINE : 50] == GROUND).all()
    (alone,) = film.take(snapshot_of(step=101, box=box))
    assert (alone[0, 0] == 101).all()
    assert (alone[0, 60] == 200).all()
    assert len(list(film.ending())) == 1


def test_the_gaps_are_all_that_neither_pictures_nor_panels_cover() -> None:
    parts, size = [(30, 20, 30, 40), (62, 20, 38, 40), (0, 0, 30, 70), (0, 0, 100, 10)], (100, 70)
    covered = np.zeros(size, int)
    for x, y, width, height in (*parts, *gaps(parts, size)):
        covered[x : x + width, y : y + height] += 1
    covered[:30, :10] -= 1  # two panels
    assert (covered == 1).all()
    assert upper_right(parts[:2]) == 1
