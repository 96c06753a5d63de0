"""Spheres of five frictions on a slope, compared with the closed forms of rolling and sliding.

On a slope alpha, for a friction of at least mu_c = (2/7) tan(alpha), a sphere rolls without sliding with the
acceleration (5/7) g sin(alpha); below mu_c it slides with g (sin(alpha) - mu cos(alpha)). The spheres are released at
rest, at the overlap of their weight, with unstretched friction springs, which need about one oscillation to adjust: 1/w
with w² = (7/2) K_t/m.

It is the second of the two verifications in the article "DEM(個別要素法・離散要素法)の紹介" (Qiita, in Japanese).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, ModelChoice, Scene, SceneView
from repose.sim.laws.materials import Material
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Label, Line, Outcome, Reading, Track
from repose.sim.message import EMPTY, Message, Number, _, plural
from repose.sim.parameters import number
from repose.sim.scenes.common.motion_parameters import MotionParameters
from repose.sim.scenes.common.release import (
    ReleaseState,
    fixed_spheres,
    kinetic_at_end,
    recorded,
    rectangle,
    release,
    release_flaws,
    repeat,
    spins,
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


class SlopeParameters(MotionParameters):
    """Spheres of five frictions on a slope, in SI."""

    stiffness_from: ClassVar[str] = "given"
    reference_overlap: ClassVar[float] = 0.0
    restitution: ClassVar[float] = 0.2
    friction: ClassVar[float] = 0.0

    # fmt: off
    friction_1: float = number(0.0, 0.0, 2.0, _("friction of sphere 1"), "μ₁", effect="restart", group=_("Spheres"),
        help=_("Friction coefficient of sphere 1 with the slope. Takes effect at the next start."))
    friction_2: float = number(0.1, 0.0, 2.0, _("friction of sphere 2"), "μ₂", effect="restart", group=_("Spheres"),
        help=_("Friction coefficient of sphere 2 with the slope. Takes effect at the next start."))
    friction_3: float = number(0.2, 0.0, 2.0, _("friction of sphere 3"), "μ₃", effect="restart", group=_("Spheres"),
        help=_("Friction coefficient of sphere 3 with the slope. Takes effect at the next start."))
    friction_4: float = number(0.3, 0.0, 2.0, _("friction of sphere 4"), "μ₄", effect="restart", group=_("Spheres"),
        help=_("Friction coefficient of sphere 4 with the slope. Takes effect at the next start."))
    friction_5: float = number(0.5, 0.0, 2.0, _("friction of sphere 5"), "μ₅", effect="restart", group=_("Spheres"),
        help=_("Friction coefficient of sphere 5 with the slope. Takes effect at the next start."))
    slope_angle: float = number(math.pi / 4, 0.0, math.radians(80.0), _("angle of the "
                                                                        "slope"), "α", "°", effect="restart",
        group=_("Slope"), help=_("Against the horizontal. A sphere rolls without sliding for μ ≥ (2/7) tan α."))
    radius: SphereRadius = 0.02
    mass: SphereMass = 0.01
    normal_stiffness: float = number(1e5, 1e3, 1e8, _("normal stiffness"), "K_n", "N/m", log=True, effect="restart",
        help=_("Spring of the contact along its normal. Takes effect at the next start."))
    shear_stiffness: float = number(1e5, 1e3, 1e8, _("shear stiffness"), "K_t", "N/m", log=True, effect="restart",
        help=_("Friction spring of the contact. Takes effect at the next start."))
    duration: float = number(0.4, 0.01, 5.0, _("duration"), "T", "s", effect="restart", group=_("Experiment"),
        help=_("How long the spheres are observed. Takes effect at the next start."))
    # fmt: on
    repeat: Repeat = False

    @property
    def frictions(self) -> tuple[float, ...]:
        """Friction coefficients of the five spheres."""
        return self.friction_1, self.friction_2, self.friction_3, self.friction_4, self.friction_5

    @property
    def steepness(self) -> float:
        """Angle between the slope and the horizontal, the tilt of the table included [rad]."""
        return self.slope_angle + self.tilt

    def acceleration(self, friction: float) -> float:
        """(5/7) g sin(alpha) rolling, g (sin(alpha) - mu cos(alpha)) sliding, whichever is larger [m/s²]."""
        sine, cosine = math.sin(self.steepness), math.cos(self.steepness)
        return self.gravity * max(5.0 / 7.0 * sine, sine - friction * cosine)

    def materials(self) -> tuple[Material, ...]:
        """One row per sphere, and the last row for the slope; Young's modulus is not used."""
        return tuple(Material(1.0, 0.0, 1.0, self.restitution, mu) for mu in (*self.frictions, 1.0))

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """The contact of each sphere with the slope has its own friction."""
        return {(i, 5): {"friction": mu} for i, mu in enumerate(self.frictions)}


