"""The eight impacts of Chung & Ooi (Granular Matter 13 (2011) 643), compared with published values and closed forms.

1, 2: elastic head-on impacts of two spheres, and of a sphere on a rigid plane (Hertz): force, overlap, contact time.
3: rebound for five restitutions. 4, 5: oblique impacts on a plane, at constant speed and at constant normal speed.
6: spinning spheres on a plane. 7: two equal spinning spheres. 8: a spinning sphere on one five times as large and a
thousand times as dense.

Tests 4 to 8 are compared for contacts that slide throughout. The friction impulse is mu times the impulse of the normal
force while this force pushes, J = mu m* (1 + e) v_n P. It changes the tangential velocity of each sphere by J/m and its
spin by J R/I = 2.5 J/(m R). A contact slides throughout if its initial sliding speed exceeds 3.5 J/m*. P = 1 without
damping; with damping the normal force pulls while the spheres part, and there is no friction then: P(0.5) = 1.03
(`pushing`). Test 5 is published for a radius of 10 µm; here the radius is 10 mm, since of these changes only the spin
depends on the size, as 1/R.

The plane is so stiff that E* is that of the sphere. Gravity is zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from repose.sim.choices import choice_name
from repose.sim.direction import OWN, Direction
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, forget_neighbours, set_walls
from repose.sim.engine.contacts.wall_geometry import PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import find_accelerations, start_derivatives
from repose.sim.experiment.experiment import Experiment, ModelChoice, Scene, SceneLimits, SceneView
from repose.sim.experiment.ledger import booked, energy_of
from repose.sim.io.plain import Array
from repose.sim.laws.materials import Material, damping_share
from repose.sim.measure.contact_sums import pushes
from repose.sim.measure.display import Answer, Axis, Curve, Label, Line, Outcome, Reading
from repose.sim.message import Message, Number, _, formatted, joined, plain, with_prefix
from repose.sim.parameters import choice, variant
from repose.sim.scales import time_unit
from repose.sim.scenes.common.course_records import Columns
from repose.sim.scenes.common.motion_parameters import Gravity, MotionParameters, TimeStep, VerletFirst
from repose.sim.scenes.common.phases import Words
from repose.sim.scenes.common.release import fix_spheres, rectangle
from repose.sim.scenes.common.timed_course import (
    CourseButtons,
    CourseState,
    TimedCourse,
    column,
    elapsed,
    timed_course,
    times,
)

GLASS, LIMESTONE = Material(48e9, 0.20, 2800.0, 1.0, 0.0), Material(20e9, 0.25, 2500.0, 1.0, 0.0)
ALUMINIUM, MAGNESIUM = Material(70e9, 0.30, 2699.0, 1.0, 0.0), Material(40e9, 0.35, 1800.0, 1.0, 0.0)
OXIDE, STEEL = Material(380e9, 0.23, 4000.0, 1.0, 0.0), Material(208e9, 0.30, 7850.0, 1.0, 0.3)
RIGID = 1e25
"""Young's modulus of the plane [Pa]."""
HEAVY = 1000.0
"""Density of the large sphere over that of the small sphere in test 8 [-]."""


@cache
def pushing(restitution: float) -> float:
    """Impulse of the normal force while it pushes over its whole impulse, for Tsuji's damping of the Hertz law [-].

    With lengths and times in units in which mass, stiffness and approach speed are 1 the overlap follows
    x'' = -F, F = x^(3/2) + sqrt(5) b x^(1/4) x', from x = 0, x' = 1 until x = 0 (Tsuji et al. 1992).
    """
    from scipy.integrate import solve_ivp

    viscosity = math.sqrt(5.0) * damping_share(restitution)

    def force(x: float, speed: float) -> float:
        inside = max(float(x), 0.0)
        return math.pow(inside, 1.5) + viscosity * math.pow(inside, 0.25) * float(speed)

    def rates(time: float, state: Floats) -> tuple[float, float, float]:
        force_and_torque = force(state[0], state[1])
        return float(state[1]), -force_and_torque, max(force_and_torque, 0.0)

    def parts(time: float, state: Floats) -> float:
        return float(state[0])

    parts.terminal, parts.direction = True, -1.0  # type: ignore[attr-defined]
    end = solve_ivp(rates, (0.0, 30.0), (0.0, 1.0, 0.0), events=parts, rtol=1e-8, atol=1e-10, max_step=0.02).y[:, -1]
    return float(end[2] / (1.0 - end[1]))


