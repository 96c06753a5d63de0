"""Activate a run and its parameters: compile the model and pass parameter values to the law, at once or by a ramp.

Stiffness, damping and gravity change over one contact duration, because a jump of a force is an impulse. During this
ramp the law reads values between the old and the requested ones. The values change at steps that are known when the
ramp begins, each time by an equal amount (a quantity on a logarithmic scale: by an equal factor), and each time the
energy that the change adds to the contacts is booked as work. Parameters that limit a force, such as friction, and
parameters that are not numbers, such as the choice of a formula, change at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from repose.sim.engine.builder import enlarge_pairs, with_levels, with_parts
from repose.sim.engine.composition import compose, kind_of
from repose.sim.engine.contacts.contact_table import contact_table
from repose.sim.engine.contacts.pair_forces import heat_of_pairs
from repose.sim.engine.model import Model
from repose.sim.engine.neighbours.verlet_list import PAIRS_FULL
from repose.sim.engine.threads import is_compiled
from repose.sim.engine.timestep.survey import compose_survey
from repose.sim.engine.world import LEDGER_DAMPING, copy_world, motions
from repose.sim.experiment import automatic_step
from repose.sim.experiment.compile_beside import compile_beside
from repose.sim.experiment.experiment import Effective, Engine, Experiment, Formulas, Scene
from repose.sim.experiment.ledger import booked, survey_contacts
from repose.sim.experiment.relaxation import relax_where_stiffer
from repose.sim.experiment.run import RAMP_PARTS, Ramp, Run
from repose.sim.integrators.start_up import higher_derivatives
from repose.sim.measure.energy import moment_of_mass
from repose.sim.message import _
from repose.sim.parameters import require_known, shared_names
from repose.sim.rate_integral import RateIntegral
from repose.sim.registry import bonds, fields, integrators, laws


def model_for(scene: Scene, parameters: Any, built: Any) -> Model:
    """The model for a scene and its parameters; `built` are the parameters with which the world was built."""
    require_known(scene.law_of(parameters), laws(), _("law"))
    law = laws()[scene.law_of(parameters)].bind(parameters)
    for name in scene.model.fields(parameters):
        require_known(name, fields(), _("field"))
    bound = tuple(fields()[name].bind(parameters) for name in scene.model.fields(parameters))
    if name := scene.model.bond(parameters):
        require_known(name, bonds(), _("bond law"))
    bond = bonds()[name].bind(parameters) if name else None
    scheme, bodies = integrators()[parameters.integrator], scene.model.bodies(built)
    return Model(law, scheme, scene.model.dimension, scene.model.rotates(built), bound, bond, bodies)


class Watched:
    """Parameters that note the names of those that are read. It counts as an object of their class."""

    def __init__(self, parameters: Any) -> None:
        self._parameters, self._names = parameters, set[str]()

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return type(object.__getattribute__(self, "_parameters"))
        object.__getattribute__(self, "_names").add(name)
        return getattr(object.__getattribute__(self, "_parameters"), name)


def read_from(watched: Watched) -> dict[str, Any]:
    """The values that have been read, by name; all of them if something was read that is no parameter, such as a
    method."""
    parameters, names = (object.__getattribute__(watched, name) for name in ("_parameters", "_names"))
    declared = parameters.declared().keys()
    return {name: getattr(parameters, name) for name in (names if names <= declared else declared)}


def engine_for(scene: Scene, parameters: Any, built: Any, now: Effective | None = None) -> Engine:
    """The compiled functions of a model and the coefficients that they read, `now` or those of the parameters; numba
    compiles the functions at the first call."""
    watched = Watched(parameters)
    model = model_for(scene, watched, built)
    formulas = Formulas(scene, built, read_from(watched))
    made = compose(model), compose_survey(model), contact_table(model)
    return Engine(model, formulas, *made, *(now or effective(scene, parameters)))


def take_engine(experiment: Experiment, other: Experiment) -> None:
    """Give an experiment the engine of another one, which `activate` keeps if the parameters select its formulas."""
    experiment.engine = other.engine


def has_formulas_of(engine: Engine, scene: Scene, parameters: Any, built: Any) -> bool:
    """Whether the model of the engine is that of these parameters: the values that select its formulas are the same."""
    known = engine.formulas
    same = known.scene is scene and known.built is built
    return same and all(getattr(parameters, name, None) == value for name, value in known.selected_by.items())


def effective(
    scene: Scene,
    parameters: Any,
    turned: float = 0.0,
    ways: Mapping[str, tuple[RateIntegral, ...]] = MappingProxyType({}),
) -> Effective:
    """The coefficients of these parameters, on a table that the scene has `turned` by this angle [rad]; fields have
    gone these `ways`."""
    return Effective(
        laws()[scene.law_of(parameters)].coefficients(parameters),
        gravity_on_table(scene, parameters, turned),
        field_coefficients(scene, parameters, ways),
        bond_coefficients(scene, parameters),
    )


def gravity_on_table(scene: Scene, parameters: Any, turned: float) -> tuple[float, ...]:
    """Gravity [m/s²] of these parameters on a table that the scene has `turned` by this angle [rad]."""
    on_table = parameters.model_copy(update={"tilt": parameters.tilt + turned}) if turned else parameters
    gravity: tuple[float, ...] = on_table.gravity_vector(scene.model.dimension)
    return gravity


def field_coefficients(
    scene: Scene, parameters: Any, ways: Mapping[str, tuple[RateIntegral, ...]] = MappingProxyType({})
) -> tuple:
    """The coefficients that the scene's fields read, which have gone these `ways`."""
    made = {
        name: fields()[name].coefficients(parameters, scene.model.dimension) for name in scene.model.fields(parameters)
    }
    return tuple(fields()[name].gone(one, ways[name]) if name in ways else one for name, one in made.items())


