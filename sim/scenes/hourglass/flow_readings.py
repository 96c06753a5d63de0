"""Readings of an hourglass: steady flow rate, number density, and the results of a run."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Line, Reading
from repose.sim.measure.flow_rate import FlowRate, mean_rate, moving_rate, steady_part
from repose.sim.message import Message, Number, _, plural
from repose.sim.scenes.common.settling import SETTLING_READINGS, fall_time, settling_readings
from repose.sim.scenes.hourglass.glass import NECK, volume_between
from repose.sim.scenes.hourglass.random_filling import HourglassState

STARTING = 1.5
"""Time after which the flow counts as steady, in units of the free fall of the highest grain to the neck [-]."""


def number_density(experiment: Experiment) -> float | None:
    """Grains per volume between the neck and the surface of the bed [1/m³], or None for a shallow bed."""
    radius = experiment.run.built.mean_radius
    height = experiment.run.world.motion[2, 0]
    above = height[height > NECK]
    if above.size < 20:
        return None
    low, high = NECK + 2.0 * radius, float(np.quantile(above, 0.9)) - 4.0 * radius
    if high - low < 6.0 * radius:
        return None
    inside = int(((height > low) & (height < high)).sum())
    return inside / volume_between(experiment.run.built, low, high)


def steady_rate(experiment: Experiment) -> FlowRate | None:
    """Mean rate of the steady part of the passages so far."""
    state: HourglassState = experiment.run.state
    return mean_rate(steady_part(state.passages, steady_from(experiment), state.placed), experiment.parameters.window)


def steady_from(experiment: Experiment) -> float:
    """Time from which on the flow counts as steady [s]."""
    fall = fall_time(experiment.run.built.fill_height - NECK, experiment.parameters.gravity)
    opened: float = experiment.run.state.opened
    return opened + STARTING * fall


LATER = ("flow_rate", "number_density", "time_since_last_grain", *SETTLING_READINGS)
"""Names of the readings that exist only later in a run."""


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Grains passed, flow rate, number density, time since the last grain passed, and waits that were cut short."""
    state: HourglassState = experiment.run.state
    rate = steady_rate(experiment)
    shown = [
        Reading(
            "grains_passed",
            _("grains passed"),
            float(len(state.passages)),
            help=Message("Of {placed} above the neck.", placed=state.placed),
        )
    ]
    if rate is not None:
        error = rate.standard_error if math.isfinite(rate.standard_error) else None
        words = _("Mean without start and end, where the flow is not steady; the error is that of eight blocks.")
        shown.append(Reading("flow_rate", _("flow rate"), rate.mean, "1/s", error, words))
    if state.densities:
        words = _("Grains per volume between neck and surface, mean over the steady flow.")
        shown.append(
            Reading("number_density", _("number density"), float(np.mean(state.densities)), "1/m³", None, words)
        )
    if state.phase in ("flowing", "clogged"):
        last = state.passages[-1] if state.passages else state.opened
        waiting = experiment.time - last
        words = Message(
            "Clogged when no grain has passed for {clog_time} s and some are left.",
            clog_time=Number(experiment.parameters.clog_time, format="g"),
        )
        shown.append(Reading("time_since_last_grain", _("since the last grain"), waiting, "s", None, words))
    return (*shown, *settling_readings(state))


ANSWER_VALUES = ("rate", "early", "late", "passed", "placed", "passed_before")
"""Names of the values of `answer`: `passed_before` of a clogged neck only, the others of a flow that came to its
end."""


def answer(experiment: Experiment) -> Answer | None:
    """The steady flow rate, and whether it changes while the glass empties; of a clogged neck the grains that
    passed."""
    state: HourglassState = experiment.run.state
    if state.phase not in ("counted", "rested", "clogged"):
        return None
    passed = len(state.passages)
    if state.phase == "clogged":
        words = Message(
            "The neck clogged when {passed_before} of {placed} had passed.", passed_before=passed, placed=state.placed
        )
        return Answer(float(passed), words)
    steady = steady_part(state.passages, steady_from(experiment), state.placed)
    rate = steady_rate(experiment)
    if rate is None:
        return Answer(
            float(passed),
            Message("Too few grains have passed for a steady flow: {passed}.", passed=passed),
        )
    middle = steady.size // 2
    early, late = (mean_rate(part, experiment.parameters.window) for part in (steady[: middle + 1], steady[middle:]))
    if early is None or late is None:
        words = Message("In grains per second the steady flow is {rate}.", rate=Number(rate.mean, digits=3))
        return Answer(rate.mean, words)
    values: dict[str, Any] = {  # those that this sentence lacks are for the words of presets
        "rate": Number(rate.mean, digits=3),
        "early": Number(early.mean, digits=3),
        "late": Number(late.mean, digits=3),
        "passed": passed,
        "placed": state.placed,
    }
    words = Message(
        "In grains per second the flow is {rate}: {early} in the first half of the steady flow, {late} in the second.",
        **values,
    )
    return Answer(rate.mean, words)


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """The moving-window flow rate and its mean over the steady part."""
    state: HourglassState = experiment.run.state
    time, rate = moving_rate(state.passages, experiment.parameters.window)
    lines = [Line(plural("{count} grain", "{count} grains", count=experiment.parameters.window), time, rate)]
    mean = steady_rate(experiment)
    if mean is not None and rate.size:
        lines.append(Line(_("steady mean"), np.array([mean.begin, mean.end]), np.array([mean.mean, mean.mean])))
    return (Curve("flow", _("Flow"), TIME, Axis(_("grains per second")), tuple(lines)),)


def results(experiment: Experiment) -> dict[str, Any]:
    """Grains, the flow rate, and every passage."""
    state: HourglassState = experiment.run.state
    rate = steady_rate(experiment)
    return {
        "phase": state.phase,
        "clogged": state.phase == "clogged",
        "grains": state.placed,
        "grains_passed": len(state.passages),
        "flow_rate": asdict(rate) if rate else None,
        "number_density": float(np.mean(state.densities)) if state.densities else None,
        "turns": state.turns,
        "waits_cut_short": state.waits_cut_short,
        "passage_times": state.passages,
    }
