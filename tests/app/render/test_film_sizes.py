"""The words of a film can be read in a small one."""

from __future__ import annotations

from repose.app.render.framing import picture_scale
from repose.app.render.passes.caption import PHASE, TIME
from repose.app.render.text_size import TEXT_SIZE


def test_speed_and_parameters_have_14_pixels_in_a_film_of_640_by_360() -> None:
    assert round(TEXT_SIZE * picture_scale((640, 360)) * min(PHASE, TIME)) >= 14
