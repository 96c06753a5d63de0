"""The choice of scenes: every preset with its sentence, question and picture, in groups; saved runs with theirs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui
from repose.app.language import translated, use_language
from repose.app.storage import thumbnails
from repose.app.storage.paths import runs_folder
from repose.app.storage.run_saver import RunSaver
from repose.app.ui import file_dialog, recent_runs
from repose.app.ui.dropped_files import take_dropped
from repose.app.ui.panels import all_keys, scenes
from repose.app.ui.panels.runs import open_file
from repose.app.ui.panels.scenes import choose_preset
from repose.app.ui.questions import answer, is_losing, open_question
from repose.app.ui.recent_runs import RecentRuns
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Copy, SetParameters, Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.io import presets

from tests.app.ui.panels.panel_harness import PanelHarness
from tests.snapshots import put, with_fields


def press(harness: PanelHarness, name: str) -> None:
    act = next(key.act for key in all_keys() if key.name == name)
    assert act is not None
    act(harness.ui)
    harness.frame(3)


def small_picture() -> bytes:
    """A red picture, as the window would draw it."""
    return thumbnails.thumbnail(np.full((400, 640, 3), (200, 30, 30), np.uint8))


@pytest.mark.parametrize("name", presets.names())
def test_every_shipped_preset_has_a_sentence_a_question_and_a_picture(name: str) -> None:
    card = presets.card_of(name)
    assert card.about.endswith((".", "above."))
    assert card.question.endswith("?")
    rows = thumbnails.pixels(thumbnails.of_preset(name))
    assert rows is not None
    assert rows.shape == (thumbnails.SIZE[1], thumbnails.SIZE[0], 4)
    assert rows[..., :3].std() > 5.0  # something is drawn


def test_a_preset_from_another_folder_keeps_its_title_while_the_presets_are_listed_again(harness: PanelHarness) -> None:
    library = harness.ui.work.preset_library
    library.note(presets.PresetCard("/elsewhere/a.toml", "My heap", "heap"))
    library.refresh()
    assert str(library.titles[library.current]) == "My heap"


def awaited(harness: PanelHarness) -> str:
    """The preset that was requested; empty for none."""
    awaited = harness.ui.work.preset_library.awaited
    return awaited[-1].preset if awaited else ""


def test_one_key_opens_the_choice_and_a_click_starts_the_preset(harness: PanelHarness) -> None:
    harness.ui.snapshot = with_fields(harness.ui.snapshot, progress=None)  # nothing is under way that would be lost
    assert not any(name.startswith("card.") for name in harness.widgets)
    press(harness, "scenes")
    shown = [name for name in harness.widgets if name.startswith("card.")]
    assert {"card.thesis-heap", "card.moon", "card.as-printed"} <= set(shown)
    harness.click("card.moon")
    assert [command.values for command in harness.commands if isinstance(command, Start)] == [{"gravity": 1.62}]
    assert awaited(harness) == "moon"
    assert harness.ui.mode.overlay == ""
    assert not any(name.startswith("card.") for name in harness.widgets)
    assert harness.ui.program.broken == {}


def test_a_button_scrolls_to_a_group_far_below(harness: PanelHarness) -> None:
    press(harness, "scenes")
    assert "card.bounce" not in harness.widgets  # out of sight
    harness.click("scenes.to.Checks against closed forms")
    harness.frame(2)
    assert 0.0 < harness.widgets["card.bounce"][1] < harness.ui.window.size[1]


@pytest.mark.parametrize("where", ["pictures", "list"])
def test_a_preset_replaces_a_run_with_something_to_lose_only_after_a_yes(harness: PanelHarness, where: str) -> None:
    def choose() -> None:
        if where == "pictures":
            press(harness, "scenes")
            harness.click("card.moon")
        else:
            harness.click("experiment.preset")
            harness.click("experiment.preset.moon")

    def started() -> int:
        return sum(isinstance(command, Start) for command in harness.commands)

    untouched = harness.ui.snapshot
    for busy in (with_fields(untouched, progress=None, commands=1), with_fields(untouched, progress=0.4, commands=0)):
        harness.ui.snapshot = busy
        choose()
        question = open_question(harness.ui)
        assert question is not None
        assert "Start Moon?" in str(question.text)
        assert is_at_pointer(harness)
        press(harness, "no")
        assert started() == 0
        assert awaited(harness) == ""
    choose()
    press(harness, "yes")
    assert (started(), awaited(harness)) == (1, "moon")


def is_at_pointer(harness: PanelHarness) -> bool:
    """Whether the question is where the click was, with no button under the pointer."""

    def is_inside(name: str) -> bool:
        x0, y0, x1, y1 = harness.widgets[name]
        return x0 <= mouse.x <= x1 and y0 <= mouse.y <= y1

    harness.frame(2)
    mouse = imgui.get_mouse_pos()
    return is_inside("question") and not any(map(is_inside, ("question.yes", "question.no")))


def test_what_was_saved_is_not_lost_when_another_run_replaces_it(harness: PanelHarness, tmp_path: Path) -> None:
    experiment = new_experiment("heap", {"grain_count": 5, "width": 0.02}, seed=9)
    apply(experiment, SetParameters({"friction": 0.3}))
    saver = harness.ui.work.run_saver = RunSaver(lambda command: command.take(saved_copy(experiment)))
    saver.begin()
    snapshot = harness.ui.snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    assert is_losing(harness.ui)
    saver.save(str(tmp_path / "kept.repose"))
    saver.end()
    assert not saver.trouble
    assert not is_losing(harness.ui)
    apply(experiment, SetParameters({"friction": 0.4}))
    take_snapshot(experiment, snapshot)
    assert is_losing(harness.ui)


@pytest.mark.parametrize("yes", [True, False])
def test_saving_over_the_file_that_was_opened_asks_over_the_picture(
    harness: PanelHarness, tmp_path: Path, yes: bool
) -> None:
    saver, opened = RunSaver(harness.commands.append), tmp_path / "lecture.repose"
    harness.ui.work.run_saver = saver
    opened.write_text("a run")
    saver.path = str(opened)
    for _ in range(2):  # also after a no
        press(harness, "save_run")
        assert harness.commands == []
        question = open_question(harness.ui)
        assert question is not None
        assert str(question.text).startswith("lecture.repose exists already.")
        assert "question.yes" in harness.widgets
        answer(harness.ui, False)
    press(harness, "save_run")
    answer(harness.ui, yes)
    assert [type(command) for command in harness.commands] == ([Copy] if yes else [])


def test_presets_are_listed_in_the_group_of_their_scene(harness: PanelHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    groups: dict[str, list[str]] = {}
    monkeypatch.setattr(
        scenes, "_draw_group", lambda ui, title, cards: groups.update({str(title): [card.name for card in cards]})
    )
    parameters = harness.ui.control.edits.parameters
    assert parameters is not None
    harness.ui.work.preset_library.take_picture = small_picture
    assert harness.ui.work.preset_library.save("My heap", "heap", parameters, 1)
    press(harness, "scenes")
    assert {"thesis-heap", "large"} <= set(groups["In the plane"])
    assert {"hourglass", "heap-in-space", "goblet"} <= set(groups["In space"])
    spheres = (
        ("hanging-spheres-dmt", "hanging-spheres-jkr"),
        ("rolling-resistance", "sinking-spheres", "sliding-spheres"),
    )
    impacts = (f"impact-{k}" for k in range(1, 9))
    checks = ["bounce", *spheres[0], *impacts, *spheres[1], "slope", "stacked-spheres"]
    assert groups["Checks against closed forms"] == checks
    (own,) = groups["Your presets"]
    assert thumbnails.pixels(thumbnails.of_preset(own)) is not None
    assert sorted(name for group in groups.values() for name in group) == sorted(harness.ui.work.preset_library.cards)


def test_a_preset_of_an_older_version_has_neither_sentence_nor_question(tmp_path: Path) -> None:
    path = tmp_path / "old.toml"
    path.write_text('title = "Old"\nscene = "heap"\n')
    assert presets.card_of(path) == presets.PresetCard(str(path), "Old", "heap")
    preset = presets.load(path)
    assert (preset.about, preset.question) == ("", "")
    assert "question" not in presets.dumps(preset)


def test_a_saved_run_is_listed_with_its_picture_and_read_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harness: PanelHarness
) -> None:
    monkeypatch.setattr(recent_runs, "runs_folder", lambda: tmp_path / "runs")
    (tmp_path / "runs").mkdir()
    saved = saved_copy(new_experiment("heap", {"grain_count": 5, "width": 0.02}, seed=9))
    elsewhere, spoilt = tmp_path / "heap-of-mine.repose", tmp_path / "runs" / "spoilt.repose"
    with elsewhere.open("wb") as file:
        saved_run.write(saved, file, small_picture())
    saved_run.save(saved, tmp_path / "runs" / "plain.repose")
    spoilt.write_bytes(b"PK no archive")
    assert saved_run.load(elsewhere).log.seed == 9
    saver = RunSaver(harness.commands.append, used=[str(elsewhere)])
    recent = harness.ui.work.recent_runs = RecentRuns(harness.ui.settings)
    recent.see(saver)
    recent.wait()
    assert harness.ui.settings.choices.recent_runs == [str(elsewhere.resolve())]
    found = {run.path.name: run for run in recent.runs}
    assert set(found) == {"heap-of-mine.repose", "plain.repose"}
    assert "Heap, seed 9, t = 0.00 s" in str(found["heap-of-mine.repose"].words)
    use_language("de")
    assert "Startwert 9, t = 0,00 s" in translated(found["heap-of-mine.repose"].words)
    use_language("en")
    assert thumbnails.pixels(found["heap-of-mine.repose"].picture) is not None
    assert found["plain.repose"].picture == b""
    monkeypatch.setattr(recent, "refresh", lambda: None)
    press(harness, "recent_runs")
    (card,) = (name for name in harness.widgets if name.startswith("card.heap-of-mine"))
    harness.click(card)
    question = open_question(harness.ui)
    assert question is not None, "the run in the window is replaced without a word"
    assert "heap-of-mine.repose" in str(question.text)
    assert harness.ui.mode.overlay == ""


def test_a_run_without_a_preset_has_the_title_of_its_scene_in_the_language_of_the_window(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, shown = imgui.begin_combo, list[str]()

    def noted(name: str, preview: str, *flags: int) -> bool:
        shown.append(preview)
        return bool(begin(name, preview, *flags))

    monkeypatch.setattr(imgui, "begin_combo", noted)
    harness.ui.work.preset_library.forget()
    use_language("de")
    harness.frame()
    use_language("en")
    assert "Haufen" in shown
    assert "Heap" not in shown


@pytest.mark.parametrize("picture", [b"", b"RIFFxxxxWEBPbroken", b"\x89PNG", bytes(2 * thumbnails.LARGEST_FILE)])
def test_data_that_are_not_a_picture_are_ignored(picture: bytes) -> None:
    assert thumbnails.pixels(picture) is None


class Answer:
    """A dialog of the system that was answered."""

    def __init__(self, answer: list[str] | str) -> None:
        self.answer = answer

    def ready(self, timeout: int) -> bool:
        return True

    def result(self) -> list[str] | str:
        return self.answer


def dialogs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Title and proposed path of every dialog that is opened from now on; each is answered at once."""
    from imgui_bundle import portable_file_dialogs

    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(file_dialog, "why_none", lambda: "")

    def answered(chosen: list[str] | str) -> Callable[..., Answer]:
        return lambda title, path, filters: (asked.append((title, path)), Answer(chosen))[1]

    monkeypatch.setattr(portable_file_dialogs, "open_file", answered(["a.repose"]))
    monkeypatch.setattr(portable_file_dialogs, "save_file", answered("b.repose"))
    return asked


