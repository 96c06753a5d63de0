"""The small plot of a selection names its curves in the language of the window."""

from __future__ import annotations

from typing import Any

import numpy as np
from repose.app.language import as_drawn, in_language
from repose.app.render.colours import DARK
from repose.app.render.small_plot import draw_plot
from repose.sim.message import Message, _


class RecordingCanvas:
    """Notes the words that are drawn."""

    scale = 1.0

    def __init__(self) -> None:
        self.words: list[str] = []

    def text_extent(self, text: Message | str, *_rest: Any) -> tuple[float, float]:
        return 8.0 * len(as_drawn(text)), 14.0

    def scripted(self, at: Any, text: Message | str, *_rest: Any) -> None:
        self.words.append(as_drawn(text))

    def scripted_width(self, text: Message | str, *_rest: Any) -> float:
        return 8.0 * len(as_drawn(text))

    def text(self, *_given: Any) -> None:
        """Numbers of the axes."""

    def polyline(self, *_given: Any, **_more: Any) -> None:
        """Lines."""


def test_the_names_of_the_curves_are_translated() -> None:
    rows = np.array([[0.0, 1.0, 2.0], [1.0, 2.0, 3.0]])
    drawn = {}
    for language in ("en", "es"):
        canvas: Any = RecordingCanvas()
        with in_language(language):
            draw_plot(canvas, DARK, (0.0, 0.0, 300.0, 100.0), rows, (_("sum of F_n"), _("force of all contacts")), "N")
        drawn[language] = canvas.words
    assert drawn["en"] == ["sum of F_n [N]", "force of all contacts [N]"]
    assert drawn["es"] == ["suma de F_n [N]", "fuerza de todos los contactos [N]"]
