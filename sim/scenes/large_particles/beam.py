"""A cantilever with a weak middle bends under the load of its free end, breaks there, and the loose part falls.

Maier's task 3: the columns 40 < j < 50 of his beam have the stiffness 300 instead of 1000, and the particles near its
end carry an additional force of 5. His units are not preserved. This beam has the same weak columns, at 40 to 50 % of
its length, with the relative stiffness 0.3; the load is additional mass of its last columns. A bond breaks at the
stretch `bond_strength`. Equal forces stretch weak bonds more: the beam breaks in the middle, although the bending
moment is largest at the clamp. A clamp of fixed particles holds the first columns.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from annotated_types import Le
from numpy.typing import NDArray
from repose.sim.direction import OWN, Direction
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene, SceneView
from repose.sim.measure.display import Answer, Axis, Outcome, Part, Reading
from repose.sim.message import Message, Number, _, plural
from repose.sim.parameters import count, number
from repose.sim.scenes.common.timed_course import column, times
from repose.sim.scenes.large_particles.particles import (
    BODY_LIMITS,
    DIAMETER,
    HELD,
    RADIUS,
    VOLUME,
    BodyParameters,
    BodyTask,
    BondStiffness,
    BondViscosity,
    Box,
    Duration,
    Plotted,
    Repelling,
    Step,
    body_course,
    body_model,
    equals,
    exceeds,
    from_parameters,
    ground,
    lattice,
    lies_between,
    motion_of,
    new_world,
    pieces,
    plotted,
    upward_plane,
    with_body,
)

MASS = 300.0 * VOLUME
"""Mass of a particle [kg]."""
CLAMPED, LOADED = 2, 3
"""Columns held by the clamp, and columns that carry the load."""
WEAK = 0.4, 0.5
"""The weak columns as shares of the length (Maier) [-]."""
WEAKENED, LOADED_END = 1, 2
"""Layers of the weak middle and of the loaded columns; the rest of the beam has the layer 0."""
DEPTH = 0.45
"""Distance from the beam to the floor [m]."""
PARTED = 0.3
"""Least fraction of the particles for a loose part to count as the end of the beam, not as splinters [-]."""
ALLOWED = 0.01
"""Relative error of the acceleration of the falling part; while nothing touches it, its centre of mass falls freely."""


class BeamParameters(Repelling, BodyParameters):
    """A beam with a clamp on the left and a load on the right, in SI."""

    # fmt: off
    length: int = count(40, 12, 80, _("length of the beam"), "n", effect="restart", group=_("Geometry"),
        help=_("Columns of particles. Takes effect at the next start."))
    rows: int = count(5, 2, 10, _("height of the beam"), "m", effect="restart", group=_("Geometry"),
        help=_("Rows of particles. Takes effect at the next start."))
    weakness: float = number(0.3, 0.01, 1.0, _("stiffness of the weak "
                                               "middle"), "s", effect="restart", group=_("Geometry"),
        help=_("Over that of the rest; 0.3 in the source, 1 for a beam without defects. At the next start."))
    load: float = number(0.15, 0.0, 1.0, _("load"), "M", "g", effect="restart", group=_("Geometry"),
        help=_("Additional mass of the last columns. Takes effect at the next start."))
    bond_strength: float = number(0.05, 1e-3, 0.5, _("strength"), "ε", "%", group=_("Particles"),
        help=_("Stretch at which a bond breaks."))
    # fmt: on
    bond_stiffness: BondStiffness = 2e4
    bond_viscosity: Annotated[BondViscosity, Le(3.0)] = 0.3
    dt: Step = 4e-5
    duration: Duration = 1.0


def start(parameters: BeamParameters, seed: int) -> World:
    """The beam, its first columns held by the clamp, above a floor."""
    centres = lattice(parameters.length, parameters.rows)
    position = np.tile(np.arange(parameters.length), parameters.rows)
    mass = np.full(position.size, MASS)
    loaded = position >= parameters.length - LOADED
    mass[loaded] += parameters.load / loaded.sum()
    world = with_body(new_world(), centres, mass, 0, is_weak(parameters), parameters.weakness)
    world.layer[is_weak(parameters)], world.layer[loaded], world.layer[position < CLAMPED] = WEAKENED, LOADED_END, HELD
    return set_walls(world, [PLANE], upward_plane(-DEPTH))


def is_weak(parameters: BeamParameters) -> NDArray[np.bool_]:
    """Whether a particle belongs to the weak columns, shape (particles,)."""
    share = np.tile(np.arange(parameters.length), parameters.rows) / parameters.length
    weak: NDArray[np.bool_] = (WEAK[0] < share) & (share < WEAK[1])
    return weak


def loose(experiment: Experiment) -> NDArray[np.bool_]:
    """Whether a particle is no longer connected to the clamp, shape (particles,)."""
    piece = pieces(experiment)
    result: NDArray[np.bool_] = piece != piece[0]
    return result


def measured(experiment: Experiment) -> dict[str, float]:
    """Deflection of the end, number of broken bonds and their mean column, share of the beam that is loose, height of
    the lowest particle, vertical velocity of all that is loose."""
    built, world = experiment.run.built, experiment.run.world
    free = loose(experiment)
    tip = built.length * (built.rows // 2 + 1) - 1
    broken = world.bonds.intact == 0
    columns = world.bonds.i[broken] % built.length
    return {
        "deflection": -float(world.motion[1, 0, tip]),
        "broken": float(broken.sum()),
        "broken_share": float(columns.mean() / built.length) if columns.size else 0.0,
        "loose_share": float(free.mean()),
        "lowest": float(world.motion[1, 0].min()),
        "loose_velocity": float(motion_of(experiment, np.flatnonzero(free)).velocity[1]) if free.any() else 0.0,
    }


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Deflection of the free end, bonds broken."""
    if not column(experiment, "broken").size:
        return (Reading("bonds", _("bonds"), float(experiment.run.world.bonds.i.size), given=True),)
    return (
        Reading("bonds_broken", _("bonds broken"), float(column(experiment, "broken")[-1])),
        Reading(
            "end_deflection",
            _("deflection of the end"),
            round(float(column(experiment, "deflection")[-1]), 6) + 0.0,
            "m",
        ),
    )


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The statements of the task: the beam bends, breaks in its weak part, and the loose part falls onto the floor."""
    built = experiment.run.built
    broken, share, loose, deflection, lowest, velocity = (
        column(experiment, name)
        for name in ("broken", "broken_share", "loose_share", "deflection", "lowest", "loose_velocity")
    )
    parted = np.flatnonzero(loose > PARTED)
    bent = float(deflection[parted[0] if parted.size else -1])
    entries: tuple[Outcome, ...] = (
        exceeds("bends", _("the loaded beam bends, by more than a particle"), bent, DIAMETER, "m"),
    )
    if not parted.size:
        words = plural(
            "{count} bond broken, all in one piece",
            "{count} bonds broken, all in one piece",
            count=Number(broken[-1], format="g"),
        )
        return (*entries, Outcome("breaks", _("the beam breaks in two"), words, _("two pieces"), False))
    at = parted[0]
    low, high = (100.0 * (edge + side / built.length) for edge, side in zip(WEAK, (-1.5, 1.5), strict=True))
    entries += (
        lies_between(
            "breaks_in_the_middle",
            _("it breaks in its weak middle, in per cent of the length"),
            100.0 * share[at],
            low,
            high,
            "%",
        ),
    )
    landed = np.minimum.accumulate(lowest) < -DEPTH + 1.5 * RADIUS
    # Two records between which no further particle has come loose and none has landed.
    falls = np.flatnonzero((loose[1:] == loose[:-1]) & (loose[:-1] > PARTED) & ~landed[1:])
    if falls.size:
        rate = np.diff(velocity)[falls] / np.diff(times(experiment))[falls]
        weight = built.gravity * math.cos(built.tilt)
        entries += (
            equals(
                "loose_part_falls_freely",
                _("the loose part falls freely"),
                -float(np.median(rate)),
                weight,
                ALLOWED * weight + 1e-6,
                "m/s²",
            ),
        )
    return (
        *entries,
        Outcome(
            "loose_part_lands",
            _("the loose part reaches the floor"),
            *((_("yes"),) * 2 if landed[-1] else (_("no"), _("yes"))),
            bool(landed[-1]),
        ),
    )


def answer(experiment: Experiment) -> Answer:
    """Where the beam broke, and how far it was bent."""
    broken, share, loose, deflection = (
        column(experiment, name) for name in ("broken", "broken_share", "loose_share", "deflection")
    )
    parted = np.flatnonzero(loose > PARTED)
    if not parted.size:
        sunk = float(deflection.max())
        return Answer(sunk, Message("It does not break: its end sinks by {bent}.", bent=Number(sunk, "m", digits=3)))
    place, bent = 100.0 * float(share[parted[0]]), float(deflection[np.argmax(broken > 0.0)])
    return Answer(
        place,
        Message(
            "It breaks at {place} of its length, after its end has sunk by {bent}.",
            place=Number(place, "%", ".0f"),
            bent=Number(bent, "m", digits=3),
        ),
    )


def focus(experiment: Experiment) -> Box:
    """The beam, and the floor below it."""
    parameters = experiment.run.built
    half = 0.5 * parameters.length * DIAMETER
    return (-1.1 * half, -DEPTH - RADIUS), (1.1 * half, 0.5 * (parameters.rows + 6) * DIAMETER)


def box(parameters: BeamParameters) -> Box:
    """As far as parts fall beside the beam."""
    size = parameters.length * DIAMETER
    return (-size, -DEPTH - RADIUS), (1.5 * size, size)


def lines(experiment: Experiment) -> Floats:
    """The floor."""
    return ground(-DEPTH)


PLOTS = (
    Plotted("deflection", _("Deflection"), Axis(_("deflection of the end"), "mm"), {_("end"): "deflection"}, 1e-3),
    Plotted("broken", _("Broken"), Axis(_("bonds broken")), {_("broken"): "broken"}),
)

SCENE = Scene(
    name="beam",
    title=_("Beam with a weak middle"),
    summary=_("A loaded cantilever bends, breaks in its weak middle, and the loose part falls."),
    direction=Direction(
        see=_("The loaded beam bends, breaks in its weak middle, and the loose part falls to the floor."),
        colour=OWN,
        plot="deflection",
        speed=0.1,
        seconds=10.0,
    ),
    group="bodies",
    parameters=BeamParameters,
    model=body_model(start),
    course=body_course(
        BodyTask(
            start, measured, outcomes, readings, ("bonds_broken", "end_deflection"), action=_("Release"), answer=answer
        )
    ),
    view=SceneView(
        box=from_parameters(box),
        focus=focus,
        facets=lines,
        parts=(Part(_("beam"), "wood"), Part(_("weak middle"), "clay"), Part(_("load"), "steel")),
        curves=plotted(PLOTS),
    ),
    limits=BODY_LIMITS,
    lecture=("load", "weakness", "bond_strength", "bond_stiffness", "length"),
    test_values={"length": 20, "rows": 3, "duration": 0.45, "dt": 1e-5},
)
