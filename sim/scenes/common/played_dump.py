"""The scene of a dump of LAMMPS: its frames are played and measured; only the contacts of the frames are computed.

Spheres move in straight lines from frame to frame. Forces do not move them, because their inverse mass is negligible.
The scene exists while its file is open (`repose open`), and is not registered.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.direction import NOT_DIRECTED
from repose.sim.engine.boundaries import (
    boundary_table,
    flaw_of_room,
    nearest_image,
    periodic_dimensions,
    shortest_branch,
)
from repose.sim.engine.builder import (
    add_spheres,
    empty_world,
    forget_neighbours,
    keep_spheres,
    reset_displacements,
    with_rows,
)
from repose.sim.engine.neighbours.verlet_list import LARGEST_STEP
from repose.sim.engine.workspace import (
    OVERLAP_FIRST,
    OVERLAP_POINT,
    OVERLAP_RATIO,
    OVERLAP_SECOND,
    OVERLAP_STEP,
    OVERLAP_WALL,
)
from repose.sim.engine.world import LOWEST, PERIOD, Floats, World
from repose.sim.experiment import placed_instruments
from repose.sim.experiment.changes import begin_anew
from repose.sim.experiment.experiment import CHECK_STEPS, Course, Experiment, ModelChoice, Scene, SceneLimits, SceneView
from repose.sim.experiment.notices import notify
from repose.sim.experiment.phase import Phase
from repose.sim.experiment.snapshot import Action
from repose.sim.io.lammps.read_dump import CUT, Dump, DumpFrame
from repose.sim.laws.lee_herrmann import LAW, LeeHerrmannParameters
from repose.sim.measure.angle_of_repose import measure_angle
from repose.sim.measure.angle_of_repose_3d import ConeAngle, measure_cone
from repose.sim.measure.display import Reading
from repose.sim.measure.flow_rate import mean_rate
from repose.sim.measure.surface_slope import SurfaceSlope
from repose.sim.message import EMPTY, Message, Number, _, joined, plural
from repose.sim.parameters import ParameterError, choice, length, number
from repose.sim.scenes.common import cone_slope
from repose.sim.scenes.common.motion_parameters import MotionParameters
from repose.sim.scenes.common.phases import RESTED
from repose.sim.wording import path_text

NAME = "dump"
UNMOVED = 1e-300
"""Inverse mass of every sphere [1/kg]: displacements by forces are far below rounding."""
LONGEST_STEP = 1e-3
"""Largest time step of the playback [s]."""
FOLLOWED = 0.9
"""Largest displacement per step, in units of the limit of repose.sim.engine.neighbours.verlet_list [-]."""
USUAL_INTERVAL = 0.01
"""Time between two frames if the dump does not contain it [s]."""
STILL = 1e-12
"""A sphere that has moved less than this from the first to the last frame belongs to walls or base [m]."""


class DumpParameters(MotionParameters, LeeHerrmannParameters):
    """Parameters of the law of the contacts, and of the gate whose passages are counted."""

    # fmt: off
    gate: float = length(0.0, -1e3, 1e3, _("height of the gate"), "h", group=_("Dump"),
        help=_("Grains whose centres fall below this height are counted: the flow rate. Spheres with the same number "
               "in the column mol are one grain."))
    # fmt: on
    integrator: str = choice("velocity_verlet", _("integrator"), group=_("Time step"))


FOOT = 0.25
"""Largest ratio of the height of the foot of a heap to that of its top, both above the lowest sphere [-]."""
STANDING = _(
    "No angle of repose: the surface ends far above the lowest spheres, as in a column that has not collapsed."
)


@dataclass
class DumpState:
    """State of the playback, plain data."""

    phase: str = "playing"
    """"playing" or "rested"."""
    frame: int = 0
    reading: dict[str, Any] = field(default_factory=dict)
    """The latest slope in space (`repose.sim.scenes.common.cone_slope`)."""
    flat: SurfaceSlope | None = None
    """The latest slope in the plane."""
    runs_out: bool = True
    """Whether the measured surface reaches the ground, as the surface of a heap does."""
    passages: list[float] = field(default_factory=list)
    """Times at which grains passed the gate [s]."""
    deepest: list[float] = field(default_factory=list)
    """`World.largest_overlap` of the frames only: between two frames, colliding spheres pass through each other."""


def interval_of(dump: Dump, timestep: float | None) -> tuple[float, Message]:
    """Time between two frames [s], and a remark if it varies between frames."""
    if len(dump.places) == 1:
        return USUAL_INTERVAL, EMPTY
    times = [position.time for position in dump.places]
    if timestep is not None:
        known = np.array([position.step * timestep for position in dump.places])
    elif None not in times:
        known = np.array(times, float)
    else:
        return USUAL_INTERVAL, Message(
            "The dump has no ITEM: TIME: {usual_interval} s per frame; --timestep gives the step.",
            usual_interval=Number(USUAL_INTERVAL, format="g"),
        )
    interval = np.diff(known)
    usual = float(np.median(interval))
    if not (np.isfinite(interval).all() and usual > 0.0):
        raise ParameterError(Message("{path}: the times of its frames do not increase.", path=path_text(dump.path)))
    if float(np.ptp(interval)) > 0.01 * usual:
        return usual, Message(
            "The frames are not evenly spaced; each is shown for {usual} s.", usual=Number(usual, format="g")
        )
    return usual, EMPTY


def scene_of_dump(dump: Dump, timestep: float | None = None) -> tuple[Scene, Message]:
    """The scene of a dump, and a remark about its times and its end, or an empty one; raises `ParameterError`."""
    interval, remark = interval_of(dump, timestep)
    if dump.is_cut:
        remark = joined((remark, CUT), " ") if remark else CUT
    steps = CHECK_STEPS * math.ceil(interval / (CHECK_STEPS * LONGEST_STEP))
    dt, count = interval / steps, len(dump.places)
    if dt < 1e-8:
        raise ParameterError(
            Message(
                "{path}: {interval} s between two frames are too short to be shown.",
                path=path_text(dump.path),
                interval=Number(interval, format="g"),
            )
        )
    first, last = dump.frame(0), dump.frame(count - 1)
    dimension = 3 if first.position[:, 2].any() or last.position[:, 2].any() else 2
    boundary = boundary_of(dump, dimension)
    same, mine, theirs = np.intersect1d(first.sphere_id, last.sphere_id, return_indices=True)
    moved = np.abs(shortest_of(first.position[mine] - last.position[theirs], boundary)).max(axis=1)
    held = same[moved <= STILL] if count > 1 else same[:0]
    axis, (low, high) = axis_and_box(dump, held, dimension)
    radius = float(np.median(first.radius))
    for c in periodic_dimensions(boundary):
        low = (*low[:c], float(boundary[LOWEST, c]), *low[c + 1 :])
        high = (*high[:c], float(boundary[LOWEST, c] + boundary[PERIOD, c]), *high[c + 1 :])

    class Parameters(DumpParameters):
        dt: float = number(interval / steps, 1e-9, 1.0, _("time step"), "Δt", "µs", group=_("Time step"))

    def begin(parameters: Any, seed: int) -> tuple[World, DumpState]:
        world = empty_world(dimension, 0, 3, 0.3 * radius, materials=2)._replace(boundary=boundary)
        return shown(world, first, dimension, held), DumpState()

    def supervise(experiment: Experiment) -> None:
        if experiment.step % steps == 0 and experiment.phase == "playing":
            show(experiment, min(experiment.step // steps, count - 1))

    def show(experiment: Experiment, number: int) -> None:
        run, state = experiment.run, experiment.run.state
        frame = dump.frame(number)
        state.deepest = deepest_overlap(experiment, frame)
        run.world = shown(run.world, frame, dimension, held)
        placed_instruments.count(experiment)  # the motion of a dump is from frame to frame
        run.world.largest_overlap[:] = state.deepest
        if number > state.frame:
            before = dump.frame(number - 1)
            fallen = passed(before, frame, experiment.parameters.gate, dimension)
            state.passages += [experiment.time] * fallen
        state.frame = number
        aim(run.world, frame, dump.frame(min(number + 1, count - 1)), interval, dt)
        measure_now(state, run.world, axis)
        if number == count - 1:
            state.phase = "rested"
            notify(
                experiment,
                joined(
                    (
                        plural("The only frame.", "The last of {count} frames.", count=count),
                        *(() if state.runs_out else (STANDING,)),
                    ),
                    " ",
                ),
            )

    def act(experiment: Experiment, action: str) -> Message:
        begin_anew(experiment)
        return _("From the first frame.")

    def left(experiment: Experiment) -> int:
        return grains_left(experiment.run.world, dump.frame(experiment.run.state.frame))

    def results(experiment: Experiment) -> dict[str, Any]:
        state = experiment.run.state
        angle, error = angle_of(state)
        errors = {"standard_error_degrees": math.degrees(error)}
        measured = None if angle is None else {"degrees": math.degrees(angle)} | errors
        flow = mean_rate(state.passages)
        return {
            "phase": state.phase,
            "dump": dump.path.name,
            "frame": state.frame,
            "frames": count,
            "lammps_step": dump.places[state.frame].step,
            "angle_of_repose": measured if state.runs_out else None,
            "slope_of_surface": measured,
            "remark": "" if state.runs_out else STANDING,
            "flow_rate": None if flow is None else {"per_second": flow.mean, "standard_error": flow.standard_error},
            "passed": len(state.passages),
            "grains_left": left(experiment),
        }

    scene = Scene(
        name=NAME,
        title=Message("LAMMPS dump {name}", name=dump.path.name),
        summary=summary_of(dump),
        direction=NOT_DIRECTED,
        parameters=Parameters,
        model=ModelChoice(law=LAW.name, dimension=dimension, smallest_grain=lambda parameters: (1.0 / UNMOVED, radius)),
        course=Course(
            begin=begin,
            supervise=supervise,
            actions=lambda experiment: (Action("run", _("Play again"), "A", True, _("From the first frame.")),),
            act=act,
            phases=(Phase("playing", _("playing"), runs=True), RESTED),
            describe=lambda experiment: (
                experiment.phase,
                Message(
                    "frame {frame} of {count}, step {step}",
                    frame=experiment.run.state.frame + 1,
                    count=count,
                    step=dump.places[experiment.run.state.frame].step,
                ),
                (experiment.run.state.frame + 1) / count if experiment.phase == "playing" else None,
            ),
            results=results,
            check=lambda experiment: EMPTY,
            measure=lambda experiment: slope_of(experiment.run.world, axis),
            readings=lambda experiment: readings(experiment, left(experiment)),
        ),
        view=SceneView(
            box=lambda experiment: (low, high),
            slope=drawn_slope,
            slope_since=_("the opening") if dimension == 2 else _("the end of filling"),
        ),
        limits=SceneLimits(overlap_limit=math.inf),
    )
    return scene, remark


def boundary_of(dump: Dump, dimension: int) -> Floats:
    """`State.boundary` of the world of a dump: periodic where all frames have the same periodic borders, and no sphere
    touches two images of another one."""
    first = dump.places[0].borders[:dimension]
    if any(place.borders[:dimension] != first for place in dump.places) or not any(first):
        return boundary_table(dimension)
    low, high = (np.array([one[side] if one else 0.0 for one in first]) for side in (0, 1))
    boundary = boundary_table(dimension, high - low, low)
    largest = max(float(frame.radius.max()) for frame in (dump.frame(0), dump.frame(len(dump.places) - 1)))
    return boundary_table(dimension) if flaw_of_room(boundary, 2.0 * largest) else boundary


def shortest_of(difference: Floats, boundary: Floats) -> Floats:
    """Differences of positions in space [m], shape (n, 3), to the nearest images."""
    result = difference.copy()
    dimension = boundary.shape[1]
    result[:, :dimension] = shortest_branch(difference[:, :dimension], boundary)
    return result


def summary_of(dump: Dump) -> Message:
    """Number of frames, and of spheres in the first of them."""
    frames = plural("{count} frame", "{count} frames", count=len(dump.places))
    spheres = plural("{count} sphere", "{count} spheres", count=dump.places[0].spheres)
    return Message("{frames}, {spheres}.", frames=frames, spheres=spheres)


def shown(world: World, frame: DumpFrame, dimension: int, held: NDArray[np.int64]) -> World:
    """The world with the spheres at their positions in a frame; the spheres with ids in `held` are fixed."""
    if not np.array_equal(world.sphere_id, frame.sphere_id):
        world = keep_spheres(world, np.isin(world.sphere_id, frame.sphere_id))
        new = ~np.isin(frame.sphere_id, world.sphere_id)
        if new.any():
            mass = frame.mass[new] if frame.mass is not None else 1e4 / 3.0 * math.pi * frame.radius[new] ** 3
            world = add_spheres(world, frame.position[new][:, :dimension], frame.radius[new], mass)
            world.sphere_id[-int(new.sum()) :] = frame.sphere_id[new]
        rows = np.argsort(world.sphere_id, kind="stable")
        if (np.diff(rows) != 1).any():
            world = with_rows(world, rows)
    fixed = np.isin(world.sphere_id, held)
    before = world.motion[:dimension, 0].T
    place = frame.position[:, :dimension]
    # In a periodic world a sphere goes on through the border: to the image that is nearest to its last place.
    world.motion[:dimension, 0] = nearest_image(before, place, world.boundary).T
    world.motion[:, 1:] = 0.0
    world.radius[:] = frame.radius
    world.layer[:] = np.where(fixed, -1, 0)  # a dump does not say in which layers its grains were poured
    world.inverse_mass[:] = np.where(fixed, 0.0, UNMOVED)
    forget_neighbours(world)
    reset_displacements(world)
    return world


def deepest_overlap(experiment: Experiment, frame: DumpFrame) -> list[float]:
    """`World.largest_overlap` of the frames so far, including this frame, which the spheres have just reached."""
    run, engine = experiment.run, experiment.engine
    world, dimension = run.world, run.world.motion.shape[0]
    known: list[float] = run.state.deepest or world.largest_overlap.tolist()
    if not np.array_equal(world.sphere_id, frame.sphere_id):
        return known
    touching = engine.contact_table(world, engine.law_parameters)
    i, j = touching.i, touching.j
    branch = shortest_branch((frame.position[i] - frame.position[j])[:, :dimension], world.boundary)
    size = np.where(world.fixed, math.inf, frame.radius)
    ratio = (frame.radius[i] + frame.radius[j] - np.linalg.norm(branch, axis=1)) / np.minimum(size[i], size[j])
    if not ratio.size or ratio.max() <= known[OVERLAP_RATIO]:
        return known
    k = int(np.argmax(ratio))
    result = np.zeros(len(known))
    point = 0.5 * (frame.position[i[k]] + frame.position[j[k]])[:dimension]
    result[OVERLAP_POINT : OVERLAP_POINT + dimension] = point
    result[[OVERLAP_RATIO, OVERLAP_STEP, OVERLAP_WALL]] = ratio[k], run.step, -1.0
    result[[OVERLAP_FIRST, OVERLAP_SECOND]] = frame.sphere_id[[i[k], j[k]]]
    return list(map(float, result))


def aim(world: World, now: DumpFrame, then: DumpFrame, interval: float, dt: float) -> None:
    """Set the velocity of every sphere such that it reaches its position in the next frame. The speed is limited to
    that allowed by the step loop; a faster sphere jumps at the end."""
    if not np.array_equal(now.sphere_id, then.sphere_id):
        return
    dimension = world.motion.shape[0]
    velocity = shortest_branch((then.position - now.position)[:, :dimension], world.boundary) / interval
    speed, most = np.linalg.norm(velocity, axis=1), FOLLOWED * LARGEST_STEP * now.radius / dt
    world.motion[:, 1] = (velocity * np.minimum(1.0, most / np.maximum(speed, most))[:, None]).T


def passed(before: DumpFrame, now: DumpFrame, gate: float, dimension: int) -> int:
    """Number of grains that have fallen below the gate from one frame to the next, by the mean height of their spheres
    that both frames have."""
    _, first, second = np.intersect1d(before.sphere_id, now.sphere_id, return_indices=True)
    grain = np.unique(now.grain[second], return_inverse=True)[1]
    size = np.bincount(grain)
    high, low = (
        np.bincount(grain, frame.position[rows, dimension - 1]) / size
        for frame, rows in ((before, first), (now, second))
    )
    return int(((high >= gate) & (low < gate)).sum())


def grains_left(world: World, frame: DumpFrame) -> int:
    """Number of grains with a sphere that lies in the world, which shows this frame."""
    left = np.isin(frame.sphere_id, world.sphere_id[remaining_spheres(world, world.motion.shape[0])])
    return int(np.unique(frame.grain[left]).size)


def remaining_spheres(world: World, dimension: int) -> NDArray[np.bool_]:
    """True for spheres that move at some time and have not fallen below all fixed spheres, shape (spheres,)."""
    height, fixed = world.motion[dimension - 1, 0], world.fixed
    lowest = float((height - world.radius)[fixed].min()) if fixed.any() else -math.inf
    result: NDArray[np.bool_] = ~fixed & (height > lowest)
    return result


def axis_and_box(
    dump: Dump, held: NDArray[np.int64], dimension: int
) -> tuple[Floats, tuple[tuple[float, ...], tuple[float, ...]]]:
    """The vertical axis of the heap, which is the middle of the spheres that lie at the end, and a box of all spheres
    that are fixed or lie at the beginning or the end [m]; in the plane the axis is at the origin."""
    places = []
    for which in (0, len(dump.places) - 1):
        frame = dump.frame(which)
        position, fixed = frame.position[:, :dimension], np.isin(frame.sphere_id, held)
        lies = ~fixed & (position[:, -1] > position[fixed, -1].min(initial=math.inf)) if fixed.any() else ~fixed
        places.append((position[lies | fixed], position[lies]))
    reached, lying_last = np.vstack([position for position, _ in places]), places[-1][1]
    axis = np.zeros(dimension)
    low, high = reached.min(axis=0), reached.max(axis=0)
    if dimension == 3 and len(lying_last):
        axis[:2] = np.median(lying_last[:, :2], axis=0)
        half = np.maximum(high - axis, axis - low)[:2]
        low[:2], high[:2] = axis[:2] - half, axis[:2] + half
    return axis, (tuple(low.tolist()), tuple(high.tolist()))


def slope_of(world: World, axis: Floats) -> SurfaceSlope | ConeAngle | None:
    """The slope of the lying spheres: in the plane the slope that falls to the right, in space that about the axis."""
    dimension = axis.size
    moving = remaining_spheres(world, dimension)
    position: Floats = world.motion[:dimension, 0, moving].T - axis
    if position.shape[0] < 3:
        return None
    if dimension == 3:
        return measure_cone(position, world.radius[moving], world.sphere_id[moving])
    reach = float(position[:, 0].min()), float(position[:, 0].max())
    return measure_angle(position, world.radius[moving], world.sphere_id[moving], x_range=reach)


def reaches_ground(slope: SurfaceSlope | ConeAngle, world: World, axis: Floats) -> bool:
    """Whether the fitted line reaches the height of the lowest lying sphere, within two diameters or a quarter of the
    height of the surface; it does not for a column between walls."""
    position: Floats = (world.motion[: axis.size, 0, remaining_spheres(world, axis.size)].T - axis).astype(float)
    across = position[:, 0] if axis.size == 2 else np.hypot(position[:, 0], position[:, 1])
    first, last = (float(across.min()), float(across.max())) if axis.size == 2 else (0.0, float(across.max()))
    lowest, fall = float(position[:, -1].min()), math.tan(slope.angle)
    foot, top = sorted(slope.intercept - fall * x - lowest for x in (first, last))
    return foot <= max(4.0 * float(world.radius.mean()), FOOT * top)


def measure_now(state: DumpState, world: World, axis: Floats) -> None:
    """Store the present slope in the state."""
    slope = slope_of(world, axis)
    state.runs_out = slope is None or reaches_ground(slope, world, axis)
    state.flat = slope if isinstance(slope, SurfaceSlope) else None
    state.reading = cone_slope.reading_of(slope) if isinstance(slope, ConeAngle) else {}


def drawn_slope(experiment: Experiment) -> SurfaceSlope | None:
    """The slope to draw on the grains; None unless the surface is that of a heap."""
    state = experiment.run.state
    if not state.runs_out:
        return None
    flat: SurfaceSlope | None = state.flat
    return flat or cone_slope.slope(experiment)


def angle_of(state: DumpState) -> tuple[float | None, float]:
    """The latest angle and its standard error [rad]."""
    if state.flat is not None:
        return state.flat.angle, state.flat.standard_error
    if state.reading:
        return float(state.reading["angle"]), float(state.reading["standard_error"])
    return None, math.nan


def readings(experiment: Experiment, left: int) -> tuple[Reading, ...]:
    """The present angle, the number of grains left and the flow through the gate."""
    state = experiment.run.state
    angle, error = angle_of(state)
    help = _("Grains that move during the dump and have not yet fallen below all fixed ones.")
    entries = [Reading("grains_left", _("grains left"), float(left), help=help)]
    if angle is not None:
        name, label, of = (
            ("angle_of_repose", _("angle of repose"), _("Of this frame."))
            if state.runs_out
            else ("surface_slope", _("slope of the surface"), STANDING)
        )
        entries.insert(0, Reading(name, label, math.degrees(angle), "°", math.degrees(error), of))
    flow = mean_rate(state.passages)
    if flow is not None:
        entries.append(
            Reading("flow_rate", _("flow rate"), flow.mean, "1/s", flow.standard_error, _("Through the gate so far."))
        )
    return tuple(entries)


def module_of(scene: Scene) -> ModuleType:
    """The scene as a module that can be added to the registry."""
    module = ModuleType(f"repose_dump_{scene.name}")
    module.SCENE = scene  # type: ignore[attr-defined]
    return module
