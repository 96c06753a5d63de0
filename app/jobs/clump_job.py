"""`repose clump`: approximate a body by spheres; table, file, picture, and files for other programs."""

from __future__ import annotations

import dataclasses
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from repose.app.jobs.headless_job import claim_for
from repose.app.progress import Progress, say
from repose.app.signals import INTERRUPTED
from repose.app.stopping import StopAsked, stoppable
from repose.sim.numbers import length_text
from repose.sim.parameters import ParameterError

if TYPE_CHECKING:
    from repose.sim.clumps.body import Body
    from repose.sim.clumps.clump import Clump, MassProperties
    from repose.sim.clumps.clump_file import ClumpFile
    from repose.sim.clumps.distance_field import Tell
    from repose.sim.clumps.quality import Quality
    from repose.sim.io.atomic_file import Claim

DONE, NOT_ALL = 0, 1
ALGORITHMS = ("fitted", "greedy")


@dataclass(frozen=True)
class Request:
    """What the command line asks for; see the help of its options."""

    source: str
    spheres: int = 50
    algorithm: str = "fitted"
    rho: float | None = None
    grid: int = 64
    size: float | None = None
    """[m]."""
    unit: str = "mm"
    kappa: float = 0.5
    density: float = 2500.0
    """[kg/m³]."""
    out: Path | None = None
    picture: Path | None = None
    exports: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Made:
    """A clump and what is known of it."""

    body: Body
    clump: Clump
    mass: MassProperties
    quality: Quality
    file: ClumpFile


DEFAULT_RHO = 0.85


def checked(request: Request) -> Request:
    """The request with its defaults; raises `ParameterError` for values out of range, before any work begins."""
    from repose.sim.clumps.clump import checked_kappa
    from repose.sim.clumps.exports import FORMATS
    from repose.sim.clumps.greedy import checked_count, checked_rho
    from repose.sim.io.mesh import UNITS

    if request.algorithm not in ALGORITHMS:
        raise ParameterError(f"--algorithm {request.algorithm!r} is refused: it is {' or '.join(ALGORITHMS)}.")
    if request.unit not in UNITS:
        raise ParameterError(f"--unit {request.unit!r} is refused: it is {', '.join(UNITS)}.")
    if request.rho is not None and request.algorithm != "greedy":
        raise ParameterError("--rho belongs to --algorithm greedy; add it, or leave --rho out.")
    if not 0.0 < request.density <= 1e5:
        raise ParameterError(f"--density {request.density:g} is refused: it is above 0 and at most 100000 kg/m³.")
    checked_count(request.spheres)
    checked_kappa(request.kappa)
    rho = checked_rho(DEFAULT_RHO if request.rho is None else request.rho)
    for path in request.exports:
        if path.suffix.lower() not in FORMATS:
            raise ParameterError(
                f"--export {path}: its ending must be .mol (LAMMPS molecule), .rigid (LAMMPS fix rigid) or .txt (YADE)."
            )
    if request.picture is not None and request.picture.suffix.lower() != ".png":
        raise ParameterError(f"--picture {request.picture}: its ending must be .png.")
    return dataclasses.replace(request, rho=rho)


def run_clump(request: Request, quiet: bool = False) -> tuple[int, Made | None]:
    """Make the clump and write the files asked for; returns the exit code and the clump, None if it was stopped."""
    request = checked(request)
    named = {"--out": request.out, "--picture": request.picture}
    wanted = [(option, path) for option, path in named.items() if path is not None]
    wanted += [("--export", path) for path in request.exports]
    with ExitStack() as stack:
        places: dict[Path, Claim] = {}
        for option, path in wanted:
            if not path.parent.is_dir():
                raise ParameterError(f"{option} {path}: the folder {path.parent} does not exist; create it first.")
            places[path] = claim_for(option, path)
            stack.callback(places[path].release)
        title = f"Clump of at most {request.spheres} spheres for {request.source}"
        with Progress(title, quiet=quiet) as progress, stoppable() as stop:

            def tell(words: str, share: float) -> None:
                stop.check()
                progress.show(words, share)

            try:
                made = make(request, tell)
            except StopAsked:
                say("Stopped before the end; nothing was written.")
                return INTERRUPTED, None
        code = DONE
        for path, place in places.items():
            try:
                _write(request, made, path, place)
            except OSError as error:
                say(f"{path} could not be written: {error.strerror or error}.")
                code = NOT_ALL
        return code, made


