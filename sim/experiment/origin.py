"""Origin of results, for files: program, scene, seed, time, and every parameter with its unit."""

from __future__ import annotations

from importlib import metadata
from typing import Any

from repose.sim.experiment.experiment import Scene


def origin_of(scene: Scene, seed: int, time: float, parameters: Any) -> dict[str, str]:
    """Program, scene, seed, simulated time [s] and every parameter with its unit, by name."""
    words = {
        "program": f"Repose {metadata.version('repose')}",
        "scene": f"{scene.name} ({scene.title})",
        "seed": str(seed),
        "simulated time": f"{time:.6g} s",
    }
    declared = parameters.in_units() if parameters is not None else {}
    return words | {
        f"parameter {name}": f"{entry.quantity.label} {entry.shown(parameters.given(name))}"
        for name, entry in declared.items()
    }
