"""Make a run and its parameters the present: compile their model, and give the law its numbers, at once or by a ramp.

Stiffness, damping and gravity follow a change over one contact time, since a jump of a force is an impulse. During this
ramp the law reads numbers between those before the change and the requested ones. They change at steps that are known
when the ramp begins, each time by an equal amount (a quantity on a logarithmic scale: by an equal factor), and each
time the energy that the change puts into the contacts is booked. Parameters that limit a force, such as friction, and
those that are no number, such as a choice of formula, change at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from repose.sim.engine.builder import enlarge_pairs, with_levels, with_parts
from repose.sim.engine.contacts.force_table import contact_table
from repose.sim.engine.model import Model
from repose.sim.engine.neighbours.verlet_list import PAIRS_FULL
from repose.sim.engine.step import compose
from repose.sim.engine.threads import is_compiled
from repose.sim.engine.timestep.survey import compose_survey
from repose.sim.engine.world import copy_world, motions
from repose.sim.experiment import automatic_step
from repose.sim.experiment.experiment import Engine, Experiment, Scene
from repose.sim.experiment.ledger import booked, survey_contacts
from repose.sim.experiment.relaxation import relax_where_stiffer
from repose.sim.experiment.run import RAMP_PARTS, Ramp, Run
from repose.sim.integrators.start_up import higher_derivatives
from repose.sim.parameters import shared_names
from repose.sim.registry import bonds, fields, integrators, laws


def model_for(scene: Scene, parameters: Any, built: Any) -> Model:
    """The model that a scene and its parameters ask for; `built` are the parameters the world was built with."""
    law = laws()[scene.law_of(parameters)].bind(parameters)
    bound = tuple(fields()[name].bind(parameters) for name in scene.fields(parameters))
    name = scene.bond(parameters)
    bond = bonds()[name].bind(parameters) if name else None
    scheme, bodies = integrators()[parameters.integrator], scene.bodies(built)
    return Model(law, scheme, scene.dimension, scene.rotates(built), bound, bond, bodies)


def engine_for(scene: Scene, parameters: Any, built: Any) -> Engine:
    """The compiled functions of a model and the numbers they read; compiling itself waits for the first call."""
    model = model_for(scene, parameters, built)
    return Engine(
        model,
        compose(model),
        compose_survey(model),
        contact_table(model),
        laws()[scene.law_of(parameters)].numbers(parameters),
        parameters.gravity_vector(scene.dimension),
        field_numbers(scene, parameters),
        bond_numbers(scene, parameters),
    )


def field_numbers(scene: Scene, parameters: Any) -> tuple:
    """The numbers that the scene's fields read."""
    return tuple(fields()[name].numbers(parameters, scene.dimension) for name in scene.fields(parameters))


def bond_numbers(scene: Scene, parameters: Any) -> tuple:
    """The numbers that the scene's bond law reads; empty without one."""
    name = scene.bond(parameters)
    return bonds()[name].numbers(parameters) if name else ()


def activate(experiment: Experiment, parameters: Any, run: Run, adapt: bool = True) -> None:
    """Make a run with these parameters the present; `adapt` the world to another integrator."""
    previous = experiment.engine.model
    scene = experiment.scene
    experiment.parameters, experiment.run = parameters, run
    experiment.engine = engine = engine_for(scene, parameters, run.built)
    run.world = with_parts(run.world, engine.model)
    use_parameters(experiment, parameters_in_force(experiment))
    engine.dt_check_steps = automatic_step.dt_check_steps(experiment)
    update_contact_time(experiment)
    if not is_compiled(engine.advance):
        experiment.session.before_compiling(experiment)
        engine.advance(copy_world(run.world), engine.law_parameters, engine.gravity, 0.0, 0, experiment.numbers)
        engine.contact_table(run.world, engine.law_parameters)  # now, or it would stall the run later
    if adapt:
        _adapt_world(experiment, previous)


def use_parameters(experiment: Experiment, parameters: Any) -> None:
    """Let law and weight read the numbers of these parameters."""
    experiment.engine.law_parameters = laws()[experiment.scene.law_of(parameters)].numbers(parameters)
    experiment.engine.gravity = parameters.gravity_vector(experiment.scene.dimension)
    experiment.engine.field_numbers = field_numbers(experiment.scene, parameters)
    experiment.engine.bond_numbers = bond_numbers(experiment.scene, parameters)


def parameters_in_force(experiment: Experiment) -> Any:
    """The parameters that law and weight read now: the requested ones, or values on the way to them."""
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
    """The numbers as they are when the ramp under way is over, inside the block."""
    use_parameters(experiment, experiment.parameters)
    try:
        yield
    finally:
        use_parameters(experiment, parameters_in_force(experiment))


def update_contact_time(experiment: Experiment) -> None:
    """Note how long a typical contact lasts now, or at the end of the ramp under way if that is longer."""
    lasting = automatic_step.contact_time(experiment)
    if experiment.run.ramp is not None:
        with at_ramp_end(experiment):
            lasting = max(lasting, automatic_step.contact_time(experiment))
    experiment.engine.contact_time = lasting


