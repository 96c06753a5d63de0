"""Your own shape: spheres poured on or into a shape read from a file, on a round floor.

The shape's facets are walls. The floor is a plane; grains beyond its rim are removed. The grains fall in layers, as a
stream about the axis, from above the top of a steep heap of all grains on the shape. Once they are at rest
(`repose.sim.experiment.rest`), or after a longest wait, the grains on or in the shape are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.direction import Direction
from repose.sim.engine.builder import empty_world, set_walls
from repose.sim.engine.contacts.wall_forces import FACET, PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Hand, ModelChoice, Scene, SceneView
from repose.sim.experiment.phase import Pace
from repose.sim.experiment.snapshot import Action
from repose.sim.experiment.take_snapshot import wall_facets
from repose.sim.laws.hertz_mindlin import LAW
from repose.sim.measure.contact_sums import pushes
from repose.sim.measure.contained import facets_beneath
from repose.sim.measure.display import Answer, Reading
from repose.sim.measure.stress import STRESS_UNIT, grain_pressure
from repose.sim.message import EMPTY as NO_WORDS
from repose.sim.message import Message, Number, _, as_data, joined, plural, read_message
from repose.sim.scenes.common.grain_sizes import drawn_radii
from repose.sim.scenes.common.law_choice import is_material_law, with_law
from repose.sim.scenes.common.measured_heap import change_since_measured, note_measured
from repose.sim.scenes.common.phases import EMPTY, FILLING, FLOWING, RESTED, enter, rests
from repose.sim.scenes.common.poured import (
    PouredButtons,
    PouredCourse,
    PouredState,
    adding,
    at_rest_in_words,
    come_to_rest,
    count_removed,
    grains_left,
    once_free,
    poured_course,
    poured_results,
    removal_is_due,
    remove_gone,
)
from repose.sim.scenes.common.settling import SETTLING_READINGS, is_settled, longest_wait, settling_readings
from repose.sim.scenes.common.state_checks import are_messages, are_rows
from repose.sim.scenes.common.stream import (
    Box,
    around_axis,
    disc,
    fallen_grains,
    heap_height,
    is_beyond_rim,
    layers_in_all,
    let_fall,
    plate_radius,
    pour_on,
    smallest_grain,
)
from repose.sim.scenes.vessel.parameters import VesselParameters
from repose.sim.scenes.vessel.shape import on_floor, shape_of

LARGEST_VOLUME = 1e12
"""Largest accepted volume of a shape in a file [m³]."""

LAYER, FEWEST = 4.0, 8
"""Thickness of the layers over whose grains the pressure is averaged [mean radii], and least number of grains of
one."""

STILL_MOVED = _("The grains still moved when the longest wait for rest had ended.")
JAMMED = _("they pile up to where the stream begins. Pour fewer grains or make the stream wider.")


@dataclass
class VesselState(PouredState):
    """State of the experiment, and the shape.

    The file of the shape is read at a start only.
    """

    reading: dict[str, Any] = field(default_factory=dict)
    """Number of grains held, on the floor and inside the body of the shape; empty before they are counted."""
    closed: bool = False
    volume: float = 0.0
    """Volume of a closed shape [m³]."""
    mended: list[Any] = field(default_factory=list)
    """What was wrong with the shape and has been corrected, as data of messages (repose.sim.message)."""
    digest: str = ""
    """SHA-256 of the file."""
    bottom: list[list[list[float]]] = field(default_factory=list)
    """Facets that lie in the floor and are not walls [m]."""


class VesselSizes(NamedTuple):
    """Dimensions of the experiment that follow from shape and grains [m]."""

    floor: float
    """Radius of the floor."""
    high: float
    """Height at which the stream begins."""
    largest: float
    """Largest grain radius."""


def sizes(experiment: Experiment) -> VesselSizes:
    """Sizes of floor and stream; the floor has room for a shallow heap of all grains."""
    built: VesselParameters = experiment.run.built
    corners = shape(experiment).reshape(-1, 3)
    wide = float(np.hypot(corners[:, 0], corners[:, 1]).max())
    floor = max(plate_radius(built), wide + 6.0 * built.mean_radius)
    return VesselSizes(floor, float(corners[:, 2].max()) + heap_height(built), built.largest_radius)


def shape(experiment: Experiment) -> Floats:
    """All facets of the shape [m], shape (facets, 3, 3)."""
    bottom = np.reshape(experiment.run.state.bottom, (-1, 3, 3))
    return np.concatenate([wall_facets(experiment.run.world), bottom])


def begin(parameters: VesselParameters, seed: int) -> tuple[World, VesselState]:
    """The shape on the empty floor."""
    generator = np.random.default_rng(seed)
    radii = drawn_radii(parameters, generator)
    mesh = shape_of(parameters)
    lying = on_floor(mesh.facets)
    facets = mesh.facets[~lying]
    floor = np.array([[(0, 0, 0), (0, 0, 1), (0, 0, 0)]], float)
    world = empty_world(3, 3, skin=0.3 * parameters.mean_radius, materials=2)
    world = set_walls(world, [PLANE] + [FACET] * len(facets), np.concatenate([floor, facets]), material=1)
    return world, VesselState(
        radii=radii,
        random=dict(generator.bit_generator.state),
        closed=mesh.closed,
        volume=mesh.volume,
        mended=[as_data(note) for note in mesh.notes],
        digest=mesh.digest,
        bottom=mesh.facets[lying].tolist(),
    )


def supervise(experiment: Experiment) -> None:
    """Pour the next layer, detect rest, remove the grains beyond the rim."""
    state: VesselState = experiment.run.state
    if state.phase in ("empty", "rested"):
        return
    size = sizes(experiment)
    if removal_is_due(experiment):
        remove_gone(experiment, fallen_grains(experiment, size.floor))
    quiet = rests(experiment)
    if state.phase == "filling":
        if pour_on(experiment, size.high, pour_layer, JAMMED):
            enter(experiment, "flowing")
        return
    longest = longest_wait(size.high, experiment.parameters.gravity)
    if is_settled(experiment, quiet, experiment.time - state.since, longest):
        come_to_rest(experiment, measured=True)


def pour_layer(experiment: Experiment) -> None:
    """Release the next layer of the stream."""
    size = sizes(experiment)
    let_fall(experiment, stream_radius(experiment), size.high)


def stream_radius(experiment: Experiment) -> float:
    """Radius of the circle in which the centres of a new layer are [m]."""
    built: VesselParameters = experiment.run.built
    return built.stream * built.mean_radius


def layers(experiment: Experiment) -> int:
    """Number of layers once all grains are poured."""
    return layers_in_all(experiment, stream_radius(experiment))


def actions(experiment: Experiment) -> tuple[Action, ...]:
    """The button that counts."""
    state: VesselState = experiment.run.state
    counts, counted = state.phase in ("flowing", "rested"), bool(state.reading)
    done = counted and not change_since_measured(experiment)
    count = Action("measure", _("Count grains"), "M", counts, _("Count what the shape holds."), done=done)
    return (once_free(experiment, count),)


def keep_count(experiment: Experiment) -> Message:
    """Count the grains that the shape holds, and keep the numbers."""
    state: VesselState = experiment.run.state
    state.reading = count_grains(experiment)
    note_measured(experiment, held_grains(experiment))
    return plural(
        "The shape holds {held} of {count} grain.",
        "The shape holds {held} of {count} grains.",
        count=state.poured,
        held=state.reading["held"],
    )


def count_grains(experiment: Experiment) -> dict[str, int]:
    """Grains held, on the floor and inside the body of the shape, as plain data."""
    beneath = facets_beneath(shape(experiment), experiment.run.world.motion[:3, 0].T)
    grains = int((beneath > 0).sum())
    inside = int(in_body(experiment, beneath).sum())
    return {"held": grains, "on_floor": int(beneath.size) - grains, "inside_body": inside}


def held_grains(experiment: Experiment) -> NDArray[np.int64]:
    """Ids of the grains that the shape holds."""
    world = experiment.run.world
    ids: NDArray[np.int64] = world.sphere_id[facets_beneath(shape(experiment), world.motion[:3, 0].T) > 0]
    return ids


def in_body(experiment: Experiment, beneath: NDArray[np.int_]) -> NDArray[np.bool_]:
    """True for centres inside the body of a closed shape; `beneath` is the number of facets below each centre."""
    inside: NDArray[np.bool_] = (beneath % 2 == 1) & experiment.run.state.closed
    return inside


def keeps_out(experiment: Experiment, centres: Floats, radii: Floats) -> NDArray[np.bool_]:
    """True for spheres with centres (n, 3) and radii (n,) [m] off the floor or inside the body of the shape."""
    out = is_beyond_rim(centres, radii, sizes(experiment).floor)
    out[~out] = in_body(experiment, facets_beneath(shape(experiment), centres[~out]))
    return out


def empty_in_words(experiment: Experiment) -> Message:
    """The empty shape, and how its file was mended."""
    facets = plural("empty shape of {count} facet", "empty shape of {count} facets", count=len(shape(experiment)))
    return joined((facets, *map(read_message, experiment.run.state.mended)), "; ")


def settling_in_words(experiment: Experiment) -> Message:
    """The grains that have been poured and move."""
    return plural(
        "settling: {count} grain, {removed} off the floor",
        "settling: {count} grains, {removed} off the floor",
        count=grains_left(experiment),
        removed=experiment.run.state.removed,
    )


def rest_in_words(experiment: Experiment) -> Message:
    """The grains at rest."""
    left = grains_left(experiment)
    words = plural(
        "at rest: {count} grain on shape and floor", "at rest: {count} grains on shape and floor", count=left
    )
    return at_rest_in_words(experiment, words)


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Numbers of grains on the shape, on the floor and off the floor."""
    state: VesselState = experiment.run.state
    if not state.reading:
        return ()
    share, outdated = 100.0 * state.reading["held"] / max(1, state.poured), change_since_measured(experiment)
    words = _("The shape is straight below their centres.")
    return (
        Reading("grains_held", _("grains held"), float(state.reading["held"]), help=words, outdated=outdated),
        Reading("share_held", _("share held"), share, "%", help=_("Of all grains poured."), outdated=outdated),
        Reading("grains_on_floor", _("grains on the floor"), float(state.reading["on_floor"]), outdated=outdated),
        Reading("grains_off_floor", _("grains off the floor"), float(state.removed)),
        *settling_readings(state),
    )


