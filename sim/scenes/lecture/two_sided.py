"""A heap below a point source: grains trickle onto a rough plate one by one, and run down on both sides.

The grains fall in portions from a point that stays just above the top. After each portion the grains come to rest, and
the angles of both flanks are measured, without the rounded top and the foot. The plate is a row of fixed grains of the
mean size; grains that run over its ends are removed.

A heap of cohesionless grains has no length scale of its own: the angle of its flanks does not depend on its height,
except at the foot, whose slope decreases over a length that hardly grows with the heap (Alonso & Herrmann 1996). Below
the top of a heap from a point source the pressure on the plate can have a dip; a heap poured from a wide sieve has none
(Vanel et al. 1999; Geng et al. 2001).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from repose.sim.direction import Direction
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import free_fall, start_derivatives
from repose.sim.experiment.comparison import ResultNumber
from repose.sim.experiment.experiment import Experiment, Scene
from repose.sim.experiment.ledger import booked
from repose.sim.experiment.rest import rests
from repose.sim.laws.material_parameters import Restitution
from repose.sim.measure.angle_of_repose import measure_angle
from repose.sim.measure.contact_sums import pushes
from repose.sim.measure.display import Answer, Axis, Curve, Guess, Line, Outcome, Reading
from repose.sim.measure.profile import outline, strip_centres, surface_profile
from repose.sim.measure.surface_slope import SurfaceSlope
from repose.sim.message import Message, Number, _, plural
from repose.sim.parameters import count, number
from repose.sim.scenes.common.grain_sizes import drawn_radii
from repose.sim.scenes.common.poured_parameters import GrainCount
from repose.sim.scenes.common.settling import is_settled
from repose.sim.scenes.common.timed_course import LONGEST_WAIT, CourseState, TimedCourse, elapsed
from repose.sim.scenes.lecture.disc_scene import (
    DISCS,
    SOFT_DISCS,
    Box,
    DiscsParameters,
    disc_buttons,
    disc_course,
    disc_parameters,
    disc_view,
    keep_above,
    outcome_above,
    outcome_between,
    with_glued_row,
)

SHALLOW, STEEP = math.tan(math.radians(14.0)), math.tan(math.radians(32.0))
"""Slopes of the flattest heap that fits on the plate, and of the steepest heap that fits into the picture [-]."""
PACKED = 0.8
"""Packing fraction of the heap, for the sizes of plate and picture [-]."""
TOP, FOOT = 2.0, 0.75
"""Beginning of the flank, in mean diameters from the top, and its end, as a fraction of the distance to the foot
[-]."""
ONE_LAYER = 1.5
"""Height above which grains do not all lie on the plate, in mean diameters [-]."""
LARGE = 0.5
"""Least fraction of all grains in the heap for it to count as large [-]."""
BINS = 15
"""Number of parts of the plate in which the pressure is averaged; odd, with one part in the middle."""
HALF, WHOLE = (0.4, 0.6), (0.8, 1.0)
"""Ranges of the fraction of poured grains [-] over which the angles of a heap of half the size and of the whole heap
are averaged, three portions each. Below a third of the grains the heap has few layers and is up to 10° flatter."""
SURE = 4.6
"""Largest accepted difference of the two mean angles in standard errors, if this is more than `AVALANCHE` [-]:
Student's t at 99 % for twice three portions."""
AVALANCHE = 5.0
"""Largest difference of the angles of two flanks at rest [°]: each is between the stopping and the starting angle of
avalanches, which are 3 to 5° apart for these grains (scene rough_plane)."""


