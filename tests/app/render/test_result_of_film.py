"""The result at the end of a film: the answer of the run in a sentence, on as many lines as the picture needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from repose.app.language import in_language
from repose.app.render.director import COLUMN, Director, FilmStyle, room_below_result, room_for_result
from repose.app.render.film_words import LETTER, RESULT, film_words, result_size, wrapped
from repose.app.render.follow import directed_camera
from repose.app.render.framing import picture_room, picture_scale
from repose.app.render.passes import legend
from repose.app.render.passes.caption import result_foot
from repose.app.storage.view_settings import View
from repose.app.window.picture import PictureMaker
from repose.sim.io import presets
from repose.sim.measure.display import Answer, Outcome, Reading
from repose.sim.message import Message, plain

from tests.app.fake_heap import fake_heap
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


LONG = Message(presets.load("tetrapods").direction.answer.template, angle="35.5° ± 3.5°")
SIZES = [(480, 270), (640, 360), (1280, 720)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("code", ["en", "de", "ru", "ja"])
def test_the_last_picture_shows_every_grain_below_the_result_or_beside_it(size: tuple[int, int], code: str) -> None:
    """The plate of a long answer covered the top of the heap, and cut the angle."""
    heap = with_fields(fake_heap(), answer=Answer(35.5, LONG))
    cameras = []

    def read(snapshot: object, view: object, size: tuple[int, int], camera: object, **more: object) -> np.ndarray:
        cameras.append(camera)
        return np.zeros((size[1], size[0], 3), np.uint8)

    director = Director(read, FilmStyle(size, 10.0, View()))
    with in_language(code):
        list(director.take(heap))
        list(director.ending())
        foot = result_foot((LONG,), size, picture_scale(size), legend.foot(picture_scale(size)))
    moving = ~heap.grains.fixed
    pixels = cameras[-1].world_to_pixel(heap.grains.position[moving], size)
    radius = heap.grains.radius[moving] / cameras[-1].resolution(size)
    assert foot < 0.55 * size[1]
    is_beside = (pixels[:, 0] - radius).min() >= COLUMN * size[0] - 0.5
    assert is_beside or (pixels[:, 1] - radius).min() >= foot - 0.5
    assert (pixels[:, 1] + radius).max() - (pixels[:, 1] - radius).min() > 0.2 * size[1]


@pytest.mark.gl
@pytest.mark.parametrize("size", SIZES)
def test_the_room_for_a_result_is_that_of_its_plate(picture_maker: PictureMaker, size: tuple[int, int]) -> None:
    heap, view = with_fields(fake_heap(measured=False), answer=None), View(shown={"caption": True})
    for code in ("en", "de", "ru", "ja"):
        for result in ((LONG,), (SAID, plain("✓ All 5 stated outcomes hold."))):
            with in_language(code):
                words = film_words(heap, 1.0, ending=True)
                with_result, without = (
                    picture_maker.read(heap, view, size, None, film=replace(words, result=shown)).astype(int)
                    for shown in (result, ())
                )
                foot = result_foot(result, size, picture_scale(size), legend.foot(picture_scale(size)))
            rows = np.flatnonzero((with_result != without).any(axis=(1, 2)))
            assert 0.6 * foot < rows.max() <= foot + 1.0, (code, result)


def test_a_long_result_has_smaller_letters_before_it_has_more_lines() -> None:
    def shown(room: float, least: float = 0.5) -> tuple[int, float]:
        size, lines = result_size(["aaaa bbbb cccc dddd"], room, 1.0 / LETTER, least)
        return len(lines), size

    assert shown(24.0) == (2, RESULT)
    count, size = shown(16.0)
    assert count == 2
    assert 0.5 < size < RESULT
    assert shown(10.0, least=1.9)[1] == 1.9


def test_a_number_is_on_one_line_with_its_error() -> None:
    assert wrapped("the heap is 35.5° ± 3.5° steep", len, 15.0) == ["the heap is", "35.5° ± 3.5°", "steep"]


def test_without_a_legend_more_of_the_picture_is_left() -> None:
    heap, size = fake_heap(), (640, 360)
    feet = [
        room_below_result((0.0, 0.0, 0.0, 0.0), (LONG,), size, view, heap)[1]
        for view in (View(colour_by="speed"), View(colour_by="plain"), View(colour_by="speed", shown={"legend": False}))
    ]
    assert feet[0] > feet[1] + 50.0
    assert feet[1] == feet[2]


@pytest.mark.parametrize(("result", "is_beside"), [(LONG, True), (SAID, False)])
def test_a_result_that_would_make_the_grains_much_smaller_stands_beside_them(result: Message, is_beside: bool) -> None:
    heap, size = fake_heap(), (1280, 720)
    room, camera = picture_room(size, 1.0), directed_camera(heap)
    (left, *_), column = room_for_result(room, (result,), size, View(), heap, camera)
    assert (left, column) == ((COLUMN * size[0],) * 2 if is_beside else (0.0, 0.0))
    assert room_for_result(room, (), size, View(), heap, camera) == (room, 0.0)
    too_long = plain(" ".join([str(LONG)] * 20))
    assert room_for_result(room, (too_long,), size, View(), heap, camera)[1] == 0.0
