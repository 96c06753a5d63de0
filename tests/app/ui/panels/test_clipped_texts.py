"""No text is cut in a small window, in any language: legend of the workshop, page of keys, pause, readings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui
from repose.app.language import NATIVE, as_drawn, in_language, translated
from repose.app.render import text
from repose.app.render.theme import PALETTES, interface_scale
from repose.app.ui.clump_recipe import Workshop
from repose.app.ui.panels import next_step, preset_and_readings
from repose.app.ui.toasts import show_toast
from repose.app.window.application import PRESENTED
from repose.sim.measure.display import Reading
from repose.sim.message import Message, _, plain

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.app.ui.panels.test_workshop import shown, small_clump
from tests.snapshots import with_fields

SIZES = [(1024, 640), (1280, 720)]


@pytest.fixture(params=SIZES)
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PanelHarness]:
    """A small window over a measured heap."""
    with open_harness(tmp_path, full_snapshot(), request.param, fonts_of_window=True) as harness:
        yield harness


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """A workshop whose clump is made once for all languages and sizes."""
    made = small_clump(tmp_path_factory.mktemp("workshop"))
    yield made
    made.end()


@pytest.mark.parametrize("language", NATIVE)
def test_the_legend_of_the_workshop_is_inside_its_panel(small: PanelHarness, language: str, workshop: Workshop) -> None:
    with in_language(language):
        shown(small, workshop)
        small.settle()
        entries = {name: box for name, box in small.widgets.items() if name.startswith("workshop.legend.")}
        assert len(entries) == 3
        right = small.widgets["workshop.plot"][2]  # left of the scroll bar, which the column has in a low window
        for name, (left, _top, end, _foot) in entries.items():
            assert end <= right + 0.5, (name, left, end, right)


@pytest.mark.parametrize("language", NATIVE)
def test_no_line_of_the_page_of_keys_is_cut(small: PanelHarness, language: str) -> None:
    with in_language(language):
        small.ui.mode.help_open = True
        small.frame(6)
        lines = {name: box for name, box in small.widgets.items() if name.startswith("help.")}
        assert len(lines) > 20
        edges = 0.02 * small.ui.window.size[0], 0.98 * small.ui.window.size[0]
        for name, (left, _top, right, _foot) in lines.items():
            assert edges[0] <= left < right <= edges[1], (name, left, right, edges)


@pytest.mark.parametrize("language", NATIVE)
def test_the_pause_is_told_in_whole_words(small: PanelHarness, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, float]] = []

    def draw_text(x: float, y: float, words: Message | str, colour: Any, size: float = 1.0) -> float:
        written.append((as_drawn(words), text.text_width(words, size)))
        return text.draw_text(x, y, words, colour, size)

    monkeypatch.setattr(next_step, "draw_text", draw_text)
    monkeypatch.setattr(next_step, "goes_on", lambda snapshot: True)
    with in_language(language):
        small.ui.control.transport.pause(True)
        small.settle()
        left, _top, right, _foot = small.widgets["next.progress"]
        said = [width for words, width in written if words == translated(_("Paused: Space continues"))]
        assert said
        assert max(said) <= right - left


@pytest.mark.parametrize("language", NATIVE)
def test_a_reading_wider_than_its_card_has_several_lines(
    small: PanelHarness, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[float] = []
    plain_row = preset_and_readings.row

    def row(left: Message, right: Message, *given: Any) -> None:
        imgui.begin_group()
        plain_row(left, right, *given)
        imgui.end_group()
        ends.append(imgui.get_item_rect_max().x)

    monkeypatch.setattr(preset_and_readings, "row", row)
    long = plain("Auf der Linie der beiden Flanken gemessener mittlerer Böschungswinkel des Haufens")
    with in_language(language):
        small.ui.snapshot = with_fields(
            small.ui.snapshot, readings=(Reading("long", long, 31.2, "°", 0.4),), bulk_readings=()
        )
        small.settle()
        assert ends
        assert max(ends) <= small.ui.window.inset[0]


@pytest.mark.parametrize("size", [*SIZES, (1920, 1080)])
@pytest.mark.parametrize("presenting", [False, True])
def test_the_page_of_keys_needs_no_horizontal_scroll_bar(
    tmp_path: Path, size: tuple[int, int], presenting: bool
) -> None:
    letters = PRESENTED if presenting else 1.0
    scale = interface_scale(size, 1.0, letters, PALETTES["dark"], presenting)
    with open_harness(tmp_path, full_snapshot(), size, scale=scale, fonts_of_window=True) as harness:
        harness.ui.view.text_scale = letters
        harness.ui.mode.presenting, harness.ui.mode.help_open = presenting, True
        for language in NATIVE:
            with in_language(language):
                harness.frame(6)
                page = imgui.internal.find_window_by_name("help")
                assert page.scroll_max.x == 0.0, language
                assert page.size.x <= size[0]


def test_no_notice_lies_over_the_page_of_keys(small: PanelHarness) -> None:
    small.ui.mode.help_open = True
    small.frame(4)
    show_toast(small.ui, plain("A sentence that appears while the page is read."))
    small.frame(4)
    order = [window.name for window in imgui.get_current_context().windows if window.was_active]
    assert "toast.0" in order
    assert order[-1].split("/")[0] == "help"
