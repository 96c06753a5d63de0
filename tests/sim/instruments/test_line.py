"""Grains that cross a line or a section are counted with sign, exactly once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from repose.sim.instruments.instrument import Instrument
from repose.sim.instruments.line import INSTRUMENT, begin, crossings, drag, edges_of, handles, outline

OPEN = np.empty((2, 0))
LEVEL = Instrument("line", "level", ((0.0, 1.0), (2.0, 1.0)))


def signs(instrument: Instrument, way: list[tuple[float, ...]], boundary: np.ndarray = OPEN) -> int:
    """Sum of the crossings of one grain along a way."""
    places = [np.array([place]) for place in way]
    return sum(int(crossings(instrument, *ends, boundary)[0]) for ends in itertools.pairwise(places))


def test_a_line_from_left_to_right_counts_downwards_as_positive() -> None:
    assert signs(LEVEL, [(1.0, 1.1), (1.0, 0.9)]) == 1
    assert signs(LEVEL, [(1.0, 0.9), (1.0, 1.1)]) == -1
    assert signs(LEVEL, [(1.0, 1.1), (1.0, 0.9), (1.0, 1.1), (1.0, 0.8)]) == 1


def test_a_grain_that_passes_beside_the_ends_is_not_counted() -> None:
    assert signs(LEVEL, [(2.1, 1.1), (2.1, 0.9)]) == 0
    assert signs(LEVEL, [(-0.1, 1.1), (-0.1, 0.9)]) == 0
    assert signs(LEVEL, [(1.9, 1.2), (2.3, 0.8)]) == 0, "its way meets the level of the line beyond the end"
    assert signs(LEVEL, [(2.1, 1.2), (1.8, 0.8)]) == 1


def test_a_grain_that_stops_on_the_line_is_counted_once() -> None:
    assert signs(LEVEL, [(1.0, 1.1), (1.0, 1.0), (1.0, 1.0), (1.0, 0.9)]) == 1
    assert signs(LEVEL, [(1.0, 1.1), (1.0, 1.0), (1.0, 1.1)]) == 0


def test_lines_that_share_an_end_count_every_grain_once() -> None:
    parts = [Instrument("line", "a", ((0.0, 1.0), (1.0, 1.0))), Instrument("line", "b", ((1.0, 1.0), (2.0, 1.0)))]
    way = [(1.0, 1.5), (1.0, 0.5)]
    assert sum(signs(part, way) for part in parts) == 1


def test_a_section_in_space_is_as_deep_as_the_scene_and_counts_downwards() -> None:
    section = Instrument("line", "cut", begin((0.0, 5.0, 1.0), (2.0, 5.0, 1.0), 1, (-1.0, 3.0)))
    assert section.points == ((0.0, -1.0, 1.0), (2.0, -1.0, 1.0), (0.0, 3.0, 1.0))
    assert signs(section, [(1.0, 2.9, 1.1), (1.0, 2.9, 0.9)]) == 1
    assert signs(section, [(1.0, 2.9, 0.9), (1.0, 2.9, 1.1)]) == -1
    assert signs(section, [(1.0, 3.1, 1.1), (1.0, 3.1, 0.9)]) == 0
    assert signs(section, [(-0.1, 0.0, 1.1), (-0.1, 0.0, 0.9)]) == 0
    assert handles(section.points) == ((0.0, 1.0, 1.0), (2.0, 1.0, 1.0))


def test_a_section_between_oblique_edges_counts_where_the_way_meets_it() -> None:
    corner, along, into = np.array((0.1, 0.2, 0.3)), np.array((1.0, 0.2, 0.1)), np.array((0.3, 1.0, -0.2))
    section = Instrument("line", "cut", tuple(map(tuple, (corner, corner + along, corner + into))))
    normal = np.cross(into, along)
    random = np.random.default_rng(3)
    shares = random.uniform(-0.5, 1.5, (200, 2))
    at = corner + shares @ np.array((along, into))
    before, now = at - 0.4 * normal, at + 0.6 * normal
    inside = ((shares >= 0.0) & (shares < 1.0)).all(axis=1)
    assert crossings(section, before, now, OPEN).tolist() == inside.astype(int).tolist()
    assert crossings(section, now, before, OPEN).tolist() == (-inside.astype(int)).tolist()


def test_the_sum_over_a_whole_section_is_the_change_of_the_grains_on_its_positive_side() -> None:
    random = np.random.default_rng(1)
    before, now = random.uniform(0.0, 2.0, (2, 500, 2))
    change = int((now[:, 1] <= 1.0).sum()) - int((before[:, 1] <= 1.0).sum())
    assert int(crossings(LEVEL, before, now, OPEN).sum()) == change


@pytest.mark.parametrize("turns", [0, 3, -2])
def test_in_a_periodic_world_every_image_of_a_grain_crosses(turns: int) -> None:
    cell = np.array(((0.0, 0.0), (2.0, 0.0)))
    ring = Instrument("line", "ring", ((0.25, 0.0), (0.25, 4.0)))
    shift = 2.0 * turns
    assert signs(ring, [(0.2 + shift, 1.0), (0.3 + shift, 1.0)], cell) == 1 * int(np.sign(edges_of(ring.points)[1][0]))
    assert signs(ring, [(1.9 + shift, 1.0), (2.3 + shift, 1.0)], cell) == 1, "through the border and the line"
    assert signs(ring, [(1.9 + shift, 1.0), (2.1 + shift, 1.0)], cell) == 0
    around = [(0.1 + 0.19 * k + shift, 1.0) for k in range(22)]
    assert signs(ring, around, cell) == sum(0.1 < 0.25 + 2.0 * k <= around[-1][0] - shift for k in range(4))


def test_an_end_is_moved_and_the_depth_is_kept() -> None:
    points = begin((0.0, 0.0, 1.0), (2.0, 0.0, 1.0), 1, (-1.0, 1.0))
    assert drag(points, 0, (0.5, 0.0, 0.25)) == ((0.5, -1.0, 1.25), (2.0, -1.0, 1.0), (0.5, 1.0, 1.25))
    assert INSTRUMENT.drag(((0.0, 0.0), (1.0, 0.0)), 1, (0.0, 1.0)) == ((0.0, 0.0), (1.0, 1.0))


def test_a_line_without_length_is_drawn_without_an_arrow() -> None:
    """A drag along the border of the region holds both ends at one place: the preview divided by zero."""
    assert len(outline(((1.0, 2.0), (1.0, 2.0)))) == 1
    assert len(outline(((1.0, 2.0, 0.0), (1.0, 2.0, 0.0), (1.0, 2.0, 3.0)))) == 1
    assert len(outline(((1.0, 2.0), (2.0, 2.0)))) == 3
