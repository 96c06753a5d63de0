"""Bouncing spheres of three restitutions, compared with ballistic arcs with instantaneous rebound.

The spheres have a horizontal velocity: the arcs lie beside each other in space. There is no friction, and no force acts
along the plane. The run ends when the sphere of the largest restitution lands for the first time after the duration.

A sphere dropped from h first lands after T = sqrt(2h/g) with v = sqrt(2 g h); arc n rises with e^n v and lasts
2 e^n v/g; all arcs end at T (1 + e)/(1 - e). A real contact takes time, and the weight reduces the rebound slightly.
With w = sqrt(K/m), the damping ratio z of the restitution e, and w_d = w sqrt(1 - z²), the overlap of a contact that
begins with the speed u is

    x(s) = g/w² + exp(-z w s) (A cos w_d s + B sin w_d s),  A = -g/w²,  B = (u - z w g/w²)/w_d

until x = 0 again. To first order in g the contact ends at s = pi/w_d + (1 + e) g/(w² e u) with the speed
e u - 2 z (1 + e) g/w: every rebound is late by this time, and the lower speed shortens later arcs. The deviation of
this motion from the arcs is called explained by the contact time; the run differs from this motion by the error of the
time step only.

It is the first of the two verifications in the article "DEM(個別要素法・離散要素法)の紹介" (Qiita, in Japanese).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, ModelChoice, Scene, SceneView
from repose.sim.laws.materials import Material, damping_share
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Label, Line, Outcome, Reading, Track
from repose.sim.message import Message, Number, _, with_prefix
from repose.sim.parameters import length, number, variant
from repose.sim.scenes.common.motion_parameters import MotionParameters, TimeStep
from repose.sim.scenes.common.phases import EMPTY, FLOWING, RESTED
from repose.sim.scenes.common.release import (
    ReleaseState,
    fixed_spheres,
    kinetic_at_end,
    recorded,
    rectangle,
    release,
    release_flaws,
    repeat,
    stop_spheres,
    thinned,
    velocities,
)
from repose.sim.scenes.common.release_parameters import Repeat, SphereMass, SphereRadius
from repose.sim.scenes.common.timed_course import (
    CourseButtons,
    TimedCourse,
    column,
    elapsed,
    timed_course,
)


class BounceParameters(MotionParameters):
    """Spheres of three restitutions dropped on a plane, in SI."""

    stiffness_from: ClassVar[str] = "given"
    shear_stiffness: ClassVar[float] = 0.0
    reference_overlap: ClassVar[float] = 0.0
    friction: ClassVar[float] = 0.0

    # fmt: off
    restitution_low: float = number(0.5, 0.05, 1.0, _("restitution of the first"), "e₁", effect="restart",
        group=_("Spheres"), help=_("Speed after over speed before an impact, first sphere. Takes effect at the next "
                                   "start."))
    restitution_middle: float = number(0.8, 0.05, 1.0, _("restitution of the second"), "e₂", effect="restart",
        group=_("Spheres"), help=_("Speed after over speed before an impact, second sphere. Takes effect at the next "
                                   "start."))
    restitution_high: float = number(1.0, 0.05, 1.0, _("restitution of the third"), "e₃", effect="restart",
        group=_("Spheres"), help=_("Speed after over speed before an impact, third sphere. Takes effect at the next "
                                   "start."))
    drop_height: float = length(0.1, 1e-3, 10.0, _("drop height"), "h", effect="restart", group=_("Spheres"),
        help=_("From the plane to the lowest point of the sphere. Takes effect at the next drop."))
    radius: SphereRadius = 0.01
    mass: SphereMass = 0.01
    normal_stiffness: float = number(1e5, 1e3, 1e9, _("normal stiffness"), "K_n", "N/m", log=True, effect="restart",
        help=_("Stiffer contacts are closer to an instantaneous rebound. At the next drop."))
    dt: TimeStep = variant(1e-5,
        help=_(
            "Time step. The damping force begins with a jump, which the step must resolve: 'auto' is stable, but less "
            "accurate."
        ))
    forward_speed: float = number(0.3, 0.0, 10.0, _("forward speed"), "v_x", "m/s", effect="restart",
        group=_("Spheres"),
        help=_("Along the plane, the same for all; with 0 each falls on one point. At the next drop."))
    duration: float = number(1.5, 0.01, 20.0, _("duration"), "T", "s", effect="restart", group=_("Experiment"),
        help=_("The run ends at the next landing of the sphere of largest e. At the next drop."))
    # fmt: on
    repeat: Repeat = False

    @property
    def restitutions(self) -> tuple[float, float, float]:
        """Restitutions of the three spheres."""
        return self.restitution_low, self.restitution_middle, self.restitution_high

    def materials(self) -> tuple[Material, ...]:
        """One row per sphere, and the last row for the plane; Young's modulus is not used."""
        return tuple(Material(1.0, 0.0, 1.0, e, 0.0) for e in (*self.restitutions, 1.0))

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """Each sphere rebounds from the plane with its own restitution."""
        return {(i, 3): {"restitution": e} for i, e in enumerate(self.restitutions)}

    def contact_duration(self, restitution: float) -> float:
        """pi / sqrt(K/m - (eta/2m)²) [s]: duration of a rebound, which is zero in the closed form."""
        return math.hypot(math.pi, math.log(restitution)) * math.sqrt(self.mass / self.normal_stiffness)


