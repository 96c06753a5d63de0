"""Granular dynamics without a window: engine, laws, integrators, measurements, scenes, experiments and their files.

Scripts import from here: `from repose.sim import Simulation`. A name is imported at its first use: a program that
needs only a part does not load the engine. Nothing in this package imports `repose.app`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repose.sim.engine.body_builder import shape_of_spheres
    from repose.sim.engine.model import Integrator, Model
    from repose.sim.engine.world import World
    from repose.sim.experiment.commands import (
        Act,
        MoveWall,
        Pull,
        Recover,
        Release,
        RemoveGrain,
        Rewind,
        ServoWall,
        SetParameters,
        Start,
        TakeBack,
    )
    from repose.sim.experiment.experiment import Experiment, Scene
    from repose.sim.experiment.export_state import write_lammps
    from repose.sim.experiment.simulation import (
        EnergyGapWarning,
        Simulation,
        SimulationFault,
        TimeSeries,
        TimeStepWarning,
    )
    from repose.sim.experiment.snapshot import Snapshot
    from repose.sim.laws.law import Law
    from repose.sim.laws.materials import Material
    from repose.sim.parameters import ParameterError, ParameterSet, Quantity
    from repose.sim.scenes.common.by_hand import place_spheres
    from repose.sim.scenes.common.setup import Bodies, Bonds, Cylinder, Facet, Plane, Setup, Spheres

_MODULES = {
    "engine.body_builder": ("shape_of_spheres",),
    "engine.model": ("Integrator", "Model"),
    "engine.world": ("World",),
    "experiment.commands": (
        "Act",
        "MoveWall",
        "Pull",
        "Recover",
        "Release",
        "RemoveGrain",
        "Rewind",
        "ServoWall",
        "SetParameters",
        "Start",
        "TakeBack",
    ),
    "experiment.experiment": ("Experiment", "Scene"),
    "experiment.export_state": ("write_lammps",),
    "experiment.simulation": ("EnergyGapWarning", "Simulation", "SimulationFault", "TimeSeries", "TimeStepWarning"),
    "experiment.snapshot": ("Snapshot",),
    "laws.law": ("Law",),
    "laws.materials": ("Material",),
    "parameters": ("ParameterError", "ParameterSet", "Quantity"),
    "scenes.common.by_hand": ("place_spheres",),
    "scenes.common.setup": ("Bodies", "Bonds", "Cylinder", "Facet", "Plane", "Setup", "Spheres"),
}

__all__ = (
    "Act",
    "Bodies",
    "Bonds",
    "Cylinder",
    "EnergyGapWarning",
    "Experiment",
    "Facet",
    "Integrator",
    "Law",
    "Material",
    "Model",
    "MoveWall",
    "ParameterError",
    "ParameterSet",
    "Plane",
    "Pull",
    "Quantity",
    "Recover",
    "Release",
    "RemoveGrain",
    "Rewind",
    "Scene",
    "ServoWall",
    "SetParameters",
    "Setup",
    "Simulation",
    "SimulationFault",
    "Snapshot",
    "Spheres",
    "Start",
    "TakeBack",
    "TimeSeries",
    "TimeStepWarning",
    "World",
    "place_spheres",
    "shape_of_spheres",
    "write_lammps",
)


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