SPHERES = 5

LANE = 5.0
"""Distance of the lanes, at which no sphere hides another one [radii]."""

ROLLS = 0.03
"""A sphere counts as rolling if its surface slides along the slope with less than this fraction of its speed [-]."""

DOTS = 24
"""Number of dots of the closed form, at equal intervals of time."""


def directions(parameters: SlopeParameters) -> tuple[Floats, Floats]:
    """Unit vectors down the slope and out of it."""
    sine, cosine = math.sin(parameters.slope_angle), math.cos(parameters.slope_angle)
    return np.array([cosine, 0.0, -sine]), np.array([sine, 0.0, cosine])


def length(parameters: SlopeParameters) -> float:
    """Path of the fastest sphere [m]."""
    fastest = parameters.gravity * abs(math.sin(parameters.steepness))
    return max(0.5 * fastest * parameters.duration**2, 4.0 * parameters.radius)


def starts(parameters: SlopeParameters) -> Floats:
    """Centres at the start [m], shape (5, 3), at the top of a slope that ends at the origin."""
    down, out = directions(parameters)
    weight = parameters.mass * parameters.gravity * max(math.cos(parameters.steepness), 0.0)
    height = parameters.radius - weight / parameters.normal_stiffness
    across = LANE * parameters.radius * (np.arange(SPHERES) - 0.5 * (SPHERES - 1))
    centres: Floats = height * out - length(parameters) * down + across[:, None] * np.array([0.0, 1.0, 0.0])
    return centres


def start(parameters: SlopeParameters, seed: int) -> World:
    """Five fixed spheres at the top of the slope."""
    return fixed_spheres(starts(parameters), parameters, 3, directions(parameters)[1])


def record(experiment: Experiment) -> dict[str, Floats]:
    """Path and speed of every sphere, and its speed if it rolled without sliding with its spin, `rolling` [m/s]."""
    built = experiment.run.built
    down, out = directions(built)
    path = (experiment.run.world.motion[:3, 0].T - starts(built)) @ down
    rolling = built.radius * (spins(experiment) @ np.cross(out, down))
    return {"place": path, "speed": velocities(experiment) @ down, "rolling": rolling}


def on_slope(experiment: Experiment) -> Message:
    """The spheres before the run, in words."""
    angle = Number(math.degrees(experiment.run.built.slope_angle), format="g")
    return Message("spheres at rest on a slope of {slope_angle}°", slope_angle=angle)


def accelerations(experiment: Experiment) -> Floats:
    """Slope of a straight line through speed against time [m/s²], shape (5,); nan before there are two records."""
    time, _, speed = recorded(experiment, SPHERES)
    if time.size < 2:
        return np.full(SPHERES, math.nan)
    result: Floats = np.polyfit(time, speed, 1)[0]
    return result


