"""The state of a run for exports and scripts: velocities and spins at the time of the positions."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim import Simulation, place_spheres
from repose.sim.experiment.export_state import state_of

from tests.small_worlds import use_plain_engine


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


def sliding(integrator: str) -> Simulation:
    """A sphere that friction sets spinning, during its contact; both schemes compute the same positions."""
    floor = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    values = {"integrator": integrator, "dt": 1e-6, "friction": 0.3, "law": "lee_herrmann", "exponent": "linear"}
    run = place_spheres([[0.0, 0.0, 0.9999e-3]], 1e-3, mass=1e-5, velocity=[[0.1, 0.0, 0.0]], planes=[floor], **values)
    run.step(2)
    return run


def test_spins_are_at_the_time_of_the_positions_as_velocities_are() -> None:
    half_step, whole = sliding("leapfrog"), sliding("velocity_verlet")
    assert half_step.position == pytest.approx(whole.position, rel=1e-9, abs=1e-15)
    assert abs(whole.spin).max() > 0.01
    assert half_step.velocity == pytest.approx(whole.velocity, rel=1e-9, abs=1e-12)
    assert half_step.spin == pytest.approx(whole.spin, rel=1e-9, abs=1e-12)
    ours, theirs = state_of(half_step.experiment), state_of(whole.experiment)
    assert ours.spin == pytest.approx(theirs.spin, rel=1e-9, abs=1e-12)
    stored = half_step.world.motion[3:, 1].T
    assert np.abs(stored - whole.spin).max() > 1e-3, "the control: stored spins are half a step ahead"
