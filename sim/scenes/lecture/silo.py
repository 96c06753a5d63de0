"""A silo in the plane, whose outlet is widened in stages: flow rate against width, Beverloo's law, clogging.

Grains that have left are put on top again: the silo stays full. A stage ends after a number of grains, or when no grain
has passed for a while: an arch of grains clogs the outlet, and the wider outlet of the next stage breaks the arch. The
flow rate of a stage excludes its beginning.

In the plane Beverloo's law is Q = C n √g (D − k d)^(3/2) with the number n of grains per area (Beverloo et al. 1961;
To et al. 2001 for discs and their clogging): the outlet and free fall from its width give the velocity √(g D), its
width gives the factor D.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.direction import Direction
from repose.sim.engine.builder import forget_neighbours, reset_displacements
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene
from repose.sim.experiment.ledger import booked
from repose.sim.experiment.rest import any_falls, is_slow
from repose.sim.measure.beverloo import fit_exponent
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Guess, Line, Outcome, Reading
from repose.sim.message import Message, Number, _, plural
from repose.sim.parameters import count, number
from repose.sim.scenes.common.poured_parameters import GrainCount
from repose.sim.scenes.common.settled import Packing
from repose.sim.scenes.common.settling import is_settled, longest_wait
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
    lies_in_balance,
    outcome_above,
    outcome_between,
    put_walls,
    with_lines,
)

RING = 1.4
"""Empty margin k of the outlet of the usual law, in mean diameters [-] (Beverloo et al. 1961)."""
SLENDER = 1.4
"""Height of the filling over the width of the silo [-]."""
BELOW = 8.0
"""Depth below the outlet at which a grain is out of sight, in mean diameters [-]."""
DEEP = 2.0 * BELOW
"""Largest depth of a grain, in mean diameters [-]: a freely falling grain has 1.1 m/s there."""
STARTING = 0.2
"""Fraction of the grains of a stage that pass before the rate is measured [-]."""
STEADY_GRAINS = 150
"""Least number of grains, in the silo and in a stage, for a comparison of the exponent of the law [-]."""
RATE_SPREAD, OF_GRAINS, SURE = 0.065, 300, 2.5
"""Relative standard deviation of the rate of a stage of `OF_GRAINS` grains [-], and largest accepted deviation in
standard deviations. Counting 240 grains alone gives 0.065; seeds 1 to 5 have powers of 1.52 to 1.77 and margins of 1.43
to 2.33, which are the deviations that follow from it."""
FILLING = 0.9
"""Fraction of the grains below the top of the filling, without those that fall onto it [-]."""
CLOGGED_AFTER = 0.4
"""Time without a grain passing after which the outlet counts as clogged [s]; a grain falls its diameter in 0.03 s."""


class SiloParameters(DiscsParameters):
    """Discs in a silo with a flat bottom, in SI."""

    grain_count: GrainCount = 700
    # fmt: off
    narrowest: float = number(2.5, 1.2, 20.0, _("narrowest outlet"), "D_1/d", effect="restart", group=_("Silo"),
        help=_("Width of the first stage in mean diameters. Takes effect at the next start."))
    widest: float = number(10.0, 2.0, 20.0, _("widest outlet"), "D_2/d", effect="restart", group=_("Silo"),
        help=_("Width of the last stage in mean diameters. Takes effect at the next start."))
    stages: int = count(6, 2, 16, _("stages"), effect="restart", group=_("Silo"),
        help=_("Number of widths, at equal distances. Takes effect at the next start."))
    stage_grains: int = count(300, 10, 5000, _("grains of a stage"), "N_s", effect="restart", group=_("Silo"),
        help=_("Number of grains that pass before the outlet is widened. Takes effect at the next start."))
    # fmt: on

    @property
    def diameter(self) -> float:
        """Mean diameter of the grains [m]."""
        return 2.0 * self.mean_radius

    @property
    def width(self) -> float:
        """Width of the silo, with room beside the widest outlet [m]."""
        area = self.grain_count * math.pi * self.mean_square_radius / LOOSE
        return max(math.sqrt(area / SLENDER), (max(self.widest, self.narrowest) + 6.0) * self.diameter)

    @property
    def height(self) -> float:
        """Height of the silo, with room for the initial loose lattice [m]."""
        loose = (2.04 * self.largest_radius) ** 2 * math.sqrt(0.75) * self.grain_count / (self.width - self.diameter)
        return 1.1 * loose + 6.0 * self.diameter

    @property
    def outlets(self) -> Floats:
        """Widths of all stages [m]."""
        return np.linspace(self.narrowest, self.widest, self.stages) * self.diameter


@dataclass
class OutletStage:
    """What was measured with one width of the outlet."""

    passed: int
    """Grains that passed."""
    rate: float | None
    """Flow rate [1/s]; None if the outlet clogged."""


@dataclass
class SiloState(CourseState):
    """State of the silo; times are since the beginning of the course [s]."""

    stages: list[OutletStage] = field(default_factory=list)
    """The stages that are over."""
    began: float = 0.0
    """Beginning of the stage, or time at which the outlet was closed after the last one."""
    before: int = 0
    """Grains that had passed when the stage began."""
    count: int = 0
    """Grains that had passed at the last check."""
    last: float = 0.0
    """Time at which the last grain passed."""
    lifted: int = 0
    """Grains that have passed and were put on top again."""
    counted_at: float = 0.0
    """Time from which on the rate of the stage is measured; not after `began` until then."""
    counted_from: int = 0
    """Grains that had passed at this time."""


def lines(parameters: SiloParameters, outlet: float) -> Floats:
    """Side walls and the two halves of the bottom [m], shape (4, 2, 2)."""
    half, neck, top = 0.5 * parameters.width, 0.5 * outlet, parameters.height
    return np.array(
        [[(side * half, 0.0), (side * half, top)] for side in (-1, 1)]
        + [[(side * neck, 0.0), (side * half, 0.0)] for side in (-1, 1)]
    )


def start(parameters: SiloParameters, seed: int) -> World:
    """The closed silo with a loose filling."""
    room, low = 0.5 * parameters.width - parameters.largest_radius, 1.05 * parameters.largest_radius
    world = lattice(parameters, seed, lambda x, y: (np.abs(x) < room) & (y > low))
    return with_lines(world, lines(parameters, 0.0))


def set_out(experiment: Experiment) -> None:
    """Open the outlet to its narrowest width."""
    put_walls(experiment, lines(experiment.run.built, experiment.run.built.outlets[0]))


def passed(experiment: Experiment) -> int:
    """Grains that have passed the outlet so far."""
    return int(experiment.run.state.lifted + (experiment.run.world.motion[1, 0] < 0.0).sum())


def drive(experiment: Experiment) -> bool:
    """Count the grains, put them on top again, widen the outlet at the end of a stage; after the last one close it,
    and True once the grains that were put on top have come down."""
    built: SiloParameters = experiment.run.built
    state: SiloState = experiment.run.state
    now, count = elapsed(experiment), passed(experiment)
    if len(state.stages) == built.stages:
        down = is_slow(experiment) and not any_falls(experiment)
        longest = longest_wait(built.height, experiment.parameters.gravity)
        return is_settled(experiment, down, now - state.began, longest)
    if count > state.count:
        state.count, state.last = count, now
    lift(experiment)
    of_stage = count - state.before
    if of_stage >= STARTING * built.stage_grains and state.counted_at <= state.began:
        state.counted_at, state.counted_from = now, count
    clogged = now - max(state.last, state.began) > CLOGGED_AFTER
    if of_stage < built.stage_grains and not clogged:
        return False
    rate = None if clogged else (count - state.counted_from) / (now - state.counted_at)
    state.stages.append(OutletStage(of_stage, rate))
    state.began, state.before = now, count
    if len(state.stages) == built.stages:
        close(experiment)
        return False
    put_walls(experiment, lines(built, built.outlets[len(state.stages)]))
    return False


def close(experiment: Experiment) -> None:
    """Close the outlet after the last stage, so that the run comes to rest with a full silo: grains below the bottom,
    which would fall for ever, and grains in the outlet are put on top."""
    world, built = experiment.run.world, experiment.run.built
    x, y = world.motion[:2, 0]
    in_outlet = (np.abs(x) < 0.5 * built.outlets[-1] + world.radius) & (y < world.radius)
    away = np.flatnonzero(in_outlet | (y < 0.0))
    while away.size:
        away = _put_on_top(experiment, away)
    put_walls(experiment, lines(built, 0.0))


def lift(experiment: Experiment) -> None:
    """Put the grains that are out of sight on top of the filling, at rest: a row at a time. Fewer are moved if the
    speed of the first of them would otherwise shorten the automatic time step."""
    built, height = experiment.run.built, experiment.run.world.motion[1, 0]
    out = np.flatnonzero(height < -BELOW * built.diameter)
    if out.size >= _row(built).size or (height < -DEEP * built.diameter).any():
        _put_on_top(experiment, out)


def _row(built: SiloParameters) -> Floats:
    """Places of a row on top of the filling [m]."""
    pitch = 2.04 * built.largest_radius
    return np.arange(-0.5 * built.width + pitch, 0.5 * built.width - 0.5 * pitch, pitch)


def free_height(heights: Floats, room: float) -> float:
    """The least height above the filling at which a row has room: no grain is within twice `room` of it [m]. Rows thus
    begin to fall just above the filling, one after the other, and not each above the last."""
    level = float(np.quantile(heights, FILLING)) + 2.0 * room
    above = np.sort(heights[heights > level - 2.0 * room])
    for height in above:
        if height >= level + 2.0 * room:
            break
        level = max(level, float(height) + 2.0 * room)
    return level


def _put_on_top(experiment: Experiment, out: NDArray[np.intp]) -> NDArray[np.intp]:
    """Put the first of these grains in a row on top of the filling, at rest, and return the others. Grains that have
    passed the outlet remain counted."""
    run, built = experiment.run, experiment.run.built
    world = run.world
    places = _row(built)
    rows = out[: places.size]
    places = places[: rows.size]
    passed_before = int((world.motion[1, 0, rows] < 0.0).sum())
    top = free_height(np.delete(world.motion[1, 0], rows), 1.1 * built.largest_radius)
    with booked(experiment, "work"):
        world.motion[:, :, rows] = 0.0
        world.motion[0, 0, rows], world.motion[1, 0, rows] = places, top
        world.motion[:2, 2, rows] = np.asarray(experiment.engine.gravity)[:, None]
        forget_neighbours(world)
        reset_displacements(world)
    run.state.lifted += passed_before
    return out[rows.size :]


def record(experiment: Experiment) -> dict[str, float]:
    """Number of grains that have passed."""
    return {"passed": float(passed(experiment))}


def measured_values(experiment: Experiment) -> tuple[Floats, Floats, Floats]:
    """Width [mean diameters], rate [1/s], nan where the outlet clogged, and grains passed of every stage that is
    over."""
    built: SiloParameters = experiment.run.built
    over: list[OutletStage] = experiment.run.state.stages
    rate = [math.nan if stage.rate is None else stage.rate for stage in over]
    count = [float(stage.passed) for stage in over]
    return built.outlets[: len(over)] / built.diameter, np.array(rate), np.array(count)


def law(experiment: Experiment) -> tuple[float, float, float] | None:
    """Factor a and margin k of Q = a (D/d − k)^(3/2), from a straight line through Q^(2/3), and the exponent with the
    usual margin; None before three widths have flowed."""
    width, rate, _ = measured_values(experiment)
    flowing = np.isfinite(rate) & (width > RING)
    if flowing.sum() < 3:
        return None
    slope, at_zero = np.polyfit(width[flowing], rate[flowing] ** (2.0 / 3.0), 1)
    slope = max(slope, 1e-9 * abs(at_zero))  # rates that do not grow have no margin
    return float(slope**1.5), float(-at_zero / slope), fit_exponent(width[flowing], rate[flowing], RING).exponent


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """A wider outlet has a larger rate; with enough grains for a steady flow it follows Beverloo's law of the plane."""
    built, of = experiment.run.built, law(experiment)
    if of is None:
        return (Outcome("three_outlets", _("three outlets flow without clogging"), _("fewer"), _("three"), False),)
    width, rate, __ = measured_values(experiment)
    flows = np.isfinite(rate) & (width > RING)
    times = rate[flows][-1] / rate[flows][0]
    by_law = ((width[flows][-1] - RING) / (width[flows][0] - RING)) ** 1.5
    # A third of the way, in logarithms, from a rate that does not depend on the width to that of the law: the rates of
    # stages of few grains scatter.
    wider = outcome_above(
        "wider_is_faster",
        _("the widest outlet passes more grains than the narrowest that flows (times)"),
        times,
        by_law ** (1.0 / 3.0),
    )
    if built.stage_grains < STEADY_GRAINS or built.grain_count < STEADY_GRAINS:
        return (wider,)
    of_power, of_ring = (SURE * error for error in errors(built, width[flows]))
    power = _("the rate grows with the power 3/2 of the free width D − 1.4 d (Beverloo)")
    shown = wider, outcome_between("power", power, of[2], 1.5 - of_power, 1.5 + of_power)
    if of_ring > RING:  # no margin at all would be within the error: too few widths flow
        return shown
    ring = _("the margin k of the outlet, fitted with that power, is about 1.4 diameters")
    return (*shown, outcome_between("margin", ring, of[1], RING - of_ring, RING + of_ring))