def _go_on(experiment: Experiment, parameters: Any) -> None:
    """Let fields that depend on time go on with the rates of these parameters, from where they are."""
    scene, run = experiment.scene, experiment.run
    for name, one in zip(scene.model.fields(parameters), field_coefficients(scene, parameters), strict=True):
        way = fields()[name].way(one)
        if not way:
            continue
        for part, asked in zip(run.ways.setdefault(name, way), way, strict=True):
            part.go_on(run.time, asked.rate)


def bond_coefficients(scene: Scene, parameters: Any) -> tuple:
    """The coefficients that the scene's bond law reads; empty for a scene without bonds."""
    name = scene.model.bond(parameters)
    return bonds()[name].coefficients(parameters) if name else ()


def activate(experiment: Experiment, parameters: Any, run: Run, adapt: bool = True) -> None:
    """Replace run and parameters of the experiment; with `adapt` the world is changed to suit the integrator."""
    previous = experiment.engine.model
    scene = experiment.scene
    experiment.parameters, experiment.run = parameters, run
    _go_on(experiment, parameters_in_force(experiment))
    requested = effective(scene, parameters, turned_by(experiment), run.ways)
    # A change of a number keeps the formulas. The former engine does not change: a change that is stopped restores it.
    if has_formulas_of(experiment.engine, scene, parameters, run.built):
        experiment.engine = engine = replace(experiment.engine)
        _use(experiment, requested)
    else:
        experiment.engine = engine = engine_for(scene, parameters, run.built, requested)
    run.world = with_parts(run.world, engine.model)
    engine.requested = None
    if run.ramp is not None:
        engine.requested = requested
        use_parameters(experiment, parameters_in_force(experiment))
    engine.dt_check_steps = automatic_step.dt_check_steps(experiment)
    update_contact_time(experiment)
    if not is_compiled(engine.advance, run.world):
        experiment.session.before_compiling(experiment)
        compile_beside(engine.model, engine.law_parameters, scene.name, parameters.model_dump(), kind_of(run.world))
        engine.advance(copy_world(run.world), engine.law_parameters, engine.gravity, 0.0, 0, experiment.coefficients)
    if adapt:
        _adapt_world(experiment, previous)


def use_parameters(experiment: Experiment, parameters: Any) -> None:
    """Pass the values of these parameters to the law, to the weight of the grains, to fields and bonds."""
    _go_on(experiment, parameters)
    _use(experiment, effective(experiment.scene, parameters, turned_by(experiment), experiment.run.ways))


def _use(experiment: Experiment, now: Effective) -> None:
    engine = experiment.engine
    engine.law_parameters, engine.gravity, engine.field_coefficients, engine.bond_coefficients = now


def turned_by(experiment: Experiment) -> float:
    """Angle by which the scene has turned the table [rad]."""
    return float(experiment.scene.course.turned(experiment.run.state))