def test_the_dialog_of_the_system_selects_files_to_open_and_to_save(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, opened = dialogs(monkeypatch), []
    saved: list[tuple[str, bool]] = []
    put(harness.ui.snapshot, step=0)
    monkeypatch.setattr(harness.ui.work.run_saver, "open", opened.append)
    monkeypatch.setattr(harness.ui.work.run_saver, "save", lambda path, asked=False: saved.append((path, asked)))
    harness.click("tab.runs")
    harness.click("runs.open")
    harness.click("runs.save_as")
    harness.frame(2)
    assert [str(title) for title, _ in asked] == ["Open a run", "Save the run"]
    assert Path(asked[0][1]) == runs_folder()
    assert (opened, saved) == (["a.repose"], [("b.repose", True)])
    assert not file_dialog.is_open(harness.ui)


@pytest.mark.parametrize("shown", ["plots", "all parameters", "presentation", "no panels"])
def test_a_run_chosen_in_the_dialog_is_opened_whatever_the_window_shows(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch, shown: str
) -> None:
    asked, opened = dialogs(monkeypatch), []
    monkeypatch.setattr(harness.ui.work.run_saver, "open", opened.append)
    put(harness.ui.snapshot, step=0)
    harness.click("tab.plots")
    if shown == "all parameters":
        harness.click("parameters.more")
    harness.ui.mode.presenting = shown == "presentation"
    harness.ui.view.ui_visible = shown != "no panels"
    press(harness, "open_run")
    assert len(asked) == 1
    assert opened == ["a.repose"]


def test_a_saved_run_dropped_on_the_window_is_opened_after_the_question(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[str] = []
    path = tmp_path / "heap.REPOSE"
    path.touch()
    monkeypatch.setattr(harness.ui.work.run_saver, "open", opened.append)
    harness.ui.snapshot = with_fields(harness.ui.snapshot, step=100, progress=0.5)
    assert not take_dropped(harness.ui, str(path))
    assert opened == []
    question = open_question(harness.ui)
    assert question is not None
    assert str(question.text).startswith("Open heap.REPOSE?")
    answer(harness.ui, True)
    assert opened == [str(path)]


def test_what_cannot_be_opened_or_started_is_refused_without_a_question(harness: PanelHarness, tmp_path: Path) -> None:
    ui = harness.ui
    ui.work.run_saver = RunSaver(harness.commands.append)
    ui.snapshot = with_fields(ui.snapshot, step=100, progress=0.5)
    for missing in ("", "/", str(tmp_path / "missing.repose"), str(tmp_path / ("x" * 400)), str(tmp_path / "a\0b")):
        assert not ui.work.run_saver.is_file(missing)
    open_file(ui, str(tmp_path / "missing.repose"))
    assert open_question(ui) is None
    assert ui.work.run_saver.opening  # the thread of the saver says that there is no such file
    damaged = tmp_path / "damaged.toml"
    damaged.write_text('scene = "heap"\n[parameters]\nfriction = 99\n')
    choose_preset(ui, str(damaged))
    assert open_question(ui) is None
    assert "99" in str(ui.work.preset_library.trouble)
    damaged.write_text('scene = "heap"\n[parameters]\nfriction = 0.9\n')
    choose_preset(ui, str(damaged))
    assert open_question(ui) is not None


def test_without_a_dialog_program_the_path_is_typed(harness: PanelHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(file_dialog, "why_none", lambda: "No program for choosing files is installed.")
    monkeypatch.setattr(harness.ui.work.run_saver, "open", lambda path: opened.append(path))
    put(harness.ui.snapshot, step=0)
    harness.click("tab.runs")
    harness.click("runs.save_as")  # it is greyed
    assert not file_dialog.is_open(harness.ui)
    harness.ui.work.run_saver.path = "typed.repose"
    harness.click("runs.open")
    assert opened == ["typed.repose"]


def test_a_presentation_that_begins_leaves_its_controls_below_the_choice_of_scenes(harness: PanelHarness) -> None:
    harness.ui.mode.overlay = scenes.PANEL.name
    harness.settle()
    harness.ui.mode.presenting = True
    harness.settle()
    find, place = imgui.internal.find_window_by_name, imgui.internal.find_window_display_index
    assert place(find("chips")) < place(find("scenes")), "the later window is drawn over the other one"