def errors(parameters: SiloParameters, width: Floats) -> tuple[float, float]:
    """Standard deviations of the power and of the margin [-] that follow from those of the rates at these widths [mean
    diameters].

    The power is the slope of ln Q over ln(D − k). The margin is where the straight line through Q^(2/3), with errors of
    2/3 of the relative error of Q, vanishes: the weight of the point i in the value of the line at k is
    1/n + (D_i − D̄)(k − D̄)/Σ(D − D̄)².
    """
    rate = RATE_SPREAD * math.sqrt(OF_GRAINS / parameters.stage_grains)
    logarithm, deviation = np.log(width - RING), width - width.mean()
    power = rate / math.sqrt(float(((logarithm - logarithm.mean()) ** 2).sum()))
    weight = 1.0 / width.size + deviation * (RING - width.mean()) / (deviation**2).sum()
    return power, 2.0 / 3.0 * rate * math.sqrt(float(((weight * (width - RING)) ** 2).sum()))


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Width of the outlet and grains passed now; flow rate of the last stage."""
    if experiment.phase not in ("flowing", "rested"):
        return ()
    built: SiloParameters = experiment.run.built
    stage = min(len(experiment.run.state.stages), built.stages - 1)
    words = _("In mean diameters of the grains.")
    shown = [Reading("outlet", _("outlet"), built.outlets[stage] / built.diameter, "d", help=words, given=True)]
    shown.append(Reading("grains_passed", _("grains passed"), float(passed(experiment))))
    width, rate, count = measured_values(experiment)
    if width.size and math.isfinite(rate[-1]):
        shown.append(
            Reading(
                "flow_rate",
                Message("flow rate at {width} d", width=Number(width[-1], format=".3g")),
                rate[-1],
                "1/s",
                help=_("Of the stage that is over."),
            )
        )
    elif width.size:
        words = _(
            "Grains that passed the outlet of this width before an arch closed it; 0 where the last arch still stood."
        )
        shown.append(
            Reading(
                "grains_until_clogged",
                Message("grains until {width} d clogged", width=Number(width[-1], format=".3g")),
                count[-1],
                "",
                help=words,
            )
        )
    return tuple(shown)


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Flow rate against the width of the outlet beside Beverloo's law, and grains passed against time."""
    width, rate, __ = measured_values(experiment)
    flowing = np.isfinite(rate)
    measured = [Line(_("flow rate"), width[flowing], rate[flowing], points=True)]
    if (~flowing).any():
        measured.append(Line(_("clogged"), width[~flowing], np.zeros((~flowing).sum()), points=True, group=1))
    if (of := law(experiment)) is not None:
        at = np.linspace(max(of[1], 0.0), width.max(), 100)
        label = Message("Beverloo, (D/d − {of})^(3/2)", of=Number(of[1], format=".2f"))
        measured.append(Line(label, at, of[0] * np.maximum(at - of[1], 0.0) ** 1.5, fitted=True))
    passages = Line(_("grains"), column(experiment, "time"), column(experiment, "passed"))
    return (
        Curve(
            "flow_rate",
            _("Flow rate"),
            Axis(_("outlet D/d")),
            Axis(_("flow rate Q"), "1/s"),
            tuple(measured),
            x_from_zero=True,
        ),
        Curve("grains_passed", _("Grains passed"), TIME, Axis(_("grains passed")), (passages,)),
    )


