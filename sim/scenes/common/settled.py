"""Stored packings: where the grains of a scene lie once they have settled, so that no audience waits for it.

A file of `assets/settled` has the centres of the grains and the displacements of the walls after the wait for rest of a
scene with its default parameters and seed 1. A run with this seed and with parameters that act in the same way until
then begins with this packing; every other run computes its own. Friction springs are not stored: they form again while
the grains move by a part of their overlap.

`python -m tests.tools.settled_packings` writes the files again. It is needed after every change of a default parameter
or of the setup of a scene, which a test notices.
"""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from repose.sim.engine.builder import forget_neighbours, reset_displacements
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import Experiment
from repose.sim.io import archive
from repose.sim.message import _
from repose.sim.parameters import ParameterSet

SEED = 1
"""Seed of the stored packings."""


def put_settled(world: World, name: str, parameters: ParameterSet, seed: int, later: tuple[str, ...]) -> bool:
    """Put the grains at their places in the packing of this name; False if it was computed with another seed, other
    parameters than those in `later`, which act only after it, or another number of grains or walls.

    A file that is missing or damaged is no error: the packing is computed then.
    """
    if seed != SEED:
        return False
    try:
        blob = files("repose.assets").joinpath("settled", f"{name}.npz").read_bytes()
        manifest, tables = archive.read(BytesIO(blob), _("a stored packing"))
        position, moved = tables["position"], tables["moved"]
    except (OSError, KeyError, archive.ArchiveError):
        return False
    same = manifest.get("parameters") == facts_of(parameters, later)
    if not same or (position.shape, moved.shape) != (world.motion[:2, 0].shape, world.walls.moved.shape):
        return False
    world.motion[:2, 0], world.walls.moved[:] = position, moved
    world.motion[:, 1:] = 0.0
    reset_displacements(world)
    forget_neighbours(world)
    return True


def facts_of(parameters: ParameterSet, later: tuple[str, ...]) -> dict[str, Any]:
    """The parameters on which a packing depends, as in a file."""
    return {name: value for name, value in parameters.model_dump(mode="json").items() if name not in later}


def packed(experiment: Experiment, later: tuple[str, ...]) -> bytes:
    """The file of the present packing; equal packings give equal files."""
    world, blob = experiment.run.world, BytesIO()
    tables = {"position": np.ascontiguousarray(world.motion[:2, 0]), "moved": np.ascontiguousarray(world.walls.moved)}
    archive.write(blob, {"parameters": facts_of(experiment.run.built, later)}, tables)
    return blob.getvalue()