def turn_gravity(experiment: Experiment) -> None:
    """Update gravity after the scene has turned the table, and book the change of the potential energy as work."""
    scene, engine, turned = experiment.scene, experiment.engine, turned_by(experiment)
    before = engine.gravity
    engine.gravity = gravity_on_table(scene, parameters_in_force(experiment), turned)
    experiment.run.booked.work -= float(np.subtract(engine.gravity, before) @ moment_of_mass(experiment.run.world))
    if engine.requested is not None:
        engine.requested = engine.requested._replace(gravity=gravity_on_table(scene, experiment.parameters, turned))


def parameters_in_force(experiment: Experiment) -> Any:
    """The parameter values in effect: the requested ones, or during a ramp intermediate ones."""
    asked, ramp = experiment.parameters, experiment.run.ramp
    if ramp is None:
        return asked
    share = ramp.parts_done(experiment.step) / RAMP_PARTS
    declared = asked.declared()
    return asked.model_copy(
        update={
            name: _between(value, getattr(asked, name), share, declared[name].quantity.log)
            for name, value in ramp.values.items()
        }
    )


def _between(before: float, after: float, share: float, log: bool) -> float:
    if share >= 1.0 or before == after:
        return after
    if log and before > 0.0 and after > 0.0:
        return before * math.pow(after / before, share)
    return before + share * (after - before)


@contextmanager
def at_ramp_end(experiment: Experiment) -> Iterator[None]:
    """Inside the block the parameter values are those at the end of the present ramp."""
    engine = experiment.engine
    if experiment.run.ramp is None or engine.requested is None:  # they are in force
        yield
        return
    present = Effective(engine.law_parameters, engine.gravity, engine.field_coefficients, engine.bond_coefficients)
    _use(experiment, engine.requested)
    try:
        yield
    finally:
        _use(experiment, present)


def update_contact_time(experiment: Experiment) -> None:
    """Update the contact duration; during a ramp it is the longer of its values now and at the end of the ramp."""
    lasting = automatic_step.contact_time(experiment)
    if experiment.run.ramp is not None:
        with at_ramp_end(experiment):
            lasting = max(lasting, automatic_step.contact_time(experiment))
    experiment.engine.contact_time = lasting


def begin_ramp(experiment: Experiment, before: Any, asked: Any) -> None:
    """Begin a ramp from the values `before` to the requested ones, if a force would jump."""
    declared = asked.declared().values()
    names = [entry.name for entry in declared if entry.quantity.effect == "ramp"]
    # A parameter that only the new contact law has starts at its requested value.
    shared = shared_names(before, asked)
    values = {
        name: getattr(before, name)
        for name in names
        if name in shared and getattr(before, name) != getattr(asked, name)
    }
    moving = not experiment.run.world.fixed.all()
    experiment.run.ramp = Ramp(values, experiment.step, RAMP_PARTS) if values and moving else None


def request_parameters(experiment: Experiment, asked: Any, relaxing: bool = True) -> bool:
    """Set the requested parameters, at once or by a ramp from the present values, and book the work.

    With `relaxing`, a packing that would burst during a ramp is relaxed with the requested parameters; then True is
    returned.
    """
    before = parameters_in_force(experiment)
    with booked(experiment, "work"):
        stored = survey_contacts(experiment).elastic_energy
        begin_ramp(experiment, before, asked)
        activate(experiment, asked, experiment.run)
        with at_ramp_end(experiment):
            relaxed = relaxing and relax_where_stiffer(experiment, stored)
        if relaxed:
            if experiment.engine.requested is not None:
                _use(experiment, experiment.engine.requested)
            experiment.run.ramp = experiment.engine.requested = None
            restart_motion(experiment)
    return relaxed


def follow_parameters(experiment: Experiment, asked: Any) -> None:
    """Set requested parameters that differ little from the present ones at once, and book the work; a present ramp goes
    on to them."""
    with booked(experiment, "work"):
        activate(experiment, asked, experiment.run)


def fit_ramp(experiment: Experiment) -> None:
    """Set the length of the present ramp to one contact duration, at least one step for each of its parts."""
    run = experiment.run
    if run.ramp is not None:
        steps = math.ceil(experiment.engine.contact_time / run.dt)
        run.ramp = replace(run.ramp, steps=max(RAMP_PARTS, steps))


