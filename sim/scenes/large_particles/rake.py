"""The left wall of a wide vessel moves to the right and rakes a viscous liquid, which piles up at it.

Maier's task 9, with the liquid of `repose.sim.scenes.large_particles.column`, more friction and a smooth bottom. The
liquid first rises at the moving wall; its middle then moves to the right, and at the right wall the particles rise and
turn back. The area of the liquid stays and its room becomes narrower, so that its mean level rises as one over the
distance of the walls. The velocity arrows of the View panel (E) show the flow.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.display import Reading
from repose.sim.scenes.large_particles.particles import (
    DIAMETER,
    BondViscosity,
    DropletParameters,
    Duration,
    Plotted,
    Step,
    column,
    motion_of,
    particle_scene,
    restart,
    rows_of,
)
from repose.sim.scenes.large_particles.vessel import LEFT, box_of, liquid, vessel_lines, walls_at, width_of, with_vessel

STRIP = 0.2
"""Width of the strips at both walls in which the surface is measured, over the distance of the walls [-]."""
TOP = 0.9
"""Share of the particles of a strip that are below its surface [-]."""
EARLY = 0.93
"""Share of the first distance of the walls down to which the surface is compared at both of them [-]."""
RAISED = 0.15
"""Largest relative error of the mean level, as the liquid is not closely packed at its surface [-]."""


class RakeParameters(DropletParameters):
    """A shallow viscous liquid between two walls, in SI."""

    columns: Annotated[
        int,
        Ge(4),
        Le(120),
        restart("length of the liquid", "n"),
        Field(description="In particles; the vessel is as wide. Takes effect at the next start."),
    ] = 48
    rows: Annotated[
        int,
        Ge(1),
        Le(30),
        restart("depth of the liquid", "m"),
        Field(description="In rows of particles. Takes effect at the next start."),
    ] = 6
    wall_speed: Annotated[
        float,
        Ge(0.0),
        Le(2.0),
        restart("speed of the wall", "u", "m/s"),
        Field(description="Of the left wall, to the right. Takes effect at the next start."),
    ] = 0.6
    stroke: Annotated[
        float,
        Ge(0.05),
        Le(0.7),
        restart("stroke of the wall", "s"),
        Field(description="Way after which the wall stops, over the width of the vessel. At the next start."),
    ] = 0.5
    normal_viscosity: BondViscosity = 2.0
    dt: Step = 5e-5
    duration: Duration = 1.5


def width(parameters: RakeParameters) -> float:
    """Of the vessel at the start [m]."""
    return width_of(parameters.columns)


def start(parameters: RakeParameters, seed: int) -> World:
    """The liquid, and the wall still at rest."""
    return with_vessel(liquid(parameters.columns, parameters.rows, seed), width(parameters))


def push(experiment: Experiment) -> None:
    """Move the wall until its stroke is done."""
    built, walls = experiment.run.built, experiment.run.world.walls
    done = walls.moved[LEFT, 0] >= built.stroke * width(built)
    walls.velocity[LEFT, 0] = 0.0 if done else built.wall_speed


def measured(experiment: Experiment) -> dict[str, float]:
    """Surface at the left and at the right wall, mean level, distance of the walls, work of the wall."""
    place = experiment.run.world.motion[:2, 0]
    left, right = walls_at(experiment)
    strip = STRIP * (right - left)
    near = {"left": place[0] < left + strip, "right": place[0] > right - strip}
    surface = {side: float(np.quantile(place[1, rows], TOP)) if rows.any() else 0.0 for side, rows in near.items()}
    whole = motion_of(experiment, rows_of(experiment))
    return {
        "left": surface["left"],
        "right": surface["right"],
        "level": 2.0 * float(whole.centre[1]),
        "distance": right - left,
        "velocity": float(whole.velocity[0]),
    }


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Mean level now, and the surface at both walls."""
    if not column(experiment, "level").size:
        return (Reading("particles", float(experiment.run.world.sphere_count)),)
    now = {name: float(column(experiment, name)[-1]) for name in ("level", "left", "right")}
    return (
        Reading("mean level", now["level"], "m", help="Twice the height of the centre of mass."),
        Reading("surface at the moving wall", now["left"], "m"),
        Reading("surface at the right wall", now["right"], "m"),
    )


def check(experiment: Experiment) -> str:
    """The liquid rises first at the moving wall; its mean level rises as its room becomes narrower."""
    left, right, level, distance = (column(experiment, name) for name in ("left", "right", "level", "distance"))
    if distance[-1] > 0.99 * distance[0]:
        return "The wall has not moved."
    early = distance > EARLY * distance[0]
    if not (left - right)[early].max() > 0.1 * DIAMETER:
        return "The liquid does not rise first at the moving wall."
    settled = level[: max(2, level.size // 20)].min()  # the block sinks a little before the wall acts
    expected = distance[0] / distance[-1]
    if abs(level[-1] / settled / expected - 1.0) > RAISED:
        return f"The mean level rises by the factor {level[-1] / settled:.3f} instead of {expected:.3f}."
    return ""


SCENE = particle_scene(
    name="rake",
    title="Raking a liquid",
    summary="A wall that moves to the right rakes a viscous liquid; arrows show its velocity.",
    parameters=RakeParameters,
    start=start,
    measured=measured,
    check=check,
    box=lambda parameters: box_of(width(parameters), 3.5 * (parameters.rows + 2) * DIAMETER),
    readings=readings,
    lines=vessel_lines,
    supervised=push,
    plots=(
        Plotted("Surface", "height [mm]", {"moving wall": "left", "right wall": "right", "mean level": "level"}, 1e-3),
        Plotted("Velocity", "mean velocity to the right [m/s]", {"liquid": "velocity"}),
    ),
    lecture=("normal_viscosity", "wall_speed", "rows", "pull_off_force", "normal_stiffness"),
    test_values={"columns": 30, "rows": 5, "duration": 0.6, "stroke": 0.3},
)
