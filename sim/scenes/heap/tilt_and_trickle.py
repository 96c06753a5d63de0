"""A heap at rest is tilted until it flows, or grains are added one by one (Lee & Herrmann 1993).

Gravity turns in the frame of the table; base and walls do not move. Their motion therefore shears no contact, and the
picture stays still. The inertial forces of the turning frame are neglected; at 10 °/s they are at most
2 ω v + ω² L = 2 % of the weight for grains of 0.5 m/s. The energy m g·x changes with g: the change is booked as work.
The table turns at every check of the scene, 50 steps apart.

The flow starts at the angle at which the mean speed rises above the settle speed and does not fall below it before a
quarter of the grains has moved by more than a mean radius or left. Rearrangements of single grains do not count.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from repose.sim.experiment.activation import turn_gravity
from repose.sim.experiment.comparison import ResultNumber
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import holds
from repose.sim.experiment.notices import notify
from repose.sim.experiment.phase import Pace, Phase
from repose.sim.experiment.snapshot import Action
from repose.sim.measure.avalanches import (
    LARGE_SHARE,
    Avalanche,
    Mean,
    OtherAngles,
    Tilting,
    as_large_as,
    displaced,
    drop_of,
    is_any_faster,
    marginal_stability,
    mean_of,
    repose_after,
    watch,
)
from repose.sim.measure.display import Axis, Curve, Line, Reading
from repose.sim.measure.mean_speed import mean_speed
from repose.sim.message import EMPTY, Message, Number, _, formatted, joined, plural
from repose.sim.rate_integral import RateIntegral
from repose.sim.scenes.common.phases import enter, rests
from repose.sim.scenes.common.poured import MOVES_AGAIN, add_layer, generator_of
from repose.sim.scenes.common.settling import fall_time, is_settled, longest_wait
from repose.sim.scenes.heap.container import HeapState, mass_of, one_radius
from repose.sim.scenes.heap.surface import slope_now

CALM_TIME = 0.02
"""Time for which every grain must stay below the settle speed before the next one is added [s]."""
STEEPEST = 0.5 * math.pi
"""Largest angle of the table [rad]."""
NUMBERS = {
    "tilting_angle_degrees": ResultNumber(_("tilting angle"), "°", "θ_T"),
    "slope_at_flow_degrees": ResultNumber(_("slope at flow"), "°"),
    "marginal_stability_degrees": ResultNumber(_("marginal stability"), "°", "θ_MS"),
    "marginal_stability_error_degrees": ResultNumber(_("marginal stability error"), "°"),
    "repose_after_avalanches_degrees": ResultNumber(_("repose after avalanches"), "°", "θ_R"),
    "repose_after_avalanches_error_degrees": ResultNumber(_("repose after avalanches error"), "°"),
    "slope_drop_degrees": ResultNumber(_("slope drop"), "°", "θ_MS − θ_R"),
    "slope_drop_error_degrees": ResultNumber(_("slope drop error"), "°"),
}
"""How the numbers of `results` are shown."""
SLOPES = Curve("slope", _("Slope"), Axis(_("grains added")), Axis(_("slope to the horizontal"), "°"))
SIZES = Curve(
    "avalanches",
    _("Avalanches"),
    Axis(_("grains displaced s")),
    Axis(_("share with ≥ s grains")),
    heading=_("Avalanches of at least this size"),
    log=True,
    log_x=True,
)
"""Titles of the plots of a heap to which grains have been added."""
TILTING, SLIDING, TRICKLING = NAMES = "tilting", "sliding", "trickling"
PHASES = (
    Phase(TILTING, _("tilting"), runs=True),
    Phase(SLIDING, _("sliding"), runs=True),
    Phase(TRICKLING, _("adding grains"), runs=True, pace=Pace(20.0, "share")),
)


def has_gone_on(state: HeapState) -> bool:
    """Whether the heap has been tilted, or grains have been added to it."""
    return state.other.turned != 0.0 or state.other.trickled > 0


def start_tilting(experiment: Experiment) -> Message:
    """Begin to turn the table."""
    angles = experiment.run.state.other
    angles.turned_before, angles.stirred = angles.turned, None
    angles.turn = RateIntegral(angles.turned, experiment.time, experiment.parameters.tilt_rate)
    enter(experiment, TILTING)
    rate = math.degrees(experiment.parameters.tilt_rate)
    return Message("The table turns by {rate}° per second until the heap flows.", rate=Number(rate, format="g"))


def start_trickling(experiment: Experiment) -> Message:
    """Begin to add grains one by one."""
    angles, count = experiment.run.state.other, experiment.parameters.trickle_count
    angles.trickle_to = angles.trickled + count
    angles.slope = slope_to_horizontal(experiment)
    enter(experiment, TRICKLING)
    _add_grain(experiment)
    return plural(
        "{count} grain is added at the top, once all others rest.",
        "{count} grains are added at the top one by one, each once all others rest.",
        count=count,
    )


def supervise(experiment: Experiment) -> None:
    """Turn the table, detect the flow and its end; add the next grain at rest."""
    {TILTING: _tilt_on, SLIDING: _slide_on, TRICKLING: _trickle_on}[experiment.phase](experiment)


def _tilt_on(experiment: Experiment) -> None:
    run, parameters = experiment.run, experiment.parameters
    state: HeapState = run.state
    angles = state.other
    if not angles.turn.rate:
        angles.turn = RateIntegral(angles.turned_before, state.since, parameters.tilt_rate)
    angles.turned = angles.turn.at(experiment.time)
    angles.turn.go_on(experiment.time, parameters.tilt_rate)
    turn_gravity(experiment)
    if holds(run) or mean_speed(run.world) < parameters.settle_speed:  # what the hand moves does not flow by itself
        angles.stirred = None
    elif angles.stirred is None:
        angles.stirred, angles.slope, angles.removed = angles.turned, slope_to_horizontal(experiment), state.removed
        watch(angles, run.world)
    if angles.stirred is not None:
        moved = displaced(angles, run.world, run.built.mean_radius)
        if moved >= LARGE_SHARE * len(angles.watched):
            angles.tilts.append(Tilting(angles.stirred, angles.slope))
            enter(experiment, SLIDING)
            notify(
                experiment,
                Message(
                    "The heap flows from a tilt of {stirred}° on.",
                    stirred=Number(math.degrees(angles.stirred), format=".1f"),
                ),
            )
            return
    if abs(parameters.tilt + angles.turned) >= STEEPEST or run.world.fixed.all():
        enter(experiment, "rested")
        notify(experiment, _("The table is turned as far as it goes, and no flow has started."))


def _slide_on(experiment: Experiment) -> None:
    if not rests(experiment):
        return
    state: HeapState = experiment.run.state
    angles = state.other
    after, left = slope_to_horizontal(experiment), state.removed - angles.removed
    if angles.tilts:
        angles.tilts[-1] = replace(angles.tilts[-1], after=after, left=left)
    enter(experiment, "rested")
    slope = (
        _("no slope is left")
        if after is None
        else Message("slope {after}° to the horizontal", after=Number(math.degrees(after), format=".1f"))
    )
    notify(
        experiment,
        plural(
            "At rest again: {count} grain ran out, {slope}.",
            "At rest again: {count} grains ran out, {slope}.",
            count=left,
            slope=slope,
        ),
    )


def move_again(experiment: Experiment) -> None:
    """Return to flow once the grains of a tilted or enlarged heap move clearly faster than the settle speed."""
    if mean_speed(experiment.run.world) > MOVES_AGAIN * experiment.parameters.settle_speed:
        enter(experiment, SLIDING)
        notify(experiment, _("The heap moves again."))


def _add_grain(experiment: Experiment) -> None:
    """Release one grain from rest above the highest grain beside the left wall, as low as possible without contact."""
    run = experiment.run
    state: HeapState = run.state
    angles, world, built = state.other, run.world, run.built
    generator = generator_of(state)
    radius = one_radius(built, generator)
    x = radius * (1.0 + 2.0 * generator.uniform())
    watch(angles, world)
    # The lowest height without contact with a grain at the horizontal distance dx is sqrt((R+r)² - dx²) above it.
    reach = world.radius + radius
    away = np.abs(world.motion[0, 0] - x)
    below = (away < reach) & (world.motion[0, 0] > 0.0)  # without the grains of the left wall
    heights = world.motion[1, 0, below] + np.sqrt(reach[below] ** 2 - away[below] ** 2)
    y = float(heights.max(initial=built.base_radius + radius)) + 0.01 * radius
    radii = np.array([radius])
    add_layer(experiment, np.array([[x, y]]), radii, mass_of(radii, built), generator, on_last=angles.trickled > 0)
    state.radii = np.append(state.radii, radius)
    angles.trickled += 1
    angles.removed, angles.stirred, angles.last_motion = state.removed, None, experiment.time


def _trickle_on(experiment: Experiment) -> None:
    run, parameters = experiment.run, experiment.parameters
    state: HeapState = run.state
    angles = state.other
    others, any_grain = is_any_faster(angles, run.world, parameters.settle_speed)
    if others and angles.stirred is None:
        angles.stirred = experiment.time
    if any_grain:
        angles.last_motion = experiment.time
    # A grain is slow after its release: wait for the time in which it falls by a diameter.
    falls = fall_time(2.0 * run.built.mean_radius, parameters.gravity)
    calm = experiment.time >= max(state.since + falls, angles.last_motion, run.held_until) + CALM_TIME
    longest = longest_wait(state.height, parameters.gravity)
    if not is_settled(experiment, calm, experiment.time - state.since, longest):
        return
    _end_avalanche(experiment)
    if angles.trickled < angles.trickle_to:
        _add_grain(experiment)
        return
    enter(experiment, "rested")
    notify(experiment, in_words(angles) or _("No avalanche has moved a quarter of the heap."))


def _end_avalanche(experiment: Experiment) -> None:
    """Store the avalanche of the added grain, if other grains have moved."""
    run = experiment.run
    angles: OtherAngles = run.state.other
    moved, left = displaced(angles, run.world, run.built.mean_radius), run.state.removed - angles.removed
    after = slope_to_horizontal(experiment)
    if moved or left:
        began = experiment.time if angles.stirred is None else angles.stirred
        lasted = max(0.0, angles.last_motion - began)
        heap = len(angles.watched)
        angles.avalanches.append(Avalanche(angles.trickled, angles.slope, after, moved, left, lasted, heap))
    angles.slope = after


def slope_to_horizontal(experiment: Experiment) -> float | None:
    """The present slope [rad]; None if it cannot be measured."""
    slope = slope_now(experiment)
    return None if slope is None else slope.angle + experiment.run.state.other.turned + experiment.parameters.tilt


def actions(state: HeapState, busy: bool) -> tuple[Action, Action]:
    """The buttons of both experiments."""
    resting = state.phase == "rested" and not busy and state.poured > state.removed
    tilted = state.other.turned != 0.0
    return (
        Action("tilt", _("Tilt"), "T", resting, _("Turn the table slowly until the heap flows."), done=tilted),
        Action(
            "trickle",
            _("Trickle"),
            "G",
            resting and not tilted,
            _("Add grains at the top one by one and record the avalanches."),
            done=state.other.trickled > 0,
        ),
    )


def share(state: HeapState) -> float | None:
    """Share of the grains that have been added [-]; None while the table turns."""
    return state.other.trickled / state.other.trickle_to if state.phase == TRICKLING else None


def phase_in_words(experiment: Experiment) -> Message:
    """The grains that are added, or the angle of the table."""
    state: HeapState = experiment.run.state
    angles, left = state.other, state.poured - state.removed
    if state.phase == TRICKLING:
        return Message(
            "adding grains: {trickled} of {trickle_to}, avalanches: {avalanches}",
            trickled=angles.trickled,
            trickle_to=angles.trickle_to,
            avalanches=len(angles.avalanches),
        )
    words = plural(
        "table at {turned}°: {count} grain left",
        "table at {turned}°: {count} grains left",
        turned=Number(math.degrees(angles.turned), format=".1f"),
        count=left,
    )
    return joined((experiment.scene.phase(state.phase).label, words))


def in_words(angles: OtherAngles) -> Message:
    """θ_MS and the slope after the avalanches; empty without large avalanches."""
    before, after = marginal_stability(angles.avalanches), repose_after(angles.avalanches)
    if not before.number:
        return EMPTY
    return plural(
        "θ_MS = {before} before {count} large avalanche, {after} after it.",
        "θ_MS = {before} before {count} large avalanches, {after} after them.",
        count=before.number,
        before=_degrees(before),
        after=_degrees(after),
    )


def _degrees(mean: Mean) -> Message:
    value = formatted(math.degrees(mean.value), ".1f", "°")
    return joined((value, Number(math.degrees(mean.error), "°", ".1f")), " ± ") if math.isfinite(mean.error) else value


READINGS = ("tilting_angle", "table_angle", "before_avalanches", "after_avalanches")
"""Names of `readings`."""


def readings(angles: OtherAngles) -> tuple[Reading, ...]:
    """θ_T, the angle of the table, and θ_MS with the slope after large avalanches."""
    entries = []
    if angles.tilts:
        help = Message(
            "Angle of the table at which {large_share} of the grains began to flow.",
            large_share=Number(LARGE_SHARE, format=".0%"),
        )
        entries.append(
            Reading("tilting_angle", _("tilting angle"), math.degrees(angles.tilts[0].angle), "°", help=help)
        )
    if angles.turned:
        entries.append(
            Reading(
                "table_angle",
                _("table"),
                math.degrees(angles.turned),
                "°",
                help=_("Angle by which the table is turned."),
            )
        )
    before, after = marginal_stability(angles.avalanches), repose_after(angles.avalanches)
    for name, label, mean, help in (
        (
            "before_avalanches",
            plural("before {count} avalanche", "before {count} avalanches", count=before.number),
            before,
            _("Angle of marginal stability"),
        ),
        (
            "after_avalanches",
            plural("after {count} avalanche", "after {count} avalanches", count=after.number),
            after,
            _("Angle of repose"),
        ),
    ):
        if mean.number:
            error = math.degrees(mean.error) if math.isfinite(mean.error) else None
            words = plural(
                "{help}: mean of {count} avalanche of at least {large_share} of the heap.",
                "{help}: mean of {count} avalanches of at least {large_share} of the heap.",
                help=help,
                count=mean.number,
                large_share=Number(LARGE_SHARE, format=".0%"),
            )
            entries.append(Reading(name, label, math.degrees(mean.value), "°", error, words, _("avalanches")))
    return tuple(entries)


def curves(angles: OtherAngles) -> tuple[Curve, ...]:
    """Slope before and after every avalanche over the number of added grains, and the distribution of sizes. The plots
    exist from the first grain on, first without points: no tab moves later."""
    if not angles.trickled:
        return ()
    entries = [entry for entry in angles.avalanches if entry.displaced]
    grain = np.array([float(entry.grain) for entry in entries])
    lines: list[Line] = []
    for group, (name, label, large, mean) in enumerate(
        (
            ("before", _("before"), _("before large ones, mean"), marginal_stability(entries)),
            ("after", _("after"), _("after large ones, mean"), repose_after(entries)),
        )
    ):
        slope = np.degrees(np.array([getattr(entry, name) for entry in entries], float))
        lines.append(Line(label, grain, slope, points=True, group=group))
        if mean.number:
            level = np.full(2, math.degrees(mean.value))
            lines.append(Line(large, grain[[0, -1]], level, fitted=True, group=group))
    size, share = as_large_as([entry.displaced for entry in entries])
    return (
        replace(SLOPES, lines=tuple(lines)),
        replace(SIZES, lines=(Line(_("avalanches"), size, share, points=True),)),
    )


def results(angles: OtherAngles) -> dict[str, Any]:
    """Results of both experiments in degrees, grains and seconds; None for an experiment that was not done."""
    before, after = marginal_stability(angles.avalanches), repose_after(angles.avalanches)
    drop = drop_of(angles.avalanches)
    sizes = mean_of([float(entry.displaced) for entry in angles.avalanches if entry.displaced])
    return {
        "tilting_angle_degrees": math.degrees(angles.tilts[0].angle) if angles.tilts else None,
        "slope_at_flow_degrees": _in_degrees(angles.tilts[0].before) if angles.tilts else None,
        "tilts": [
            {
                "tilting_angle_degrees": math.degrees(entry.angle),
                "slope_before_degrees": _in_degrees(entry.before),
                "slope_after_degrees": _in_degrees(entry.after),
                "grains_run_out": entry.left,
            }
            for entry in angles.tilts
        ],
        "grains_added": angles.trickled,
        "marginal_stability_degrees": _in_degrees(before.value),
        "marginal_stability_error_degrees": _in_degrees(before.error),
        "repose_after_avalanches_degrees": _in_degrees(after.value),
        "repose_after_avalanches_error_degrees": _in_degrees(after.error),
        "slope_drop_degrees": _in_degrees(drop.value),
        "slope_drop_error_degrees": _in_degrees(drop.error),
        "large_avalanches": before.number,
        "mean_avalanche": _finite(sizes.value),
        "avalanches": [
            {
                "grains_added": entry.grain,
                "slope_before_degrees": _in_degrees(entry.before),
                "slope_after_degrees": _in_degrees(entry.after),
                "grains_displaced": entry.displaced,
                "grains_run_out": entry.left,
                "grains_of_heap": entry.heap,
                "duration": entry.duration,
            }
            for entry in angles.avalanches
        ],
    }


def _in_degrees(angle: float | None) -> float | None:
    """An angle in degrees from one in radians; None for None or nan."""
    return None if angle is None else _finite(math.degrees(angle))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
