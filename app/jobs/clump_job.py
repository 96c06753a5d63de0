"""`repose clump`: approximate a body by spheres; table, file, picture, and files for other programs."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from repose.app.jobs.requests import ClumpRequest
from repose.app.jobs.result_folder import claim_for, reported
from repose.app.progress import Progress, print_line
from repose.app.signals import INTERRUPTED
from repose.app.stopping import StopAsked, stoppable
from repose.sim.message import Message, plural
from repose.sim.parameters import ParameterError
from repose.sim.wording import path_text

if TYPE_CHECKING:
    from repose.sim.clumps.clump import Clump
    from repose.sim.clumps.distance_field import ShowProgress
    from repose.sim.clumps.making import ClumpResult
    from repose.sim.io.atomic_file import Claim

DONE, NOT_ALL = 0, 1


def run_clump(request: ClumpRequest) -> tuple[int, ClumpResult | None]:
    """Make the clump and write the files asked for; returns the exit code and the clump, None if it was stopped."""
    named = {"--out": request.out, "--picture": request.picture}
    wanted = [(option, path) for option, path in named.items() if path is not None]
    wanted += [("--export", path) for path in request.export]
    with ExitStack() as stack:
        places: dict[Path, Claim] = {}
        for option, path in wanted:
            places[path] = claim_for(option, path)
            stack.callback(places[path].release)
        title = plural(
            "Clump of at most {count} sphere for {name}",
            "Clump of at most {count} spheres for {name}",
            count=request.spheres,
            name=path_text(request.source),
        )
        with Progress(str(title), quiet=request.json) as progress, stoppable() as stop:

            def show_progress(words: Message, share: float) -> None:
                stop.check()
                progress.show(str(words), share)

            try:
                made = make(request, show_progress)
            except StopAsked:
                print_line("Stopped before the end; nothing was written.")
                return INTERRUPTED, None
        errors = [reported(path, partial(_write, request, made, path, claim)) for path, claim in places.items()]
        return NOT_ALL if any(errors) else DONE, made


def _write(request: ClumpRequest, made: ClumpResult, path: Path, claim: Claim) -> None:
    """Write one of the files asked for; raises `OSError`."""
    from repose.sim.clumps.exports import exported

    if path == request.picture:
        from repose.app.jobs.clump_picture import write_picture

        claim.write(lambda file: write_picture(made.body, made.clump, facts(made), file))
        return
    text = clump_text(made) if path == request.out else exported(made.clump, made.mass, request.density, path)
    claim.write(lambda file: file.write(text.encode()))


def make(request: ClumpRequest, show_progress: ShowProgress) -> ClumpResult:
    """The clump, its mass properties and quality; `show_progress(words, share)` is called between parts of the work.
    Raises `ParameterError` for a clump that falls apart and for a poor fit, unless the request allows them."""
    from repose.sim.clumps.body import body_of
    from repose.sim.clumps.clump import require_planes
    from repose.sim.clumps.distance_field import part_of
    from repose.sim.clumps.making import DEFAULT_RHO, clump_of, examined, fits, why_apart, why_poor

    body = body_of(request.source, request.grid, request.size, request.unit, part_of(show_progress, 0.0, 0.3))
    require_planes([nodes / request.kappa for nodes in body.field.depth.shape])
    members, rho, kappa = request.spheres, DEFAULT_RHO if request.rho is None else request.rho, request.kappa
    clump = clump_of(body, request.algorithm, members, rho, part_of(show_progress, 0.3, 0.6))
    trying = part_of(show_progress, 0.6, 0.7), part_of(show_progress, 0.9, 1.0)

    def does(tried: Clump) -> bool:
        return request.allow_poor_fit or fits(body, tried, kappa)

    one_piece = not request.allow_pieces
    if one_piece and (reason := why_apart(body, clump, members, rho, None, trying[0], does)):
        raise ParameterError(f"{reason} With --allow-pieces it is made as it is.")
    made = examined(body, clump, kappa, part_of(show_progress, 0.7, 0.9))
    overlap = made.quality.overlap
    if not request.allow_poor_fit and (
        why := why_poor(body, clump, overlap, members, rho, kappa, one_piece, trying[1])
    ):
        raise ParameterError(f"{why} With --allow-poor-fit it is made as it is.")
    return made


def clump_text(made: ClumpResult) -> str:
    """The clump as the text of its file."""
    from repose.sim.clumps.clump_file import text_of

    return text_of(made.file)


def facts(made: ClumpResult) -> str:
    """The line under the picture."""
    quality = made.quality
    return (
        f"$Q_V$ = {quality.volume_ratio:.3f}    $Q_r$ = {quality.roughness:.3f}    IoU = {quality.overlap:.3f}    "
        f"surface error {100.0 * quality.surface_error:.1f} %    "
        f"volume outside the body {100.0 * quality.protrusion:.1f} %"
    )
