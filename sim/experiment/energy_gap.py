"""The notice that the energy ledger has a gap, with its likely cause and a remedy.

The gap is the error of the time step. It is compared with the energy that the run has converted: heat, motion, and the
energy in contacts and bonds, or the work done on the grains if that is more. The potential energy is not part of it,
because its origin is arbitrary; what a drum that turns has lifted is part of its work.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from repose.sim.engine.model import Integrator
from repose.sim.engine.timestep.stable_step import energy_change
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.snapshot import Notice
from repose.sim.measure.energy import Energy
from repose.sim.message import Message, _

LEVELS = 0.5, 0.2, 0.1, 0.05, 0.02
"""Shares of the converted energy that the notice names [-]; below the last one there is no notice. The text of a notice
that is closed must not change with every sample."""

FEWEST_STEPS = 200
"""Steps before which there is no notice: at the beginning of a run little energy has been converted, and the first
steps of a scheme that starts from rest leave several per cent of it."""

ROUNDING = 1e-9
"""Gap, relative to the largest entry of the ledger, below which it is due to rounding [-]."""


def gap_share(energy: Energy, fastest: float = 0.0) -> float:
    """The gap as a share of the converted energy [-]; 0 for a gap within the rounding of the ledger.

    `fastest` [J] is the largest recorded kinetic energy: a sphere that bounces without loss has none at its highest
    point.
    """
    entries = [abs(value) for value in energy.as_dict().values()]
    converted = energy.dissipated + max(energy.kinetic + energy.elastic + energy.shear + energy.bonds, fastest)
    converted = max(converted, abs(energy.work))
    if not abs(energy.gap) > ROUNDING * max(entries) or not converted > 0.0:  # also for an unknown energy, nan
        return 0.0
    return abs(energy.gap) / converted


@lru_cache
def changes_energy(integrator: Integrator) -> bool:
    """Whether the scheme changes the energy of an elastic contact that lasts, beyond rounding."""
    return abs(energy_change(integrator, 0.1)) > 1e-12


def gap_notice(experiment: Experiment, energy: Energy) -> Notice | None:
    """The notice of a gap above the last of `LEVELS`; None if the ledger is closed."""
    recorded = experiment.run.series.columns()["kinetic_energy"]
    share = gap_share(energy, float(np.fmax.reduce(recorded, initial=0.0)))
    if experiment.fault is not None or experiment.step < FEWEST_STEPS or share <= LEVELS[-1]:
        return None
    level = next(level for level in LEVELS if share > level)
    percent, times = round(100.0 * level), math.ceil(2.0 * level / LEVELS[-1])
    words: dict[str, Any] = {"percent": percent, "times": times}
    if changes_energy(experiment.engine.model.integrator):
        text = Message(
            "The balance is off by more than {percent} % of the converted energy. The time step is too long for "
            "damping and friction of these contacts, or for this integrator, which changes the energy of contacts that "
            "last: begin again with a time step {times} times smaller, or with leapfrog.",
            **words,
        )
    else:
        text = Message(
            "The balance is off by more than {percent} % of the converted energy. The time step is too long for "
            "damping and friction of these contacts: begin again with a time step {times} times smaller.",
            **words,
        )
    return Notice(_("The energy does not balance"), text)


def gap_sentence(experiment: Experiment, energy: Energy) -> str:
    """The notice as one text; empty if the ledger is closed."""
    notice = gap_notice(experiment, energy)
    return f"{notice.heading}. {notice.text}" if notice is not None else ""
