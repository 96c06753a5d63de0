"""What a plot shows is decided in one record, and drawn by one function in the window and by one in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from repose.app.figure import (
    GROUPS,
    LAWS,
    OURS,
    PUBLISHED,
    FigureAxis,
    ScreenColours,
    Trace,
    figure_on_paper,
    figure_on_screen,
    figure_over_time,
    ink,
    limits_of,
)
from repose.sim.measure.display import Axis, Curve, Line
from repose.sim.message import EMPTY, plain

from tests.english import english

ROOT = Path(__file__).resolve().parents[2]
X = np.array((1.0, 2.0, 3.0))
OWN, FIRST, SECOND = ink("#000001"), ink("#000002"), ink("#000003")
COLOURS = ScreenColours(OWN, lambda number: ink(f"#0000{10 + number}"), (FIRST, SECOND))


def curve_of(*lines: Line, **how: bool) -> Curve:
    return Curve("name", plain("Title"), Axis(plain("x"), "s"), Axis(plain("y"), "m"), lines, **how)


RUNS = Line(EMPTY, X, X, points=True, single=True)
MEANS = Line(plain("mean"), X, X, points=True, error=0.5 * np.ones(3), group=1)
LAW = Line(plain("law"), X, 2.0 * X)
FIT = Line(plain("fit"), X, X, fitted=True, group=1)


def test_marks_are_drawn_over_lines_and_marks_with_error_bars_over_both() -> None:
    figure = figure_on_screen(curve_of(MEANS, RUNS, LAW, FIT), COLOURS)
    assert english([series.label for series in figure.series]) == ["law", "fit", "", "mean"]
    assert [(series.mark, series.width) for series in figure.series] == [("", 1.6), ("", 2.4), ("x", 0.0), ("o", 0.0)]
    assert english([series.named for series in figure.legend]) == ["mean ± standard error", "", "law", "fit"]


def test_a_label_has_one_colour_in_the_window_that_of_its_sphere_if_it_has_one() -> None:
    sphere = Line(plain("e = 0.5"), X, X, points=True, labelled=3)
    figure = figure_on_screen(curve_of(LAW, sphere, FIT, MEANS, LAW), COLOURS)
    colours = {str(series.label): series.colour for series in figure.series}
    assert colours == {"law": FIRST, "e = 0.5": COLOURS.sphere(3), "fit": OWN, "mean": SECOND}
    assert len(figure.legend) == 4


@pytest.mark.parametrize(
    ("y", "how", "limits"),
    [
        (X, {}, (0.0, 3.18)),  # near zero
        (X + 9.0, {}, (9.88, 12.12)),
        (X - 2.0, {}, (-1.12, 1.12)),
        (X, {"log": True}, (0.8, 12.5)),
        (np.full(3, np.nan), {}, (0.0, 1.0)),
    ],
)
def test_the_limits_hold_all_data_with_room_and_zero_if_it_is_near(y: np.ndarray, how: dict, limits: tuple) -> None:
    assert limits_of(curve_of(Line(plain("a"), X, y), **how))[1] == pytest.approx(limits)


def test_error_bars_are_inside_the_limits() -> None:
    assert limits_of(curve_of(MEANS))[1][1] > 3.5


def test_over_time_a_logarithmic_axis_leaves_out_what_it_cannot_show() -> None:
    columns = [
        Trace(plain("both"), X, np.array((-1.0, 1.0, 10.0)), OWN, 1.0),
        Trace(plain("none"), X, -X, OWN, 1.0),
        Trace(plain("unknown"), X, np.full(3, np.nan), OWN, 1.0),
        Trace(plain("short"), X, X[:2], OWN, 1.0),
    ]
    figure = figure_over_time(FigureAxis(plain("t"), 0.0, 1.0), plain("y"), columns, log=True)
    assert english([series.label for series in figure.series]) == ["both"]
    assert np.isnan(figure.series[0].y[0])
    assert figure.y.ends == pytest.approx((0.005, 20.0)), "three decades below the largest value"
    linear = figure_over_time(FigureAxis(plain("t"), 0.0, 1.0), plain("y"), columns)
    assert english([series.label for series in linear.series]) == ["both", "none"]


def test_on_paper_groups_have_colours_and_shapes_and_laws_have_dashes() -> None:
    own = Line(plain("here"), X, X, points=True, source="own")
    theirs = Line(plain("Lee 1993"), X, X, points=True, source="published")
    figure = figure_on_paper(curve_of(LAW, RUNS, MEANS, FIT, own, theirs))
    law, runs, means, fit, here, published = figure.series
    assert ((law.colour, law.dashes), fit.colour, means.colour) == (LAWS[0], GROUPS[1], GROUPS[1])
    assert (runs.mark, means.mark, here.colour, published.colour, published.hollow) == ("x", "^", OURS, PUBLISHED, True)
    assert english([series.label for series in figure.legend]) == ["mean", "here", "Lee 1993", "fit", "law"]


@pytest.mark.parametrize(
    ("x", "how", "axis"),
    [
        (X, {}, {"floor": 0.0}),
        (X, {"x_from_zero": True}, {"low": 0.0}),
        (X - 1.0, {}, {"low": 0.0, "room": 0.02}),
        (X - 2.0, {}, {}),
        (X, {"log_x": True}, {"log": True}),
    ],
)
def test_on_paper_an_axis_of_positive_numbers_does_not_begin_below_zero(x: np.ndarray, how: dict, axis: dict) -> None:
    figure = figure_on_paper(curve_of(Line(plain("a"), x, X, points=True), **how))
    assert figure.x == FigureAxis(figure.x.label, **axis)


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (("implot.plot_line", "implot.plot_scatter", "implot.setup_axes("), {"app/ui/plot_area.py"}),
        (("axes.plot(x", "axes.plot(series", "axes.errorbar(", "plot.step("), {"app/storage/plot_files.py"}),
    ],
)
def test_each_way_of_drawing_has_one_function(words: tuple[str, ...], files: set[str]) -> None:
    drawing = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "app").rglob("*.py")
        if any(word in path.read_text("utf-8") for word in words)
    }
    assert drawing == files


def test_few_marks_are_larger_than_those_of_a_dense_line() -> None:
    few, many = (
        Line(plain("measured"), np.arange(float(count)), np.arange(float(count)), points=True) for count in (6, 400)
    )
    sizes = [figure_on_screen(curve_of(line), COLOURS).series[0].size for line in (few, many)]
    assert sizes[0] >= 1.5 * sizes[1] > 0.0
