"""The window shows a saved run that a script has set up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from repose.sim import Bonds, Material, Plane, Setup, Simulation, Spheres, registry
from repose.sim.experiment import saved_side_by_side
from repose.sim.experiment.changes import new_experiment, resume
from repose.sim.experiment.commands import Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot

from tests.app.ui.panels.panel_harness import open_harness
from tests.small_worlds import use_plain_engine

GLASS = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.5, friction=0.4)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A saved run of two bonded discs on a floor; the registry forgets its scene afterwards."""
    use_plain_engine(monkeypatch)
    discs = Spheres([[0.0, 1.01e-3], [2.0e-3, 1.5e-3]], 1e-3, GLASS)
    setup = Setup(discs, walls=[Plane((0, 0), (0, 1))], bonds=Bonds(0, 1, 0.5e-3))
    simulation = Simulation(setup, {"gravity": (1.0, -9.0), "dt": 2e-6})
    simulation.step(50)
    simulation.save(tmp_path / "run.repose")
    yield tmp_path / "run.repose"
    registry.forget_plugins()


def test_a_run_of_a_script_continues_and_starts_again_in_the_window(file: Path, tmp_path: Path) -> None:
    saved = saved_side_by_side.load(file)
    experiment = new_experiment("heap", {"grain_count": 3, "width": 5e-3})
    resume(experiment, saved)
    assert experiment.step == 50
    advance(experiment, 50)
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    assert registry.scenes()[snapshot.run.scene] is not None
    with open_harness(tmp_path, snapshot) as harness:
        harness.frame()
        assert harness.ui.snapshot.run.scene == "by hand"
    assert not apply(experiment, Start("by hand", {"gravity": 3.0}, 1))
    assert experiment.step == 0
    assert experiment.engine.gravity[0] > 0.0  # the direction of the setup