SPHERES = 3

MOST_ARCS = 1000
"""Number of computed arcs of the closed form; later arcs are too low to be visible."""

LONGEST = 3.0
"""The run ends after this many durations at the latest [-]."""

NUMERICAL = 0.05
"""Fraction of the explained deviation by which the run may exceed it [-]: the damping force begins with a jump, at a
time that is resolved to half a step."""

ROUNDINGS = 8.0
"""Largest error of a height from rounding, per step and relative to the greatest height [machine epsilons]: a scheme
adds a few terms per step, none of which is larger than the height."""

LANE = 6.0
"""Distance of the lanes, so that no sphere hides another [radii]."""

SECOND, CLOSE = 2, 0.02
"""Number of the rise that the question asks for, and the share of the drop height by which it may differ from the
closed form and still be called equal to it [-]."""

CLOSED_FORM = _("ballistic arcs")
"""Name of the lines of the closed form; lines of one name share an entry of the legend."""

DOTS_APART = 0.02
"""Time between the dots of the closed form [s]."""


def start(parameters: BounceParameters, seed: int) -> World:
    """Three fixed spheres above the plane."""
    return fixed_spheres(starts(parameters), parameters, 0, np.array((0.0, 0.0, 1.0)))


def starts(parameters: BounceParameters) -> Floats:
    """Centres at the start [m], shape (3, 3), one lane each, the first in front."""
    lane = LANE * parameters.radius * (np.arange(SPHERES) - 1)
    return np.column_stack([0.0 * lane, lane, np.full(SPHERES, parameters.drop_height + parameters.radius)])


def forwards(parameters: BounceParameters, time: Floats) -> Floats:
    """Distance along the plane at times since the release [m]: on a tilted table the weight has a component along
    it."""
    way: Floats = parameters.forward_speed * time + 0.5 * parameters.gravity * math.sin(parameters.tilt) * time**2
    return way


def expected_end(parameters: BounceParameters) -> float:
    """Time at which the sphere of the largest restitution, by the closed form, lands for the first time after the
    duration [s]."""
    g = max(parameters.gravity * math.cos(parameters.tilt), 1e-12)
    landing = math.sqrt(2.0 * parameters.drop_height / g)
    launch = g * landing * max(parameters.restitutions) ** np.arange(1, MOST_ARCS + 1)
    landings = landing + np.concatenate([[0.0], np.cumsum(2.0 * launch / g)])
    later = landings[landings >= parameters.duration]
    return min(float(later[0]), LONGEST * parameters.duration) if later.size else parameters.duration


def ballistic(parameters: BounceParameters, restitution: float, time: Floats) -> tuple[Floats, Floats]:
    """Height of the lowest point [m] and speed [m/s] at times since the release, with instantaneous rebound."""
    g = max(parameters.gravity * math.cos(parameters.tilt), 1e-12)
    landing = math.sqrt(2.0 * parameters.drop_height / g)
    speed = g * landing
    launch = speed * restitution ** np.arange(1, MOST_ARCS + 1)
    began = landing + np.concatenate([[0.0], np.cumsum(2.0 * launch / g)])
    arc = np.searchsorted(began, time, side="right") - 1
    inside = (arc >= 0) & (arc < MOST_ARCS)
    row = np.clip(arc, 0, MOST_ARCS - 1)
    since = time - began[row]
    rising = np.where(inside, launch[row], 0.0)
    height = np.where(inside, rising * since - 0.5 * g * since**2, 0.0)
    velocity = np.where(inside, rising - g * since, 0.0)
    falling = arc < 0
    height = np.where(falling, parameters.drop_height - 0.5 * g * time**2, height)
    velocity = np.where(falling, -g * time, velocity)
    return np.maximum(height, 0.0), np.abs(velocity)


