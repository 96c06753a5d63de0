"""Six standard tests of single spheres and of stacks of two, compared with closed forms.

stack: two elastic spheres are pressed between two plates (Garg, Galvin, Li & Pannala, Powder Technology 220 (2012) 122,
test 3). Their heights follow m z'' = F_below - F_above - m g with Hertz forces F = 4/3 E* sqrt(R*) overlap^(3/2). The
equation is solved to 1e-11.

slide: a sphere is thrown along a plate without spin. Its speed is max(u - mu g t, 5/7 u): friction slows it down and
spins it up until it rolls at t = 2 u/(7 mu g) (the same, test 4).

drag: a sphere sinks in a liquid. Its speed is v (1 - exp(-t/tau)) with tau = 2 rho R²/(9 eta) and
v = (1 - rho_l/rho) g tau (Stokes; the same, test 6, in a gas).

roll: a sphere that spins on a plate without friction is slowed down by rolling resistance alone. Its spin is
w - 5 mu_r g t/(2 R) until it is 0.

jkr, dmt: spheres hang by their adhesion below a plate. Those fall freely whose weight exceeds the pull-off force, 3 pi
gamma R by `jkr` and 4 pi gamma R by `dmt` with the surface energy gamma.

These are the tests 3, 4, 6, 7 and 8 of the granular tests of LAMMPS (pull request 5008 there); `bounce`, `impacts`,
`heap3d` and `clumps` are the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, forget_neighbours, set_walls
from repose.sim.engine.contacts.kinematics import LARGEST_COORDINATION
from repose.sim.engine.contacts.wall_geometry import PLANE
from repose.sim.engine.timestep.stable_step import damping_fraction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import find_accelerations, start_derivatives
from repose.sim.experiment.experiment import Experiment, ModelChoice, Scene, SceneLimits, SceneView
from repose.sim.experiment.ledger import booked
from repose.sim.laws.materials import Material, across_of_pair, young_of_pair
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Label, Line, Outcome, Reading
from repose.sim.message import Message, Number, _, plain, with_prefix
from repose.sim.parameters import choice, variant
from repose.sim.scenes.common.motion_parameters import MotionParameters, TimeStep, VerletFirst
from repose.sim.scenes.common.release import fix_spheres, rectangle, spins, thinned, velocities
from repose.sim.scenes.common.timed_course import (
    CourseButtons,
    CourseState,
    TimedCourse,
    column,
    timed_course,
    times,
)

Place = tuple[float, float, float]


class TestedSphere(NamedTuple):
    """One sphere at its start."""

    name: Message
    material: Material
    radius: float
    """[m]."""
    place: Place
    """Centre [m]."""
    speed: float = 0.0
    """Along x [m/s]."""
    spin: float = 0.0
    """About y [rad/s], positive when rolling forwards."""

    @property
    def mass(self) -> float:
        """[kg]."""
        return self.material.density * 4.0 / 3.0 * math.pi * self.radius**3

    @property
    def young(self) -> float:
        """E* of a contact with the same material [Pa]."""
        return young_of_pair(self.material, self.material)


class SphereTest(NamedTuple):
    """One test: its spheres, what is recorded of each of them, and what it should be."""

    title: Message
    spheres: Callable[[Any], tuple[TestedSphere, ...]]
    """spheres(parameters) -> the spheres at the start."""
    plates: tuple[float, ...]
    """Heights of the plates [m]: a floor, a floor and a ceiling, or a ceiling (`hangs`)."""
    duration: float
    """[s]."""
    quantity: Message
    unit: str
    value: Callable[[Experiment], Floats]
    """value(experiment) -> the quantity of every sphere, shape (spheres,)."""
    expected: Callable[[Any, Floats], Floats]
    """expected(parameters, times) -> its closed form, shape (times, spheres)."""
    allowed: Callable[[Experiment], Floats]
    """allowed(experiment) -> largest difference from it, shape (spheres,)."""
    answer: Callable[[Experiment], Answer]
    law: str = "hertz_mindlin"
    fields: tuple[str, ...] = ()
    hangs: bool = False


class SphereTestParameters(MotionParameters):
    """Parameters of the scene, in SI."""

    # fmt: off
    test: Literal["stack", "slide", "drag", "roll", "jkr", "dmt"] = choice("slide", _("test"), effect="restart",
        group=_("Spheres"), help=_("What the spheres do. Takes effect at the next start."))
    # fmt: on
    integrator: VerletFirst = "velocity_verlet"
    dt: TimeStep = variant(1e-5, help=_("Time step. The contacts swing in a few ms; hundreds of steps resolve them."))
    stiffness_from: ClassVar[str] = "material"
    liquid_level: ClassVar[float] = 1.0
    liquid_density: ClassVar[float] = 1260.0
    """Of glycerol [kg/m³]."""
    liquid_viscosity: ClassVar[float] = 1.0
    """Of glycerol at 23 °C [Pa s]."""
    drag_coefficient: ClassVar[float] = 0.0

    @property
    def the_test(self) -> SphereTest:
        """The selected test."""
        return TESTS[self.test]

    @property
    def spheres(self) -> tuple[TestedSphere, ...]:
        """Its spheres."""
        return self.the_test.spheres(self)

    @property
    def law(self) -> str:
        """The contact law of the test."""
        return self.the_test.law

    @property
    def duration(self) -> float:
        """Time from the release to the end of the run [s]."""
        return self.the_test.duration

    def materials(self) -> tuple[Material, ...]:
        """One row per sphere, the last one the plates, which are as the first sphere."""
        rows = tuple(sphere.material for sphere in self.spheres)
        return (*rows, rows[0])

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """The contact of each sphere with a plate has the friction of the sphere."""
        rows = self.materials()
        names = ("friction", "rolling_friction")
        return {
            (row, len(rows) - 1): {name: getattr(rows[row], name) for name in names} for row in range(len(rows) - 1)
        }


def hertz(sphere: TestedSphere, effective_radius: float) -> float:
    """Force over overlap^(3/2) of a contact with the same material [N/m^1.5]."""
    return 4.0 / 3.0 * sphere.young * math.sqrt(effective_radius)


def pressed_in(force: float, sphere: TestedSphere) -> float:
    """Overlap of a sphere with a plate that bears this force [m]."""
    return math.pow(max(force, 0.0) / hertz(sphere, sphere.radius), 2.0 / 3.0)


def lane(row: int, count: int, radius: float) -> float:
    """y of one of several spheres side by side [m]."""
    return 4.0 * radius * (row - 0.5 * (count - 1))


def resting(
    built: SphereTestParameters, symbol: str, values: Sequence[float], material: Callable[[float], Material]
) -> tuple[TestedSphere, ...]:
    """Spheres side by side on a plate that bears their weight, each with its value of a coefficient in its name."""
    rows = []
    for row, value in enumerate(values):
        name = Message("{symbol} = {value}", symbol=symbol, value=Number(value, format="g"))
        still = TestedSphere(name, material(value), WIDE, (0.0, 0.0, 0.0))
        height = WIDE - pressed_in(still.mass * built.gravity, still)
        rows.append(still._replace(place=(0.0, lane(row, len(values), WIDE), height)))
    return tuple(rows)


def slid(built: SphereTestParameters) -> tuple[TestedSphere, ...]:
    """Spheres of three frictions that are thrown along a plate on which they rest."""
    still = resting(built, "μ", FRICTIONS, lambda friction: Material(1e8, 0.25, 2500.0, 0.3, friction))
    return tuple(sphere._replace(speed=THROWN) for sphere in still)


def speeds(experiment: Experiment) -> Floats:
    """Speed of every sphere along the plate [m/s]."""
    along: Floats = velocities(experiment)[:, 0]
    return along


def sliding_speed(built: SphereTestParameters, time: Floats) -> Floats:
    """max(u - mu g t, 5/7 u) [m/s]."""
    slowed = THROWN - built.gravity * np.multiply.outer(time, FRICTIONS)
    rolls: Floats = np.maximum(slowed, 5.0 / 7.0 * THROWN)
    return rolls


def sliding_error(experiment: Experiment) -> Floats:
    """The friction spring must be stretched first, and swings when the sphere begins to roll, with
    w² = (7/2) K_t/m: the speed differs by up to 2 mu g/w. K_t = 8 G* a [m/s]."""
    built, allowed = experiment.run.built, []
    for sphere in built.spheres:
        area = math.sqrt(sphere.radius * pressed_in(sphere.mass * built.gravity, sphere))
        across = across_of_pair(sphere.material, sphere.material) ** 2 * 2.0 * sphere.young * area
        omega = math.sqrt(3.5 * across / sphere.mass)
        allowed.append(2.0 * sphere.material.friction * built.gravity / max(omega, 1e-300))
    return np.array(allowed)


def rolling_answer(experiment: Experiment) -> Answer:
    """How fast the spheres roll in the end."""
    end = last(experiment)
    speed = Number(float(end.mean()), "m/s", digits=3)
    words = Message(
        "At {speed}, {share} of the {thrown} with which it was thrown: friction decides when it rolls, not how fast.",
        speed=speed,
        share=Number(float(end.mean()) / THROWN, format=".3f"),
        thrown=Number(THROWN, "m/s", digits=3),
    )
    return Answer(float(end.mean()), words)


def spun(built: SphereTestParameters) -> tuple[TestedSphere, ...]:
    """Spinning spheres of three rolling frictions on a plate without friction."""
    still = resting(built, "μ_r", ROLLING, lambda rolling: Material(1e8, 0.25, 2500.0, 0.3, 0.0, rolling))
    return tuple(sphere._replace(spin=SPUN) for sphere in still)


def turning(experiment: Experiment) -> Floats:
    """Spin of every sphere about y [rad/s]."""
    about: Floats = spins(experiment)[:, 1]
    return about


def slowing(built: SphereTestParameters) -> Floats:
    """5 mu_r g/(2 R) of every sphere [rad/s²]."""
    rates: Floats = 2.5 * built.gravity / WIDE * np.array(ROLLING)
    return rates


def rolling_spin(built: SphereTestParameters, time: Floats) -> Floats:
    """w - 5 mu_r g t/(2 R), until it is 0 [rad/s]."""
    left: Floats = np.maximum(SPUN - np.multiply.outer(time, slowing(built)), 0.0)
    return left


def rolling_error(experiment: Experiment) -> Floats:
    """The torque is limited so that the scheme reverses no spin, even with 12 contacts: the end of the spin decays
    exponentially, over 12 dt/(fraction that one step can take stably); twice as much is allowed [rad/s]."""
    last_steps = LARGEST_COORDINATION / damping_fraction(experiment.engine.model.integrator)
    error: Floats = 2.0 * last_steps * experiment.dt * slowing(experiment.run.built)
    return error


def longest_spin(experiment: Experiment) -> Answer:
    """How long the spheres with least and most rolling resistance turn."""
    time, spin = times(experiment), column(experiment, "value")
    still = [float(time[np.flatnonzero(spin[:, row] > 0.01 * SPUN)[-1]]) for row in (0, -1)]
    words = Message(
        "For {least} with {first}, for {most} with {other}.",
        least=Number(still[0], "s", digits=2),
        first=experiment.run.built.spheres[0].name,
        most=Number(still[1], "s", digits=2),
        other=experiment.run.built.spheres[-1].name,
    )
    return Answer(still[0], words)


def sunk(built: SphereTestParameters) -> tuple[TestedSphere, ...]:
    """Glass spheres of three sizes in glycerol."""
    material = Material(1e6, 0.25, 2500.0, 0.3, 0.3)
    return tuple(
        TestedSphere(
            Message("R = {radius}", radius=Number(radius, "m", digits=2)),
            material,
            radius,
            (0.0, lane(row, len(RADII), RADII[-1]), 0.0),
        )
        for row, radius in enumerate(RADII)
    )


def sinking(experiment: Experiment) -> Floats:
    """Downward speed of every sphere [m/s]."""
    down: Floats = -velocities(experiment)[:, 2]
    return down


def stokes(built: SphereTestParameters) -> tuple[Floats, Floats]:
    """Time in which the speed adjusts [s] and speed in the end [m/s] of every sphere."""
    radius, density = np.array(RADII), 2500.0
    tau = 2.0 * density * radius**2 / (9.0 * built.liquid_viscosity)
    return tau, (1.0 - built.liquid_density / density) * built.gravity * tau


def sinking_speed(built: SphereTestParameters, time: Floats) -> Floats:
    """v (1 - exp(-t/tau)) [m/s]."""
    tau, most = stokes(built)
    speed: Floats = -most * np.expm1(-np.divide.outer(time, tau))
    return speed


def sinking_error(experiment: Experiment) -> Floats:
    """A drag taken half a step late changes the speed by less than v dt/tau [m/s]."""
    tau, most = stokes(experiment.run.built)
    error: Floats = most * experiment.dt / tau
    return error


def fastest_sinking(experiment: Experiment) -> Answer:
    """Which sphere sinks fastest, and how it compares with the slowest."""
    end = last(experiment)
    words = Message(
        "That of {name}, at {most}: {times} times as fast as that of {other}, whose radius is {share} times as small.",
        name=experiment.run.built.spheres[-1].name,
        most=Number(float(end[-1]), "m/s", digits=3),
        times=Number(float(end[-1] / end[0]), format=".2f"),
        other=experiment.run.built.spheres[0].name,
        share=Number(RADII[-1] / RADII[0], format="g"),
    )
    return Answer(float(end[-1]), words)


def stacked(built: SphereTestParameters) -> tuple[TestedSphere, ...]:
    """Three stacks of two elastic spheres, by the densities of the lower and the upper one."""
    rows = []
    for row, densities in enumerate(STACKS):
        for density, height, name in zip(densities, (0.98, 2.92), (_("lower"), _("upper")), strict=True):
            material = Material(1e7, 0.25, density, 1.0, 0.0)
            words = Message("{name}, {density}", name=name, density=Number(density, "kg/m³", digits=4))
            rows.append(TestedSphere(words, material, WIDE, (0.0, lane(row, len(STACKS), WIDE), height * WIDE)))
    return tuple(rows)


def heights(experiment: Experiment) -> Floats:
    """Height of every sphere [m]."""
    height: Floats = experiment.run.world.motion[2, 0].copy()
    return height


def stack_heights(built: SphereTestParameters, time: Floats) -> Floats:
    """Heights by the equation of motion [m]."""
    return np.hstack([_course_of(lower, upper, built.gravity)(time) for lower, upper in STACKS])


@cache
def _course_of(lower: float, upper: float, gravity: float) -> Callable[[Floats], Floats]:
    """Heights of both spheres of a stack [m], shape (times, 2), as a function of times [s]."""
    from scipy.integrate import solve_ivp
    from scipy.interpolate import CubicHermiteSpline

    sphere = TestedSphere(plain(""), Material(1e7, 0.25, lower, 1.0, 0.0), WIDE, (0.0, 0.0, 0.0))
    mass = sphere.mass * np.array([1.0, upper / lower])
    of_plate, of_pair = hertz(sphere, WIDE), hertz(sphere, 0.5 * WIDE)

    def rates(time: float, now: Floats) -> Floats:
        z = now[:2]
        floor = of_plate * max(WIDE - z[0], 0.0) ** 1.5
        middle = of_pair * max(2.0 * WIDE - (z[1] - z[0]), 0.0) ** 1.5
        ceiling = of_plate * max(z[1] + WIDE - BETWEEN, 0.0) ** 1.5
        return np.array([*now[2:], *(np.array([floor - middle, middle - ceiling]) / mass - gravity)])

    start, at = (0.98 * WIDE, 2.92 * WIDE, 0.0, 0.0), np.linspace(0.0, 1.1 * TESTS["stack"].duration, 4001)
    course = solve_ivp(rates, (0.0, at[-1]), start, "DOP853", at, rtol=1e-11, atol=1e-15, max_step=1e-4).y
    between: Callable[[Floats], Floats] = CubicHermiteSpline(at, course[:2].T, course[2:].T)
    return between


def stack_error(experiment: Experiment) -> Floats:
    """A scheme of second order delays each oscillation by (w dt)²/24 of its phase; an amplitude A is wrong by up to
    A w T (w dt)²/24, here for the stiffest contact on the lightest sphere, three times as much for three contacts
    [m]."""
    built = experiment.run.built
    sphere = built.spheres[0]
    stiffness = 1.5 * hertz(sphere, WIDE) * math.sqrt(0.06 * WIDE)
    omega = math.sqrt(2.0 * stiffness / min(one.mass for one in built.spheres))
    error = 3.0 * 0.06 * WIDE * omega * built.duration * (omega * experiment.dt) ** 2 / 24.0
    return np.full(len(built.spheres), error)


def widest_swing(experiment: Experiment) -> Answer:
    """Which sphere swings farthest."""
    height = column(experiment, "value")
    swing = np.ptp(height, axis=0)
    most, least = int(np.argmax(swing)), int(np.argmin(swing))
    words = Message(
        'That named "{name}": over {most}, that named "{other}" over {least}.',
        name=experiment.run.built.spheres[most].name,
        most=Number(float(swing[most]), "m", digits=3),
        other=experiment.run.built.spheres[least].name,
        least=Number(float(swing[least]), "m", digits=3),
    )
    return Answer(float(swing[most]), words)


def pull_off(law: str) -> float:
    """The pull-off force of a sphere of the tests "jkr" and "dmt" from a plate [N]."""
    return (3.0 if law == "jkr" else 4.0) * math.pi * SURFACE_ENERGY * SMALL


def hung(law: str, shares: tuple[float, ...]) -> Callable[[SphereTestParameters], tuple[TestedSphere, ...]]:
    """Spheres whose weights are these shares of the pull-off force at 9.81 m/s², at rest below the plate, or just
    touching it where they cannot be at rest."""

    def spheres(built: SphereTestParameters) -> tuple[TestedSphere, ...]:
        rows = []
        for row, share in enumerate(shares):
            weight = share * pull_off(law)
            density = weight / (EARTH * 4.0 / 3.0 * math.pi * SMALL**3)
            material = Material(1e7, 0.25, density, 1.0, 0.3, surface_energy=SURFACE_ENERGY)
            name = with_prefix(weight, "N", 3)
            sphere = TestedSphere(name, material, SMALL, (0.0, lane(row, len(shares), SMALL), 0.0))
            overlap = max(_hanging(law, sphere, sphere.mass * built.gravity), 1e-7 * SMALL)
            rows.append(sphere._replace(place=(0.0, sphere.place[1], overlap - SMALL)))
        return tuple(rows)

    return spheres


def _hanging(law: str, sphere: TestedSphere, weight: float) -> float:
    """Overlap at which the adhesion bears the weight [m]; 0 if it cannot."""
    left = 1.0 - weight / pull_off(law)
    if left <= 0.0:
        return 0.0
    if law == "dmt":
        return pressed_in(left * pull_off(law), sphere)
    cube = 3.0 + 3.0 * math.sqrt(left)
    return _least_area(sphere) ** 2 / SMALL * (math.pow(cube, 4.0 / 3.0) - 4.0 * math.pow(cube, 1.0 / 3.0))


def _least_area(sphere: TestedSphere) -> float:
    """Radius a_m of the area with which spheres part by JKR [m]."""
    return math.pow(math.pi * 2.0 * SURFACE_ENERGY * SMALL**2 / (8.0 * sphere.young), 1.0 / 3.0)


def fallen(experiment: Experiment) -> Floats:
    """Fall of every sphere since the start [m]."""
    start = np.array([sphere.place[2] for sphere in experiment.run.built.spheres])
    down: Floats = start - experiment.run.world.motion[2, 0]
    return down


def is_too_heavy(built: SphereTestParameters) -> Floats:
    """Weight over pull-off force less 1 of every sphere; positive if it must fall [-]."""
    share: Floats = np.array([sphere.mass * built.gravity for sphere in built.spheres]) / pull_off(built.law) - 1.0
    return share


def falls(built: SphereTestParameters, time: Floats) -> Floats:
    """g t²/2 of those that are too heavy, 0 of the others [m]."""
    path: Floats = np.multiply.outer(0.5 * built.gravity * time**2, np.where(is_too_heavy(built) > 0.0, 1.0, 0.0))
    return path


def falling_error(experiment: Experiment) -> Floats:
    """A sphere that hangs moves by less than a thousandth of its radius. One that falls has first to leave the reach of
    the adhesion, 3 a_m²/R by JKR, with the acceleration of the surplus of its weight, at least
    t = sqrt(2 reach/((W/F_c - 1) g)): its path is shorter by up to g T t [m]."""
    built, allowed = experiment.run.built, []
    for sphere, surplus in zip(built.spheres, is_too_heavy(built), strict=True):
        if surplus <= 0.0:
            allowed.append(1e-3 * SMALL)
            continue
        reach = 3.0 * _least_area(sphere) ** 2 / SMALL if built.law == "jkr" else 2e-7 * SMALL
        allowed.append(
            built.duration * math.sqrt(2.0 * reach * built.gravity / surplus)
            + built.gravity * built.duration * experiment.dt
        )
    return np.array(allowed)


def too_heavy(experiment: Experiment) -> Answer:
    """How many spheres have fallen, and the pull-off force."""
    built, fell = experiment.run.built, last(experiment) > SMALL
    bears = Number(pull_off(built.law), "N", digits=3)
    words = Message(
        "{count} of {all} fall: the adhesion bears {bears}.", count=int(fell.sum()), all=fell.size, bears=bears
    )
    return Answer(pull_off(built.law), words)


FRICTIONS = (0.1, 0.2, 0.4)
"""Frictions of the spheres that are thrown [-]."""
THROWN = 1.0
"""Their speed at the start [m/s]."""
ROLLING = (0.02, 0.05, 0.1)
"""Rolling frictions of the spheres that spin [-]."""
SPUN = 40.0
"""Their spin at the start [rad/s]."""
RADII = (2e-3, 3e-3, 4e-3)
"""Radii of the spheres that sink [m]."""
STACKS = ((2500.0, 2500.0), (5000.0, 2500.0), (2500.0, 5000.0))
"""Densities of the lower and the upper sphere of each stack [kg/m³]."""
WIDE, BETWEEN = 0.01, 0.0394
"""Radius of the spheres on plates, and distance of the two plates of a stack [m]."""
SURFACE_ENERGY, SMALL, EARTH = 0.05, 2e-3, 9.81
"""Surface energy [J/m²] and radius [m] of the spheres that hang; the gravity for which their weights are chosen
[m/s²]."""
TESTS: dict[str, SphereTest] = {
    "stack": SphereTest(
        _("stack between two plates"), stacked, (0.0, BETWEEN), 0.1, _("height"), "m", heights, stack_heights,
        stack_error, widest_swing,
    ),
    "slide": SphereTest(
        _("from sliding to rolling"), slid, (0.0,), 0.4, _("speed"), "m/s", speeds, sliding_speed, sliding_error,
        rolling_answer,
    ),
    "drag": SphereTest(
        _("sinking in glycerol"), sunk, (), 1.0, _("speed"), "m/s", sinking, sinking_speed, sinking_error,
        fastest_sinking, fields=("liquid",),
    ),
    "roll": SphereTest(
        _("rolling resistance"), spun, (0.0,), 1.0, _("spin"), "rad/s", turning, rolling_spin, rolling_error,
        longest_spin,
    ),
    "jkr": SphereTest(
        _("hanging by adhesion, JKR"), hung("jkr", (0.6, 0.88, 1.01, 1.4)), (0.0,), 0.06, _("fall"), "m", fallen, falls,
        falling_error, too_heavy, "jkr", hangs=True,
    ),
    "dmt": SphereTest(
        _("hanging by adhesion, DMT"), hung("dmt", (0.6, 0.99, 1.01, 1.4)), (0.0,), 0.06, _("fall"), "m", fallen, falls,
        falling_error, too_heavy, "dmt", hangs=True,
    ),
}  # fmt: skip


@dataclass
class SphereTestState(CourseState):
    """State of the tests; records have the `value` of the quantity of each sphere [SI]."""


def start(parameters: SphereTestParameters, seed: int) -> World:
    """Fixed spheres and plates."""
    spheres, test = parameters.spheres, parameters.the_test
    world = empty_world(3, 3, skin=0.2 * min(sphere.radius for sphere in spheres), materials=len(spheres) + 1)
    for row, sphere in enumerate(spheres):
        group = SphereGroup(fixed=True, layer=row, material=row, first_id=row)
        world = add_spheres(world, np.array([sphere.place]), sphere.radius, sphere.mass, group)
    normals = (-1.0,) if test.hangs else (1.0, -1.0)
    shapes = [
        [(0.0, 0.0, height), (0.0, 0.0, up), (0.0, 0.0, 0.0)] for height, up in zip(test.plates, normals, strict=False)
    ]
    return set_walls(world, [PLANE] * len(shapes), shapes, material=len(spheres)) if shapes else world


def begin(experiment: Experiment) -> None:
    """Release the spheres with their velocities and spins."""
    run = experiment.run
    world, spheres = run.world, run.built.spheres
    mass = np.array([sphere.mass for sphere in spheres])
    with booked(experiment, "poured"):
        world.inverse_mass[:3] = 1.0 / mass
        world.inverse_mass[3:] = 1.0 / (0.4 * mass * world.radius**2)
        forget_neighbours(world)  # the lists contain no fixed spheres
        world.motion[0, 1] = [sphere.speed for sphere in spheres]
        world.motion[4, 1] = [sphere.spin for sphere in spheres]
        find_accelerations(experiment)
        motion = run.world.motion
        motion[:, 1] += experiment.engine.model.integrator.velocity_lead * experiment.dt * motion[:, 2]
    start_derivatives(experiment)


def record(experiment: Experiment) -> dict[str, Floats]:
    """The quantity of every sphere."""
    return {"value": experiment.run.built.the_test.value(experiment)}


def last(experiment: Experiment) -> Floats:
    """The last record of every sphere."""
    values: Floats = column(experiment, "value")[-1]
    return values


def differences(experiment: Experiment) -> Floats:
    """Largest difference of each sphere from the closed form over the run, shape (spheres,)."""
    built = experiment.run.built
    expected = built.the_test.expected(built, times(experiment))
    largest: Floats = np.abs(column(experiment, "value") - expected).max(axis=0)
    return largest


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The difference of every sphere from the closed form beside the largest one that the scheme allows."""
    built = experiment.run.built
    test, allowed = built.the_test, built.the_test.allowed(experiment)
    return tuple(
        Outcome(
            f"difference_{row}",
            Message("{quantity} of {name} follows the closed form", quantity=test.quantity, name=sphere.name),
            Message("differs by up to {off}", off=with_prefix(float(off), test.unit, 2)),
            Message("≤ {most}", most=with_prefix(float(most), test.unit, 2)),
            bool(off <= most),
        )
        for row, (sphere, off, most) in enumerate(zip(built.spheres, differences(experiment), allowed, strict=True), 1)
    )


