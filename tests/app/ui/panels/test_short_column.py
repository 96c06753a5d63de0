"""A window that is low for its text: every control of the column is in sight or one tab away, with its whole label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui
from repose.app.render.passes import scale_bar
from repose.app.render.theme import PALETTES, interface_scale
from repose.app.ui import widgets
from repose.app.ui.layout import draw_panels
from repose.app.ui.over_picture import begin_over_picture
from repose.app.ui.panels import all_panels, plots, preset_and_readings, study
from repose.app.ui.panels.parameters import lecture_parameters
from repose.app.ui.places import BELOW_LEGEND
from repose.app.ui.tools import all_tools
from repose.app.ui.ui import Ui
from repose.sim.experiment.snapshot import Action
from repose.sim.io.presets import PresetCard
from repose.sim.measure.display import Reading
from repose.sim.message import Message
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.english import english
from tests.snapshots import with_fields

LOW = [((1280, 720), 1.6, "dark"), ((1920, 1080), 1.6, "dark"), ((1280, 720), 1.0, "projector")]
LARGEST = ((1280, 720), 1.6, "projector")
HIGH = [((1280, 720), 1.0, "dark"), ((1920, 1080), 1.0, "light"), ((3840, 2160), 1.6, "dark")]


def scale_of(size: tuple[int, int], text: float, theme: str) -> float:
    return interface_scale(size, 1.0, text, PALETTES[theme])


def in_the_column(harness: PanelHarness) -> set[str]:
    """Names of the widgets that are wholly inside the column, above the bar."""
    right, floor = harness.ui.window.inset[0], harness.ui.window.size[1] - harness.ui.window.inset[3]
    return {name for name, box in harness.widgets.items() if box[2] <= right and box[3] <= floor}


@pytest.mark.parametrize(("size", "text", "theme"), [*LOW, *HIGH])
def test_readings_and_all_sliders_of_the_lecture_are_in_sight(
    size: tuple[int, int], text: float, theme: str, tmp_path: Path
) -> None:
    lecture = lecture_parameters("heap", scenes()["heap"].parameters)
    with open_harness(tmp_path, full_snapshot(), size, scale=scale_of(size, text, theme)) as harness:
        wanted = {f"field.{parameter.name}" for parameter in lecture}
        wanted |= {"experiment.preset", "experiment.seed", "repeat.start", "experiment.card", "parameters.defaults"}
        assert wanted <= in_the_column(harness)


@pytest.mark.parametrize(("size", "text", "theme"), [*LOW, *HIGH, LARGEST])
def test_four_readings_can_be_read_without_scrolling(
    size: tuple[int, int], text: float, theme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: set[str] = set()
    plain_row = widgets.row

    def row(left: Message, right: Message, *given: Any) -> None:
        plain_row(left, right, *given)
        if imgui.get_item_rect_max().y <= imgui.get_window_pos().y + imgui.get_window_height():
            read.add(str(left))

    monkeypatch.setattr(preset_and_readings, "row", row)
    labels = {"pressure": "pressure P", "largest_shear": "largest shear τ", "coordination": "contacts per grain Z"}
    packing = tuple(Reading(name, label, 1.0, "Pa") for name, label in labels.items())
    snapshot = with_fields(full_snapshot(), bulk_readings=packing)
    with open_harness(tmp_path, snapshot, size, scale=scale_of(size, text, theme)) as harness:
        assert "experiment.angle" in in_the_column(harness)
        widgets.bring_forward(harness.ui, "tab", "readings")
        read.clear()
        harness.settle()
        assert len(read) >= 4


@pytest.mark.parametrize(("size", "text", "theme"), [*LOW, *HIGH, LARGEST])
def test_the_main_result_has_its_name_beside_it(
    size: tuple[int, int], text: float, theme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: dict[str, float] = {}
    plain = preset_and_readings.draw_text

    def draw_text(x: float, y: float, text: str, *style: object) -> float:
        written[text] = plain(x, y, text, *style)
        return written[text]

    monkeypatch.setattr(preset_and_readings, "draw_text", draw_text)
    name = "μ = 0.15 slides, acceleration"
    snapshot = with_fields(full_snapshot(), slope=None, readings=(Reading("acceleration_1", name, 6.937, "m/s²"),))
    with open_harness(tmp_path, snapshot, size, scale=scale_of(size, text, theme)) as harness:
        beside = [text for text in written if text in (name, *preset_and_readings.halves(name))]
        assert " ".join(beside) == name
        assert max(written[text] for text in beside) <= harness.ui.window.inset[0]


@pytest.mark.parametrize(("size", "text", "theme"), [*LOW, *HIGH, LARGEST])
def test_no_name_of_a_plot_is_cut(size: tuple[int, int], text: float, theme: str, tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), size, scale=scale_of(size, text, theme)) as harness:
        widgets.bring_forward(harness.ui, "tab", "plots")
        names = {entry.name: entry.title for entry in plots.tabs_of(harness.ui)}
        for name, title in names.items():
            widgets.bring_forward(harness.ui, plots.ROW, name)
            harness.settle()
            left, _, right, _ = harness.widgets[f"plots.{name}"]
            assert right - left >= widgets.text_width(title), title


@pytest.mark.parametrize("in_space", [False, True])
@pytest.mark.parametrize(("size", "text", "theme"), [*LOW, *HIGH, LARGEST])
def test_all_actions_stand_beside_the_length_scale_and_its_text(
    size: tuple[int, int], text: float, theme: str, in_space: bool, tmp_path: Path
) -> None:
    scale, snapshot = scale_of(size, text, theme), full_snapshot()
    if in_space:
        shape = snapshot.grains.position.shape[0], 3
        snapshot = with_fields(snapshot, position=np.zeros(shape, np.float32))
    more = Action("tilt", "Tilt the table", "T", True, "Tilt."), Action("trickle", "Add grains", "G", True, "Add.")
    snapshot = with_fields(snapshot, actions=(*snapshot.run.actions[:2], *more, *snapshot.run.actions[2:]))
    with open_harness(tmp_path, snapshot, size, scale=scale) as harness:
        ends = {name: box[2] for name, box in harness.widgets.items() if name.startswith("action.")}
        assert len(ends) == 7
        free = size[0] - harness.ui.window.inset[0]
        words = widgets.text_width("500 mm at the centre" if in_space else "500 mm", scale_bar.LABEL)
        bar = max(scale_bar.longest(free, scale), words)
        assert max(ends.values()) <= size[0] - bar - scale_bar.MARGIN * scale


def test_tools_and_actions_keep_their_places_beside_an_open_study(tmp_path: Path) -> None:
    snapshot, size = full_snapshot(), (1280, 720)
    more = Action("tilt", "Tilt the table", "T", True, "Tilt."), Action("trickle", "Add grains", "G", True, "Add.")
    snapshot = with_fields(snapshot, actions=(*snapshot.run.actions[:2], *more, *snapshot.run.actions[2:]))
    opened = False

    def draw(ui: Ui) -> None:
        left, top, _, bottom = ui.window.inset
        ui.window.beside = study.beside(size[0] - left, ui.window.scale) if opened else 0.0
        ui.window.inset = left, top, ui.window.beside, bottom
        draw_panels(ui)
        if opened and begin_over_picture(ui, "study", ui.window.beside) is not None:
            tops.append(imgui.get_window_pos().y)
            feet.append(imgui.get_window_pos().y + imgui.get_window_height())
            imgui.end()

    tops: list[float] = []
    feet: list[float] = []
    with open_harness(tmp_path, snapshot, size, draw) as harness:
        before = {name: box for name, box in harness.widgets.items() if name.startswith(("action.", "tool."))}
        opened = True
        harness.ui.mode.overlay = "study"
        harness.settle()
        assert harness.ui.window.beside > 0.0
        assert {name: harness.widgets[name] for name in before} == before
        assert len(before) == 7 + len(all_tools())
        assert max(feet) <= min(box[1] for name, box in before.items() if name.startswith("action."))
        assert min(tops) >= BELOW_LEGEND  # which keeps its place too


@pytest.mark.parametrize(("size", "text", "theme"), [*LOW, *HIGH])
def test_every_tool_has_a_tab_in_the_column(size: tuple[int, int], text: float, theme: str, tmp_path: Path) -> None:
    tools = [panel.name for panel in all_panels() if panel.side == "tools"]
    with open_harness(tmp_path, full_snapshot(), size, scale=scale_of(size, text, theme)) as harness:
        for name in tools:
            widgets.bring_forward(harness.ui, "tab", name)
            harness.settle()  # a row of tabs scrolls to the one that is shown
            assert f"tab.{name}" in in_the_column(harness), name


@pytest.mark.parametrize(("size", "text", "theme"), [*LOW, *HIGH])
def test_no_label_in_the_column_is_cut(
    size: tuple[int, int], text: float, theme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut: list[str] = []
    plain_button, plain_row = widgets.button, widgets.row

    def button(ui: Ui, name: str, label: Message, **options: Any) -> bool:
        pressed = plain_button(ui, name, label, **options)
        needed = widgets.symbol_width(label, widgets.RAISED) + widgets.text_width(str(options.get("hint", "")), 0.76)
        if needed > imgui.get_item_rect_max().x - imgui.get_item_rect_min().x:
            cut.append(str(label))
        return pressed

    def row(left: Message, right: Message, *given: Any) -> None:
        edge = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
        plain_row(left, right, *given)
        if imgui.get_item_rect_max().x > edge + 1.0:
            cut.append(str(right))

    from repose.app.ui.panels import parameters, record, runs

    for module in (preset_and_readings, parameters, record, runs):
        for name, watched in (("button", button), ("row", row)):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, watched)
    with open_harness(tmp_path, full_snapshot(), size, scale=scale_of(size, text, theme)) as harness:
        for panel in ("parameters", "record", "runs"):
            widgets.bring_forward(harness.ui, "tab", panel)
            harness.frame(3)
    assert cut == []


@pytest.mark.parametrize(("size", "text", "theme"), [*LOW, *HIGH, LARGEST])
def test_no_title_of_a_preset_is_cut(
    size: tuple[int, int], text: float, theme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: dict[Message | str, float] = {}
    plain = widgets.fitting_size

    def fitting_size(text: Message | str, room: float) -> float:
        sizes[text] = plain(text, room)
        assert widgets.text_width(text, sizes[text]) <= room, text
        return sizes[text]

    monkeypatch.setattr(widgets, "fitting_size", fitting_size)
    with open_harness(tmp_path, full_snapshot(), size, scale=scale_of(size, text, theme)) as harness:
        library = harness.ui.work.preset_library
        library.refresh()
        titles = dict(library.titles)
        assert "Log and weight on a thread" in english(list(titles.values()))
        for name, title in titles.items():
            library.note(PresetCard(name, str(title), "heap"))
            harness.frame(2)
            assert sizes[title] >= 0.7
            assert {"experiment.preset", "experiment.scenes"} <= in_the_column(harness)


def test_ctrl_f_brings_the_search_forward_in_a_short_column(tmp_path: Path) -> None:
    from repose.app.ui.panels.parameters import end_search, search

    with open_harness(tmp_path, full_snapshot(), (1280, 720), scale=1.6) as harness:
        widgets.bring_forward(harness.ui, "tab", "plots")
        harness.frame(3)
        assert "field.friction" not in harness.widgets
        search(harness.ui)
        harness.frame(3)
        assert "parameters.search" in in_the_column(harness)
        end_search(harness.ui)
        harness.frame(3)
        assert "plots.span" in in_the_column(harness)
        assert not {"parameters.search", "field.friction"} & in_the_column(harness)
