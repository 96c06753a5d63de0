"""Colours: even lightness of the maps, steady ranges, round ticks, correct conversion of light."""

from __future__ import annotations

import numpy as np
import pytest
from repose.app.language import translated
from repose.app.render.colours import (
    COLOUR_MAPS,
    COLOURINGS,
    DARK,
    LIGHT,
    BackgroundPalette,
    bands,
    ease,
    fill_colours,
    lightness,
    load_map,
    measure_range,
    position_on_map,
    shades,
    to_linear,
    to_srgb,
)
from repose.app.render.tick_labels import tick_label
from repose.app.storage.view_settings import View
from repose.sim.scales import nice_ticks, prefix_of

from tests.app.fake_heap import fake_heap
from tests.snapshots import with_fields


@pytest.mark.parametrize("name", COLOUR_MAPS)
def test_lightness_increases_evenly_in_every_colour_map(name: str) -> None:
    star = lightness(load_map(name))
    assert star.shape == (256,)
    assert (np.diff(star) > -0.02).all()
    even = np.linspace(star[0], star[-1], 256)
    assert np.abs(star - even).max() < 6.0


@pytest.mark.parametrize("name", COLOUR_MAPS)
@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_no_shade_comes_too_near_the_background(name: str, palette: BackgroundPalette) -> None:
    used = lightness(to_srgb(shades(np.linspace(0, 1, 100), name, palette)))
    assert np.abs(used - lightness(palette.background)).min() > 12.0


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_text_stands_out_from_the_background(palette: BackgroundPalette) -> None:
    paper, ink, faint = (
        to_linear(c) @ (0.2126, 0.7152, 0.0722) for c in (palette.background, palette.text, palette.faint)
    )
    contrast = [(max(paper, c) + 0.05) / (min(paper, c) + 0.05) for c in (ink, faint)]
    assert contrast[0] > 10.0
    assert contrast[1] > 4.5


def test_srgb_and_linear_light_are_inverse() -> None:
    values = np.linspace(0, 1, 256)
    assert np.allclose(to_srgb(to_linear(values)), values, atol=1e-6)
    assert float(to_srgb(0.5)) * 255 == pytest.approx(187.5, abs=0.1)


def test_every_colouring_names_a_column_or_is_plain() -> None:
    columns = fake_heap().grains.columns
    assert View().colour_by in COLOURINGS
    assert all(item is None or item.name in columns for item in COLOURINGS.values())


def test_fixed_grains_are_neutral_whatever_the_colouring() -> None:
    heap = fake_heap()
    for shown, colouring in COLOURINGS.items():
        span = measure_range(colouring, heap) if colouring else None
        faces = fill_colours(heap, shown, colouring, span, "viridis", DARK)
        assert np.allclose(faces[heap.grains.fixed], to_linear(DARK.fixed))


def test_a_missing_or_not_finite_column_is_drawn_plain_or_low() -> None:
    heap = fake_heap()
    speed = COLOURINGS["speed"]
    assert speed is not None
    heap.grains.columns["speed"][:] = np.nan
    assert measure_range(speed, heap) is None
    assert position_on_map([np.nan, np.inf, -np.inf], speed, (0.0, 1.0)).tolist() == [0.0, 1.0, 0.0]
    assert measure_range(speed, with_fields(heap, columns={})) is None


def test_small_speeds_at_rest_do_not_use_the_whole_colour_map() -> None:
    heap = fake_heap()
    speed = COLOURINGS["speed"]
    assert speed is not None
    heap.grains.columns["speed"] = np.full(len(heap.grains.radius), 1e-5, np.float32)
    span = measure_range(speed, heap)
    assert span is not None
    assert position_on_map(heap.grains.columns["speed"], speed, span).max() < 0.01


def test_the_shown_range_changes_smoothly_to_the_range_of_the_values() -> None:
    span = ease(None, (0.0, 1.0))
    assert span == (0.0, 1.0)
    widths = [(span := ease(span, (0.0, 0.1)))[1] for _ in range(400)]
    assert (np.diff(widths) <= 0.0).all()
    assert widths[0] > 0.9
    assert widths[-1] == pytest.approx(0.1, rel=0.01)
    assert ease((0.0, 0.1), (0.0, 1.0))[1] > 0.3


def test_each_integer_has_a_colour_band_and_the_last_band_contains_all_larger_ones() -> None:
    contacts = COLOURINGS["coordination"]
    assert contacts is not None
    shares = position_on_map([0, 1, 2, 3, 4, 5, 6, 9], contacts, (0.0, 6.0))
    assert np.allclose(shares * 6, [0, 1, 2, 3, 4, 5, 6, 6])


def test_many_layers_are_grouped_into_distinguishable_colour_bands() -> None:
    layer = COLOURINGS["layer"]
    assert layer is not None
    shares = position_on_map(np.arange(60), layer, (0.0, 59.0))
    assert len(np.unique(shares)) == bands(0.0, 59.0) == 12
    assert (np.diff(shares) >= 0).all()


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 20, [0, 5, 10, 15, 20]), (0, 0.83, [0, 0.2, 0.4, 0.6, 0.8]), (0.55, 1.42, [0.6, 0.8, 1.0, 1.2, 1.4])],
)
def test_ticks_are_round_and_inside(low: float, high: float, expected: list[float]) -> None:
    assert nice_ticks(low, high) == pytest.approx(expected)


def test_ticks_of_any_range_are_few_and_inside() -> None:
    rng = np.random.default_rng(3)
    for low, span in zip(
        rng.normal(size=200) * 10.0 ** rng.integers(-9, 9, 200), 10.0 ** rng.uniform(-9, 9, 200), strict=True
    ):
        ticks = nice_ticks(low, low + span)
        assert 1 <= len(ticks) <= 6
        assert all(low - 1e-5 * span <= tick <= low + span * (1 + 1e-5) for tick in ticks)
    assert nice_ticks(2.0, 2.0) == [2.0]


def test_tick_labels_have_the_digits_their_step_needs() -> None:
    assert str(tick_label(0.6000000001, 0.2)) == "0.6"
    assert str(tick_label(150.0, 50.0)) == "150"
    assert translated(tick_label(-0.05, 0.05)) == "−0.05"


@pytest.mark.parametrize(
    ("high", "unit", "expected"),
    [
        (0.02, "m/s", (1e-3, "mm/s")),
        (0.5, "m/s", (1.0, "m/s")),
        (1.8e-3, "m", (1e-3, "mm")),
        (4e-7, "N", (1e-6, "µN")),
        (2500.0, "N", (1e3, "kN")),
        (6.0, "", (1.0, "")),
        (0.0, "N", (1.0, "N")),
    ],
)
def test_units_have_a_suitable_prefix(high: float, unit: str, expected: tuple[float, str]) -> None:
    factor, shown = prefix_of(high, unit, least=0.2)
    assert (pytest.approx(factor), shown) == expected
