"""Survey of all contacts, energy ledger, and booking of energy changes that are not due to the motion."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.builder import keep_spheres
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.energy import Energy, energy_ledger, energy_of_spheres


def survey_contacts(experiment: Experiment, world: World | None = None) -> Survey:
    """Energies, largest overlap and stable time step of all contacts, now or in another state of the world."""
    engine = experiment.engine
    return engine.survey(world or experiment.run.world, engine.law_parameters, experiment.coefficients_now)


def energy_of(experiment: Experiment, survey: Survey | None = None) -> Energy:
    """The present energy ledger; `survey` is a survey of the present contacts, if one has just been made."""
    run, engine = experiment.run, experiment.engine
    velocity_lead = engine.model.integrator.velocity_lead * run.dt
    return energy_ledger(run.world, survey or survey_contacts(experiment), engine.gravity, run.booked, velocity_lead)


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


@contextmanager
def booked_walls(experiment: Experiment) -> Iterator[None]:
    """Book the change of the energy of the contacts with walls inside the block as work: all that a displacement of
    walls changes, at an eighth of the cost of `booked`."""
    before = _energy_at_walls(experiment)
    yield
    repulsion, shear = (now - then for now, then in zip(_energy_at_walls(experiment), before, strict=True))
    experiment.run.booked.work += repulsion + shear
    experiment.run.booked.shear += shear


def _energy_at_walls(experiment: Experiment) -> tuple[float, float]:
    """Energy of the repulsion of the contacts with walls, and of their friction springs at the last evaluation of
    forces [J]."""
    engine = experiment.engine
    rows = engine.contact_table(experiment.run.world, engine.law_parameters, walls_only=True).elasticity
    return float(rows[0].sum()), float(rows[1].sum() - rows[6].sum())


def remove_spheres(experiment: Experiment, gone: NDArray[np.bool_]) -> None:
    """Remove spheres, `gone` of shape (count,), with their energy.

    Loose spheres that touch nothing take only kinetic and potential energy along, so that no contact has to be
    surveyed: a flowing heap loses a grain at nearly every check, and two surveys take as long as the steps between.
    """
    run, model = experiment.run, experiment.engine.model
    world = run.world
    if model.fields or model.law.acts_at_distance or world.bonds or world.bodies or _touches(world, gone):
        with booked(experiment, "removed"):
            run.world = keep_spheres(world, ~gone)
        return
    velocity_lead = model.integrator.velocity_lead * run.dt
    run.booked.removed += sum(energy_of_spheres(world, gone, experiment.engine.gravity, velocity_lead))
    run.world = keep_spheres(world, ~gone)


def _touches(world: World, chosen: NDArray[np.bool_]) -> bool:
    """Whether one of the chosen spheres, shape (count,), touched a sphere or a wall at the last evaluation."""
    pairs, contacts = world.pairs, world.wall_contacts
    touching = pairs.touching[: world.counters[PAIR_COUNT]] > 0
    at_wall = contacts.touching[: world.counters[WALL_CONTACT_COUNT]] > 0
    i, j = pairs.i[: touching.size][touching], pairs.j[: touching.size][touching]
    return bool(chosen[i].any() or chosen[j].any() or chosen[contacts.sphere[: at_wall.size][at_wall]].any())


def book_initial_energy(experiment: Experiment) -> None:
    """Book the energy of a new world as poured; the ledger is then balanced from the first step on."""
    now = energy_of(experiment)
    experiment.run.booked.poured, experiment.run.booked.shear = now.mechanical, now.shear
