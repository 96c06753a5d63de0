"""Another integrator or law for moving grains: no jump of the motion, and the change of energy is booked."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import energy_of, survey_contacts
from repose.sim.experiment.stepping import advance
from repose.sim.registry import integrators

TINY = {"grain_count": 3, "width": 5e-3, "base_radius": 1e-3, "wall_radius": 3e-3}


def few(**values: object) -> Experiment:
    """Three grains dropped into a narrow box, just landed."""
    experiment = new_experiment("heap", TINY | {"dt": 4e-5} | values)
    apply(experiment, Act("fill"))
    while survey_contacts(experiment).contacts == 0:
        assert advance(experiment, 5) == 5
    advance(experiment, 3)
    return experiment


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("integrator", [name for name in integrators() if name != "gear5"])
def test_a_change_of_the_integrator_moves_no_grain(integrator: str) -> None:
    experiment = few()
    position, velocity = experiment.run.world.motion[:2, 0].copy(), experiment.run.world.motion[:2, 1].copy()
    energy = energy_of(experiment)
    assert not apply(experiment, SetParameters({"integrator": integrator}))
    world = experiment.run.world
    assert np.array_equal(world.motion[:2, 0], position)
    lead = experiment.engine.model.integrator.velocity_lead * experiment.dt
    assert world.motion[:2, 1] - lead * world.motion[:2, 2] == pytest.approx(velocity, abs=1e-15)
    assert energy_of(experiment).mechanical == pytest.approx(energy.mechanical, rel=1e-9)
    assert advance(experiment, 50) == 50
    # One step of another scheme, not a jump: nothing is thrown about.
    assert np.abs(world.motion[:2, 1]).max() < 1.5
    assert not apply(experiment, SetParameters({"integrator": "gear5"}))
    assert advance(experiment, 50) == 50


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(
    "change",
    [
        {"exponent": "linear"},
        {"anchor": "cundall-strack"},
        {"coulomb_cap": "total"},
        {"exponent": "linear", "anchor": "cundall-strack", "coulomb_cap": "total", "integrator": "leapfrog"},
        {"start_up": "rk4", "integrator": "gear4"},
    ],
    ids=lambda change: "-".join(change.values()),
)
def test_the_law_can_be_changed_during_contacts(change: dict) -> None:
    experiment = few(normal_stiffness=1e4)
    before = energy_of(experiment)
    position = experiment.run.world.motion[:2, 0].copy()
    assert not apply(experiment, SetParameters(change))
    # A stiffness in N/m is a much stiffer one in N/m^1.5: with it the grains move apart before the run goes on.
    stayed = np.array_equal(experiment.run.world.motion[:2, 0], position)
    assert stayed == ("exponent" not in change)
    after = energy_of(experiment)
    # Whatever energy the new formula gives the contacts is booked as work.
    assert after.gap == pytest.approx(before.gap, abs=1e-12 * max(after.mechanical, 1e-6))
    assert advance(experiment, 100) == 100
    assert experiment.fault is None
