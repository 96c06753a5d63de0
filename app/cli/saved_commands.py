"""Commands for saved runs: list, film or verify the log, draw the last state, export the grains, open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from repose.app.cli.terminal import refuse, table
from repose.app.jobs.requests import ExportRequest, OpenRequest, PictureRequest, ReplayRequest, RunRequest
from repose.app.progress import print_line
from repose.app.signals import INTERRUPTED


@contextmanager
def _stopped_before_the_end() -> Iterator[None]:
    """Say so if the user stops a command that keeps nothing of its work, and exit with its code."""
    from repose.app.stopping import StopAsked

    try:
        yield
    except StopAsked:
        print_line("Stopped before the end.")
        raise typer.Exit(INTERRUPTED) from None


def replay(request: ReplayRequest) -> int:
    """List the commands of a saved run, film or verify it.

    --verify repeats the run and compares all bits.
    A film can show any part of the run at any speed and size: the run is computed again, and its state hashes are
    compared. With --verify or --video the exit code is 3 if a hash differs.
    """
    from repose.app.jobs.replay_job import commands_in, film_run, verify_run
    from repose.app.thread_option import asked_threads

    threads = asked_threads(request.threads)
    if request.video:
        with _stopped_before_the_end():
            return film_run(request, threads)
    if request.verify:
        with _stopped_before_the_end():
            return verify_run(request.file, threads=threads)
    table(("step", "command", "with"), commands_in(request.file))
    return 0


def picture(request: PictureRequest) -> int:
    """Draw the last state of a saved run.

    Of runs side by side all are drawn. Program, scene, seed, time and every parameter with its unit are inside the
    file.
    """
    from repose.app.jobs.picture_job import take_picture

    return take_picture(request)


def export(request: ExportRequest) -> int:
    """Write a saved run for other programs.

    The formats are a table, points for ParaView, a dump for OVITO, extended XYZ, HDF5, a vector graphic, all arrays for
    numpy, a script for LAMMPS, and the whole run as one page for browsers (.html).

    All numbers are in SI units and exact: text has 17 digits. `repose open` shows what LAMMPS has computed.
    """
    from repose.app.jobs.replay_job import export_for, export_run

    with _stopped_before_the_end():
        if request.is_page:
            from repose.app.jobs.page_job import export_page

            return export_page(request)
        return export_for(request) if request.program else export_run(request)


def open_any(request: OpenRequest) -> int:
    """Open in the window what somebody has shared.

    A dump of LAMMPS is also measured: slope, spheres that pass a gate, contacts, a film. With --beside it is measured
    as the scene measures it, and compared with the run at equal times.

    Without a window, or with --no-window, --json, --video, --out or --set, it is run or played to its end, and
    result.json and a picture are written. A picture or video of a heap is measured without a window too with any of
    its own options (--scale, --horizon, --crop, --threshold, --begins, --computed); in the window the mouse sets these.
    """
    from repose.app.jobs.doctor import has_display
    from repose.app.jobs.shared import found_in, is_photo, is_video

    what = request.what
    if request.beside is not None:
        from repose.app.jobs.beside_job import compare_dump

        if request.changes or request.video or request.timestep is not None:
            refuse("--set, --video and --timestep are not for --beside: leave them out.")
        with _stopped_before_the_end():
            return compare_dump(Path(what), request.beside, request.radius, request.repeats, request.out, request.json)
    if (is_photo(what) or is_video(what)) and (request.changes or request.video or request.radius or request.timestep):
        refuse("--set, --video, --radius and --timestep are for runs and dumps: leave them out.")
    if not is_video(what) and (request.begins is not None or request.computed is not None):
        refuse("--begins and --computed are for a video of a heap: leave them out.")
    if is_photo(what):
        from repose.app.jobs.photo_job import measure_photo

        if request.window and not (request.json or request.out or request.marks.is_given) and has_display():
            from repose.app.window.start import run

            return run(photo=Path(what))
        return measure_photo(Path(what), request.marks, request.out, request.json)
    if is_video(what):
        from repose.app.jobs.video_job import measure_video

        given = request.json or request.out or request.marks.is_given or request.computed
        if request.window and request.begins is None and not given and has_display():
            from repose.app.window.start import run

            return run(photo=Path(what))
        return measure_video(Path(what), request.marks, request.begins, request.computed, request.out, request.json)
    if request.marks.is_given:
        refuse("--scale, --horizon, --crop and --threshold are for a picture of a heap: leave them out.")
    content = found_in(what, request.radius, request.timestep)
    if content.remark:
        print_line(content.remark)
    if request.window and not (request.json or request.video or request.out or request.changes) and has_display():
        from repose.app.window.start import run

        return run(content.preset, saved=content.run, lecture=content.lecture)
    if content.lecture is not None:
        refuse(
            f"{what} is a lecture, which is shown in the window. Without one, `repose lecture {what} "
            "--film FILE.mp4` makes a film of it, and --notes prints its notes."
        )
    from repose.app.jobs.headless_job import run_job
    from repose.app.jobs.headless_plan import plan

    job = plan(
        RunRequest(
            preset=content.preset,
            saved=content.run,
            ready=content.ready,
            changes=request.changes,
            out=request.out,
            json=request.json,
            video=request.video,
            film=request.film,
            picture=request.picture,
        )
    )
    return run_job(job)
