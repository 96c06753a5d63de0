"""Small runs in the midst of something, and ways to save and take them up again."""

from __future__ import annotations

import io

from repose.sim.experiment import saved_run
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.simulation import Simulation

SMALL = {"grain_count": 40, "width": 0.015}
FEW = {"grain_count": 3, "width": 5e-3, "base_radius": 1e-3, "wall_radius": 3e-3, "dt": 4e-5}
"""Grains few enough for the engine in plain Python."""
CYLINDER = {"pouring": "cylinder", "grain_count": 5, "base": "smooth"}


def go(simulation: Simulation, at: int) -> Simulation:
    """Advance until so many steps have been done since the beginning."""
    while simulation.at < at and simulation.fault is None:
        simulation.advance(min(997, at - simulation.at))
    return simulation


def poured(at: int = 20_000, **values: object) -> Simulation:
    """A small heap in the midst of being filled, grains touching."""
    simulation = Simulation("heap", SMALL | values)
    assert simulation.apply(Act("fill")) == ""
    return go(simulation, at)


def landed(scene: str = "heap", values: dict | None = None, action: str = "fill") -> Simulation:
    """A few grains whose first contact is some steps old, for an engine in plain Python."""
    simulation = Simulation(scene, FEW if values is None else values)
    assert simulation.apply(Act(action)) == ""
    while simulation.survey().contacts == 0:
        simulation.advance(20)
        assert simulation.fault is None
    return go(simulation, simulation.at + 15)


def saved(simulation: Simulation) -> bytes:
    """The run as the bytes of a file."""
    file = io.BytesIO()
    saved_run.write(simulation.saved(), file)
    return file.getvalue()


def resumed(blob: bytes) -> Simulation:
    """The run in such bytes."""
    return Simulation(saved=saved_run.read(io.BytesIO(blob)))


def changed(simulation: Simulation, **values: object) -> Simulation:
    """The same after a live change of parameters."""
    assert simulation.apply(SetParameters(values)) == ""
    return simulation
