"""Figures of studies as PNG, SVG or PDF: comparisons with error bars, stages of an experiment, profiles in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from repose.app.figure import GROUPS, Figure, FigureAxis, Trace
from repose.app.storage.plot_files import (
    SLIDE,
    Sheet,
    Style,
    draw,
    draw_axes,
    draw_figure,
    name_axes,
    open_figure,
    place_legend,
    save_figure,
    with_scripts,
)
from repose.sim.measure.avalanches import as_large_as
from repose.sim.message import plain
from repose.sim.registry import scenes
from repose.sim.study.outcome import StudyOutcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

GRAIN, FIXED = "#d9a441", "#5b5b5b"
"""Colours of grains, and of walls and base."""
X, HEIGHT = FigureAxis(plain("x [mm]")), FigureAxis(plain("height of the surface h [mm]"))
"""Axes of the profiles."""
TIMES = (0.1, 0.2, 0.3, 0.5)
"""Times after the opening whose profiles are drawn, in addition to the profile at rest [s]."""


def draw_outcome(outcome: StudyOutcome, file: BinaryIO, kind: str = "png", style: Style = SLIDE) -> None:
    """Write the figure of a study."""
    _FIGURES[outcome.plan.figure](outcome, file, kind, style)


def facts_of(outcome: StudyOutcome) -> str:
    """Scene, parameters that differ from the defaults, and seeds of the runs that are drawn, in words."""
    plan = outcome.plan
    declared = plan.declared
    shared = {
        name: value
        for name, value in plan.values_of(plan.cases[0], {}).items()
        if name in plan.values or len(plan.cases) == 1
    }
    words = [
        f"{declared[name].quantity.label} {declared[name].shown(value)}"
        for name, value in shared.items()
        if name in declared and name not in plan.grid
    ]
    seeds = {run.seed for run in outcome.runs}
    if plan.figure in ("stages", "profiles"):
        seeds = {min(seeds)}  # the figure shows one run of every value
    words.append(f"{len(seeds)} seeds" if len(seeds) > 1 else f"seed {min(seeds)}")
    title = str(scenes()[plan.scene].title)
    bare = len(words) == 1 and not any(case.values or case.preset for case in plan.cases)
    return ", ".join([title, *(["default parameters"] if bare else []), *words])


def _comparison(outcome: StudyOutcome, file: BinaryIO, kind: str, style: Style) -> None:
    draw(Sheet(plain(outcome.plan.title), plain(facts_of(outcome)), outcome.curves()), file, style, kind)


def _titled(outcome: StudyOutcome, style: Style, below: str = "") -> Picture:
    """A figure with the title of the study, and the facts at its foot; for print without them."""
    figure = open_figure(style)
    if not style.for_print:
        figure.suptitle(f"{outcome.plan.title}{below}", fontsize=style.sizes["title"], weight="bold")
        figure.supxlabel(f"\n{with_scripts(facts_of(outcome))}", fontsize=style.sizes["facts"], color="#404040")
    return figure


def _small(style: Style) -> dict[str, Any]:
    """Sizes of the text of a legend with a title."""
    return {"fontsize": style.sizes["facts"], "title_fontsize": style.sizes["facts"]}


def _save(outcome: StudyOutcome, figure: Picture, file: BinaryIO, kind: str) -> None:
    save_figure(figure, str(outcome.plan.title), facts_of(outcome), file, kind)


def _stages(outcome: StudyOutcome, file: BinaryIO, kind: str, style: Style) -> None:
    """One panel per stage, all of one scale, the base of the last one also enlarged."""
    run = next(run for run in outcome.runs if run.task.path.name in outcome.results)
    shown = outcome.plan.stages
    stages: Mapping[str, Any] = outcome.results[run.task.path.name]["stages"]
    figure = _titled(outcome, style, below="\n")
    axes = figure.subplots(1, len(shown), sharex=True, sharey=True, squeeze=False)[0]
    for plot, stage in zip(axes, shown, strict=True):
        plot.set_aspect("equal")
        plot.set_xlabel("x [mm]", fontsize=style.sizes["facts"])
        plot.tick_params(labelsize=style.sizes["facts"])
        if stage.name in stages:
            _grains(plot, stages[stage.name])
            plot.set_title(f"{stage.title}\nt = {stages[stage.name]['time']:.2f} s", fontsize=style.sizes["legend"])
    axes[0].set_ylabel("height y [mm]", fontsize=style.sizes["facts"])
    if shown[-1].name in stages:
        _zoom(axes[-1], stages[shown[-1].name], style)
    _save(outcome, figure, file, kind)


def _grains(axes: Axes, stage: Mapping[str, Any]) -> None:
    """Discs to scale, fixed ones dark."""
    from matplotlib.collections import EllipseCollection

    centre, size = 1e3 * np.array(stage["position"]), 2e3 * np.array(stage["radius"])
    fixed = np.array(stage["fixed"], bool)
    for rows, colour in ((~fixed, GRAIN), (fixed, FIXED)):
        across = size[rows]
        axes.add_collection(
            EllipseCollection(
                across,
                across,
                np.zeros(across.size),
                units="xy",
                offsets=centre[rows],
                offset_transform=axes.transData,
                facecolor=colour,
                edgecolor="black",
                linewidth=0.25,
            )
        )
    axes.update_datalim(np.vstack([centre - size[:, None], centre + size[:, None]]))
    axes.autoscale_view()


def _zoom(axes: Axes, stage: Mapping[str, Any], style: Style) -> None:
    """The grains of the base, enlarged in the free upper part of the panel."""
    centre, radius = 1e3 * np.array(stage["position"]), 1e3 * np.array(stage["radius"])
    fixed = np.array(stage["fixed"], bool)
    low = centre[fixed, 1].min()
    base = fixed & (centre[:, 1] <= low + 1e-6) & (centre[:, 0] > 0.0)
    middle = float(np.median(centre[base, 0]))
    half = 4.0 * float(radius[~fixed].mean()) if (~fixed).any() else 8.0 * float(radius[base].mean())
    inset = axes.inset_axes((0.22, 0.5, 0.76, 0.42))
    _grains(inset, stage)
    inset.set_xlim(middle - half, middle + half)
    inset.set_ylim(-0.4 * half, 0.8 * half)
    inset.set_aspect("equal", adjustable="box")
    inset.set_title("base, enlarged", fontsize=style.sizes["facts"])
    inset.tick_params(labelsize=0.7 * style.sizes["facts"])
    axes.indicate_inset_zoom(inset, edgecolor="black")


def _profiles(outcome: StudyOutcome, file: BinaryIO, kind: str, style: Style) -> None:
    """One panel per value on the abscissa: height of the surface at several times after the opening."""
    figure, plan = _titled(outcome, style), outcome.plan
    first = min(run.seed for run in outcome.runs)
    runs = [run for run in outcome.runs if run.seed == first and run.task.path.name in outcome.results]
    axes = figure.subplots(1, len(runs), sharex=True, sharey=True, squeeze=False)[0]
    quantity = plan.declared[plan.over].quantity
    for plot, run in zip(axes, runs, strict=True):
        profile = outcome.results[run.task.path.name]["profile"]
        x, heights = 1e3 * np.array(profile["x"]), 1e3 * np.array(profile["height"], float)
        moments = [time for time in TIMES if time < profile["time"][-1]]
        chosen = [*(int(np.argmin(np.abs(np.array(profile["time"]) - time))) for time in moments), len(heights) - 1]
        words = [*(f"{profile['time'][row]:.2f} s" for row in chosen[:-1]), f"{profile['time'][-1]:.2f} s, at rest"]
        profiles = []
        for number, (row, label) in enumerate(zip(chosen, words, strict=True)):
            shade, last = 0.3 + 0.7 * (number + 1) / len(chosen), row == chosen[-1]
            width = 3.0 if last else 1.8
            series = Trace(plain(label), x, heights[row], GROUPS[0], width, steps="mid", opacity=shade)
            profiles.append(series)
        value = plan.declared[plan.over].shown(run.varied[plan.over])
        plot.set_title(with_scripts(f"{quantity.symbol or quantity.label} = {value}"), fontsize=style.sizes["label"])
        entries = draw_figure(plot, Figure(X, HEIGHT, tuple(profiles), tuple(profiles)), strokes=style.strokes)
        place_legend(plot, entries, title="after the opening", loc="upper right", **_small(style))
        name_axes(
            plot,
            str(X.label),
            str(HEIGHT.label) if plot is axes[0] else "",
            style.sizes["label"],
            style.sizes["ticks"],
        )
    figure.draw_without_rendering()  # computes the layout
    covered = max(plot.get_legend().get_window_extent().height / plot.get_window_extent().height for plot in axes)
    axes[0].set_ylim(0.0, axes[0].get_ylim()[1] / (1.0 - min(covered, 0.6)))  # free room for the legends
    _save(outcome, figure, file, kind)


def _avalanches(outcome: StudyOutcome, file: BinaryIO, kind: str, style: Style) -> None:
    """The angles with error bars, and beside them the distributions of size and duration of all avalanches."""
    figure = _titled(outcome, style)
    axes = figure.subplots(1, 3, width_ratios=(1.7, 1.0, 1.0))
    draw_axes(axes[0], outcome.curve(), style)
    series = outcome.plan.combinations()
    pooled: dict[int, list[Mapping[str, Any]]] = {number: [] for number in range(len(series))}
    for run in outcome.runs:
        result = outcome.results.get(run.task.path.name)
        pooled[series.index(dict(run.varied))] += result["other_angles"]["avalanches"] if result else []
    distributions: dict[str, list[Trace]] = {"grains_displaced": [], "duration": []}
    for number, (varied, entries) in enumerate(zip(series, pooled.values(), strict=True)):
        words = ", ".join(
            f"{outcome.plan.declared[name].quantity.symbol or name} = {outcome.plan.declared[name].shown(value)}"
            for name, value in varied.items()
        )
        moved = [entry for entry in entries if entry["grains_displaced"]]
        for name, drawn in distributions.items():
            x, share = as_large_as([entry[name] for entry in moved])
            colour = GROUPS[number % len(GROUPS)]
            drawn.append(Trace(plain(f"{words} ({len(moved)})"), x, share, colour, 2.5, steps="pre"))
    for plot, label, drawn in zip(axes[1:], ("grains displaced s", "duration T [s]"), distributions.values()):
        log = any(len(one.x) for one in drawn)  # an axis without values cannot be logarithmic
        x_axis, y_axis = FigureAxis(plain(label), log=log), FigureAxis(plain("share at least as large"), log=log)
        legend = draw_figure(plot, Figure(x_axis, y_axis, tuple(drawn), tuple(drawn)), strokes=style.strokes)
        name_axes(plot, label, str(y_axis.label) if plot is axes[1] else "", style.sizes["label"], style.sizes["facts"])
    place_legend(axes[2], legend, loc="lower left", title="avalanches in brackets", **_small(style))
    _save(outcome, figure, file, kind)


_FIGURES: Mapping[str, Callable[[StudyOutcome, BinaryIO, str, Style], None]] = {
    "comparison": _comparison,
    "stages": _stages,
    "profiles": _profiles,
    "avalanches": _avalanches,
}
"""Functions that draw a study, by `StudyPlan.figure`."""