class Impact(NamedTuple):
    """One sphere that meets a plane or another sphere; both have the material."""

    name: str
    material: Material
    radius: float
    """[m]."""
    normal: float
    """Approach speed [m/s]."""
    tangential: float = 0.0
    """Speed along the plane [m/s]."""
    spin: float = 0.0
    """Spin about y [rad/s], positive when rolling forwards; for two equal spheres the spin of both."""
    other: float = 0.0
    """Radius of the other sphere [m]; 0: a rigid plane."""
    published: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Greatest force [N] and overlap [m], contact time [s]; 0 where none are published."""

    @property
    def label(self) -> Message:
        """The name as it is shown: that of a material has a translation."""
        return choice_name(self.name) if self.name.isalpha() else plain(self.name)

    @property
    def mass(self) -> float:
        """Mass of the first sphere [kg]."""
        return self.material.density * 4.0 / 3.0 * math.pi * self.radius**3

    @property
    def other_mass(self) -> float:
        """Mass of the other sphere [kg]; infinite for a plane."""
        dense = HEAVY if self.other > self.radius else 1.0
        return self.mass * dense * (self.other / self.radius) ** 3 if self.other else math.inf

    @property
    def effective_mass(self) -> float:
        """1/(1/m_1 + 1/m_2) [kg]."""
        return 1.0 / (1.0 / self.mass + 1.0 / self.other_mass)

    @property
    def other_spin(self) -> float:
        """Spin of the other sphere [rad/s]."""
        return self.spin if self.other == self.radius else 0.0

    @property
    def hertz(self) -> tuple[float, float, float]:
        """Greatest force [N] and overlap [m], contact time [s] of the elastic impact (Johnson 1985, 11.1)."""
        radius = 1.0 / (1.0 / self.radius + (1.0 / self.other if self.other else 0.0))
        young = self.material.young / (1.0 - self.material.poisson**2) / (2.0 if self.other else 1.0)
        stiffness = 4.0 / 3.0 * young * math.sqrt(radius)
        overlap = (1.25 * self.effective_mass * self.normal**2 / stiffness) ** 0.4
        return stiffness * overlap**1.5, overlap, 2.94391 * overlap / self.normal

    @property
    def impulse(self) -> float:
        """mu m* (1 + e) v_n P [N s], the friction impulse of an impact that slides throughout."""
        e = self.material.restitution
        return self.material.friction * self.effective_mass * (1.0 + e) * self.normal * pushing(e)

    @property
    def after(self) -> tuple[float, float, float]:
        """Normal and tangential speed [m/s] and spin [rad/s] of the first sphere after an impact on a plane, or with
        another sphere, that slides throughout."""
        sense = math.copysign(1.0, self.tangential - self.spin * self.radius)
        rebound = (1.0 + self.material.restitution) * self.effective_mass * self.normal / self.mass
        began = self.normal * (0.5 if self.other == self.radius else 1.0)
        turned = 2.5 * sense * self.impulse / (self.mass * self.radius)
        return rebound - began, self.tangential - sense * self.impulse / self.mass, self.spin + turned


def _elastic(name: str, material: Material, published: tuple[float, float, float], wall: bool) -> Impact:
    radius, speed = (0.1, 0.2) if wall else (0.01, 20.0)
    return Impact(name, material, radius, speed, other=0.0 if wall else radius, published=published)


def _oblique(degrees: float) -> Impact:
    along, across = 3.9 * math.cos(math.radians(degrees)), 3.9 * math.sin(math.radians(degrees))
    return Impact(f"{degrees:g}°", OXIDE._replace(restitution=0.98, friction=0.092), 2.5e-3, along, across)


ROUGH = ALUMINIUM._replace(poisson=0.33, density=2700.0, restitution=0.5, friction=0.4)
TESTS: dict[str, tuple[Impact, ...]] = {
    "1": (
        _elastic("glass", GLASS, (10.697e3, 274.1e-6, 40.35e-6), False),
        _elastic("limestone", LIMESTONE, (7.108e3, 368.3e-6, 54.21e-6), False),
    ),
    "2": (
        _elastic("aluminium", ALUMINIUM, (11.370e3, 49.72e-6, 731.8e-6), True),
        _elastic("magnesium", MAGNESIUM, (7.233e3, 52.12e-6, 767.2e-6), True),
    ),
    "3": tuple(Impact(f"e = {e:g}", OXIDE._replace(restitution=e), 2.5e-3, 3.9) for e in (0.2, 0.4, 0.6, 0.8, 1.0)),
    "4": tuple(_oblique(degrees) for degrees in (40.0, 60.0, 80.0)),
    "5": tuple(Impact(f"{v:g} m/s", STEEL, 0.01, 5.0, v) for v in (15.0, 20.0, 30.0, 50.0)),
    "6": tuple(Impact(f"{w:g} rad/s", ROUGH, 0.1, 0.2, spin=w) for w in (5.0, 9.0, 12.0, 22.0)),
    "7": tuple(Impact(f"{w:g} rad/s", ROUGH, 0.1, 0.4, spin=w, other=0.1) for w in (5.0, 9.0, 22.0)),
    "8": tuple(Impact(f"{w:g} rad/s", ROUGH, 0.1, 0.2, spin=w, other=0.5) for w in (5.0, 9.0, 22.0)),
}
TITLES = {
    "1": _("two elastic spheres"),
    "2": _("elastic sphere on a plane"),
    "3": _("five restitutions"),
    "4": _("oblique, constant speed"),
    "5": _("oblique, constant normal speed"),
    "6": _("spinning sphere on a plane"),
    "7": _("two equal spinning spheres"),
    "8": _("spinning sphere on a large one"),
}
NEAR = 0.02
"""Tolerance of forces, overlaps, times, tangential speeds and spins [-], the usual one of this benchmark."""
NEAR_RESTITUTION = 0.005
"""Tolerance of a restitution [-]; Tsuji's damping is fitted to e."""
BEFORE, AFTER = 0.4, 1.4
"""Duration before the impact, and duration after the elastic contact time [contact times]."""
EXACT = 1e-10
"""Bound of the change of momentum and angular momentum [-]."""
BALANCE = 0.01
"""Bound of the energy that is not booked, as a share of the kinetic energy [-]."""


