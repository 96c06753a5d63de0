"""Samples of the measurements for the series, the readings and result.json."""

from __future__ import annotations

import math
from typing import Any

from repose.sim import registry
from repose.sim.experiment import instrument_values
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import holds
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.measure.measurement import System

SAMPLE_INTERVAL = 0.01
"""Time between two samples of the series, in units of the time scale of the scene [s]."""

COSTLY_STEPS = 2000
"""Steps between two samples of a costly measurement for the series: one sample costs as much as 60 steps or less."""


def system_of(experiment: Experiment) -> System:
    """The present data of an experiment that measurements can read."""
    run, engine, scene = experiment.run, experiment.engine, experiment.scene
    return System(
        world=run.world,
        grains=experiment.grains,
        dimension=scene.model.dimension,
        rotates=bool(engine.model.rotation),
        gravity=engine.gravity,
        velocity_shift=engine.model.integrator.velocity_lead * run.dt,
        booked=run.booked,
        find_survey=lambda: survey_contacts(experiment),
        find_contacts=lambda: engine.contact_table(run.world, engine.law_parameters),
        find_reading=lambda: reading_of(experiment),
    )


def reading_of(experiment: Experiment) -> Any:
    """The present measurement of the scene; None if there is nothing to measure, and while a pull or push holds grains,
    which are then no part of a heap."""
    return None if holds(experiment.run) else experiment.scene.course.measure(experiment)


def sample(experiment: Experiment) -> None:
    """Append a row to the series once `SAMPLE_INTERVAL` has passed on the time scale of the scene."""
    run = experiment.run
    interval = SAMPLE_INTERVAL * experiment.scene.limits.time_scale(run.built)
    if not run.series.count or experiment.time >= run.series.last("time") + interval:
        append_sample(experiment)


def append_sample(experiment: Experiment) -> None:
    """Append a row to the series; a costly measurement is sampled if its last sample is old enough."""
    run = experiment.run
    series = run.series
    due = not series.count or experiment.step >= run.bulk_step + COSTLY_STEPS
    if due:
        run.bulk_step = experiment.step
    system, measurements = system_of(experiment), registry.measurements()
    of_instruments = instrument_values.sampled_values(experiment, system, due)
    row = [experiment.time]
    for name in series.names[1:]:
        measurement = measurements.get(name)
        if measurement is None:
            row.append(of_instruments.get(name, math.nan))
        else:
            row.append(series.last(name) if measurement.costly and not due else measurement.sample(system))
    series.append(row)


def samples_now(system: System) -> dict[str, Any]:
    """Present value of every measurement by name, in SI units and of types that JSON has; None if there is no value."""
    values = {name: float(entry.sample(system)) for name, entry in registry.measurements().items()}
    return {name: value if math.isfinite(value) else None for name, value in values.items()}
