"""Notice for scripts: a time step that is far too large or absurdly small, in one sentence."""

from __future__ import annotations

import math

from repose.sim.engine.timestep.stable_step import AUTO_SHARE, automatic_dt
from repose.sim.experiment import automatic_step
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.message import time_text

MANY_STEPS = 1000.0
"""Steps per contact duration above which an automatic step is absurdly small [-]; the scenes have 10 to 110."""


def step_notice(experiment: Experiment) -> str:
    """What is wrong with the time step in use; empty if it suits the contacts, or without anything to touch."""
    world = experiment.run.world
    if experiment.fault is not None or experiment.dt <= 0.0:
        return ""
    if world.sphere_count < 2 and not world.walls.shape.size:
        return ""
    if math.isinf(experiment.scene.limits.overlap_limit):  # a dump that is played: forces do not move its spheres
        return ""
    return _too_small(experiment) if experiment.parameters.dt == "auto" else _too_large(experiment)


def _too_large(experiment: Experiment) -> str:
    """A fixed step with which every contact is unstable."""
    stable = min(survey_contacts(experiment).stable_dt, automatic_step.reference_dt(experiment))
    if experiment.dt <= stable:
        return ""
    scheme = experiment.engine.model.integrator.title
    return (
        f"dt = {experiment.dt:g} s is {experiment.dt / stable:.3g} times the {stable:.3g} s up to which {scheme} is "
        "stable for a contact of these grains: the run stops at a fault soon after grains touch. Give a smaller dt, or "
        "'auto'."
    )


def _too_small(experiment: Experiment) -> str:
    """An automatic step that is far below what contacts of these grains need."""
    lasting, dt = experiment.engine.contact_time, experiment.dt
    if lasting <= MANY_STEPS * dt:
        return ""
    return (
        f"The automatic time step is {time_text(dt)}, {lasting / dt:.2g} times shorter than the {time_text(lasting)} "
        f"that a contact lasts: 1 ms takes {1e-3 / dt:.2g} steps. {_limit(experiment)}"
    )


def _limit(experiment: Experiment) -> str:
    """What limits the automatic step, and what to change."""
    survey, touch = survey_contacts(experiment), automatic_step.touch(experiment)
    alone = automatic_step.reference_dt(experiment) / automatic_step.cluster_factor(experiment.run.world)
    alone = min(alone, touch.dt / AUTO_SHARE)
    foreseen = automatic_step.foreseen_dt(experiment, survey)
    if foreseen < min(alone, survey.stable_dt):
        ahead = automatic_step.STEPS_AHEAD * automatic_dt(foreseen)
        coming = automatic_step.approach(experiment, ahead, automatic_step.acceleration_of_grains(experiment))
        return f"The fastest grain or wall, with {coming.speed.max():.3g} m/s, limits it: check velocities and walls."
    if alone <= survey.stable_dt:
        return _overdamped(experiment, touch) or (
            "A contact of the smallest grain limits it: check the stiffness and damping of the contact law, and masses."
        )
    if experiment.run.world.bonds:
        return "Bonds or contacts at present limit it: check the stiffness and damping (lag) of the bonds."
    return "The stiffest contact at present limits it: check overlaps, stiffness and damping of the contact law."


def _overdamped(experiment: Experiment, touch: automatic_step.Touch) -> str:
    """The coefficient with which a contact of the smallest grain is overdamped; empty if it is not."""
    if touch.damping <= 2.0 * touch.omega:
        return ""
    of_mass = f"For the smallest grain, with an effective mass of {touch.mass:.2g} kg,"
    for name, parameter in experiment.parameters.declared().items():
        if parameter.quantity.damps_normal:
            value = float(getattr(experiment.parameters, name))
            now = f"{of_mass} {name} = {parameter.shown(value, digits=3)}"
            if touch.omega == 0.0:
                return f"{now} limits it: give less, or heavier grains."
            critical = 2.0 * touch.omega / touch.damping
            return (
                f"{now} is {1.0 / critical:.3g} times the critical damping and limits it: give at most "
                f"{parameter.shown(critical * value, digits=2)}, or heavier grains."
            )
    return f"{of_mass} the damping of a contact limits it: give less damping, or heavier grains."
