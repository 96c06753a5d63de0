"""Every panel draws on an empty and on a full snapshot without doing anything; a click does what it says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from imgui_bundle import imgui
from repose.app.render.passes.force_chains import FORCE_CHAINS
from repose.app.ui.panels import Panel, all_panels, experiment, plots, stability
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import Act, SetParameters, Start, UseThreads
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Reading
from repose.sim.registry import scenes

from tests.app.ui.panels.stage import Stage, full_snapshot, open_stage


def draw_alone(panel: Panel) -> object:
    def draw(ui: Ui) -> None:
        imgui.set_next_window_size(imgui.ImVec2(300, 700))
        imgui.begin("alone")
        panel.draw(ui)
        imgui.end()

    return draw


@pytest.mark.parametrize("panel", all_panels(), ids=lambda panel: panel.name)
@pytest.mark.parametrize("snapshot", [Snapshot(), full_snapshot()], ids=["empty", "full"])
def test_a_panel_draws_without_asking_for_anything(panel: Panel, snapshot: Snapshot, tmp_path: Path) -> None:
    with open_stage(tmp_path, snapshot, draw=draw_alone(panel)) as stage:
        stage.ui.help_open = True
        stage.frame(3)
        assert stage.commands == []
        assert stage.runner.told == []
        assert stage.ui.memory["done"] == []


def test_all_panels_are_found() -> None:
    assert {"experiment", "parameters", "transport", "plots", "stability", "view", "record", "help"} <= {
        panel.name for panel in all_panels()
    }


@pytest.mark.parametrize("size", [(1280, 720), (2560, 1440), (800, 600), (64, 64), (1, 5000)])
@pytest.mark.parametrize("snapshot", [Snapshot(), full_snapshot()], ids=["empty", "full"])
def test_the_whole_window_draws_at_any_size(size: tuple[int, int], snapshot: Snapshot, tmp_path: Path) -> None:
    with open_stage(tmp_path, snapshot, size=size) as stage:
        stage.ui.help_open = True
        stage.frame(3)
        assert stage.ui.broken == {}
        assert stage.commands == []


def test_what_is_folded_stays_folded_at_the_next_start(tmp_path: Path) -> None:
    with open_stage(tmp_path, full_snapshot()) as stage:
        stage.click("parameters.more")
        assert "field.normal_damping" in stage.widgets
        stage.click("group.Contact", share=0.1)
        stage.click("group.Model", share=0.1)
        assert stage.ui.settings.save()
    with open_stage(tmp_path, full_snapshot()) as stage:
        assert "field.friction" not in stage.widgets
        assert "field.exponent" in stage.widgets
        assert "field.gravity" in stage.widgets


@pytest.mark.parametrize("name", ["open", "measure", "reset", "run"])
def test_an_action_button_fires_its_action(stage: Stage, name: str) -> None:
    stage.click(f"action.{name}")
    assert stage.commands == [Act(name)]


def test_a_disabled_action_button_does_nothing(stage: Stage) -> None:
    stage.click("action.fill")
    assert stage.commands == []


def test_transport_buttons_reach_the_clock(stage: Stage) -> None:
    stage.click("transport.faster")
    stage.click("transport.slower")
    stage.click("transport.step")
    assert stage.runner.told == [("speed", 2.0), ("speed", 1.0), ("pause", True), ("step", 1)]
    stage.click("transport.pause")
    assert stage.runner.told[-1] == ("pause", False)


def test_the_speed_slider_reaches_as_fast_as_possible_and_slow_motion(stage: Stage) -> None:
    stage.drag("transport.speed", 0.5, 1.0)
    assert stage.runner.told[-1] == ("speed", None)
    stage.drag("transport.speed", 0.9, 0.0)
    assert stage.runner.told[-1] == ("speed", 0.01)


def test_the_number_of_threads_is_shown_chosen_and_kept(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stability, "most_threads", lambda: 4)
    offered: list[dict[str, str]] = []
    plain = stability.choose
    monkeypatch.setattr(stability, "choose", lambda ui, *given: (offered.append(given[2]), plain(ui, *given))[1])
    stage.ui.snapshot.threads_wanted = 3
    stage.click("stability.dot")
    stage.click("stability.threads")
    assert offered[-1] == {"0": "automatic (3)", "1": "1", "2": "2", "3": "3", "4": "4"}
    stage.click("stability.threads.2")
    assert stage.commands == [UseThreads(2)]
    assert stage.ui.settings.choices.threads == 2
    stage.click("stability.threads")
    stage.click("stability.threads.0")
    assert stage.commands[-1] == UseThreads(None)
    assert stage.ui.settings.choices.threads == 0


def test_the_tabs_chosen_are_shown_at_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_stage(tmp_path, full_snapshot()) as first:
        assert "window.text" not in first.widgets
        first.click("plots.contacts")
        first.click("tab.appearance")
        assert first.ui.settings.save()
    plotted: list[str] = []
    plain = plots.draw_over_time

    def noted(ui: Ui, label: str, *given: object, **options: object) -> None:
        plotted.append(label)
        plain(ui, label, *given, **options)

    monkeypatch.setattr(plots, "draw_over_time", noted)
    with open_stage(tmp_path, full_snapshot()) as second:
        assert "window.text" in second.widgets
        second.click("tab.plots")
        assert "contacts per grain Z" in plotted
        second.click("tab.record")
        assert "window.text" not in second.widgets


def test_choosing_a_preset_starts_it_and_forgets_the_history(stage: Stage) -> None:
    stage.ui.edits.set({"friction": 0.3})
    stage.commands.clear()
    stage.click("experiment.preset")
    stage.click("experiment.preset.moon")
    (start,) = stage.commands
    assert isinstance(start, Start)
    assert start.values == {"gravity": 1.62}
    assert stage.ui.settings.choices.preset == "moon"
    assert stage.ui.edits.history.undoable == []


def test_a_saved_preset_appears_in_the_list(stage: Stage) -> None:
    stage.ui.snapshot = replace(stage.ui.snapshot, parameters=stage.ui.snapshot.parameters.changed(friction=0.37))
    stage.click("tab.runs")
    stage.click("experiment.save")
    stage.write("My heap")
    path = stage.ui.preset_library.folder / "my-heap.toml"
    assert "friction = 0.37" in path.read_text(encoding="utf-8")
    assert stage.ui.preset_library.titles[str(path)] == "My heap"


def test_a_preset_name_that_is_a_path_is_refused_in_words(stage: Stage) -> None:
    stage.click("tab.runs")
    stage.click("experiment.save")
    stage.write("../../evil")
    assert "cannot be a preset's name" in stage.ui.preset_library.trouble
    assert not stage.ui.preset_library.folder.exists()


@pytest.mark.parametrize("text", ["-1", "x", "x10", "1.5", str(2**64)])
def test_a_seed_that_is_none_is_refused(stage: Stage, text: str) -> None:
    stage.click("experiment.seed")
    stage.write(text)
    assert stage.commands == []
    assert "seed" in stage.ui.preset_library.trouble


def test_a_new_seed_starts_the_same_experiment_anew(stage: Stage) -> None:
    stage.click("experiment.new_seed")
    assert stage.commands == [Start("heap", {}, 4)]


def test_view_choices_change_the_view_and_are_kept(stage: Stage) -> None:
    stage.click("tab.view")
    stage.click("view.show_force_chains", share=0.1)
    stage.click("view.colour")
    stage.click("view.colour.force")
    assert FORCE_CHAINS.is_on(stage.ui.view)
    assert stage.ui.view.colour_by == "force"
    assert stage.ui.settings.choices.view.shown == {"force_chains": True}
    assert stage.ui.settings.choices.view.colour_by == "force"
    assert stage.commands == []


def test_theme_and_text_size_can_be_chosen(stage: Stage) -> None:
    stage.click("tab.appearance")
    stage.click("window.theme.projector")
    stage.drag("window.text", 0.3, 1.0)
    assert stage.ui.settings.choices.theme == "projector"
    assert stage.ui.settings.choices.font_scale == 2.0


def test_a_film_that_cannot_begin_says_why(stage: Stage) -> None:
    stage.click("tab.record")
    stage.click("record.button")
    assert stage.ui.film.trouble == "nothing is filmed here"
    assert not stage.ui.film.running


def test_an_unstable_time_step_offers_the_automatic_one(stage: Stage) -> None:
    parameters = stage.ui.snapshot.parameters.changed(dt=1e-4)
    stage.ui.snapshot = replace(stage.ui.snapshot, parameters=parameters, dt=1e-4, omega_dt=1.1)
    stage.frame(3)
    stage.click("stability.dot")  # open by itself since the dot has turned red
    assert "stability.auto" not in stage.widgets
    stage.ui.snapshot = replace(stage.ui.snapshot, omega_dt=0.1)
    stage.frame(3)
    stage.ui.snapshot = replace(stage.ui.snapshot, dt_warning="Over the 20 µs that the contacts bear.")
    stage.frame(3)
    stage.click("stability.auto")
    assert stage.commands == [SetParameters({"dt": "auto"})]


def test_the_dot_opens_when_it_turns_amber_and_the_published_hourglass_keeps_its_own_overlap(stage: Stage) -> None:
    for scene, amber in (("hourglass", False), ("hourglass_glass", True), ("heap", True)):
        stage.ui.snapshot = replace(stage.ui.snapshot, scene=scene, largest_overlap=0.01)
        stage.frame(2)
        assert "stability.gauge" not in stage.widgets
        stage.ui.snapshot = replace(stage.ui.snapshot, largest_overlap=0.28)
        stage.frame(2)
        assert ("stability.gauge" in stage.widgets) == amber


def test_readings_of_the_packing_stay_beside_a_measured_slope(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[tuple[str, str]] = []
    monkeypatch.setattr(experiment, "row", lambda left, right, *rest: rows.append((left, right)))
    stage.ui.snapshot.readings = (Reading("grains left", 100.0),)
    stage.ui.snapshot.bulk_readings = (Reading("pressure P", 95.94321, "N/m", help="Where."),)
    stage.frame(1)
    assert ("pressure P", "95.94 N/m") in rows
    assert "grains left" not in dict(rows)


def test_no_widget_of_a_column_is_cut_off_at_the_side(tmp_path: Path) -> None:
    with open_stage(tmp_path, full_snapshot(), size=(1280, 720)) as stage:
        left, _, _, bottom = stage.ui.inset
        for name, (x0, y0, x1, y1) in stage.widgets.items():
            in_bar, over_picture = y0 >= 720 - bottom, x0 >= left
            assert in_bar or over_picture or x1 <= left, name
            assert x0 >= 0, name
            assert x1 <= 1280, name
            assert x1 > x0, name
            assert y1 > y0, name


def test_the_tools_fit_under_the_parameters_without_scrolling_at_the_design_size(tmp_path: Path) -> None:
    with open_stage(tmp_path, full_snapshot(), size=(1280, 720)) as stage:
        stage.click("tab.view")
        assert stage.widgets["view.frame"][3] <= 720 - stage.ui.inset[3]


def test_the_panels_module_names_nothing_twice() -> None:
    names = [panel.name for panel in all_panels()]
    assert len(names) == len(set(names))


def test_the_slope_can_be_shown_only_where_a_scene_has_one() -> None:
    from repose.app.render.passes.measurement import measures_slope

    assert [name for name in scenes() if measures_slope(Snapshot(scene=name))] == ["heap", "heap3d"]
    assert not measures_slope(Snapshot())
