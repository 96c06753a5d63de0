"""Every panel draws an empty and a full snapshot without sending a command; a click sends the right one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui
from repose.app.render.passes.force_chains import FORCE_CHAINS
from repose.app.ui.keys import scene_keys
from repose.app.ui.panels import Panel, all_panels, next_step, plots, preset_and_readings, stability, task
from repose.app.ui.questions import answer
from repose.app.ui.replay_control import Replay
from repose.app.ui.scene_actions import CONTINUES, act
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import Act, Rewind, SetParameters, Start, UseThreads
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.experiment.snapshot import Fault, Snapshot
from repose.sim.measure.display import Reading
from repose.sim.registry import scenes
from repose.sim.scenes.common.phases import FLOWING, RESTED

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.english import english
from tests.snapshots import put, snapshot_of, with_fields


def draw_alone(panel: Panel) -> object:
    def draw(ui: Ui) -> None:
        imgui.set_next_window_size(imgui.ImVec2(300, 700))
        imgui.begin("alone")
        panel.draw(ui)
        imgui.end()

    return draw


@pytest.mark.parametrize("panel", all_panels(), ids=lambda panel: panel.name)
@pytest.mark.parametrize("snapshot", [Snapshot(), full_snapshot()], ids=["empty", "full"])
def test_drawing_a_panel_sends_no_command(panel: Panel, snapshot: Snapshot, tmp_path: Path) -> None:
    with open_harness(tmp_path, snapshot, draw=draw_alone(panel)) as harness:
        harness.ui.mode.help_open = True
        harness.frame(3)
        assert harness.commands == []
        assert harness.runner.told == []
        assert harness.done == []


def test_all_panels_are_found() -> None:
    assert {"experiment", "parameters", "transport", "plots", "stability", "view", "record", "help"} <= {
        panel.name for panel in all_panels()
    }


@pytest.mark.parametrize("size", [(1280, 720), (2560, 1440), (800, 600), (64, 64), (1, 5000)])
@pytest.mark.parametrize("snapshot", [Snapshot(), full_snapshot()], ids=["empty", "full"])
def test_the_whole_window_draws_at_any_size(size: tuple[int, int], snapshot: Snapshot, tmp_path: Path) -> None:
    with open_harness(tmp_path, snapshot, size=size) as harness:
        harness.ui.mode.help_open = True
        harness.frame(3)
        assert harness.ui.program.broken == {}
        assert harness.commands == []


def test_folded_parts_are_folded_at_the_next_start(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot()) as harness:
        harness.click("parameters.more")
        assert "field.normal_damping" in harness.widgets
        harness.click("group.Contact", share=0.1)
        harness.click("group.Model", share=0.1)
        assert harness.ui.settings.save()
    with open_harness(tmp_path, full_snapshot()) as harness:
        assert "field.friction" not in harness.widgets
        assert "field.exponent" in harness.widgets
        assert "field.gravity" in harness.widgets


@pytest.mark.parametrize("name", ["open", "measure", "reset", "run"])
def test_an_action_button_fires_its_action(harness: PanelHarness, name: str) -> None:
    harness.click(f"action.{name}")
    assert harness.commands == [Act(name)]


def test_a_disabled_action_button_does_nothing(harness: PanelHarness) -> None:
    harness.click("action.fill")
    assert harness.commands == []


def test_transport_buttons_pause_and_step_the_runner(harness: PanelHarness) -> None:
    harness.click("transport.faster")
    harness.click("transport.slower")
    harness.click("transport.step")
    assert harness.runner.told == [("speed", 2.0), ("speed", 1.0), ("pause", True), ("step", 1)]
    harness.click("transport.pause")
    assert harness.runner.told[-1] == ("pause", False)


def test_at_the_end_of_a_run_a_replay_stands_in_the_place_of_the_pause(harness: PanelHarness) -> None:
    harness.settle()
    place = harness.widgets["transport.pause"]
    put(harness.ui.snapshot, phase=RESTED, at=500, log_end=500)
    harness.settle()
    assert harness.widgets["transport.replay"] == place
    harness.click("transport.replay")
    assert harness.commands == [Rewind(0)]
    assert harness.ui.states[Replay].on
    harness.click("transport.replay")
    assert harness.commands[-1] == Rewind(500)


def test_the_speed_slider_reaches_as_fast_as_possible_and_slow_motion(harness: PanelHarness) -> None:
    harness.drag("transport.speed", 0.5, 1.0)
    assert harness.runner.told[-1] == ("speed", None)
    harness.drag("transport.speed", 0.9, 0.0)
    assert harness.runner.told[-1] == ("speed", 0.01)


def test_the_number_of_threads_is_shown_selected_and_stored(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability, "most_threads", lambda: 4)
    offered: list[dict[str, str]] = []
    plain = stability.choose
    monkeypatch.setattr(
        stability, "choose", lambda ui, *given: (offered.append(english(given[2])), plain(ui, *given))[1]
    )
    put(harness.ui.snapshot, threads_wanted=3)
    harness.click("stability.dot")
    harness.click("stability.threads")
    assert offered[-1] == {"0": "automatic (3)", "1": "1", "2": "2", "3": "3", "4": "4"}
    harness.click("stability.threads.2")
    assert harness.commands == [UseThreads(2)]
    assert harness.ui.settings.choices.threads == 2
    harness.click("stability.threads")
    harness.click("stability.threads.0")
    assert harness.commands[-1] == UseThreads(None)
    assert harness.ui.settings.choices.threads == 0


def test_the_tabs_chosen_are_shown_at_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_harness(tmp_path, full_snapshot()) as first:
        assert "window.text" not in first.widgets
        first.click("plots.contacts")
        first.click("tab.appearance")
        assert first.ui.settings.save()
    plotted: list[str] = []
    plain = plots.draw_over_time

    def noted(ui: Ui, label: str, *given: object, **options: object) -> None:
        plotted.append(str(label))
        plain(ui, label, *given, **options)

    monkeypatch.setattr(plots, "draw_over_time", noted)
    with open_harness(tmp_path, full_snapshot()) as second:
        assert "window.text" in second.widgets
        second.click("tab.plots")
        assert "contacts per grain Z" in plotted
        second.click("tab.record")
        assert "window.text" not in second.widgets


def test_choosing_a_preset_starts_it_and_forgets_the_history(harness: PanelHarness) -> None:
    harness.ui.control.edits.set({"friction": 0.3})
    harness.commands.clear()
    harness.click("experiment.preset")
    harness.click("experiment.preset.moon")
    answer(harness.ui, True)
    (start,) = harness.commands
    assert isinstance(start, Start)
    assert start.values == {"gravity": 1.62}
    assert harness.ui.settings.choices.preset == "moon"
    assert harness.ui.control.edits.history.undoable == []


def test_a_saved_preset_appears_in_the_list(harness: PanelHarness) -> None:
    harness.ui.snapshot = with_fields(
        harness.ui.snapshot, parameters=parameters_of(harness.ui.snapshot.run).changed(friction=0.37)
    )
    harness.click("tab.runs")
    harness.click("experiment.save")
    harness.write("My heap")
    path = harness.ui.work.preset_library.folder / "my-heap.toml"
    assert "friction = 0.37" in path.read_text(encoding="utf-8")
    assert str(harness.ui.work.preset_library.titles[str(path)]) == "My heap"


def test_a_preset_name_that_is_a_path_is_refused_in_a_sentence(harness: PanelHarness) -> None:
    harness.click("tab.runs")
    harness.click("experiment.save")
    harness.write("../../evil")
    assert "cannot be a preset's name" in str(harness.ui.work.preset_library.trouble)
    assert not harness.ui.work.preset_library.folder.exists()


@pytest.mark.parametrize("text", ["-1", "x", "x10", "1.5", str(2**64)])
def test_an_invalid_seed_is_refused(harness: PanelHarness, text: str) -> None:
    harness.click("experiment.seed")
    harness.write(text)
    assert harness.commands == []
    assert "seed" in str(harness.ui.work.preset_library.trouble)


def test_a_new_seed_restarts_the_same_experiment(harness: PanelHarness) -> None:
    harness.click("experiment.new_seed")
    assert harness.commands == [Start("heap", {}, 4, direction=harness.ui.snapshot.run.direction)]


def test_view_choices_change_the_view_and_are_stored(harness: PanelHarness) -> None:
    harness.click("tab.view")
    harness.click("view.show_force_chains", share=0.1)
    harness.click("view.colour")
    harness.click("view.colour.force")
    assert FORCE_CHAINS.is_on(harness.ui.view)
    assert harness.ui.view.colour_by == "force"
    assert harness.ui.settings.choices.view.shown == {"force_chains": True}
    assert harness.ui.settings.choices.view.colour_by == "force"
    assert harness.commands == []


def test_theme_and_text_size_can_be_chosen(harness: PanelHarness) -> None:
    harness.click("tab.appearance")
    harness.click("window.theme.projector")
    harness.drag("window.text", 0.3, 1.0)
    assert harness.ui.settings.choices.theme == "projector"
    assert harness.ui.settings.choices.font_scale == 2.0


def test_a_film_that_cannot_begin_gives_the_reason(harness: PanelHarness) -> None:
    harness.click("tab.record")
    harness.click("record.button")
    assert str(harness.ui.work.film.trouble) == "That failed: nothing is filmed here."
    assert not harness.ui.work.film.running


def test_an_unstable_time_step_offers_the_automatic_one(harness: PanelHarness) -> None:
    parameters = parameters_of(harness.ui.snapshot.run).changed(dt=1e-4)
    harness.ui.snapshot = with_fields(harness.ui.snapshot, parameters=parameters, dt=1e-4, omega_dt=1.1)
    harness.frame(3)
    harness.click("stability.dot")  # open by itself since the dot has turned red
    assert "stability.auto" not in harness.widgets
    harness.ui.snapshot = with_fields(harness.ui.snapshot, omega_dt=0.1)
    harness.frame(3)
    harness.ui.snapshot = with_fields(harness.ui.snapshot, dt_warning="Above 20 µs, the stable time step.")
    harness.frame(3)
    harness.click("stability.auto")
    assert harness.commands == [SetParameters({"dt": "auto"})]


def test_a_step_that_is_only_inaccurate_for_a_rotation_is_not_called_unstable(harness: PanelHarness) -> None:
    parameters = parameters_of(harness.ui.snapshot.run).changed(dt=1e-4)
    warning = "Above 90 µs, a body turns by more than 0.4 rad in a step: its rotation is inaccurate."
    for inaccurate, expected in ((False, "bad"), (True, "warning")):
        harness.ui.snapshot = with_fields(
            harness.ui.snapshot,
            parameters=parameters,
            dt=1e-4,
            omega_dt=0.01,
            dt_warning=warning,
            dt_inaccurate=inaccurate,
        )
        assert stability.state(harness.ui) == expected
    harness.frame(3)
    harness.click("stability.auto")
    assert harness.commands == [SetParameters({"dt": "auto"})]


def test_the_dot_turns_amber_above_the_overlap_limit_of_the_scene_and_opens_nothing(harness: PanelHarness) -> None:
    for scene, amber in (("hourglass", False), ("hourglass_glass", True), ("heap", True)):
        parameters = scenes()[scene].parameters()
        changed = {"scene": scene, "parameters": parameters, "largest_overlap": 0.01}
        harness.ui.snapshot = with_fields(harness.ui.snapshot, **changed)
        harness.frame(2)
        harness.ui.snapshot = with_fields(harness.ui.snapshot, largest_overlap=0.48)
        harness.frame(2)
        assert stability.state(harness.ui) == ("warning" if amber else "good")
        assert "stability.gauge" not in harness.widgets
    harness.ui.snapshot = with_fields(harness.ui.snapshot, omega_dt=0.41)
    harness.frame(2)
    assert "stability.gauge" in harness.widgets, "the control: a step near its limit opens it"


def test_readings_of_the_packing_are_shown_beside_a_measured_slope(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[tuple[str, str]] = []
    monkeypatch.setattr(preset_and_readings, "row", lambda left, right, *rest: rows.append((str(left), str(right))))
    put(
        harness.ui.snapshot,
        readings=(
            Reading("angle_of_repose", "angle of repose", 12.0, "°", 0.5),
            Reading("grains_left", "grains left", 100.0),
        ),
        bulk_readings=(Reading("pressure_p", "pressure P", 95.94321, "N/m", help="Where."),),
    )
    harness.frame(1)
    assert ("pressure P", "95.94 N/m") in rows
    assert ("grains left", "100") in rows
    assert "angle of repose" not in dict(rows)  # it stands large above


@pytest.mark.parametrize(("done", "large"), [(True, "reset"), (False, "measure")])
def test_an_action_that_stands_large_is_not_offered_twice_and_nothing_moves(
    harness: PanelHarness, done: bool, large: str
) -> None:
    before = {name: box for name, box in harness.widgets.items() if name.startswith("action.")}
    actions = tuple(replace(action, done=done and action.done) for action in harness.ui.snapshot.run.actions)
    harness.ui.snapshot = with_fields(harness.ui.snapshot, progress=None, phase=RESTED, actions=actions)
    harness.frame(2)
    harness.click("next.action")
    assert harness.commands[-1] == Act(large)
    after = {name: box for name, box in harness.widgets.items() if name.startswith("action.")}
    assert before.keys() - after.keys() == {f"action.{large}"}
    assert all(before[name] == box for name, box in after.items())


def at_rest(harness: PanelHarness, measured: bool) -> Snapshot:
    """The heap at rest: the large button is Measure, or the reset once it is measured."""
    actions = tuple(
        replace(action, done=measured and action.name == "measure") for action in harness.ui.snapshot.run.actions
    )
    return with_fields(harness.ui.snapshot, progress=None, phase=RESTED, actions=actions)


def test_a_click_on_the_large_button_does_what_it_showed_when_it_was_pressed(harness: PanelHarness) -> None:
    harness.ui.snapshot = at_rest(harness, measured=False)
    harness.frame(2)
    harness.move(*harness.place("next.action"))
    harness.button(True)
    harness.ui.snapshot = at_rest(harness, measured=True)
    harness.frame(3)
    harness.button(False)
    assert harness.commands == [Act("measure")]


def test_run_all_continues_a_paused_run_and_other_actions_say_how(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ui.snapshot = at_rest(harness, measured=True)
    harness.ui.control.transport.pause(True)
    harness.frame(2)
    harness.click("action.measure")
    assert harness.ui.control.transport.paused
    harness.click("action.run")
    assert harness.commands == [Act("measure"), Act("run")]
    assert harness.runner.told[-1] == ("pause", False)
    written: list[str] = []
    plain = next_step.draw_text

    def watched(x: float, y: float, text: str, *rest: Any) -> None:
        written.append(str(text))
        plain(x, y, text, *rest)

    monkeypatch.setattr(next_step, "draw_text", watched)
    harness.ui.snapshot = with_fields(harness.ui.snapshot, phase=FLOWING, progress=0.3)
    harness.ui.control.transport.pause(True)
    harness.frame(1)
    assert "Paused: Space continues" in written


def on_its_way(harness: PanelHarness) -> Snapshot:
    """The whole experiment runs by itself: only the reset is possible."""
    actions = tuple(replace(action, enabled=action.name == "reset") for action in harness.ui.snapshot.run.actions)
    return with_fields(harness.ui.snapshot, progress=0.3, phase=FLOWING, actions=actions)


def test_run_all_of_a_run_that_was_paused_on_its_way_continues_it_without_a_refusal(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: dict[str, tuple[bool, str]] = {}
    plain = next_step.button

    def watched(ui: Ui, name: str, label: str, **more: Any) -> bool:
        offered[name] = more["enabled"], str(more["help"])
        return plain(ui, name, label, **more)

    monkeypatch.setattr(next_step, "button", watched)
    ui = harness.ui
    ui.snapshot = on_its_way(harness)
    harness.frame(2)
    assert offered["action.run"] == (False, "What Run all does.")
    ui.control.transport.pause(True)
    harness.frame(2)
    assert offered["action.run"] == english((True, CONTINUES))
    assert not offered["action.open"][0]
    harness.click("action.run")
    assert (harness.commands, ui.control.transport.paused) == ([], False)
    ui.control.transport.pause(True)
    (key,) = (key for key in scene_keys(ui.snapshot) if key.name == "act_run")
    assert key.act is not None
    key.act(ui)
    assert (harness.commands, ui.control.transport.paused) == ([], False)
    key.act(ui)  # not paused: the engine says why it is refused
    assert harness.commands == [Act("run")]


def test_an_action_that_has_to_wait_stays_on_the_large_button_which_is_grey_and_says_why(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: dict[str, tuple[bool, str, str]] = {}
    plain = next_step.button

    def watched(ui: Ui, name: str, label: str, **more: Any) -> bool:
        offered[name] = more["enabled"], str(label), str(more["help"])
        return plain(ui, name, label, **more)

    monkeypatch.setattr(next_step, "button", watched)
    free = at_rest(harness, measured=False)
    actions = tuple(
        replace(entry, enabled=False, obstacle="Let go first.") if entry.name == "measure" else entry
        for entry in free.run.actions
    )
    harness.ui.snapshot = with_fields(free, actions=actions)
    harness.frame(2)
    assert offered["next.action"] == (False, "Measure", "Let go first.")
    assert (
        next_step.next_action(with_fields(free, actions=actions)).name == next_step.next_action(free).name == "measure"
    )
    harness.click("next.action")
    assert harness.commands == []


def test_run_all_continues_no_stopped_run_and_begins_those_side_by_side_that_have_not_begun(
    harness: PanelHarness,
) -> None:
    ui, idle = harness.ui, harness.ui.snapshot
    ui.snapshot = with_fields(on_its_way(harness), fault=Fault("The grains fly apart."))
    ui.control.transport.pause(True)
    run = next(action for action in ui.snapshot.run.actions if action.name == "run")
    act(ui, run)
    assert harness.commands == [Act("run")]
    ui.snapshot = on_its_way(harness)
    ui.beside.runs = ui.snapshot, idle
    ui.control.transport.pause(True)
    act(ui, run)
    assert harness.commands == [Act("run")] * 2


def test_disabled_actions_and_the_phase_have_a_ground_that_hides_the_grains(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    grounds: list[tuple[float, float, float, float]] = []
    plain = next_step._draw_ground

    def watched(ui: Ui, low: imgui.ImVec2, size: imgui.ImVec2) -> None:
        grounds.append((low.x, low.y, low.x + size.x, low.y + size.y))
        plain(ui, low, size)

    monkeypatch.setattr(next_step, "_draw_ground", watched)
    harness.frame(1)
    faint = [f"action.{action.name}" for action in harness.ui.snapshot.run.actions if not action.enabled]
    assert faint
    for name in faint:
        assert any(harness.widgets[name] == pytest.approx(ground, abs=0.01) for ground in grounds), name
    assert len(grounds) == len(harness.ui.snapshot.run.actions) + 1


def test_no_widget_of_a_column_is_cut_off_at_the_side(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), size=(1280, 720)) as harness:
        left, _, _, bottom = harness.ui.window.inset
        for name, (x0, y0, x1, y1) in harness.widgets.items():
            in_bar, over_picture = y0 >= 720 - bottom, x0 >= left
            assert in_bar or over_picture or x1 <= left, name
            assert x0 >= 0, name
            assert x1 <= 1280, name
            assert x1 > x0, name
            assert y1 > y0, name


def test_the_tools_fit_under_the_parameters_without_scrolling_at_the_design_size(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), size=(1280, 720)) as harness:
        harness.click("tab.view")
        assert harness.widgets["view.frame"][3] <= 720 - harness.ui.window.inset[3]


def test_no_two_panels_have_the_same_name() -> None:
    names = [panel.name for panel in all_panels()]
    assert len(names) == len(set(names))


def test_the_slope_can_be_shown_only_where_a_scene_has_one() -> None:
    from repose.app.render.passes.measured_slope import measures_slope

    sloped = [name for name in scenes() if measures_slope(snapshot_of(scene=name))]
    assert sorted(sloped) == ["clumps", "heap", "heap3d", "joined"]
    assert not measures_slope(Snapshot())


def test_while_grains_flow_no_reset_stands_large_even_where_the_share_done_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flowing = with_fields(full_snapshot(), phase=FLOWING, progress=None)
    actions = tuple(replace(action, enabled=action.name in ("reset", "run")) for action in flowing.run.actions)
    with open_harness(tmp_path, with_fields(flowing, actions=actions), (1280, 720)) as harness:
        assert "next.progress" in harness.widgets
        assert "next.action" not in harness.widgets
        assert "action.reset" in harness.widgets
        drawn: list[str] = []
        draw_text = next_step.draw_text
        monkeypatch.setattr(next_step, "draw_text", lambda *args: (drawn.append(str(args[2])), draw_text(*args)))
        harness.frame()
        assert "Flowing …" in drawn
        drawn.clear()
        harness.ui.snapshot = with_fields(flowing, actions=actions, compiling=True)
        harness.frame()
        assert drawn == ["Preparing the engine…"], "nothing flows yet"
        harness.ui.snapshot = with_fields(flowing, actions=actions, phase=RESTED)
        harness.frame(2)
        assert "next.action" in harness.widgets


@pytest.mark.parametrize(
    ("needed", "shared"),
    [
        ([300.0, 100.0, 100.0], [300.0, 100.0, 100.0]),  # all have room
        ([500.0, 100.0, 100.0], [300.0, 100.0, 100.0]),  # the statement wraps
        ([500.0, 250.0, 200.0], [210.0, 145.0, 145.0]),  # all wrap
        ([500.0, 300.0, 50.0], [210.0, 240.0, 50.0]),
        ([100.0, 300.0, 300.0], [100.0, 200.0, 200.0]),  # a short statement takes no more than it needs
    ],
)
def test_the_statements_of_outcomes_keep_their_share_beside_long_numbers(
    needed: list[float], shared: list[float]
) -> None:
    assert task.shared_widths(needed, 500.0) == pytest.approx(shared)
