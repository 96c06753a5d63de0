"""Figures of studies as PNG, SVG or PDF: comparisons with error bars, stages of an experiment, profiles in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from repose.app.storage.plot_files import GROUPS, PICTURE, SIZES, Sheet, draw, open_figure, save_figure
from repose.sim.registry import scenes
from repose.sim.study.outcome import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STAGES = (
    ("filling", "filling in layers"),
    ("opened", "the right wall is open"),
    ("flowing", "grains run out"),
    ("rested", "at rest"),
)
"""Stages of the experiment with their titles (thesis figure 3.2)."""
GRAIN, FIXED = "#d9a441", "#5b5b5b"
"""Colours of grains, and of walls and base."""
MOST_TIMES = 6
"""Number of profiles in time that a figure shows."""


def draw_outcome(outcome: Outcome, file: BinaryIO, kind: str = "png", size: tuple[int, int] = PICTURE) -> None:
    """Write the figure of a study."""
    _FIGURES[outcome.plan.figure](outcome, file, kind, size)


def facts_of(outcome: Outcome) -> str:
    """Scene, parameters that differ from the defaults, and seeds of a study in words."""
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
    words.append(f"{len(seeds)} seeds" if len(seeds) > 1 else f"seed {min(seeds)}")
    title = scenes()[plan.scene].title
    return ", ".join([title, *(words if len(words) > 1 else ["parameters as declared", *words])])


def _comparison(outcome: Outcome, file: BinaryIO, kind: str, size: tuple[int, int]) -> None:
    draw(Sheet(outcome.plan.title, facts_of(outcome), (outcome.curve(),)), file, size, kind)


def _stages(outcome: Outcome, file: BinaryIO, kind: str, size: tuple[int, int]) -> None:
    """Four panels of one scale, the base of the last one also enlarged."""
    run = next(run for run in outcome.runs if run.task.path.name in outcome.results)
    stages: Mapping[str, Any] = outcome.results[run.task.path.name]["stages"]
    figure = open_figure(size)
    title, facts = outcome.plan.title, f"{facts_of(outcome)}"
    figure.suptitle(f"{title}\n", fontsize=SIZES["title"], weight="bold")
    figure.supxlabel(facts, fontsize=SIZES["facts"], color="#404040")
    axes = figure.subplots(1, len(STAGES), sharex=True, sharey=True)
    for place, (stage, words) in zip(axes, STAGES, strict=True):
        place.set_aspect("equal")
        place.set_xlabel("x [mm]", fontsize=SIZES["facts"])
        place.tick_params(labelsize=SIZES["facts"])
        if stage in stages:
            _grains(place, stages[stage])
            place.set_title(f"{words}\nt = {stages[stage]['time']:.2f} s", fontsize=SIZES["legend"])
    axes[0].set_ylabel("height y [mm]", fontsize=SIZES["facts"])
    if "rested" in stages:
        _zoom(axes[-1], stages["rested"])
    save_figure(figure, title, facts, file, kind)


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


def _zoom(axes: Axes, stage: Mapping[str, Any]) -> None:
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
    inset.set_title("base, enlarged", fontsize=SIZES["facts"])
    inset.tick_params(labelsize=0.7 * SIZES["facts"])
    axes.indicate_inset_zoom(inset, edgecolor="black")


def _profiles(outcome: Outcome, file: BinaryIO, kind: str, size: tuple[int, int]) -> None:
    """One panel per value on the abscissa: height of the surface at several times after the opening."""
    figure = open_figure(size)
    plan = outcome.plan
    title, facts = plan.title, facts_of(outcome)
    figure.suptitle(title, fontsize=SIZES["title"], weight="bold")
    figure.supxlabel(facts, fontsize=SIZES["facts"], color="#404040")
    first = min(run.seed for run in outcome.runs)
    runs = [run for run in outcome.runs if run.seed == first and run.task.path.name in outcome.results]
    axes = figure.subplots(1, len(runs), sharex=True, sharey=True, squeeze=False)[0]
    quantity = plan.declared[plan.over].quantity
    for place, run in zip(axes, runs, strict=True):
        profile = outcome.results[run.task.path.name]["profile"]
        x, heights = 1e3 * np.array(profile["x"]), 1e3 * np.array(profile["height"], float)
        chosen = np.unique(np.linspace(0, len(heights) - 1, MOST_TIMES).round().astype(int))
        for number, row in enumerate(chosen):
            words = (
                f"{profile['time'][row]:.2f} s" if row < len(heights) - 1 else f"{profile['time'][row]:.2f} s, at rest"
            )
            shade = 0.25 + 0.75 * number / max(len(chosen) - 1, 1)
            last = row == chosen[-1]
            place.step(
                x, heights[row], where="mid", color=GROUPS[0], alpha=shade, linewidth=3.0 if last else 1.8, label=words
            )
        value = plan.declared[plan.over].shown(run.varied[plan.over])
        place.set_title(f"{quantity.symbol or quantity.label} = {value}", fontsize=SIZES["label"])
        place.set_xlabel("x [mm]", fontsize=SIZES["label"])
        place.tick_params(labelsize=SIZES["ticks"])
        place.grid(color="#d8d8d8")
        place.legend(title="after the opening", fontsize=SIZES["facts"], title_fontsize=SIZES["facts"])
    axes[0].set_ylabel("height of the surface h [mm]", fontsize=SIZES["label"])
    axes[0].set_ylim(bottom=0.0)
    save_figure(figure, title, facts, file, kind)


_FIGURES: Mapping[str, Callable[[Outcome, BinaryIO, str, tuple[int, int]], None]] = {
    "comparison": _comparison,
    "stages": _stages,
    "profiles": _profiles,
}
"""Functions that draw a study, by `StudyPlan.figure`."""