def answer(experiment: Experiment) -> Answer | None:
    """The flow rate of the widest outlet over that of one half as wide, by the fitted law."""
    of, built = law(experiment), experiment.run.built
    if of is None:
        return None
    widest, clogged = built.outlets[-1] / built.diameter, int(np.isnan(measured_values(experiment)[1]).sum())
    if 0.5 * widest <= of[1]:
        return None
    times = float((widest - of[1]) / (0.5 * widest - of[1])) ** 1.5
    shown = {
        "times": Number(times, format=".1f"),
        "widest": Number(widest, format=".3g"),
        "half": Number(0.5 * widest, format=".3g"),
    }
    if clogged:
        words = plural(
            "{times} times as many grains pass at {widest} diameters as at {half}; {count} narrower outlet clogged.",
            "{times} times as many grains pass at {widest} diameters as at {half}; {count} narrower outlets clogged.",
            count=clogged,
            **shown,
        )
    else:
        words = Message("{times} times as many grains pass at {widest} diameters as at {half}.", **shown)
    return Answer(times, words)


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Width, rate and grains of every stage, and the fitted law."""
    of, rows = law(experiment), zip(*measured_values(experiment), strict=True)
    return {
        "stages": [
            {"outlet_diameters": float(d), "rate": None if math.isnan(q) else float(q), "grains_passed": int(n)}
            for d, q, n in rows
        ],
        "beverloo": None if of is None else {"factor": of[0], "margin_diameters": of[1], "exponent": of[2]},
    }


def share(experiment: Experiment) -> float:
    """Share of the course that is done."""
    built, state = experiment.run.built, experiment.run.state
    of_stage = (passed(experiment) - state.before) / built.stage_grains
    return float(min(1.0, (len(state.stages) + min(1.0, of_stage)) / built.stages))


def box(parameters: SiloParameters) -> Box:
    """The silo, and the grains that fall below it."""
    half = 0.5 * parameters.width + parameters.mean_radius
    return (-half, -BELOW * parameters.diameter), (half, parameters.height)


def focus(experiment: Experiment) -> Box:
    """The filling with the lowest grains that fall onto it, and those that have left; none has once it is closed."""
    built = experiment.run.built
    (left, low), (right, _) = box(built)
    if experiment.phase == "rested":
        low = -built.diameter
    area = built.grain_count * math.pi * built.mean_square_radius
    return (left, low), (right, area / (LOOSE * built.width) + 4.0 * built.diameter)


COURSE = TimedCourse(
    state=SiloState,
    start=start,
    packing=("silo", Packing(later=("stages", "stage_grains"), single=False)),
    settle=lies_in_balance,
    begin=set_out,
    drive=drive,
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    share=share,
    buttons=disc_buttons(_("Open the outlet"), _("Open the outlet, and widen it from stage to stage.")),
)

SCENE = Scene(
    name="silo",
    title=_("Hopper"),
    summary=_("A silo of discs whose outlet is widened in stages: clogging, flow rate, Beverloo's law in the plane."),
    direction=Direction(
        see=_("Arches stop the flow through narrow outlets; through wide ones it grows faster than their width."),
        colour="speed",
        plot="flow_rate",
        speed=0.5,  # the two narrowest outlets are blocked for 0.4 s each before the first one that flows
        seconds=8.0,
        span=(0.0, 0.5),
    ),
    parameters=disc_parameters(SiloParameters),
    model=DISCS,
    course=disc_course(COURSE, readings, ("outlet", "grains_passed", "flow_rate", "grains_until_clogged")),
    view=replace(disc_view(box, curves, focus=focus), followed=focus),
    limits=SOFT_DISCS,
    guess=Guess(_("Flow rate of the widest outlet over that of one half as wide"), str(_("times")), 1.0, 8.0),
    lecture=("narrowest", "widest", "friction", "grain_count", "gravity"),
    test_values={
        "grain_count": 60,
        "young": 1e5,
        "restitution": 0.5,
        "narrowest": 5.0,
        "widest": 10.0,
        "stages": 3,
        "stage_grains": 50,
    },
)
