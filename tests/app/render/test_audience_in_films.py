"""A film shows the answers of an audience once they are shown; the window does not: it has them beside the guess."""

from __future__ import annotations

import numpy as np
import pytest
from repose.app.render.film_words import film_words
from repose.app.storage.view_settings import View
from repose.app.window.picture import PictureMaker
from repose.sim.measure.display import AudienceGuesses, Guess
from repose.sim.message import plain

from tests.app.fake_heap import fake_heap
from tests.snapshots import with_fields

GUESSES = AudienceGuesses(Guess(plain("x"), "°", 0.0, 60.0), (18.0, 20.0, 24.0, 25.0, 31.0, 33.0), 28.3, shown=True)
CHOICES = AudienceGuesses(
    Guess(plain("x"), "", 1.0, 3.0, (plain("Not one"), plain("Some grains pass, then it stops"), plain("All"))),
    (1.0, 2.0, 2.0),
    2.0,
    shown=True,
)


@pytest.mark.gl
@pytest.mark.parametrize("guesses", [GUESSES, CHOICES])
@pytest.mark.parametrize("size", [(640, 360), (1280, 720)])
def test_a_film_has_the_histogram_below_the_legend(
    picture_maker: PictureMaker, size: tuple[int, int], guesses: AudienceGuesses
) -> None:
    heap, view = fake_heap(measured=False), View(shown={"caption": True})
    words = film_words(heap, 1.0)
    with_answers, without = (
        picture_maker.read(with_fields(heap, audience=found), view, size, None, film=words).astype(int)
        for found in (guesses, None)
    )
    rows, columns = np.nonzero((with_answers != without).any(axis=2))
    assert columns.min() > 0.4 * size[0]
    assert 0.1 * size[1] < rows.min() < rows.max() < 0.6 * size[1]
    window = [picture_maker.read(with_fields(heap, audience=found), view, size, None) for found in (guesses, None)]
    assert (window[0] == window[1]).all()
