"""Columns leave the picture its room, and text grows with the window."""

from __future__ import annotations

import pytest
from repose.app.render.theme import PALETTES, interface_scale
from repose.app.ui.layout import COLUMN, LEAST_PICTURE, measure_inset

SIZES = [(64, 64), (320, 240), (640, 480), (800, 600), (1280, 720), (1920, 1080), (2560, 1440), (3840, 2160), (1, 5000)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("font_scale", [0.6, 1.0, 2.0])
@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_the_picture_keeps_its_room(size: tuple[int, int], font_scale: float, palette: object) -> None:
    scale = interface_scale(size, 1.0, font_scale, palette)  # type: ignore[arg-type]
    left, top, right, bottom = measure_inset(size, scale, True)
    assert size[0] - left - right >= min(size[0], LEAST_PICTURE * scale)
    assert size[1] - top - bottom > 0


def test_both_columns_stand_at_the_design_size_and_above() -> None:
    for size in ((1280, 720), (1920, 1080), (2560, 1440)):
        for palette in PALETTES.values():
            scale = interface_scale(size, 1.0, 1.0, palette)
            left, _, right, _ = measure_inset(size, scale, True)
            assert left == right == COLUMN * scale


def test_text_is_larger_on_larger_windows_and_denser_screens() -> None:
    dark = PALETTES["dark"]
    assert interface_scale((1280, 720), 1.0, 1.0, dark) == 1.0
    assert 1.3 < interface_scale((2560, 1440), 1.0, 1.0, dark) < 2.0
    assert interface_scale((2560, 1440), 2.0, 1.0, dark) == 2.0
    assert interface_scale((1280, 720), 1.0, 1.0, PALETTES["projector"]) > 1.0


def test_hidden_panels_cover_nothing() -> None:
    assert measure_inset((1280, 720), 1.0, False) == (0.0, 0.0, 0.0, 0.0)
