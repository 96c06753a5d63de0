"""The stored packings of scenes (`repose.sim.scenes.common.settled`): compute them again.

`python -m tests.tools.settled_packings` computes all of them, names of packings as arguments some; each takes seconds
to minutes.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from pkgutil import iter_modules
from typing import NamedTuple

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.stepping import advance
from repose.sim.scenes import lecture
from repose.sim.scenes.clumps.prepared import IN_PLANE, IN_SPACE
from repose.sim.scenes.common.settled import Packing, packed
from repose.sim.scenes.common.timed_course import TimedCourse
from repose.sim.scenes.heap.prepared import PACKINGS as OF_HEAP
from repose.sim.scenes.heap3d.prepared import PACKINGS as IN_FUNNEL
from repose.sim.scenes.hourglass.prepared import PACKINGS as OF_HOURGLASS

AFTER = 0.5
"""Time for which the grains lie after the wait for rest [s], in units of the time scale of the scene: they must be
completely at rest when a wall or neck is opened."""


class Stored(NamedTuple):
    """A packing with its scene."""

    scene: str
    packing: Packing


def stored_courses() -> dict[str, TimedCourse]:
    """The courses with a stored packing, by the name of their scene."""
    modules = [import_module(f"{lecture.__name__}.{found.name}") for found in iter_modules(lecture.__path__)]
    named = {module.SCENE.name: module.COURSE for module in modules if hasattr(module, "SCENE")}
    return {name: course for name, course in named.items() if course.packing}


def stored_packings() -> dict[str, Stored]:
    """Every stored packing, by the name of its file."""
    of_scenes = {
        "heap": OF_HEAP,
        "heap3d": IN_FUNNEL,
        "clumps": IN_SPACE,
        "joined": IN_PLANE,
        "hourglass_glass": OF_HOURGLASS,
        **{name: dict([course.packing]) for name, course in stored_courses().items() if course.packing},
    }
    return {name: Stored(scene, packing) for scene, own in of_scenes.items() for name, packing in own.items()}


def settled(stored: Stored) -> Experiment:
    """The experiment once its grains have settled."""
    experiment = new_experiment(stored.scene, stored.packing.values, seed=stored.packing.seed)
    if any(action.name == "fill" for action in experiment.scene.course.actions(experiment)):
        apply(experiment, Act("fill"))
    stored.packing.fill(experiment)
    while experiment.phase == "filling":
        advance(experiment, 1000)
    assert experiment.phase == "filled"
    advance(experiment, round(AFTER * experiment.scene.limits.time_scale(experiment.run.built) / experiment.dt))
    return experiment


def write(name: str, stored: Stored) -> Path:
    """Compute a packing and write its file; the old file is removed first, or the run would begin with it."""
    path = Path(str(files("repose.assets"))) / "settled" / f"{name}.npz"
    path.unlink(missing_ok=True)
    path.write_bytes(packed(settled(stored), stored.packing))
    return path


def main() -> None:
    """Write the named files, or all."""
    for name, stored in stored_packings().items():
        if name in sys.argv[1:] or not sys.argv[1:]:
            path = write(name, stored)
            print(f"{path.name}: {path.stat().st_size / 1e3:.1f} kB", flush=True)


if __name__ == "__main__":
    main()