def allowed(parameters: SlopeParameters) -> float:
    """Largest error of an acceleration by the first oscillation of the friction springs [m/s²].

    The speed lags by up to g sin(alpha)/w; the fraction 6/(w T) of this enters the slope of a fitted straight line.
    """
    omega = math.sqrt(3.5 * parameters.shear_stiffness / parameters.mass)
    return 6.0 * parameters.gravity * abs(math.sin(parameters.steepness)) / (omega * parameters.duration)


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Measured accelerations; the tooltip gives the deviation from the closed form."""
    built = experiment.run.built
    acceleration = accelerations(experiment)
    if np.isnan(acceleration).any():
        return ()
    shown = []
    for row, (mu, a) in enumerate(zip(built.frictions, acceleration, strict=True), 1):
        expected = built.acceleration(mu)
        way = _("rolls") if mu >= 2.0 / 7.0 * math.tan(built.steepness) else _("slides")
        # Further digits are rounding errors; -0.0 + 0.0 is 0.
        deviation = round(1e3 * (a - expected), 4) + 0.0
        help = Message(
            "It {way}: {expected} m/s² expected, the run deviates by {deviation} mm/s².",
            way=way,
            expected=Number(expected, format=".4f"),
            deviation=Number(deviation, format="g"),
        )
        shown.append(
            Reading(
                f"acceleration_{row}",
                Message("μ = {mu} {way}, acceleration", mu=Number(mu, format="g"), way=way),
                a,
                "m/s²",
                help=help,
                expected=expected,
            )
        )
    return tuple(shown)


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Speed against time: the run as points, the closed form as lines."""
    built = experiment.run.built
    time, __, speed = recorded(experiment, SPHERES)
    ends = np.array([0.0, built.duration])
    lines = []
    for row, mu in enumerate(built.frictions):
        lines.append(Line(_("closed form"), ends, built.acceleration(mu) * ends))
        lines.append(
            Line(
                Message("μ = {mu}", mu=Number(mu, format="g")),
                time,
                speed[:, row],
                points=True,
                group=row,
                labelled=row,
            )
        )
    return (Curve("speed", _("Speed"), TIME, Axis(_("speed"), "m/s"), tuple(lines)),)


def labels(experiment: Experiment) -> tuple[Label, ...]:
    """The friction of each sphere, and whether it rolls or slides, from its speed and its spin."""
    speed, rolling = column(experiment, "speed")[-1:], column(experiment, "rolling")[-1:]
    entries = []
    for row, mu in enumerate(experiment.run.built.frictions):
        note = EMPTY
        if speed.size and (fast := abs(speed[0, row])) > 0.0:
            note = _("rolls") if abs(speed[0, row] - rolling[0, row]) < ROLLS * fast else _("slides")
        entries.append(Label(row, Message("μ = {mu}", mu=Number(mu, format="g")), note))
    return tuple(entries)


def tracks(experiment: Experiment) -> tuple[Track, ...]:
    """The path of each sphere, and beside it the positions of the closed form at equal intervals of time."""
    built = experiment.run.built
    down, out = directions(built)
    across = np.array([0.0, 1.0, 0.0])
    foot = starts(built) - built.radius * out
    time = np.linspace(0.0, built.duration, DOTS)
    path = thinned(recorded(experiment, SPHERES)[1])
    entries = []
    for row, mu in enumerate(built.frictions):
        expected = 0.5 * built.acceleration(mu) * time**2
        beside = foot[row] + 0.5 * built.radius * across
        entries.append(Track(row, beside + expected[:, None] * down, expected=True))
        entries.append(Track(row, foot[row] - 0.5 * built.radius * across + path[:, row, None] * down))
    return tuple(entries)


def ghosts(experiment: Experiment) -> Floats:
    """Centres and radii of the spheres by the closed form [m], shape (5, 4)."""
    built = experiment.run.built
    path = 0.5 * np.array([built.acceleration(mu) for mu in built.frictions]) * elapsed(experiment) ** 2
    centres = starts(built) + path[:, None] * directions(built)[0]
    return np.column_stack([centres, np.full(SPHERES, built.radius)])


def facets(experiment: Experiment) -> Floats:
    """The part of the slope on which the spheres run."""
    built = experiment.run.built
    down, margin = directions(built)[0], 2.0 * built.radius
    half = 0.5 * LANE * built.radius * SPHERES
    corner = -(length(built) + margin) * down + np.array([0.0, -half, 0.0])
    return rectangle(corner, (length(built) + 2.0 * margin) * down, (0.0, 2.0 * half, 0.0))


