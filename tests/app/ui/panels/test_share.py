"""Sharing in the window: code, QR code and command line name the experiment shown; a code of others starts it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from imgui_bundle import imgui
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import headless_job
from repose.app.jobs.headless_plan import Job
from repose.app.storage.paths import runs_folder
from repose.app.storage.run_saver import RunSaver
from repose.app.ui.panels import all_keys
from repose.app.ui.panels.share import CodeEntry
from repose.app.ui.sharing import command_line
from repose.app.ui.toasts import current_toasts
from repose.sim.experiment.commands import Start
from repose.sim.io import presets
from repose.sim.io.presets import Preset
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness
from tests.english import english
from tests.snapshots import with_fields


def press(harness: PanelHarness, name: str) -> None:
    act = next(key.act for key in all_keys() if key.name == name)
    assert act is not None
    act(harness.ui)
    harness.frame(3)


@pytest.fixture
def shared(harness: PanelHarness) -> PanelHarness:
    """The window with μ = 0.3 and seed 5, nothing to lose."""
    parameters = scenes()["heap"].parameters.checked({"friction": 0.3})
    harness.ui.snapshot = with_fields(harness.ui.snapshot, parameters=parameters, seed=5, ready="column", progress=None)
    return harness


def test_the_copied_code_is_the_experiment_shown(shared: PanelHarness) -> None:
    press(shared, "share")
    shared.click("share.copy")
    found = presets.load(imgui.get_clipboard_text())
    assert (found.scene, found.seed, found.ready, found.values) == ("heap", 5, "column", {"friction": 0.3})
    assert "on the clipboard" in str(current_toasts(shared.ui)[-1].text)
    press(shared, "copy_command_line")
    # `--seed 5 --ready` is refused: the container that is filled has the grains of seed 1.
    assert imgui.get_clipboard_text() == f"repose run --preset {presets.code_of(found)} --ready"
    shared.ui.snapshot = with_fields(shared.ui.snapshot, seed=1)
    press(shared, "copy_command_line")
    assert imgui.get_clipboard_text() == "repose run heap --seed 1 --set=friction=0.3 --ready"


def test_the_code_of_runs_side_by_side_is_all_of_them_or_says_why_there_is_none(shared: PanelHarness) -> None:
    ui, declared = shared.ui, scenes()["heap"].parameters
    first = ui.snapshot
    ui.beside.runs = tuple(
        with_fields(first, parameters=declared.checked({"gravity": 1.62, "friction": mu})) for mu in (0.1, 0.4)
    )
    press(shared, "copy_code")
    code = imgui.get_clipboard_text()
    found = presets.load(code)
    assert (found.seed, found.ready, found.values) == (5, "column", {"gravity": 1.62})
    assert found.side_by_side == {"friction": (0.1, 0.4)}
    assert presets.card_of(code).together
    press(shared, "copy_command_line")
    assert imgui.get_clipboard_text() == f"repose open {code}"
    assert "side by side" in str(current_toasts(ui)[-1].text)
    ui.beside.runs = (first, with_fields(first, seed=6))
    for action in ("copy_code", "copy_command_line"):
        press(shared, action)
        assert str(current_toasts(ui)[-1].text).partition(":")[0] == "A code cannot describe these runs"


def test_a_pasted_code_starts_its_experiment_and_a_damaged_one_says_why(shared: PanelHarness) -> None:
    press(shared, "share")
    code = presets.code_of(Preset("", "", "heap", 9, {"gravity": 1.62}))
    for typed, started in ((code[:-3], 0), (code.replace("repose1", "repose3"), 0), (code, 1)):
        shared.ui.states[CodeEntry].text = typed
        shared.frame(2)
        shared.click("share.open")
        starts = [command for command in shared.commands if isinstance(command, Start)]
        assert len(starts) == started
    assert (starts[0].seed, starts[0].values) == (9, {"gravity": 1.62})
    told = [str(toast.text) for toast in current_toasts(shared.ui)]
    assert any("checksum" in str(text) for text in told)
    assert any("newer version" in str(text) for text in told)
    assert shared.ui.mode.overlay == ""
    library = shared.ui.work.preset_library
    assert english([library.titles[awaited.preset] for awaited in library.awaited]) == ["Heap, shared"]


def test_the_qr_code_is_saved_with_the_code_inside(shared: PanelHarness) -> None:
    shared.ui.work.run_saver = saver = RunSaver(lambda command: None)
    press(shared, "share")
    assert "share.qr" in shared.widgets
    shared.click("share.save")
    saver._jobs.put(None)
    saver._work()
    assert str(saver.message).startswith("QR code written to")
    found = sorted(path.name for path in runs_folder().glob("heap-code-1.*"))
    assert found == ["heap-code-1.png", "heap-code-1.svg"]
    text = next(ElementTree.parse(runs_folder() / "heap-code-1.svg").iter("{http://www.w3.org/2000/svg}desc")).text
    assert presets.load(str(text)).values == {"friction": 0.3}
    assert (runs_folder() / "heap-code-1.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_that_a_code_cannot_contain_says_so_in_its_place(harness: PanelHarness, tmp_path: Path) -> None:
    mesh = tmp_path / "bowl.obj"
    mesh.write_text("v -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3\nf 1 3 4\n")
    parameters = scenes()["vessel"].parameters.checked({"mesh": str(mesh)})
    harness.ui.snapshot = with_fields(harness.ui.snapshot, scene="vessel", parameters=parameters, ready=None)
    press(harness, "share")
    assert "share.qr" not in harness.widgets
    press(harness, "copy_code")
    assert "bowl.obj, a file of one machine" in str(current_toasts(harness.ui)[-1].text)


@pytest.mark.parametrize(
    "name",
    [name for name in presets.names() if (found := presets.load(name)).scene != "vessel" and not found.side_by_side],
)
def test_the_command_line_of_every_preset_runs_the_same_experiment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    preset, jobs = presets.load(name), list[Job]()
    monkeypatch.setattr(headless_job, "run_job", lambda job: jobs.append(job) or 0)
    words = shlex.split(command_line(preset))
    assert words[0] == "repose"
    assert run_command_line(words[1:]) == 0
    (job,) = jobs
    declared = scenes()[preset.scene].parameters
    assert (job.scene, job.seed, job.ready) == (preset.scene, preset.seed, preset.ready)
    assert declared.checked(job.values) == declared.checked(preset.values)


RUN = ("thesis-heap", "bounce", "drum", "janssen", "slope", "hourglass", "rotating-grains", "honey", "impact-3", "beam")
"""Presets of ten kinds: scenes, laws, integrators, bonds, a ready state."""


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_what_the_command_line_of_a_preset_runs_has_the_same_bits(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    preset, found = presets.load(name), []
    ready = ["--ready"] if preset.ready else []
    lines = (shlex.split(command_line(preset))[1:], ["run", "--preset", name, *ready])
    for number, words in enumerate(lines):
        rest = ["--until", "0.02", "--no-picture", "--json", "--out", str(tmp_path / str(number))]
        assert run_command_line([*words, *rest]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["steps"] > 0
    assert found[0]["seed"] == preset.seed
    assert found[0]["state_hash"] == found[1]["state_hash"]


def test_modules_of_the_qr_code_are_drawn_where_they_are(shared: PanelHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    from repose.app.ui import qr_code

    drawn: list[tuple[int, int, int]] = []

    class List:
        def add_rect_filled(self, low: imgui.ImVec2, high: imgui.ImVec2, colour: int) -> None:
            if colour == qr_code.BLACK:
                step = high.y - low.y
                drawn.extend(
                    (round(low.x + k * step), round(low.y), round(step)) for k in range(round((high.x - low.x) / step))
                )

    real = imgui.get_window_draw_list
    code = presets.code_of(Preset("", "", "heap", 9))
    press(shared, "share")
    assert drawn == []
    monkeypatch.setattr(qr_code.imgui, "get_window_draw_list", lambda: List())
    origin = imgui.ImVec2(10.0, 20.0)
    monkeypatch.setattr(qr_code.imgui, "get_cursor_screen_pos", lambda: origin)
    monkeypatch.setattr(qr_code.imgui, "dummy", lambda size: None)
    monkeypatch.setattr(shared.ui.probe, "mark", lambda name: None)
    qr_code.draw_qr(shared.ui, "share.qr", code, 400.0)
    monkeypatch.undo()
    assert imgui.get_window_draw_list is real
    step = drawn[0][2]
    rows = np.array([*qr_code.qr_of(code).matrix], bool)
    wanted = {
        (10 + step * (x + qr_code.QUIET), 20 + step * (y + qr_code.QUIET), step) for y, x in zip(*np.nonzero(rows))
    }
    assert set(drawn) == wanted
