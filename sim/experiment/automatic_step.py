"""Estimates of the critical step: single contact, predicted impact, dense cluster."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from repose.sim.engine.contacts.kinematics import Contact, lone_contact
from repose.sim.engine.neighbours.verlet_list import LARGEST_STEP
from repose.sim.engine.timestep.acceleration import field_acceleration
from repose.sim.engine.timestep.accuracy import accuracy_limit
from repose.sim.engine.timestep.stable_step import (
    AUTO_SHARE,
    CLASSES_PER_OCTAVE,
    RATIO_GRID,
    automatic_dt,
    limit_table,
    stability_limit,
)
from repose.sim.engine.timestep.stiffness_sums import interpolate
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import acceleration_of_hand, speed_of_hand, speed_of_pull
from repose.sim.message import EMPTY, Message

REFERENCE_OVERLAP = 0.02
"""Overlap / radius of a single contact of the smallest grain with a wall [-]. This contact always limits the automatic
step, because a grain without contacts may get one."""

TOUCH = 1e-9
"""Overlap / radius of a contact that has just begun [-]."""

IMPACT_MARGIN = 1.5
"""Factor by which the step may exceed the usual share of the stable step during an impact, which is short [-]."""

SPARSE = 2
CLUSTER = math.sqrt(6.0)
"""At least `SPARSE` moving grains with fewer contacts than grains are expected to form a dense cluster. Its highest
frequency exceeds that of a single contact with a wall by the factor `CLUSTER` [-]: ω² doubles because both grains move,
and triples for contacts on all sides. For bodies of more than six members, which may all have contacts, the factor is
the square root of their number."""

DROP, EARTH = 2.0, 9.81
"""The impact that defines the contact time: drop height in radii [-], gravity [m/s²]."""

LARGEST_TURN = 0.4
"""Largest rotation of a body of unequal moments of inertia in one step [rad]. The error of the period of a free body is
then at most 0.02 %, for a rod that flips about its middle axis, and falls as the fourth power of the step."""

STEPS_AHEAD = 200
"""Steps between two checks of an automatic time step; a pull and some other commands cause an additional check."""
FIXED_STEPS, CLOSE_STEPS = 100, 10
"""Steps between two checks of a fixed time step. `CLOSE_STEPS` is used if the step is larger than a dense cluster
allows, since a contact that is too stiff lasts only a few steps. A check costs as much as three to four steps. At 1.3
times the limit, 9 of 30 heaps of 40 grains are detected more than 100 steps after the first such contact; with a check
every 5 steps 3 of 30, with a check every 2 steps 0 of 30. Such frequent checks would treble the cost of stable runs,
and undetected contacts do no harm (test X06)."""


def dt_check_steps(experiment: Experiment) -> int:
    """Steps between two checks of the time step; depends on parameters only, and is equal in a restored run."""
    if experiment.parameters.dt == "auto":
        return STEPS_AHEAD
    return CLOSE_STEPS if experiment.parameters.dt > cluster_dt(experiment) else FIXED_STEPS


def cluster_dt(experiment: Experiment) -> float:
    """Stable step of the smallest grain of the scene in a dense cluster [s]."""
    mass, radius = experiment.scene.model.smallest_grain(experiment.run.built)
    return single_contact_dt(experiment, REFERENCE_OVERLAP * radius, mass, radius) / CLUSTER


def dt_warning(experiment: Experiment, survey: Survey) -> Message:
    """Consequence of a fixed time step that is too large, in one sentence; empty if the step is stable."""
    asked = experiment.parameters.dt
    if asked == "auto" or experiment.fault is not None:
        return EMPTY
    shown = experiment.parameters.declared()["dt"].shown
    if asked > survey.stable_dt:
        return Message(
            "Above {stable_dt}, the stable time step of the present contacts: energy grows without "
            "bound, and the run is stopped within {dt_check_steps} steps.",
            stable_dt=shown(survey.stable_dt, digits=4),
            dt_check_steps=experiment.engine.dt_check_steps,
        )
    if asked > (expected := cluster_dt(experiment)):
        return Message(
            "Above {expected}, the stable time step of a grain in a dense cluster: the run continues "
            "and is stopped within {dt_check_steps} steps when its contacts become unstable.",
            expected=shown(expected, digits=4),
            dt_check_steps=experiment.engine.dt_check_steps,
        )
    if asked > (whole := turning_dt(experiment.run.world)):
        return Message(
            "Above {whole}, a body turns by more than {largest_turn} rad in a step: its rotation is inaccurate.",
            whole=shown(whole, digits=4),
            largest_turn=LARGEST_TURN,
        )
    return EMPTY


def is_stable(experiment: Experiment, survey: Survey) -> bool:
    """Whether a fixed time step is stable for the present contacts and for a grain in a dense cluster."""
    asked = experiment.parameters.dt
    return bool(asked != "auto" and asked <= min(survey.stable_dt, cluster_dt(experiment)))


def reference_dt(experiment: Experiment) -> float:
    """Stable step of a single contact of the smallest grain with a wall [s]."""
    mass, radius = _smallest(experiment)
    return single_contact_dt(experiment, REFERENCE_OVERLAP * radius, mass, radius)


def _smallest(experiment: Experiment) -> tuple[float, float]:
    """Smallest mass [kg] and radius [m] of the grains, or those of the smallest grain of the scene without any."""
    world = experiment.run.world
    moving = ~world.fixed
    if not moving.any():
        return experiment.scene.model.smallest_grain(experiment.run.built)
    return float(world.movable_mass[moving].min()), float(world.radius[moving].min())


class Touch(NamedTuple):
    """The contact that limits the accurate step, at its beginning."""

    dt: float
    """Step up to which the ledger of an impact closes to `LARGEST_GAP` [s]; infinite if force and damping begin from
    zero, as with Hertz and Mindlin."""
    omega: float
    """Angular frequency of the relative motion [1/s]."""
    damping: float
    """Rate of the damping, force over momentum [1/s]."""
    mass: float
    """Effective mass [kg]."""


def touch(experiment: Experiment) -> Touch:
    """The stricter one of the impacts of a smallest grain on a wall and on an equal grain
    (repose.sim.engine.timestep.accuracy); for a law that acts at a distance also when a bridge or an attraction ends.

    The spring across the contact counts without the factor 7/2 by which the rotation of spheres eases slip: the motion
    across has 2/7 of the energy.
    """
    model, params = experiment.engine.model, experiment.engine.law_parameters
    mass, radius = _smallest(experiment)
    at_wall = _lone(experiment, TOUCH * radius, mass, radius)
    pair = at_wall._replace(effective_mass=0.5 * mass, effective_radius=0.5 * radius, fixed=0.0)
    contacts = [at_wall, pair]
    if model.law.acts_at_distance:
        reach = model.law.reach
        contacts += [one._replace(overlap=-0.5 * reach(params, one.effective_radius)) for one in contacts]
    return min(_touch_of(experiment, one) for one in contacts)


def _touch_of(experiment: Experiment, contact: Contact) -> Touch:
    along, across, damping, _ = experiment.engine.model.law.stiffness(experiment.engine.law_parameters, contact)
    omega = math.sqrt(max(along, across) / contact.effective_mass)
    least = max(omega, damping / (2.0 * float(RATIO_GRID[-1])))  # beyond the last ratio only the damping counts
    if least == 0.0:
        return Touch(math.inf, omega, damping, contact.effective_mass)
    limit = accuracy_limit(experiment.engine.model.integrator, round(damping / (2.0 * least), 2))
    return Touch(limit / least, omega, damping, contact.effective_mass)


class Approach(NamedTuple):
    """Bounds of the speed of the movable grains at their next impact. The last entry is the smallest grain that may be
    poured, at rest, before the next check."""

    mass: Floats
    """Mass of the whole grain [kg]."""
    movable_mass: Floats
    """`World.movable_mass` [kg]."""
    radius: Floats
    """[m]."""
    speed: Floats
    """Largest speed of a point of the grain relative to walls and pusher at the next check [m/s]."""


def approach(experiment: Experiment, ahead: float, acceleration: float) -> Approach:
    """Bounds of the speeds of the grains after `ahead` [s] of the given `acceleration` [m/s²] and of the pull.

    A body may rotate meanwhile: the speed of its members about the centre is added to the speed of the centre.
    """
    world, dimension = experiment.run.world, experiment.engine.model.dimension
    moving = ~world.fixed
    speed = np.sqrt((world.motion[:dimension, 1] ** 2).sum(axis=0))
    if world.bodies:
        bodies, member = world.bodies, world.body >= 0
        own = world.body[member]
        spins = np.sqrt((world.workspace.bodies.spin**2).sum(axis=0))[own]
        turning = spins * np.sqrt((bodies.offset[:, member] ** 2).sum(axis=0))
        speed[member] = np.sqrt((bodies.motion[:dimension, 1] ** 2).sum(axis=0))[own] + turning
    rows, pulled = speed_of_pull(experiment, ahead)
    speed[rows] += pulled
    walls = math.sqrt(float((world.walls.velocity**2).sum(axis=1).max(initial=0.0)))
    walls += speed_of_hand(experiment.run, experiment.time)
    mass, radius = experiment.scene.model.smallest_grain(experiment.run.built)
    return Approach(
        np.append(world.mass[moving], mass),
        np.append(world.movable_mass[moving], mass),
        np.append(world.radius[moving], radius),
        np.append(speed[moving], 0.0) + walls + ahead * acceleration,
    )


def acceleration_of_grains(experiment: Experiment) -> float:
    """Largest acceleration of a grain at rest by weight and fields [m/s²].

    A moving grain does not accelerate more: the only force that depends on velocity is drag.
    """
    model, coefficients = experiment.engine.model, experiment.coefficients_now
    by_fields = field_acceleration(model.fields, model.shapes, experiment.run.world, coefficients)
    return math.hypot(*experiment.engine.gravity) + by_fields + acceleration_of_hand(experiment.run)


def impact_dt(experiment: Experiment, coming: Approach) -> float:
    """Stable step during an impact of the fastest grain on a wall, and of the lightest grain at the same speed, at the
    overlap that stores all kinetic energy [s]; infinite if the contact of `reference_dt` is stiffer than both."""
    fastest, lightest = int(coming.speed.argmax()), int(coming.movable_mass.argmin())
    return min(_impact_of(experiment, coming, row, float(coming.speed[fastest])) for row in {fastest, lightest})


def _impact_of(experiment: Experiment, coming: Approach, row: int, speed: float) -> float:
    mass, radius = float(coming.mass[row]), float(coming.radius[row])
    energy, model = 0.5 * mass * speed**2, experiment.engine.model
    small = _lone(experiment, REFERENCE_OVERLAP * float(coming.radius.min()), mass, radius)
    if model.law.energy(experiment.engine.law_parameters, small)[0] >= energy:
        return math.inf
    # 12 halvings: a resolution of 1/4096 of the radius
    overlap = _overlap_storing(experiment, energy, mass, radius, halvings=12)
    omega, ratio = _oscillation(experiment, overlap, float(coming.movable_mass[row]), radius)
    # The damping ratio is another one at each impact: interpolated, since an exact limit takes milliseconds.
    limit: float = interpolate(ratio, RATIO_GRID, limit_table(model.integrator))
    return limit / omega


def contact_time(experiment: Experiment) -> float:
    """Contact duration of the smallest grain dropped on a wall from the height of its diameter [s]: π/ω."""
    model = experiment.engine.model
    mass, radius = experiment.scene.model.smallest_grain(experiment.run.built)
    overlap = _overlap_storing(experiment, mass * EARTH * DROP * radius, mass, radius, halvings=40)
    contact = _lone(experiment, overlap, mass, radius)
    along, _, _, _ = model.law.stiffness(experiment.engine.law_parameters, contact)
    return math.pi * math.sqrt(mass / along)


def _overlap_storing(experiment: Experiment, energy: float, mass: float, radius: float, halvings: int) -> float:
    """Overlap with a wall that stores this energy [m], at most the radius."""
    energy_of, params = experiment.engine.model.law.energy, experiment.engine.law_parameters
    contact = _lone(experiment, radius, mass, radius)
    low, high = 0.0, radius
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        stored, _ = energy_of(params, contact._replace(overlap=middle))
        low, high = (middle, high) if stored < energy else (low, middle)
    return high


def single_contact_dt(experiment: Experiment, overlap: float, mass: float, radius: float) -> float:
    """Stable step of a sphere with a single contact with a wall at this overlap [s]; `mass` is force over acceleration
    along the normal [kg]."""
    omega, ratio = _oscillation(experiment, overlap, mass, radius)
    return stability_limit(experiment.engine.model.integrator, round(ratio, 3)) / omega


def _oscillation(experiment: Experiment, overlap: float, mass: float, radius: float) -> tuple[float, float]:
    """Angular frequency [1/s] and damping ratio [-] of a sphere with a single contact with a wall."""
    model = experiment.engine.model
    contact = _lone(experiment, overlap, mass, radius)
    along, across, damped, _ = model.law.stiffness(experiment.engine.law_parameters, contact)
    omega = math.sqrt(max(along, across * _inverse_mass_ratio(experiment.run.world, model.spin_length)) / mass)
    return omega, damped / (2.0 * omega)


def _inverse_mass_ratio(world: World, spin_length: int) -> float:
    """Largest ratio of the tangential to the normal inverse mass at a contact [-]: 1/m + R²/I of a rotating sphere is
    3/m in the plane and 7/2 1/m in space."""
    ratio = {0: 1.0, 1: 3.0, 3: 3.5}[spin_length]
    if not world.bodies:
        return ratio
    members = (world.body >= 0) & ~world.fixed
    if not members.any():
        return ratio
    along, turning = world.inverse_mass[0, members], world.inverse_mass[-1, members]
    return max(ratio, float((1.0 + world.radius[members] ** 2 * turning / along).max()))


def _lone(experiment: Experiment, overlap: float, mass: float, radius: float) -> Contact:
    model = experiment.engine.model
    material = model.law.material(experiment.engine.law_parameters, 0)
    return lone_contact(overlap, mass, radius, model.dimension, model.spin_length, material)


def foreseen_dt(experiment: Experiment, survey: Survey) -> float:
    """Largest step that the present contacts, a single contact, the impacts until the next check and the rotation of
    bodies allow [s], and at which impacts are accurate; "auto" takes `AUTO_SHARE` of it.

    The longer the step, the later the next check, and the faster the grains at that check: the step h follows from the
    speed v + a n h after the n steps to the next check. It is found by iteration. The step decreases with the speed:
    a step that is too long gives one that is too short, and vice versa, each closer to h. The third step is too short,
    by less than the second is too long.
    """
    moving = int((~experiment.run.world.fixed).sum())
    many = moving == 0 or (moving >= SPARSE and survey.contacts < moving)
    cluster = cluster_factor(experiment.run.world) if many else 1.0
    stable = min(survey.stable_dt, reference_dt(experiment) / cluster)
    stable = foreseen = min(stable, touch(experiment).dt / AUTO_SHARE)
    acceleration, turning = acceleration_of_grains(experiment), turning_dt(experiment.run.world)
    for _ in range(3):
        step = automatic_dt(foreseen)
        coming = approach(experiment, STEPS_AHEAD * step, acceleration)
        impact = IMPACT_MARGIN * impact_dt(experiment, coming) / cluster
        foreseen = min(stable, impact, passing_dt(coming), turning)
        if automatic_dt(foreseen) == step:
            break
    return foreseen


def passing_dt(coming: Approach) -> float:
    """Step in which no grain moves farther than the step loop allows [s]; it limits the step of soft grains."""
    with np.errstate(divide="ignore"):
        return float((LARGEST_STEP * coming.radius / coming.speed).min())


def turning_dt(world: World) -> float:
    """Step in which no body of unequal moments turns by more than `LARGEST_TURN` [s]; infinite without such a body."""
    if not world.bodies or not world.bodies.unequal.any():
        return math.inf
    turns = world.bodies.unequal.any(axis=0)
    fastest = math.sqrt(float((world.workspace.bodies.spin[:, turns] ** 2).sum(axis=0).max()))
    return LARGEST_TURN / fastest if fastest > 0.0 else math.inf


def cluster_factor(world: World) -> float:
    """`CLUSTER` of this world."""
    members = int(np.diff(world.bodies.begin).max(initial=0)) if world.bodies else 0
    return max(CLUSTER, math.sqrt(members))


def next_automatic_dt(experiment: Experiment, survey: Survey, first: bool) -> float:
    """The automatic step: decreased at once, increased only by at least two classes, or if it was just requested."""
    wanted, now = automatic_dt(foreseen_dt(experiment, survey)), experiment.run.dt
    if first or now == 0.0 or wanted < now or wanted >= now * 2.0 ** (2 / CLASSES_PER_OCTAVE):
        return wanted
    return now
