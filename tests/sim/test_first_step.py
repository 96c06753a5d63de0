"""A motion begins with the present forces: the first step is as accurate as every other one."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.stepping import advance
from repose.sim.registry import integrators

from tests.reliability.runs import FEW

pytestmark = pytest.mark.usefixtures("uncompiled")

G = 9.81


FALLS = {
    "discs poured in the plane": ("heap", FEW, "fill", 1),
    "spheres released in space": ("bounce", {}, "run", 2),
}


@pytest.mark.parametrize("integrator", integrators())
@pytest.mark.parametrize("fall", FALLS)
def test_free_fall_from_rest_follows_the_closed_form_from_the_first_step(fall: str, integrator: str) -> None:
    scene, values, action, upward = FALLS[fall]
    experiment = new_experiment(scene, values | {"integrator": integrator, "dt": 4e-5})
    assert not apply(experiment, Act(action))
    moving = ~experiment.run.world.fixed
    before, began = experiment.run.world.motion[upward, 0, moving].copy(), experiment.time
    for steps in (1, 1, 1, 7):
        advance(experiment, steps)
        time = experiment.time - began
        motion = experiment.run.world.motion[upward][:, moving]
        # Every scheme is exact for a constant force; what the missing force of the first step would leave is g t dt/2.
        missed = 0.5 * G * time * experiment.dt
        assert motion[0] == pytest.approx(before - 0.5 * G * time**2, abs=1e-6 * missed)
        lead = experiment.engine.model.integrator.velocity_lead * experiment.dt
        assert motion[1] - lead * motion[2] == pytest.approx(-G * time, rel=1e-9)


@pytest.mark.parametrize("integrator", integrators())
def test_a_world_that_begins_with_grains_begins_with_their_accelerations(integrator: str) -> None:
    experiment = new_experiment("hourglass", {"grain_count": 3, "lid": False, "integrator": integrator})
    motion = experiment.run.world.motion
    lead = experiment.engine.model.integrator.velocity_lead * experiment.dt
    assert np.allclose(motion[2, 2], -G)
    assert np.allclose(motion[2, 1], -lead * G, atol=0.0)
    before = motion[2, 0].copy()
    advance(experiment, 1)
    fallen = 0.5 * G * experiment.dt**2
    assert before - experiment.run.world.motion[2, 0] == pytest.approx(fallen, rel=1e-6)


def test_a_sphere_released_on_a_slope_starts_with_the_acceleration_along_the_slope() -> None:
    experiment = new_experiment("slope")
    assert not apply(experiment, Act("run"))
    built, world = experiment.run.built, experiment.run.world
    sine, cosine = np.sin(built.slope_angle), np.cos(built.slope_angle)
    # Spring and weight balance along the normal; the tangential component of gravity remains.
    assert world.motion[:3, 2] @ np.ones(5) / 5 == pytest.approx(
        G * sine * np.array([cosine, 0.0, -sine]), rel=1e-6, abs=1e-6
    )
