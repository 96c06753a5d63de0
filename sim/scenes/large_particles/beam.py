"""A cantilever with a weak middle bends under the load of its free end, breaks there, and the loose part falls.

Maier's task 3: the columns 40 < j < 50 of his beam have the stiffness 300 instead of 1000, and the particles near its
end carry an additional force of 5. His units are not preserved; this beam keeps the share of the columns that are weak,
40 to 50 %, and their stiffness of 0.3, and carries a load as additional mass of its last columns. A bond breaks when it
is stretched by `bond_strength`; a weak bond is stretched more by the same force, so that the beam breaks in the
middle although the bending moment is largest at the clamp. A clamp of fixed particles holds the first columns.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray
from pydantic import Field
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.display import Reading
from repose.sim.parameters import Quantity
from repose.sim.scenes.large_particles.particles import (
    DIAMETER,
    HELD,
    RADIUS,
    VOLUME,
    BodyParameters,
    BondStiffness,
    BondViscosity,
    Duration,
    Plotted,
    Repelling,
    Step,
    column,
    ground,
    lattice,
    new_world,
    particle_scene,
    pieces,
    restart,
    times,
    upward_plane,
    with_body,
)

MASS = 300.0 * VOLUME
"""Of a particle [kg]."""
CLAMPED, LOADED = 2, 3
"""Columns held by the clamp, and columns that carry the load."""
WEAK = 0.4, 0.5
"""The weak columns as shares of the length (Maier) [-]."""
DEPTH = 0.45
"""From the beam to the floor [m]."""
ALLOWED = 0.1
"""Relative error of the acceleration of a falling part, from the oscillation that it keeps [-]."""


class BeamParameters(Repelling, BodyParameters):
    """A beam with a clamp on the left and a load on the right, in SI."""

    length: Annotated[
        int,
        Ge(12),
        Le(80),
        restart("length of the beam", "n"),
        Field(description="Columns of particles. Takes effect at the next start."),
    ] = 40
    rows: Annotated[
        int,
        Ge(2),
        Le(10),
        restart("height of the beam", "m"),
        Field(description="Rows of particles. Takes effect at the next start."),
    ] = 5
    weakness: Annotated[
        float,
        Ge(0.01),
        Le(1.0),
        restart("stiffness of the weak middle", "s"),
        Field(description="Over that of the rest; 0.3 in the source, 1 for a beam without defects. At the next start."),
    ] = 0.3
    load: Annotated[
        float,
        Ge(0.0),
        Le(100.0),
        restart("load", "M", "g", 1e-3),
        Field(description="Additional mass of the last columns. Takes effect at the next start."),
    ] = 0.15
    bond_strength: Annotated[
        float,
        Ge(1e-3),
        Le(10.0),
        Quantity("strength", "ε", "%", scale=1e-2, group="Particles"),
        Field(description="Stretch at which a bond breaks."),
    ] = 0.05
    bond_stiffness: BondStiffness = 2e4
    bond_viscosity: BondViscosity = 0.3
    dt: Step = 2.5e-5
    duration: Duration = 1.0


def start(parameters: BeamParameters, seed: int) -> World:
    """The beam, its first columns held by the clamp, above a floor."""
    centres = lattice(parameters.length, parameters.rows)
    place = np.tile(np.arange(parameters.length), parameters.rows)
    mass = np.full(place.size, MASS)
    loaded = place >= parameters.length - LOADED
    mass[loaded] += parameters.load / loaded.sum()
    world = with_body(new_world(), centres, mass, 0, is_weak(parameters), parameters.weakness)
    world.layer[place < CLAMPED] = HELD
    return set_walls(world, [PLANE], upward_plane(-DEPTH))


def is_weak(parameters: BeamParameters) -> NDArray[np.bool_]:
    """Whether a particle belongs to the weak columns, shape (particles,)."""
    share = np.tile(np.arange(parameters.length), parameters.rows) / parameters.length
    weak: NDArray[np.bool_] = (WEAK[0] < share) & (share < WEAK[1])
    return weak


def loose(experiment: Experiment) -> NDArray[np.bool_]:
    """Whether a particle is no longer connected to the clamp, shape (particles,)."""
    piece = pieces(experiment)
    found: NDArray[np.bool_] = piece != piece[0]
    return found


def measured(experiment: Experiment) -> dict[str, float]:
    """Deflection of the end, number of broken bonds and their mean column, share of the beam that is loose, height and
    vertical velocity of the loaded part."""
    built, world = experiment.run.built, experiment.run.world
    tip = built.length * (built.rows // 2 + 1) - 1
    broken = world.bonds.intact == 0
    columns = world.bonds.i[broken] % built.length
    loaded = np.arange(world.sphere_count) % built.length >= round(WEAK[1] * built.length)
    mass = world.mass[loaded]
    return {
        "deflection": -float(world.motion[1, 0, tip]),
        "broken": float(broken.sum()),
        "broken_share": float(columns.mean() / built.length) if columns.size else 0.0,
        "loose_share": float(loose(experiment).mean()),
        "lowest": float(world.motion[1, 0].min()),
        "end_velocity": float(mass @ world.motion[1, 1, loaded] / mass.sum()),
    }


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Deflection of the free end, bonds broken."""
    if not column(experiment, "broken").size:
        return (Reading("bonds", float(experiment.run.world.bonds.i.size)),)
    return (
        Reading("bonds broken", float(column(experiment, "broken")[-1])),
        Reading("deflection of the end", round(float(column(experiment, "deflection")[-1]), 6) + 0.0, "m"),
    )


