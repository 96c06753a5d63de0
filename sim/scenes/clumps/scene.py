"""Clumps: bodies of several spheres poured into a container on a plate, which is then lifted; also discs in the plane.

All grains have the same mean volume, loose spheres among them too. The packing fraction is measured in the filled
container, the angle of repose once the heap that forms without it is at rest (`repose.sim.experiment.rest`). The
container counts as filled at rest, or after a longest wait. Clumps from a file are scaled to the mean radius. In the
plane a grain has the mass of a sphere of the mean radius, and the slope is the line through both flanks, folded about
the axis.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.direction import Direction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Hand, ModelChoice, Scene, SceneView
from repose.sim.experiment.notices import notify
from repose.sim.experiment.results import keep_measurement
from repose.sim.experiment.snapshot import Action
from repose.sim.experiment.take_snapshot import wall_facets
from repose.sim.laws.hertz_mindlin import LAW
from repose.sim.measure import surface_slope
from repose.sim.measure.angle_of_repose import angle_in_words, measure_angle
from repose.sim.measure.angle_of_repose_3d import ERROR_OF, FOOT, SECTORS, TIP, ConeAngle, measure_cone
from repose.sim.measure.display import Answer, Reading
from repose.sim.measure.flank_angle import FlankAngle, measure_flank
from repose.sim.measure.surface_slope import LEVEL, SurfaceSlope, slope_complaint
from repose.sim.message import EMPTY, Message, Number, Value, _, joined, plural
from repose.sim.scenes.clumps.parameters import ClumpsParameters, JoinedParameters, LiftedParameters
from repose.sim.scenes.clumps.plate_and_container import (
    FLOOR_WALL,
    LOOSE_SPHERE,
    ClumpsState,
    begin,
    begin_in_plane,
    layers,
    packing_in_container,
    pour_layer,
    remove_fallen,
    sizes_now,
)
from repose.sim.scenes.clumps.poured_clumps import FARTHEST, MOST_MEMBERS
from repose.sim.scenes.clumps.prepared import PREPARED, PREPARED_IN_PLANE
from repose.sim.scenes.common.clump_grains import smallest_moved_mass
from repose.sim.scenes.common.cone_slope import (
    ANSWER_VALUES,
    SLOPE_NUMBERS,
    SLOPE_READINGS,
    current_slope,
    reading_of,
    slope_answer,
    slope_curves,
    slope_readings,
    slope_results,
)
from repose.sim.scenes.common.friction_study import STUDY_IN_SPACE
from repose.sim.scenes.common.law_choice import is_material_law, with_law
from repose.sim.scenes.common.measured_heap import change_since_measured, note_measured
from repose.sim.scenes.common.phases import POURED, enter, rests
from repose.sim.scenes.common.poured import (
    HEAP_WORDS,
    PouredButtons,
    PouredCourse,
    come_to_rest,
    count_removed,
    grains_left,
    measuring_action,
    move_again,
    opening_action,
    poured_course,
    poured_results,
    removal_is_due,
)
from repose.sim.scenes.common.settling import SETTLING_READINGS, is_settled, longest_wait, settling_readings
from repose.sim.scenes.common.state_checks import are_rows
from repose.sim.scenes.common.stream import Box, around_axis, disc, lift_on, pour_on

LINE = surface_slope.ERROR_OF["line"]
STEEP = math.radians(60.0)
"""Slope above which a heap is a column with a flat top, whose profile is not a line [rad]."""
FEWEST_OF_LINE = 3
"""Least number of grains of a line: two determine it, and the third one gives its error. The spheres of one clump have
fixed distances, and count once."""
FEWEST_GRAINS = {2: 2 * FEWEST_OF_LINE, 3: SECTORS * FEWEST_OF_LINE}
"""Least number of grains of a measured slope: of both flanks in the plane; in space of the lines of all sectors, from
whose scatter the error follows."""
Slope = ConeAngle | FlankAngle | SurfaceSlope
NO_SLOPE = _("There is no slope to measure: too few grains lie above the lowest layer.")
DENSEST = {2: 0.907, 3: 0.78}
"""Packing fraction above which grains of each dimension are pressed into each other [-]. In the plane equal discs that
do not overlap fill at most pi/sqrt(12), joined or not. In space dice of all regular shapes, shaken until they are
dense, fill at most 0.67 (Baker & Kudrolli, Phys. Rev. E 82 (2010) 061304, doi:10.1103/PhysRevE.82.061304); soft grains
whose centres are 5 % closer fill 0.67/0.95³."""
JAMMED = _("the container is full. Pour fewer grains.")


def supervise(experiment: Experiment) -> None:
    """Pour the next layer, detect rest, remove the grains beyond the rim."""
    state: ClumpsState = experiment.run.state
    if state.phase == "empty":
        return
    if removal_is_due(experiment):
        remove_fallen(experiment)
    quiet = state.phase in ("filling", "flowing") and rests(experiment)
    if state.phase == "filling":
        high = sizes_now(experiment).high
        if not pour_on(experiment, high, pour_layer, JAMMED):
            return
        longest = longest_wait(high, experiment.parameters.gravity)
        if is_settled(experiment, quiet, experiment.time - state.since, longest):
            enter(experiment, "filled")
            state.packing = packing_in_container(experiment)
            if state.run_all:
                notify(experiment, lift(experiment))
    elif state.phase == "flowing":
        lift_on(experiment, 0.0, sizes_now(experiment).high)
        if quiet and not experiment.run.world.walls.velocity.any():
            come_to_rest(experiment, measured=True)
    elif state.phase == "rested" and move_again(experiment):
        state.reading = {}


def lift(experiment: Experiment) -> Message:
    """Lift the container off the plate."""
    experiment.run.world.walls.velocity[FLOOR_WALL + 1 :, -1] = experiment.parameters.lift_speed
    enter(experiment, "flowing")
    return _("The container is lifted.")


def keep_slope(experiment: Experiment) -> Message:
    """Measure the slope and keep it."""
    reading, why_none = measured(experiment)
    if reading is None:
        return why_none
    experiment.run.state.reading = (
        reading_in_plane(reading, flanks(experiment)) if isinstance(reading, SurfaceSlope) else reading_of(reading)
    )
    note_measured(experiment, reading.used_ids)
    keep_measurement(experiment)
    error_of = LINE if isinstance(reading, SurfaceSlope) else ERROR_OF
    angle = angle_in_words(reading.angle, reading.standard_error, error_of)
    return plural(
        "Angle of repose {angle}, {count} grain on the plate.",
        "Angle of repose {angle}, {count} grains on the plate.",
        count=reading.grains_left,
        angle=angle,
    )


def actions(experiment: Experiment) -> tuple[Action, ...]:
    """The buttons of the container and of the measurement."""
    done = current_slope(experiment) is not None
    return (
        opening_action(experiment, "lift", _("Lift container"), _("Lift the container off the plate.")),
        measuring_action(experiment, _("Fit the slope: the angle of repose."), done),
    )


def empty_in_words(experiment: Experiment) -> Message:
    """The empty container and the grains to pour."""
    words = grain_words(experiment.run.state, experiment.scene.model.dimension)
    return Message("empty container; {state}", state=words)


def grain_words(state: ClumpsState, dimension: int) -> Message:
    """The poured grains in a few words."""
    parts = [
        plural(
            "{count} clump of {members}",
            "{count} clumps of {members}",
            count=clumps,
            members=members_in_words(len(grain.members), dimension),
        )
        for kind, grain in enumerate(state.grains)
        if (clumps := int((state.kinds == kind).sum()))
    ]
    loose = int((state.kinds == LOOSE_SPHERE).sum())
    return joined((*parts, loose_in_words(loose, dimension)) if loose or not parts else parts)


def members_in_words(count: int, dimension: int) -> Message:
    """The members of one clump."""
    if dimension == 3:
        return plural("{count} sphere", "{count} spheres", count=count)
    return plural("{count} disc", "{count} discs", count=count)


def loose_in_words(count: int, dimension: int) -> Message:
    """The grains that are no clumps."""
    if dimension == 3:
        return plural("{count} loose sphere", "{count} loose spheres", count=count)
    return plural("{count} loose disc", "{count} loose discs", count=count)


def measure(experiment: Experiment) -> Slope | None:
    """The present slope of the heap, measured on its flank if it is steeper than `STEEP`; None before the container is
    lifted or with too few grains."""
    return measured(experiment)[0] if experiment.phase in ("flowing", "rested") else None


def measured(experiment: Experiment) -> tuple[Slope | None, Message]:
    """The present slope of the heap, or None and why there is none."""
    slope = _fitted(experiment)
    if slope is None:
        return None, NO_SLOPE
    count, least = grains_of(experiment.run.world, slope.used_ids), FEWEST_GRAINS[experiment.scene.model.dimension]
    if count < least:
        return None, plural(
            "The slope is not measured: {count} grain is on its line, and at least {least} are needed.",
            "The slope is not measured: {count} grains are on its line, and at least {least} are needed.",
            count=count,
            least=least,
        )
    if not math.isfinite(slope.standard_error):
        return None, plural(
            "The slope is not measured: {count} grain on its line gives no error, since too few lie in each direction.",
            "The slope is not measured: {count} grains on its line give no error, since too few lie in each direction.",
            count=count,
        )
    return slope, EMPTY


def grains_of(world: World, used_ids: Sequence[int] | NDArray[np.int64]) -> int:
    """Number of grains, loose spheres and clumps, to which the spheres of these ids belong."""
    body = np.full(world.sphere_count, -1)
    if world.bodies:
        body[world.bodies.member] = np.repeat(np.arange(len(world.bodies.body_id)), np.diff(world.bodies.begin))
    of_used = body[np.isin(world.sphere_id, np.asarray(used_ids, np.int64))]
    return int((of_used < 0).sum() + np.unique(of_used[of_used >= 0]).size)


def _fitted(experiment: Experiment) -> Slope | None:
    """The line through the surface of the heap, be it of few grains; None without such a line."""
    world, state, mean = experiment.run.world, experiment.run.state, experiment.run.built.mean_radius
    left = state.poured - state.removed
    slope: Slope | None
    if experiment.scene.model.dimension == 3:
        heap = world.motion[:3, 0].T, world.radius, world.sphere_id
        flank = measure_flank(*heap)
        slope = flank if flank is not None and flank.angle > STEEP else measure_cone(*heap, 2.0 * mean, fineness=2)
    else:
        folded = np.column_stack([np.abs(world.motion[0, 0]), world.motion[1, 0]])
        foot = float(np.quantile(folded[:, 0], 0.98)) if len(folded) else 0.0
        slope = measure_angle(folded, world.radius, world.sphere_id, x_range=(TIP * foot, FOOT * foot), highest=2)
    if isinstance(slope, FlankAngle):
        return slope._replace(grains_left=left)
    return None if slope is None else replace(slope, grains_left=left)


def flanks(experiment: Experiment) -> dict[str, list[float]]:
    """Angle and standard error of the left and the right flank of a heap in the plane [rad], if these exist."""
    world, angles = experiment.run.world, {}
    for name, side in (("left", -1.0), ("right", 1.0)):
        x = side * world.motion[0, 0]
        foot = float(np.quantile(np.abs(x), 0.98)) if x.size else 0.0
        grains = np.column_stack([x, world.motion[1, 0]]), world.radius, world.sphere_id
        flank = measure_angle(*grains, x_range=(TIP * foot, FOOT * foot), highest=2)
        if flank is not None:
            angles[name] = [flank.angle, flank.standard_error]
    return angles


def reading_in_plane(slope: SurfaceSlope, sides: dict[str, list[float]]) -> dict[str, Any]:
    """A measurement in the plane as plain data."""
    return {
        "flanks": sides,
        "angle": slope.angle,
        "standard_error": slope.standard_error,
        "intercept": slope.intercept,
        "fitted": list(slope.x_range),
        "used_ids": list(slope.used_ids),
        "grains_used": len(slope.used_ids),
        "grains_left": slope.grains_left,
    }


def slope_in_plane(experiment: Experiment) -> SurfaceSlope | None:
    """The latest measured slope, on the right flank, while it applies to the grains."""
    slope = current_slope(experiment)
    return None if slope is None else replace(slope, method="line")


LATER = ("grains_on_slope", "container_packing", "sphericity", "second_sphericity", *SETTLING_READINGS)
"""Names of the readings that exist only later in a run, or with other clumps, besides those of the slope."""


def readings_in_plane(experiment: Experiment) -> tuple[Reading, ...]:
    """The slope and the packing fraction in the container."""
    reading = experiment.run.state.reading
    angle = not_measured(experiment)
    if reading:
        error = math.degrees(reading["standard_error"])
        words = _("Line through the surface of both flanks, folded about the axis.")
        outdated = change_since_measured(experiment)
        angle = (
            Reading(
                "angle_of_repose",
                _("angle of repose"),
                math.degrees(reading["angle"]),
                "°",
                error,
                words,
                LINE,
                outdated=outdated,
            ),
        )
        angle += steeper_flank(reading.get("flanks", {}), outdated)
    return (*angle, *grain_readings(experiment))


SIDES = {"left": _("left flank"), "right": _("right flank")}
"""Names of the flanks of a heap in the plane."""
STEEPER = {"left": _("left flank steeper by"), "right": _("right flank steeper by")}
"""Names of the difference of their slopes, by the steeper flank."""


def steeper_flank(sides: Mapping[str, Sequence[float]], outdated: Message = EMPTY) -> tuple[Reading, ...]:
    """The difference of both slopes of a heap in the plane, if it has two flanks."""
    if len(sides) < 2:
        return ()
    low, high = sorted(sides, key=lambda name: sides[name][0])
    difference, error = sides[high][0] - sides[low][0], math.hypot(sides[high][1], sides[low][1])
    words = joined(
        [
            Message(
                "{side} {angle} ± {error}",
                side=SIDES.get(name, name),
                angle=Number(math.degrees(at), "°", ".1f"),
                error=Number(math.degrees(off), "°", ".1f"),
            )
            for name, (at, off) in sides.items()
        ],
        " / ",
    )
    help = Message("A line through either flank: {words}.", words=words)
    label = STEEPER.get(high, EMPTY)
    return (
        Reading(
            f"steeper_{high}_flank",
            label,
            math.degrees(difference),
            "°",
            math.degrees(error),
            help,
            LINE,
            outdated=outdated,
        ),
    )


def grain_readings(experiment: Experiment) -> tuple[Reading, ...]:
    """The packing fraction in the container, the sphericity of the clumps, and waits that were cut short."""
    state: ClumpsState = experiment.run.state
    entries: tuple[Reading, ...] = ()
    if state.packing:
        words = _("Of the filled container, well inside; overlapping members count once.")
        entries += (Reading("container_packing", _("packing in the container"), state.packing, help=words),)
    words = _("Radius of the largest member over that of the ball that contains the clump; 1 for a ball.")
    poured = [kind for kind in np.unique(state.kinds) if kind != LOOSE_SPHERE]
    for kind in poured:
        label = _("sphericity of the second shape") if kind and len(poured) > 1 else _("sphericity")
        entries += (
            Reading(
                "second_sphericity" if kind and len(poured) > 1 else "sphericity",
                label,
                state.grains[kind].sphericity,
                help=words,
                given=True,
            ),
        )
    return (*entries, *settling_readings(state))


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """The slope, the packing fraction in the container and the sphericity of the clumps."""
    return (*not_measured(experiment), *slope_readings(experiment), *grain_readings(experiment))


def not_measured(experiment: Experiment) -> tuple[Reading, ...]:
    """For a heap at rest whose slope has too few grains: their number, and the least one."""
    if experiment.phase != "rested" or experiment.run.state.reading:
        return ()
    why_none = measured(experiment)[1]
    slope = _fitted(experiment)
    count = 0 if slope is None else grains_of(experiment.run.world, slope.used_ids)
    if not why_none:
        return ()
    least = FEWEST_GRAINS[experiment.scene.model.dimension]
    label = Message("angle of repose not measured: grains on the slope, of at least {least}", least=least)
    return (Reading("grains_on_slope", label, float(count), help=why_none),)


def answer(experiment: Experiment) -> Answer | None:
    """The angle of the heap; if clumps and loose spheres are mixed, also which of them lie farther from the axis."""
    state: ClumpsState = experiment.run.state
    values: dict[str, Value] = {"packing": Number(state.packing, format=".2f")}
    if (lying := inclination(experiment.run.world)) is not None:
        values["inclination"] = Number(lying, "°", ".0f")
    angle = slope_answer(experiment, **values)
    clumps, spheres = mean_distances(experiment.run.world)
    shown = dict(angle.words.values) if angle is not None else {}
    if "angle" not in shown or not clumps > 0.0 < spheres:
        return angle
    numbers = {
        "angle": shown["angle"],
        "clumps": Number(clumps, "m", digits=3),
        "spheres": Number(spheres, "m", digits=3),
    }
    if clumps > spheres:
        words = Message(
            "The clumps lie farther out, {clumps} from the axis on average, the loose spheres {spheres}; the heap is "
            "{angle} steep.",
            **numbers,
        )
    else:
        words = Message(
            "The loose spheres lie farther out, {spheres} from the axis on average, the clumps {clumps}; the heap is "
            "{angle} steep.",
            **numbers,
        )
    return Answer(clumps - spheres, words)


def inclination(world: World) -> float | None:
    """Mean angle between the horizontal and the line from the first to the last member of a clump [°]; None without
    clumps. The members of a rod are in the order of its length; 33° for directions at random in space."""
    if not world.bodies or len(world.bodies.body_id) == 0:
        return None
    first, last = world.bodies.member[world.bodies.begin[:-1]], world.bodies.member[world.bodies.begin[1:] - 1]
    along = (
        world.motion[: world.search.reference.shape[0], 0, last]
        - world.motion[: world.search.reference.shape[0], 0, first]
    )
    length = np.sqrt((along**2).sum(axis=0))
    return float(np.degrees(np.arcsin(np.abs(along[-1]) / np.maximum(length, 1e-300)).mean()))


def mean_distances(world: World) -> tuple[float, float]:
    """Mean distance from the axis of the members of clumps, and of loose spheres [m]; nan without them."""
    in_body = np.zeros(world.sphere_count, bool)
    if world.bodies:
        in_body[world.bodies.member] = True
    across = world.motion[: world.search.reference.shape[0] - 1, 0]
    distance = np.sqrt((across**2).sum(axis=0))
    loose = ~in_body & ~world.fixed
    clumps, spheres = (float(distance[of].mean()) if of.any() else math.nan for of in (in_body, loose))
    return clumps, spheres


def box(experiment: Experiment) -> Box:
    """The plate and the container."""
    size = sizes_now(experiment)
    return around_axis(size.plate, 0.0, size.high + 4.0 * size.reach, experiment.scene.model.dimension)


def focus(experiment: Experiment) -> Box:
    """The plate below the container, where the heap begins."""
    size = sizes_now(experiment)
    return around_axis(size.wide, 0.0, size.reach, experiment.scene.model.dimension)


def facets(experiment: Experiment) -> Floats:
    """Plate, and container at its present position."""
    plate, walls = sizes_now(experiment).plate, wall_facets(experiment.run.world)
    ground = disc(plate) if experiment.scene.model.dimension == 3 else np.array([[(-plate, 0.0), (plate, 0.0)]])
    return np.concatenate([ground, walls])


def smallest_grain(parameters: LiftedParameters, dimension: int = 3) -> tuple[float, float]:
    """Smallest force over acceleration of a member of a grain for a normal force [kg], and radius of the smallest
    sphere [m]."""
    radius = parameters.radius_limits[0]
    mass = float(parameters.mass_of(np.array(radius)))
    if not parameters.has_clumps:
        return mass, radius
    least = min(smallest_moved_mass(grain, radius, mass, dimension) for grain in parameters.grains)
    return least, radius * min(r for grain in parameters.grains for *_, r in grain.members)


def results(experiment: Experiment) -> dict[str, Any]:
    """Numbers of grains, packing fraction, and the latest measured slope."""
    state: ClumpsState = experiment.run.state
    of_slope = slope_results if experiment.scene.model.dimension == 3 else results_in_plane
    return {
        **poured_results(state),
        "angle_of_repose": of_slope(experiment),
        "container_packing_fraction": state.packing or None,
        "members": len(state.members),
        "sphericity": state.grains[0].sphericity,
        "clumps": [
            {"grains": int((state.kinds == kind).sum()), "members": len(grain.members), "sphericity": grain.sphericity}
            for kind, grain in enumerate(state.grains)
        ],
        "loose_spheres": sum(state.loose),
    }


def results_in_plane(experiment: Experiment) -> dict[str, Any] | None:
    """The angle in degrees; None before the first measurement."""
    reading = experiment.run.state.reading
    if not reading:
        return None
    sides = {
        name: {"degrees": math.degrees(at), "standard_error_degrees": math.degrees(error)}
        for name, (at, error) in reading.get("flanks", {}).items()
    }
    angle = {"standard_error_of": LINE, "grains_used": reading["grains_used"], "flanks": sides}
    angle["outdated"] = change_since_measured(experiment) or None
    return angle | {f"{name}_degrees": math.degrees(reading[name]) for name in ("angle", "standard_error")}


def check(experiment: Experiment) -> Message:
    """Check that the heap is at rest, that its packing in the container was that of grains, and that it has a slope."""
    state: ClumpsState = experiment.run.state
    if state.phase != "rested":
        return Message("The heap did not come to rest: phase {phase}.", phase=state.phase)
    if state.packing > DENSEST[experiment.scene.model.dimension]:
        return Message(
            "A packing fraction of {packing} is not that of grains.", packing=Number(state.packing, format=".2f")
        )
    if not state.reading:
        return measured(experiment)[1] or NO_SLOPE
    # Bodies that hook into each other can stand as an upright column. In space the eight sectors of a heap of a hundred
    # clumps scatter by more than its slope.
    level = LEVEL if experiment.scene.model.dimension == 2 else 0.0
    return slope_complaint(state.reading["angle"], state.reading["standard_error"], math.inf, level)


def flaws(state: ClumpsState, world: World, built: LiftedParameters) -> dict[str, bool]:
    """Which parts of a state read from a file are impossible, by name."""
    return {
        "number of walls": world.walls.shape.size < 1,
        "members": not _is_possible(state.members, state.inertia)
        or not all(_is_possible(grain.members, grain.inertia) for grain in state.others),
        "loose": len(state.loose) < len(state.radii),
        "which": bool(state.others) != bool(state.which)
        or (bool(state.which) and len(state.which) != len(state.loose))
        or not all(0 <= kind <= len(state.others) for kind in state.which),
        "packing": not 0.0 <= state.packing <= 1.0,
    }


def _is_possible(members: Sequence[Sequence[float]], inertia: Sequence[Sequence[float]]) -> bool:
    """Whether these can be the members of a clump and its inertia."""
    count = len(members)
    sound = 1 <= count <= MOST_MEMBERS and are_rows(members, count, 4) and are_rows(inertia, 3, 3)
    return sound and all(0.0 < member[3] <= FARTHEST for member in members)


COURSE = PouredCourse(
    begin=begin,
    supervise=supervise,
    pour=pour_layer,
    phases=POURED,
    buttons=PouredButtons(
        _("Pour the grains; a full container is emptied first."),
        _("Back to the empty container."),
        _("Pour, lift the container, wait for rest and measure."),
    ),
    empty=_("The container is empty."),
    actions=actions,
    acts={"lift": lift, "measure": keep_slope},
    opening="lift",
    words={
        "empty": empty_in_words,
        "filled": lambda experiment: plural(
            "container filled with {count} grain", "container filled with {count} grains", count=grains_left(experiment)
        ),
        **HEAP_WORDS,
    },
    results=results,
    check=check,
    flaws=flaws,
)

IN_SPACE = Scene(
    name="clumps",
    title=_("Clumps"),
    summary=_(
        "Bodies of several spheres poured into a container that is lifted: packing fraction and angle of repose."
    ),
    direction=Direction(
        see=_("The container is lifted: clumps hook into one another, and their heap is steeper than one of balls."),
        colour="layer",
        plot="angle",
        speed=1.0,
        seconds=20.0,
    ),
    parameters=with_law(ClumpsParameters, LAW, is_material_law),
    model=ModelChoice(
        law=LAW.name,
        dimension=3,
        smallest_grain=smallest_grain,
        rotates=lambda parameters: True,
        bodies=lambda parameters: parameters.has_clumps,
    ),
    course=replace(
        poured_course(COURSE),
        measure=measure,
        find_answer=answer,
        answer_values=(*ANSWER_VALUES, "packing", "inclination"),
        readings=readings,
        later_readings=(*SLOPE_READINGS, *LATER),
        result_numbers=SLOPE_NUMBERS,
        prepared=PREPARED,
    ),
    view=SceneView(
        box=box,
        focus=focus,
        facets=facets,
        layers=layers,
        slope=current_slope,
        slope_since=_("the end of filling"),
        curves=slope_curves,
    ),
    hand=Hand(on_grain_removed=count_removed),
    lecture=("shape", "members", "second_share", "second_shape", "ball_share", "friction", "gravity"),
    study=STUDY_IN_SPACE,
    test_values={
        "grain_count": 130,
        "shape": "tetrapod",
        "members": 4,
        "friction": 0.9,
        "ball_share": 0.1,
        "rolling_friction": 0.8,
        "lift_speed": 0.3,
        "young": 4e5,
    },
)

IN_PLANE = replace(
    IN_SPACE,
    name="joined",
    title=_("Joined discs"),
    summary=_("Rods, triangles and squares of discs poured between two walls that are lifted, beside loose discs."),
    direction=Direction(
        see=_("The walls are lifted: rods stay in a steeper heap than loose discs."),
        colour="layer",
        plot="angle",
        speed=1.0,
        speeds={"flowing": 0.5},
        seconds=14.0,
    ),
    parameters=with_law(JoinedParameters, LAW, is_material_law),
    model=replace(IN_SPACE.model, dimension=2, smallest_grain=partial(smallest_grain, dimension=2)),
    course=replace(
        IN_SPACE.course,
        begin=begin_in_plane,
        readings=readings_in_plane,
        later_readings=("angle_of_repose", "steeper_left_flank", "steeper_right_flank", *LATER),
        prepared=PREPARED_IN_PLANE,
    ),
    view=replace(IN_SPACE.view, slope=slope_in_plane, slope_since=_("the opening"), curves=SceneView.curves),
    study=replace(STUDY_IN_SPACE, error_of=LINE, error_name="line_fit"),
    test_values={"grain_count": 60, "members": 3, "ball_share": 0.3, "lift_speed": 0.5, "young": 1e6},
)

SCENE = (IN_SPACE, IN_PLANE)