class ImpactParameters(MotionParameters):
    """Parameters of the scene, in SI."""

    # fmt: off
    test: Literal["1", "2", "3", "4", "5", "6", "7", "8"] = choice("1", _("test"), effect="restart", group=_("Spheres"),
        help=_("Test of Chung & Ooi (2011). Takes effect at the next start."))
    # fmt: on
    gravity: Gravity = variant(0.0, help=_("Acceleration of free fall; an impact is too short for it."))
    integrator: VerletFirst = "velocity_verlet"
    dt: TimeStep = variant(
        1e-8, help=_("Time step. The contact time of a few µs to ms is resolved by hundreds of steps.")
    )
    stiffness_from: ClassVar[str] = "material"

    @property
    def impacts(self) -> tuple[Impact, ...]:
        """The impacts of the test."""
        return TESTS[self.test]

    @property
    def contact_time(self) -> float:
        """The longest elastic contact time [s]."""
        return max(impact.hertz[2] for impact in self.impacts)

    @property
    def duration(self) -> float:
        """Time from the release to the end of the run [s]. Damping lengthens the contact: by half at e = 0.2, the
        smallest restitution here."""
        return (BEFORE + AFTER + 0.6) * self.contact_time

    def materials(self) -> tuple[Material, ...]:
        """One row per impact, the last one the plane."""
        return (*(impact.material for impact in self.impacts), self.impacts[0].material._replace(young=RIGID))

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """Restitution and friction with the plane are those of the sphere."""
        plane = len(self.impacts)
        return {
            (row, plane): {"restitution": impact.material.restitution, "friction": impact.material.friction}
            for row, impact in enumerate(self.impacts)
        }


