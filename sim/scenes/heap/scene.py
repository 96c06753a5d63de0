"""The heap: a container is filled in layers, its right wall is opened, and the slope of the heap at rest is measured.

Thesis ch. 3. Radii are drawn from a normal distribution and redrawn below 0.4 or above 1.8 mean radii; mass
grows as R³. Walls and base are fixed spheres. Two criteria are not given in the thesis. A layer counts as settled
once the mean speeds of all grains *and* of that layer are below v_min (the mean over all grains alone is small when
many grains are at rest), or after a longest wait, since grains bounce on a fine base for many seconds. The opened heap
is at rest by the rule of all scenes (`repose.sim.experiment.rest`): in the thesis the mean speed decides, and it is not
said for how long it must be low.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.direction import Direction
from repose.sim.engine.builder import keep_spheres
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.comparison import ResultNumber
from repose.sim.experiment.experiment import Experiment, Hand, ModelChoice, Scene, SceneView
from repose.sim.experiment.ledger import booked
from repose.sim.experiment.notices import notify
from repose.sim.experiment.phase import Pace
from repose.sim.experiment.rest import REST_TIME, quiet_time, time_free
from repose.sim.experiment.results import keep_measurement
from repose.sim.experiment.snapshot import Action
from repose.sim.laws.lee_herrmann import LAW
from repose.sim.measure.angle_of_repose import angle_in_words, bend_in_words, with_error
from repose.sim.measure.avalanches import flaws as other_flaws
from repose.sim.measure.display import Answer, Reading
from repose.sim.measure.mean_speed import mean_speed
from repose.sim.measure.profile import outline, strip_centres, surface_profile
from repose.sim.measure.surface_slope import SurfaceSlope, slope_complaint
from repose.sim.message import EMPTY as NOT_AMISS
from repose.sim.message import Joined, Message, Number, _, plural
from repose.sim.scenes.common.friction_study import STUDY
from repose.sim.scenes.common.law_choice import is_direct_law, with_law
from repose.sim.scenes.common.measured_heap import change_since_measured, note_measured
from repose.sim.scenes.common.phases import EMPTY, FILLED, FILLING, FLOWING, RESTED, enter, rests
from repose.sim.scenes.common.poured import (
    PouredButtons,
    PouredCourse,
    adding,
    at_rest_in_words,
    come_to_rest,
    count_removed,
    grains_left,
    measuring_action,
    move_again,
    once_free,
    opening_action,
    poured_course,
    poured_share,
    removal_is_due,
    remove_gone,
)
from repose.sim.scenes.common.settling import SETTLING_READINGS, fall_time, is_settled, longest_wait, settling_readings
from repose.sim.scenes.common.state_checks import LATEST, are_rows, are_times
from repose.sim.scenes.heap import tilt_and_trickle
from repose.sim.scenes.heap.container import (
    HeapState,
    begin,
    layers,
    mass_of,
    pour_layer,
    rebuild_container,
    smallest_grain,
)
from repose.sim.scenes.heap.parameters import HeapParameters
from repose.sim.scenes.heap.prepared import PREPARED
from repose.sim.scenes.heap.surface import slope_now

PROFILE_INTERVAL = 0.05
"""Simulated time between two profiles of the surface, at first [s]."""
MOST_PROFILES = 100
"""Largest number of stored profiles: at this number every second profile is discarded and the interval doubles."""

NO_SLOPE = _("There is no slope to measure: too few grains lie on the base.")

SIDE_LAYERS = 1.5
"""Height of the open side above which a heap that has lost no grain is a standing column [mean diameters]; a heap ends
there with a single layer."""

NOTHING = "nothing"
"""Value of the parameter `afterwards` with which a run of the whole experiment ends at the measured heap."""


def supervise(experiment: Experiment) -> None:
    """Pour the next layer, detect rest, remove the grains that fell below the base."""
    state: HeapState = experiment.run.state
    if removal_is_due(experiment):
        remove_gone(experiment, fallen_grains(experiment))
    if state.phase in tilt_and_trickle.NAMES:
        tilt_and_trickle.supervise(experiment)
    elif state.phase == "filling":
        _fill_on(experiment)
    elif state.phase == "rested":
        if tilt_and_trickle.has_gone_on(state):
            tilt_and_trickle.move_again(experiment)
        elif move_again(experiment) and state.slope is not None:
            state.slope, state.was_measured = None, True
    elif state.phase == "flowing":
        quiet = rests(experiment)
        _record_profile(experiment, at_once=quiet)
        if quiet:
            follows = experiment.parameters.afterwards if state.run_all else NOTHING
            come_to_rest(experiment, measured=state.run_all or state.was_measured or state.slope is not None)
            if follows != NOTHING and state.slope is not None:
                notify(experiment, COURSE.acts[follows](experiment))


def _record_profile(experiment: Experiment, at_once: bool = False) -> None:
    """Append the profile of the surface when one is due, or at once."""
    state: HeapState = experiment.run.state
    times, world = state.profile_time, experiment.run.world
    time = experiment.time - state.opened
    interval = times[1] - times[0] if len(times) > 1 else PROFILE_INTERVAL
    # Half a step earlier: a rounding error must not skip an interval.
    if times and not at_once and time < times[-1] + interval - 0.5 * experiment.dt:
        return
    if len(times) >= MOST_PROFILES:
        del times[1::2], state.profile[1::2]
    moving = ~world.fixed
    profile = surface_profile(world.motion[:2, 0, moving].T, world.radius[moving], *_strips(experiment))
    times.append(time)
    state.profile.append(profile.tolist())


def _strips(experiment: Experiment) -> tuple[tuple[float, float], float]:
    """Interval of the profile and width of its strips, one mean diameter [m]."""
    built: HeapParameters = experiment.run.built
    return (0.0, built.width), 2.0 * built.mean_radius


def _fill_on(experiment: Experiment) -> None:
    """Pour the next layer, or end the filling, once the last layer has settled."""
    run, state, parameters = experiment.run, experiment.run.state, experiment.parameters
    waited, radius = min(experiment.time - state.since, time_free(experiment)), run.built.mean_radius
    if waited <= 2.0 * fall_time(radius, parameters.gravity):
        return
    speed = max(mean_speed(run.world), mean_speed(run.world, run.world.layer == state.layers - 1))
    longest = longest_wait(2.0 * radius, parameters.gravity)
    if not is_settled(experiment, speed < parameters.settle_speed, waited, longest):
        return
    if state.poured < len(state.radii):
        pour_layer(experiment)
        return
    enter(experiment, "filled")
    if state.run_all:
        notify(experiment, open_wall(experiment))


def fallen_grains(experiment: Experiment) -> NDArray[np.bool_]:
    """Grains below the base, shape (count,)."""
    world = experiment.run.world
    return below_base(experiment, world.motion[:2, 0].T, world.radius) & ~world.fixed


def below_base(experiment: Experiment, centres: Floats, radii: Floats) -> NDArray[np.bool_]:
    """True for spheres with centres (n, 2) and radii (n,) [m] below the base, shape (n,)."""
    below: NDArray[np.bool_] = centres[:, 1] < -experiment.run.built.base_radius - radii
    return below


def open_wall(experiment: Experiment) -> Message:
    """Remove the right wall."""
    run = experiment.run
    with booked(experiment, "work"):
        run.world = keep_spheres(run.world, ~_right_wall(run.world, run.built))
    enter(experiment, "flowing")
    run.state.opened, run.state.profile_time, run.state.profile = experiment.time, [], []
    _record_profile(experiment)
    return _("The right wall is open.")


def stands(experiment: Experiment) -> bool:
    """Whether all grains rest in the open container behind an open side of more than one layer: the column stands, and
    its top is not the slope of a heap."""
    state: HeapState = experiment.run.state
    if state.phase != "rested" or state.removed or tilt_and_trickle.has_gone_on(state):
        return False
    world, built = experiment.run.world, experiment.run.built
    x, y = world.motion[:2, 0]
    at_side = ~world.fixed & (x > built.width - 2.0 * built.mean_radius)
    return bool(((y + world.radius)[at_side] > SIDE_LAYERS * 2.0 * built.mean_radius).any())


def standing_in_words(experiment: Experiment) -> Message:
    """That no grain has run out."""
    left, poured = grains_left(experiment), experiment.run.state.poured
    return Message("The column stands: {left} of {poured} are left in it.", left=left, poured=poured)


def keep_slope(experiment: Experiment) -> Message:
    """Measure the slope and keep it, unless the column stands."""
    if stands(experiment):
        experiment.run.state.was_measured = True  # again once it has fallen
        return standing_in_words(experiment)
    reading = slope_now(experiment, complete=True)
    if reading is None:
        return NO_SLOPE
    experiment.run.state.slope = reading
    note_measured(experiment, reading.used_ids)
    keep_measurement(experiment)
    return plural(
        "Angle of repose {angle}, {count} grain left{comma}{bend}.",
        "Angle of repose {angle}, {count} grains left{comma}{bend}.",
        count=reading.grains_left,
        angle=angle_in_words(reading.angle, reading.standard_error, reading.error_of),
        comma=", " if reading.is_curved else "",
        bend=bend_in_words(reading),
    )


def _right_wall(world: World, parameters: HeapParameters) -> NDArray[np.bool_]:
    beyond: NDArray[np.bool_] = world.fixed & (world.motion[0, 0] > parameters.width)
    return beyond


def actions(experiment: Experiment) -> tuple[Action, ...]:
    """The buttons of the wall, of the other angles and of the measurement."""
    state: HeapState = experiment.run.state
    done = state.slope is not None and not change_since_measured(experiment)
    measurable = not tilt_and_trickle.has_gone_on(state) and grains_left(experiment) > 0
    return (
        opening_action(experiment, "open", _("Open wall"), _("Remove the right wall.")),
        *(once_free(experiment, action) for action in tilt_and_trickle.actions(state, state.run_all)),
        measuring_action(experiment, _("Fit a line to the surface: the angle of repose."), done, measurable),
    )


def filling_in_words(experiment: Experiment) -> Message:
    """The layers and grains poured so far."""
    state: HeapState = experiment.run.state
    return plural(
        "filling: layer {layers}, {poured} of {count} grain",
        "filling: layer {layers}, {poured} of {count} grains",
        layers=state.layers,
        poured=state.poured,
        count=len(state.radii),
    )


def flow_in_words(experiment: Experiment) -> Message:
    """The grains left and run out."""
    return plural(
        "wall open: {count} grain left, {removed} run out",
        "wall open: {count} grains left, {removed} run out",
        count=grains_left(experiment),
        removed=experiment.run.state.removed,
    )


def rest_in_words(experiment: Experiment) -> Message:
    """The grains at rest."""
    left = grains_left(experiment)
    return at_rest_in_words(
        experiment, plural("at rest: {count} grain left", "at rest: {count} grains left", count=left)
    )


def share(experiment: Experiment) -> float | None:
    """Share of the grains that are poured or added, or of the time for which the flow must be slow [-]; or None."""
    state: HeapState = experiment.run.state
    if state.phase == "flowing":
        return min(1.0, max(0.0, quiet_time(experiment, state.since) / REST_TIME))
    return tilt_and_trickle.share(state) if state.phase in tilt_and_trickle.NAMES else poured_share(experiment)


def measure(experiment: Experiment) -> SurfaceSlope | None:
    """The present slope; None while the container is closed, with too few grains, and if the column stands. If the
    table has been tilted during the experiment, the angle is relative to the horizontal."""
    if experiment.phase in ("empty", "filling", "filled") or stands(experiment):
        return None
    slope, turned = slope_now(experiment), experiment.run.state.other.turned
    return replace(slope, angle=slope.angle + turned) if slope is not None and turned else slope


def box(experiment: Experiment) -> tuple[tuple[float, float], tuple[float, float]]:
    """The container, and room to its right for the grains that flow out."""
    built = experiment.run.built
    margin = 3.0 * built.wall_radius
    return (-margin, -margin - 2.0 * built.mean_radius), (1.25 * built.width + margin, experiment.run.state.height)


def focus(experiment: Experiment) -> tuple[tuple[float, float], tuple[float, float]]:
    """The base between the walls, without the walls, which are as high as the full column."""
    built = experiment.run.built
    margin = 2.0 * built.wall_radius
    return (-margin, -max(built.wall_radius, built.base_radius)), (built.width + margin, 0.0)


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """The latest measured angle, the number of grains left, and waits that were cut short."""
    state: HeapState = experiment.run.state
    words = Message("Of {poured} poured.", poured=state.poured)
    if state.phase == "rested":
        words = Message(
            "Of {poured} poured. At rest: for {rest_time} s no grain has left and the mean speed has "
            "been below the settle speed, and the forces balance.",
            poured=state.poured,
            rest_time=Number(REST_TIME, format="g"),
        )
    left = Reading("grains_left", _("grains left"), float(state.poured - state.removed), help=words)
    slope, others = state.slope, tilt_and_trickle.readings(state.other)
    cut_short = settling_readings(state)
    if slope is None:
        return (*others, left, *cut_short)
    help = plural(
        "Of {count} surface grain, method {method}. Heaps of other seeds scatter more.",
        "Of {count} surface grains, method {method}. Heaps of other seeds scatter more.",
        count=len(slope.used_ids),
        method=slope.method,
    )
    if slope.by_method:
        others_in_words = (
            f"{name.replace('_', ' ')} {math.degrees(at):.1f}°" for name, (at, _) in slope.by_method.items()
        )
        help += Message(" By every method: {others_in_words}.", others_in_words=Joined(tuple(others_in_words)))
    angle, error = math.degrees(slope.angle), math.degrees(slope.standard_error)
    outdated = change_since_measured(experiment)
    if slope.is_curved:
        words = _(
            "Difference of the angles at top and foot, from a parabola through the same grains: the flank is curved."
        )
        label = _("steeper at the top by") if slope.bend > 0.0 else _("steeper at the foot by")
        bend_error = math.degrees(slope.bend_error)
        bend = Reading(
            "steeper_at_top" if slope.bend > 0.0 else "steeper_at_foot",
            label,
            abs(math.degrees(slope.bend)),
            "°",
            bend_error,
            words,
            outdated=outdated,
        )
        others = (*others, bend)
    return (
        Reading("angle_of_repose", _("angle of repose"), angle, "°", error, help, slope.error_of, outdated=outdated),
        *others,
        left,
        *cut_short,
    )


def answer(experiment: Experiment) -> Answer | None:
    """The angle of the heap that stays and the grains left, while the measurement applies."""
    state: HeapState = experiment.run.state
    left, slope = grains_left(experiment), _drawn_slope(experiment)
    if state.phase != "rested":
        return None
    if slope is None and stands(experiment):
        return Answer(float(left), standing_in_words(experiment))
    if slope is None:
        if state.slope is not None or slope_now(experiment) is not None:
            return None  # it is not measured yet, or not anew
        words = Message(
            "No slope stays that could be measured: {left} of {poured} are left.", left=left, poured=state.poured
        )
        return Answer(float(left), words)
    words = Message(
        "The heap that stays is {angle} steep, and {left} of {poured} are left in it.",
        angle=with_error(slope.angle, slope.standard_error),
        left=left,
        poured=state.poured,
    )
    return Answer(math.degrees(slope.angle), words)


def results(experiment: Experiment) -> dict[str, Any]:
    """Grains filled and left, layers, and the reading.

    The standard error is that of the line fit (`standard_error_of`), not the scatter of runs with other seeds.
    """
    state: HeapState = experiment.run.state
    reading = experiment.run.state.slope
    angle = None
    if reading is not None:
        angle = {
            "degrees": math.degrees(reading.angle),
            "standard_error_degrees": math.degrees(reading.standard_error),
            "standard_error_of": reading.error_of,
            "method": reading.method,
            "grains_used": len(reading.used_ids),
            "by_method": {
                name: {"degrees": math.degrees(at), "standard_error_degrees": math.degrees(error)}
                for name, (at, error) in reading.by_method.items()
            },
            "bend_degrees": math.degrees(reading.bend) if math.isfinite(reading.bend) else None,
            "bend_error_degrees": math.degrees(reading.bend_error) if math.isfinite(reading.bend_error) else None,
            "curved": reading.is_curved,
            "grains_left": reading.grains_left,
            "outdated": change_since_measured(experiment) or None,
        }
    return {
        "phase": state.phase,
        "angle_of_repose": angle,
        "grains_filled": state.poured - state.other.trickled,
        "grains_left": state.poured - state.removed,
        "layers": state.layers,
        "waits_cut_short": state.waits_cut_short,
        "other_angles": tilt_and_trickle.results(state.other),
        "profile": _profile(experiment),
        "outline": _outline(experiment),
    }


def _profile(experiment: Experiment) -> dict[str, Any] | None:
    """Height h [m] of the surface in strips with centres x [m] at times t since the opening [s]; None before it."""
    state: HeapState = experiment.run.state
    if not state.profile:
        return None
    return {"x": strip_centres(*_strips(experiment)).tolist(), "time": state.profile_time, "height": state.profile}


def _outline(experiment: Experiment) -> dict[str, list[float]]:
    """The outline of the grains at the present time [m]."""
    world = experiment.run.world
    loose = ~world.fixed
    return outline(world.motion[:2, 0, loose].T, world.radius[loose], _strips(experiment)[0])


def check(experiment: Experiment) -> Message:
    """Check that the heap is at rest, and has a slope, or is a column of grains that pull each other."""
    reading = experiment.run.state.slope
    if experiment.phase != "rested":
        return Message("The heap did not come to rest: phase {phase}.", phase=experiment.phase)
    if reading is None and experiment.run.state.was_measured and stands(experiment):
        top, pulls = slope_now(experiment), experiment.engine.model.law.acts_at_distance
        return NOT_AMISS if pulls or top is None else slope_complaint(top.angle, top.standard_error)
    if reading is None:
        return NO_SLOPE if slope_now(experiment) is None else _("The heap is at rest, and has not been measured yet.")
    return slope_complaint(reading.angle, reading.standard_error)


def flaws(state: HeapState, world: World, built: HeapParameters) -> dict[str, bool]:
    """Which parts of a state read from a file are impossible, by name."""
    slope, strips = state.slope, ((0.0, built.width), 2.0 * built.mean_radius)
    return {
        "height": not 0.0 <= state.height <= 1e4,
        "opened": not 0.0 <= state.opened <= LATEST,
        "profile times": not are_times(state.profile_time),
        "profile": not are_rows(state.profile, len(state.profile_time), strip_centres(*strips).size),
        **other_flaws(state.other),
        "measured slope": slope is not None and not np.isfinite([*slope.x_range, slope.angle, slope.slope]).all(),
    }


def _drawn_slope(experiment: Experiment) -> SurfaceSlope | None:
    """The measured slope, while it applies to the grains."""
    state: HeapState = experiment.run.state
    return None if change_since_measured(experiment) else state.slope


PHASES = (
    EMPTY,
    FILLING,
    FILLED,
    replace(FLOWING, label=_("wall open"), pace=Pace(8.0, "fall")),
    RESTED,
    *tilt_and_trickle.PHASES,
)

COURSE = PouredCourse(
    begin=begin,
    supervise=supervise,
    pour=pour_layer,
    phases=PHASES,
    buttons=PouredButtons(
        _("Pour the grains in layers; a full container is emptied first."),
        _("Back to the filled column, or the empty container where there is none."),
        _("Fill, open, wait for rest and measure without further keys."),
        _("Fill"),
    ),
    empty=_("The container is empty."),
    actions=actions,
    acts={
        "open": open_wall,
        "tilt": tilt_and_trickle.start_tilting,
        "trickle": tilt_and_trickle.start_trickling,
        "measure": keep_slope,
    },
    opening="open",
    words={
        "empty": lambda experiment: _("empty container"),
        "filling": filling_in_words,
        "filled": lambda experiment: plural(
            "filled with {count} grain, wall closed",
            "filled with {count} grains, wall closed",
            count=grains_left(experiment),
        ),
        "flowing": flow_in_words,
        "rested": rest_in_words,
        **dict.fromkeys(tilt_and_trickle.NAMES, tilt_and_trickle.phase_in_words),
    },
    results=results,
    check=check,
    share=share,
    flaws=flaws,
)

SCENE = Scene(
    name="heap",
    title=_("Heap"),
    summary=_("Fill a container in layers, open its right wall, measure the angle of repose (thesis ch. 3)."),
    direction=Direction(
        see=_("The right wall opens: the column collapses, and a heap with a straight slope stays."),
        colour="layer",
        plot="angle",
        speed=1.0,
        seconds=10.0,
        speeds={"flowing": 0.1},
    ),
    parameters=with_law(HeapParameters, LAW, is_direct_law),
    model=ModelChoice(
        law=LAW.name, dimension=2, smallest_grain=smallest_grain, rotates=lambda parameters: parameters.rotation
    ),
    course=replace(
        poured_course(COURSE),
        measure=measure,
        find_answer=answer,
        answer_values=("angle", "left", "poured"),
        readings=readings,
        later_readings=(
            "angle_of_repose",
            "steeper_at_top",
            "steeper_at_foot",
            *tilt_and_trickle.READINGS,
            *SETTLING_READINGS,
        ),
        result_numbers={
            "degrees": ResultNumber(_("angle"), "°"),
            "standard_error_degrees": ResultNumber(_("standard error"), "°"),
            "bend_degrees": ResultNumber(_("bend"), "°"),
            "bend_error_degrees": ResultNumber(_("bend error"), "°"),
            **tilt_and_trickle.NUMBERS,
        },
        flanks=1,
        turned=lambda state: state.other.turned,
        prepared=PREPARED,
    ),
    view=SceneView(
        box=box,
        focus=focus,
        layers=layers,
        slope=_drawn_slope,
        slope_since=_("the opening"),
        curves=lambda experiment: tilt_and_trickle.curves(experiment.run.state.other),
        later_curves=(tilt_and_trickle.SLOPES, tilt_and_trickle.SIZES),
    ),
    hand=Hand(
        on_grain_removed=count_removed,
        add_grains=adding(lambda built, radii: mass_of(radii, built)),
        keeps_out=below_base,
        free_walls=True,
        rebuild=rebuild_container,
    ),
    lecture=("friction", "normal_stiffness", "shear_stiffness", "gravity", "base_radius"),
    study=STUDY,
    test_values={"grain_count": 90, "width": 0.02, "friction": 0.4},
)
