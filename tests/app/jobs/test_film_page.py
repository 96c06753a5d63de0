"""Cards and labels of films of experiments side by side: symbols have subscripts there as they have everywhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from repose.app.jobs import film_page
from repose.app.render.film_words import Lines
from repose.app.window.notes_window import Letters

SIZE = (960, 540)
LABELS = ("R_p = 0.1 mm", "R_p = 1 mm")


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float, float]]:
    """Every text that is written, with the height of its line and its upper edge [pixel]."""
    texts: list[tuple[str, float, float]] = []
    write = Letters.write

    def noting(letters: Letters, surface: Any, line: str, x: float, y: float, colour: Any) -> None:
        texts.append((line, letters.line, y))
        write(letters, surface, line, x, y, colour)

    monkeypatch.setattr(Letters, "write", noting)
    return texts


@pytest.mark.parametrize("made", ["card", "label"])
def test_a_subscript_is_small_and_low_and_has_no_underscore(made: str, written: list[tuple[str, float, float]]) -> None:
    if made == "card":
        film_page.title_card(SIZE, Lines("The base", "Which?", "1 / 2"), LABELS, "seed 1")
    else:
        film_page.strip(SIZE[0] // 2, 36, LABELS[0])
    assert not [text for text, _, _ in written if "_" in text]
    at = next(number for number, (text, _, _) in enumerate(written) if text == "p")
    (before, line, y), (_, small, low) = written[at - 1], written[at]
    assert before.endswith("R")
    assert small < 0.9 * line
    assert low + small > y + 0.9 * line


def test_words_with_a_script_are_as_wide_as_what_is_drawn() -> None:
    picture = film_page.strip(400, 36, "R_p = 0.1 mm")
    drawn = np.flatnonzero((picture != picture[0, 0]).any(axis=(0, 2)))
    assert abs((drawn[0] + drawn[-1]) / 2 - 200) < 4  # in the middle of its picture