@dataclass
class ImpactState(CourseState):
    """State of the impacts; records have `overlap`, negative before the contact [m], and normal `force` [N]."""

    after: Array = field(default_factory=lambda: np.empty(0))
    """Normal and tangential speed [m/s] and spin [rad/s] of each first sphere at the end, shape (impacts, 3); empty
    before."""
    changed: Array = field(default_factory=lambda: np.empty(0))
    """Relative changes of momentum and angular momentum, and fraction of the energy that is not booked, at the end [-];
    empty before."""


Vectors = Floats


def centres(built: ImpactParameters) -> tuple[Vectors, Vectors]:
    """Centres of the first and of the other spheres at the start [m], shape (impacts, 3)."""
    impacts = built.impacts
    lane = 2.6 * max(max(impact.radius, impact.other) for impact in impacts)
    y = lane * (np.arange(len(impacts)) - 0.5 * (len(impacts) - 1))
    gap = np.array([impact.normal * BEFORE * impact.hertz[2] for impact in impacts])
    first = np.column_stack([0.0 * y, y, gap + [impact.radius for impact in impacts]])
    return first, np.column_stack([0.0 * y, y, [-impact.other for impact in impacts]])


def start(parameters: ImpactParameters, seed: int) -> World:
    """Fixed spheres just before their impacts; spheres of one impact are of one material."""
    impacts = parameters.impacts
    first, second = centres(parameters)
    smallest = min(impact.radius for impact in impacts)
    world = empty_world(3, 3, skin=0.2 * smallest, materials=len(impacts) + 1)
    for row, impact in enumerate(impacts):
        group = SphereGroup(fixed=True, layer=row, material=row, first_id=row)
        world = add_spheres(world, first[row : row + 1], impact.radius, impact.mass, group)
    for row, impact in enumerate(impacts):
        if impact.other:
            group = SphereGroup(fixed=True, layer=row, material=row, first_id=len(impacts) + row)
            world = add_spheres(world, second[row : row + 1], impact.other, impact.other_mass, group)
    if not impacts[0].other:
        world = set_walls(world, [PLANE], [[(0, 0, 0), (0, 0, 1), (0, 0, 0)]], material=len(impacts))
    return world


def begin(experiment: Experiment) -> None:
    """Release the spheres with their velocities and spins."""
    run = experiment.run
    world, impacts = run.world, run.built.impacts
    pairs = bool(impacts[0].other)
    with booked(experiment, "poured"):
        mass = np.array([impact.mass for impact in impacts] + [impact.other_mass for impact in impacts] * pairs)
        world.inverse_mass[:3] = 1.0 / mass
        world.inverse_mass[3:] = 1.0 / (0.4 * mass * world.radius**2)
        forget_neighbours(world)  # the lists contain no fixed spheres
        for row, impact in enumerate(impacts):
            shared = 0.5 if impact.other == impact.radius else 1.0
            world.motion[:, 1, row] = (impact.tangential, 0.0, -shared * impact.normal, 0.0, impact.spin, 0.0)
            if pairs:
                away = (0.0, 0.0, (1.0 - shared) * impact.normal, 0.0, impact.other_spin, 0.0)
                world.motion[:, 1, len(impacts) + row] = away
        find_accelerations(experiment)
    start_derivatives(experiment)


def record(experiment: Experiment) -> dict[str, Floats]:
    """Overlap and force of every impact."""
    impacts, world = experiment.run.built.impacts, experiment.run.world
    position, count = world.motion[2, 0], len(impacts)
    floor = position[count:] + world.radius[count:] if impacts[0].other else np.zeros(count)
    return {"overlap": world.radius[:count] - (position[:count] - floor), "force": pushes(world).force[:count]}


def stop(experiment: Experiment) -> None:
    """Note speeds, spins and what was conserved, and fix the spheres."""
    state: ImpactState = experiment.run.state
    motion, count = experiment.run.world.motion[:, 1], len(experiment.run.built.impacts)
    state.after = np.column_stack([motion[2, :count], motion[0, :count], motion[4, :count]])
    state.changed = np.array([*_momenta(experiment), _unbooked(experiment)])
    fix_spheres(experiment)