def heights(experiment: Experiment) -> Floats:
    """Heights of the lowest points of the spheres above the plane [m], shape (3,)."""
    height: Floats = experiment.run.world.motion[2, 0] - experiment.run.built.radius
    return height


def record(experiment: Experiment) -> dict[str, Floats]:
    """Height and speed of every sphere."""
    return {"place": heights(experiment), "speed": np.abs(velocities(experiment)[:, 2])}


def drive(experiment: Experiment) -> bool:
    """Whether the duration has passed and the sphere of the largest restitution has just landed."""
    built, now = experiment.run.built, elapsed(experiment)
    before = column(experiment, "place")[-2:]
    if now < built.duration or len(before) < 2:
        return False
    liveliest = int(np.argmax(built.restitutions))
    first, second, third = (row[liveliest] for row in (*before, heights(experiment)))
    return bool(first >= second <= third or now >= LONGEST * built.duration)


def before_drop(experiment: Experiment) -> Message:
    """The spheres before the run, in words."""
    height = Number(1000.0 * experiment.run.built.drop_height, format="g")
    return Message("spheres {drop_height} mm above the plane", drop_height=height)


def bouncing(experiment: Experiment) -> Message:
    """The spheres during the run, in words."""
    now, duration = Number(elapsed(experiment), format=".2f"), Number(experiment.run.built.duration, format="g")
    return Message("bouncing: {experiment} of {duration} s", experiment=now, duration=duration)


def bounced(experiment: Experiment) -> Message:
    """The spheres after the run, in words."""
    return Message("bounced for {experiment} s", experiment=Number(elapsed(experiment), format=".2f"))


def share(experiment: Experiment) -> float:
    """Share of the expected length of the run that has passed [-]."""
    return elapsed(experiment) / max(expected_end(experiment.run.built), elapsed(experiment))


def deviations(experiment: Experiment) -> Floats:
    """Largest difference of the height from the closed form so far [m], shape (3,)."""
    built = experiment.run.built
    time, height, _ = recorded(experiment, SPHERES)
    if time.size == 0:
        return np.zeros(SPHERES)
    expected = [ballistic(built, e, time)[0] for e in built.restitutions]
    result: Floats = np.abs(height - np.column_stack(expected)).max(axis=0)
    return result


def with_contact_time(parameters: BounceParameters, restitution: float, time: Floats) -> Floats:
    """Height of the lowest point above the plane at times since the drop [m], negative for an overlap: alternating arcs
    and contacts of the Voigt law (module docstring)."""
    from scipy.optimize import brentq

    g = max(parameters.gravity * math.cos(parameters.tilt), 1e-12)
    omega, share = math.sqrt(parameters.normal_stiffness / parameters.mass), damping_share(restitution)
    damped, sag = omega * math.sqrt(1.0 - share**2), g / omega**2
    height = parameters.drop_height - 0.5 * g * time**2
    landed, speed = math.sqrt(2.0 * parameters.drop_height / g), math.sqrt(2.0 * g * parameters.drop_height)
    for __ in range(MOST_ARCS):
        if landed >= time[-1]:
            break
        a, b = -sag, (speed - share * omega * sag) / damped

        def overlap(s: Any, a: float = a, b: float = b) -> Any:
            return sag + np.exp(-share * omega * s) * (a * np.cos(damped * s) + b * np.sin(damped * s))

        since = time - landed
        after = since >= 0.0
        height[after] = -overlap(since[after])
        first, last = math.pi / damped, 1.5 * math.pi / damped
        if overlap(last) >= 0.0:
            break  # too slow to leave the plane
        left = float(brentq(overlap, first, last, xtol=1e-15))
        inward = -share * omega * (overlap(left) - sag) + damped * math.exp(-share * omega * left) * (
            b * math.cos(damped * left) - a * math.sin(damped * left)
        )
        landed, speed = landed + left, -float(inward)
        since = time - landed
        after = since >= 0.0
        height[after] = speed * since[after] - 0.5 * g * since[after] ** 2
        landed += 2.0 * speed / g
    return height


def explained(experiment: Experiment) -> Floats:
    """Largest deviation from the arcs that contact time and overlap explain so far [m], shape (3,)."""
    built, time = experiment.run.built, recorded(experiment, SPHERES)[0]
    if time.size == 0:
        return np.zeros(SPHERES)
    result = [
        np.abs(with_contact_time(built, e, time) - ballistic(built, e, time)[0]).max() for e in built.restitutions
    ]
    return np.array(result)


