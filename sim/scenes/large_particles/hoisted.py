"""A floating log is pulled up by a thread at one end: it first moves sideways, then hangs on the thread.

Maier's task 6. The free end of the thread moves up at constant speed, straight above the right end of the log. The log
is lifted at that end, turns about its other end in the liquid, and its centre moves to the right until it is under the
thread; then the log hangs and rises with the thread, which carries its weight. His numbers are lost.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.fields.hoist import HoistParameters, ThreadLength
from repose.sim.measure.display import Line, Reading
from repose.sim.scenes.large_particles.afloat import AfloatParameters, level_line, set_afloat
from repose.sim.scenes.large_particles.particles import (
    DIAMETER,
    VOLUME,
    Duration,
    Plotted,
    column,
    lattice,
    motion_of,
    new_world,
    particle_scene,
    restart,
    rows_of,
    with_body,
)

ROWS = 3
UNDER = 0.15
"""Largest distance of the centre from the vertical under the thread at the end, over the length of the log [-]."""
CARRIED = 0.1
"""Largest relative difference of the mean tension of the hanging log from its weight [-]."""


class HoistedParameters(HoistParameters, AfloatParameters):
    """A log and a thread, in SI."""

    length: Annotated[
        int,
        Ge(4),
        Le(40),
        restart("length of the log", "n"),
        Field(description="Particles along the log. Takes effect at the next start."),
    ] = 16
    log_density: Annotated[
        float,
        Ge(50.0),
        Le(900.0),
        restart("density of the log", "ρ", "kg/m³"),
        Field(description="Of its particles. Takes effect at the next start."),
    ] = 600.0
    hoist_speed: Annotated[
        float,
        Ge(0.0),
        Le(2.0),
        restart("speed of the thread", "u", "m/s"),
        Field(description="Of its free end, upwards. Takes effect at the next start."),
    ] = 0.15
    thread_length: ThreadLength = 0.15
    duration: Duration = 4.0

    @property
    def held_sphere(self) -> int:
        """Id of the particle that the thread holds: the right end of the middle row."""
        return self.length * (ROWS // 2 + 1) - 1

    def thread_end(self, dimension: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Place of the free end at the start, above the particle it holds, and its velocity [m, m/s]."""
        x, y = start(self, 1).motion[:2, 0, self.held_sphere]
        return (float(x), float(y) + self.thread_length), (0.0, self.hoist_speed)


def start(parameters: HoistedParameters, seed: int) -> World:
    """The floating log."""
    world = with_body(new_world(), lattice(parameters.length, ROWS), parameters.log_density * VOLUME, 0)
    return set_afloat(world, parameters)


def thread(experiment: Experiment) -> tuple[Floats, Floats, float]:
    """Both ends of the thread [m] and its tension [N]."""
    world, built = experiment.run.world, experiment.run.built
    first, velocity = built.thread_end(2)
    end = np.array(first) + experiment.time * np.array(velocity)
    place, speed = world.motion[:2, 0, built.held_sphere], world.motion[:2, 1, built.held_sphere]
    apart = place - end
    distance = float(np.hypot(*apart))
    stretch = distance - built.thread_length
    rate = float((speed - velocity) @ apart) / distance
    parameters = experiment.parameters
    pull = parameters.thread_stiffness * stretch + parameters.thread_viscosity * rate
    return end, place.copy(), max(pull, 0.0) if stretch > 0.0 else 0.0


def measured(experiment: Experiment) -> dict[str, float]:
    """Place and velocity of the centre of the log, its distance from the vertical under the thread, tension."""
    whole = motion_of(experiment, rows_of(experiment))
    end, _, tension = thread(experiment)
    return {
        "sideways": float(whole.centre[0]),
        "height": float(whole.centre[1]),
        "rising": float(whole.velocity[1]),
        "beside": float(whole.centre[0] - end[0]),
        "tension": tension,
    }


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Tension, and how far the log has moved sideways."""
    world = experiment.run.world
    weight = Reading("weight of the log", float(world.mass.sum()) * experiment.parameters.gravity, "N")
    if not column(experiment, "tension").size:
        return (weight,)
    now = {name: round(float(values[-1]), 6) + 0.0 for name, values in experiment.run.state.columns.items()}
    return (
        Reading("tension of the thread", now["tension"], "N"),
        weight,
        Reading("centre moved sideways", now["sideways"], "m", help="To the right."),
    )


def check(experiment: Experiment) -> str:
    """The log moves to the right and then hangs: under the thread, rising with it, and carried by it."""
    built = experiment.run.built
    late = slice(-max(2, len(experiment.run.state.time) // 5), None)
    size = built.length * DIAMETER
    sideways, beside, rising, tension = (
        column(experiment, name) for name in ("sideways", "beside", "rising", "tension")
    )
    if not sideways[late].mean() > 0.3 * size:
        return f"The centre of the log has moved by {1e3 * sideways[late].mean():.0f} mm to the right only."
    if abs(beside[late].mean()) > UNDER * size:
        return f"The log does not hang: its centre is {1e3 * beside[late].mean():.0f} mm beside the thread."
    weight = float(experiment.run.world.mass.sum()) * built.gravity
    if abs(tension[late].mean() - weight) > CARRIED * weight:
        return f"The thread carries {tension[late].mean():.3g} N instead of the weight {weight:.3g} N."
    if abs(rising[late].mean() - built.hoist_speed) > 0.2 * built.hoist_speed:
        return f"The log rises at {rising[late].mean():.3g} m/s instead of {built.hoist_speed:g} m/s."
    return ""


def box(parameters: HoistedParameters) -> tuple[tuple[float, float], tuple[float, float]]:
    """The log, and the way of the thread."""
    half = 0.5 * parameters.length * DIAMETER
    high = parameters.liquid_level + parameters.thread_length + parameters.hoist_speed * parameters.duration
    return (-2.0 * half, parameters.liquid_level - 1.2 * half), (3.0 * half, high)


def lines(experiment: Experiment) -> Floats:
    """The level of the liquid, and the thread."""
    end, place, _ = thread(experiment)
    return np.concatenate([level_line(experiment), [[end, place]]])


def expected(experiment: Experiment) -> dict[str, tuple[Line, ...]]:
    """The weight of the log."""
    built = experiment.run.built
    weight = float(experiment.run.world.mass.sum()) * built.gravity
    return {"Tension": (Line("weight of the log", np.array([0.0, built.duration]), np.full(2, weight)),)}


SCENE = particle_scene(
    name="hoisted",
    title="Log pulled up",
    summary="A floating log is pulled up by a thread at one end: it moves sideways first, then hangs on the thread.",
    parameters=HoistedParameters,
    start=start,
    measured=measured,
    check=check,
    box=box,
    readings=readings,
    lines=lines,
    expected=expected,
    fields=("liquid", "hoist"),
    plots=(
        Plotted("Tension", "tension [N]", {"thread": "tension"}),
        Plotted("Centre", "position of the centre [mm]", {"to the right": "sideways", "height": "height"}, 1e-3),
    ),
    action="Pull",
    lecture=("hoist_speed", "log_density", "thread_stiffness", "length", "liquid_viscosity"),
    test_values={"length": 6, "hoist_speed": 0.1, "duration": 2.0, "liquid_viscosity": 0.5},
)
