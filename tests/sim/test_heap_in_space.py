"""The course of a heap in space after its first rest."""

from __future__ import annotations

from pathlib import Path

from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import resumed_experiment
from repose.sim.experiment.stepping import advance

from tests.english import english

AT_REST = Path(__file__).resolve().parent.parent / "reliability" / "data" / "format2.repose"
"""20 beads at rest on the plate."""


def test_a_heap_shaken_after_its_rest_flows_again_and_comes_to_rest_again() -> None:
    simulation = resumed_experiment(saved_run.load(AT_REST))
    assert simulation.phase == "rested"
    assert simulation.message_repeats, "what happened before the run was saved is no news"
    grains = simulation.run.world.sphere_count
    simulation.run.state.reading |= {"angle": 0.3, "standard_error": 0.01, "intercept": 0.02, "fitted": [0.0, 0.05]}
    simulation.run.state.reading |= {"used_ids": [1, 2], "grains_left": 20}
    assert simulation.scene.view.slope(simulation) is not None
    simulation.run.world.motion[2, 1, ~simulation.run.world.fixed] += 0.3
    advance(simulation, 400)
    assert english((simulation.phase, simulation.message)) == ("flowing", "The heap moves again.")
    assert not simulation.message_repeats
    assert simulation.scene.view.slope(simulation) is None, "the cone would be that of the past"
    while simulation.phase == "flowing" and simulation.time < 10.0:
        advance(simulation, 2000)
    assert simulation.phase == "rested"
    assert simulation.run.world.sphere_count <= grains