class TwoSidedParameters(DiscsParameters):
    """Discs that trickle onto a plate, in SI."""

    grain_count: GrainCount = 500
    restitution: Restitution = 0.5
    # fmt: off
    portions: int = count(12, 4, 50, _("portions"), effect="restart", group=_("Source"),
        help=_("After each portion the grains come to rest. Takes effect at the next start."))
    drop: float = number(2.0, 0.5, 20.0, _("height of fall"), "h/d", group=_("Source"),
        help=_("Onto the top, in mean diameters."))
    rate: float = number(80.0, 1.0, 500.0, _("grains per "
                                             "second"), "", "1/s", log=True, group=_("Source"),
        help=_("Rate at which grains fall while a portion is poured."))
    # fmt: on

    @property
    def area(self) -> float:
        """Area of the heap of all grains [m²]."""
        return self.grain_count * math.pi * self.mean_square_radius / PACKED

    @property
    def half_width(self) -> float:
        """Half the width of the plate [m]."""
        return math.sqrt(self.area / SHALLOW) + 2.0 * self.diameter

    @property
    def highest(self) -> float:
        """Height of the steepest heap [m]."""
        return math.sqrt(self.area * STEEP)

    def poured_until(self, portion: int) -> int:
        """Number of grains in all portions up to this one."""
        return round(self.grain_count * portion / self.portions)


@dataclass
class HeapPortion:
    """The heap after one portion."""

    grains: int
    height: float
    """[m]."""
    left: float
    """Angle of the left flank [rad]."""
    left_error: float
    """Its standard error [rad]."""
    right: float
    right_error: float


@dataclass
class TwoSidedState(CourseState):
    """State of the heap below a point source."""

    portion: int = 1
    """Number of the present portion, counted from 1."""
    poured: int = 0
    gone: int = 0
    """Grains that have left the plate."""
    last: float = 0.0
    """Time of the course at which the last grain was released [s]."""
    portions: list[HeapPortion] = field(default_factory=list)
    """The heap after every portion after which both flanks were measured."""


def start(parameters: TwoSidedParameters, seed: int) -> World:
    """The empty plate."""
    world = empty_world(2, 1, skin=0.3 * parameters.mean_radius, materials=2)
    return with_glued_row(world, parameters, parameters.half_width)


def pour(experiment: Experiment) -> None:
    """Release the next grain from rest, from a region one diameter wide above the top."""
    run, built = experiment.run, experiment.run.built
    state: TwoSidedState = run.state
    number, world = state.poured, run.world
    x = float(np.random.default_rng((experiment.seed, number)).uniform(-0.5, 0.5)) * built.diameter
    radius = float(drawn_radii(built, np.random.default_rng(experiment.seed))[number])
    below = np.abs(world.motion[0, 0] - x) < 2.0 * built.diameter
    last = float((world.motion[1, 0] + world.radius)[below].max(initial=0.0))  # possibly a grain that still falls
    high = max(top_of(experiment) + experiment.parameters.drop * built.diameter, last + 0.1 * radius) + radius
    with booked(experiment, "poured"):
        run.world = add_spheres(
            world,
            [[x, high]],
            radius,
            float(built.mass_of(np.array(radius))),
            SphereGroup(layer=state.portion - 1, first_id=int(world.sphere_id.max()) + 1),
            **free_fall(experiment),
        )
    start_derivatives(experiment, first_row=world.sphere_count)
    state.poured, state.last = number + 1, elapsed(experiment)


def top_of(experiment: Experiment) -> float:
    """Height of the grains near the axis that touch others, without falling grains [m]."""
    world, built = experiment.run.world, experiment.run.built
    near = (np.abs(world.motion[0, 0]) < 2.0 * built.diameter) & (pushes(world).contacts > 0.0)
    return float((world.motion[1, 0] + world.radius)[near].max(initial=0.0))


def remove_fallen(experiment: Experiment) -> int:
    """Remove the grains that have left the base, and return their number; they would fall for ever."""
    return keep_above(experiment, -3.0 * experiment.run.built.diameter)


def drive(experiment: Experiment) -> bool:
    """Pour grain after grain; after each portion wait for rest and measure. True after the last one."""
    built: TwoSidedParameters = experiment.run.built
    state: TwoSidedState = experiment.run.state
    state.gone += remove_fallen(experiment)
    waited = elapsed(experiment) - state.last
    if state.poured < built.poured_until(state.portion):
        if waited >= 1.0 / experiment.parameters.rate:
            pour(experiment)
        return False
    quiet = rests(experiment, state.since + state.last)
    if not is_settled(experiment, quiet, waited, LONGEST_WAIT):
        return False
    left, right = flank(experiment, -1.0), flank(experiment, 1.0)
    if left is not None and right is not None:
        grains = int((~experiment.run.world.fixed).sum())
        angles = left.angle, left.standard_error, right.angle, right.standard_error
        state.portions.append(HeapPortion(grains, top_of(experiment), *angles))
    if state.portion == built.portions:
        return True
    state.portion += 1
    return False


