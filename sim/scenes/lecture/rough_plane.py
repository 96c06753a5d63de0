"""Avalanches on a rough plane: a layer of grains on glued grains is tilted until it flows, then tilted back and held.

While the plane is held, the flow carries grains over its lower end until the rest of the layer stops. The plane is then
tilted until this layer starts, goes back to an angle a step above the last held angle, and so on. Each avalanche gives
the thickness of the layer that stops at an angle, and the angle at which this layer starts again. Gravity turns in the
frame of the plane. The thickness is measured in the middle of the plane, far from both ends.

The lower end is open, as in the experiments: grains that flow over it leave, are counted, and the layer becomes
thinner. It also acts on the first avalanche, which spreads upwards from the slope that the opened gate leaves there:
with 700 grains (86 diameters) the layer starts at 13.5, 13.4 and 16.2°, with 1400 grains of the same thickness at 18.6,
18.5 and 18.8° (seeds 1 to 3). The second avalanche of the short layer starts at 19.1 to 19.2°. A layer of 5.5
diameters starts at 20.0 ± 0.3° with 700 grains (six seeds) and 22.4 ± 0.4° with 1400 (three seeds). The scene `chute`,
whose layer is periodic, measures the angle without an end.

A layer that has stopped starts again only at a larger angle, and both angles increase as the layer becomes thinner,
because the glued grains hold those above them: tan θ = tan θ_1 + (tan θ_2 − tan θ_1) exp(−h/(L d)) for the angle θ at
which a layer of the thickness h stops (Pouliquen 1999; Daerr & Douady 1999 for both angles).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.direction import Direction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.comparison import ResultNumber
from repose.sim.experiment.experiment import Experiment, Scene
from repose.sim.experiment.hand import holds
from repose.sim.experiment.rest import any_falls, is_at_rest, time_free
from repose.sim.laws.material_parameters import YoungsModulus
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Guess, Line, Outcome, Reading
from repose.sim.measure.mean_speed import mean_speed
from repose.sim.message import EMPTY, Message, Number, _
from repose.sim.parameters import count, number, variant
from repose.sim.scenes.common.poured_parameters import GrainCount
from repose.sim.scenes.common.settled import Packing
from repose.sim.scenes.common.timed_course import CourseState, TimedCourse, column, elapsed, turn_table
from repose.sim.scenes.lecture.disc_scene import (
    DISCS,
    SOFT_DISCS,
    Box,
    DiscsParameters,
    disc_buttons,
    disc_course,
    disc_parameters,
    disc_view,
    keep_above,
    lattice,
    outcome_above,
    outcome_between,
    put_walls,
    with_glued_row,
    with_lines,
)

PACKED = 0.8
"""Packing fraction by which the area of the grains per length is divided to give the thickness [-]."""
MIDDLE = (-0.3, 0.2)
"""Measured part of the plane, in lengths of the layer from the middle, positive downwards [-]."""
HARMLESS, FASTER, BACKWARDS = math.radians(10.0), 5.0, math.radians(60.0)
"""Angle up to which the plane is tilted faster before the first avalanche [rad], factor of this rate [-], and rate at
which it is tilted back [rad/s], during which the flow hardly accelerates."""
FLOWS = 0.1
"""Mean speed over √(g d) above which the layer flows [-]."""
COLLAPSE = 2.0
"""Time after the opening of the gate in √(h/g), for the thickness h, within which a flow is no effect of the tilt but
the collapse of a layer that is hardly longer than thick, as of a dam that breaks [-]: 0.1 to 0.9 for lengths up to
three thicknesses, and above 3.9 for longer layers, also without friction (November 2026)."""
LONGEST_FLOW = 5.0
"""Time after which a flow that does not stop ends the course [s]."""
FEW = 8
"""Fallen grains that are removed together."""
THIN = 1.3
"""Thickness in mean diameters below which the course ends [-]."""
STEEPEST = math.radians(60.0)
"""Largest angle of the plane [rad]."""
GATE_DOWN = 40.0
"""Depth of the open gate, in mean diameters: out of sight [-]."""
THICK = 5.0
"""Least thickness of the layer in mean diameters for a comparison of the first avalanche with thin layers [-]."""


class RoughPlaneParameters(DiscsParameters):
    """A layer of discs on a rough plane, in SI."""

    grain_count: GrainCount = 700
    # fmt: off
    young: YoungsModulus = variant(1e6,
        help=_("Of grains and walls. Soft grains bear large time steps; sand has 60 GPa."))
    thickness: float = number(8.0, 1.5, 40.0, _("thickness of the layer"), "h/d", effect="restart", group=_("Plane"),
        help=_("At the beginning, in mean diameters; the length follows. Takes effect at the next start."))
    tilt_rate: float = number(math.radians(4.0), math.radians(0.2), math.radians(60.0), _("tilting rate"), "ω", "°/s",
        log=True, group=_("Plane"), help=_("Between two avalanches."))
    back: float = number(math.radians(4.0), 0.0, math.radians(20.0), _("tilted back by"), "Δθ", "°", effect="restart",
        group=_("Plane"), help=_("From the first start to the first angle that is held. Takes effect at the next "
                                 "start."))
    held_step: float = number(math.radians(1.0), math.radians(0.1), math.radians(10.0), _("step"), "", "°",
        effect="restart", group=_("Plane"),
        help=_("From one angle that is held to the next one. Takes effect at the next start."))
    avalanches: int = count(8, 1, 30, _("avalanches"), effect="restart", group=_("Plane"),
        help=_("The run ends after this number of avalanches at the latest. Takes effect at the next start."))
    # fmt: on

    @property
    def length(self) -> float:
        """Length of the layer [m]."""
        area = self.grain_count * math.pi * self.mean_square_radius / PACKED
        return max(area / (self.thickness * self.diameter), 6.0 * self.diameter)


@dataclass
class PlaneAvalanche:
    """One avalanche, and the layer that it leaves."""

    angle: float
    """Angle of the plane at which the layer began to flow [rad]."""
    before: float
    """Thickness of the layer before, in mean diameters [-]."""
    held: float
    """Angle at which the plane is held while the layer flows [rad]."""
    after: float | None = None
    """Thickness of the layer that stopped [-]; None while it flows."""


@dataclass
class RoughPlaneState(CourseState):
    """State of the plane; its angle is `table`. Times are since the beginning of the course [s]."""

    avalanches: list[PlaneAvalanche] = field(default_factory=list)
    collapsed: bool = False
    """Whether the opened gate set the grains moving, which ends the course."""
    flows: bool = False
    """Whether the last avalanche still flows."""
    wanted: float = 0.0
    """Angle to which the plane is being tilted [rad]; gravity follows in steps of `LEAST_TURN`."""
    before: float = 0.0
    """Thickness of the layer at the last check before an avalanche, in mean diameters [-]."""
    last: float = 0.0
    """Time of the last check."""
    began: float = 0.0
    """Beginning of the last avalanche."""
    quiet: float = 0.0
    """Latest time at which this avalanche was not slow."""
    fallen: int = 0
    """Grains that have been removed below the open end."""


def lines(parameters: RoughPlaneParameters, open_gate: bool) -> Floats:
    """The wall at the upper end and the gate at the lower one [m], shape (2, 2, 2)."""
    half, high = 0.5 * parameters.length, 2.0 * parameters.thickness * parameters.diameter
    low = -GATE_DOWN * parameters.diameter - high if open_gate else 0.0
    return np.array([[(-half, 0.0), (-half, high)], [(half, low), (half, low + high)]])


def start(parameters: RoughPlaneParameters, seed: int) -> World:
    """The loose layer behind the gate."""
    room, low = 0.5 * parameters.length - parameters.largest_radius, 1.05 * parameters.largest_radius
    world = lattice(parameters, seed, lambda x, y: (np.abs(x) < room) & (y > low))
    return with_lines(with_glued_row(world, parameters, 0.5 * parameters.length), lines(parameters, open_gate=False))


def middle(experiment: Experiment) -> NDArray[np.bool_]:
    """Whether each sphere is a grain in the part of the plane that is measured, shape (count,)."""
    world = experiment.run.world
    position = world.motion[0, 0] / experiment.run.built.length
    inside: NDArray[np.bool_] = (position >= MIDDLE[0]) & (position < MIDDLE[1]) & ~world.fixed
    return inside


def thickness(experiment: Experiment) -> float:
    """Thickness of the layer in the middle of the plane, in mean diameters [-]."""
    built, world = experiment.run.built, experiment.run.world
    area = float((math.pi * world.radius[middle(experiment)] ** 2).sum())
    return area / float(PACKED * (MIDDLE[1] - MIDDLE[0]) * built.length * built.diameter)


def set_out(experiment: Experiment) -> None:
    """Open the gate and begin to tilt."""
    put_walls(experiment, lines(experiment.run.built, open_gate=True))


def tilt_to(experiment: Experiment, angle: float) -> None:
    """Turn gravity so that the plane has this angle [rad], once it differs by `LEAST_TURN` or is the angle at which the
    plane is held; the change of the energy is booked as work."""
    state: RoughPlaneState = experiment.run.state
    state.wanted = angle
    turn_table(experiment, angle, state.flows and angle == state.avalanches[-1].held)


def remove_fallen(experiment: Experiment) -> int:
    """Remove the grains that have left the plane, a few at a time during the course, and return their number; they
    would fall for ever."""
    together = FEW if experiment.phase == "flowing" else 1
    count = keep_above(experiment, -4.0 * experiment.run.built.diameter, together)
    experiment.run.state.fallen += count
    return count


def over_the_end(experiment: Experiment) -> int:
    """Grains that have fallen over the open end: removed ones, and those that still fall below the plane."""
    world, built = experiment.run.world, experiment.run.built
    below = ~world.fixed & (world.motion[1, 0] < -built.diameter)
    return int(experiment.run.state.fallen + below.sum())


def drive(experiment: Experiment) -> bool:
    """Tilt the plane until the layer flows, tilt it back and hold it until the layer stops; True once it is thin."""
    built: RoughPlaneParameters = experiment.run.built
    state: RoughPlaneState = experiment.run.state
    remove_fallen(experiment)
    now, number = elapsed(experiment), len(state.avalanches)
    passed, state.last = now - state.last, now
    speed = mean_speed(experiment.run.world, middle(experiment))
    if state.flows:
        tilt_to(experiment, max(state.avalanches[-1].held, state.wanted - BACKWARDS * passed))
        return has_stopped(experiment, speed)
    fast = speed > FLOWS * math.sqrt(max(experiment.parameters.gravity, 1e-3) * built.diameter)
    if fast and not holds(experiment.run):
        state.collapsed = number == 0 and now < COLLAPSE * fall_time(experiment)
        if state.collapsed:
            return True
        first = state.avalanches[0].held if state.avalanches else max(0.0, state.table - built.back)
        held_angle = min(state.table, first + number * built.held_step)
        state.avalanches.append(PlaneAvalanche(state.table, state.before, held_angle))
        state.flows, state.began, state.quiet, state.wanted = True, now, now, state.table
        return False
    state.before = thickness(experiment)
    hurry = FASTER if number == 0 and state.table < HARMLESS else 1.0
    tilt_to(experiment, state.wanted + hurry * experiment.parameters.tilt_rate * passed)
    return bool(state.table >= STEEPEST)


def fall_time(experiment: Experiment) -> float:
    """√(h/g) for the thickness h of the whole layer [s]."""
    built: RoughPlaneParameters = experiment.run.built
    return math.sqrt(built.thickness * built.diameter / max(experiment.parameters.gravity, 1e-3))


def has_stopped(experiment: Experiment, speed: float) -> bool:
    """Store the end of an avalanche; True if it is the last avalanche."""
    built, state = experiment.run.built, experiment.run.state
    now, left = elapsed(experiment), thickness(experiment)
    if speed >= experiment.parameters.settle_speed or holds(experiment.run):
        state.quiet = now
    among = middle(experiment)
    stopped = is_at_rest(experiment.run.world, now - state.quiet, among) and not any_falls(experiment, among)
    if (left >= THIN or holds(experiment.run)) and not stopped:
        return bool(min(now - state.began, time_free(experiment)) > LONGEST_FLOW)
    state.avalanches[-1].after, state.flows = left, False
    return bool(left < THIN or len(state.avalanches) == built.avalanches)


def record(experiment: Experiment) -> dict[str, float]:
    """Angle of the plane [rad], thickness [-] and mean speed [m/s] of the layer in its middle."""
    return {
        "angle": experiment.parameters.tilt + experiment.run.state.table,
        "thickness": thickness(experiment),
        "speed": mean_speed(experiment.run.world, middle(experiment)),
    }


def measured_values(experiment: Experiment) -> dict[str, Floats]:
    """For every avalanche: `angle` of the start [rad], thickness `before` [-], `held` angle [rad] and thickness `after`
    [-], nan if the flow did not stop or left a layer that is too thin."""
    avalanches: list[PlaneAvalanche] = experiment.run.state.avalanches
    names = (entry.name for entry in fields(PlaneAvalanche))
    of = {name: np.array([getattr(avalanche, name) for avalanche in avalanches], float) for name in names}
    of["after"][of["after"] < THIN] = math.nan
    return of


def hysteresis(experiment: Experiment) -> Floats:
    """Starting angle minus stopping angle of each layer that has stopped [rad]."""
    of = measured_values(experiment)
    later: Floats = (of["angle"][1:] - of["held"][:-1])[np.isfinite(of["after"][:-1])]
    return later


def delay(parameters: RoughPlaneParameters) -> float:
    """Starting angle minus stopping angle of a layer without hysteresis [rad].

    A layer tilted at the rate ω from its stopping angle on is accelerated by g ω t, and counts as flowing at the speed
    `FLOWS` √(g d) = g ω t²/2: ω t = √(2 `FLOWS` ω √(d/g)).
    """
    fall = math.sqrt(parameters.diameter / max(parameters.gravity, 1e-3))
    return math.sqrt(2.0 * FLOWS * parameters.tilt_rate * fall)


LEAST_FIT, MOST_FIT = (0.0, 0.0, 0.3), (2.0, 3.0, 30.0)
"""Bounds of tan θ_1, tan θ_2 − tan θ_1 and L [mean diameters] of the fit."""
CLOSE = 1e-3
"""Distance from a bound within which a fitted value is at it; the fit approaches a bound and does not reach it."""


def pouliquen(thick: Floats, low: float, rise: float, length: float) -> Floats:
    """tan θ of the angle at which a layer stops, tan θ_1 + (tan θ_2 − tan θ_1) exp(−h/(L d))."""
    tangent: Floats = low + rise * np.exp(-thick / length)
    return tangent


def fitted(experiment: Experiment) -> tuple[float, float, float] | None:
    """tan θ_1, tan θ_2 − tan θ_1 and L of the layers that have stopped; None before there are four, or if they do not
    determine the law: its curvature is lost in their scatter once the best fit has a value at its bound."""
    from scipy.optimize import curve_fit  # scipy takes a third of a second to import: only when fitting

    of = measured_values(experiment)
    rest = np.isfinite(of["after"])
    if rest.sum() < 4:
        return None
    tangent = np.tan(of["held"][rest])
    first = (float(tangent.min()), float(np.ptp(tangent)) + 0.1, 2.0)
    best, _ = curve_fit(pouliquen, of["after"][rest], tangent, p0=first, bounds=(LEAST_FIT, MOST_FIT))
    if not all(low + CLOSE < value < high - CLOSE for low, value, high in zip(LEAST_FIT, best, MOST_FIT, strict=True)):
        return None
    return float(best[0]), float(best[1]), float(best[2])


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The layer flows and stops; a stopped layer starts at a larger angle, by more than `delay`; the thinner the layer,
    the larger the angle, by the rank correlation of all starts but the first, which spreads from the open end and is no
    measure of the thickness. With n starts at angles that do not depend on the thickness the correlation has the
    standard deviation 1/√(n−1) and is below the bound in a quarter of the runs; in 16 runs with the default values it
    was −0.96 to −0.36, in the mean −0.72."""
    of, built = measured_values(experiment), experiment.run.built
    degrees = np.degrees(of["angle"])
    if not degrees.size:
        none = _("grains moved as soon as the gate opened") if experiment.run.state.collapsed else _("no avalanche")
        return (Outcome("starts_to_flow", _("the layer starts to flow"), none, _("an avalanche"), False),)
    first = outcome_between(
        "first_avalanche", _("the first avalanche starts at an angle of round grains"), degrees[0], 12.0, 40.0, "°"
    )
    late = np.degrees(hysteresis(experiment))
    if built.thickness < THICK or late.size < 3:
        return (first,)
    again = _("a layer that has stopped starts again at a larger angle (mean difference)")
    thin = _("thinner layers start at larger angles (rank correlation of angle and thickness)")
    return (
        first,
        outcome_above("starts_again_steeper", again, late.mean(), math.degrees(delay(built)), "°"),
        outcome_between("thin_starts_steeper", thin, thinning(experiment), -1.0, -QUARTER / math.sqrt(late.size - 1)),
    )


