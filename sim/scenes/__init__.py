"""Scenes: one file each, found by being there; a scene is a recipe for a World and the course of an experiment."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from repose.sim.parameters import ParameterSet

if TYPE_CHECKING:
    from repose.sim.engine.world import Floats, World
    from repose.sim.experiment.comparison import Study
    from repose.sim.experiment.experiment import Experiment
    from repose.sim.experiment.snapshot import Action, Curve, Reading


@dataclass(frozen=True)
class Scene:
    """What the engine must know of a scene; every entry is a plain function of plain data."""

    name: str
    title: str
    summary: str
    law: str
    parameters: type[ParameterSet]
    dimension: int
    begin: Callable[[Any, int], tuple[World, Any]]
    """begin(parameters, seed) -> the world at rest and the state of the experiment (a dataclass of plain data)."""
    supervise: Callable[[Experiment], None]
    """Called every `CHECK_STEPS` steps: moves the experiment on, adds and removes spheres."""
    actions: Callable[[Experiment], tuple[Action, ...]]
    act: Callable[[Experiment, str], str]
    """act(experiment, action) -> what was done, one sentence."""
    describe: Callable[[Experiment], tuple[str, str, float | None]]
    """-> phase, the phase in words, share done or None."""
    box: Callable[[Experiment], tuple[tuple[float, ...], tuple[float, ...]]]
    """Lower and upper corner of what should be in view [m]."""
    results: Callable[[Experiment], dict[str, Any]]
    """What the scene adds to result.json."""
    check: Callable[[Experiment], str]
    """The scene's own physical test after a whole run: a complaint, or an empty string."""
    under_way: Callable[[Experiment], bool]
    """Whether the experiment goes on by itself; False when only an action will move it on."""
    smallest_grain: Callable[[Any], tuple[float, float]]
    """smallest_grain(parameters) -> mass [kg] and radius [m] of the smallest grain to expect, for the first time step."""
    rotates: Callable[[Any], bool] = lambda parameters: False
    """Whether grains rotate."""
    remove: Callable[[Experiment, int], None] | None = None
    """Strike the grain in a row off the scene's own books, just before it is taken away; None where all are needed."""
    measure: Callable[[Experiment], Any] = lambda experiment: None
    """The scene's reading of the world as it is, or None where there is nothing to read."""
    readings: Callable[[Experiment], tuple[Reading, ...]] = lambda experiment: ()
    """Numbers to show beside the picture."""
    curves: Callable[[Experiment], tuple[Curve, ...]] = lambda experiment: ()
    """Plots of the scene's own, the run against the law it should follow."""
    ghosts: Callable[[Experiment], Floats | None] = lambda experiment: None
    """Where a closed form says spheres should be: centres and radii [m], shape (ghosts, dimension + 1)."""
    facets: Callable[[Experiment], Floats | None] = lambda experiment: None
    """Walls to draw [m], shape (facets, dimension, dimension); None draws the facets of the world."""
    flaw: Callable[[Any, World, Any], str] = lambda state, world, built: ""
    """flaw(state, world, parameters it was built with) -> which part of a state read from a file cannot be of this
    scene; empty where it can."""
    study: Study | None = None
    """What its runs are compared by, in the window and by `repose sweep`; None where there is nothing to compare."""


def _found() -> dict[str, Scene]:
    modules = (importlib.import_module(f"{__name__}.{entry.name}") for entry in pkgutil.iter_modules(__path__))
    return {scene.name: scene for module in modules if (scene := getattr(module, "SCENE", None))}


SCENES = _found()
"""Every scene by name."""
