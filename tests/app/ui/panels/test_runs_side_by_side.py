"""Side by side in the window: the request, labels and table of the runs, and the chosen run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from imgui_bundle import imgui
from repose.app.language import use_language
from repose.app.ui.panels import runs_side_by_side
from repose.app.ui.panels.runs_side_by_side import SideBySideForm
from repose.app.ui.picture_areas import above_labels, insets, parsed, possible, run_at, usual_values
from repose.app.ui.questions import open_question
from repose.app.ui.tools import all_tools
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import KeepOne, StartSideBySide
from repose.sim.measure.display import Reading
from repose.sim.message import Message, plain
from repose.sim.parameters import ParameterError, Value
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import with_fields

HEAP = scenes()["heap"].parameters


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    """The panel open over an experiment that would lose nothing."""
    with open_harness(tmp_path, with_fields(full_snapshot(), step=0, commands=0), (1280, 720)) as made:
        made.ui.window.inset = (320.0, 0.0, 0.0, 66.0)
        made.ui.mode.overlay = "side_by_side"
        made.settle()
        yield made


def asked(harness: PanelHarness, text: str) -> list[dict[str, Value]]:
    """What differs between the runs that are started with these values of the parameter shown."""
    harness.click("side_by_side.values")
    harness.write(text)
    started = [command for command in harness.commands if isinstance(command, StartSideBySide)]
    return [dict(run.values) for run in started[0].runs] if started else []


def beside(harness: PanelHarness, count: int) -> None:
    """Put so many runs into the window."""
    first = with_fields(full_snapshot(), differing=frozenset({"friction"}))
    harness.ui.beside.runs = tuple(with_fields(first, label=f"μ = 0.{number + 1}") for number in range(count))
    harness.ui.mode.overlay, harness.ui.snapshot = "", harness.ui.beside.runs[0]
    harness.settle()


def test_typed_values_start_a_run_each_with_the_other_values_as_they_are(harness: PanelHarness) -> None:
    runs = asked(harness, "0.1, 0.2; 0.4")
    assert [values.get("friction") for values in runs] == [0.1, 0.2, 0.4]
    assert harness.ui.mode.overlay == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0.1", "1 value "),
        ("0.1,0.2,0.3,0.4,0.5", "5 values"),
        ("0.1, much", "type numbers"),
        ("0,1; much", "type numbers"),
        ("0.1, 99", "99"),
    ],
)
def test_values_that_cannot_be_used_are_refused_with_a_sentence(harness: PanelHarness, text: str, words: str) -> None:
    assert asked(harness, text) == []
    assert words in str(harness.ui.states[SideBySideForm].trouble)
    assert harness.ui.mode.overlay == "side_by_side"


@pytest.mark.parametrize(
    ("text", "words"), [("0.1, 99", "99"), ("0.1, 0.1", "equal"), ("0.1", "1 value "), ("0.1, 0.2", "")]
)
def test_values_are_refused_before_the_question_whether_the_run_is_replaced(
    harness: PanelHarness, text: str, words: str
) -> None:
    harness.ui.snapshot = with_fields(harness.ui.snapshot, step=100, progress=0.5)
    assert asked(harness, text) == []
    assert words in str(harness.ui.states[SideBySideForm].trouble)
    assert bool(harness.ui.states[SideBySideForm].trouble) == bool(words)
    assert (open_question(harness.ui) is None) == bool(words)


@pytest.mark.parametrize("text", ["0,1; 0,25", "0.1, 0.25", "0,1, 0,25", "0.1,0.25", "0.1; 0,25"])
def test_values_with_decimal_commas_are_understood_where_the_language_has_them(text: str) -> None:
    use_language("de")
    try:
        assert parsed(possible(HEAP.checked({}))["friction"], text) == (0.1, 0.25)
        with pytest.raises(ParameterError, match="semicolons"):  # two whole numbers, or one with a decimal
            parsed(possible(HEAP.checked({}))["friction"], "0,1")
        assert parsed(possible(HEAP.checked({}))["grain_count"], "5,10") == (5, 10)
    finally:
        use_language("en")


def test_sizes_with_commas_are_compared_between_semicolons(harness: PanelHarness) -> None:
    harness.ui.states[SideBySideForm].over = "sizes"
    harness.frame()
    runs = asked(harness, "equal; two_sizes by mass: ratio 3, share 50 %")
    assert [values["sizes"] for values in runs] == ["equal", "two_sizes by mass: ratio 3, share 50 %"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("equal; sieve: 1 mm 0 %, 2 mm 90 %", "ends at 90 %"),
        ("equal; sieve: 1 mm 0 %, 1.5 mm 40 %, 2 mm 30 %, 3 mm 100 %", "may not fall"),
        ("equal; sieve: 1 mm 0 %, 30 mm 100 %", "at most 20"),
        ("equal; sieve: 1 m 0 %, 2 m 100 %", "mean radius of its grains is"),
        ("equal", "1 value "),
    ],
)
def test_sizes_that_cannot_be_compared_are_refused_with_a_sentence(
    harness: PanelHarness, text: str, words: str
) -> None:
    harness.ui.states[SideBySideForm].over = "sizes"
    harness.frame()
    assert asked(harness, text) == []
    assert words in str(harness.ui.states[SideBySideForm].trouble)


def test_the_suggested_sizes_can_be_started() -> None:
    over = possible(HEAP.checked({}))["sizes"]
    assert len(set(parsed(over, usual_values(over, "heap", "")))) == 3


def test_the_integrator_is_chosen_by_name(harness: PanelHarness) -> None:
    harness.ui.states[SideBySideForm].over = "integrator"
    harness.frame()
    runs = asked(harness, "gear5, leapfrog")
    assert [values.get("integrator", "gear5") for values in runs] == ["gear5", "leapfrog"]


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (700, 900)])
def test_the_pictures_lie_beside_each_other_between_the_panels(
    harness: PanelHarness, count: int, size: tuple[int, int]
) -> None:
    ui = harness.ui
    beside(harness, count)
    ui.window.size = size
    areas = [(x0, y0, size[0] - right, size[1] - foot) for x0, y0, right, foot in insets(ui)]
    assert len(areas) == count
    for number, (x0, y0, x1, y1) in enumerate(areas):
        assert 320.0 <= x0 < x1 <= size[0]
        assert 0.0 <= y0 < y1 <= size[1] - 66.0
        assert run_at(ui, (x0 + x1) / 2, (y0 + y1) / 2) == number
        for a, b, c, d in areas[:number]:
            assert c <= x0 or x1 <= a or d <= y0 or y1 <= b
    assert run_at(ui, 10.0, 10.0) is None


def test_the_table_has_a_column_for_every_run_and_a_dash_where_one_has_no_such_reading(harness: PanelHarness) -> None:
    beside(harness, 3)
    harness.ui.beside.runs = (with_fields(harness.ui.beside.runs[0], slope=None), *harness.ui.beside.runs[1:])
    harness.frame()
    rows = {str(name): cells for name, cells in runs_side_by_side.rows(harness.ui)}
    assert all(len(values) == 3 for values in rows.values())
    assert [value is runs_side_by_side.NONE for value in rows["angle of repose"]] == [True, False, False]
    assert "side_by_side.table" in harness.widgets


def test_keys_choose_the_next_run_and_go_back_to_the_chosen_one(harness: PanelHarness) -> None:
    beside(harness, 2)
    runs_side_by_side.choose_next(harness.ui)
    assert harness.ui.beside.chosen == 1
    harness.click("side_by_side.back")
    assert harness.commands[-1] == KeepOne(1)


def test_enter_in_the_empty_field_takes_the_values_that_it_shows(harness: PanelHarness) -> None:
    harness.click("side_by_side.values")
    harness.press(imgui.Key.enter)
    started = [command for command in harness.commands if isinstance(command, StartSideBySide)]
    assert len(started[0].runs) == 3


def test_every_example_starts_its_own_preset(harness: PanelHarness) -> None:
    examples = [name for name, card in harness.ui.work.preset_library.cards.items() if card.together]
    assert len(examples) > 1
    for name in examples:
        harness.ui.mode.overlay = "side_by_side"
        harness.settle()
        harness.click(f"side_by_side.{name}")
        assert harness.ui.settings.choices.preset == name


@pytest.mark.parametrize("count", [2, 4])
def test_the_buttons_of_every_tool_leave_the_labels_free(harness: PanelHarness, count: int) -> None:
    for tool in all_tools():
        harness.ui.mode.tool = tool.name
        beside(harness, count)
        buttons = [box for name, box in harness.widgets.items() if name.startswith("tool.")]
        labels = [harness.widgets[f"side_by_side.label{number + 1}"] for number in range(count)]
        assert len(buttons) >= len(all_tools())
        for box in buttons:
            for label in labels:
                apart = box[2] <= label[0] or label[2] <= box[0] or box[3] <= label[1] or label[3] <= box[1]
                assert apart, tool.name


@pytest.mark.parametrize(("count", "size"), [(3, (1280, 720)), (4, (800, 600))])
def test_the_buttons_of_the_tools_are_above_the_pictures(
    harness: PanelHarness, count: int, size: tuple[int, int]
) -> None:
    harness.ui.window.size = size
    beside(harness, count)
    left, top, _right, _bottom = insets(harness.ui)[0]
    boxes = [box for name, box in harness.widgets.items() if name in {f"tool.{tool.name}" for tool in all_tools()}]
    assert len(boxes) == len(all_tools())
    assert all(left <= box[0] and box[2] <= size[0] and box[3] <= top for box in boxes)


def test_a_narrow_table_has_its_units_beside_the_names_and_then_no_errors(harness: PanelHarness) -> None:
    head = ("at 1.2 s", ["μ = 0.1", "μ = 0.2", "μ = 0.3"])
    shear = [
        runs_side_by_side.cell_of(Reading("shear", plain("shear τ"), value, "N/m", error))
        for value, error in ((29.19, 0.26), (6.76, 0.62), (6.63, 0.24))
    ]
    angles = [
        runs_side_by_side.cell_of(Reading("angle", plain("angle"), value, "°", error))
        for value, error in ((28.3, 0.4), (30.0, 1.0))
    ]
    table = [(plain("shear τ"), shear), (plain("angle"), [runs_side_by_side.NONE, *angles])]
    whole, wide = runs_side_by_side.fitted(head, table, 1e4)
    in_degrees = ("angle", ["–", "28.30° ± 0.40°", "30.0° ± 1.0°"])
    assert whole == [head, ("shear τ", ["29.19 ± 0.26 N/m", "6.76 ± 0.62 N/m", "6.63 ± 0.24 N/m"]), in_degrees]
    named, less = runs_side_by_side.fitted(head, table, wide - 1.0)
    assert named == [head, ("shear τ [N/m]", ["29.19 ± 0.26", "6.76 ± 0.62", "6.63 ± 0.24"]), in_degrees]
    bare, least = runs_side_by_side.fitted(head, table, less - 1.0)
    assert bare == [head, ("shear τ [N/m]", ["29.19", "6.76", "6.63"]), ("angle", ["–", "28.30°", "30.0°"])]
    assert least < less < wide


def test_labels_without_room_beside_the_scale_bar_have_a_strip_of_their_own_below_the_scene(
    harness: PanelHarness,
) -> None:
    beside(harness, 2)
    assert above_labels(harness.ui) == insets(harness.ui)
    harness.ui.window.size = (800, 600)
    beside(harness, 4)
    harness.ui.beside.runs = tuple(
        with_fields(run, label="Hertz–Mindlin with rolling") for run in harness.ui.beside.runs
    )
    harness.frame()
    label = harness.widgets["side_by_side.label1"]
    foot = harness.ui.window.size[1] - above_labels(harness.ui)[0][3]
    assert foot == pytest.approx(label[1])


def test_a_subscript_of_a_symbol_is_small_in_the_label_of_a_picture(harness: PanelHarness) -> None:
    def width(label: str) -> float:
        harness.ui.beside.runs = tuple(with_fields(run, label=label) for run in harness.ui.beside.runs)
        harness.frame()
        left, _, right, _ = harness.widgets["side_by_side.label1"]
        return right - left

    beside(harness, 2)
    assert width("R") < width("R_p") < width("Rp")


def test_the_choice_of_the_quantity_is_never_empty(harness: PanelHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first step no quantity has values."""
    chosen: list[tuple[dict[str, Message], str]] = []

    def choose(ui: Ui, name: str, label: Message, titles: dict[str, Message], present: str, help: Message) -> None:
        if name == "side_by_side.quantity":
            chosen.append((titles, present))

    monkeypatch.setattr(runs_side_by_side, "choose", choose)
    bare = with_fields(full_snapshot(), series={}, label="one")
    harness.ui.beside.runs = (bare, with_fields(bare, label="other"))
    harness.frame(2)
    titles, present = chosen[-1]
    assert present == "angle"
    assert titles[present]
