"""Every action of every scene shows its name in the smallest window, in every language, and covers no other one."""

from __future__ import annotations

import functools
from itertools import combinations
from pathlib import Path

import pytest
from repose.app.language import NATIVE, in_language
from repose.app.render.passes import plates
from repose.app.render.passes.rose import ROSE
from repose.app.render.text import text_width
from repose.app.render.theme import PALETTES
from repose.app.ui.panels import next_step
from repose.app.ui.picture_areas import beside_results, insets, results_area
from repose.app.ui.places import STRIP, strip_height
from repose.app.ui.tools import all_tools
from repose.app.ui.widgets import button_width
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.snapshot import Action
from repose.sim.message import _, plain
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import with_fields

SIZES = [(1024, 640), (1280, 720), (1920, 1080)]
PROJECTOR = PALETTES["projector"].zoom
"""Scale of the projector theme in the smallest window [-]."""


@functools.cache
def actions_of_scenes() -> dict[str, tuple[Action, ...]]:
    """The actions of every scene, scenes with the same ones once."""
    found: dict[tuple[str, ...], tuple[str, tuple[Action, ...]]] = {}
    for name, scene in scenes().items():
        experiment = new_experiment(name, dict(scene.test_values))
        actions = scene.course.actions(experiment)
        found.setdefault(tuple(str(action.label) for action in actions), (name, actions))
    return dict(found.values())


def letters(harness: PanelHarness, named: list[set[str]], actions: tuple[Action, ...]) -> set[str]:
    """The names of the actions that show a letter."""
    harness.ui.snapshot = with_fields(full_snapshot(), actions=actions)
    named.clear()
    harness.frame()
    return set(next_step._small(harness.ui)) - set().union(*named)


@pytest.mark.parametrize(("size", "scale"), [*((size, 1.0) for size in SIZES), ((1024, 640), PROJECTOR)])
@pytest.mark.parametrize("expert", [True, False])
def test_no_action_is_only_a_letter(
    tmp_path: Path, size: tuple[int, int], scale: float, expert: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[set[str]] = []
    share_out = next_step._share_out
    monkeypatch.setattr(next_step, "_share_out", lambda *given: (found := share_out(*given), named.append(found[1]))[0])
    found, rows = {}, set()
    with open_harness(
        tmp_path, full_snapshot(), size, next_step.draw, scale, fonts_of_window=True, expert=expert
    ) as harness:
        for language in NATIVE:
            with in_language(language):
                for name, actions in actions_of_scenes().items():
                    if few := letters(harness, named, actions):
                        found[language, name] = few
                    rows.add(strip_height(harness.ui))
                    boxes = {key: box for key, box in harness.widgets.items() if key.startswith(("action.", "next."))}
                    for (one, a), (other, b) in combinations(boxes.items(), 2):
                        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
                        assert apart, (language, name, one, other)
                    foot = harness.ui.window.size[1] - harness.ui.window.inset[3]
                    assert all(foot - strip_height(harness.ui) - 4 * scale <= box[1] for box in boxes.values())
    assert found == {}
    assert (max(rows) > STRIP * scale) == (size == SIZES[0]), "the control: one row suffices in the larger windows"


@pytest.mark.parametrize(("size", "scale"), [((1024, 640), 1.0), ((1024, 640), PROJECTOR), ((1280, 720), 1.0)])
@pytest.mark.parametrize("count", [1, 3])
def test_no_tool_of_the_mouse_is_only_a_letter(tmp_path: Path, size: tuple[int, int], scale: float, count: int) -> None:
    with open_harness(tmp_path, full_snapshot(), size, scale=scale, fonts_of_window=True) as harness:
        put_side_by_side(harness, count)
        for language in NATIVE:
            with in_language(language):
                harness.frame(2)
                for tool in all_tools():
                    left, _top, right, foot = harness.widgets[f"tool.{tool.name}"]
                    assert right - left >= button_width(tool.title) - 1.0, (language, tool.name)
                    assert right <= size[0]
                    assert count == 1 or foot <= min(area[1] for area in insets(harness.ui)), "above the pictures"


@pytest.mark.parametrize(("size", "scale"), [((1024, 640), 1.0), ((1024, 640), PROJECTOR), ((1280, 720), 1.0)])
def test_plates_take_no_width_from_pictures_side_by_side(tmp_path: Path, size: tuple[int, int], scale: float) -> None:
    with open_harness(tmp_path, full_snapshot(), size, scale=scale, fonts_of_window=True) as harness:
        put_side_by_side(harness, 3)
        places, tools = insets(harness.ui), boxes_of_tools(harness)
        _left, _top, wide, _high = results_area(harness.ui)
        ROSE.set(harness.ui.view, True)
        harness.frame(3)
        with_plate = insets(harness.ui)
        assert [(left, top, right) for left, top, right, _ in with_plate] == [entry[:3] for entry in places]
        assert boxes_of_tools(harness) == tools
        _left, top, across, high = results_area(harness.ui)
        assert across == pytest.approx(wide - beside_results(harness.ui))
        if scale > 1.0:  # too low: the plate covers a picture, and the others keep their places and sizes
            assert with_plate == places
            return
        assert list(plates(harness.ui.snapshot, harness.ui.view, high / scale)) == ["rose"]
        first, foot = places[0][1], size[1] - harness.ui.window.inset[3] - strip_height(harness.ui)
        assert top - first >= 0.28 * (foot - first), "the pictures keep their share of the height"


@pytest.mark.parametrize("language", NATIVE)
def test_the_buttons_of_the_column_are_whole_words_in_the_projector_theme(tmp_path: Path, language: str) -> None:
    size = 1024, 640
    with (
        open_harness(tmp_path, full_snapshot(), size, scale=PROJECTOR, fonts_of_window=True) as harness,
        in_language(language),
    ):
        harness.ui.work.preset_library.titles["thesis-heap"] = plain("A very long title of a preset that is cut")
        harness.ui.work.preset_library.current = "thesis-heap"
        harness.frame(3)
        edge = harness.ui.window.inset[0]
        for name, words in (("scenes", _("Scenes")), ("new_seed", _("New"))):
            left, _top, right, _foot = harness.widgets[f"experiment.{name}"]
            assert right - left >= text_width(words), name
            assert right <= edge, name
        assert harness.widgets["repeat.start"][2] <= edge


def put_side_by_side(harness: PanelHarness, count: int) -> None:
    """So many runs in the window."""
    run = full_snapshot()
    if count > 1:
        harness.ui.beside.runs = tuple(with_fields(run, label=f"μ = 0.{number + 1}") for number in range(count))
        harness.ui.snapshot = harness.ui.beside.runs[0]
    for _frame in range(3):
        harness.frame()


def boxes_of_tools(harness: PanelHarness) -> dict[str, tuple[float, ...]]:
    return {name: box for name, box in harness.widgets.items() if name.startswith("tool.")}


def test_a_strip_without_room_for_two_rows_shows_keys(tmp_path: Path) -> None:
    actions = tuple(Action(f"a{k}", plain("a very long name of an action"), "K", True, plain(".")) for k in range(8))
    with open_harness(tmp_path, full_snapshot(), (1024, 640), next_step.draw, fonts_of_window=True) as harness:
        assert letters(harness, [], actions)
        assert strip_height(harness.ui) == STRIP
