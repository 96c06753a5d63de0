"""What a time step is made of and held against: lone contacts of the smallest grain, impacts to come, crowds."""

from __future__ import annotations

import math

import numpy as np
from repose.sim.engine.contacts.kinematics import Contact, lone_contact
from repose.sim.engine.timestep.stability import CLASSES_PER_OCTAVE, automatic_dt, stability_limit
from repose.sim.engine.timestep.survey import Survey
from repose.sim.experiment.experiment import Experiment

REFERENCE_OVERLAP = 0.02
"""A lone contact of the smallest grain with a wall, overlapping by this share of its radius, always counts
for "auto": a grain that touches nothing yet will [-]."""

IMPACT_MARGIN = 1.5
"""An impact is short: the step may come this much closer to the stable one than while grains rest on each other [-]."""


RAIN = 2
CROWD = math.sqrt(6.0)
"""Where at least so many grains have hardly a contact yet, they will meet in a crowd, which is stiffer than a lone
contact with a wall: twice because both give way, and three times for contacts on all sides (squares of frequencies)."""

DROP, EARTH = 2.0, 9.81
"""The impact whose duration changes are spread over: from a height of so many radii [-], on Earth [m/s²]."""

STEPS_AHEAD = 200
"""An automatic step is looked at this often."""
FIXED_STEPS, CLOSE_STEPS = 100, 10
"""Steps between two looks at whether the contacts bear a fixed step: few where it is larger than grains that meet in a
crowd bear, since a contact that is too stiff lasts a few steps only. A look costs three to four steps: at 1.3 times
the limit, 9 of 30 heaps of 40 grains are found out over 100 steps after the first such contact, with a look every 5
steps 3, every 2 none; but that trebles the cost of runs that bear their step, and what is missed does no harm (X06)."""


def dt_check_steps(experiment: Experiment) -> int:
    """Steps between two looks at the time step; it depends on parameters alone, so that a run taken up again has it."""
    if experiment.parameters.dt == "auto":
        return STEPS_AHEAD
    return CLOSE_STEPS if experiment.parameters.dt > borne_in_a_crowd(experiment) else FIXED_STEPS


def borne_in_a_crowd(experiment: Experiment) -> float:
    """Largest step the smallest grain of the scene is expected to bear wherever grains meet [s]."""
    mass, radius = experiment.scene.smallest_grain(experiment.run.built)
    return stable_alone(experiment, REFERENCE_OVERLAP * radius, mass, radius) / CROWD


def dt_warning(experiment: Experiment, survey: Survey) -> str:
    """What will happen with a fixed time step that is too large, in a sentence; empty where nothing will."""
    asked = experiment.parameters.dt
    if asked == "auto" or experiment.fault is not None:
        return ""
    if asked > survey.stable_dt:
        return (
            f"Over the {survey.stable_dt * 1e6:.4g} µs that the contacts bear: energy will grow without bound, so the "
            f"run will be stopped within {experiment.engine.dt_check_steps} steps."
        )
    if asked > (expected := borne_in_a_crowd(experiment)):
        return (
            f"Over the {expected * 1e6:.4g} µs that grains bear where they meet in a crowd: the run goes on, and will "
            f"be stopped within {experiment.engine.dt_check_steps} steps once contacts bear less."
        )
    return ""


def reference_dt(experiment: Experiment) -> float:
    """Largest stable step for a lone contact of the smallest grain of the scene with a wall [s]."""
    world = experiment.run.world
    moving = ~world.fixed
    mass, radius = experiment.scene.smallest_grain(experiment.run.built)
    if moving.any():
        mass, radius = float(world.mass[moving].min()), float(world.radius[moving].min())
    return stable_alone(experiment, REFERENCE_OVERLAP * radius, mass, radius)


def impact_dt(experiment: Experiment, ahead: float) -> float:
    """Largest stable step for the fastest grain where it is stopped by a wall after falling for `ahead` [s] more: at
    the overlap that takes up all its energy of motion [s]."""
    world, model = experiment.run.world, experiment.engine.model
    square = np.where(world.fixed, 0.0, (world.motion[: model.dimension, 1] ** 2).sum(axis=0))
    fastest = int(square.argmax()) if square.size else -1
    if fastest < 0 or world.fixed[fastest]:
        return math.inf
    mass, radius = float(world.mass[fastest]), float(world.radius[fastest])
    speed = math.sqrt(square[fastest]) + ahead * math.hypot(*experiment.engine.gravity)
    # to a four-thousandth of the radius
    overlap = _stopped_at(experiment, 0.5 * mass * speed**2, mass, radius, halvings=12)
    return stable_alone(experiment, overlap, mass, radius)


def contact_time(experiment: Experiment) -> float:
    """How long the smallest grain of the scene touches a wall it is dropped on from its own diameter [s]: π/ω."""
    model = experiment.engine.model
    mass, radius = experiment.scene.smallest_grain(experiment.run.built)
    overlap = _stopped_at(experiment, mass * EARTH * DROP * radius, mass, radius, halvings=40)
    contact = _lone(experiment, overlap, mass, radius)
    along, _, _, _ = model.law.stiffness(experiment.engine.law_parameters, contact)
    return math.pi * math.sqrt(mass / along)


def _stopped_at(experiment: Experiment, brought: float, mass: float, radius: float, halvings: int) -> float:
    """Overlap with a wall that takes up this energy [m], the radius at most."""
    model = experiment.engine.model
    low, high = 0.0, radius
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        stored, _ = model.law.energy(experiment.engine.law_parameters, _lone(experiment, middle, mass, radius))
        low, high = (middle, high) if stored < brought else (low, middle)
    return high


def stable_alone(experiment: Experiment, overlap: float, mass: float, radius: float) -> float:
    """Largest stable step for a sphere that overlaps with a wall by so much, nothing else near [s]."""
    model = experiment.engine.model
    contact = _lone(experiment, overlap, mass, radius)
    along, across, damped, _ = model.law.stiffness(experiment.engine.law_parameters, contact)
    # A sphere that turns gives way to a pull across by 1/m + R²/I: 7/2 or 3 times as much as one that does not.
    yielding = {0: 1.0, 1: 3.0, 3: 3.5}[model.spin_length]
    omega = math.sqrt(max(along, across * yielding) / mass)
    return stability_limit(model.integrator, round(damped / (2.0 * omega), 3)) / omega


def _lone(experiment: Experiment, overlap: float, mass: float, radius: float) -> Contact:
    model = experiment.engine.model
    material = model.law.material(experiment.engine.law_parameters, 0)
    return lone_contact(overlap, mass, radius, model.dimension, model.spin_length, material)


def foreseen_dt(experiment: Experiment, survey: Survey) -> float:
    """Largest step borne by the contacts there are, by a lone one, and by the impacts to come [s]."""
    moving = int((~experiment.run.world.fixed).sum())
    crowd = CROWD if moving >= RAIN and survey.contacts < moving else 1.0
    stable = min(survey.stable_dt, reference_dt(experiment) / crowd)
    impact = impact_dt(experiment, STEPS_AHEAD * automatic_dt(stable)) / crowd
    return min(stable, IMPACT_MARGIN * impact)


def next_automatic_dt(experiment: Experiment, survey: Survey, first: bool) -> float:
    """The step "auto" takes: smaller at once, larger only when two classes are free or it is set anew."""
    wanted, now = automatic_dt(foreseen_dt(experiment, survey)), experiment.run.dt
    if first or now == 0.0 or wanted < now or wanted >= now * 2.0 ** (2 / CLASSES_PER_OCTAVE):
        return wanted
    return now