def allowed(experiment: Experiment) -> Floats:
    """Largest accepted deviation [m], shape (3,): 1 + `NUMERICAL` times the explained deviation, and `rounding`."""
    return (1.0 + NUMERICAL) * explained(experiment) + rounding(experiment)


def rounding(experiment: Experiment) -> float:
    """Largest error of a height from the rounding of every step so far [m]; without an impact there is no other one."""
    built = experiment.run.built
    steps = elapsed(experiment) / experiment.run.dt if experiment.run.dt > 0.0 else 0.0
    return float(ROUNDINGS * np.finfo(float).eps * steps * (built.drop_height + built.radius))


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Deviation of each sphere from its closed form."""
    return tuple(
        Reading(
            f"deviation_{row}",
            Message("deviation, e = {e}", e=Number(e, format="g")),
            round(far, 9) + 0.0,
            "m",
            help=Message("Contact time explains up to {most} mm.", most=Number(1000.0 * most, format=".2f")),
        )
        for row, (e, far, most) in enumerate(
            zip(experiment.run.built.restitutions, deviations(experiment), explained(experiment), strict=True), 1
        )
    )


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Height and speed against time: the run as points, the closed form as lines."""
    built = experiment.run.built
    time, height, speed = recorded(experiment, SPHERES)
    smooth = np.linspace(0.0, max(expected_end(built), elapsed(experiment)), 600)
    rising, moving = [], []
    for row, e in enumerate(built.restitutions):
        expected = ballistic(built, e, smooth)
        rising += [Line(CLOSED_FORM, smooth, 1e3 * expected[0])]
        rising += [
            Line(
                Message("e = {e}", e=Number(e, format="g")),
                time,
                1e3 * height[:, row],
                points=True,
                group=row,
                labelled=row,
            )
        ]
        moving += [Line(CLOSED_FORM, smooth, expected[1])]
        moving += [
            Line(Message("e = {e}", e=Number(e, format="g")), time, speed[:, row], points=True, group=row, labelled=row)
        ]
    return (
        Curve("height", _("Height"), TIME, Axis(_("height"), "mm"), tuple(rising)),
        Curve("speed", _("Speed"), TIME, Axis(_("speed"), "m/s"), tuple(moving)),
    )


def ghosts(experiment: Experiment) -> Floats:
    """Centres and radii of the spheres by the closed form [m], shape (3, 4)."""
    built = experiment.run.built
    centres = starts(built)
    now = np.array([elapsed(experiment)])
    centres[:, 0] = forwards(built, now)
    for row, e in enumerate(built.restitutions):
        centres[row, 2] = built.radius + float(ballistic(built, e, now)[0][0])
    return np.column_stack([centres, np.full(SPHERES, built.radius)])


def labels(experiment: Experiment) -> tuple[Label, ...]:
    """The restitution of each sphere."""
    return tuple(
        Label(row, Message("e = {e}", e=Number(e, format="g")))
        for row, e in enumerate(experiment.run.built.restitutions)
    )


def tracks(experiment: Experiment) -> tuple[Track, ...]:
    """The arcs of the closed form, and the paths of the run so far."""
    built = experiment.run.built
    lane, paths = starts(built)[:, 1], recorded(experiment, SPHERES)
    time, height = thinned(paths[0]), thinned(paths[1])
    dots = np.arange(0.0, expected_end(built), DOTS_APART)

    def points(row: int, time: Floats, height: Floats) -> Floats:
        return np.column_stack([forwards(built, time), np.full(time.size, lane[row]), built.radius + height])

    arcs = [
        Track(row, points(row, dots, ballistic(built, e, dots)[0]), expected=True)
        for row, e in enumerate(built.restitutions)
    ]
    return (*arcs, *(Track(row, points(row, time, height[:, row])) for row in range(SPHERES)))


