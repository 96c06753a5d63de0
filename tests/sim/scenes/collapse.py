"""A column of discs on glued discs collapses when the wall beside it is removed; the question is how far it runs.

The run-out over the width of a column depends on its aspect ratio a, height over width: it is proportional to a for low
columns, and to about a^(2/3) for high ones (Lube et al. 2004; Lajeunesse, Mangeney-Castelnau & Vilotte 2004; Zenit 2005
for discs). A whole scene of discs with a question, as a file of the plug-in folder.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from repose.sim.direction import Direction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Guess, Line, Outcome, Reading
from repose.sim.message import Message, Number
from repose.sim.parameters import number
from repose.sim.scenes.common.phases import rests
from repose.sim.scenes.common.timed_course import CourseState, TimedCourse, column, elapsed
from repose.sim.scenes.lecture.disc_scene import (
    DISCS,
    LOOSE,
    SOFT_DISCS,
    Box,
    DiscsParameters,
    disc_buttons,
    disc_course,
    disc_parameters,
    disc_view,
    lattice,
    outcome_between,
    put_walls,
    with_glued_row,
    with_lines,
)

LONGEST, FARTHEST = 5.0, 6.0
"""Longest duration [s], and largest run-out for which the plate has room [heights]."""


class CollapseParameters(DiscsParameters):
    """A column of discs beside a wall, in SI."""

    aspect: float = number(2.0, 0.5, 8.0, "aspect ratio", "a", effect="restart", group="Column", help="At the start.")

    @property
    def width(self) -> float:
        """Initial width of the column [m]."""
        return math.sqrt(self.grain_count * math.pi * self.mean_radius**2 / LOOSE / self.aspect)

    @property
    def height(self) -> float:
        """Height of the column at rest [m]."""
        return self.aspect * self.width


@dataclass
class CollapseState(CourseState):
    """State of the column."""

    width: float = 0.0
    """Width of the column when the wall was removed [m]."""


def walls(parameters: CollapseParameters, beside: float) -> Floats:
    """The wall at the left and the one beside the column, at `beside` [m], shape (2, 2, 2)."""
    return np.array([[(x, -1.0), (x, 4.0 * parameters.height)] for x in (0.0, beside)])


def start(parameters: CollapseParameters, seed: int) -> World:
    """The loose column between both walls."""
    largest, wide = parameters.largest_radius, parameters.width
    world = lattice(parameters, seed, lambda x, y: (x > largest) & (x < wide - largest) & (y > 1.05 * largest))
    world = with_glued_row(world, parameters, wide + FARTHEST * parameters.height)
    return with_lines(world, walls(parameters, wide))


def front(experiment: Experiment) -> float:
    """Distance from the left wall below which 98 of 100 grains are [m]."""
    world = experiment.run.world
    return float(np.quantile(world.motion[0, 0, ~world.fixed], 0.98))


def begin(experiment: Experiment) -> None:
    """Put the wall beside the column out of reach."""
    built = experiment.run.built
    experiment.run.state.width = front(experiment)
    put_walls(experiment, walls(built, built.width + (FARTHEST + 1.0) * built.height))


def drive(experiment: Experiment) -> bool:
    """Whether the grains are at rest again."""
    return rests(experiment) or elapsed(experiment) >= LONGEST


def run_out(experiment: Experiment) -> float:
    """How far the front has run, in initial widths of the column [-]."""
    return float(column(experiment, "front")[-1] / experiment.run.state.width - 1.0)


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """The run-out so far."""
    return (Reading("run_out", "run-out", run_out(experiment), "widths"),) if column(experiment, "front").size else ()


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The run-out is of the order of the aspect ratio."""
    aspect = experiment.run.built.aspect
    return (outcome_between("run_out", "the run-out over the aspect ratio", run_out(experiment) / aspect, 0.3, 3.0),)


def answer(experiment: Experiment) -> Answer:
    """The run-out."""
    far = run_out(experiment)
    return Answer(far, Message("The front runs {far} widths of the column.", far=Number(far, format=".2f")))


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Position of the front against time."""
    line = Line("front", column(experiment, "time"), 1e3 * column(experiment, "front"))
    return (Curve("front", "Front", TIME, Axis("distance from the wall", "mm"), (line,)),)


def box(parameters: Any) -> Box:
    """The column and the plate on which it spreads."""
    return (0.0, -2.0 * parameters.mean_radius), (parameters.width + 3.0 * parameters.height, 1.5 * parameters.height)


SCENE = Scene(
    name="collapse",
    title="Collapse of a column",
    summary="A column of discs spreads when the wall beside it is removed.",
    direction=Direction(see="It moves.", colour="speed", plot="motion", speed=1.0, seconds=5.0),
    parameters=disc_parameters(CollapseParameters),
    model=DISCS,
    course=disc_course(
        TimedCourse(
            state=CollapseState,
            start=start,
            begin=begin,
            drive=drive,
            record=lambda experiment: {"front": front(experiment)},
            outcomes=outcomes,
            results=lambda experiment: {"run_out": run_out(experiment)},
            answer=answer,
            buttons=disc_buttons("Open", "Remove the wall beside the column."),
        ),
        readings,
    ),
    view=disc_view(box, curves),
    limits=SOFT_DISCS,
    guess=Guess("Run-out in widths of the column", "", 0.0, 10.0),
    lecture=("friction", "aspect"),
    test_values={"grain_count": 30, "young": 1e5},
)
