"""The row of a parameter: dragged, typed, reset, refused in a sentence; only valid values are sent."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imgui_bundle import imgui
from repose.app.language import as_drawn, translated, use_language
from repose.app.render import text
from repose.app.render.theme import Colour
from repose.app.ui import parameter_rows, widgets
from repose.app.ui.explanation import Explained
from repose.app.ui.field_values import editable, position, typed, value_at
from repose.app.ui.parameter_rows import describe
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import SetParameters
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.message import plain
from repose.sim.parameters import Parameter
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness
from tests.snapshots import put

DECLARED = scenes()["heap"].parameters.declared()
NUMBERS = [entry for entry in DECLARED.values() if entry.kind in ("float", "int")]


@pytest.mark.parametrize("parameter", NUMBERS, ids=lambda entry: entry.name)
@given(where=st.floats(0.0, 1.0))
def test_every_position_of_a_slider_is_a_valid_value(parameter: Parameter, where: float) -> None:
    value = value_at(parameter, where)
    assert getattr(scenes()["heap"].parameters().changed(**{parameter.name: value}), parameter.name) == value


@pytest.mark.parametrize("parameter", NUMBERS, ids=lambda entry: entry.name)
def test_the_ends_of_a_slider_are_the_limits(parameter: Parameter) -> None:
    assert value_at(parameter, 0.0) == parameter.low
    assert value_at(parameter, 1.0) == parameter.high
    assert position(parameter, float(parameter.low or 0.0)) == 0.0
    assert position(parameter, float(parameter.high or 0.0)) == pytest.approx(1.0)


@pytest.mark.parametrize("parameter", NUMBERS, ids=lambda entry: entry.name)
def test_value_and_position_on_a_slider_are_inverse(parameter: Parameter) -> None:
    for where in (0.1, 0.35, 0.6, 0.9):
        value = value_at(parameter, where)
        assert isinstance(value, (int, float))
        coarse = 0.51 / (float(parameter.high or 1) - float(parameter.low or 0)) if parameter.kind == "int" else 0.03
        assert position(parameter, value) == pytest.approx(where, abs=max(coarse, 0.03))


def test_typed_numbers_are_read_in_the_unit_shown() -> None:
    assert typed(DECLARED["base_radius"], "0.25") == 2.5e-4
    assert typed(DECLARED["base_radius"], " 0.25 mm ") == 2.5e-4
    assert typed(DECLARED["tilt"], "90") == math.pi / 2
    assert typed(DECLARED["grain_count"], "60") == 60
    assert typed(DECLARED["dt"], "auto") == "auto"
    assert typed(DECLARED["friction"], "1") == 1.0
    assert typed(DECLARED["friction"], "0,5") == 0.5
    assert typed(DECLARED["base_radius"], "0,25 mm") == 2.5e-4


def test_the_text_to_edit_has_the_decimal_sign_of_the_window_and_is_read_again() -> None:
    use_language("de")
    try:
        assert editable(DECLARED["base_radius"], 2.5e-4) == "0,25"
        assert typed(DECLARED["base_radius"], "0,25") == typed(DECLARED["base_radius"], "0.25") == 2.5e-4
        assert editable(DECLARED["dt"], "auto") == "auto"
    finally:
        use_language("en")
    assert editable(DECLARED["base_radius"], 2.5e-4) == "0.25"


def test_a_row_shows_a_converted_value_without_rounding_errors(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: dict[str, str] = {}
    monkeypatch.setattr(
        parameter_rows, "_caption", lambda ui, parameter, value, *place: shown.update({parameter.name: str(value)})
    )
    parameters = parameters_of(harness.ui.snapshot.run)
    assert parameters is not None
    put(harness.ui.snapshot, parameters=parameters.changed(tilt=math.radians(28.0)))
    monkeypatch.setattr(harness, "draw", lambda ui: parameter_rows.draw_field(ui, DECLARED["tilt"]))
    harness.frame(2)
    assert shown == {"tilt": "28°"}


@pytest.mark.parametrize("text", ["0,2,1", "1 mm2", "", "true", "0.1\n2", "[1]", "abc", "1_", "٣"])
def test_text_that_is_not_a_number_is_returned_unchanged(text: str) -> None:
    assert typed(DECLARED["friction"], text) == text.strip()


def test_the_tooltip_says_range_default_and_when_it_takes_effect() -> None:
    text = describe(DECLARED["grain_count"])
    assert "From 1 to 1000000; default 1100." in str(text)
    assert "next start" in str(text)
    assert "rebuilt at once, under the grains" in str(describe(DECLARED["base_radius"]))
    mesh = scenes()["vessel"].parameters.declared()["mesh_lift"]
    assert "restarts, after a question; undo restores the present grains" in str(describe(mesh))
    assert "10⁶" in translated(describe(DECLARED["normal_stiffness"]))
    assert "Takes effect at once" in str(describe(DECLARED["friction"], 3.1e-4))
    assert "The contact duration is 310 µs now." in str(describe(DECLARED["gravity"], 3.1e-4))
    now_unknown = describe(DECLARED["gravity"])
    assert "gradually over one contact duration" in str(now_unknown)
    assert "The contact duration is" not in str(now_unknown)


def test_a_drag_sends_valid_values_and_is_one_step_of_undo(harness: PanelHarness) -> None:
    harness.drag("field.friction", 0.1, 0.8, stops=6)
    values = [command.values["friction"] for command in harness.commands if isinstance(command, SetParameters)]
    assert len(values) == len(harness.commands) > 3
    assert values[-1] == pytest.approx(1.6, abs=0.05)
    harness.ui.control.edits.undo()
    assert harness.commands[-1] == SetParameters({"friction": 0.1})
    assert harness.ui.control.edits.history.undoable == []


def test_two_drags_are_two_steps_of_undo(harness: PanelHarness) -> None:
    harness.drag("field.friction", 0.1, 0.5)
    harness.drag("field.friction", 0.5, 0.8)
    assert len(harness.ui.control.edits.history.undoable) == 2


def test_a_drag_beyond_the_ends_stays_at_the_limit(harness: PanelHarness) -> None:
    harness.drag("field.friction", 0.5, 3.0)
    assert harness.commands[-1] == SetParameters({"friction": 2.0})
    harness.drag("field.friction", 0.5, -3.0)
    assert harness.commands[-1] == SetParameters({"friction": 0.0})


@pytest.mark.parametrize("way", ["double click", "right click"])
def test_a_double_click_resets_to_the_default(harness: PanelHarness, way: str) -> None:
    harness.ui.control.edits.set({"friction": 0.3})
    harness.frame()
    if way == "double click":
        harness.double_click("field.friction", share=0.7)
    else:
        harness.click("field.friction", button=1)
    assert harness.commands[-1] == SetParameters({"friction": 0.1})
    harness.ui.control.edits.undo()
    assert harness.commands[-1] == SetParameters({"friction": 0.3})


def test_ctrl_click_types_a_value_in_the_unit_shown(harness: PanelHarness) -> None:
    harness.ctrl_click("field.shear_stiffness")
    assert harness.commands == []
    harness.write("0.5")
    assert harness.commands == [SetParameters({"shear_stiffness": 0.5})]
    assert "field.shear_stiffness" in harness.widgets


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e400", "-1", "200", "2,5", "abc", "1" * 5000])
def test_a_typed_value_out_of_range_is_refused_beside_the_field_and_not_sent(harness: PanelHarness, text: str) -> None:
    harness.ctrl_click("field.friction")
    harness.write(text)
    assert harness.commands == []
    assert "friction = " in str(harness.ui.control.edits.refusals["friction"])
    assert "from 0 to 2" in str(harness.ui.control.edits.refusals["friction"])
    assert harness.ui.control.edits.value("friction") == 0.1


@pytest.mark.parametrize("parameter", NUMBERS, ids=lambda entry: entry.name)
def test_a_hundred_times_the_limit_is_refused_for_every_slider(harness: PanelHarness, parameter: Parameter) -> None:
    assert not harness.ui.control.edits.set(
        {parameter.name: typed(parameter, str(100 * float(parameter.high or 0.0) / parameter.quantity.scale))}
    )
    assert parameter.name in harness.ui.control.edits.refusals
    assert harness.commands == []


def test_escape_leaves_the_old_value(harness: PanelHarness) -> None:
    harness.ctrl_click("field.friction")
    harness.write("0.9", key=imgui.Key.escape)
    assert harness.commands == []
    assert "field.friction" in harness.widgets


def test_a_choice_is_made_from_a_list(harness: PanelHarness) -> None:
    harness.click("parameters.more")
    harness.click("group.Model", share=0.1)
    harness.click("field.exponent")
    harness.click("field.exponent.linear")
    assert harness.commands == [SetParameters({"exponent": "linear"})]


def test_the_automatic_time_step_is_switched_off_at_the_value_in_use_and_on_again(harness: PanelHarness) -> None:
    harness.click("parameters.more")
    harness.click("group.Time step", share=0.1)
    harness.click("field.dt.auto", share=0.15)
    assert harness.commands[-1] == SetParameters({"dt": 1.8e-5})
    harness.click("field.dt.auto", share=0.15)
    assert harness.commands[-1] == SetParameters({"dt": "auto"})


def test_the_button_defaults_resets_all_parameters_in_one_step_of_undo(harness: PanelHarness) -> None:
    parameters = parameters_of(harness.ui.snapshot.run)
    assert parameters is not None
    put(harness.ui.snapshot, parameters=parameters.changed(friction=0.5, gravity=1.62))
    harness.frame(2)
    harness.click("parameters.defaults")
    assert harness.commands == [SetParameters({"friction": 0.1, "gravity": 9.81})]
    harness.click("parameters.undo")
    assert harness.commands[-1] == SetParameters({"friction": 0.5, "gravity": 1.62})
    harness.click("parameters.redo")
    assert harness.commands[-1] == SetParameters({"friction": 0.1, "gravity": 9.81})


@pytest.mark.parametrize("room", [400.0, 105.0, 95.0])
def test_symbol_and_value_never_share_a_place_however_long_the_value_is(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch, room: float
) -> None:
    drawn: list[tuple[str, float, float]] = []

    def draw_symbol(x: float, y: float, symbol: str, colour: Colour) -> float:
        drawn.append((symbol, x, text.draw_symbol(x, y, symbol, colour)))
        return drawn[-1][2]

    def draw(ui: Ui) -> None:
        imgui.set_next_window_size(imgui.ImVec2(room + 2.0 * imgui.get_style().window_padding.x, 60.0))
        imgui.begin("one row")
        parameter_rows.draw_field(ui, DECLARED["normal_stiffness"])
        imgui.end()

    monkeypatch.setattr(parameter_rows, "draw_symbol", draw_symbol)
    harness.ui.control.edits.set({"normal_stiffness": 8.7e8})
    harness.draw = draw
    harness.frame(2)
    (symbol, _, end), (value, start, _) = drawn[-2:]
    assert (symbol, as_drawn(value)) == ("k_n", "8.7·10⁸ N/m^1.5")
    assert end < start, "the symbol would be cut off"


def test_a_pressed_widget_has_no_tooltip_until_the_mouse_has_left_it(harness: PanelHarness) -> None:
    explained = harness.ui.states[Explained]
    harness.hover("field.friction")
    assert explained.lines
    harness.button(True)
    harness.pause()
    assert explained.lines == ()
    harness.button(False)
    harness.pause()  # the effect of the drag is looked at now
    assert explained.lines == ()
    harness.move(*harness.place("field.gravity"))
    harness.hover("field.friction")
    assert explained.lines


@pytest.mark.parametrize(("words", "scripts"), [("/home/of_mine/Videos/heap.mp4", 0), ("stiffness  k_n", 1)])
def test_a_tooltip_lowers_the_index_of_a_symbol_and_not_the_words_of_a_path(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch, words: str, scripts: int
) -> None:
    drawn: list[str] = []
    real = text._draw
    monkeypatch.setattr(text, "_draw", lambda *given: drawn.append(given[2]) or real(*given))
    monkeypatch.setattr(parameter_rows, "_explain", lambda ui, _: widgets.tooltip(ui, plain(words)))
    harness.hover("field.friction")
    assert drawn.count("stiffness  k") > 0 if scripts else words in drawn
