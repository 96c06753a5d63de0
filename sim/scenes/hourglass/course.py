"""Phases of an hourglass experiment: filling over a lid, flow, end of the count, empty or clogged, turn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from repose.sim.engine.builder import reset_displacements, set_walls
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.changes import begin_anew
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.ledger import booked
from repose.sim.experiment.notices import notify
from repose.sim.experiment.phase import Phase
from repose.sim.experiment.results import keep_measurement
from repose.sim.experiment.snapshot import Action, Notice
from repose.sim.measure.flow_rate import is_clogged
from repose.sim.message import EMPTY, Capital, Message, _, plural, sentence
from repose.sim.scenes.common.phases import FILLED, FILLING, FLOWING, RESTED, enter, rests
from repose.sim.scenes.common.poured import opening_action
from repose.sim.scenes.common.settling import is_settled, longest_wait
from repose.sim.scenes.common.state_checks import LATEST, are_times, first_invalid, phase_flaws
from repose.sim.scenes.hourglass.flow_readings import number_density, steady_from
from repose.sim.scenes.hourglass.glass import AWAY, HEIGHT, LID_WALL, NECK, clearance, drawn, shoulder, walls
from repose.sim.scenes.hourglass.random_filling import HourglassState

BELOW = 2.0
"""Height that is shown below the neck, in widths of the glass [-]."""
DENSITY_INTERVAL = 0.05
"""Simulated time between two samples of the number of grains per volume [s]."""

PHASES = FILLING, FILLED, FLOWING, Phase("counted", _("counted")), RESTED, Phase("clogged", _("clogged"))

HALF_TURN = np.array([1.0, -1.0, -1.0])
"""Factors of the components of a vector in a turn of the glass by 180° about the x axis."""


def supervise(experiment: Experiment) -> None:
    """Count the grains that passed the neck; detect that they have settled, and an empty or clogged glass."""
    state: HourglassState = experiment.run.state
    waited = experiment.time - state.since
    if state.phase == "filling":
        longest = longest_wait(HEIGHT - NECK, experiment.parameters.gravity)
        if is_settled(experiment, rests(experiment), waited, longest):
            begin_phase(experiment, "filled")
            if state.run_all:
                notify(experiment, act(experiment, "open"))
    if state.phase != "counted":  # grains that fall after the end of the count are not counted
        count_passages(experiment)
    if state.phase != "flowing":
        return
    if experiment.time >= max(state.density_at + DENSITY_INTERVAL, steady_from(experiment)):
        state.density_at = experiment.time
        density = number_density(experiment)
        if density is not None:
            state.densities.append(density)
    left, began = state.placed - len(state.passages), max(state.since, experiment.run.held_until)
    if left == 0:
        begin_phase(experiment, "rested")
    elif 0.0 < experiment.parameters.count_for <= experiment.time - state.since:
        begin_phase(experiment, "counted")
    elif is_clogged(state.passages, began, experiment.time, left, experiment.parameters.clog_time):
        begin_phase(experiment, "clogged")


def begin_phase(experiment: Experiment, phase: str) -> None:
    """Begin another phase; at the end of the count, save the result."""
    state: HourglassState = experiment.run.state
    enter(experiment, phase)
    if phase == "flowing":
        state.opened = experiment.time
    if phase not in ("filling", "filled", "flowing"):
        state.run_all = False
        keep_measurement(experiment)
        notify(experiment, sentence(describe(experiment)[1]), repeats=True)


def count_passages(experiment: Experiment) -> None:
    """Record when the centre of each grain passed the neck, interpolated linearly between two samples, and whether it
    passed outside it: through a wall."""
    run = experiment.run
    state: HourglassState = run.state
    before, now = state.heights, run.world.motion[2, 0]
    passed = (before >= NECK) & (now < NECK)
    # The last sample was taken CHECK_STEPS ago, or at the beginning of this phase.
    began = max(state.since if state.phase == "flowing" else 0.0, experiment.time - sampling_interval(experiment))
    share = (before[passed] - NECK) / (before[passed] - now[passed])
    since = (1.0 - share) * (experiment.time - began)
    position = (run.world.motion[:3, 0, passed] - since * run.world.motion[:3, 1, passed]).T
    position[:, 2] = NECK
    state.beside += int((clearance(run.built, position) < 0.0).sum())
    state.passages.extend(np.sort(began + share * (experiment.time - began)).tolist())
    now = np.where(passed | np.isneginf(before), -np.inf, now)
    state.heights = now


def on_grain_removed(experiment: Experiment, row: int) -> None:
    """Remove a grain from the counts; a grain above the neck will not pass."""
    state: HourglassState = experiment.run.state
    state.placed -= int(state.heights[row] >= NECK)
    state.heights = np.delete(state.heights, row)


def sampling_interval(experiment: Experiment) -> float:
    """Simulated time between two samples of the heights [s]."""
    return CHECK_STEPS * experiment.dt


def act(experiment: Experiment, action: str) -> Message:
    """Carry out one of the actions."""
    state: HourglassState = experiment.run.state
    if action == "run":
        if state.phase in ("counted", "rested", "clogged"):
            begin_anew(experiment)
        state = experiment.run.state
        state.run_all = True
        return act(experiment, "open") if state.phase == "filled" else _("The experiment runs by itself.")
    if action == "open":
        with booked(experiment, "work"):
            experiment.run.world.walls.corner[LID_WALL, 0, 2] = AWAY
        begin_phase(experiment, "flowing")
        return _("The neck is open.")
    if action == "turn":
        with booked(experiment, "work"):
            experiment.run.world = turned_over(experiment.run.world, experiment.run.built)
        state.heights = experiment.run.world.motion[2, 0].copy()
        state.placed = int((experiment.run.world.motion[2, 0] >= NECK).sum())
        state.passages, state.beside, state.densities, state.density_at = [], 0, [], experiment.time
        state.turns += 1
        begin_phase(experiment, "flowing")
        return plural(
            "Turned over: {count} grain above the neck.",
            "Turned over: {count} grains above the neck.",
            count=state.placed,
        )
    begin_anew(experiment)
    return plural(
        "Filled again with {count} grain.", "Filled again with {count} grains.", count=experiment.run.state.placed
    )


def turned_over(world: World, built: Any) -> World:
    """The world after a rotation by 180° about a horizontal axis through the neck, shear springs between grains
    included."""
    rotating = world.motion.shape[0] > 3
    world.motion[:3] *= HALF_TURN[:, None, None]
    world.motion[2, 0] += 2.0 * NECK
    world.pairs.shear_spring[:] *= HALF_TURN[:, None]
    if rotating:
        world.motion[3:] *= HALF_TURN[:, None, None]
        world.turned[:] *= HALF_TURN[:, None]
        w, x, y, z = world.orientation.copy()
        world.orientation[:] = -x, w, -z, y
    reset_displacements(world)
    shape, corner = walls(built, closed=False)
    return set_walls(world, shape, corner, material=1)


def invalid_state(state: HourglassState, world: World, built: Any) -> Message | None:
    """The part of a state read from a file that is impossible."""
    return first_invalid(
        {
            "number of walls": world.walls.shape.size <= LID_WALL,
            **phase_flaws(state),
            "heights": state.heights.shape != (world.sphere_count,) or not bool((state.heights < math.inf).all()),
            "passages": not are_times(state.passages),
            "beside": not 0 <= state.beside <= len(state.passages),
            "placed": not 0 <= state.placed <= 10**9,
            "densities": not all(map(math.isfinite, state.densities)),
            "density_at": not 0.0 <= state.density_at <= LATEST,
            "opened": not 0.0 <= state.opened <= LATEST,
        }
    )


def in_the_way(experiment: Experiment) -> int:
    """Number of grains that would be outside the glass after a turn: the lower funnel has no walls."""
    world = experiment.run.world
    position = world.motion[:3, 0].T * HALF_TURN + np.array([0.0, 0.0, 2.0 * NECK])
    upper = position[:, 2] >= NECK
    return int((clearance(experiment.run.built, position[upper]) <= 0.5 * world.radius[upper]).sum())


def actions(experiment: Experiment) -> tuple[Action, ...]:
    """The buttons, each enabled only while its action is possible."""
    state: HourglassState = experiment.run.state
    over = state.phase in ("counted", "rested", "clogged")
    blocking = in_the_way(experiment) if over else 0
    turning = _("Turn the glass upside down. With the mouse: Ctrl-drag the picture.")
    if blocking:
        turning = plural(
            "Not possible now: {count} grain would be in the funnel after the turn. Let it fall, or reset.",
            "Not possible now: {count} grains would be in the funnel after the turn. Let them fall, or reset.",
            count=blocking,
        )
    return (
        opening_action(experiment, "open", _("Open neck"), _("Remove the lid from the neck.")),
        Action("turn", _("Turn over"), "T", over and not blocking, turning, pivot=(0.0, 0.0, NECK)),
        Action("reset", _("Reset"), "R", True, _("Fill the glass again with the same seed.")),
        Action(
            "run",
            _("Run all"),
            "A",
            not state.run_all,
            _("Let the grains run through the neck and measure the flow rate."),
        ),
    )


def describe(experiment: Experiment) -> tuple[str, Message, float | None]:
    """Phase, its label, and the share done or None."""
    state: HourglassState = experiment.run.state
    passed, wanted = len(state.passages), state.placed
    words = {
        "filling": plural(
            "{count} grain settling over the closed neck", "{count} grains settling over the closed neck", count=wanted
        ),
        "filled": plural("{count} grain over the closed neck", "{count} grains over the closed neck", count=wanted),
        "flowing": plural(
            "flowing: {passed} of {count} grain passed",
            "flowing: {passed} of {count} grains passed",
            count=wanted,
            passed=passed,
        ),
        "counted": plural(
            "counted {passed} of {count} grain", "counted {passed} of {count} grains", count=wanted, passed=passed
        ),
        "rested": plural("empty: {count} grain has passed", "empty: all {count} grains have passed", count=passed),
        "clogged": plural(
            "clogged after {passed} of {count} grain",
            "clogged after {passed} of {count} grains",
            count=wanted,
            passed=passed,
        ),
    }[state.phase]
    if state.phase != "flowing":
        return state.phase, words, None
    share = passed / max(wanted, 1)
    if experiment.parameters.count_for > 0.0:
        share = max(share, (experiment.time - state.since) / experiment.parameters.count_for)
    return state.phase, words, min(1.0, share)


def notice(experiment: Experiment) -> Notice | None:
    """The notice that the neck is clogged; the action "turn" continues the experiment."""
    if experiment.phase != "clogged":
        return None
    words = Capital(describe(experiment)[1])
    return Notice(
        _("The neck is clogged"), Message("{words}: the others form an arch over the neck.", words=words), "turn"
    )


def check(experiment: Experiment) -> Message:
    """Check that all grains are inside the glass, and that those that passed the neck came through it."""
    state: HourglassState = experiment.run.state
    world = experiment.run.world
    built, position = experiment.run.built, world.motion[:3, 0].T
    upper = position[:, 2] >= NECK
    room = np.where(upper, clearance(built, position), 0.5 * built.width - np.abs(position[:, :2]).max(axis=1))
    outside = int(((room < 0.0) | (position[:, 2] < 0.0)).sum())
    if outside:
        return plural("{count} grain is outside the glass.", "{count} grains are outside the glass.", count=outside)
    if state.beside:
        return plural(
            "{count} grain has passed through the wall of the funnel.",
            "{count} grains have passed through the wall of the funnel.",
            count=state.beside,
        )
    return EMPTY


def box(experiment: Experiment) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The whole glass; of one that is narrow for its height, such as a silo, the part around its neck."""
    built = experiment.run.built
    half = 0.5 * built.width
    return (-half, -half, max(0.0, NECK - BELOW * built.width)), (half, half, top(experiment))


def top(experiment: Experiment) -> float:
    """Height up to which the walls are drawn [m]: that of the published glass, of a round one a cylinder above the cone
    that is as high as wide; at least that of the filling."""
    built = experiment.run.built
    high = shoulder(built) + float(built.width) if built.round_glass else HEIGHT
    return max(high, float(built.fill_height))


def facets(experiment: Experiment) -> Floats:
    """Walls and funnel."""
    return drawn(experiment.run.built, top(experiment))
