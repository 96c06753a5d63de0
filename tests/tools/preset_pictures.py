"""Draws the pictures of the shipped presets: `python -m tests.tools.preset_pictures [NAME …]`.

Every preset is run to the time of its picture, which takes minutes in space. The pictures are written beside the
presets.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from repose.app.jobs.small_picture import small_picture
from repose.app.progress import Progress, print_line
from repose.app.storage.engine_cache import choose_engine_cache
from repose.app.storage.thumbnails import PICTURES
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.io import presets

FLOWING = {
    "chute": 5.0,
    "chute-start": 5.2,
    "chute-steep": 2.0,
    "plane-shear": 0.2,
    "frictionless": 0.15,
    "hourglass": 2.0,
    "hourglass-glass": 1.0,
    "hourglass-lid": 0.6,
    "hourglass-narrow": 2.0,
    "silo-emptying": 0.2,
}
"""Time from the beginning of the flow to the picture [s], by the name of the preset."""
RUNNING = {
    "bounce": 0.62,
    "hanging-spheres-dmt": 0.03,
    "hanging-spheres-jkr": 0.03,
    "slope": 0.3,
    "beam": 0.3,
    "bed-impact": 0.0235,
    "bed-impact-published": 0.0,
    "capture": 0.3,
    "column": 0.42,
    "cube": 0.3,
    "cube-struck": 0.4,
    "drum": 8.0,
    "drum-in-space": 1.2,
    "drum-in-space-published": 0.0,
    "hoisted": 1.7,
    "honey": 0.6,
    "log": 0.45,
    "mixing-drum": 2.0,
    "projectile": 0.06,
    "raft": 0.45,
    "rake": 0.45,
    "rod": 0.06,
    "rough-plane": 3.6,
    "satellite": 1.3,
    "silo": 1.6,
    "silo-emptying-published": 0.0,
    "sinking": 0.6,
}
"""Time from the beginning of the run to the picture [s], 0 where the run takes hours; all other presets are drawn at
the end of their run."""
STEPS = 200
"""Steps between two checks of the phase."""


def main(names: Sequence[str]) -> None:
    """Draw the pictures of these presets; of all presets if no name is given."""
    if complaint := choose_engine_cache():
        print_line(complaint)
    folder = Path(str(files("repose.assets").joinpath("presets"))) / PICTURES
    folder.mkdir(exist_ok=True)
    wanted = names or presets.names()
    with Progress("Pictures of the presets") as progress:
        for number, name in enumerate(wanted):
            progress.show(name, number / len(wanted))
            (folder / f"{name}.webp").write_bytes(small_picture(*map(moment, presets.load(name).runs)))


def moment(preset: presets.Preset) -> Snapshot:
    """Snapshot of the preset's run at the time of its picture."""
    # Imported here, because numba reads the folder of the engine cache at its first import.
    from repose.sim.experiment.changes import new_experiment
    from repose.sim.experiment.commands import Act
    from repose.sim.experiment.control import apply
    from repose.sim.experiment.stepping import advance, is_finished
    from repose.sim.experiment.take_snapshot import take_snapshot

    start = preset.scene, dict(preset.values), preset.seed, preset.ready
    experiment = new_experiment(*start, direction=preset.direction)
    apply(experiment, Act("run"))
    due = RUNNING.get(preset.name, math.inf)
    while experiment.time < due and not is_finished(experiment):
        advance(experiment, STEPS)
        if experiment.present_phase.name == "flowing" and due == math.inf:
            due = experiment.time + FLOWING.get(preset.name, math.inf)
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    return snapshot


if __name__ == "__main__":
    main(sys.argv[1:])
