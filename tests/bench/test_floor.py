"""The floor moves the grains as the engine does, so that their timings can be compared."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from repose.sim.engine.world import copy_world
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.stepping import advance
from repose.sim.study.floor import OPTIONS, floor_program, run_floor, write_state

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")

STEPS, WARM_UP = 200, 20


@pytest.mark.parametrize("vectors", ["of the processor", "none"])
@pytest.mark.parametrize("integrator", ["gear5", "leapfrog"])
def test_floor_and_engine_move_the_grains_alike(
    integrator: str, vectors: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The friction spring differs: the floor adds up tangential displacements from before the first touch on. Contacts
    # made on the way begin with a stretch of up to one step of motion, which the floor has in addition.
    if vectors == "none":
        monkeypatch.setattr("repose.sim.study.floor.OPTIONS", (*OPTIONS, "-U__AVX512F__"))
    experiment = new_experiment("heap", {"integrator": integrator}, ready="column")
    advance(experiment, 50)
    apply(experiment, Act("open"))
    advance(experiment, 2000)
    world, engine, dt = experiment.run.world, experiment.engine, experiment.dt
    ours = copy_world(world)
    done, status, _ = engine.advance(ours, engine.law_parameters, engine.gravity, dt, STEPS + WARM_UP)
    assert (done, status) == (STEPS + WARM_UP, 0)
    state, end = tmp_path / "state", tmp_path / "end"
    rows = write_state(state, world, experiment, 0.3 * float(world.radius.mean()), STEPS)
    with floor_program() as program:
        assert run_floor(program, state, end) > 0.0
    position = np.empty_like(world.motion[:, 0])
    position[:, rows] = np.fromfile(end).reshape(2, 2, -1)[0]
    moving = ~world.fixed
    flight = world.motion[:, 0] + (STEPS + WARM_UP) * dt * world.motion[:, 1]
    pushed = (ours.motion[:, 0] - flight)[:, moving].std()
    assert (position - ours.motion[:, 0])[:, moving].std() < 0.008 * pushed
    assert (position == world.motion[:, 0])[:, world.fixed].all()