def answer(experiment: Experiment) -> Answer | None:
    """Where the pressure on the grains in the shape is largest, and how large; None before they are counted."""
    if experiment.phase != "rested" or not experiment.run.state.reading or change_since_measured(experiment):
        return None
    world = experiment.run.world
    inside = facets_beneath(shape(experiment), world.motion[:3, 0].T) > 0
    held, poured = int(inside.sum()), experiment.run.state.poured
    pressure = grain_pressure(world.radius, pushes(world).force, 3)[inside]
    height, thick = world.motion[2, 0, inside], LAYER * experiment.run.built.mean_radius
    if held < FEWEST:
        return Answer(float(held), Message("Of {poured} the shape holds {held}.", held=held, poured=poured))
    layer = np.floor((height - height.min()) / thick).astype(np.int64)
    count = np.bincount(layer)
    mean = np.where(count >= FEWEST, np.bincount(layer, pressure) / np.maximum(count, 1), 0.0)
    largest = int(np.argmax(mean))
    counts: dict[str, Any] = {"held": held, "poured": poured}  # for the words of presets
    words = Message(
        "The pressure is largest {height} above the floor and {depth} below the surface: {pressure} on average.",
        height=Number(float(height[layer == largest].mean()), "m", digits=2),
        depth=Number(float(height.max() - height[layer == largest].mean()), "m", digits=2),
        pressure=Number(float(mean[largest]), STRESS_UNIT[3], digits=3),
        **counts,
    )
    return Answer(float(mean[largest]), words)


