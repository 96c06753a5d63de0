"""The unbalanced force ratio of states with known forces, and the rest that it decides."""

from __future__ import annotations

import math

import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.rest import BALANCED
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.measure.unbalanced_force import unbalanced_force
from repose.sim.registry import laws

from tests.small_worlds import Bench, model_of, world_of


@pytest.mark.parametrize("share", [0.5, 1.0, 3.0])
def test_a_grain_on_another_is_out_of_balance_by_its_weight_minus_the_contact_force(share: float) -> None:
    model, numbers = model_of(friction=0.0, normal_damping=0.0, wall_stiffness_factor=1.0)
    weight = 1e-3 * 9.81
    overlap = (share * weight / 1e6) ** (2.0 / 3.0)  # F = k_n overlap^(3/2)
    world = world_of(model, [(0.0, 2e-3 - overlap), (0.0, 0.0)], 1e-3, 1e-3, fixed=[False, True])
    bench = Bench(world, model, numbers, 1e-12, gravity=(0.0, -9.81))
    bench.advance(1)
    assert unbalanced_force(bench.world) == pytest.approx(abs(1.0 - share) / share, abs=1e-6)


def test_a_grain_that_hangs_on_a_bridge_is_balanced_by_a_pull() -> None:
    model, numbers = model_of("velocity_verlet", law=laws()["capillary"], pull_off_force=1e-3, normal_stiffness=1e3)
    hung = world_of(model, [(0.0, 0.0), (0.0, -2.0e-3 + 4e-7)], 1e-3, 1e-5, fixed=[True, False])
    bench = Bench(hung, model, numbers, 1e-12, (0.0, -0.62e-3 / 1e-5))
    bench.advance(2)
    # The bridge pulls with 1 mN and the spring pushes with 0.4 mN: 0.02 mN of the weight of 0.62 mN are not borne.
    assert unbalanced_force(bench.world) == pytest.approx(0.02 / 0.6, rel=0.05)


def test_without_contacts_only_grains_that_do_not_accelerate_are_in_balance() -> None:
    model, numbers = model_of()
    world = world_of(model, [(0.0, 0.0), (1.0, 0.0)], 1e-3, 1e-3)
    assert unbalanced_force(world) == 0.0
    bench = Bench(world, model, numbers, 1e-9, gravity=(0.0, -9.81))
    bench.advance(1)
    assert math.isinf(unbalanced_force(bench.world))


def test_a_flow_out_of_balance_is_no_rest_however_fast_the_settle_speed_allows_grains_to_be() -> None:
    # At 0.5 m/s the mean speed says rest 0.25 s after the opening, while grains still run out.
    experiment = new_experiment("heap", {"grain_count": 60, "width": 0.02, "friction": 0.4, "settle_speed": 0.5})
    assert not apply(experiment, Act("run"))
    while not is_finished(experiment):
        advance(experiment, 50)
    assert experiment.phase == "rested"
    assert unbalanced_force(experiment.run.world) < BALANCED
