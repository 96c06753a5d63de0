"""`repose picture`: the last state of a saved run as PNG or SVG, with its origin inside."""

from __future__ import annotations

from pathlib import Path

from repose.app.jobs.replay_job import NOT_WRITTEN, WRITTEN, export_run, saved_runs
from repose.app.jobs.requests import ExportRequest, PictureRequest, parsed_size
from repose.app.jobs.result_folder import claim_for
from repose.app.progress import print_line
from repose.app.render.colours import AUTOMATIC
from repose.app.render.passes import needs_forces
from repose.app.render.still import still
from repose.app.storage.png import save_png
from repose.app.storage.view_settings import View
from repose.app.window.headless_film import open_picture_maker
from repose.sim.experiment.origin import origin_of
from repose.sim.experiment.snapshot import ShownRun, Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.message import EMPTY
from repose.sim.parameters import ParameterError
from repose.sim.wording import path_text, reason_of

PNG, SVG = ".png", ".svg"


def take_picture(request: PictureRequest) -> int:
    """Write the picture of a saved run to a new file; returns the exit code.

    PNG shows the picture of the window with all runs side by side; SVG has grains and contact forces as circles and
    lines. Raises `ParameterError`, and `WindowError` without OpenGL.
    """
    out, size = request.out, parsed_size(request.size)
    kind = out.suffix.lower()
    if kind not in (PNG, SVG):
        raise ParameterError(
            f"--out {path_text(out)} is refused: its ending must be {PNG} or {SVG}; choose such a name."
        )
    if kind == SVG:
        if request.colour or request.show or request.light:
            raise ParameterError(
                f"--colour, --show and --light are for {PNG}: an {SVG} shows grains and forces; leave them out."
            )
        return export_run(ExportRequest(request.file, out), option="--out")
    shown = dict.fromkeys(request.show, True)
    view = View(colour_by=request.colour or AUTOMATIC, shown=shown, dark=not request.light)
    snapshots, origin = _snapshots(request.file, view)
    claim = claim_for("--out", out)
    try:
        maker = open_picture_maker(size)
        try:
            pixels = still(maker.read, snapshots, view, size)
        finally:
            maker.close()
        claim.write(lambda file: save_png(pixels, file, origin))
    except OSError as error:
        print_line(f"{out} could not be written: {reason_of(error)}.")
        return NOT_WRITTEN
    finally:
        claim.release()
    print_line(f"Picture of {size[0]} × {size[1]} pixels written to {out}.")
    return WRITTEN


def _snapshots(path: Path, view: View) -> tuple[list[Snapshot], dict[str, str]]:
    """Snapshots of all runs in a file, and the origin of the first run."""
    from repose.sim.experiment.changes import resumed_experiment
    from repose.sim.experiment.side_by_side import labels

    runs, own = saved_runs(path)
    experiments = [resumed_experiment(run) for run in runs]
    names = labels(experiments, own) if len(runs) > 1 else (EMPTY,)
    snapshots = []
    for experiment, name in zip(experiments, names, strict=True):
        snapshot = Snapshot(run=ShownRun(label=name))
        take_snapshot(experiment, snapshot, forces=needs_forces(view))
        snapshots.append(snapshot)
    first = experiments[0]
    origin = origin_of(first.scene, first.seed, first.time, first.parameters)
    return snapshots, origin | ({"side by side": "; ".join(map(str, names))} if len(runs) > 1 else {})
