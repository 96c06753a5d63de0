"""The result at the end of a film: the answer of the run in a sentence, on as many lines as the picture needs."""

from __future__ import annotations

from repose.app.render.film_words import film_words
from repose.sim.measure.display import Answer, Outcome, Reading
from repose.sim.message import plain

from tests.snapshots import snapshot_of, with_fields

HOLDING = tuple(Outcome(f"o{k}", plain("it holds"), plain("1"), plain("1"), True) for k in range(5))
SAID = plain("The cube turns clockwise at 1.29 rad/s and moves to the right at 76.4 mm/s.")


def test_a_film_ends_with_the_answer_and_whether_all_outcomes_hold() -> None:
    ended = with_fields(
        snapshot_of(scene="cube"),
        outcomes=HOLDING,
        readings=(Reading("spin", plain("spin"), 1.29, "rad/s"),),
        answer=Answer(1.29, SAID),
    )
    assert list(map(str, film_words(ended, 0.1, ending=True).result)) == [str(SAID), "✓ All 5 stated outcomes hold."]
    assert film_words(ended, 0.1).result == ()
    without = film_words(with_fields(ended, answer=None), 0.1, ending=True).result
    assert list(map(str, without)) == ["✓ All 5 stated outcomes hold.", "spin: 1.29 rad/s"]
