"""The panel of the clump workshop, without a window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui
from repose.app.render.theme import PALETTES, interface_scale
from repose.app.ui import file_dialog, widgets
from repose.app.ui.clump_recipe import Workshop
from repose.app.ui.dropped_files import take_dropped
from repose.app.ui.panels import all_keys, edits_shown, workshop
from repose.app.ui.questions import answer, open_question
from repose.app.ui.ui import Ui
from repose.sim.clumps.clump_file import read_clump
from repose.sim.experiment.commands import Act, Start
from repose.sim.message import Message

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.app.ui.test_clump_recipe import change, wait
from tests.english import english
from tests.tiers import tiered


def small_clump(folder: Path, members: int = 6) -> Workshop:
    """A workshop with a small clump."""
    made = Workshop(folder=folder)
    change(made, cells=16, members=members)
    return made


def opened(harness: PanelHarness, folder: Path, members: int = 6) -> Workshop:
    """The workshop opened by its key, with a small clump."""
    return shown(harness, small_clump(folder, members))


def shown(harness: PanelHarness, made: Workshop) -> Workshop:
    """This workshop opened by its key."""
    harness.ui.work.workshop = made
    act = next(key.act for key in all_keys() if key.name == "workshop")
    assert act is not None
    act(harness.ui)
    harness.frame(3)
    assert harness.ui.mode.overlay == "workshop"
    return harness.ui.work.workshop


def test_it_takes_the_place_of_the_column_and_sends_nothing(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        assert "field.friction" in harness.widgets
        opened(harness, tmp_path)
        assert "field.friction" not in harness.widgets
        assert {"field.members", "field.cells", "workshop.pour", "workshop.plot"} <= set(harness.widgets)
        assert "field.rho" not in harness.widgets  # of the other algorithm
        assert not any(name.startswith("action.") for name in harness.widgets)
        harness.click("workshop.close")
        assert "field.friction" in harness.widgets
        assert harness.commands == []
        assert harness.ui.program.broken == {}


def test_a_slider_changes_the_recipe_and_undo_takes_it_back(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        made = opened(harness, tmp_path)
        harness.drag("field.members", 0.2, 0.3)
        assert made.recipe.members != 6
        undo = next(key.act for key in all_keys() if key.name == "undo")
        assert undo is not None
        with workshop.with_edits(harness.ui, edits_shown(harness.ui)):
            undo(harness.ui)
        assert made.recipe.members == 6
        assert harness.ui.control.edits.history.undoable == []
        harness.ctrl_click("field.members")
        harness.write("0")
        harness.rest()
        assert "from 1 to 2000" in str(made.edits.refusals["members"])
        assert harness.commands == []
        wait(lambda: not made.working)


def test_pouring_saves_the_clump_and_asks_before_it_replaces_a_run(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        made = opened(harness, tmp_path)
        harness.click("workshop.pour")
        assert harness.commands == []
        assert open_question(harness.ui) is not None
        answer(harness.ui, True)
        harness.frame(3)
        start, fill = harness.commands
        assert isinstance(start, Start)
        assert start.scene == "clumps"
        assert made.made is not None
        assert len(read_clump(str(start.values["clump"])).clump.radius) == len(made.made.clump.radius)
        assert fill == Act("fill")
        assert harness.ui.mode.overlay == ""


def test_a_clump_of_too_many_spheres_is_not_poured_but_exported(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        made = opened(harness, tmp_path)
        change(made, algorithm="greedy", rho=0.05, members=250)
        harness.frame(2)
        assert made.made is not None
        assert len(made.made.clump.radius) > workshop.MOST_POURED
        harness.click("workshop.pour")
        assert (harness.commands, open_question(harness.ui)) == ([], None)
        harness.click("workshop.export")
        harness.click("workshop.export.txt")
        assert len((tmp_path / "cube-250-1.txt").read_text().splitlines()) == 251


def test_a_clump_that_falls_apart_is_not_poured_until_pieces_are_allowed(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        made = opened(harness, tmp_path)
        assert "field.allow_pieces" not in harness.widgets
        change(made, shape="torus", cells=24, members=5)
        harness.frame(3)
        assert made.made is not None
        assert made.made.pieces == 5  # it is shown
        assert "falls apart into 5 pieces: 8 spheres make one piece" in str(made.apart)
        assert {"workshop.apart", "field.allow_pieces"} <= set(harness.widgets)
        for name in ("workshop.pour", "workshop.export"):
            harness.click(name)
        assert open_question(harness.ui) is None
        assert "workshop.export.json" not in harness.widgets
        number = made.number
        change(made, allow_pieces=True)
        harness.frame(2)
        assert made.number == number  # no other clump is made
        assert "workshop.apart" not in harness.widgets
        harness.click("workshop.pour")
        assert open_question(harness.ui) is not None
        answer(harness.ui, False)
        change(made, allow_pieces=False, members=8)
        harness.frame(2)
        assert english((made.apart, made.is_usable)) == ("", True)
        assert "field.allow_pieces" not in harness.widgets


def test_a_dropped_file_is_the_body_in_the_workshop_only(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        made = opened(harness, tmp_path)
        path = tmp_path / "voxels.npy"
        path.write_bytes(b"no array")
        with workshop.with_edits(harness.ui, edits_shown(harness.ui)):
            assert not take_dropped(harness.ui, str(path))
            assert "'a.txt' is not used: a file that ends in .stl, .obj, .npy, .toml or .repose" in str(
                take_dropped(harness.ui, "a.txt")
            )
        wait(lambda: not made.working)
        assert "no numpy array" in str(made.trouble)
        harness.frame(3)
        assert {"workshop.trouble", "workshop.make", "field.unit"} <= set(harness.widgets)
        harness.ui.mode.overlay = ""
        assert "the clump workshop (W)" in str(take_dropped(harness.ui, str(path)))


def test_a_file_chosen_in_the_dialog_is_the_body(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(file_dialog, "why_none", lambda: "")
    monkeypatch.setattr(file_dialog, "ask_to_open", lambda *given: asked.append(given))
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        made = opened(harness, tmp_path)
        harness.click("field.file.choose")
        (*_, suffixes, act) = asked[0]
        assert suffixes == (".stl", ".obj", ".npy")
        act(str(tmp_path / "bone.stl"))
        assert made.recipe.file == str(tmp_path / "bone.stl")
        wait(lambda: not made.working)
        assert "there is no such file" in str(made.trouble)


SIZES = [((1280, 720), 1.0, "dark"), ((1280, 720), 1.6, "light"), ((1920, 1080), 1.6, "projector")]


@pytest.mark.parametrize(("size", "text", "theme"), tiered(SIZES, fast=SIZES[1:2]))
def test_its_buttons_are_in_sight_and_no_label_is_cut(
    size: tuple[int, int], text: float, theme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut: list[str] = []
    plain = widgets.button

    def button(ui: Ui, name: str, label: Message, **options: Any) -> bool:
        pressed = plain(ui, name, label, **options)
        needed = widgets.symbol_width(label, widgets.RAISED) + widgets.text_width(str(options.get("hint", "")), 0.76)
        if needed > imgui.get_item_rect_max().x - imgui.get_item_rect_min().x:
            cut.append(str(label))
        return pressed

    read: set[str] = set()
    plain_row = widgets.row

    def row(left: Message, right: Message, *given: Any) -> None:
        plain_row(left, right, *given)
        if imgui.is_item_visible() and imgui.get_item_rect_max().y <= size[1]:
            read.add(str(left))

    monkeypatch.setattr(workshop, "button", button)
    monkeypatch.setattr(workshop, "row", row)
    scale = interface_scale(size, 1.0, text, PALETTES[theme])
    with open_harness(tmp_path, full_snapshot(), size, scale=scale) as harness:
        opened(harness, tmp_path)
        floor = size[1] - harness.ui.window.inset[3]
        for name in ("workshop.pour", "workshop.close", "workshop.export"):
            _, _, right, bottom = harness.widgets[name]
            assert bottom <= floor
            assert right <= harness.ui.window.inset[0] + 1.0
        assert cut == []
        assert harness.widgets["workshop.plot"][3] <= floor  # beside the numbers, in sight without scrolling
        assert read & {"overlap IoU", "IoU"}
        assert harness.ui.program.broken == {}
