"""Estimates of the critical step: single contact, predicted impact, dense cluster."""

from __future__ import annotations

import math

import numpy as np
from repose.sim.engine.contacts.kinematics import Contact, lone_contact
from repose.sim.engine.timestep.stability import CLASSES_PER_OCTAVE, automatic_dt, stability_limit
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import Experiment

REFERENCE_OVERLAP = 0.02
"""Overlap / radius of the single contact of the smallest grain with a wall that always limits the automatic step [-]:
a grain without contacts will have one."""

IMPACT_MARGIN = 1.5
"""Factor by which the step may exceed the usual share of the stable step during an impact, which is short [-]."""

SPARSE = 2
CLUSTER = math.sqrt(6.0)
"""At least this many moving grains with fewer contacts than grains are expected to form a dense cluster. Its highest
frequency is larger than that of a single contact with a wall by this factor [-]: ω² doubles because both grains move,
and triples for contacts on all sides."""

DROP, EARTH = 2.0, 9.81
"""The impact that defines the contact time: drop height in radii [-], gravity [m/s²]."""

STEPS_AHEAD = 200
"""Steps between two checks of an automatic time step."""
FIXED_STEPS, CLOSE_STEPS = 100, 10
"""Steps between two checks of a fixed time step: few where the step is larger than a dense cluster allows, since a
contact that is too stiff lasts only a few steps. A check costs as much as three to four steps. At 1.3 times the limit,
9 of 30 heaps of 40 grains are detected more than 100 steps after the first such contact; with a check every 5 steps 3
of 30, with a check every 2 steps none. Such frequent checks would treble the cost of stable runs, and undetected
contacts do no harm (test X06)."""


def dt_check_steps(experiment: Experiment) -> int:
    """Steps between two checks of the time step; depends on parameters only, so that it is the same in a restored
    run."""
    if experiment.parameters.dt == "auto":
        return STEPS_AHEAD
    return CLOSE_STEPS if experiment.parameters.dt > cluster_dt(experiment) else FIXED_STEPS


def cluster_dt(experiment: Experiment) -> float:
    """Stable step of the smallest grain of the scene in a dense cluster [s]."""
    mass, radius = experiment.scene.smallest_grain(experiment.run.built)
    return single_contact_dt(experiment, REFERENCE_OVERLAP * radius, mass, radius) / CLUSTER


def dt_warning(experiment: Experiment, survey: Survey) -> str:
    """Consequence of a fixed time step that is too large, in one sentence; empty if the step is stable."""
    asked = experiment.parameters.dt
    if asked == "auto" or experiment.fault is not None:
        return ""
    shown = experiment.parameters.declared()["dt"].shown
    if asked > survey.stable_dt:
        return (
            f"Above {shown(survey.stable_dt, digits=4)}, the stable time step of the present contacts: energy grows "
            f"without bound, and the run is stopped within {experiment.engine.dt_check_steps} steps."
        )
    if asked > (expected := cluster_dt(experiment)):
        return (
            f"Above {shown(expected, digits=4)}, the stable time step of a grain in a dense cluster: the run continues "
            f"and is stopped within {experiment.engine.dt_check_steps} steps when its contacts become unstable."
        )
    return ""


def reference_dt(experiment: Experiment) -> float:
    """Stable step of a single contact of the smallest grain with a wall [s]."""
    world = experiment.run.world
    moving = ~world.fixed
    mass, radius = experiment.scene.smallest_grain(experiment.run.built)
    if moving.any():
        mass, radius = float(world.movable_mass[moving].min()), float(world.radius[moving].min())
    return single_contact_dt(experiment, REFERENCE_OVERLAP * radius, mass, radius)


