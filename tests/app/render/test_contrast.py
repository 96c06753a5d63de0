"""Contrast of the three themes: WCAG 2.2, success criteria 1.4.3 (text) and 1.4.11 (what marks a state), level AA."""

from __future__ import annotations

import pytest
from repose.app.render.theme import PALETTES, Colour, Palette

TEXT, MARK = 4.5, 3.0
"""Least ratio of a text of usual size, and of a colour that marks a state, to its ground [-]."""


def luminance(colour: Colour) -> float:
    """Relative luminance of WCAG, 0 for black, 1 for white."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, other: Colour) -> float:
    """Ratio of WCAG: (lighter + 0.05) / (darker + 0.05)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def pairs_of_text(palette: Palette) -> dict[str, tuple[Colour, Colour]]:
    """Every text with the ground on which it is drawn."""
    return {
        "text on panel": (palette.text, palette.panel),
        "text on buttons, fields, plots": (palette.text, palette.raised),
        "text on the filled part of a slider": (palette.text, palette.fill),
        "muted text on panel": (palette.muted, palette.panel),
        "muted text on buttons, fields, plots": (palette.muted, palette.raised),
        "text on the accent": (palette.on_accent, palette.accent),
        "keys in the help": (palette.accent, palette.panel),
    }


def test_black_on_white_has_the_ratio_of_the_standard() -> None:
    assert contrast((0, 0, 0, 1), (1, 1, 1, 1)) == pytest.approx(21.0)
    assert contrast((119 / 255,) * 3 + (1.0,), (1, 1, 1, 1)) == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("name", PALETTES)
def test_every_text_of_a_theme_has_the_contrast_of_level_aa(name: str) -> None:
    found = {where: round(contrast(*pair), 2) for where, pair in pairs_of_text(PALETTES[name]).items()}
    assert {where: ratio for where, ratio in found.items() if ratio < TEXT} == {}


@pytest.mark.parametrize("name", PALETTES)
def test_colours_of_states_and_of_the_keyboard_stand_out_of_panels_and_buttons(name: str) -> None:
    palette = PALETTES[name]
    colours = {each: getattr(palette, each) for each in ("good", "warning", "bad", "accent")}
    grounds = {"panel": palette.panel, "raised": palette.raised}
    found = {(a, b): round(contrast(x, y), 2) for a, x in colours.items() for b, y in grounds.items()}
    assert {where: ratio for where, ratio in found.items() if ratio < MARK} == {}
