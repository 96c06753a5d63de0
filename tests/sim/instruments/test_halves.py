"""Halves: the side of a line in the plane and of a section in space, and the index of the known grains only."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world
from repose.sim.instruments.halves import INSTRUMENT, beyond, read
from repose.sim.instruments.instrument import Instrument, Passed
from repose.sim.measure.mixing import mixing_of

UPWARDS = Instrument("halves", "halves", ((1.0, 0.0), (1.0, 2.0)))


def test_the_arrow_of_a_line_upwards_points_to_the_right_also_beyond_its_ends() -> None:
    places = np.array([[2.0, 1.0], [0.0, 1.0], [1.0, 5.0], [1.5, 9.0], [0.5, -9.0]])
    assert beyond(UPWARDS, places).tolist() == [True, False, True, True, False]


def test_a_section_in_space_has_the_side_below_a_line_from_left_to_right() -> None:
    points = INSTRUMENT.begin((0.0, 5.0, 1.0), (2.0, 5.0, 1.0), 1, (-1.0, 3.0))
    places = np.array([[1.0, 0.0, 0.5], [1.0, 0.0, 1.5], [9.0, 9.0, 0.9]])
    assert beyond(Instrument("halves", "halves", points), places).tolist() == [True, False, True]


def test_grains_that_have_come_later_do_not_count_in_the_index() -> None:
    position = np.random.default_rng(2).uniform(size=(60, 2))
    world = add_spheres(empty_world(2, 1, skin=0.1), position, 0.01, 1.0, SphereGroup())
    system: Any = SimpleNamespace(grains=world)
    marked, others = (tuple(map(float, ids)) for ids in (range(20), range(20, 40)))
    found = read(UPWARDS, system, Passed(marked=marked, others=others))
    mixing = mixing_of(position[:40], np.arange(40) < 20)
    assert mixing is not None
    assert found == pytest.approx((mixing.index, mixing.error, 20.0, 20.0))
    assert np.isnan(read(UPWARDS, system, Passed())[:2]).all()