def impact_dt(experiment: Experiment, ahead: float) -> float:
    """Stable step of the fastest grain during an impact on a wall after falling for `ahead` [s] more, at the overlap
    that stores all its kinetic energy [s]."""
    world, model = experiment.run.world, experiment.engine.model
    square = np.where(world.fixed, 0.0, (world.motion[: model.dimension, 1] ** 2).sum(axis=0))
    fastest = int(square.argmax()) if square.size else -1
    if fastest < 0 or world.fixed[fastest]:
        return math.inf
    mass, radius = float(world.mass[fastest]), float(world.radius[fastest])
    speed = math.sqrt(square[fastest]) + ahead * math.hypot(*experiment.engine.gravity)
    # resolved to 1/4096 of the radius
    overlap = _overlap_storing(experiment, 0.5 * mass * speed**2, mass, radius, halvings=12)
    return single_contact_dt(experiment, overlap, float(world.movable_mass[fastest]), radius)


def contact_time(experiment: Experiment) -> float:
    """Contact duration of the smallest grain dropped on a wall from the height of its diameter [s]: π/ω."""
    model = experiment.engine.model
    mass, radius = experiment.scene.smallest_grain(experiment.run.built)
    overlap = _overlap_storing(experiment, mass * EARTH * DROP * radius, mass, radius, halvings=40)
    contact = _lone(experiment, overlap, mass, radius)
    along, _, _, _ = model.law.stiffness(experiment.engine.law_parameters, contact)
    return math.pi * math.sqrt(mass / along)


def _overlap_storing(experiment: Experiment, energy: float, mass: float, radius: float, halvings: int) -> float:
    """Overlap with a wall that stores this energy [m], at most the radius."""
    model = experiment.engine.model
    low, high = 0.0, radius
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        stored, _ = model.law.energy(experiment.engine.law_parameters, _lone(experiment, middle, mass, radius))
        low, high = (middle, high) if stored < energy else (low, middle)
    return high


def single_contact_dt(experiment: Experiment, overlap: float, mass: float, radius: float) -> float:
    """Stable step of a sphere whose only contact is one with a wall of the given overlap [s]; `mass` is that with which
    it answers a force along the normal [kg]."""
    model = experiment.engine.model
    contact = _lone(experiment, overlap, mass, radius)
    along, across, damped, _ = model.law.stiffness(experiment.engine.law_parameters, contact)
    omega = math.sqrt(max(along, across * _inverse_mass_ratio(experiment.run.world, model.spin_length)) / mass)
    return stability_limit(model.integrator, round(damped / (2.0 * omega), 3)) / omega


def _inverse_mass_ratio(world: World, spin_length: int) -> float:
    """Largest ratio of the inverse mass across a contact to that along it [-]: 1/m + R²/I of a rotating sphere is 3/m
    in the plane and 7/2 1/m in space."""
    ratio = {0: 1.0, 1: 3.0, 3: 3.5}[spin_length]
    members = (world.search.body >= 0) & ~world.fixed
    if not members.any():
        return ratio
    along, turning = world.inverse_mass[0, members], world.inverse_mass[-1, members]
    return max(ratio, float((1.0 + world.radius[members] ** 2 * turning / along).max()))


def _lone(experiment: Experiment, overlap: float, mass: float, radius: float) -> Contact:
    model = experiment.engine.model
    material = model.law.material(experiment.engine.law_parameters, 0)
    return lone_contact(overlap, mass, radius, model.dimension, model.spin_length, material)


def foreseen_dt(experiment: Experiment, survey: Survey) -> float:
    """Stable step of the present contacts, of a single contact, and of the predicted impact [s]."""
    moving = int((~experiment.run.world.fixed).sum())
    cluster = CLUSTER if moving >= SPARSE and survey.contacts < moving else 1.0
    stable = min(survey.stable_dt, reference_dt(experiment) / cluster)
    impact = impact_dt(experiment, STEPS_AHEAD * automatic_dt(stable)) / cluster
    return min(stable, IMPACT_MARGIN * impact)


def next_automatic_dt(experiment: Experiment, survey: Survey, first: bool) -> float:
    """The automatic step: decreased at once, increased only by at least two classes, or if it was just requested."""
    wanted, now = automatic_dt(foreseen_dt(experiment, survey)), experiment.run.dt
    if first or now == 0.0 or wanted < now or wanted >= now * 2.0 ** (2 / CLASSES_PER_OCTAVE):
        return wanted
    return now
