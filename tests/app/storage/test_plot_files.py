"""Pictures of plots: where their legend is, and the order of its entries."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import matplotlib.text
import numpy as np
import pytest
from repose.app.storage import plot_files
from repose.app.storage.plot_files import Sheet, draw, fonts_of_all_languages, journal, open_figure, slide, with_scripts
from repose.sim.measure.display import Axis, Curve, Line
from repose.sim.message import _, plain

X = np.array((0.1, 0.2))
ERROR = np.array((0.5, 0.5))


def legend_of(curves: tuple[Curve, ...], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[str]]:
    """The first plot of a picture, laid out, and the texts of its legend."""
    figures: list[Any] = []
    monkeypatch.setattr(plot_files, "save_figure", lambda figure, *rest: figures.append(figure))
    draw(Sheet("Title", plain("facts"), curves), io.BytesIO(), slide((640, 360)))
    figures[0].draw_without_rendering()
    axes = figures[0].axes[0]
    return axes, [text.get_text() for text in axes.get_legend().get_texts()]


def test_the_legend_of_several_plots_covers_no_point_and_lists_results_before_references(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = (
        Line("", X, 60.0 * X, points=True, single=True),
        Line("soft", X, 60.0 * X, points=True, error=ERROR),
        Line("arctan", X, 57.0 * X),
        Line("soft: 1.05 arctan", X, 60.0 * X, fitted=True),
        Line("hard", X, 70.0 * X, points=True, error=ERROR, group=1),
    )
    above = Curve("angles", plain("Angles"), Axis(plain("friction")), Axis(plain("angle"), "°"), lines)
    axes, words = legend_of(
        (above, Curve("grains", plain("Grains"), Axis(plain("friction")), Axis(plain("grains left")), lines[1:2])),
        monkeypatch,
    )
    assert words == ["soft", "hard", "soft: 1.05 arctan", "arctan"]
    assert axes.get_legend().get_title().get_text() == "bars: standard error\n×: single runs"
    assert axes.get_legend().get_window_extent().x0 >= axes.get_window_extent().x1
    words = legend_of((above,), monkeypatch)[1]
    assert words == ["soft ± standard error", "hard ± standard error", "soft: 1.05 arctan", "arctan"]


def test_the_common_axis_of_several_plots_reaches_the_values_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    upper = Curve("a", plain("A"), Axis(plain("x")), Axis(plain("y")), (Line("one", X, X, points=True, error=ERROR),))
    lower = replace(upper, name="b", lines=(Line("one", np.array((0.1, 5.0)), X, points=True, error=ERROR),))
    axes, _words = legend_of((upper, lower), monkeypatch)
    assert axes.get_xlim()[1] > 5.0
    assert legend_of((upper, upper), monkeypatch)[0].get_xlim()[1] < 0.3


def test_a_picture_in_another_language_has_its_words_and_its_decimal_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    figures: list[Any] = []
    monkeypatch.setattr(plot_files, "save_figure", lambda figure, *rest: figures.append(figure))
    friction, lines = Axis(_("friction"), "N/m^1.5"), (Line(plain("a"), X, X), Line(_("single runs"), X, 2 * X))
    for over_time in (False, True):
        sheet = Sheet(
            plain("Title"), plain("facts"), (Curve("angle", plain(""), friction, friction, lines),), over_time=over_time
        )
        for language, sign, label, entry in (
            ("en", ".", "friction", "single runs"),
            ("de", ",", "Reibung", "einzelne Läufe"),
        ):
            draw(replace(sheet, language=language), io.BytesIO(), slide((640, 360)))
            figures[-1].draw_without_rendering()
            (axes,) = figures[-1].axes
            for axis in (axes.xaxis, axes.yaxis):
                numbers = "".join(tick.get_text() for tick in axis.get_ticklabels())
                assert sign in numbers
                assert {",", "."} & {*numbers} == {sign}
                assert axis.get_label_text().startswith(label)
            assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", entry]


@pytest.mark.parametrize("measured", [(0, 1, 2), (1,), (1, 2), (0, 1)])
def test_every_name_on_the_axis_has_room_for_a_point_also_one_without(
    measured: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Balls roll away and have no slope: their name stood at the vertical axis, below its zero."""
    x, y = np.array(measured, float), np.full(len(measured), 20.0)
    points = Line(plain("runs"), x, y, points=True, error=np.ones(len(measured)))
    shapes = ("ball", "cube", "rod")
    axes, _words = legend_of(
        (Curve("angles", plain(""), Axis(plain("shape")), Axis(plain("angle"), "°"), (points,), ticks=shapes),),
        monkeypatch,
    )
    assert axes.get_xlim() == pytest.approx((-0.5, 2.5))
    assert [tick.get_text() for tick in axes.get_xticklabels()] == [*shapes]


def test_symbols_and_units_are_set_with_their_scripts() -> None:
    assert with_scripts("base grain radius R_p [mm]") == r"base grain radius R$_\mathrm{p}$ [mm]"
    assert with_scripts("10 N/m^1.5") == r"10 N/m$^\mathrm{1.5}$"
    assert with_scripts("10 N/m^1.5", ",") == r"10 N/m$^\mathrm{1{,}5}$"
    assert with_scripts("grains_left, 1.77 arctan μ") == "grains_left, 1.77 arctan μ"


def test_bold_words_of_a_figure_write_nothing_about_fonts_to_the_terminal(caplog: pytest.LogCaptureFixture) -> None:
    with fonts_of_all_languages():
        figure = open_figure(slide((320, 180)))
        figure.text(0.5, 0.5, "Bold", fontweight="bold", fontsize=13.37)  # matplotlib complains once of each font
        figure.savefig(io.BytesIO(), format="png")
    assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.parametrize(("columns", "width"), [(1, 85.0), (2, 170.0)])
def test_a_picture_for_print_has_the_width_of_its_columns_letters_of_8_points_and_no_title(
    columns: int, width: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures: list[Any] = []
    monkeypatch.setattr(plot_files, "save_figure", lambda figure, *rest: figures.append(figure))
    lines = tuple(Line(f"law {number}", X, number * X, points=number < 3, error=ERROR) for number in range(5))
    curve = Curve("angles", plain("Angles"), Axis(plain("friction μ")), Axis(plain("angle of repose θ_r"), "°"), lines)
    style = journal(columns)
    draw(Sheet(plain("Title"), plain("facts"), (curve, curve)), io.BytesIO(), style, "pdf")
    (figure,) = figures
    figure.draw_without_rendering()
    assert figure.get_figwidth() * 25.4 == pytest.approx(width)
    words = [text for text in figure.findobj(matplotlib.text.Text) if text.get_visible() and text.get_text()]
    assert {text.get_fontsize() for text in words} == {8.0}
    assert not {"Title", "facts"} & {text.get_text() for text in words}
    edge = figure.bbox
    for axes in figure.axes:
        assert axes.get_window_extent().width > 0.75 * edge.width
        box = axes.get_tightbbox()  # with its labels and ticks
        assert edge.x0 - 1 <= box.x0 <= box.x1 <= edge.x1 + 1
        assert edge.y0 - 1 <= box.y0 <= box.y1 <= edge.y1 + 1
    (legend,) = figure.legends
    assert legend.get_window_extent().y1 <= min(axes.get_window_extent().y0 for axes in figure.axes)
    assert max(line.get_linewidth() for line in figure.axes[0].lines) < 2.0
    assert style.kinds == ("pdf", "svg")