def _write(request: Request, made: Made, path: Path, place: Claim) -> None:
    """Write one of the files asked for; raises `OSError`."""
    from repose.sim.clumps.exports import exported

    if path == request.picture:
        from repose.app.jobs.clump_picture import write_picture

        place.write(lambda file: write_picture(made.body, made.clump, facts(made), file))
        return
    text = text_of_made(made) if path == request.out else exported(made.clump, made.mass, request.density, path)
    place.write(lambda file: file.write(text.encode()))


def make(request: Request, tell: Tell) -> Made:
    """The clump, its mass properties and quality; `tell(words, share)` is called between parts of the work."""
    from repose.sim.clumps.body import body_of
    from repose.sim.clumps.clump import mass_properties
    from repose.sim.clumps.clump_file import ClumpQuality, file_of
    from repose.sim.clumps.fitted import fitted_clump
    from repose.sim.clumps.greedy import greedy_clump
    from repose.sim.clumps.quality import quality

    def part(first: float, last: float) -> Tell:
        return lambda words, share: tell(words, first + (last - first) * share)

    body = body_of(request.source, request.grid, request.size, request.unit, part(0.0, 0.3))
    placing = part(0.3, 0.7)
    if request.algorithm == "greedy":
        clump = greedy_clump(body, request.spheres, request.rho or DEFAULT_RHO, placing)
    else:
        clump = fitted_clump(body, request.spheres, placing)
    if not clump.radius.size:
        raise ParameterError(
            f"No sphere overlaps the body {request.source!r} enough on a grid of {request.grid} cells: it is too thin; "
            "use a finer --grid, or --algorithm greedy."
        )
    mass = mass_properties(clump, body.field.step, request.kappa, part(0.7, 0.75))
    found = quality(body, clump, request.kappa, tell=part(0.75, 1.0))
    numbers = {name: None if value != value else value for name, value in found._asdict().items()}
    return Made(body, clump, mass, found, file_of(clump, mass, body.volume, ClumpQuality.model_validate(numbers)))


def rows(made: Made, density: float) -> list[tuple[str, str, str]]:
    """The table: quantity, value, meaning."""
    body, clump, mass, found = made.body, made.clump, made.mass, made.quality
    step = body.field.step
    moments = " ".join(f"{density * moment:.4g}" for moment in mass.moments)
    lines = [
        ("body", body.name, f"volume {volume_text(body.volume)}; step of the grid {length_text(step)}"),
        (
            "spheres",
            str(len(clump.radius)),
            f"radii {length_text(clump.radius.min())} to {length_text(clump.radius.max())}",
        ),
        ("volume", volume_text(mass.volume), "of the union of the spheres"),
        ("Q_V", f"{found.volume_ratio:.4f}", "volume of the clump over that of the body"),
        ("Q_r", f"{found.roughness:.4f}", "share of the surface 1.5 steps below the body's that is outside the clump"),
        ("IoU", f"{found.overlap:.4f}", "volume of the intersection of clump and body over that of their union"),
        (
            "surface error",
            f"{100.0 * found.surface_error:.2f} %",
            "root mean square distance, in parts of the radius of a ball of the body's volume",
        ),
        ("outside", f"{100.0 * found.protrusion:.2f} %", "of the volume of the clump is outside the body"),
        ("mass", f"{density * mass.volume:.6g} kg", f"at {density:g} kg/m³"),
        ("centre of mass", " ".join(f"{1e3 * c:.4g}" for c in mass.centre) + " mm", "x y z"),
        ("moments of inertia", moments + " kg m²", "principal"),
    ]
    return lines + [("mesh", "repaired", note) for note in body.notes]


def text_of_made(made: Made) -> str:
    """The clump as the text of its file."""
    from repose.sim.clumps.clump_file import text_of

    return text_of(made.file)


def facts(made: Made) -> str:
    """The line under the picture."""
    found = made.quality
    return (
        f"$Q_V$ = {found.volume_ratio:.3f}    $Q_r$ = {found.roughness:.3f}    IoU = {found.overlap:.3f}    "
        f"surface error {100.0 * found.surface_error:.1f} %    volume outside the body {100.0 * found.protrusion:.1f} %"
    )


def volume_text(volume: float) -> str:
    """A volume with a unit that suits it."""
    for scale, unit in ((1.0, "m³"), (1e-3, "l"), (1e-6, "cm³"), (1e-9, "mm³")):
        if volume >= scale:
            return f"{volume / scale:.5g} {unit}"
    return f"{volume / 1e-18:.5g} µm³"
