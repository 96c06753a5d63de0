"""Parameter sets as data in a snapshot, and back.

The class of a parameter set can be made while the program runs, from a scene and a law; other processes have no such
class. A snapshot therefore has the values. A process with the scenes makes the set of them again.
"""

from __future__ import annotations

from functools import lru_cache

from repose.sim import registry
from repose.sim.experiment.snapshot import ParameterValues, ShownRun
from repose.sim.io.mesh import kept_surfaces
from repose.sim.parameter_curves import read_curve
from repose.sim.parameters import ParameterSet


def values_of(parameters: ParameterSet) -> ParameterValues:
    """The set as data."""
    curves = {name: curve.text for name, curve in parameters.curves.items()}
    given = frozenset(parameters.model_fields_set)
    return ParameterValues(parameters.model_dump(), given, dict(parameters.surfaces), curves)


def parameters_of(run: ShownRun) -> ParameterSet | None:
    """The parameters of a run in a snapshot; None before there is an experiment, or without its scene."""
    return parameter_set(run.scene, run.parameters)


def parameter_set(scene: str, data: ParameterValues) -> ParameterSet | None:
    """The set of a scene with these values, equal to the one that `values_of` was given. No file is read."""
    record = registry.scenes().get(scene)
    return _made(record.parameters, data) if record is not None and data.values else None


@lru_cache(maxsize=16)  # the window asks several times per frame
def _made(kind: type[ParameterSet], data: ParameterValues) -> ParameterSet:
    with kept_surfaces(data.surfaces):
        made = kind.checked({name: value for name, value in data.values.items() if name in data.given})
    return made.driven_by({name: read_curve(text) for name, text in data.curves.items()})