def answer(experiment: Experiment) -> Answer:
    """The answer to the question that the preset of the test asks, with the numbers of this run."""
    found: Answer = experiment.run.built.the_test.answer(experiment)
    return found


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """The present quantity of every sphere, with its closed form."""
    if not times(experiment).size:
        return ()
    built = experiment.run.built
    test, expected = built.the_test, built.the_test.expected(built, times(experiment)[-1:])[0]
    return tuple(
        Reading(
            f"value_{row}",
            Message("{quantity}, {name}", quantity=test.quantity, name=sphere.name),
            float(value),
            test.unit,
            expected=float(theirs),
        )
        for row, (sphere, value, theirs) in enumerate(zip(built.spheres, last(experiment), expected, strict=True), 1)
    )


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """The quantity against time: the run as points, the closed form as lines."""
    built = experiment.run.built
    test = built.the_test
    time = np.linspace(0.0, built.duration, CURVE_POINTS)
    expected = test.expected(built, time)
    found = np.reshape(column(experiment, "value"), (times(experiment).size, len(built.spheres)))
    lines = []
    for row, sphere in enumerate(built.spheres):
        lines.append(Line(_("closed form"), time, expected[:, row]))
        lines.append(
            Line(sphere.name, thinned(times(experiment)), thinned(found[:, row]), points=True, group=row, labelled=row)
        )
    return (Curve("closed_form", test.title, TIME, Axis(test.quantity, test.unit), tuple(lines)),)


