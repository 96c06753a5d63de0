"""Plots: their list, their values and their time span."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import implot
from matplotlib.figure import Figure
from repose.app.language import in_language
from repose.app.render.colours import category, to_srgb
from repose.app.render.text import text_width
from repose.app.storage.plot_files import WRITERS, Sheet, draw_axes
from repose.app.ui import axis_ticks, plot_area
from repose.app.ui.panels import all_keys, curves, plots
from repose.sim.measure.display import Axis, Curve, Label, Line
from repose.sim.measure.measurement import Measurement
from repose.sim.message import plain

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.english import english
from tests.snapshots import put, with_fields


def test_the_unit_of_time_stands_beside_a_plot_without_a_list_of_spans(harness: PanelHarness) -> None:
    for expert in (True, False):
        harness.ui.settings.choices.expert = expert
        harness.frame(2)
        assert ("plots.span" in harness.widgets) is expert
        assert ("plots.time_unit" in harness.widgets) is not expert


def test_time_counts_from_the_opening_and_the_span_can_be_chosen(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []
    plain = implot.setup_axes_limits
    monkeypatch.setattr(implot, "setup_axes_limits", lambda *given: (limits.append(given[:4]), plain(*given)))
    harness.frame()
    opened = harness.ui.snapshot.results.series["time"][np.argmax(harness.ui.snapshot.results.series["time"] > 1.0)]
    assert limits[-1][:2] == (0.0, 2.0 - opened)  # the slope has values from t = 1 s on
    # The mean speed since then is exp(-4 t): what came before has no part in the upright axis.
    assert limits[-1][3] == pytest.approx(2.0 * np.exp(-4.0), rel=0.03)
    harness.click("plots.span")
    harness.click("plots.span.0.0")
    assert limits[-1][:2] == (-opened, 2.0 - opened)
    assert harness.ui.settings.choices.plot_span == 0.0
    harness.ui.snapshot.results.series["angle"] = np.full(400, np.nan)  # the wall is closed: nothing to count from
    harness.frame()
    assert limits[-1][:2] == (0.0, 2.0)
    harness.click("plots.span")
    assert "plots.span.-1.0" not in harness.widgets
    harness.click("plots.span.1.0")
    assert limits[-1][:2] == (1.0, 2.0)


@pytest.mark.parametrize("size", [(480, 360), (1280, 720), (1920, 1080)])
def test_every_axis_has_three_ticks_whose_labels_do_not_touch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    axes: list[tuple[int, list[float], list[str], float]] = []
    plain_axis, plain_ticks = axis_ticks.set_axis, implot.setup_axis_ticks
    lengths: list[float] = []

    def set_axis(axis: int, low: float, high: float, length: float, log: bool, labels: bool) -> None:
        lengths.append(length * (1.0 if log else 1.0 / (high - low)))
        plain_axis(axis, low, high, length, log, labels)

    def setup(axis: int, values: list[float], words: list[str], keep: bool) -> None:
        axes.append((axis, values, words, lengths[-1]))
        plain_ticks(axis, values, words, keep)

    monkeypatch.setattr(plot_area, "set_axis", set_axis)
    monkeypatch.setattr(implot, "setup_axis_ticks", setup)
    with open_harness(tmp_path, full_snapshot(), size) as harness:
        for name in ("motion", "contacts", "packing", "ledger", "angle", "comparison"):
            harness.ui.settings.choices.tabs = {"plots": name}
            harness.ui.states.clear()
            harness.frame(3)
            for axis, values, words, scale in axes:
                assert len(values) >= 3, (name, words)
                if axis == implot.ImAxis_.x1 and words[0] and size[0] >= 1280:
                    middles = [value * scale for value in values]
                    widths = [text_width(word) for word in words]
                    gaps = [b - a - (u + v) / 2 for a, b, u, v in zip(middles, middles[1:], widths, widths[1:])]
                    assert min(gaps) > 0.0, (name, words)
            axes.clear()


@pytest.mark.parametrize("samples", [0, 1])
def test_no_axis_of_an_empty_plot_is_left_to_implot_which_writes_english_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples: int
) -> None:
    labels: dict[int, list[str]] = {}
    begun: list[tuple[object, ...]] = []
    plain_ticks, plain_axes = implot.setup_axis_ticks, implot.setup_axes

    def ticks(axis: int, values: list[float], words: list[str], keep: bool) -> None:
        labels.setdefault(axis, []).extend(words)
        plain_ticks(axis, values, words, keep)

    monkeypatch.setattr(implot, "setup_axis_ticks", ticks)
    monkeypatch.setattr(implot, "setup_axes", lambda *given: (begun.append(given), plain_axes(*given)))
    full = full_snapshot()
    series = {name: 0.0 * np.nan_to_num(values[:samples]) for name, values in full.results.series.items()}
    empty = with_fields(full, series=series, step=0, time=0.0)
    with in_language("de"), open_harness(tmp_path, empty, (1280, 720)) as harness:
        harness.ui.settings.choices.tabs = {"plots": "motion"}
        harness.frame(3)
    assert begun
    assert {"0,0", "1,0"} <= {*labels[int(implot.ImAxis_.x1)]}
    assert not any("." in word for words in labels.values() for word in words)


@pytest.mark.parametrize("suffix", [".csv", ".png", ".svg"])
def test_a_right_click_saves_the_plot_with_its_source(
    harness: PanelHarness, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheets: list[tuple[Sheet, tuple[str, ...]]] = []
    saver = harness.ui.work.run_saver
    monkeypatch.setattr(saver, "save_plot", lambda sheet, folder, name, suffixes: sheets.append((sheet, suffixes)))
    harness.click("plots.motion")
    left, _, _, below = harness.widgets["plots.span"]
    harness.move(left, below + 60.0)
    harness.button(True, 1)
    harness.button(False, 1)
    harness.click(f"plots.save{suffix}")
    (sheet, suffixes) = sheets.pop()
    assert suffixes == (suffix,)
    out = io.BytesIO()
    WRITERS[suffix](sheet, out)
    text = out.getvalue().decode("utf-8", "ignore")
    for words in ("seed: 3", "Repose", "friction 0.1", "shear stiffness 100 N/m", "heap (Heap)"):
        assert words in text
    if suffix == ".csv":
        rows = [*csv.reader(line for line in text.splitlines() if not line.startswith("#"))]
        assert rows[0][0] == "time from the opening t [s]"
        assert rows[0][1:] == ["kinetic energy [J]", "mean speed [m/s]"]
        times = [float(row[0]) for row in rows[1:]]
        assert min(times) == 0.0
        assert len(times) == 200
    assert harness.ui.program.broken == {}


def test_a_key_saves_all_three_kinds_and_another_shows_the_plot_large(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[tuple[str, tuple[str, ...]]] = []
    monkeypatch.setattr(
        harness.ui.work.run_saver, "save_plot", lambda sheet, folder, name, suffixes: saved.append((name, suffixes))
    )
    harness.click("plots.comparison")
    keys = {key.name: key for key in all_keys()}
    for name in ("save_plot", "large_plot"):
        act = keys[name].act
        assert act is not None
        act(harness.ui)
    assert saved == [("heap-comparison", (".csv", ".png", ".svg"))]
    small = {name for name in harness.widgets if name.startswith("plots.")}
    harness.frame(4)
    assert "large.comparison" in harness.widgets
    assert small <= harness.widgets.keys()
    assert harness.ui.settings.choices.tabs["large"] == "comparison"
    harness.click("large.close")
    assert "large.comparison" not in harness.widgets
    assert harness.ui.program.broken == {}


def test_picture_and_table_of_a_comparison_contain_all_points(tmp_path: Path) -> None:
    curve = full_snapshot().results.comparison
    assert curve is not None
    sheet = Sheet("Heap: angle of repose over friction", plain("seed 1"), (curve,), {"seed": "1"})
    out = io.BytesIO()
    WRITERS[".csv"](sheet, out)
    rows = [*csv.reader(line for line in out.getvalue().decode().splitlines() if not line.startswith("#"))]
    assert rows[0] == ["line", "friction μ", "angle of repose θ [°]", "error", "the error is"]
    means = [row for row in rows if row[0] == "mean"]
    assert [float(row[1]) for row in means] == [0.1, 0.2]
    assert [float(row[2]) for row in means] == pytest.approx([np.degrees(0.23), np.degrees(0.35)])
    assert means[0][4] == "line fit of a single run"
    for suffix, begins in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        picture = io.BytesIO()
        WRITERS[suffix](sheet, picture)
        assert picture.getvalue().startswith(begins)


def test_no_tab_moves_when_values_appear(tmp_path: Path) -> None:
    full, bare = full_snapshot(), full_snapshot()
    assert bare.results.comparison is not None
    put(bare, comparison=replace(bare.results.comparison, lines=()))
    for name in ("angle", "packing_fraction", "pressure"):
        bare.results.series[name] = np.full(len(bare.results.series["time"]), np.nan)
    names = ("motion", "angle", "contacts", "packing", "ledger", "comparison")
    with open_harness(tmp_path, bare) as harness:
        places = [harness.widgets[f"plots.{name}"] for name in names]
        for name in names:
            harness.click(f"plots.{name}")
        plots.save(harness.ui)
        assert (
            str(harness.ui.work.run_saver.trouble)
            == f"The plot {bare.results.comparison.title} has no values yet, and is not saved."
        )
        harness.ui.snapshot = full
        harness.rest()
        assert places == [harness.widgets[f"plots.{name}"] for name in names]
        assert harness.ui.program.broken == {}


def test_a_scene_of_single_spheres_has_no_plot_of_a_packing_or_a_slope(tmp_path: Path) -> None:
    bare = full_snapshot()
    put(bare, scene="slope", comparison=None, parameters=None)
    for name in ("angle", "packing_fraction", "pressure"):
        bare.results.series[name] = np.full(len(bare.results.series["time"]), np.nan)
    with open_harness(tmp_path, bare) as harness:
        assert "plots.motion" in harness.widgets
        assert not {"plots.comparison", "plots.angle", "plots.packing"} & harness.widgets.keys()


def test_bodies_of_particles_that_cohere_have_no_plot_of_contacts(tmp_path: Path) -> None:
    bodies = full_snapshot()
    put(bodies, scene="rod", comparison=None, parameters=None)
    with open_harness(tmp_path, bodies) as harness:
        assert "plots.motion" in harness.widgets
        assert "plots.contacts" not in harness.widgets


def test_every_plot_draws(harness: PanelHarness) -> None:
    for name in ("angle", "contacts", "packing", "ledger", "comparison", "motion"):
        harness.click(f"plots.{name}")
        assert harness.ui.program.broken == {}


def test_quantities_that_the_scene_does_not_have_are_not_plotted(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(plots, "_draw_entry", lambda ui, entry, *rest: shown.append(entry.name))
    harness.click("plots.ledger")
    assert {"energy.translational", "energy.rotational"} <= set(shown)
    nothing = np.full(400, np.nan)
    put(harness.ui.snapshot, series=harness.ui.snapshot.results.series | {"energy.rotational": nothing})
    harness.frame(2)
    shown.clear()
    harness.frame(2)
    assert "energy.translational" in shown
    assert "energy.rotational" not in shown
    assert harness.ui.program.broken == {}


def test_seven_tabs_fit_the_column_without_scrolling(harness: PanelHarness) -> None:
    left, right = harness.widgets["experiment.card"][0], harness.widgets["experiment.card"][2]
    tabs = [box for name, box in harness.widgets.items() if name.startswith("plots.") and name != "plots.span"]
    assert len(tabs) == 7
    assert min(box[0] for box in tabs) >= left
    assert max(box[2] for box in tabs) <= right


def test_a_new_measurement_is_plotted_with_no_other_edit(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    plain = plots.draw_over_time
    monkeypatch.setattr(plots, "draw_over_time", lambda ui, label, *rest, **how: drawn.append(str(label)))
    assert "plots.other" not in harness.widgets
    snapshot = harness.ui.snapshot
    added = Measurement("mean_overlap", "mean overlap", "δ", "µm", lambda system: 1e-6, scale=1e-6)
    put(snapshot, quantities=(*snapshot.results.quantities, added.sampled(2)))
    snapshot.results.series["mean_overlap"] = np.full(len(snapshot.results.series["time"]), 2e-6)
    # The row of eight tabs scrolls: the tab may be out of sight.
    harness.ui.settings.choices.tabs = {"plots": "other"}
    harness.ui.states.clear()
    harness.frame(3)
    assert "plots.other" in harness.widgets
    assert drawn[-1] == "mean overlap δ [µm]"
    monkeypatch.setattr(plots, "draw_over_time", plain)
    harness.frame(2)
    assert harness.ui.program.broken == {}


def test_each_named_sphere_has_the_colour_of_the_picture_in_the_plot_and_closed_forms_share_one(
    harness: PanelHarness,
) -> None:
    names = ("e = 0.5", "e = 0.8", "e = 1")
    ends = np.array((0.0, 1.0))
    lines = [
        line
        for number, name in enumerate(names)
        for line in (
            Line(plain("closed form"), ends, ends),
            Line(plain(name), ends, ends, points=True, labelled=number),
        )
    ]
    curve = Curve("height", plain("Height"), Axis(plain("t"), "s"), Axis(plain("h"), "mm"), tuple(lines))
    labels = tuple(Label(number, name) for number, name in enumerate(names))
    harness.ui.snapshot = with_fields(harness.ui.snapshot, labels=labels)
    figure = curves.figure_of(harness.ui, curve)
    found = {series.label: series.colour for series in figure.series}
    for number, name in enumerate(names):
        assert found[plain(name)][:3] == pytest.approx(to_srgb(category(number)))
    assert len(set(found.values())) == 1 + len(names)
    assert english([series.label for series in figure.legend]) == ["closed form", *names]
    other = replace(curve, lines=(Line(plain(names[2]), ends, ends), Line(plain("reversed"), ends, ends, labelled=0)))
    found = {series.label: series.colour for series in curves.figure_of(harness.ui, other).series}
    assert found[plain("reversed")][:3] == pytest.approx(to_srgb(category(0)))
    assert found[plain(names[2])] == harness.ui.palette.muted, "the words of a label give no colour"
    harness.ui.snapshot = with_fields(harness.ui.snapshot, labels=())
    found = {series.label: series.colour for series in curves.figure_of(harness.ui, curve).series}
    assert len(set(found.values())) == 1 + len(names)


def test_a_distribution_over_decades_has_logarithmic_axes_in_the_window_and_on_file(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    scales: list[tuple[int, int]] = []
    limits: list[tuple[float, ...]] = []
    plain_scale, plain_limits = implot.setup_axis_scale, implot.setup_axes_limits
    monkeypatch.setattr(implot, "setup_axis_scale", lambda *given: (scales.append(given), plain_scale(*given)))
    monkeypatch.setattr(implot, "setup_axes_limits", lambda *given: (limits.append(given[:4]), plain_limits(*given)))
    size, share = np.array((1.0, 7.0, 240.0)), np.array((1.0, 0.5, 0.02))
    curve = Curve(
        "comparison",
        plain("Sizes"),
        Axis(plain("s")),
        Axis(plain("share")),
        (Line("avalanches", size, share, points=True),),
        log=True,
        log_x=True,
    )
    harness.ui.snapshot = with_fields(harness.ui.snapshot, comparison=curve)
    harness.click("plots.comparison")
    assert harness.ui.program.broken == {}
    assert {axis for axis, scale in scales if scale == implot.Scale_.log10} == {implot.ImAxis_.x1, implot.ImAxis_.y1}
    left, right, low, high = limits[-1]
    assert 0.5 < left < 1.0 < 1000.0 < right < 2000.0
    assert 0.005 < low < 0.01 < 1.0 < high < 2.0
    nothing = replace(curve, lines=(Line("avalanches", size[:0], share[:0], points=True),))
    harness.ui.snapshot = with_fields(harness.ui.snapshot, comparison=nothing)
    harness.frame(2)
    assert harness.ui.program.broken == {}
    figure = Figure()
    draw_axes(figure.subplots(), curve)
    (axes,) = figure.axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
