"""Group X, a fixed step slightly above the stable one: excess that checks every ten steps miss does no harm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.engine.timestep.stable_step import amplification, stability_limit
from repose.sim.experiment.automatic_step import CLOSE_STEPS
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.ledger import energy_of, survey_contacts
from repose.sim.experiment.stepping import advance
from repose.sim.registry import integrators

GRAINS = 40


@pytest.mark.parametrize("integrator", integrators())
def test_x06_a_step_a_third_too_large_multiplies_the_energy_by_ten_within_one_check(
    integrator: str,
) -> None:
    # Damped as contacts of the heap are: without damping the schemes of Gear grow so slowly that it takes 40,000 steps.
    ratio = 0.2
    limit = stability_limit(integrators()[integrator], ratio)
    largest = np.abs(np.linalg.eigvals(amplification(integrators()[integrator], 1.3 * limit, ratio))).max()
    # So it is seen by the next look; what is not seen is a contact of a few steps, which ends before it can grow.
    assert math.log(10.0) / (2.0 * math.log(largest)) < CLOSE_STEPS


@pytest.mark.parametrize("seed", [1, 6])
def test_x06_impacts_shorter_than_the_interval_of_checks_add_less_energy_than_that_of_one_grain(seed: int) -> None:
    """A grain that strikes others at 1.3 times the step they bear may be gone before the next look: the run is then
    stopped up to hundreds of steps after the first such impact (375 with seed 1), but none of them has fed another."""
    experiment = new_experiment("heap", {"grain_count": GRAINS, "width": 0.015, "dt": 1.3 * 5e-5}, seed)
    assert not apply(experiment, Act("fill"))
    assert experiment.engine.dt_check_steps == CLOSE_STEPS
    exceeded, lasted = 0, 0
    before = whole = 0.0
    while True:
        advance(experiment, 1)
        if experiment.fault is not None:
            break
        survey = survey_contacts(experiment)
        lasted = lasted + 1 if experiment.dt > survey.stable_dt else 0
        energy = energy_of(experiment, survey)
        if lasted and not exceeded:
            before, whole = energy.gap, energy.mechanical + energy.dissipated
        exceeded += bool(lasted)
        if exceeded:
            assert abs(energy.gap - before) < whole / GRAINS
        assert lasted < CLOSE_STEPS
        assert experiment.step < 5_000
    assert 0 < exceeded <= 100
    assert np.isfinite(experiment.run.world.motion).all()
    assert experiment.fault.parameter is None
    assert "Likely cause: the time step" in str(experiment.fault.message)
