"""The cut-away plane faces the viewer from every direction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.app.render.cutaway import NOTHING, cut_plane, is_cut
from repose.app.render.orbit import Camera3D
from repose.app.storage.view_settings import View

BOX = ((0.0, 0.0, 0.0), (2.0, 4.0, 8.0))
POINTS = np.array(((1.0, 1.0, 4.0), (1.0, 3.0, 4.0)))


@pytest.mark.parametrize(("azimuth", "hidden"), [(-90.0, [True, False]), (90.0, [False, True])])
def test_spheres_in_front_of_the_plane_are_hidden(azimuth: float, hidden: list[bool]) -> None:
    camera = Camera3D(azimuth=math.radians(azimuth), elevation=0.3)
    plane = cut_plane(View(cut_axis="y", cut_position=0.5), BOX, camera)
    assert is_cut(POINTS, plane).tolist() == hidden


@pytest.mark.parametrize("axis", ["", "w"])
def test_without_an_axis_nothing_is_hidden(axis: str) -> None:
    plane = cut_plane(View(cut_axis=axis), BOX, Camera3D())
    assert plane == NOTHING
    assert not is_cut(POINTS * 1e6, plane).any()


def test_the_plane_stays_within_the_box() -> None:
    camera = Camera3D(elevation=0.5)
    low = cut_plane(View(cut_axis="z", cut_position=-3.0), BOX, camera)
    high = cut_plane(View(cut_axis="z", cut_position=7.0), BOX, camera)
    assert (low, high) == ((0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 1.0, -8.0))