def flank(experiment: Experiment, side: float) -> SurfaceSlope | None:
    """The slope of the right (`side` 1) or left flank (−1), without the top and the foot; None for a small heap."""
    world, built = experiment.run.world, experiment.run.built
    loose = ~world.fixed
    position = np.column_stack([side * world.motion[0, 0], world.motion[1, 0]])[loose]
    radius, strips = world.radius[loose], (0.0, built.half_width)
    height = surface_profile(position, radius, strips, built.diameter)
    low = np.flatnonzero(height < built.diameter)
    foot = float(strip_centres(strips, built.diameter)[low[0]]) if low.size else built.half_width
    first, last = TOP * built.diameter, FOOT * foot
    if last - first < 4.0 * built.diameter:
        return None
    return measure_angle(position, radius, world.sphere_id[loose], x_range=(first, last), highest=1)


def measured_values(experiment: Experiment) -> dict[str, Floats]:
    """Grains, height [m], angles of both flanks and their errors [rad] of every portion that has been measured."""
    portions: list[HeapPortion] = experiment.run.state.portions
    names = (entry.name for entry in fields(HeapPortion))
    return {name: np.array([float(getattr(portion, name)) for portion in portions]) for name in names}


def mean_and_error(values: Floats) -> tuple[float, float]:
    """Mean and its standard error; nan where there are too few."""
    if values.size < 2:
        return (float(values[0]) if values.size else math.nan), math.nan
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(values.size))


def large(experiment: Experiment) -> dict[str, Floats]:
    """The entries of `measured_values` for portions after which the heap was large."""
    of = measured_values(experiment)
    chosen = of["grains"] >= LARGE * experiment.run.built.grain_count
    return {name: values[chosen] for name, values in of.items()}


def mean_angles(experiment: Experiment, shares: tuple[float, float]) -> Floats:
    """Mean angle of both flanks [°] after every portion at which the fraction of poured grains was in this range."""
    of = measured_values(experiment)
    share = of["grains"] / experiment.run.built.grain_count
    chosen = (share >= shares[0]) & (share <= shares[1])
    angles: Floats = np.degrees(0.5 * (of["left"] + of["right"])[chosen])
    return angles


def angle_now(experiment: Experiment) -> tuple[float, float]:
    """Mean angle of both flanks of the large heap, and its standard error [rad]."""
    of = large(experiment)
    return mean_and_error(0.5 * (of["left"] + of["right"]))


def pressure(experiment: Experiment) -> tuple[Floats, Floats, Floats]:
    """Position [m], pressure on the plate, and weight of the grains above per width [N/m], in every part of the plate
    that the heap covers."""
    world, built = experiment.run.world, experiment.run.built
    fixed = world.fixed
    half = float(np.abs(world.motion[0, 0, ~fixed]).max(initial=built.diameter)) + built.diameter
    edges = np.linspace(-half, half, BINS + 1)
    gravity, width = experiment.parameters.gravity, edges[1] - edges[0]
    downwards = -world.force[1, fixed] - world.mass[fixed] * gravity  # the table includes the weight of fixed grains
    push, _ = np.histogram(world.motion[0, 0, fixed], edges, weights=downwards)
    weight, _ = np.histogram(world.motion[0, 0, ~fixed], edges, weights=world.mass[~fixed] * gravity)
    return 0.5 * (edges[1:] + edges[:-1]), push / width, weight / width