QUARTER = 0.674
"""Standard deviations below the mean under which a quarter of normally distributed values are [-]."""


def thinning(experiment: Experiment) -> float:
    """Rank correlation of the starting angles with the thickness of the layers that have stopped before (Spearman) [-];
    nan if the angles are equal."""
    from scipy.stats import rankdata  # scipy.stats takes half a second to import: only when there are layers

    of = measured_values(experiment)
    rest = np.isfinite(of["after"][:-1])
    ranks = np.array([rankdata(of["angle"][1:][rest]), rankdata(of["after"][:-1][rest])])
    ranks -= ranks.mean(axis=1, keepdims=True)
    size = math.sqrt(float((ranks[0] ** 2).sum() * (ranks[1] ** 2).sum()))
    return float((ranks[0] * ranks[1]).sum()) / size if size else math.nan


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Angle of the plane, thickness of the layer, starting and stopping angle."""
    angle = column(experiment, "angle")
    if not angle.size:
        return ()
    of, high = measured_values(experiment), column(experiment, "thickness")[-1]
    shown = [
        Reading("plane_angle", _("angle of the plane"), math.degrees(angle[-1]), "°"),
        Reading(
            "layer_thickness",
            _("thickness of the layer"),
            high,
            "d",
            help=_("In the middle of the plane, in mean diameters."),
        ),
    ]
    if of["angle"].size:
        words = _("Angle at which the layer began to flow.")
        shown.append(Reading("last_start", _("last start"), math.degrees(of["angle"][-1]), "°", help=words))
    if (stopped := np.isfinite(of["after"])).any():
        held_angle = math.degrees(of["held"][stopped][-1])
        shown.append(
            Reading(
                "stopped_layer",
                Message("layer that stopped at {held}°", held=Number(held_angle, format=".1f")),
                of["after"][stopped][-1],
                "d",
            )
        )
    if (late := np.degrees(hysteresis(experiment))).size:
        words = _("Angle at which a layer starts, less that at which it stopped.")
        error = float(late.std(ddof=1) / math.sqrt(late.size)) if late.size > 1 else None
        shown.append(
            Reading(
                "hysteresis",
                _("hysteresis"),
                float(late.mean()),
                "°",
                error=error,
                help=words,
                error_of=_("avalanches"),
            )
        )
    words = _("They leave the experiment: the thickness is that of the layer on the plane.")
    shown.append(Reading("over_the_end", _("grains over the open end"), float(over_the_end(experiment)), help=words))
    return tuple(shown)


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Thickness of the layers that start and that stop against the angle, beside Pouliquen's law; both in time."""
    of = measured_values(experiment)
    rest = np.isfinite(of["after"])
    shown = [
        Line(_("starts"), np.degrees(of["angle"]), of["before"], points=True),
        Line(_("stops"), np.degrees(of["held"][rest]), of["after"][rest], points=True, group=1),
    ]
    if (fit := fitted(experiment)) is not None:
        thick = np.linspace(THIN, float(of["after"][rest].max()), 80)
        law = np.degrees(np.arctan(pouliquen(thick, *fit)))
        shown.append(
            Line(Message("Pouliquen, L = {fit} d", fit=Number(fit[2], format=".1f")), law, thick, fitted=True, group=1)
        )
    time, angle = column(experiment, "time"), np.degrees(column(experiment, "angle"))
    layer = Line(_("layer"), time, column(experiment, "thickness"))
    return (
        Curve("thickness", _("Thickness"), Axis(_("angle θ"), "°"), Axis(_("thickness h/d")), tuple(shown)),
        Curve("angle_in_time", _("Angle"), TIME, Axis(_("angle θ"), "°"), (Line(_("angle"), time, angle),)),
        Curve("layer", _("Layer"), TIME, Axis(_("thickness h/d")), (layer,)),
    )