def _momenta(experiment: Experiment) -> tuple[float, float]:
    """Largest relative change of the momentum and of the angular momentum of a pair [-]; 0 on a plane."""
    run = experiment.run
    impacts, world = run.built.impacts, run.world
    if not impacts[0].other:
        return 0.0, 0.0
    first, second = centres(run.built)
    linear, angular, count = [], [], len(impacts)
    for row, impact in enumerate(impacts):
        mass = np.array([impact.mass, impact.other_mass])
        rows = [row, count + row]
        inertia = 0.4 * mass * world.radius[rows] ** 2
        shared = 0.5 if impact.other == impact.radius else 1.0
        velocity = np.array(
            [[impact.tangential, 0.0, -shared * impact.normal], [0.0, 0.0, (1.0 - shared) * impact.normal]]
        )
        spin = np.array([[0.0, impact.spin, 0.0], [0.0, impact.other_spin, 0.0]])
        entries = []
        for x, v, w in (
            (np.array([first[row], second[row]]), velocity, spin),
            (world.motion[:3, 0, rows].T, world.motion[:3, 1, rows].T, world.motion[3:, 1, rows].T),
        ):
            entries.append((mass @ v, (mass[:, None] * np.cross(x, v)).sum(axis=0) + inertia @ w))
        size = float(np.sum(mass * np.linalg.norm(velocity, axis=1)))
        linear.append(float(np.abs(entries[1][0] - entries[0][0]).max()) / size)
        turning = size * float(np.abs(first[row]).max()) + float(inertia @ np.abs(spin[:, 1]))
        angular.append(float(np.abs(entries[1][1] - entries[0][1]).max()) / turning)
    return max(linear), max(angular)


def _unbooked(experiment: Experiment) -> float:
    """Error of the energy ledger over the kinetic energy at the release [-]."""
    ledger = energy_of(experiment)
    return abs(ledger.gap) / ledger.poured


def peaks(columns: Columns, row: int) -> tuple[float, float, float]:
    """Greatest force [N] and overlap [m], contact time [s] of one impact, interpolated between the records."""
    time, overlap, force = columns["time"], columns["overlap"][:, row], columns["force"][:, row]
    inside = np.flatnonzero(overlap > 0.0)
    if inside.size < 3 or inside[-1] + 1 >= time.size or inside[0] == 0:
        return (math.nan,) * 3
    ends = []
    for out, at in ((inside[0] - 1, inside[0]), (inside[-1] + 1, inside[-1])):
        ends.append(time[at] - overlap[at] * (time[at] - time[out]) / (overlap[at] - overlap[out]))

    def peak(values: Floats) -> float:
        """Vertex of the parabola through the largest value and its neighbours."""
        k = int(np.argmax(values))
        a, b, c = values[k - 1], values[k], values[k + 1]
        bend = a - 2.0 * b + c
        return float(b - (c - a) ** 2 / (8.0 * bend)) if bend else float(b)

    return peak(force), peak(overlap), float(ends[1] - ends[0])


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """Every number of the test beside the published value or the closed form."""
    state: ImpactState = experiment.run.state
    if not state.after.size:
        return ()
    entries: list[Outcome] = []
    for row, impact in enumerate(experiment.run.built.impacts, 1):
        normal, tangential, spin = state.after[row - 1].tolist()
        if impact.published[0]:
            for name, words, unit, ours, theirs in zip(
                ("greatest_force", "greatest_overlap", "contact_time"),
                (_("the greatest force"), _("the greatest overlap"), _("the contact time")),
                ("N", "m", "s"),
                peaks(state.columns, row - 1),
                impact.published,
                strict=True,
            ):
                entries.append(
                    _near(
                        f"{name}_{row}",
                        Message("{words} of {name} agrees", words=words, name=impact.label),
                        ours,
                        theirs,
                        unit,
                    )
                )
        elif not impact.material.friction:
            e, began = impact.material.restitution, impact.normal
            holds = abs(normal / began - e) <= NEAR_RESTITUTION
            entries.append(
                Outcome(
                    f"rebound_{row}",
                    Message("the rebound for {name} agrees", name=impact.label),
                    Message("{normal}", normal=Number(normal / began, format=".3f")),
                    Message("{e}", e=Number(e, format=".3f")),
                    holds,
                )
            )
        else:
            __, along, turned = impact.after
            if impact.tangential:
                words = Message("the ratio of tangential speeds at {name} agrees", name=impact.label)
                entries.append(
                    _near(
                        f"tangential_ratio_{row}", words, tangential / impact.tangential, along / impact.tangential, ""
                    )
                )
            else:
                entries.append(
                    _near(
                        f"tangential_speed_{row}",
                        Message("the tangential speed after {name} agrees", name=impact.label),
                        tangential,
                        along,
                        "m/s",
                    )
                )
            entries.append(
                _near(f"spin_{row}", Message("the spin after {name} agrees", name=impact.label), spin, turned, "rad/s")
            )
    kept = {"momentum": _("momentum"), "angular_momentum": _("angular momentum")}
    for (name, label), change in (
        zip(kept.items(), state.changed[:2].tolist()) if experiment.run.built.impacts[0].other else ()
    ):
        entries.append(
            Outcome(
                name,
                Message("the {name} stays", name=label),
                Message("changed by {change}", change=Number(change, format=".1e")) if change else _("unchanged"),
                Message("≤ {exact}", exact=Number(EXACT, format=".0e")),
                change <= EXACT,
            )
        )
    share = float(state.changed[2])
    entries.append(
        Outcome(
            "energy",
            _("all energy is accounted for"),
            Message("{share} % missing", share=Number(100.0 * share, format=".2g")),
            Message("≤ {balance} %", balance=Number(100.0 * BALANCE, format="g")),
            share <= BALANCE,
        )
    )
    return tuple(entries)


