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

from tests.small_worlds import use_plain_engine


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same engine as plain Python: any choice of formulas without waiting for the compiler."""
    use_plain_engine(monkeypatch)


TINY = {"grain_count": 3, "width": 5e-3, "base_radius": 1e-3, "wall_radius": 3e-3}


def few(**values: object) -> Experiment:
    """Three grains dropped into a narrow box, just landed."""
    simulation = new_experiment("heap", TINY | {"dt": 4e-5} | values)
    apply(simulation, Act("fill"))
    while survey_contacts(simulation).contacts == 0:
        assert advance(simulation, 5) == 5
    advance(simulation, 3)
    return simulation


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("integrator", [name for name in integrators() if name != "gear5"])
def test_a_change_of_the_integrator_moves_no_grain(integrator: str) -> None:
    simulation = few()
    position, velocity = simulation.run.world.motion[:2, 0].copy(), simulation.run.world.motion[:2, 1].copy()
    energy = energy_of(simulation)
    assert not apply(simulation, SetParameters({"integrator": integrator}))
    world = simulation.run.world
    assert np.array_equal(world.motion[:2, 0], position)
    lead = simulation.engine.model.integrator.velocity_lead * simulation.dt
    assert world.motion[:2, 1] - lead * world.motion[:2, 2] == pytest.approx(velocity, abs=1e-15)
    assert energy_of(simulation).mechanical == pytest.approx(energy.mechanical, rel=1e-9)
    assert advance(simulation, 50) == 50
    # One step of another scheme, not a jump: nothing is thrown about.
    assert np.abs(world.motion[:2, 1]).max() < 1.5
    assert not apply(simulation, SetParameters({"integrator": "gear5"}))
    assert advance(simulation, 50) == 50


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
    simulation = few(normal_stiffness=1e4)
    before = energy_of(simulation)
    position = simulation.run.world.motion[:2, 0].copy()
    assert not apply(simulation, SetParameters(change))
    # A stiffness in N/m is a much stiffer one in N/m^1.5: with it the grains move apart before the run goes on.
    stayed = np.array_equal(simulation.run.world.motion[:2, 0], position)
    assert stayed == ("exponent" not in change)
    after = energy_of(simulation)
    # Whatever energy the new formula gives the contacts is booked as work.
    assert after.gap == pytest.approx(before.gap, abs=1e-12 * max(after.mechanical, 1e-6))
    assert advance(simulation, 100) == 100
    assert simulation.fault is None