def answer(experiment: Experiment) -> Answer | None:
    """Angle of the first avalanche, thickness of the layer that stops, and starting angle of this layer."""
    of = measured_values(experiment)
    if not of["angle"].size:
        return None
    begins, left = np.degrees(of["angle"]), float(of["after"][0])
    shown = {
        "before": Number(of["before"][0], format=".1f"),
        "begins": Number(begins[0], format=".1f"),
        "held": Number(math.degrees(of["held"][0]), format=".1f"),
        "left": Number(left, format=".1f"),
    }
    if not math.isfinite(left):
        words = Message(
            "A layer of {before} diameters starts at {begins}°.", before=shown["before"], begins=shown["begins"]
        )
    elif begins.size == 1:
        words = Message(
            "A layer of {before} diameters starts at {begins}°, and held at {held}° it stops with {left} left.",
            **shown,
        )
    else:
        words = Message(
            "A layer of {before} diameters starts at {begins}°, held at {held}° it stops with {left} left, and what is "
            "left starts at {next}°.",
            next=Number(begins[1], format=".1f"),
            **shown,
        )
    return Answer(float(begins[0]), words)


def conclusion(experiment: Experiment) -> Message:
    """Why nothing is measured of a layer that collapsed, and what to do; what the first start depends on; the answer
    says the rest."""
    state: RoughPlaneState = experiment.run.state
    if not state.collapsed:
        if len(state.avalanches) < 2:
            return EMPTY
        return _("The first avalanche spreads upwards from the open end, at a smaller angle than on a longer plane.")
    built: RoughPlaneParameters = experiment.run.built
    return Message(
        "Nothing is measured: the opened gate set the grains moving, because the layer is {length} diameters "
        "long and {thickness} thick. Take more grains or a thinner layer.",
        length=Number(built.length / built.diameter, format=".0f"),
        thickness=Number(built.thickness, format=".1f"),
    )


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Angles [°] and thickness [mean diameters] of every avalanche, hysteresis [°] and fitted law."""
    of, late, fit = measured_values(experiment), np.degrees(hysteresis(experiment)), fitted(experiment)
    rows = zip(np.degrees(of["angle"]), of["before"], np.degrees(of["held"]), of["after"], strict=True)
    return {
        "avalanches": [
            {
                "starts_at_degrees": float(angle),
                "thickness_before": float(before),
                "held_at_degrees": float(held),
                "thickness_after": float(after) if math.isfinite(after) else None,
            }
            for angle, before, held, after in rows
        ],
        "hysteresis_degrees": float(late.mean()) if late.size else None,
        "pouliquen": None
        if fit is None
        else {
            "lowest_degrees": math.degrees(math.atan(fit[0])),
            "highest_degrees": math.degrees(math.atan(fit[0] + fit[1])),
            "length_diameters": fit[2],
        },
    }


def share(experiment: Experiment) -> float:
    """Share of the avalanches that are over."""
    return min(1.0, len(experiment.run.state.avalanches) / float(experiment.run.built.avalanches))


def box(parameters: RoughPlaneParameters) -> Box:
    """The plane with its layer."""
    half = 0.5 * parameters.length + 2.0 * parameters.diameter
    return (-half, -4.0 * parameters.diameter), (half, 2.0 * parameters.thickness * parameters.diameter)


COURSE = TimedCourse(
    state=RoughPlaneState,
    start=start,
    packing=("rough_plane", Packing(later=("tilt_rate", "back", "held_step", "avalanches"), single=False)),
    begin=set_out,
    drive=drive,
    afterwards=remove_fallen,
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    conclusion=conclusion,
    share=share,
    buttons=disc_buttons(_("Tilt"), _("Tilt the plane slowly, and hold it while grains flow.")),
)

SCENE = Scene(
    name="rough_plane",
    title=_("Avalanche on a rough plane"),
    summary=_(
        "A layer of discs on glued discs is tilted until it flows: starting and stopping angle, and its thickness."
    ),
    direction=Direction(
        see=_(
            "The tilted layer starts to flow over the open end, stops at a smaller angle, and what is left starts at a "
            "larger one."
        ),
        colour="speed",
        plot="thickness",
        speed=1.0,
        seconds=10.0,
        span=(0.0, 0.1),
    ),
    parameters=disc_parameters(RoughPlaneParameters),
    model=DISCS,
    course=replace(
        disc_course(
            COURSE,
            readings,
            ("plane_angle", "layer_thickness", "last_start", "stopped_layer", "hysteresis", "over_the_end"),
        ),
        result_numbers={
            "hysteresis_degrees": ResultNumber(_("hysteresis"), "°"),
            "lowest_degrees": ResultNumber(_("lowest"), "°"),
            "highest_degrees": ResultNumber(_("highest"), "°"),
        },
    ),
    view=disc_view(box, curves),
    limits=SOFT_DISCS,
    guess=Guess(_("Angle at which the whole layer starts to flow"), "°", 0.0, 60.0),
    lecture=("friction", "thickness", "back", "rolling_friction", "tilt_rate"),
    test_values={
        "grain_count": 40,
        "young": 1e5,
        "restitution": 0.5,
        "thickness": 3.0,
        "tilt_rate": math.radians(60.0),
        "avalanches": 1,
    },
)
