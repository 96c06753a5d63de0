"""A clump made from a body, with mass properties, quality, the content of its file, and a table of results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import Literal, NamedTuple, get_args

import numpy as np
from repose.sim.clumps.body import Body, body_of_triangles
from repose.sim.clumps.clump import MOST_MEMBERS, Clump, MassProperties, mass_properties
from repose.sim.clumps.clump_file import ClumpFile, ClumpQuality, file_of
from repose.sim.clumps.connected import parts_of, pieces_of
from repose.sim.clumps.distance_field import FEWEST_CELLS, ShowProgress, part_of, silent
from repose.sim.clumps.fitted import fitted_clump
from repose.sim.clumps.greedy import greedy_clump
from repose.sim.clumps.quality import Quality, overlap_volumes, quality
from repose.sim.message import EMPTY, Message, Number, Value, _, formatted, joined, length_text, plain, plural
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text

Algorithm = Literal["fitted", "greedy"]
DEFAULT_RHO = 0.85
MOST_TRIED = {"fitted": 4000, "greedy": MOST_MEMBERS}
"""Largest number of spheres tried for a clump in one piece: 4000 fitted ones take half a minute, the others less."""
NEAR_ENOUGH = 1.25
"""Largest ratio of a number of spheres in one piece to the largest number known to leave several [-]."""

POOR_FIT = 0.5
"""Overlap (IoU) below which a clump does not stand for its body [-]: the volume in which they differ, the union without
the intersection, is then larger than the volume that they have in common."""

TETRAHEDRON = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
"""Corners of its faces, outwards; corner 0 is the origin, the others are on the axes."""


class ClumpResult(NamedTuple):
    """A clump with its properties."""

    body: Body
    clump: Clump
    mass: MassProperties
    quality: Quality
    file: ClumpFile
    pieces: int
    """Number of pieces; the spheres of a piece touch."""


class ClumpRow(NamedTuple):
    """One line of the table of a clump."""

    name: Message
    value: Message
    meaning: Message


def clump_of(
    body: Body, algorithm: str, members: int, rho: float = DEFAULT_RHO, show_progress: ShowProgress = silent
) -> Clump:
    """A clump of at most `members` spheres for a body; `rho` is a parameter of the greedy algorithm only.

    Raises `ParameterError` for values out of range, and for a body that no sphere represents on its grid.
    """
    clump = (
        greedy_clump(body, members, rho, show_progress)
        if algorithm == "greedy"
        else fitted_clump(body, members, show_progress)
    )
    if not clump.radius.size:
        raise ParameterError(
            Message(
                "No sphere overlaps the body {name} enough on its grid, whose step is {step}: it is too "
                "thin; use a finer grid, or the algorithm greedy.",
                name=value_text(body.name),
                step=length_text(body.field.step),
            )
        )
    return clump


def examined(body: Body, clump: Clump, kappa: float = 0.5, show_progress: ShowProgress = silent) -> ClumpResult:
    """The clump with its mass properties and its quality."""
    mass = mass_properties(clump, body.field.step, kappa, part_of(show_progress, 0.0, 0.2))
    measured = quality(body, clump, kappa, show_progress=part_of(show_progress, 0.2, 1.0))
    numbers = {name: None if value != value else value for name, value in measured._asdict().items()}
    file = file_of(clump, mass, body.volume, ClumpQuality.model_validate(numbers))
    return ClumpResult(body, clump, mass, measured, file, number_of_pieces(clump))


def number_of_pieces(clump: Clump) -> int:
    """Number of pieces of a clump; the spheres of a piece overlap, directly or through others."""
    return int(pieces_of(clump.centre, clump.radius).max()) + 1


def why_apart(
    body: Body,
    clump: Clump,
    members: int,
    rho: float = DEFAULT_RHO,
    most: int | None = None,
    show_progress: ShowProgress = silent,
    does: Callable[[Clump], bool] = lambda tried: True,
) -> Message:
    """Why a clump of at most `members` spheres falls apart, and a number of spheres that makes one piece that also
    `does`, found by trying up to `most`; empty for a clump in one piece. For a clump that `clump_of` has made with
    `rho`."""
    pieces = number_of_pieces(clump)
    if pieces == 1:
        return EMPTY
    if (parts := parts_of(body.field)) > 1:
        return plural(
            "The body {name} has {count} part that do not touch on its grid: spheres do not connect "
            "them; use one part, or a finer grid.",
            "The body {name} has {count} parts that do not touch on its grid: spheres do not connect "
            "them; use one part, or a finer grid.",
            count=parts,
            name=repr(body.name),
        )
    most = max(members, MOST_TRIED[clump.algorithm] if most is None else most)
    in_one_piece = []

    def whole(tried: Clump) -> bool:
        if number_of_pieces(tried) > 1:
            return False
        in_one_piece.append(tried)
        return does(tried)

    search = _enough_spheres(body, clump, members, rho, most, whole, show_progress)
    words: dict[str, Value] = {
        "clump": _subject(body, clump),
        "pieces": plural("{count} piece", "{count} pieces", count=pieces),
    }
    if search.enough:
        enough = plural("{count} sphere makes one piece", "{count} spheres make one piece", count=search.enough)
        return Message("{clump} falls apart into {pieces}: {enough}.", **words, enough=enough)
    if in_one_piece:
        return Message(
            "{clump} falls apart into {pieces}, and those in one piece have an overlap (IoU) with the body of less "
            "than {poor_fit}, {tried}: use a body with thicker parts, or a finer grid.",
            **words,
            poor_fit=Number(POOR_FIT, format="g"),
            tried=_up_to(search.largest),
        )
    return Message(
        "{clump} falls apart into {pieces}, and so does every one tried, {tried}: use a body with thicker parts.",
        **words,
        tried=_up_to(search.largest),
    )


def _subject(body: Body, clump: Clump) -> Message:
    """The clump as the subject of a sentence."""
    return plural(
        "The clump of {count} sphere for {name}",
        "The clump of {count} spheres for {name}",
        count=len(clump.radius),
        name=repr(body.name),
    )


def _up_to(spheres: int) -> Message:
    """The numbers of spheres that were tried."""
    return plural("up to {count} sphere", "up to {count} spheres", count=spheres)


def fits(body: Body, clump: Clump, kappa: float = 0.5) -> bool:
    """Whether the overlap (IoU) of clump and body is at least `POOR_FIT`, by points kappa steps of its grid apart."""
    common, of_clump, of_body = overlap_volumes(body, clump, kappa)
    return common >= POOR_FIT * (of_clump + of_body - common)


def why_poor(
    body: Body,
    clump: Clump,
    overlap: float,
    members: int,
    rho: float = DEFAULT_RHO,
    kappa: float = 0.5,
    one_piece: bool = True,
    show_progress: ShowProgress = silent,
) -> Message:
    """Why a clump of at most `members` spheres with this overlap (IoU) does not stand for its body, and what does, by
    trying: a number of spheres, or the algorithm fitted; empty from `POOR_FIT` on. For a clump that `clump_of` has made
    with `rho`; with `one_piece` only clumps in one piece are named."""
    if overlap >= POOR_FIT:
        return EMPTY

    def does(tried: Clump) -> bool:
        return (not one_piece or number_of_pieces(tried) == 1) and fits(body, tried, kappa)

    others = ["fitted"] if clump.algorithm == "greedy" else []
    words: dict[str, Value] = {
        "clump": _subject(body, clump),
        "found": Number(overlap, format=".2g"),
        "poor_fit": Number(POOR_FIT, format="g"),
    }
    largest = 0
    for number, algorithm in enumerate([clump.algorithm, *others]):
        most = max(members, MOST_TRIED[algorithm])
        part = part_of(show_progress, 0.5 * number, 0.5 * (number + 1))
        search = _enough_spheres(body, clump._replace(algorithm=algorithm), members, rho, most, does, part)
        if search.enough:
            enough = plural(
                "{count} sphere of the algorithm {algorithm} has more",
                "{count} spheres of the algorithm {algorithm} have more",
                count=search.enough,
                algorithm=algorithm,
            )
            return Message(
                "{clump} has an overlap (IoU) of {found} with it, less than {poor_fit}: {enough}.",
                **words,
                enough=enough,
            )
        largest = max(largest, search.largest)
    return Message(
        "{clump} has an overlap (IoU) of {found} with it, less than {poor_fit}, and so has every one tried, {tried}: "
        "use a body with thicker parts, or a finer grid.",
        **words,
        tried=_up_to(largest),
    )


class _Search(NamedTuple):
    """What a search for a number of spheres has found."""

    enough: int
    """A number of spheres whose clump does; 0 if none was found."""
    largest: int
    """Largest number of spheres that was tried; a clump can have fewer."""


def _enough_spheres(
    body: Body,
    clump: Clump,
    members: int,
    rho: float,
    most: int,
    does: Callable[[Clump], bool],
    show_progress: ShowProgress,
) -> _Search:
    """Search above `members` for a number of spheres whose clump does, with the algorithm of a clump that does not: the
    number is doubled up to `most` until one does, then the interval is halved."""
    few, enough, share, largest = members, 0, 0.0, members
    while enough > NEAR_ENOUGH * few + 1 or (enough == 0 and few < most):
        number = (few + enough) // 2 if enough else min(2 * few, most)

        def show_number(words: Message, part: float, number: int = number, share: float = share) -> None:
            show_progress(plural("trying {count} sphere", "trying {count} spheres", count=number), share)

        show_number(EMPTY, 0.0)
        tried = clump_of(body, clump.algorithm, number, rho, show_number)
        largest = max(largest, number)
        if does(tried):
            enough = number
        elif clump.algorithm == "greedy" and len(tried.radius) < number:
            # The body has no room for more. Fitting takes spheres away for other reasons too: of 80 in a plate 50 times
            # as wide as thick it leaves 9, of 1280 all of them.
            break
        else:
            few = number
        share += 0.2 * (1.0 - share)
    return _Search(enough, largest)


@cache
def compile_loops() -> None:
    """Compile all loops of this package, or load them from disk, with a small body.

    numba compiles for one thread at a time. While another thread compiles an engine, each loop would wait separately,
    in total as long as the whole engine takes; this function holds numba's lock for all loops.
    """
    from repose.sim.engine.compiler import global_compiler_lock

    with global_compiler_lock:
        corners = np.concatenate([np.zeros((1, 3)), np.eye(3)])
        body = body_of_triangles("tetrahedron", corners[TETRAHEDRON], FEWEST_CELLS, 1.0)
        for algorithm in get_args(Algorithm):
            examined(body, clump_of(body, algorithm, 2))


def quality_rows(measured: Quality) -> list[ClumpRow]:
    """The measures of quality, without the share outside the body."""
    return [
        ClumpRow(
            _("IoU"),
            Message("{overlap}", overlap=Number(measured.overlap, format=".4f")),
            _("volume of the intersection of clump and body over that of their union"),
        ),
        ClumpRow(
            plain("Q_V"),
            Message("{volume_ratio}", volume_ratio=Number(measured.volume_ratio, format=".4f")),
            _("volume of the clump over that of the body"),
        ),
        ClumpRow(
            plain("Q_r"),
            _("too thin")
            if math.isnan(measured.roughness)
            else Message("{roughness}", roughness=Number(measured.roughness, format=".4f")),
            _("share of the surface 1.5 steps below the body's that is outside the clump"),
        ),
        ClumpRow(
            _("surface error"),
            Message("{surface_error} %", surface_error=Number(100.0 * measured.surface_error, format=".2f")),
            _("root mean square distance, in parts of the radius of a ball of the body's volume"),
        ),
    ]


def outside_row(measured: Quality) -> ClumpRow:
    """The share of the clump outside the body."""
    return ClumpRow(
        _("outside"),
        Message("{protrusion} %", protrusion=Number(100.0 * measured.protrusion, format=".2f")),
        _("of the volume of the clump is outside the body"),
    )


def piece_rows(made: ClumpResult) -> list[ClumpRow]:
    """The number of pieces of a clump; empty for one piece."""
    words = _("that do not touch: more spheres close the gaps")
    return [ClumpRow(_("pieces"), plain(made.pieces), words)] if made.pieces > 1 else []


def in_space(values: Iterable[float], unit: str) -> Message:
    """Three numbers with their unit."""
    return joined((*(Number(float(value), format=".4g") for value in values), unit), " ")


def rows(made: ClumpResult, density: float) -> list[ClumpRow]:
    """The whole table; density in kg/m³."""
    body, clump, mass = made.body, made.clump, made.mass
    smallest, largest = length_text(clump.radius.min()), length_text(clump.radius.max())
    lines = [
        ClumpRow(
            _("body"),
            plain(body.name),
            Message(
                "volume {volume}; step of the grid {step}",
                volume=volume_text(body.volume),
                step=length_text(body.field.step),
            ),
        ),
        ClumpRow(
            _("spheres"),
            plain(len(clump.radius)),
            Message("radii {smallest} to {largest}", smallest=smallest, largest=largest),
        ),
        ClumpRow(_("volume"), volume_text(mass.volume), _("of the union of the spheres")),
        *quality_rows(made.quality),
        outside_row(made.quality),
        *piece_rows(made),
        ClumpRow(
            _("mass"),
            Message("{density} kg", density=Number(density * mass.volume, format=".6g")),
            Message("at {density} kg/m³", density=Number(density, format="g")),
        ),
        ClumpRow(_("centre of mass"), in_space([1e3 * c for c in mass.centre], "mm"), plain("x y z")),
        ClumpRow(_("moments of inertia"), in_space(density * mass.moments, "kg m²"), _("principal")),
    ]
    return lines + [ClumpRow(_("mesh"), _("repaired"), note) for note in body.notes]


def volume_text(volume: float) -> Message:
    """A volume with a unit that suits it."""
    for scale, unit in ((1.0, "m³"), (1e-3, "l"), (1e-6, "cm³"), (1e-9, "mm³")):
        if volume >= scale:
            return formatted(volume / scale, ".5g", unit)
    return formatted(volume / 1e-18, ".5g", "µm³")
