"""Columns leave the picture its smallest width, and text grows with the window."""

from __future__ import annotations

import pytest
from repose.app.render.theme import PALETTES, Palette, interface_scale
from repose.app.ui.layout import COLUMN, LEAST_PICTURE, NARROWEST, RIM, measure_inset
from repose.app.ui.panels import study

SIZES = [(64, 64), (320, 240), (640, 480), (800, 600), (1280, 720), (1920, 1080), (2560, 1440), (3840, 2160), (1, 5000)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("font_scale", [0.6, 1.0, 2.0])
@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_panels_leave_the_picture_its_smallest_width(size: tuple[int, int], font_scale: float, palette: object) -> None:
    scale = interface_scale(size, 1.0, font_scale, palette)
    left, top, right, bottom = measure_inset(size, scale, True)
    assert size[0] - left - right >= min(size[0], LEAST_PICTURE * scale)
    assert size[1] - top - bottom > 0


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (2560, 1440), (3840, 2160)])
@pytest.mark.parametrize("font_scale", [1.0, 1.6])
@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_the_column_takes_at_most_30_percent_and_folds_to_a_rim(
    size: tuple[int, int], font_scale: float, palette: Palette
) -> None:
    scale = interface_scale(size, 1.0, font_scale, palette)
    left, top, right, bottom = measure_inset(size, scale, True)
    assert left <= max(0.3 * size[0], NARROWEST * scale)
    assert left == COLUMN * scale or font_scale > 1.0 or palette.zoom > 1.0
    assert (top, right) == (0.0, 0.0)
    assert measure_inset(size, scale, True, folded=True) == (RIM * scale, 0.0, 0.0, bottom)


def test_text_of_160_percent_is_legible_at_the_design_size() -> None:
    assert interface_scale((1280, 720), 1.0, 1.6, PALETTES["dark"]) == 1.6


@pytest.mark.case("G12")
def test_text_is_larger_on_larger_windows_and_denser_screens() -> None:
    dark = PALETTES["dark"]
    assert interface_scale((1280, 720), 1.0, 1.0, dark) == 1.0
    assert 1.3 < interface_scale((2560, 1440), 1.0, 1.0, dark) < 2.0
    assert interface_scale((2560, 1440), 2.0, 1.0, dark) == 2.0
    assert interface_scale((1280, 720), 1.0, 1.0, PALETTES["projector"]) > 1.0


def test_hidden_panels_cover_nothing() -> None:
    assert measure_inset((1280, 720), 1.0, False) == (0.0, 0.0, 0.0, 0.0)


def test_a_study_stands_beside_the_grains_where_both_have_room() -> None:
    assert study.beside(960.0, 1.0) == pytest.approx(528.0)
    assert study.beside(study.LEAST + study.LEAST_PICTURE, 1.0) == study.LEAST
    assert study.beside(study.LEAST + study.LEAST_PICTURE - 1.0, 1.0) == 0.0
    assert study.beside(960.0, 2.0) == 0.0


def test_text_of_a_presentation_has_the_same_share_of_every_window() -> None:
    sizes = ((1280, 720), (1920, 1080), (3840, 2160))
    shares = [interface_scale(size, 1.0, 1.6, PALETTES["dark"], presenting=True) / size[1] for size in sizes]
    assert max(shares) - min(shares) < 1e-12
