"""The panel of grain sizes: kinds, numbers and tables that are typed, chosen or dropped, with undo and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from repose.app.ui.dropped_files import take_dropped
from repose.app.ui.panels.sizes import SizesPanel
from repose.sim.experiment.commands import SetParameters
from repose.sim.registry import scenes
from repose.sim.size_distribution import read_sizes

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import with_fields

TWO = "two_sizes by mass: ratio 3, share 50 %"
CURVE = "sieve by mass: 1 mm 0 %, 2 mm 40 %, 4 mm 100 %"


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    with open_harness(tmp_path, with_fields(full_snapshot(), moving_count=0)) as opened:
        opened.ui.mode.overlay = "sizes"
        opened.frame(3)
        yield opened


def value(harness: PanelHarness) -> str:
    return str(harness.ui.control.edits.value("sizes"))


def set_to(harness: PanelHarness, text: str) -> None:
    mean = read_sizes(text).mean_radius
    harness.ui.control.edits.set({"sizes": text} if mean is None else {"sizes": text, "mean_radius": mean})
    harness.frame(3)


def chosen(harness: PanelHarness, name: str, key: str) -> None:
    harness.click(name)
    harness.click(f"{name}.{key}")


def test_the_row_of_the_parameter_opens_and_closes_the_panel(harness: PanelHarness) -> None:
    harness.ui.mode.overlay = ""
    set_to(harness, TWO)  # the rows of parameters that differ from their defaults are always seen
    harness.click("field.sizes")
    assert harness.ui.mode.overlay == "sizes"
    harness.frame()
    harness.click("sizes.close")
    assert harness.ui.mode.overlay == ""


def test_a_kind_is_chosen_with_its_usual_numbers_and_undone(harness: PanelHarness) -> None:
    chosen(harness, "sizes.kind", "two_sizes")
    assert harness.commands == [SetParameters({"sizes": TWO})]
    harness.ui.control.edits.undo()
    assert harness.commands[-1] == SetParameters({"sizes": ""})


def test_numbers_are_typed_and_counted_otherwise(harness: PanelHarness) -> None:
    set_to(harness, TWO)
    harness.click("sizes.ratio")
    harness.write("2")
    harness.frame(2)
    assert value(harness) == "two_sizes by mass: ratio 2, share 50 %"
    chosen(harness, "sizes.by", "number")
    assert value(harness) == "two_sizes by number: ratio 2, share 50 %"
    assert {"sizes.sizes", "sizes.size_histogram"} <= set(harness.widgets)


def test_a_number_beyond_its_limits_is_refused_in_the_panel_and_changes_nothing(harness: PanelHarness) -> None:
    set_to(harness, TWO)
    sent = len(harness.commands)
    harness.click("sizes.ratio")
    harness.write("50")
    assert value(harness) == TWO
    assert len(harness.commands) == sent
    assert "ratio = 50 must be from 1.01 to 20" in str(harness.ui.states[SizesPanel].refusal)
    harness.click("sizes.ratio")
    harness.write("4")
    harness.frame(2)
    assert value(harness) == "two_sizes by mass: ratio 4, share 50 %"
    assert not harness.ui.states[SizesPanel].refusal


def test_the_table_of_a_sieve_curve_is_edited_and_undone_with_its_mean_radius(harness: PanelHarness) -> None:
    before = harness.ui.control.edits.value("mean_radius")
    chosen(harness, "sizes.kind", "sieve")
    assert value(harness) == "sieve by mass: 1 mm 0 %, 2 mm 50 %, 3 mm 100 %"
    harness.click("sizes.1.1")
    harness.write("80")
    harness.frame(2)
    assert value(harness) == "sieve by mass: 1 mm 0 %, 2 mm 80 %, 3 mm 100 %"
    assert harness.ui.control.edits.value("mean_radius") == read_sizes(value(harness)).mean_radius
    harness.click("sizes.add")
    harness.frame(2)
    assert value(harness) == "sieve by mass: 1 mm 0 %, 2 mm 80 %, 2.449 mm 90 %, 3 mm 100 %"
    harness.click("sizes.remove.2")
    harness.frame(2)
    assert value(harness) == "sieve by mass: 1 mm 0 %, 2 mm 80 %, 3 mm 100 %"
    for _ in range(4):
        harness.ui.control.edits.undo()
    harness.frame(2)
    assert value(harness) == ""
    assert harness.ui.control.edits.value("mean_radius") == before


def test_a_table_that_is_no_curve_waits_for_the_next_number(harness: PanelHarness) -> None:
    set_to(harness, CURVE)
    harness.click("sizes.2.1")
    harness.write("90")
    assert value(harness) == CURVE
    assert "it ends at 90 %" in str(harness.ui.states[SizesPanel].refusal)
    assert harness.ui.states[SizesPanel].numbers[-1] == "90"
    harness.click("sizes.2.1")
    harness.write("100")
    harness.frame(2)
    assert not harness.ui.states[SizesPanel].refusal


def test_a_dropped_file_becomes_the_curve(harness: PanelHarness, tmp_path: Path) -> None:
    path = tmp_path / "sand.csv"
    path.write_text("d,p\n1,0\n2,40\n4,100\n")
    harness.ui.mode.overlay = ""
    assert not take_dropped(harness.ui, str(path))
    harness.frame(3)
    assert harness.ui.mode.overlay == "sizes"
    assert value(harness) == CURVE
    path.write_text("1,0\n2,40\n")
    assert not take_dropped(harness.ui, str(path))
    assert value(harness) == CURVE
    assert "it ends at 40 %" in str(harness.ui.states[SizesPanel].refusal)


@pytest.mark.parametrize("size", [(1024, 640), (1280, 720)])
def test_the_panel_is_drawn_for_a_scene_without_sizes_and_in_small_windows(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    snapshot = with_fields(full_snapshot(), scene="bounce", parameters=scenes()["bounce"].parameters(), moving_count=0)
    with open_harness(tmp_path, snapshot, size=size) as opened:
        opened.ui.mode.overlay = "sizes"
        opened.frame(3)
        assert "sizes.close" in opened.widgets
        assert "sizes.kind" not in opened.widgets
