"""`repose clump`: approximate a body by spheres; table, file, picture, and files for other programs."""

from __future__ import annotations

import dataclasses
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from repose.app.jobs.headless_job import claim_for
from repose.app.progress import Progress, print_line
from repose.app.signals import INTERRUPTED
from repose.app.stopping import StopAsked, stoppable
from repose.sim.message import Message, plural
from repose.sim.parameters import ParameterError
from repose.sim.wording import path_text, reason_of, value_text

if TYPE_CHECKING:
    from repose.sim.clumps.clump import Clump
    from repose.sim.clumps.distance_field import ShowProgress
    from repose.sim.clumps.making import Made
    from repose.sim.io.atomic_file import Claim

DONE, NOT_ALL = 0, 1


@dataclass(frozen=True)
class ClumpRequest:
    """The arguments of `repose clump`, which the help of its options explains."""

    source: str
    spheres: int = 50
    algorithm: str = "fitted"
    rho: float | None = None
    grid: int = 64
    size: float | None = None
    """Longest edge of the body [m]; None for the default."""
    unit: str = "mm"
    kappa: float = 0.5
    density: float = 2500.0
    """Density of the material [kg/m³]."""
    out: Path | None = None
    picture: Path | None = None
    exports: tuple[Path, ...] = ()
    allow_pieces: bool = False
    """Whether a clump that falls apart is made."""
    allow_poor_fit: bool = False
    """Whether a clump is made that differs from the body in more than they have in common."""


def checked(request: ClumpRequest) -> ClumpRequest:
    """The request with its defaults; raises `ParameterError` for values out of range, before any work begins."""
    from repose.sim.clumps.clump import checked_kappa
    from repose.sim.clumps.exports import FORMATS
    from repose.sim.clumps.greedy import checked_count, checked_rho
    from repose.sim.clumps.making import DEFAULT_RHO, Algorithm
    from repose.sim.io.mesh import UNITS

    if request.algorithm not in get_args(Algorithm):
        raise ParameterError(
            f"--algorithm {value_text(request.algorithm)} is refused: it is {' or '.join(get_args(Algorithm))}."
        )
    if request.unit not in UNITS:
        raise ParameterError(f"--unit {value_text(request.unit)} is refused: it is {', '.join(UNITS)}.")
    if request.rho is not None and request.algorithm != "greedy":
        raise ParameterError("--rho belongs to --algorithm greedy; add it, or leave --rho out.")
    if not 0.0 < request.density <= 1e5:
        raise ParameterError(f"--density {request.density:g} is refused: it is above 0 and at most 100000 kg/m³.")
    checked_count(request.spheres)
    checked_kappa(request.kappa)
    rho = checked_rho(DEFAULT_RHO if request.rho is None else request.rho)
    if request.out is not None and request.out.suffix.lower() != ".json":
        raise ParameterError(f"--out {path_text(request.out)}: its ending must be .json.")
    for path in request.exports:
        if path.suffix.lower() not in FORMATS:
            raise ParameterError(
                f"--export {path_text(path)}: its ending must be .mol (LAMMPS molecule), .rigid (LAMMPS fix rigid) "
                "or .txt (YADE)."
            )
    if request.picture is not None and request.picture.suffix.lower() != ".png":
        raise ParameterError(f"--picture {path_text(request.picture)}: its ending must be .png.")
    return dataclasses.replace(request, rho=rho)


def run_clump(request: ClumpRequest, quiet: bool = False) -> tuple[int, Made | None]:
    """Make the clump and write the files asked for; returns the exit code and the clump, None if it was stopped."""
    request = checked(request)
    named = {"--out": request.out, "--picture": request.picture}
    wanted = [(option, path) for option, path in named.items() if path is not None]
    wanted += [("--export", path) for path in request.exports]
    with ExitStack() as stack:
        places: dict[Path, Claim] = {}
        for option, path in wanted:
            if not path.parent.is_dir():
                raise ParameterError(
                    f"{option} {path_text(path)}: the folder {path_text(path.parent)} does not exist; create it first."
                )
            places[path] = claim_for(option, path)
            stack.callback(places[path].release)
        title = plural(
            "Clump of at most {count} sphere for {name}",
            "Clump of at most {count} spheres for {name}",
            count=request.spheres,
            name=path_text(request.source),
        )
        with Progress(str(title), quiet=quiet) as progress, stoppable() as stop:

            def show_progress(words: Message, share: float) -> None:
                stop.check()
                progress.show(str(words), share)

            try:
                made = make(request, show_progress)
            except StopAsked:
                print_line("Stopped before the end; nothing was written.")
                return INTERRUPTED, None
        code = DONE
        for path, claim in places.items():
            try:
                _write(request, made, path, claim)
            except OSError as error:
                print_line(f"{path} could not be written: {reason_of(error)}.")
                code = NOT_ALL
        return code, made


def _write(request: ClumpRequest, made: Made, path: Path, claim: Claim) -> None:
    """Write one of the files asked for; raises `OSError`."""
    from repose.sim.clumps.exports import exported

    if path == request.picture:
        from repose.app.jobs.clump_picture import write_picture

        claim.write(lambda file: write_picture(made.body, made.clump, facts(made), file))
        return
    text = text_of_made(made) if path == request.out else exported(made.clump, made.mass, request.density, path)
    claim.write(lambda file: file.write(text.encode()))


def make(request: ClumpRequest, show_progress: ShowProgress) -> Made:
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
    found = made.quality.overlap
    if not request.allow_poor_fit and (why := why_poor(body, clump, found, members, rho, kappa, one_piece, trying[1])):
        raise ParameterError(f"{why} With --allow-poor-fit it is made as it is.")
    return made


def text_of_made(made: Made) -> str:
    """The clump as the text of its file."""
    from repose.sim.clumps.clump_file import text_of

    return text_of(made.file)


def facts(made: Made) -> str:
    """The line under the picture."""
    quality = made.quality
    return (
        f"$Q_V$ = {quality.volume_ratio:.3f}    $Q_r$ = {quality.roughness:.3f}    IoU = {quality.overlap:.3f}    "
        f"surface error {100.0 * quality.surface_error:.1f} %    "
        f"volume outside the body {100.0 * quality.protrusion:.1f} %"
    )
