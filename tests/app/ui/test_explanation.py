"""Tooltips have two lines, and cover neither the grains nor their widget; F1 shows the whole text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repose.app.render.theme import PAUSE
from repose.app.ui import explanation, widgets
from repose.app.ui.explanation import Area, Explained, cut, divided, place
from repose.app.ui.panels import all_keys
from repose.app.ui.panels.help import HelpPage, close, toggle
from repose.app.ui.ui import Ui
from repose.sim.message import plain

from tests.app.ui.panels.panel_faults import bare_frame
from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness

MOST_OF_A_PART = 2
"""Number of widgets of each part of the window that are tried."""
APP = Path(widgets.__file__).parent.parent
DRAWS = re.compile(r"imgui\.\w*tooltip\w*\(")


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    """All panels around a heap."""
    with open_harness(tmp_path, full_snapshot()) as opened:
        yield opened


def test_one_function_draws_every_tooltip() -> None:
    found = {path.name: DRAWS.findall(path.read_text(encoding="utf-8")) for path in APP.rglob("*.py")}
    assert {name: calls for name, calls in found.items() if calls} == {
        "widgets.py": ["imgui.begin_tooltip(", "imgui.end_tooltip("]
    }


def test_a_text_is_divided_at_spaces_and_within_a_word_wider_than_a_line() -> None:
    assert divided("one two three", 7.0, len) == ["one two", "three"]
    assert divided("摩擦係数は粒の間", 3.0, len) == ["摩擦係", "数は粒", "の間"]
    assert divided("a\nb", 9.0, len) == ["a", "b"]
    assert cut(["one two", "three", "four"], 2, 7.0, len) == ["one two", "three…"]
    assert cut(["one two", "three"], 2, 7.0, len) == ["one two", "three"]


SIDE = st.floats(0.0, 900.0)


@given(left=SIDE, top=SIDE, wide=st.floats(1.0, 400.0), high=st.floats(1.0, 60.0), share=st.floats(0.0, 1.0))
def test_a_tooltip_is_inside_an_area_and_not_over_its_widget(
    left: float, top: float, wide: float, high: float, share: float
) -> None:
    areas: list[Area] = [(0.0, 0.0, 300.0, 900.0), (0.0, 900.0, 1300.0, 1000.0)]
    widget = left, top, left + wide, top + high
    size = 280.0, 30.0
    found = place([(area, size) for area in areas], widget, (left + share * wide, top + high / 2), 5.0)
    assert found is not None
    number, x, y = found
    assert areas[number][0] <= x <= areas[number][2] - size[0]
    assert areas[number][1] <= y <= areas[number][3] - size[1]
    assert not (x < widget[2] and x + size[0] > left and y < widget[3] and y + size[1] > top)


def test_a_tooltip_is_below_its_widget_if_there_is_room() -> None:
    column: Area = (0.0, 0.0, 300.0, 900.0)
    assert place([(column, (280.0, 30.0))], (10.0, 100.0, 290.0, 120.0), (150.0, 110.0), 5.0) == (0, 10.0, 125.0)
    assert place([(column, (280.0, 30.0))], (10.0, 880.0, 290.0, 900.0), (150.0, 890.0), 5.0) == (0, 10.0, 845.0)
    assert place([(column, (301.0, 30.0))], (10.0, 100.0, 290.0, 120.0), (150.0, 110.0), 5.0) is None


def picture(ui: Ui) -> Area:
    """The part of the window with the grains [px]."""
    left, top, right, bottom = ui.window.inset
    return left, top, ui.window.size[0] - right, ui.window.size[1] - bottom


def covers(box: Area, other: Area) -> bool:
    return box[0] < other[2] - 0.5 and box[2] > other[0] + 0.5 and box[1] < other[3] - 0.5 and box[3] > other[1] + 0.5


def test_no_tooltip_covers_grains_or_its_widget(tmp_path: Path) -> None:
    size = 1024, 640
    with open_harness(tmp_path, full_snapshot(), size) as harness:
        explained = harness.ui.states[Explained]
        parts = ("field.", "tool.", "action.", "transport.", "rewind.", "stability.", "parameters.", "experiment.")
        names = [
            name
            for part in parts
            for name in sorted(name for name in harness.widgets if name.startswith(part))[:MOST_OF_A_PART]
        ]
        seen = []
        for name in names:
            harness.hover(name)
            if not explained.lines:
                continue
            seen.append(name.split(".")[0])
            box = harness.widgets["tooltip"]
            assert len(explained.lines) <= explanation.MOST_LINES
            assert not covers(box, picture(harness.ui)), (name, box)
            assert not covers(box, harness.widgets[name]), (name, box)
            assert box[0] >= 0.0
            assert box[1] >= 0.0
            assert box[2] <= size[0]
            assert box[3] <= size[1]
        assert {"field", "tool", "action", "transport", "rewind"} <= set(seen)


def test_a_tooltip_waits_until_the_mouse_rests(harness: PanelHarness) -> None:
    explained = harness.ui.states[Explained]
    harness.move(*harness.place("field.friction"))
    bare_frame(harness.ui, harness.draw, elapsed=0.8 * PAUSE)
    assert explained.lines == ()
    harness.pause()
    assert explained.lines


def test_f1_shows_the_whole_text_of_the_widget_under_the_pointer(harness: PanelHarness) -> None:
    ui, page = harness.ui, harness.ui.states[HelpPage]
    (key,) = (key for key in all_keys() if key.act is toggle)
    harness.move(*harness.place("field.friction"))
    assert key.act is not None
    key.act(ui)
    harness.frame(3)
    assert ui.mode.help_open
    assert str(page.text).startswith("friction  μ\nFriction coefficient")
    assert "From 0 to 2; default 0.1." in str(page.text)
    assert "help.page" in harness.widgets
    harness.click("help.keys")
    assert "help.F1" in harness.widgets
    close(ui)
    harness.move(ui.window.size[0] - 200.0, 400.0)  # on the grains
    toggle(ui)
    harness.frame(2)
    assert "help.page" not in harness.widgets
    assert "help.F1" in harness.widgets


def test_a_longer_text_is_cut_and_a_page_of_its_own_is_offered(harness: PanelHarness) -> None:
    def draw(ui: Ui) -> None:
        column: Area = (0.0, 0.0, 320.0, 900.0)
        for words, page, is_cut in (("Short.", "", False), ("Short.", "Longer.", True), ("many words " * 30, "", True)):
            found = widgets._tooltip_shape(ui, plain(words), plain(page), column)
            assert found.is_cut == is_cut
            assert len(found.lines) <= explanation.MOST_LINES
            assert found.size[0] <= 320.0

    harness.draw = draw
    harness.frame()
