"""A clump made from a body, with mass properties, quality, the content of its file, and a table of results."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import Literal, NamedTuple, get_args

import numpy as np
from repose.sim.clumps.body import Body, body_of_triangles
from repose.sim.clumps.clump import MOST_MEMBERS, Clump, MassProperties, mass_properties
from repose.sim.clumps.clump_file import ClumpFile, ClumpQuality, file_of
from repose.sim.clumps.connected import parts_of, pieces_of
from repose.sim.clumps.distance_field import FEWEST_CELLS, Tell, part_of, silent
from repose.sim.clumps.fitted import fitted_clump
from repose.sim.clumps.greedy import greedy_clump
from repose.sim.clumps.quality import Quality, quality
from repose.sim.message import EMPTY, Message, Number, _, formatted, joined, length_text, plain
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text

Algorithm = Literal["fitted", "greedy"]
DEFAULT_RHO = 0.85
MOST_TRIED = {"fitted": 4000, "greedy": MOST_MEMBERS}
"""Largest number of spheres tried for a clump in one piece: 4000 fitted ones take half a minute, the others less."""
NEAR_ENOUGH = 1.25
"""Largest ratio of a number of spheres in one piece to the largest number known to leave several [-]."""

TETRAHEDRON = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
"""Corners of its faces, outwards; corner 0 is the origin, the others are on the axes."""


class Made(NamedTuple):
    """A clump with its properties."""

    body: Body
    clump: Clump
    mass: MassProperties
    quality: Quality
    file: ClumpFile
    pieces: int
    """Number of pieces; the spheres of a piece touch."""


class Row(NamedTuple):
    """One line of the table of a clump."""

    name: Message
    value: Message
    meaning: Message


def clump_of(body: Body, algorithm: str, members: int, rho: float = DEFAULT_RHO, tell: Tell = silent) -> Clump:
    """A clump of at most `members` spheres for a body; `rho` is a parameter of the greedy algorithm only.

    Raises `ParameterError` for values out of range, and for a body that no sphere represents on its grid.
    """
    clump = greedy_clump(body, members, rho, tell) if algorithm == "greedy" else fitted_clump(body, members, tell)
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


def examined(body: Body, clump: Clump, kappa: float = 0.5, tell: Tell = silent) -> Made:
    """The clump with its mass properties and its quality."""
    mass = mass_properties(clump, body.field.step, kappa, part_of(tell, 0.0, 0.2))
    found = quality(body, clump, kappa, tell=part_of(tell, 0.2, 1.0))
    numbers = {name: None if value != value else value for name, value in found._asdict().items()}
    file = file_of(clump, mass, body.volume, ClumpQuality.model_validate(numbers))
    return Made(body, clump, mass, found, file, number_of_pieces(clump))


def number_of_pieces(clump: Clump) -> int:
    """Number of pieces of a clump; the spheres of a piece overlap, directly or through others."""
    return int(pieces_of(clump.centre, clump.radius).max()) + 1


def why_apart(
    body: Body, clump: Clump, members: int, rho: float = DEFAULT_RHO, most: int | None = None, tell: Tell = silent
) -> Message:
    """Why a clump of at most `members` spheres falls apart, and a number of spheres that makes one piece, found by
    trying up to `most`; empty for a clump in one piece. For a clump that `clump_of` has made with `rho`."""
    pieces = number_of_pieces(clump)
    if pieces == 1:
        return EMPTY
    if (parts := parts_of(body.field)) > 1:
        return Message(
            "The body {name} has {parts} parts that do not touch on its grid: spheres do not connect "
            "them; use one part, or a finer grid.",
            name=repr(body.name),
            parts=parts,
        )
    spheres = len(clump.radius)
    most = max(members, MOST_TRIED[clump.algorithm] if most is None else most)
    if enough := _spheres_in_one_piece(body, clump.algorithm, members, rho, most, tell):
        return Message(
            "The clump of {spheres} spheres for {name} falls apart into {pieces} pieces: {enough} "
            "spheres make one piece.",
            spheres=spheres,
            name=repr(body.name),
            pieces=pieces,
            enough=enough,
        )
    return Message(
        "The clump of {spheres} spheres for {name} falls apart into {pieces} pieces, and so does every "
        "one tried, up to {most} spheres: use a body with thicker parts.",
        spheres=spheres,
        name=repr(body.name),
        pieces=pieces,
        most=most,
    )


def _spheres_in_one_piece(body: Body, algorithm: str, members: int, rho: float, most: int, tell: Tell) -> int:
    """A number of spheres above `members` that makes one piece, 0 if none up to `most` does: the number is doubled
    until there is one piece, then the interval is halved."""
    apart, whole, share = members, 0, 0.0
    while whole > NEAR_ENOUGH * apart + 1 or (whole == 0 and apart < most):
        number = (apart + whole) // 2 if whole else min(2 * apart, most)

        def told(words: str, part: float, number: int = number, share: float = share) -> None:
            tell(Message("several pieces: trying {number} spheres", number=number), share)

        told("", 0.0)
        if number_of_pieces(clump_of(body, algorithm, number, rho, told)) == 1:
            whole = number
        else:
            apart = number
        share += 0.2 * (1.0 - share)
    return whole


@cache
def compile_loops() -> None:
    """Compile all loops of this package, or load them from disk, with a small body.

    numba compiles for one thread at a time. While another thread compiles an engine, each loop would wait separately,
    in total as long as the whole engine takes; this function holds numba's lock for all loops.
    """
    from numba.core.compiler_lock import global_compiler_lock

    with global_compiler_lock:
        corners = np.concatenate([np.zeros((1, 3)), np.eye(3)])
        body = body_of_triangles("tetrahedron", corners[TETRAHEDRON], FEWEST_CELLS, 1.0)
        for algorithm in get_args(Algorithm):
            examined(body, clump_of(body, algorithm, 2))


def quality_rows(found: Quality) -> list[Row]:
    """The measures of quality."""
    return [
        Row(
            _("IoU"),
            Message("{overlap}", overlap=Number(found.overlap, format=".4f")),
            _("volume of the intersection of clump and body over that of their union"),
        ),
        Row(
            plain("Q_V"),
            Message("{volume_ratio}", volume_ratio=Number(found.volume_ratio, format=".4f")),
            _("volume of the clump over that of the body"),
        ),
        Row(
            plain("Q_r"),
            _("too thin")
            if math.isnan(found.roughness)
            else Message("{roughness}", roughness=Number(found.roughness, format=".4f")),
            _("share of the surface 1.5 steps below the body's that is outside the clump"),
        ),
        Row(
            _("surface error"),
            Message("{surface_error} %", surface_error=Number(100.0 * found.surface_error, format=".2f")),
            _("root mean square distance, in parts of the radius of a ball of the body's volume"),
        ),
        Row(
            _("outside"),
            Message("{protrusion} %", protrusion=Number(100.0 * found.protrusion, format=".2f")),
            _("of the volume of the clump is outside the body"),
        ),
    ]


def piece_rows(made: Made) -> list[Row]:
    """The number of pieces of a clump; empty for one piece."""
    words = _("that do not touch: more spheres close the gaps")
    return [Row(_("pieces"), plain(made.pieces), words)] if made.pieces > 1 else []


def in_space(values: Iterable[float], unit: str) -> Message:
    """Three numbers with their unit."""
    return joined((*(Number(float(value), format=".4g") for value in values), unit), " ")


def rows(made: Made, density: float) -> list[Row]:
    """The whole table; density in kg/m³."""
    body, clump, mass = made.body, made.clump, made.mass
    smallest, largest = length_text(clump.radius.min()), length_text(clump.radius.max())
    lines = [
        Row(
            _("body"),
            plain(body.name),
            Message(
                "volume {volume}; step of the grid {step}",
                volume=volume_text(body.volume),
                step=length_text(body.field.step),
            ),
        ),
        Row(
            _("spheres"),
            plain(len(clump.radius)),
            Message("radii {smallest} to {largest}", smallest=smallest, largest=largest),
        ),
        Row(_("volume"), volume_text(mass.volume), _("of the union of the spheres")),
        *quality_rows(made.quality),
        *piece_rows(made),
        Row(
            _("mass"),
            Message("{density} kg", density=Number(density * mass.volume, format=".6g")),
            Message("at {density} kg/m³", density=Number(density, format="g")),
        ),
        Row(_("centre of mass"), in_space([1e3 * c for c in mass.centre], "mm"), plain("x y z")),
        Row(_("moments of inertia"), in_space(density * mass.moments, "kg m²"), _("principal")),
    ]
    return lines + [Row(_("mesh"), _("repaired"), note) for note in body.notes]


def volume_text(volume: float) -> Message:
    """A volume with a unit that suits it."""
    for scale, unit in ((1.0, "m³"), (1e-3, "l"), (1e-6, "cm³"), (1e-9, "mm³")):
        if volume >= scale:
            return formatted(volume / scale, ".5g", unit)
    return formatted(volume / 1e-18, ".5g", "µm³")
