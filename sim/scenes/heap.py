"""The heap: a container is filled in layers, its right wall opened, and the slope that stays is measured.

Thesis ch. 3. Radii are drawn from a normal distribution and redrawn below 0.4 or above 1.8 mean radii; mass grows as R³. Walls and
base are fixed spheres. Chosen here, where the thesis is silent: a layer counts as settled once the mean
speed of all grains *and* of that layer is below v_min (the mean over all alone would stop waiting once many grains
lie still); the opened heap once the mean has stayed below v_min, and no grain has left, for 0.1 s.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sim.build import add_spheres, empty_world, keep_spheres
from sim.measure.angle_of_repose import AngleOfRepose, measure_angle
from sim.scenes import Scene
from sim.scenes.heap_parameters import HeapParameters
from sim.snapshot import Action
from sim.state import Floats, World

if TYPE_CHECKING:
    from sim.simulation import Simulation

SMALLEST, LARGEST = 0.4, 1.8
"""Radii are kept between these, in units of the mean radius."""

QUIET_TIME = 0.1
"""How long the opened heap must stay quiet to count as at rest [s]."""

LONGEST_WAIT = 3.0
"""A layer that has not settled after this long is poured upon all the same [s]."""

PACKING = 0.80
"""Area fraction of a loosely poured column, for the height of the walls [-]."""


@dataclass
class HeapState:
    """Where the experiment stands."""

    phase: str = "empty"
    """empty, filling, filled, flowing or rested."""
    radii: list[float] = field(default_factory=list)
    """Radius of every grain of this fill, in the order of pouring [m]."""
    poured: int = 0
    layers: int = 0
    removed: int = 0
    since: float = 0.0
    """When the present phase, or layer, began [s]."""
    quiet_since: float = 0.0
    run_all: bool = False
    next_id: int = 0
    height: float = 0.0
    """Of the walls [m]."""
    random: dict[str, Any] = field(default_factory=dict)
    """State of the generator that places the grains."""


def begin(parameters: HeapParameters, seed: int) -> tuple[World, HeapState]:
    """The empty container."""
    generator = np.random.default_rng(seed)
    radii = draw_radii(parameters, generator)
    grain_area = math.pi * float(np.sum(radii**2))
    height = 1.2 * grain_area / (PACKING * parameters.width) + 12.0 * parameters.mean_radius
    wall_count = math.ceil(height / (2.0 * parameters.wall_radius))
    wall_y = 2.0 * parameters.wall_radius * np.arange(wall_count)
    base_count = max(1, math.ceil(parameters.width / (2.0 * parameters.base_radius)))
    base_x = (np.arange(base_count) + 0.5) * parameters.width / base_count
    world = empty_world(skin=0.3 * parameters.mean_radius)
    layout = (
        (base_x, np.zeros(base_count), parameters.base_radius),
        (np.full(wall_count, -parameters.wall_radius), wall_y, parameters.wall_radius),
        (np.full(wall_count, parameters.width + parameters.wall_radius), wall_y, parameters.wall_radius),
    )
    for x, y, radius in layout:
        mass = mass_of(np.full(x.size, radius), parameters)
        world = add_spheres(world, np.column_stack([x, y]), radius, mass, fixed=True, first_id=world.count)
    state = HeapState(radii=radii.tolist(), next_id=world.count, height=float(wall_y[-1] + parameters.wall_radius))
    state.random = generator.bit_generator.state
    return world, state


def draw_radii(parameters: HeapParameters, generator: np.random.Generator) -> Floats:
    """Radii from the truncated normal distribution [m], shape (grain_count,)."""
    mean, spread = parameters.mean_radius, parameters.radius_spread
    radii = generator.normal(mean, spread, parameters.grain_count)
    while (outside := (radii < SMALLEST * mean) | (radii > LARGEST * mean)).any():
        radii[outside] = generator.normal(mean, spread, int(outside.sum()))
    return radii


def mass_of(radius: Floats, parameters: HeapParameters) -> Floats:
    """m (R / 1 mm)³ [kg]."""
    return parameters.mass_at_mean * (radius / 1e-3) ** 3


def pour_layer(simulation: Simulation) -> None:
    """Drop the next layer from just above the highest grain, side by side with random gaps."""
    run, parameters = simulation.run, simulation.run.built
    state: HeapState = run.state
    generator = np.random.default_rng()
    generator.bit_generator.state = state.random
    rest = np.array(state.radii[state.poured :])
    fits = np.cumsum(2.0 * rest) <= 0.95 * parameters.width
    radii = rest[: max(1, int(fits.sum()))]
    free = parameters.width - 2.0 * radii.sum()
    gaps = np.diff(np.sort(generator.uniform(0.0, free, radii.size)), prepend=0.0)
    x = np.cumsum(gaps + 2.0 * radii) - radii
    moving = ~run.world.fixed
    top = float((run.world.motion[1, 0] + run.world.radius)[moving].max(initial=parameters.base_radius))
    y = top + radii + generator.uniform(0.0, parameters.mean_radius, radii.size)
    with simulation.booked("poured"):
        run.world = add_spheres(
            run.world,
            np.column_stack([x, y]),
            radii,
            mass_of(radii, parameters),
            acceleration=simulation.gravity,
            layer=state.layers,
            first_id=state.next_id,
        )
    state.random = generator.bit_generator.state
    state.next_id += radii.size
    state.poured += radii.size
    state.layers += 1
    state.since = simulation.time
    simulation.spheres_added()


def supervise(simulation: Simulation) -> None:
    """Pour the next layer, notice rest, take away what fell below the base."""
    run = simulation.run
    state: HeapState = run.state
    remove_fallen(simulation)
    moving = ~run.world.fixed
    speed = np.hypot(run.world.motion[0, 1, moving], run.world.motion[1, 1, moving])
    mean_speed = float(speed.mean()) if speed.size else 0.0
    limit = simulation.parameters.settle_speed
    waited = simulation.time - state.since
    if mean_speed >= limit:
        state.quiet_since = simulation.time
    if state.phase == "filling":
        last = speed[run.world.layer[moving] == state.layers - 1]
        fall_time = math.sqrt(2.0 * simulation.parameters.mean_radius / max(simulation.parameters.gravity, 1e-3))
        last_speed = float(last.mean()) if last.size else 0.0
        settled = waited > min(2.0 * fall_time, LONGEST_WAIT) and max(mean_speed, last_speed) < limit
        if not settled and waited < LONGEST_WAIT:
            return
        if state.poured < len(state.radii):
            pour_layer(simulation)
        else:
            _enter(simulation, "filled")
            if state.run_all:
                act(simulation, "open")
    elif state.phase == "flowing" and min(waited, simulation.time - state.quiet_since) > QUIET_TIME:
        _enter(simulation, "rested")
        if state.run_all:
            state.run_all = False
            act(simulation, "measure")


def remove_fallen(simulation: Simulation) -> None:
    """Take away the grains that are below the base; they carry their energy out of the ledger."""
    run = simulation.run
    fallen = ~run.world.fixed & (run.world.motion[1, 0] < -run.built.base_radius - run.world.radius)
    if fallen.any():
        with simulation.booked("removed"):
            run.world = keep_spheres(run.world, ~fallen)
        run.state.removed += int(fallen.sum())
        run.state.quiet_since = simulation.time


def act(simulation: Simulation, action: str) -> str:
    """Carry out one of the actions."""
    run = simulation.run
    state: HeapState = run.state
    if action in ("fill", "run") and state.phase in ("empty", "rested"):
        if state.phase == "rested":
            simulation.begin_anew()
            state = simulation.run.state
        state.run_all = action == "run"
        _enter(simulation, "filling")
        pour_layer(simulation)
        return f"Pouring {len(state.radii)} grains in layers."
    if action == "run":
        state.run_all = True
        return act(simulation, "open") if state.phase == "filled" else "The rest of the experiment runs by itself."
    if action == "open":
        with simulation.booked("work"):
            run.world = keep_spheres(run.world, ~_right_wall(run.world, run.built))
        _enter(simulation, "flowing")
        return "The right wall is open."
    if action == "measure":
        reading = measure(simulation)
        if reading is None:
            return "There is no slope to measure: too few grains lie on the base."
        simulation.record_measurement(reading)
        return (
            f"Angle of repose {math.degrees(reading.angle):.1f}° ± {math.degrees(reading.standard_error):.1f}°, "
            f"{reading.grains_left} grains left."
        )
    simulation.begin_anew()
    return "The container is empty." if simulation.run.state.phase == "empty" else "The filled column is back."


def _enter(simulation: Simulation, phase: str) -> None:
    simulation.run.state.phase = phase
    simulation.run.state.since = simulation.run.state.quiet_since = simulation.time


def _right_wall(world: World, parameters: HeapParameters) -> NDArray[np.bool_]:
    return world.fixed & (world.motion[0, 0] > parameters.width)


def actions(simulation: Simulation) -> tuple[Action, ...]:
    """The buttons, each enabled only when it makes sense."""
    state: HeapState = simulation.run.state
    phase, busy = state.phase, state.run_all
    return (
        Action("fill", "Fill", "F", phase in ("empty", "rested") and not busy, "Pour the grains layer by layer."),
        Action("open", "Open wall", "O", phase == "filled" and not busy, "Take the right wall away."),
        Action(
            "measure", "Measure angle", "M", phase in ("flowing", "rested") and not busy, "Fit a line to the surface."
        ),
        Action("reset", "Reset", "R", True, "Begin anew: back to the filled column or the empty container."),
        Action("run", "Run all", "A", not busy, "Fill, open, wait for rest and measure, by itself."),
    )


def describe(simulation: Simulation) -> tuple[str, str, float | None]:
    """Phase, words for it, share done."""
    state: HeapState = simulation.run.state
    total = len(state.radii)
    left = state.poured - state.removed
    if state.phase == "filling":
        words = f"filling: layer {state.layers}, {state.poured} of {total} grains"
        return state.phase, words, state.poured / total
    words = {
        "empty": "empty container",
        "filled": f"filled with {left} grains, wall closed",
        "flowing": f"wall open: {left} grains left, {state.removed} run out",
        "rested": f"at rest: {left} grains left",
    }[state.phase]
    if state.phase != "flowing":
        return state.phase, words, None
    quiet = min(simulation.time - state.since, simulation.time - state.quiet_since) / QUIET_TIME
    return state.phase, words, min(1.0, max(0.0, quiet))


def measure(simulation: Simulation) -> AngleOfRepose | None:
    """The slope of the grains on the base, as they lie now."""
    world = simulation.run.world
    parameters = simulation.parameters
    moving = ~world.fixed
    return measure_angle(
        world.motion[:2, 0, moving].T,
        world.radius[moving],
        world.sphere_id[moving],
        x_range=(0.0, simulation.run.built.width),
        highest=parameters.surface_grains,
        method=parameters.method,
    )


def box(simulation: Simulation) -> tuple[tuple[float, float], tuple[float, float]]:
    """The container with some room to its right, where the grains run out."""
    built = simulation.run.built
    margin = 3.0 * built.wall_radius
    return (-margin, -margin - 2.0 * built.mean_radius), (1.25 * built.width + margin, simulation.run.state.height)


def results(simulation: Simulation) -> dict[str, Any]:
    """Grains filled and left, layers, and the reading."""
    state: HeapState = simulation.run.state
    reading = simulation.run.measurement
    angle = None
    if reading is not None:
        angle = {
            "degrees": math.degrees(reading.angle),
            "standard_error_degrees": math.degrees(reading.standard_error),
            "method": reading.method,
            "grains_used": int(reading.used_ids.size),
        }
    return {
        "phase": state.phase,
        "angle_of_repose": angle,
        "grains_filled": state.poured,
        "grains_left": state.poured - state.removed,
        "layers": state.layers,
    }


def check(simulation: Simulation) -> str:
    """A heap has a slope: positive, below 60°, made of some of the grains that were poured."""
    outcome = asdict(simulation.run.state)
    reading = simulation.run.measurement
    if outcome["phase"] != "rested" or reading is None:
        return f"The heap did not come to rest: phase {outcome['phase']}."
    if not 0.0 < reading.angle < math.radians(60.0):
        return f"A slope of {math.degrees(reading.angle):.1f}° is no heap."
    return ""


SCENE = Scene(
    name="heap",
    title="Heap",
    summary="Fill a container in layers, open its right wall, measure the angle of repose (thesis ch. 3).",
    law="lee_herrmann",
    parameters=HeapParameters,
    dimension=2,
    begin=begin,
    supervise=supervise,
    actions=actions,
    act=act,
    describe=describe,
    measure=measure,
    box=box,
    results=results,
    check=check,
)
