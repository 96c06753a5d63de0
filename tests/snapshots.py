"""Snapshots for tests: fields by name, whichever record has them."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from repose.sim import registry
from repose.sim.experiment.parameter_values import values_of
from repose.sim.experiment.snapshot import NO_PARAMETERS, Snapshot
from repose.sim.parameters import ParameterSet

RECORDS = {
    entry.name: name
    for name, value in vars(Snapshot()).items()
    if name not in ("serial", "beside")
    for entry in fields(value)
}
"""The record of each field."""


def snapshot_of(**values: Any) -> Snapshot:
    """A snapshot with these values, and defaults for the rest."""
    return with_fields(Snapshot(), **values)


def with_fields(snapshot: Snapshot, **values: Any) -> Snapshot:
    """A copy of a snapshot with other values."""
    copy = replace(snapshot)
    put(copy, **values)
    return copy


def put(snapshot: Snapshot, **values: Any) -> None:
    """Replace values in a snapshot. Of a parameter set it gets the values, and a scene with such parameters."""
    parameters = values.get("parameters")
    if isinstance(parameters, ParameterSet):
        values["parameters"] = values_of(parameters)
        scene = registry.scenes().get(values.get("scene", snapshot.run.scene))
        if scene is None or scene.parameters.chosen(parameters.model_dump()) is not type(parameters):
            values["scene"] = scene_with(parameters) or values.get("scene", "")
    elif "parameters" in values and values["parameters"] is None:
        values["parameters"] = NO_PARAMETERS
    for name, value in values.items():
        record = RECORDS.get(name)
        if record is None:
            setattr(snapshot, name, value)
        else:
            setattr(snapshot, record, replace(getattr(snapshot, record), **{name: value}))


def scene_with(parameters: ParameterSet) -> str:
    """Name of the first scene with parameters of this class; empty if there is none."""
    given = parameters.model_dump()
    scenes = registry.scenes().items()
    return next((name for name, scene in scenes if scene.parameters.chosen(given) is type(parameters)), "")


PLAIN = (str, bool, int, float, bytes, np.ndarray, np.generic, enum.Enum)


def parts_of(value: Any, name: str = "snapshot") -> Iterator[tuple[str, Any]]:
    """Everything in a snapshot, with its name."""
    yield name, value
    if is_dataclass(value) and not isinstance(value, type):
        for entry in fields(value):
            yield from parts_of(getattr(value, entry.name), f"{name}.{entry.name}")
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            yield from parts_of(entry, f"{name}[{key!r}]")
    elif isinstance(value, list | tuple | set | frozenset) and not isinstance(value, str):
        for index, entry in enumerate(value):
            yield from parts_of(entry, f"{name}[{index}]")


def not_data(snapshot: Snapshot) -> list[str]:
    """The parts that are neither plain values nor records of them, or whose class is not that of its module."""
    found = []
    for name, value in parts_of(snapshot):
        if value is None:
            continue
        kind = type(value)
        declared = getattr(sys.modules[kind.__module__], kind.__qualname__, None) is kind
        known = isinstance(value, (*PLAIN, dict, list, tuple, set, frozenset)) or is_dataclass(value)
        if not known or not declared or callable(value):
            found.append(name)
    return found
