"""The stored packings of scenes whose grains settle before their course: compute them again.

`python -m tests.tools.settled_packings` computes all of them, names of scenes as arguments some; each takes seconds.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from pkgutil import iter_modules

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.stepping import advance
from repose.sim.scenes import lecture
from repose.sim.scenes.common.settled import SEED, packed
from repose.sim.scenes.common.timed_course import TimedCourse

AFTER = 0.5
"""Time for which the grains lie after the wait for rest [s]."""


def stored_courses() -> dict[str, TimedCourse]:
    """The courses with a stored packing, by the name of their scene."""
    modules = [import_module(f"{lecture.__name__}.{found.name}") for found in iter_modules(lecture.__path__)]
    named = {module.SCENE.name: module.COURSE for module in modules if hasattr(module, "SCENE")}
    return {name: course for name, course in named.items() if course.stored}


def write(scene: str, course: TimedCourse) -> Path:
    """Compute the packing of a scene and write its file; the old file is removed first, or the run would begin with
    it."""
    path = Path(str(files("repose.assets"))) / "settled" / f"{course.stored}.npz"
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    experiment = new_experiment(scene, {}, seed=SEED)
    while experiment.phase == "filling":
        advance(experiment, 1000)
    advance(experiment, round(AFTER / experiment.dt))
    path.write_bytes(packed(experiment, course.later))
    return path


def main() -> None:
    """Write the files of the named scenes, or all."""
    for scene, course in stored_courses().items():
        if scene in sys.argv[1:] or not sys.argv[1:]:
            path = write(scene, course)
            print(f"{path.name}: {path.stat().st_size / 1e3:.1f} kB")


if __name__ == "__main__":
    main()