def box(experiment: Experiment) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The spheres and the plane under them."""
    built = experiment.run.built
    room, deep = 3.0 * built.radius, (LANE + 3.0) * built.radius
    way = float(forwards(built, np.array(expected_end(built))))
    low, high = (min(0.0, way) - room, -deep, -0.5 * built.radius), (max(0.0, way) + room, deep)
    return low, (*high, built.drop_height + 3.0 * built.radius)


def facets(experiment: Experiment) -> Floats:
    """A piece of the plane."""
    (left, front, _), (right, back, _) = box(experiment)
    return rectangle((left, front, 0.0), (right - left, 0.0, 0.0), (0.0, back - front, 0.0))


def results(experiment: Experiment) -> dict[str, Any]:
    """Deviations from the closed form, deviations explained by the contact time, kinetic energies at the end [J]."""
    built = experiment.run.built
    energies = kinetic_at_end(experiment.run.state, SPHERES)
    columns = zip(built.restitutions, deviations(experiment), explained(experiment), energies, strict=True)
    return {
        "spheres": [
            {
                "restitution": e,
                "largest_deviation": float(far),
                "explained_by_contact_time": float(most),
                "kinetic_energy_at_end": energy,
            }
            for e, far, most, energy in columns
        ],
    }


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The deviation of every sphere from its arcs at the end, beside the deviation explained by the contact time."""
    far, explained_far = deviations(experiment), explained(experiment)
    columns = zip(
        experiment.run.built.restitutions,
        np.where(far <= rounding(experiment), 0.0, far),  # a number without a meaning
        explained_far,
        allowed(experiment),
        strict=True,
    )
    return tuple(
        Outcome(
            f"arcs_{row}",
            Message("the sphere of e = {e} follows its arcs but for the contact time", e=Number(e, format="g")),
            Message("{far} off", far=with_prefix(far, "m", 3)),
            Message("≤ {most}", most=with_prefix(most, "m", 3)),
            bool(far <= limit),
        )
        for row, (e, far, most, limit) in enumerate(columns, 1)
    )


def rises(experiment: Experiment, sphere: int) -> Floats:
    """Heights of the tops of the arcs of a sphere after its bounces so far [m]."""
    height = column(experiment, "place")[:, sphere]
    inner = height[1:-1]
    tops: Floats = inner[(height[:-2] < inner) & (inner >= height[2:])]
    return tops


def answer(experiment: Experiment) -> Answer:
    """How high each sphere rises the second time, beside e⁴ times the height of the drop."""
    built = experiment.run.built
    tops = [rises(experiment, row) for row in range(SPHERES)]
    if min(map(len, tops)) < SECOND:
        least = float(min(top[0] if top.size else 0.0 for top in tops))
        return Answer(
            least,
            Message(
                "The run is too short for a second rise: it ended after {time}.",
                time=Number(elapsed(experiment), "s", ".2f"),
            ),
        )
    second = [float(top[SECOND - 1]) for top in tops]
    heights_in_words = {
        name: Number(1000.0 * high, format=".0f") for name, high in zip(("low", "middle", "high"), second, strict=True)
    }
    ideal = built.drop_height * np.array(built.restitutions) ** (2 * SECOND)
    if np.abs(np.array(second) - ideal).max() <= CLOSE * built.drop_height:
        words = Message(
            "They rise to {low}, {middle} and {high} mm the second time: e⁴ times the {drop} of the drop.",
            drop=Number(built.drop_height, "m", digits=3),
            **heights_in_words,
        )
    else:
        words = Message("They rise to {low}, {middle} and {high} mm the second time.", **heights_in_words)
    return Answer(max(second), words)


def run_again(experiment: Experiment) -> None:
    """Begin again after a pause, if the parameters say so."""
    repeat(COURSE, experiment, starts(experiment.run.built))


COURSE = TimedCourse(
    state=ReleaseState,
    start=start,
    begin=lambda experiment: release(experiment, (experiment.run.built.forward_speed,)),
    drive=drive,
    record=record,
    stop=stop_spheres,
    afterwards=run_again,
    outcomes=outcomes,
    answer=answer,
    results=results,
    share=share,
    words={"empty": before_drop, "flowing": bouncing, "rested": bounced},
    phases=(EMPTY, replace(FLOWING, label=_("bouncing")), RESTED),
    buttons=CourseButtons(
        _("Drop"),
        _("Let the three spheres fall."),
        _("The spheres are back above the plane."),
        _("Put the spheres back above the plane."),
        _("The spheres fall."),
    ),
    flaws=lambda state, world, built: release_flaws(state, world, SPHERES),
)

SCENE = Scene(
    name="bounce",
    title=_("Bouncing spheres"),
    summary=_("Three spheres of different restitution bounce along a plane; comparison with ballistic arcs."),
    direction=Direction(
        see=_("After each bounce a sphere rises to e² times the height, along the dotted arcs."),
        colour=OWN,
        plot="height",
        speed=0.2,
        seconds=8.0,
    ),
    group="checks",
    parameters=BounceParameters,
    model=ModelChoice(law="voigt", dimension=3, smallest_grain=lambda parameters: (parameters.mass, parameters.radius)),
    course=replace(timed_course(COURSE), readings=readings, later_readings=()),
    view=SceneView(box=box, facets=facets, curves=curves, labels=labels, tracks=tracks, ghosts=ghosts),
    lecture=("restitution_low", "restitution_middle", "restitution_high", "drop_height", "gravity"),
    test_values={"duration": 0.5},
)