def record(experiment: Experiment) -> dict[str, float]:
    """Height of the heap [m] and number of its grains."""
    return {"height": top_of(experiment), "grains": float((~experiment.run.world.fixed).sum())}


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """Both flanks are equally steep, and as steep as those of the smaller heap."""
    of = large(experiment)
    if of["left"].size < 3:
        words = _("the grains form a heap of more than one layer (height/d)")
        return (outcome_above("more_than_one_layer", words, height_of(experiment), ONE_LAYER),)
    difference = math.degrees(float((of["left"] - of["right"]).mean()))
    angle = math.degrees(angle_now(experiment)[0])
    before, after = (mean_and_error(mean_angles(experiment, shares)) for shares in (HALF, WHOLE))
    shown = [
        outcome_between(
            "equal_flanks",
            _("left and right flank are equally steep (difference)"),
            difference,
            -AVALANCHE,
            AVALANCHE,
            "°",
        ),
        outcome_between(
            "angle", _("the flanks have the angle of round grains on a rough plate"), angle, 12.0, 32.0, "°"
        ),
    ]
    if math.isfinite(error := math.hypot(before[1], after[1])):
        allowed = max(AVALANCHE, SURE * error)
        words = _("a heap of twice as many grains is as steep (difference)")
        shown.append(outcome_between("equal_sizes", words, after[0] - before[0], -allowed, allowed, "°"))
    return tuple(shown)


def height_of(experiment: Experiment) -> float:
    """Height of the heap in mean diameters [-]."""
    return top_of(experiment) / float(experiment.run.built.diameter)


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Grains, height, mean angle, which a presentation shows in large digits, and the angles of both flanks."""
    state: TwoSidedState = experiment.run.state
    built: TwoSidedParameters = experiment.run.built
    if not state.poured:
        return ()
    shown = [
        Reading("grains_poured", _("grains poured"), float(state.poured)),
        Reading("height", _("height"), height_of(experiment), "d"),
    ]
    if state.gone:
        shown.append(Reading("grains_gone", _("grains that left the plate"), float(state.gone)))
    if large(experiment)["left"].size > 1:
        angle, error = (math.degrees(value) for value in angle_now(experiment))
        help = plural(
            "Mean of both flanks since the heap had {large} of its {count} grain.",
            "Mean of both flanks since the heap had {large} of its {count} grains.",
            count=built.grain_count,
            large=Number(LARGE, format=".0%"),
        )
        shown.append(Reading("mean_angle", _("mean angle"), angle, "°", error=error, help=help, error_of=_("portions")))
    of = measured_values(experiment)
    for name in ("left", "right"):
        if of[name].size:
            angle, error = math.degrees(of[name][-1]), math.degrees(of[f"{name}_error"][-1])
            shown.append(Reading(f"{name}_angle", FLANKS[name], angle, "°", error=error, error_of=_("line fit")))
    return tuple(shown)


FLANKS = {"left": _("left flank"), "right": _("right flank")}
"""Names of the flanks."""


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Angles of both flanks against the height of the heap, and the pressure on the plate at the end."""
    of, built = measured_values(experiment), experiment.run.built
    high = of["height"] / built.diameter
    flanks = tuple(
        Line(FLANKS[name], high, np.degrees(of[name]), True, np.degrees(of[f"{name}_error"]), group=side)
        for side, name in enumerate(("left", "right"))
    )
    position, push, column_above = pressure(experiment) if experiment.phase == "rested" else (np.empty(0),) * 3
    lines = (
        Line(_("on the plate"), position / built.diameter, push, points=True),
        Line(_("weight above"), position / built.diameter, column_above),
    )
    return (
        Curve(
            "flank_angle",
            _("Angle"),
            Axis(_("height H/d")),
            Axis(_("angle of the flank"), "°"),
            flanks,
            x_from_zero=True,
        ),
        Curve("pressure_on_plate", _("Pressure"), Axis(_("place x/d")), Axis(_("pressure"), "N/m"), lines),
    )


