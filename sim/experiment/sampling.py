"""Samples of the series behind the plots, taken while a run goes on."""

from __future__ import annotations

import math

import numpy as np
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.results import bulk_of
from repose.sim.experiment.series import BULK_SERIES, ENERGY_SERIES
from repose.sim.measure.coordination import coordination_number

SAMPLE_INTERVAL = 0.01
"""Simulated time between two samples of the series [s]."""

BULK_STEPS = 1000
"""Steps between two looks at the bulk for the series: one look costs as much as 20 steps or less."""


def sample(experiment: Experiment) -> None:
    """Append a row to the series once `SAMPLE_INTERVAL` has passed."""
    series = experiment.run.series
    if series.count and experiment.time < series.last("time") + SAMPLE_INTERVAL:
        return
    now = energy_of(experiment)
    ledger = now.as_dict()
    if not experiment.engine.model.rotation:
        ledger["rotational"] = math.nan
    reading = experiment.scene.measure(experiment) if experiment.phase in ("flowing", "rested") else None
    series.append(
        (
            experiment.time,
            now.kinetic,
            mean_speed(experiment.run.world),
            coordination_number(experiment.run.world).mean,
            reading.angle if reading else math.nan,
            *sampled_bulk(experiment),
            *(ledger[name] for name in ENERGY_SERIES),
        )
    )


def sampled_bulk(experiment: Experiment) -> tuple[float, float]:
    """Packing fraction and pressure for the series: measured if `BULK_STEPS` have passed, else the last ones."""
    run = experiment.run
    if run.series.count and experiment.step < run.bulk_step + BULK_STEPS:
        fraction, pressure = (run.series.last(name) for name in BULK_SERIES)
        return fraction, pressure
    run.bulk_step = experiment.step
    found = bulk_of(experiment)
    return (found.packing_fraction, found.stress.pressure) if found else (math.nan, math.nan)


def mean_speed(world: World) -> float:
    """Mean speed of the spheres that can move [m/s]."""
    moving = ~world.fixed
    dimension = world.search.reference.shape[0]
    speed = np.sqrt(np.sum(world.motion[:dimension, 1, moving] ** 2, axis=0))
    return float(speed.mean()) if speed.size else 0.0