def _near(name: str, words: Message, ours: float, theirs: float, unit: str) -> Outcome:
    """A number with its relative tolerance."""
    shown = [with_prefix(value, unit, 4) if unit else formatted(value, ".4f") for value in (ours, theirs)]
    return Outcome(name, words, shown[0], shown[1], abs(ours - theirs) <= NEAR * abs(theirs))


def answer(experiment: Experiment) -> Answer:
    """The answer to the question that the preset of the test asks, with the numbers of this run."""
    return ANSWERS[experiment.run.built.test](experiment)


def _extremes(experiment: Experiment, values: Sequence[float] | Floats, unit: str, digits: int = 3) -> dict[str, Any]:
    """Name and value of the impacts with the largest and the smallest value, as values of a message."""
    impacts = experiment.run.built.impacts
    most, least = (int(pick(values)) for pick in (np.argmax, np.argmin))
    return {
        "name": impacts[most].label,
        "most": Number(float(values[most]), unit, digits=digits),
        "other": impacts[least].label,
        "least": Number(float(values[least]), unit, digits=digits),
    }


def _peaks(experiment: Experiment, which: int) -> list[float]:
    """Greatest force, greatest overlap or contact time, by its number, of every impact."""
    return [peaks(experiment.run.state.columns, row)[which] for row in range(len(experiment.run.built.impacts))]


def _after(experiment: Experiment) -> Floats:
    """Normal and tangential speed [m/s] and spin [rad/s] of the first sphere of every impact, shape (impacts, 3)."""
    after: Floats = experiment.run.state.after
    return after


def _longest_contact(experiment: Experiment) -> Answer:
    time = _peaks(experiment, 2)
    words = Message(
        "The contact of {name} lasts longest: {most}; that of {other} lasts {least}.",
        **_extremes(experiment, time, "s"),
    )
    return Answer(max(time), words)


def _greatest_force(experiment: Experiment) -> Answer:
    force = _peaks(experiment, 0)
    words = Message(
        "The sphere of {name} is pushed harder: by up to {most}, that of {other} by up to {least}.",
        **_extremes(experiment, force, "N"),
    )
    return Answer(max(force), words)


def _fastest_spin(experiment: Experiment) -> Answer:
    spin = np.abs(_after(experiment)[:, 2])
    words = Message(
        "That under {name}: it spins at {most}; that under {other} spins at {least}.",
        **_extremes(experiment, spin, "rad/s"),
    )
    return Answer(float(spin.max()), words)


def _spread(values: Floats) -> float:
    """Difference of the largest and the smallest value over the largest one [-]."""
    return float((values.max() - values.min()) / max(values.max(), 1e-300))


