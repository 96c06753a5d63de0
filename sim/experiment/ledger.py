"""Survey of all contacts, energy ledger, and booking of energy changes that are not due to the motion."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.energy import Energy, energy_ledger


def survey_contacts(experiment: Experiment, world: World | None = None) -> Survey:
    """Energies, largest overlap and stable time step of all contacts, now or in another state of the world."""
    engine = experiment.engine
    return engine.survey(world or experiment.run.world, engine.law_parameters, experiment.numbers_now)


def energy_of(experiment: Experiment, survey: Survey | None = None) -> Energy:
    """The present energy ledger; `survey` is a survey of the present contacts, if one has just been made."""
    run, engine = experiment.run, experiment.engine
    lead = engine.model.integrator.velocity_lead * run.dt
    return energy_ledger(run.world, survey or survey_contacts(experiment), engine.gravity, run.booked, lead)


@contextmanager
def booked(experiment: Experiment, entry: Literal["poured", "removed", "work"]) -> Iterator[None]:
    """Book the change of mechanical energy inside the block as `entry` of the ledger."""
    before = energy_of(experiment)
    yield
    after = energy_of(experiment)
    sign = -1.0 if entry == "removed" else 1.0
    book = experiment.run.booked
    setattr(book, entry, getattr(book, entry) + sign * (after.mechanical - before.mechanical))
    book.shear += after.shear - before.shear


def book_initial_energy(experiment: Experiment) -> None:
    """Book the energy of a new world as poured; the ledger is then balanced from the first step on."""
    now = energy_of(experiment)
    experiment.run.booked.poured, experiment.run.booked.shear = now.mechanical, now.shear