def falling(experiment: Experiment) -> NDArray[np.intp]:
    """Records in which the end part is loose and nothing has reached the floor yet."""
    landed = np.minimum.accumulate(column(experiment, "lowest")) < -DEPTH + 1.5 * RADIUS
    return np.flatnonzero((column(experiment, "loose_share") > 0.3) & ~landed)


def check(experiment: Experiment) -> str:
    """The beam breaks in its weak part, and the loose part falls freely until it reaches the floor."""
    built = experiment.run.built
    broken, share = column(experiment, "broken"), column(experiment, "broken_share")
    rows = falling(experiment)
    if rows.size == 0:
        return f"The beam does not break in two: {broken[-1]:g} bonds are broken."
    if not WEAK[0] - 0.1 < share[rows[0]] < WEAK[1] + 0.1:
        return f"The beam breaks at {100.0 * share[rows[0]]:.0f} % of its length."
    if rows.size > 5 and built.tilt == 0.0:
        found = -float(np.polyfit(times(experiment)[rows], column(experiment, "end_velocity")[rows], 1)[0])
        if abs(found - built.gravity) > ALLOWED * built.gravity:
            return f"The loose part falls with {found:.2f} m/s² instead of {built.gravity:g} m/s²."
    return ""


def box(parameters: BeamParameters) -> tuple[tuple[float, float], tuple[float, float]]:
    """The beam, and the floor below it."""
    half = 0.5 * parameters.length * DIAMETER
    return (-1.1 * half, -DEPTH - RADIUS), (1.1 * half, 0.5 * (parameters.rows + 6) * DIAMETER)


def lines(experiment: Experiment) -> Floats:
    """The floor."""
    (left, _), (right, _) = box(experiment.run.built)
    return ground(left, right, -DEPTH)


SCENE = particle_scene(
    name="beam",
    title="Beam with a weak middle",
    summary="A loaded cantilever bends, breaks in its weak middle, and the loose part falls.",
    parameters=BeamParameters,
    start=start,
    measured=measured,
    check=check,
    box=box,
    readings=readings,
    lines=lines,
    plots=(
        Plotted("Deflection", "deflection of the end [mm]", {"end": "deflection"}, 1e-3),
        Plotted("Broken", "bonds broken", {"broken": "broken"}),
    ),
    action="Release",
    lecture=("load", "weakness", "bond_strength", "bond_stiffness", "length"),
    test_values={"length": 20, "rows": 3, "duration": 0.3, "dt": 1e-5},
)
