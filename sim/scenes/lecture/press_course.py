"""The course that presses have in common, what is expected of it, and the answer that it gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.display import Answer, Outcome
from repose.sim.message import Message, Number, _
from repose.sim.scenes.common.press import (
    PressState,
    drive,
    measured_values,
    numbers,
    record,
    set_out,
    settle,
    share,
    side_pressure,
)
from repose.sim.scenes.common.settled import Packing
from repose.sim.scenes.common.timed_course import TimedCourse, column
from repose.sim.scenes.lecture.disc_scene import disc_buttons, outcome_above, outcome_between

ENOUGH = 300
"""Least number of grains of which a peak is expected [-]."""
STEADY = 1e-6
"""Relative variation of the confining pressure up to which it counts as constant [-]."""


@dataclass(frozen=True)
class Expected:
    """What is expected of a press."""

    kept: float
    """Largest relative deviation of the pressure of the sides [-]."""
    strain: float
    """Least strain at the end that shows a peak and the flow after it [-]."""
    widens: Message
    """What the sample does, by a share of its volume."""
    answer: Callable[..., Message]
    """answer(of=..., peak=..., of2=..., of3=..., final=..., of4=...) -> the sentence with the stress ratio at the peak,
    the friction angle [°] and the strain [%] there, ratio and angle at the end, and the growth of the sample [%]."""
    further: Callable[[Mapping[str, float]], tuple[Outcome, ...]] = lambda of: ()
    """Further outcomes of a dense sample, from its measured values."""


def press_course(
    name: str,
    start: Callable[..., World],
    expected: Expected,
    begin: Callable[[Experiment], None] = set_out,
) -> TimedCourse:
    """The course of a press whose stored packing has this name."""
    return TimedCourse(
        state=PressState,
        start=start,
        packing=(name, Packing(later=("friction", "strain_rate", "strain"), single=False)),
        settle=settle,
        begin=begin,
        drive=drive,
        record=record,
        outcomes=lambda experiment: outcomes(experiment, expected),
        results=numbers,
        answer=lambda experiment: answer(experiment, expected),
        share=share,
        buttons=disc_buttons(_("Press"), _("Move the upper plate down, while the sides keep their pressure.")),
    )


def outcomes(experiment: Experiment, expected: Expected) -> tuple[Outcome, ...]:
    """The sides keep their pressure; the stress of a dense sample has a peak, and the sample widens."""
    of, built = measured_values(experiment), experiment.run.built
    words, low, high = _("the pressure of the sides over the one asked for"), 1.0 - expected.kept, 1.0 + expected.kept
    kept = outcome_between("side_pressure", words, side_pressure(experiment), low, high)
    wanted = column(experiment, "wanted")
    driven = wanted.size and float(np.ptp(wanted)) > STEADY * float(wanted.max())
    dense = built.grain_count >= ENOUGH and built.friction >= 0.2 and built.packing_friction <= 0.1
    if of is None or driven or not dense or built.strain < expected.strain:
        return (kept,)
    return kept, *of_dense(of, expected)


def of_dense(of: Mapping[str, float], expected: Expected) -> tuple[Outcome, ...]:
    """What is expected of a dense sample; a loose one misses it."""
    words = _("the dense sample bears more at its peak than at the end (σ1/σ3)")
    peak = outcome_above("stress_peak", words, of["peak"], 1.1 * of["final"])
    return peak, outcome_above("dilatancy", expected.widens, of["widest"], 0.01), *expected.further(of)


def answer(experiment: Experiment, expected: Expected) -> Answer | None:
    """The friction angle at the peak beside that at the end."""
    of = measured_values(experiment)
    if of is None:
        return None
    words = expected.answer(
        of=Number(of["peak"], format=".2f"),
        peak=Number(math.degrees(of["peak_angle"]), format=".1f"),
        of2=Number(100.0 * of["at"], format=".1f"),
        of3=Number(of["final"], format=".2f"),
        final=Number(math.degrees(of["final_angle"]), format=".1f"),
        of4=Number(100.0 * of["widest"], format=".1f"),
    )
    return Answer(of["peak"], words)
