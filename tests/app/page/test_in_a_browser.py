"""A page in a real browser without a display: its pictures beside those of the window, its texts, its frame.

Both draw with the same shaders in linear light. What differs are the roundings of the page: places by half a quantum,
which is less than 0.1 pixel here, light and orientations in space by half a step, and colours by one step of the map.
At the edge of a disc, which is one pixel wide, 0.1 pixel changes a value by up to 0.1 of the contrast.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from repose.app.page.recording import SIZE, PageRecording
from repose.app.render.follow import without_idle_walls
from repose.app.storage.view_settings import View
from repose.app.window.picture import PictureMaker
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import plain

from tests.app.fake_heap import fake_heap
from tests.app.fake_space import fake_cone
from tests.app.page.browser import document_of, needs_browser, picture_of
from tests.app.page.recorded import moved, page_of_snapshots, recorded, written
from tests.app.page.test_page_file import EVIL

HALF = SIZE[0] // 2, SIZE[1] // 2
"""Pixels of the pictures."""


def picture_in_the_window(
    maker: PictureMaker, recording: PageRecording, snapshot: Snapshot, view: View, size: tuple[int, int]
) -> np.ndarray:
    """The picture of the window with the camera of the page."""
    following = recording.following
    assert following is not None
    camera = replace(following.camera)
    share = size[1] / SIZE[1]
    if hasattr(camera, "offset"):
        camera.offset = tuple(share * x for x in camera.offset)
    else:
        camera.metres_per_pixel /= share
    seen = without_idle_walls(snapshot, following.wall_top)
    return maker.read(seen, view, size, camera, plain=True).astype(float)


CASES = {
    "plane": (fake_heap(), {}, "colour=force"),
    "chains in the plane": (fake_heap(), {"force_chains": True}, "chains=1"),
    "space": (fake_cone(300), {}, "colour=speed"),
    "chains in space": (fake_cone(300), {"force_chains": True}, "chains=1"),
}


@needs_browser
@pytest.mark.gl
@pytest.mark.parametrize(
    "case", [*list(CASES)[:1], *(pytest.param(name, marks=pytest.mark.slow) for name in list(CASES)[1:])]
)
def test_the_picture_of_a_page_is_that_of_the_window(case: str, picture_maker: PictureMaker, tmp_path: Path) -> None:
    snapshot, shown, wishes = CASES[case]
    colour = wishes.partition("colour=")[2] or "automatic"
    view = View(colour_by=colour, shown=shown)
    recording = recorded([snapshot])
    expected = picture_in_the_window(picture_maker, recording, snapshot, view, HALF)
    page = written(page_of_snapshots([snapshot]), tmp_path)
    found = picture_of(page, f"bare=1&frame=0&{wishes}", HALF).astype(float)
    assert found.shape == expected.shape
    difference = np.abs(found - expected).max(axis=2)
    assert (expected.max(axis=2) > 60).mean() > 0.02  # something is drawn
    assert difference.mean() < 0.25
    assert (difference > 16).mean() < 1e-3


@needs_browser
@pytest.mark.slow
def test_a_page_shows_texts_as_texts_in_the_language_asked_for(tmp_path: Path) -> None:
    heap = fake_heap()
    heap.run = replace(heap.run, phase_label=plain(EVIL))
    page = written(page_of_snapshots([heap, moved(heap, 1e-4, 1.3)], title=EVIL), tmp_path)
    document = document_of(page, "frame=1&lang=de")
    assert '<html lang="de">' in document
    assert "<title>&lt;/script&gt;" in document  # no script has changed it
    assert "<img" not in document
    for words in ("Farbe", "Kraftketten", "1,300 s", 'role="img"', 'type="range"', "aria-valuetext"):
        assert words in document


@needs_browser
@pytest.mark.slow
def test_a_page_works_in_the_frame_of_a_learning_platform_which_forbids_all_but_scripts(
    picture_maker: PictureMaker, tmp_path: Path
) -> None:
    page = written(page_of_snapshots([fake_heap()]), tmp_path)
    frame = tmp_path / "course.html"
    frame.write_text(
        "<!doctype html><body style='margin:0'><iframe sandbox='allow-scripts' src='page.html#bare=1&amp;frame=0' "
        f"style='border:0;display:block;width:{HALF[0]}px;height:{HALF[1]}px'></iframe>"
        "<script>document.querySelector('iframe').onload = () => "
        "{ const now = performance.now(); while (performance.now() < now + 20000); }</script>"
    )
    alone = picture_of(page, "bare=1&frame=0", HALF)
    framed = picture_of(frame, "", HALF, "--timeout=60000")  # in real time, while the frame draws in its own process
    assert alone.std() > 5.0
    np.testing.assert_array_equal(framed, alone)


@needs_browser
@pytest.mark.slow
def test_a_browser_without_webgl_says_so_in_a_sentence_and_shows_all_else(tmp_path: Path) -> None:
    page = written(page_of_snapshots([fake_heap()]), tmp_path)
    document = document_of(page, "frame=0&lang=en", "--disable-3d-apis")
    assert "because it has no WebGL 2" in document
    assert "at rest: 55 grains left" in document


@needs_browser
@pytest.mark.slow
def test_a_damaged_page_says_so(tmp_path: Path) -> None:
    page = written(page_of_snapshots([fake_heap()]), tmp_path)
    text = page.read_text(encoding="utf-8")
    place = text.index('id="run">') + 200
    page.write_text(text[:place] + "AAAA" + text[place + 4 :], encoding="utf-8")
    assert "The page is damaged" in document_of(page)