CURVE_POINTS = 400
"""Number of points of the closed form in the plot."""


def labels(experiment: Experiment) -> tuple[Label, ...]:
    """What distinguishes the spheres."""
    return tuple(Label(row, sphere.name) for row, sphere in enumerate(experiment.run.built.spheres))


def box(experiment: Experiment) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The spheres, and the way that they go by the closed form."""
    built = experiment.run.built
    places, radius = np.array([sphere.place for sphere in built.spheres]), built.spheres[-1].radius
    low, high = places.min(axis=0) - 1.5 * radius, places.max(axis=0) + 1.5 * radius
    time = np.linspace(0.0, built.duration, CURVE_POINTS)
    way = built.the_test.expected(built, time)
    if built.test == "slide":
        high[0] += float(np.trapezoid(way, time, axis=0).max())
    elif built.test == "drag":
        low[2] -= float(np.trapezoid(way, time, axis=0).max())
    elif built.the_test.hangs:
        low[2] -= FOLLOWED * float(way[-1].max())
    return tuple(low.tolist()), tuple(high.tolist())


FOLLOWED = 0.6
"""Share of the fall that the picture shows [-]."""


def facets(experiment: Experiment) -> Floats:
    """The lowest plate, or the ceiling below which spheres hang."""
    built = experiment.run.built
    if not built.the_test.plates:
        return np.empty((0, 3, 3))
    (left, front, _), (right, back, _) = box(experiment)
    return rectangle((left, front, built.the_test.plates[0]), (right - left, 0.0, 0.0), (0.0, back - front, 0.0))


def flaws(state: SphereTestState, world: World, built: SphereTestParameters) -> dict[str, bool]:
    """Which parts of a state read from a file are impossible, by name."""
    count = len(built.spheres)
    return {
        "number of spheres": world.sphere_count != count,
        "records": any(rows.shape != (len(rows), count) for name, rows in state.columns.items() if name != "time"),
    }


def smallest_grain(parameters: SphereTestParameters) -> tuple[float, float]:
    """Mass [kg] and radius [m] of the lightest sphere."""
    return min((sphere.mass, sphere.radius) for sphere in parameters.spheres)


COURSE = TimedCourse(
    state=SphereTestState,
    start=start,
    begin=begin,
    record=record,
    stop=fix_spheres,
    outcomes=outcomes,
    answer=answer,
    words={"empty": lambda experiment: experiment.run.built.the_test.title},
    buttons=CourseButtons(
        _("Release"),
        _("Release the spheres."),
        _("The spheres are back at their start."),
        _("Put the spheres back at their start."),
        _("The spheres move."),
    ),
    flaws=flaws,
)

SCENE = Scene(
    name="sphere_tests",
    title=_("Tests of single spheres"),
    summary=_("Stack, sliding, sinking, rolling resistance and adhesion of single spheres beside their closed forms."),
    direction=Direction(
        see=_("The points of the run lie on the lines of the closed form."),
        colour=OWN,
        plot="closed_form",
        speed=0.05,
        seconds=8.0,
        look="three-quarter",
    ),
    group="checks",
    parameters=SphereTestParameters,
    model=ModelChoice(
        law="hertz_mindlin",
        dimension=3,
        smallest_grain=smallest_grain,
        rotates=lambda parameters: True,
        fields=lambda parameters: parameters.the_test.fields,
    ),
    course=replace(timed_course(COURSE), readings=readings, later_readings=("value_1",)),
    view=SceneView(box=box, facets=facets, curves=curves, labels=labels),
    limits=SceneLimits(),
    lecture=("test",),
)