def begin_ramp(experiment: Experiment, before: Any, asked: Any) -> None:
    """Begin a ramp from the parameters in force `before` to the requested ones, where a force would jump."""
    declared = asked.declared().values()
    names = [entry.name for entry in declared if entry.quantity.effect == "ramp"]
    # A parameter that only the new contact law has begins with its value.
    shared = shared_names(before, asked)
    values = {
        name: getattr(before, name)
        for name in names
        if name in shared and getattr(before, name) != getattr(asked, name)
    }
    moving = not experiment.run.world.fixed.all()
    experiment.run.ramp = Ramp(values, experiment.step, RAMP_PARTS) if values and moving else None


def request_parameters(experiment: Experiment, asked: Any, relaxing: bool = True) -> bool:
    """Go over to the requested parameters, at once or by a ramp from those in force, and book the work.

    With `relaxing`, a packing that a ramp would burst takes them at once and is relaxed: then True is returned.
    """
    before = parameters_in_force(experiment)
    with booked(experiment, "work"):
        stored = survey_contacts(experiment).elastic_energy
        begin_ramp(experiment, before, asked)
        activate(experiment, asked, experiment.run)
        with at_ramp_end(experiment):
            relaxed = relaxing and relax_where_stiffer(experiment, stored)
        if relaxed:
            experiment.run.ramp = None
            use_parameters(experiment, asked)
            restart_motion(experiment)
    return relaxed


def fit_ramp(experiment: Experiment) -> None:
    """Let the ramp under way last one contact time in steps of the present size, at least a step for every part."""
    run = experiment.run
    if run.ramp is not None:
        steps = math.ceil(experiment.engine.contact_time / run.dt)
        run.ramp = replace(run.ramp, steps=max(RAMP_PARTS, steps))


def advance_ramp(experiment: Experiment) -> bool:
    """Let the next part act if it is due at this step, and book its work; True where the ramp has ended with it."""
    run = experiment.run
    if run.ramp is None or run.ramp.parts_done(run.step) == run.ramp.parts_done(run.step - 1):
        return False
    with booked(experiment, "work"):
        if run.ramp.parts_done(run.step) == RAMP_PARTS:
            run.ramp = None
        use_parameters(experiment, parameters_in_force(experiment))
    if run.ramp is None:
        update_contact_time(experiment)
    return run.ramp is None


def start_derivatives(experiment: Experiment, first_row: int = 0) -> None:
    """Give the spheres from `first_row` on the higher derivatives that the chosen start-up asks for."""
    run, engine = experiment.run, experiment.engine
    if run.world.bodies:
        return  # the samples of a body would need its orientation as well
    if experiment.parameters.start_up == "rk4" and engine.model.integrator.levels > 3 and run.dt > 0.0:
        numbers = experiment.numbers_now
        higher = higher_derivatives(run.world, engine.model, engine.law_parameters, engine.gravity, run.dt, numbers)
        run.world.motion[:, 2:, first_row:] = higher[:, :, first_row:]


def find_accelerations(experiment: Experiment) -> None:
    """Give all spheres the accelerations of the present forces; no time passes.

    A motion that begins with none loses g dt/2 of its speed.
    """
    run, engine = experiment.run, experiment.engine
    if run.world.fixed.all():
        return
    now = experiment.numbers_now
    while engine.advance(run.world, engine.law_parameters, engine.gravity, 0.0, 1, now)[1] == PAIRS_FULL:
        run.world = enlarge_pairs(run.world)


def restart_motion(experiment: Experiment) -> None:
    """Give the spheres the accelerations of positions that have changed, and new higher derivatives."""
    for motion in motions(experiment.run.world):
        motion[:, 3:] = 0.0
    find_accelerations(experiment)
    start_derivatives(experiment)


def free_fall(experiment: Experiment) -> dict[str, Any]:
    """Velocity [m/s] and acceleration [m/s²] of spheres released from rest, as the integrator stores them."""
    gravity = np.asarray(experiment.engine.gravity)
    lead = experiment.engine.model.integrator.velocity_lead * experiment.dt
    return {"velocity": lead * gravity, "acceleration": gravity}


def _adapt_world(experiment: Experiment, previous: Model) -> None:
    """Give the spheres the columns of the integrator, where another one or none has moved them so far."""
    run, scheme = experiment.run, experiment.engine.model.integrator
    another = previous.integrator != experiment.engine.model.integrator
    if run.world.motion.shape[1] == scheme.levels and not another:
        return
    lead = scheme.velocity_lead - previous.integrator.velocity_lead
    run.world = with_levels(run.world, scheme.levels)
    for motion in motions(run.world):
        motion[:, 1] += lead * run.dt * motion[:, 2]
    start_derivatives(experiment)