def _spin_over_speed(experiment: Experiment) -> Answer:
    spin = np.abs(_after(experiment)[:, 2])
    numbers = _extremes(experiment, spin, "rad/s")
    if _spread(spin) > NEAR:
        words = Message("Yes: it is {most} at {name} and {least} at {other}.", **numbers)
    else:
        slow, fast = experiment.run.built.impacts[0], experiment.run.built.impacts[-1]
        words = Message(
            "No: at {slow} as at {fast} along the plane the spin is {spin}.",
            slow=slow.label,
            fast=fast.label,
            spin=Number(float(spin.mean()), "rad/s", digits=3),
        )
    return Answer(float(spin.max()), words)


def _flight_over_spin(experiment: Experiment) -> Answer:
    speed = np.abs(_after(experiment)[:, 1])
    if _spread(speed) > NEAR:
        words = Message("Yes: {most} at {name} and {least} at {other}.", **_extremes(experiment, speed, "m/s"))
    else:
        slow, fast = experiment.run.built.impacts[0], experiment.run.built.impacts[-1]
        words = Message(
            "No: with {slow} as with {fast} the sphere flies off sideways at {speed}.",
            slow=slow.label,
            fast=fast.label,
            speed=Number(float(speed.mean()), "m/s", digits=3),
        )
    return Answer(float(speed.max()), words)


def _lost_spin(experiment: Experiment) -> Answer:
    began = np.array([impact.spin for impact in experiment.run.built.impacts])
    lost = 100.0 * (1.0 - _after(experiment)[:, 2] / began)
    words = Message(
        "Into the motion of the spheres past each other: the spins lose {most} of it at {name} and {least} at {other}, "
        "and the sum stays.",
        **_extremes(experiment, lost, "%", 2),
    )
    return Answer(float(lost.max()), words)


def _as_plane(experiment: Experiment) -> Answer:
    speed = _after(experiment)[:, 1]
    plane = np.array([impact._replace(other=0.0).after[1] for impact in experiment.run.built.impacts])
    off = float(np.abs(speed / plane - 1.0).max())
    numbers = {
        "ours": Number(float(abs(speed[-1])), "m/s", digits=3),
        "theirs": Number(float(abs(plane[-1])), "m/s", digits=3),
        "name": experiment.run.built.impacts[-1].label,
    }
    if off <= NEAR:
        words = Message(
            "It acts like one: at {name} the small sphere flies off at {ours}, off a plane at {theirs}.", **numbers
        )
    else:
        words = Message(
            "It does not act like one: at {name} the small sphere flies off at {ours}, off a plane at {theirs}.",
            **numbers,
        )
    return Answer(float(abs(speed[-1])), words)


ANSWERS: dict[str, Callable[[Experiment], Answer]] = {
    "1": _longest_contact,
    "2": _greatest_force,
    "3": _longest_contact,
    "4": _fastest_spin,
    "5": _spin_over_speed,
    "6": _flight_over_spin,
    "7": _lost_spin,
    "8": _as_plane,
}
"""The answer of each test."""


def title(experiment: Experiment) -> Message:
    """The test in words."""
    test = experiment.run.built.test
    return Message("test {test}, {titles}", test=test, titles=TITLES[test])


