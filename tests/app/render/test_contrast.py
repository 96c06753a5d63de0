"""Contrast of the three themes and of the picture: WCAG 2.2, level AA, success criteria 1.4.3 (text) and 1.4.11 (what
marks a state, and what must be seen to understand a picture)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from repose.app.render.colours import (
    CATEGORIES,
    DARK,
    LIGHT,
    LOOKS,
    PART_LOOKS,
    BackgroundPalette,
    to_linear,
    to_srgb,
)
from repose.app.render.theme import OPACITY_HOVERED, OPACITY_PRESSED, PALETTES, Colour, Palette

TEXT, MARK = 4.5, 3.0
"""Least ratio of a text of usual size, and of a colour that marks a state, to its ground [-]."""
STATES = ("good", "warning", "bad")


def luminance(colour: Sequence[float]) -> float:
    """Relative luminance of WCAG, 0 for black, 1 for white."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Sequence[float], other: Sequence[float]) -> float:
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
        "questions of the choice of scenes": (palette.accent, palette.raised),
        "text on a button under the mouse": (palette.text, palette.hovered),
        "text on a button that is pressed": (palette.text, palette.pressed),
        "headings": (palette.text, palette.title),
        **{f"sentences about a state: {each}": (getattr(palette, each), palette.panel) for each in STATES},
        **{
            f"words of an emphasised button: {each} {opacity}": (
                palette.on_accent,
                over(getattr(palette, each), palette.panel, opacity),
            )
            for each in ("accent", "bad")
            for opacity in (1.0, OPACITY_HOVERED, OPACITY_PRESSED)
        },
    }


def over(colour: Colour, ground: Colour, opacity: float) -> Colour:
    """A colour of this opacity on its ground, as ImGui blends them."""
    red, green, blue = (opacity * a + (1.0 - opacity) * b for a, b in zip(colour[:3], ground[:3], strict=True))
    return red, green, blue, 1.0


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
    colours = {each: getattr(palette, each) for each in (*STATES, "accent")}
    grounds = {"panel": palette.panel, "raised": palette.raised}
    found = {(a, b): round(contrast(x, y), 2) for a, x in colours.items() for b, y in grounds.items()}
    assert {where: ratio for where, ratio in found.items() if ratio < MARK} == {}


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_words_over_the_picture_have_the_contrast_of_level_aa_to_their_halo(palette: BackgroundPalette) -> None:
    inks = {name: getattr(palette, name) for name in ("text", "faint", "mark", "chain")}
    found = {name: round(contrast(ink, palette.background), 2) for name, ink in inks.items()}
    assert {name: ratio for name, ratio in found.items() if ratio < TEXT} == {}


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_face_or_outline_of_every_grain_stands_out_of_the_background(palette: BackgroundPalette) -> None:
    tones = [tone for look in LOOKS.values() for tone in look.tones]
    faces = [palette.grain, palette.fixed, *CATEGORIES, *PART_LOOKS.values(), *tones]
    for face in faces:
        outline = to_srgb(to_linear(face) * palette.rim).tolist()
        assert max(contrast(face, palette.background), contrast(outline, palette.background)) >= MARK, face