def answer(experiment: Experiment) -> Answer | None:
    """The angles of both flanks, and that of the heap of half the size."""
    of = large(experiment)
    if not of["left"].size:
        return None
    angle, __ = angle_now(experiment)
    left, right = (math.degrees(float(of[name].mean())) for name in ("left", "right"))
    sides = {"left": Number(left, format=".1f"), "right": Number(right, format=".1f")}
    if (before := mean_angles(experiment, HALF)).size:
        words = Message(
            "The flanks of the large heap stand at {left}° and {right}° on average, with half of its grains at "
            "{mean}°.",
            mean=Number(before.mean(), format=".1f"),
            **sides,
        )
    else:
        words = Message("The flanks of the large heap stand at {left}° and {right}° on average.", **sides)
    return Answer(math.degrees(angle), words)


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Angles [°] and height [m] after every portion, and the pressure on the plate."""
    of, (position, push, above) = measured_values(experiment), pressure(experiment)
    rows = zip(of["grains"], of["height"], np.degrees(of["left"]), np.degrees(of["right"]), strict=True)
    keys = ("grains", "height", "left_degrees", "right_degrees")
    angle, error = (math.degrees(value) for value in angle_now(experiment))
    return {
        "portions": [dict(zip(keys, map(float, row), strict=True)) for row in rows],
        "angle_degrees": angle if math.isfinite(angle) else None,
        "angle_error_degrees": error if math.isfinite(error) else None,
        "profile": _profile(experiment),
        "outline": _outline(experiment),
        "pressure": [
            {"x": float(x), "plate": float(p), "weight_above": float(w)}
            for x, p, w in zip(position, push, above, strict=True)
        ],
    }


def _profile(experiment: Experiment) -> dict[str, Any]:
    """Height h [m] of the surface in strips with centres x [m], one mean diameter wide, at the present time [s]."""
    world, built = experiment.run.world, experiment.run.built
    reach, loose = (-built.half_width, built.half_width), ~world.fixed
    height = surface_profile(world.motion[:2, 0, loose].T, world.radius[loose], reach, built.diameter)
    x = strip_centres(reach, built.diameter)
    return {"x": x.tolist(), "time": [experiment.time], "height": [height.tolist()]}


def _outline(experiment: Experiment) -> dict[str, list[float]]:
    """The outline of the grains at the present time [m]."""
    world, half = experiment.run.world, experiment.run.built.half_width
    loose = ~world.fixed
    return outline(world.motion[:2, 0, loose].T, world.radius[loose], (-half, half))


def share(experiment: Experiment) -> float:
    """Share of the grains that are poured."""
    return float(experiment.run.state.poured / experiment.run.built.grain_count)


def box(parameters: TwoSidedParameters) -> Box:
    """The plate, and the steepest heap with the source above it."""
    half = parameters.half_width + parameters.diameter
    return (-half, -2.0 * parameters.diameter), (
        half,
        parameters.highest + (parameters.drop + 2.0) * parameters.diameter,
    )


COURSE = TimedCourse(
    state=TwoSidedState,
    start=start,
    begin=pour,
    drive=drive,
    afterwards=remove_fallen,
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    share=share,
    buttons=disc_buttons(_("Pour"), _("Let the grains trickle onto the plate in portions.")),
)

SCENE = Scene(
    name="two_sided",
    title=_("Heap from a point source"),
    summary=_("Grains trickle onto a rough plate and form a heap with two flanks, measured after every portion."),
    direction=Direction(
        see=_("Both flanks of the growing heap keep their angle, avalanche after avalanche."),
        colour="layer",
        plot="flank_angle",
        speed=1.0,
        seconds=20.0,
    ),
    parameters=disc_parameters(TwoSidedParameters),
    model=DISCS,
    course=replace(
        disc_course(
            COURSE, readings, ("grains_poured", "height", "grains_gone", "mean_angle", "left_angle", "right_angle")
        ),
        flanks=2,
        result_numbers={
            "angle_degrees": ResultNumber(_("angle"), "°"),
            "angle_error_degrees": ResultNumber(_("angle error"), "°"),
        },
    ),
    view=disc_view(box, curves, lambda parameters: int(parameters.portions)),
    limits=SOFT_DISCS,
    guess=Guess(_("Angle of the flanks of the large heap"), "°", 0.0, 60.0),
    lecture=("friction", "rolling_friction", "drop", "rate", "grain_count"),
    test_values={"grain_count": 24, "young": 1e5, "portions": 4, "rate": 200.0, "drop": 1.0},
)
