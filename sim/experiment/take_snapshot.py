"""Copy what the picture and the panels may see of an experiment."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from repose.sim.engine.contacts.wall_forces import FACET
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import PAIR_COUNT, Floats, World
from repose.sim.experiment.activation import survey_contacts
from repose.sim.experiment.automatic_step import dt_warning
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.results import bulk_of
from repose.sim.experiment.run import Run
from repose.sim.experiment.snapshot import Reading, Snapshot
from repose.sim.measure.bulk import bulk_readings
from repose.sim.measure.contact_sums import pushes, touching_pairs
from repose.sim.measure.coordination import coordination_number
from repose.sim.measure.energy import Energy
from repose.sim.measure.stress import grain_pressure

BULK_INTERVAL, BULK_SHARE = 0.25, 0.01
"""Wall time between two looks at the bulk for the readings [s], and the share of it that looking may take at most [-]:
nothing but what is shown depends on them."""

LONGEST_WAIT = 2.0
"""Wall time after which what is shown is looked at again, whatever it cost [s]: the first look may have compiled."""

FEW_PAIRS, CONTACT_SHARE = 5000, 0.01
"""Pairs up to which all contacts are looked at for every snapshot, and the share of wall time such looks may take at
most in larger worlds [-]; one costs as much as three to five steps."""


@dataclass(frozen=True)
class Look:
    """The bulk of a run when it was last looked at for the readings."""

    run: Run
    next_at: float
    """Wall time from which on it is looked at again [s]."""
    readings: tuple[Reading, ...]


@dataclass(frozen=True)
class Contacts:
    """All contacts of a run when they were last looked at for what is shown."""

    run: Run
    parameters: object
    next_at: float
    """Wall time from which on they are looked at again [s]."""
    survey: Survey
    energy: Energy


def shown_contacts(experiment: Experiment) -> tuple[Survey, Energy]:
    """A look at all contacts; in a large world the last one, until looking takes no more than `CONTACT_SHARE`."""
    last, now = experiment.session.shown.get("contacts"), time.perf_counter()
    small = experiment.run.world.counters[PAIR_COUNT] <= FEW_PAIRS
    of_now = last is not None and last.run is experiment.run and last.parameters is experiment.parameters
    if last is None or small or not of_now or now >= last.next_at:
        survey = survey_contacts(experiment)
        ledger = energy_of(experiment, survey)
        cost = time.perf_counter() - now
        last = experiment.session.shown["contacts"] = Contacts(
            experiment.run, experiment.parameters, now + cost + min(cost / CONTACT_SHARE, LONGEST_WAIT), survey, ledger
        )
    return last.survey, last.energy


def shown_bulk(experiment: Experiment) -> tuple[Reading, ...]:
    """Readings of the bulk, measured anew at most every `BULK_INTERVAL` and for `BULK_SHARE` of the time."""
    look, now = experiment.session.shown.get("bulk"), time.perf_counter()
    if look is None or look.run is not experiment.run or now >= look.next_at:
        readings = bulk_readings(bulk_of(experiment), coordination_number(experiment.run.world))
        cost = time.perf_counter() - now
        look = experiment.session.shown["bulk"] = Look(
            experiment.run, now + cost + min(max(BULK_INTERVAL, cost / BULK_SHARE), LONGEST_WAIT), readings
        )
    return look.readings


def wall_facets(world: World) -> Floats:
    """The facets among the walls, where they are now [m], shape (facets, dimension, dimension)."""
    dimension = world.search.reference.shape[0]
    rows = world.walls.shape == FACET
    return world.walls.corner[rows, :dimension] + world.walls.moved[rows, None, :]


def take_snapshot(experiment: Experiment, snapshot: Snapshot, contacts: bool = True) -> None:
    """Copy what the outside may see of a world into float32 columns; the ends of contacts only if they are asked for.

    Physics stands still meanwhile: everything here is a copy or one passage through the lists.
    """
    world, run = experiment.run.world, experiment.run
    dimension = experiment.scene.dimension
    pushed = pushes(world)
    survey, ledger = shown_contacts(experiment)
    moving = ~world.fixed
    position = world.motion[:dimension, 0].T.astype(np.float32)

    snapshot.scene, snapshot.seed = experiment.scene.name, experiment.seed
    snapshot.step, snapshot.time, snapshot.dt = experiment.step, experiment.time, experiment.dt
    snapshot.parameters = experiment.parameters
    snapshot.position = position
    snapshot.radius = world.radius.astype(np.float32)
    snapshot.fixed = world.fixed
    snapshot.sphere_id = world.sphere_id.copy()
    speed = np.sqrt(np.sum(world.motion[:dimension, 1] ** 2, axis=0))
    snapshot.columns = {
        "speed": speed.astype(np.float32),
        "force": pushed.force.astype(np.float32),
        "pressure": grain_pressure(world.radius, pushed.force, dimension).astype(np.float32),
        "coordination": pushed.contacts.astype(np.float32),
        "size": snapshot.radius,
        "layer": world.layer.astype(np.float32),
    }
    snapshot.orientation = world.orientation[: {0: 0, 1: 1, 3: 4}[experiment.engine.model.spin_length]].T.astype(
        np.float32
    )
    ghosts, facets = experiment.scene.ghosts(experiment), experiment.scene.facets(experiment)
    if ghosts is None:
        ghosts = np.empty((0, dimension + 1))
    snapshot.ghosts = ghosts.astype(np.float32)
    snapshot.facets = (wall_facets(world) if facets is None else facets).astype(np.float32)
    snapshot.readings = experiment.scene.readings(experiment)
    snapshot.bulk_readings = shown_bulk(experiment)
    snapshot.curves = experiment.scene.curves(experiment)
    none = np.empty((0, 2 * dimension), np.float32), np.empty(0, np.float32)
    snapshot.contact_ends, snapshot.contact_force = touching_pairs(world, position) if contacts else none
    snapshot.box = experiment.scene.box(experiment)

    snapshot.phase, snapshot.phase_label, snapshot.progress = experiment.scene.describe(experiment)
    if (journey := experiment.history.seek) is not None:
        snapshot.phase_label = f"going to step {journey.at}, now at {experiment.history.at}"
        snapshot.progress = (experiment.history.at - journey.origin) / (journey.at - journey.origin)
    snapshot.actions = experiment.scene.actions(experiment)
    snapshot.measurement = run.measurement
    snapshot.measured = len(experiment.session.measured.get(experiment.scene.name, ()))
    snapshot.comparison = experiment.session.comparison
    snapshot.kinetic_energy = ledger.kinetic
    snapshot.mean_speed = float(speed[moving].mean()) if moving.any() else 0.0
    snapshot.coordination = float(pushed.contacts[moving].mean()) if moving.any() else 0.0
    snapshot.moving_count = int(moving.sum())
    snapshot.largest_overlap = survey.largest_overlap
    snapshot.omega_dt = survey.omega * experiment.dt
    snapshot.omega_dt_limit = survey.omega * survey.stable_dt if survey.contacts else 1.0
    snapshot.dt_warning = dt_warning(experiment, survey)
    snapshot.contact_time = experiment.engine.contact_time
    snapshot.energy = ledger.as_dict()
    snapshot.series = run.series.columns()
    snapshot.at, snapshot.log_end = experiment.history.at, experiment.history.log.end
    snapshot.cuts = experiment.history.cuts
    snapshot.moments = experiment.history.checkpoints.shown
    snapshot.moments_bytes = experiment.history.checkpoints.bytes
    snapshot.moments_budget = experiment.history.checkpoints.budget
    snapshot.message, snapshot.message_repeats = experiment.message, experiment.message_repeats
    snapshot.notice = experiment.scene.notice(experiment)
    snapshot.fault = experiment.fault
