"""The formulas a run goes by: the model its parameters ask for, composed and compiled, and the world adapted to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repose.sim.engine.builder import with_levels
from repose.sim.engine.contacts.force_table import contact_table
from repose.sim.engine.step import Model, compose
from repose.sim.engine.threads import is_compiled
from repose.sim.engine.timestep.survey import compose_survey
from repose.sim.engine.world import copy_world
from repose.sim.experiment import automatic_step, ramp
from repose.sim.laws import laws

if TYPE_CHECKING:
    from repose.sim.experiment.simulation import Simulation


def take_on(simulation: Simulation, adapt: bool = True) -> None:
    """Take on the formulas and numbers of the parameters; `adapt` the world to another integrator."""
    previous: Model | None = getattr(simulation, "model", None)
    simulation.model = model = asked_for(simulation)
    ramp.hand_over(simulation, ramp.in_force(simulation))
    simulation.look_steps = automatic_step.look_steps(simulation)
    simulation.contact_time = ramp.contact_time(simulation)
    simulation.loop = compose(model)
    simulation.survey_of = compose_survey(model)
    simulation.contact_table = contact_table(model)
    if not is_compiled(simulation.loop):
        simulation.before_compiling()
        simulation.loop(copy_world(simulation.run.world), simulation.numbers, simulation.gravity, 0.0, 0)
        simulation.contact_table(simulation.run.world, simulation.numbers)  # now, or it would stall the run later
    if adapt:
        _adapt_world(simulation, previous)


def asked_for(simulation: Simulation) -> Model:
    """The model that scene and parameters ask for."""
    scene, parameters = simulation.scene, simulation.parameters
    law = laws()[scene.law]
    rotation = scene.rotates(simulation.run.built)
    return Model(law, law.rules(parameters), parameters.integrator, scene.dimension, rotation)


def _adapt_world(simulation: Simulation, previous: Model | None) -> None:
    """Give the spheres what the scheme remembers, where another one or none has moved them so far."""
    run, scheme = simulation.run, simulation.scheme
    another = previous is not None and previous.integrator != simulation.model.integrator
    if run.world.motion.shape[1] == scheme.levels and not another:
        return
    lead = scheme.velocity_lead - (previous.scheme.velocity_lead if previous else 0.0)
    run.world = with_levels(run.world, scheme.levels)
    run.world.motion[:, 1] += lead * run.dt * run.world.motion[:, 2]
    simulation.start_up()
