"""The last row of a lecture hall reads every text, sees the curves of a large plot, and every action by its name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui, implot
from repose.app.language import NATIVE, in_language
from repose.app.render import text
from repose.app.render.framing import picture_scale
from repose.app.render.passes import caption
from repose.app.render.text_size import LEAST_TEXT, TEXT_SIZE
from repose.app.ui import plot_area
from repose.app.ui.panels import all_panels, curves, next_step
from repose.app.ui.places import TOOLS
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import bring_forward
from repose.sim.experiment.snapshot import Action
from repose.sim.message import _, plain

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import with_fields

ACTIONS = (
    *(("fill", _("Fill"), "F"), ("open", _("Open wall"), "O"), ("tilt", _("Tilt"), "T")),
    *(("trickle", _("Trickle"), "G"), ("measure", _("Measure"), "M"), ("reset", _("Reset"), "R")),
    ("run", _("Run all"), "A"),
)
"""Those of the heap, which has the most."""


@pytest.fixture
def window(tmp_path: Path) -> Iterator[PanelHarness]:
    """A window of the design size, with its own letters."""
    with open_harness(tmp_path, full_snapshot(), (1280, 720), fonts_of_window=True) as harness:
        yield harness


def test_no_text_is_smaller_than_the_smallest(window: PanelHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: dict[float, str] = {}
    push_font, pixels = imgui.push_font, text._pixels

    def pushed(*given: Any) -> None:
        push_font(*given)
        sizes.setdefault(imgui.get_font_size(), "pushed")

    def measured(size: float) -> float:
        found = pixels(size)
        sizes.setdefault(found, f"of size {size}")
        return found

    monkeypatch.setattr(imgui, "push_font", pushed)
    monkeypatch.setattr(text, "_pixels", measured)
    ui = window.ui
    for name in (panel.name for panel in all_panels()):
        bring_forward(ui, TOOLS, name)
        ui.mode.overlay = name
        window.frame(2)
    ui.mode.overlay, ui.mode.help_open = "", True
    window.frame(2)
    assert len(sizes) > 3
    assert {size: where for size, where in sizes.items() if size < LEAST_TEXT} == {}


@pytest.mark.parametrize("size", [(640, 360), (1280, 720), (1920, 1080)])
def test_the_parameters_of_a_film_are_as_large(size: tuple[int, int]) -> None:
    scale = picture_scale(size)
    assert round(TEXT_SIZE * scale * caption.entry_size(scale), 6) >= LEAST_TEXT


def test_a_large_plot_gives_most_of_its_height_to_the_curves(
    window: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[str, float, float]] = []
    end_plot = implot.end_plot

    def end() -> None:
        root = imgui.internal.get_current_window().root_window
        drawn.append((root.name.split("/")[0], implot.get_plot_size().y, root.size.y))
        end_plot()

    monkeypatch.setattr(plot_area.implot, "end_plot", end)
    window.ui.mode.overlay = "large_plot"
    window.frame(4)
    shares = {}
    for name in [name for name in window.widgets if name.startswith("large.") and name != "large.close"]:
        window.click(name)
        drawn.clear()
        window.frame()
        plots = [(high, whole) for where, high, whole in drawn if where == "large plot"]
        shares[name] = sum(high for high, __ in plots) / plots[0][1]
    assert len(shares) == 7
    assert {name: share for name, share in shares.items() if share < curves.CURVES} == {}


@pytest.mark.parametrize("language", NATIVE)
def test_every_action_shows_its_name(window: PanelHarness, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[set[str]] = []
    share_out = next_step._share_out
    monkeypatch.setattr(next_step, "_share_out", lambda *given: (found := share_out(*given), named.append(found[1]))[0])
    actions = tuple(Action(name, label, key, True, plain(".")) for name, label, key in ACTIONS)
    window.ui.snapshot = with_fields(full_snapshot(), actions=actions)
    with in_language(language):
        window.frame(2)
    assert named[-1] == {name for name, *_rest in ACTIONS}


@pytest.mark.parametrize(("words", "shown"), [("0.1", True), ("a statement much wider than the column", False)])
def test_a_table_is_drawn_where_it_is_not_cut(
    window: PanelHarness, monkeypatch: pytest.MonkeyPatch, words: str, shown: bool
) -> None:
    comparison = full_snapshot().results.comparison
    assert comparison is not None
    curve = replace(comparison, table=((plain("μ"), plain("θ")), (plain(words), plain("13°"))))
    drawn: list[object] = []
    monkeypatch.setattr(curves, "_draw_table", lambda *given: drawn.append(given))

    def draw(ui: Ui) -> None:
        imgui.set_next_window_size(imgui.ImVec2(320.0, 700.0))
        imgui.begin("column", None, imgui.WindowFlags_.no_saved_settings)
        curves.draw_curve(ui, curve)
        imgui.end()

    window.draw = draw
    window.frame()
    assert bool(drawn) == shown
