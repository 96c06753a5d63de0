"""Every action of every scene shows its name in the smallest window, in every language, and covers no other one."""

from __future__ import annotations

import functools
from itertools import combinations
from pathlib import Path

import pytest
from repose.app.language import NATIVE, in_language
from repose.app.ui.panels import next_step
from repose.app.ui.places import STRIP, strip_height
from repose.app.ui.tools import all_tools
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.snapshot import Action
from repose.sim.message import plain
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import with_fields

SIZES = [(1024, 640), (1280, 720), (1920, 1080)]


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


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("expert", [True, False])
def test_no_action_is_only_a_letter(
    tmp_path: Path, size: tuple[int, int], expert: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[set[str]] = []
    share_out = next_step._share_out
    monkeypatch.setattr(next_step, "_share_out", lambda *given: (found := share_out(*given), named.append(found[1]))[0])
    found, rows = {}, set()
    with open_harness(tmp_path, full_snapshot(), size, next_step.draw, fonts_of_window=True, expert=expert) as harness:
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
                    assert all(foot - strip_height(harness.ui) - 4 <= box[1] for box in boxes.values())
    assert found == {}
    assert (max(rows) > STRIP) == (size == SIZES[0]), "the control: one row suffices in the larger windows"


@pytest.mark.parametrize("size", SIZES)
def test_no_tool_of_the_mouse_is_only_a_letter(tmp_path: Path, size: tuple[int, int]) -> None:
    with open_harness(tmp_path, full_snapshot(), size, fonts_of_window=True) as harness:
        for language in NATIVE:
            with in_language(language):
                harness.frame(2)
                for tool in all_tools():
                    left, _top, right, _foot = harness.widgets[f"tool.{tool.name}"]
                    assert right - left > 60.0, (language, tool.name)


def test_a_strip_without_room_for_two_rows_shows_keys(tmp_path: Path) -> None:
    actions = tuple(Action(f"a{k}", plain("a very long name of an action"), "K", True, plain(".")) for k in range(8))
    with open_harness(tmp_path, full_snapshot(), (1024, 640), next_step.draw, fonts_of_window=True) as harness:
        assert letters(harness, [], actions)
        assert strip_height(harness.ui) == STRIP