def box(experiment: Experiment) -> Box:
    """The floor, the shape and the beginning of the stream."""
    size = sizes(experiment)
    return around_axis(size.floor, 0.0, size.high + 3.0 * size.largest)


def focus(experiment: Experiment) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The shape, down to the floor."""
    corners = shape(experiment).reshape(-1, 3)
    lower, upper = np.minimum(corners.min(axis=0), (np.inf, np.inf, 0.0)), corners.max(axis=0)
    return tuple(lower.tolist()), tuple(upper.tolist())


def facets(experiment: Experiment) -> Floats:
    """Floor and shape."""
    return np.concatenate([disc(sizes(experiment).floor), shape(experiment)])


def results(experiment: Experiment) -> dict[str, Any]:
    """Numbers of grains, and properties of the shape."""
    state, surface = experiment.run.state, shape(experiment)
    return {
        **poured_results(state),
        "grains_held": state.reading.get("held"),
        "grains_on_floor": state.reading.get("on_floor"),
        "count_outdated": change_since_measured(experiment) or None,
        "shape": {
            "facets": len(surface),
            "closed": state.closed,
            "volume": state.volume,
            "extent": np.ptp(surface, axis=(0, 1)).tolist(),
            "mended": [str(read_message(entry)) for entry in state.mended],
            "sha256": state.digest or None,
        },
    }


def check(experiment: Experiment) -> Message:
    """Check that the grains are at rest, and that none is inside the body of the shape."""
    state: VesselState = experiment.run.state
    if state.phase != "rested":
        return Message("The grains did not come to rest: phase {phase}.", phase=state.phase)
    if state.waits_cut_short:
        return STILL_MOVED
    inside = count_grains(experiment)["inside_body"]
    return (
        plural(
            "{count} grain has been pressed into the body of the shape.",
            "{count} grains have been pressed into the body of the shape.",
            count=inside,
        )
        if inside
        else NO_WORDS
    )


def flaws(state: VesselState, world: World, built: VesselParameters) -> dict[str, bool]:
    """Which parts of a state read from a file are impossible, by name."""
    facets = int((world.walls.shape == FACET).sum())
    return {
        "number of walls": facets != world.walls.shape.size - 1 or facets + len(state.bottom) == 0,
        "bottom": not all(are_rows(corners, 3, 3) for corners in state.bottom),
        "mended": not are_messages(state.mended),
        "volume": not 0.0 <= state.volume <= LARGEST_VOLUME,
    }


PHASES = (
    EMPTY,
    replace(FILLING, label=_("pouring"), pace=Pace(9.0, "share")),
    replace(FLOWING, label=_("settling"), pace=Pace(3.0, "before")),
    RESTED,
)

COURSE = PouredCourse(
    begin=begin,
    supervise=supervise,
    pour=pour_layer,
    phases=PHASES,
    buttons=PouredButtons(
        _("Pour the grains; a full shape is emptied first."),
        _("Back to the empty shape."),
        _("Pour, wait for rest and count."),
    ),
    empty=_("The shape is empty."),
    actions=actions,
    acts={"measure": keep_count},
    words={"empty": empty_in_words, "flowing": settling_in_words, "rested": rest_in_words},
    results=results,
    check=check,
    flaws=flaws,
)

SCENE = Scene(
    name="vessel",
    title=_("Your own shape"),
    summary=_("Spheres poured on or into a shape from an STL or OBJ file; without one, into a goblet."),
    direction=Direction(
        see=_("Grains fill a goblet: the pressure rises with the depth, and the walls bear a part of the weight."),
        colour="pressure",
        plot="packing",
        span=(0.0, 1000.0),  # the weight of the grains in a goblet; impacts while it is filled exceed it
        speed=1.0,
        seconds=20.0,
    ),
    parameters=with_law(VesselParameters, LAW, is_material_law),
    model=ModelChoice(law=LAW.name, dimension=3, smallest_grain=smallest_grain, rotates=lambda parameters: True),
    course=replace(
        poured_course(COURSE),
        find_answer=answer,
        answer_values=("held", "poured", "pressure", "height", "depth"),
        readings=readings,
        later_readings=("grains_held", "share_held", "grains_on_floor", "grains_off_floor", *SETTLING_READINGS),
    ),
    view=SceneView(box=box, focus=focus, facets=facets, layers=layers),
    hand=Hand(
        on_grain_removed=count_removed,
        add_grains=adding(lambda built, radii: built.mass_of(radii)),
        keeps_out=keeps_out,
    ),
    lecture=("friction", "rolling_friction", "restitution", "gravity", "stream"),
    test_values={"grain_count": 60, "stream": 5.0},
)
