"""State hashes of scenes after some steps: print them before and after a change of the engine, and compare the files.

uv run python -m tests.tools.state_hashes 500 > before.txt              # every scene with its test values, and a chute
uv run python -m tests.tools.state_hashes 1500 heap clumps > before.txt  # these scenes
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.headless import begin_run
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.registry import scenes

EXAMPLE = Path(__file__).resolve().parents[2] / "assets" / "examples" / "chute.py"
PERIODIC = "chute.py"
"""Name of the periodic world in space: 12 000 grains of the example, enough for four ranges of the pair list."""


def started(name: str) -> Experiment:
    """The experiment of this name, whose scene has begun its course."""
    if name == PERIODIC:
        periodic: Experiment = runpy.run_path(str(EXAMPLE))["chute"](12000).experiment
        return periodic
    experiment = new_experiment(name, scenes()[name].test_values, 1)
    begin_run(experiment)
    return experiment


def main(arguments: list[str]) -> None:
    """Print name, steps, spheres and hash of each of the named scenes, or of all."""
    steps = int(arguments[0])
    for name in arguments[1:] or [*sorted(scenes()), PERIODIC]:
        experiment = started(name)
        done = advance(experiment, steps)
        print(f"{name:16} {done:5} {experiment.run.world.sphere_count:6} {state_hash(experiment.run)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
