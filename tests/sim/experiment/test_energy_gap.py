"""The gap of the energy ledger is compared with the energy that the run has converted."""

from __future__ import annotations

from dataclasses import fields

import pytest
from repose.sim.experiment.energy_gap import gap_share
from repose.sim.measure.energy import Energy

NONE = {entry.name: 0.0 for entry in fields(Energy)}


def ledger(**entries: float) -> Energy:
    return Energy(**(NONE | entries))


def test_a_gap_is_compared_with_heat_and_motion() -> None:
    # A weight of 3 J has become 3 J of heat and 1 J of motion: 1 J has come from nowhere.
    assert gap_share(ledger(potential=-3.0, sliding=3.0, translational=1.0)) == pytest.approx(0.25)


def test_grains_that_a_drum_lifts_without_heat_are_no_reason_for_a_notice() -> None:
    lifted = ledger(potential=1.003, sliding=0.02, work=1.02)
    assert abs(lifted.gap) > 0.1 * lifted.dissipated
    assert gap_share(lifted) < 0.005
    # The control: the same gap without work.
    assert gap_share(ledger(potential=-0.017, sliding=0.02)) > 0.1