def advance_ramp(experiment: Experiment) -> bool:
    """Apply the next part of the ramp if it is due at this step, and book its work; True if the ramp has ended."""
    run = experiment.run
    if run.ramp is None or run.ramp.parts_done(run.step) == run.ramp.parts_done(run.step - 1):
        return False
    with booked(experiment, "work"):
        if run.ramp.parts_done(run.step) == RAMP_PARTS:
            run.ramp = experiment.engine.requested = None
        use_parameters(experiment, parameters_in_force(experiment))
    if run.ramp is None:
        update_contact_time(experiment)
    return run.ramp is None


def start_derivatives(experiment: Experiment, first_row: int = 0) -> None:
    """Set the higher derivatives of the spheres from `first_row` on, and of the bodies of these spheres, according to
    the selected start-up."""
    run, engine = experiment.run, experiment.engine
    if experiment.parameters.start_up == "rk4" and engine.model.integrator.levels > 3 and run.dt > 0.0:
        coefficients = experiment.coefficients_now
        higher = higher_derivatives(
            run.world, engine.model, engine.law_parameters, engine.gravity, run.dt, coefficients
        )
        run.world.motion[:, 2:, first_row:] = higher[0][:, :, first_row:]
        if run.world.bodies:
            bodies = run.world.bodies
            later = bodies.member[bodies.begin[:-1]] >= first_row
            bodies.motion[:, 2:, later] = higher[1][:, :, later]


def find_accelerations(experiment: Experiment) -> None:
    """Compute the accelerations of all spheres from the present forces; no time passes.

    A motion that begins with zero accelerations loses g dt/2 of its speed.
    """
    run, engine = experiment.run, experiment.engine
    if run.world.fixed.all():
        return
    now = experiment.coefficients_now
    while engine.advance(run.world, engine.law_parameters, engine.gravity, 0.0, 1, now)[1] == PAIRS_FULL:
        run.world = enlarge_pairs(run.world)


@contextmanager
def moved_at_once(experiment: Experiment) -> Iterator[None]:
    """Inside the block the places of grains without walls change at once, between two evaluations of forces.

    The next step begins with the accelerations there, and with the velocities of a scheme that stores them ahead. The
    ledger counts the heat P of dampers as P dt at each evaluation, half of it for the step before and half for the
    step after; the second half is now P' dt/2.
    """
    run = experiment.run
    before = [motion[:, 2].copy() for motion in motions(run.world)]
    find_accelerations(experiment)  # also for P, which a run that is continued has not kept
    heat = heat_of_pairs(run.world)
    yield
    find_accelerations(experiment)
    run.world.ledger[LEDGER_DAMPING, 0] += 0.5 * run.dt * (heat_of_pairs(run.world) - heat)
    lead = experiment.engine.model.integrator.velocity_lead * run.dt
    for motion, acceleration in zip(motions(run.world), before, strict=True):
        motion[:, 1] += lead * (motion[:, 2] - acceleration)


def restart_motion(experiment: Experiment) -> None:
    """Compute accelerations and higher derivatives after positions have changed."""
    for motion in motions(experiment.run.world):
        motion[:, 3:] = 0.0
    find_accelerations(experiment)
    start_derivatives(experiment)


def free_fall(experiment: Experiment) -> dict[str, Any]:
    """Velocity [m/s] and acceleration [m/s²] of spheres released from rest, as the integrator stores them."""
    gravity = np.asarray(experiment.engine.gravity)
    velocity_lead = experiment.engine.model.integrator.velocity_lead * experiment.dt
    return {"velocity": velocity_lead * gravity, "acceleration": gravity}


def _adapt_world(experiment: Experiment, previous: Model) -> None:
    """Convert the motion of the spheres to the levels that this integrator stores."""
    run, scheme = experiment.run, experiment.engine.model.integrator
    another = previous.integrator != experiment.engine.model.integrator
    if run.world.motion.shape[1] == scheme.levels and not another:
        return
    velocity_lead = scheme.velocity_lead - previous.integrator.velocity_lead
    run.world = with_levels(run.world, scheme.levels)
    for motion in motions(run.world):
        motion[:, 1] += velocity_lead * run.dt * motion[:, 2]
    start_derivatives(experiment)