WORDS: Words = {
    "empty": lambda experiment: joined((title(experiment), _("before the impact")), ": "),
    "flowing": lambda experiment: joined((title(experiment), with_prefix(elapsed(experiment), "s", 3)), ": "),
    "rested": lambda experiment: joined((title(experiment), _("done")), ": "),
}


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """For each impact the greatest force if one is published, the rebound without friction, else the tangential speed
    after the impact."""
    state: ImpactState = experiment.run.state
    if not state.after.size:
        return ()
    entries = []
    for row, impact in enumerate(experiment.run.built.impacts, 1):
        normal, tangential, __ = state.after[row - 1].tolist()
        if impact.published[0]:
            entries.append(
                Reading(
                    f"greatest_force_{row}",
                    Message("greatest force, {name}", name=impact.label),
                    peaks(state.columns, row - 1)[0],
                    "N",
                )
            )
        elif not impact.material.friction:
            entries.append(
                Reading(f"rebound_{row}", Message("rebound, {name}", name=impact.label), normal / impact.normal, "")
            )
        else:
            entries.append(
                Reading(
                    f"tangential_speed_{row}",
                    Message("tangential speed after, {name}", name=impact.label),
                    tangential,
                    "m/s",
                )
            )
    return tuple(entries)


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Normal force against time of every impact."""
    impacts, time = experiment.run.built.impacts, times(experiment)
    factor, unit = time_unit(float(time[-1]) if time.size else experiment.run.built.duration)
    force = 1e-3 * np.reshape(column(experiment, "force"), (time.size, len(impacts)))
    time = time / factor
    lines = tuple(
        Line(impact.label, time, force[:, row], group=row, labelled=row) for row, impact in enumerate(impacts)
    )
    return (Curve("force", _("Force"), Axis(_("time"), unit, over_time=True), Axis(_("normal force"), "kN"), lines),)


def labels(experiment: Experiment) -> tuple[Label, ...]:
    """What distinguishes the impacts."""
    return tuple(Label(row, impact.label) for row, impact in enumerate(experiment.run.built.impacts))


def box(experiment: Experiment) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """All spheres, with room for those that fly away."""
    first, second = centres(experiment.run.built)
    impacts = experiment.run.built.impacts
    large = max(max(impact.radius, impact.other) for impact in impacts)
    above = 1.2 * max(max(impact.radius for impact in impacts), 0.25 * large)  # a small sphere flies off a large one
    low = -large, float(first[:, 1].min()) - large, float(second[:, 2].min()) - max(i.other for i in impacts)
    return low, (large, float(first[:, 1].max()) + large, float(first[:, 2].max()) + above)


def facets(experiment: Experiment) -> Floats:
    """A piece of the plane, where there is one."""
    (left, front, _), (right, back, _) = box(experiment)
    if experiment.run.built.impacts[0].other:
        return np.empty((0, 3, 3))
    return rectangle((left, front, 0.0), (right - left, 0.0, 0.0), (0.0, back - front, 0.0))


def flaws(state: ImpactState, world: World, built: ImpactParameters) -> dict[str, bool]:
    """Which parts of a state read from a file are impossible, by name."""
    count = len(built.impacts)
    return {
        "records": any(rows.shape != (len(rows), count) for name, rows in state.columns.items() if name != "time"),
        "speeds after": state.after.shape not in ((0,), (count, 3)),
        "conserved": state.changed.shape not in ((0,), (3,)),
    }


def smallest_grain(parameters: ImpactParameters) -> tuple[float, float]:
    """Mass [kg] and radius [m] of the lightest sphere."""
    return min((impact.mass, impact.radius) for impact in parameters.impacts)


COURSE = TimedCourse(
    state=ImpactState,
    start=start,
    begin=begin,
    record=record,
    stop=stop,
    outcomes=outcomes,
    answer=answer,
    words=WORDS,
    buttons=CourseButtons(
        _("Release"),
        _("Let the spheres meet."),
        _("The spheres are back before their impact."),
        _("Put the spheres back before their impact."),
        _("The spheres fly."),
    ),
    flaws=flaws,
)

SCENE = Scene(
    name="impacts",
    title=_("Impacts"),
    summary=_(
        "The eight impacts of Chung & Ooi (2011): forces, contact times, rebounds, spins beside those published."
    ),
    direction=Direction(
        see=_("The spheres touch for microseconds: their velocities turn round while the force rises and falls."),
        colour=OWN,
        plot="force",
        speed=1.0,
        seconds=9.0,
        show=("velocity_arrows",),
        look="side",
    ),
    group="checks",
    parameters=ImpactParameters,
    model=ModelChoice(law="hertz_mindlin", dimension=3, smallest_grain=smallest_grain, rotates=lambda parameters: True),
    course=replace(
        timed_course(COURSE), readings=readings, later_readings=("greatest_force_1", "rebound_1", "tangential_speed_1")
    ),
    view=SceneView(box=box, facets=facets, curves=curves, labels=labels),
    limits=SceneLimits(time_scale=lambda parameters: 0.3 * parameters.contact_time),
    lecture=("test",),
    test_values={"test": "4"},
)