def box(experiment: Experiment) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The slope and the spheres on it."""
    corners = facets(experiment).reshape(-1, 3)
    room = 2.2 * experiment.run.built.radius
    lower, upper = corners.min(axis=0), corners.max(axis=0) + np.array([room, 0.0, room])
    return tuple(lower.tolist()), tuple(upper.tolist())


def results(experiment: Experiment) -> dict[str, Any]:
    """Accelerations measured and expected, kinetic energies at the end [J]."""
    built = experiment.run.built
    acceleration, energies = accelerations(experiment).tolist(), kinetic_at_end(experiment.run.state, SPHERES)
    return {
        "critical_friction": 2.0 / 7.0 * math.tan(built.steepness),
        "spheres": [
            {
                "friction": mu,
                "acceleration": None if math.isnan(a) else a,
                "expected": built.acceleration(mu),
                "kinetic_energy_at_end": energy,
            }
            for mu, a, energy in zip(built.frictions, acceleration, energies, strict=True)
        ],
    }


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The acceleration of every sphere beside the closed form, at the end."""
    built = experiment.run.built
    entries = []
    for row, (mu, a) in enumerate(zip(built.frictions, accelerations(experiment), strict=True), 1):
        way = _("rolls") if mu >= 2.0 / 7.0 * math.tan(built.steepness) else _("slides")
        expected = built.acceleration(mu)
        holds = bool(abs(a - expected) <= allowed(built))
        statement = Message(
            "the sphere of μ = {mu} {way} with the acceleration of the closed form", mu=Number(mu, format="g"), way=way
        )
        entries.append(
            Outcome(
                f"acceleration_{row}",
                statement,
                Message("{a} m/s²", a=Number(a, format=".4f")),
                Message("{expected} m/s²", expected=Number(expected, format=".4f")),
                holds,
            )
        )
    return tuple(entries)


def answer(experiment: Experiment) -> Answer:
    """Which sphere is down first, and by how much it leads in the end; the fastest ones may run side by side."""
    built, acceleration, path = experiment.run.built, accelerations(experiment), column(experiment, "place")[-1]
    first = int(np.argmax(acceleration))
    fastest = float(acceleration[first])
    level = int((acceleration >= fastest - 2.0 * allowed(built)).sum())
    speeding = Number(fastest, "m/s²", ".2f")
    if level == SPHERES:
        return Answer(fastest, Message("None is first: all spheres run side by side with {a}.", a=speeding))
    if level > 1:
        words = plural(
            "{count} sphere is the first, with {a}.",
            "{count} spheres are first, side by side with {a}.",
            count=level,
            a=speeding,
        )
        return Answer(fastest, words)
    words = Message(
        "The sphere of μ = {mu} is first, with {a}: it is {lead} ahead of the last one in the end.",
        mu=Number(built.frictions[first], format="g"),
        a=speeding,
        lead=Number(float(path[first] - path.min()), "m", digits=3),
    )
    return Answer(fastest, words)


def run_again(experiment: Experiment) -> None:
    """Begin again after a pause, if the parameters say so."""
    repeat(COURSE, experiment, starts(experiment.run.built))


COURSE = TimedCourse(
    state=ReleaseState,
    start=start,
    begin=release,
    record=record,
    stop=stop_spheres,
    afterwards=run_again,
    outcomes=outcomes,
    answer=answer,
    results=results,
    words={"empty": on_slope},
    buttons=CourseButtons(
        _("Release"),
        _("Release the five spheres."),
        _("The spheres are back at the top of the slope."),
        _("Put the spheres back at the top."),
        _("The spheres run."),
    ),
    flaws=lambda state, world, built: release_flaws(state, world, SPHERES),
)

SCENE = Scene(
    name="slope",
    title=_("Spheres on a slope"),
    summary=_("Spheres of five frictions on a slope; comparison with rolling and sliding."),
    direction=Direction(
        see=_("With little friction a sphere slides ahead; with enough friction all roll down side by side."),
        colour=OWN,
        plot="speed",
        speed=0.05,
        seconds=8.0,
    ),
    group="checks",
    parameters=SlopeParameters,
    model=ModelChoice(
        law="voigt",
        dimension=3,
        smallest_grain=lambda parameters: (parameters.mass, parameters.radius),
        rotates=lambda parameters: True,
    ),
    course=replace(timed_course(COURSE), readings=readings, later_readings=("acceleration_1",)),
    view=SceneView(box=box, facets=facets, curves=curves, labels=labels, tracks=tracks, ghosts=ghosts),
    lecture=("slope_angle", "friction_2", "friction_3", "friction_4", "gravity"),
    test_values={"duration": 0.1},
)
