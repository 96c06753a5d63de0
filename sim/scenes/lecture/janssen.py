"""Janssen's column: the force on the bottom against the weight of the filling.

The column is filled in portions. Once a portion is at rest, the bottom moves slowly down by a small distance, and the
grains at both walls move down with it. The force is measured during this motion.

In the plane a layer of the weight σ g W per height is in balance with the friction 2 μ K p at both walls, where K is
the ratio of the pressure on the walls to the pressure p on the layer [N/m], and μ the mobilised friction, that of the
walls over the force on them (Janssen 1895). The force on the bottom is F = F_∞ (1 − exp(−M g/F_∞)) for a filling of the
mass M, with F_∞ = σ g W²/(2 μ K) and the mass per area σ.

Round grains do not only slide along the walls, they also roll: μ is below the wall friction μ_w. For μ_w = 0.5 the
walls of the default column mobilise 0.29 with the first portion, 0.40 with the second and 0.23 with the last (means of
seeds 1 to 3), near the bottom 0.2, where fewer than one of ten contacts slides. Therefore μ is measured, and K follows
from it. It is between the limits of Rankine, (1 − sin φ)/(1 + sin φ) and its inverse, for which the filling would
yield; φ = 25° is its friction angle.

The force on the bottom is one of few contacts. A grain every diameter of a wall bears a force with a standard deviation
as large as its mean (an exponential distribution), of which it mobilises a random part between none and all: the
friction of one grain has a variance of 5/3 in units of its squared mean. Such a noise on both walls in
dp/dy = σ g − p/λ, λ = W/(2 μ K), gives p a standard deviation of √(5 d/(12 λ)) = √(5 μ K d/(6 W)) in units of its mean:
16 % in the default column, 18 % in one of 6 diameters with μ_w = 0.3. The root mean square over n portions is known to
1/√(2 n) of this. The mean over the motion of the bottom deviates less than one state: 6 to 9 % and 11 to 18 % are
measured (seeds 1 to 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from repose.sim.direction import Direction
from repose.sim.engine.builder import SphereGroup, add_spheres
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import free_fall, start_derivatives
from repose.sim.experiment.experiment import Experiment, Scene
from repose.sim.experiment.ledger import booked
from repose.sim.laws.material_parameters import YoungsModulus
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Guess, Line, Outcome, Reading
from repose.sim.message import Message, Number, _
from repose.sim.parameters import count, number, variant
from repose.sim.scenes.common.grain_sizes import drawn_radii
from repose.sim.scenes.common.poured_parameters import GrainCount
from repose.sim.scenes.common.settled import Packing
from repose.sim.scenes.common.settling import is_settled, longest_wait
from repose.sim.scenes.common.timed_course import CourseState, TimedCourse, column, elapsed
from repose.sim.scenes.lecture.disc_scene import (
    DISCS,
    LOOSE,
    SOFT_DISCS,
    Box,
    DiscsParameters,
    disc_buttons,
    disc_course,
    disc_parameters,
    disc_view,
    lattice,
    lies_in_balance,
    outcome_between,
    places,
    with_lines,
)

BOTTOM = 0
"""Row of the bottom in the table of walls."""
AVERAGED = 0.6
"""Last fraction of the motion of the bottom, over which the force is averaged [-]."""
TALL = 2.0
"""Least height of the filling over the width for the walls to bear a clear part of the weight [-]."""
RANKINE = 0.4, 2.5
"""Limits of the ratio of the pressure on the walls to that on the layers, for a friction angle of 25° [-]."""
LEAST_MOBILISED = 0.4
"""Least mobilised over full wall friction of a column whose grains move down [-]: 0.5 is measured."""
CLOSER = 0.9
"""Largest deviation of the law over that of a fixed share of the weight [-]: 1 where the walls bear nothing, 0.27 to
0.78 in columns of 6 diameters."""
EQUAL = 0.1
"""Largest deviation of the force on the bottom from the weight between smooth walls, over the weight [-]: the force
fluctuates by 3 to 10 % while the bottom moves."""


class JanssenParameters(DiscsParameters):
    """Discs in a column with a bottom that can be lowered, in SI."""

    grain_count: GrainCount = 480
    # fmt: off
    young: YoungsModulus = variant(1e7,
        help=_("Of grains and walls. Soft grains bear large time steps; sand has 60 GPa."))
    column_width: float = number(12.0, 4.0, 60.0, _("width of the column"), "W/d", effect="restart", group=_("Column"),
        help=_("In mean diameters. Takes effect at the next start."))
    portions: int = count(8, 2, 30, _("portions"), effect="restart", group=_("Column"),
        help=_("Number of portions in which the column is filled. Takes effect at the next start."))
    lowering: float = number(0.4, 0.02, 2.0, _("descent of the bottom"), "s/d", effect="restart", group=_("Column"),
        help=_("After each portion, in mean diameters. Takes effect at the next start."))
    lowering_speed: float = number(5e-3, 1e-4, 0.1, _("speed of the bottom"), "v", "mm/s",
        group=_("Column"), help=_("Downwards."))
    # fmt: on

    @property
    def width(self) -> float:
        """Width of the column [m]."""
        return 2.0 * self.column_width * self.mean_radius

    @property
    def height(self) -> float:
        """Height of the walls above the initial bottom, with room for a loose portion on top [m]."""
        area = self.grain_count * math.pi * self.mean_square_radius
        loose = (
            (2.04 * self.largest_radius) ** 2
            * self.grain_count
            / (self.portions * (self.width - 2.0 * self.largest_radius))
        )
        return area / (0.7 * self.width) + 1.5 * loose + 8.0 * self.mean_radius

    @property
    def depth(self) -> float:
        """Total displacement of the bottom [m]."""
        return 2.0 * self.lowering * self.mean_radius * self.portions

    def grains_until(self, portion: int) -> int:
        """Number of grains in the column after this number of portions."""
        return round(self.grain_count * portion / self.portions)


@dataclass
class LoweredPortion:
    """What was measured while the bottom moved below one portion more, as a mean over this motion."""

    weight: float
    """Of the whole filling [N]."""
    force: float
    """On the bottom [N]."""
    mobilised: float
    """Friction of the walls over the force on them [-]."""


@dataclass
class JanssenState(CourseState):
    """State of the column."""

    portions: list[LoweredPortion] = field(default_factory=list)
    lowering: bool = False
    """Whether the bottom moves; otherwise the next portion comes to rest."""
    waiting: float = 0.0
    """Time of the course at which the last portion was poured [s]."""
    force: float = 0.0
    """Force on the bottom [N], summed over the checks of this motion."""
    shear: float = 0.0
    """Friction of both walls [N], likewise."""
    normal: float = 0.0
    """Force on both walls [N], likewise."""
    samples: int = 0
    """Number of these checks."""


def start(parameters: JanssenParameters, seed: int) -> World:
    """The first portion over the bottom."""
    room, low = 0.5 * parameters.width - parameters.largest_radius, 1.05 * parameters.largest_radius
    count = max(1, parameters.grains_until(1))
    world = lattice(parameters, seed, lambda x, y: (np.abs(x) < room) & (y > low), count)
    half, top, deep = 0.5 * parameters.width, parameters.height, -parameters.depth - 4.0 * parameters.mean_radius
    lines = [[(-half, 0.0), (half, 0.0)], *([(side * half, deep), (side * half, top)] for side in (-1, 1))]
    return with_lines(world, np.array(lines))


def lower(experiment: Experiment) -> None:
    """Begin to lower the bottom."""
    state: JanssenState = experiment.run.state
    state.lowering, state.force, state.shear, state.normal, state.samples = True, 0.0, 0.0, 0.0, 0
    move_bottom(experiment)


def move_bottom(experiment: Experiment) -> None:
    """Move the bottom down with its present speed."""
    experiment.run.world.walls.velocity[BOTTOM, 1] = -experiment.parameters.lowering_speed


def drive(experiment: Experiment) -> bool:
    """Measure while the bottom moves, then pour the next portion and wait until it rests; True after the last one."""
    built, world = experiment.run.built, experiment.run.world
    state: JanssenState = experiment.run.state
    now, done = elapsed(experiment), len(state.portions)
    if not state.lowering:
        waited, longest = now - state.waiting, longest_wait(built.height, experiment.parameters.gravity)
        if is_settled(experiment, lies_in_balance(experiment, state.since + state.waiting), waited, longest):
            lower(experiment)
        return False
    move_bottom(experiment)
    step = 2.0 * built.lowering * built.mean_radius
    way = -float(world.walls.moved[BOTTOM, 1]) - done * step
    if way >= (1.0 - AVERAGED) * step:
        sides = world.walls.force[BOTTOM + 1 :]
        state.force -= float(world.walls.force[BOTTOM, 1])
        state.shear -= float(sides[:, 1].sum())
        state.normal += float(np.abs(sides[:, 0]).sum())
        state.samples += 1
    if way < step:
        return False
    weight = float(world.mass.sum()) * experiment.parameters.gravity
    mobilised = state.shear / max(state.normal, 1e-300)
    state.portions.append(LoweredPortion(weight, state.force / max(1, state.samples), mobilised))
    if len(state.portions) == built.portions:
        return True
    world.walls.velocity[BOTTOM, 1] = 0.0
    pour(experiment, done + 1)
    state.lowering, state.waiting = False, now
    return False


def pour(experiment: Experiment, portion: int) -> None:
    """Let the next portion fall from just above the filling."""
    run, built = experiment.run, experiment.run.built
    generator = np.random.default_rng((experiment.seed, portion))
    low = float((run.world.motion[1, 0] + run.world.radius).max()) + 1.05 * built.largest_radius
    room = 0.5 * built.width - built.largest_radius
    count = built.grains_until(portion + 1) - built.grains_until(portion)
    radii = drawn_radii(built, generator, count)
    position = places(built, generator, radii, lambda x, y: (np.abs(x) < room) & (y >= 0.0))
    position[:, 1] += low
    before = run.world.sphere_count
    with booked(experiment, "poured"):
        run.world = add_spheres(
            run.world,
            position,
            radii,
            built.mass_of(radii),
            SphereGroup(layer=portion, first_id=int(run.world.sphere_id.max()) + 1),
            **free_fall(experiment),
        )
    start_derivatives(experiment, first_row=before)


def record(experiment: Experiment) -> dict[str, float]:
    """Force on the bottom and weight of the filling [N]."""
    world = experiment.run.world
    weight = float(world.mass.sum()) * experiment.parameters.gravity
    return {"force": -float(world.walls.force[BOTTOM, 1]), "weight": weight}


def measured_values(experiment: Experiment) -> tuple[Floats, Floats]:
    """Weight of the filling and force on the bottom [N] with every portion that has been measured."""
    portions: list[LoweredPortion] = experiment.run.state.portions
    return np.array([portion.weight for portion in portions]), np.array([portion.force for portion in portions])


def janssen(weight: Floats, limit: float) -> Floats:
    """Force on the bottom [N] for fillings of these weights [N]; `limit` is the force for a very high column [N]."""
    force: Floats = -limit * np.expm1(-weight / limit)
    return force


class Fit(NamedTuple):
    """Janssen's law, fitted to the forces on the bottom."""

    limit: float
    """F_∞ [N]."""
    friction_ratio: float
    """μ K: friction of the walls over the pressure on the layers [-]."""
    mobilised: float
    """μ: friction of the walls over the force on them, mean over the portions [-]."""
    deviation: float
    """Root mean squared deviation of the forces over F_∞ [-]."""
    proportional: float
    """The same of a fixed fraction of the weight, fitted to the same forces, over F_∞ [-]."""

    @property
    def pressure_ratio(self) -> float:
        """K: pressure on the walls over that on the layers [-]; infinite for walls without friction."""
        return self.friction_ratio / self.mobilised if self.mobilised > 0.0 else math.inf


def fitted(experiment: Experiment) -> Fit | None:
    """Janssen's law for the measured forces; None without three portions."""
    from scipy.optimize import curve_fit  # scipy takes a third of a second to import: only when fitting

    weight, force = measured_values(experiment)
    if weight.size < 3 or not (weight > 0.0).all() or force.max() <= 0.0:
        return None
    largest = 1e3 * float(weight.max())  # for very small friction the force equals the weight
    best, _ = curve_fit(janssen, weight, force, p0=(float(force.max()),), bounds=(1e-3 * force.max(), largest))
    limit, world, portions = float(best[0]), experiment.run.world, experiment.run.state.portions
    top = float(np.quantile(world.motion[1, 0] + world.radius, 0.98)) - float(world.walls.moved[BOTTOM, 1])
    ratio = weight[-1] / top * experiment.run.built.width / (2.0 * limit)
    mobilised = np.mean([portion.mobilised for portion in portions])
    away = (root_mean_square(force - of) / limit for of in (janssen(weight, limit), fixed_share(weight, force)))
    return Fit(limit, float(ratio), float(mobilised), *away)


def least_and_largest_share(experiment: Experiment) -> tuple[float, float]:
    """Shares of the weight that the bottom bears by Janssen's law for the limits of μ K [-]."""
    built, friction = experiment.run.built, experiment.parameters.wall_friction
    slender = built.grain_count * math.pi * built.mean_square_radius / LOOSE / built.width**2
    ends = friction * np.array([RANKINE[1], RANKINE[0] * LEAST_MOBILISED])
    least, largest = (-np.expm1(-2.0 * ends * slender) / (2.0 * ends * slender)).tolist()
    return least, largest


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The walls bear a part of the weight, according to Janssen's law; between smooth walls the bottom bears it all."""
    weight, force = measured_values(experiment)
    built, friction = experiment.run.built, experiment.parameters.wall_friction
    tall = built.grain_count * math.pi * built.mean_square_radius / LOOSE > TALL * built.width**2
    share = float(force[-1] / weight[-1])
    if friction == 0.0:
        words = _("between smooth walls the bottom bears the whole weight (share)")
        return (outcome_between("whole_weight", words, share, 1.0 - EQUAL, 1.0 + EQUAL),)
    if (of := fitted(experiment)) is None or not tall or friction < 0.1:
        return (
            outcome_between("at_most_the_weight", _("the bottom bears at most the weight"), share, 0.0, 1.0 + EQUAL),
        )
    return of_law(experiment, of)


def of_law(experiment: Experiment, of: Fit) -> tuple[Outcome, ...]:
    """What Janssen's law says of a tall column between rough walls. A fixed share of the weight is told from the law
    only where both differ by more than the forces scatter."""
    weight, force = measured_values(experiment)
    noise = scatter_of(experiment, of)
    most = noise * (1.0 + 2.0 / math.sqrt(2.0 * weight.size))  # two standard deviations of a root mean square
    words = _("the bottom bears a part of the weight only"), _("pressure on the walls over that on the layers, K")
    few = _("the forces deviate from Janssen's law no more than those of few wall contacts (of its limit)")
    shown = [
        outcome_between("share_of_weight", words[0], force[-1] / weight[-1], *least_and_largest_share(experiment)),
        outcome_between("pressure_ratio", words[1], of.pressure_ratio, *RANKINE),
        outcome_between("deviation", few, of.deviation, 0.0, most),
    ]
    law = janssen(weight, of.limit)
    if root_mean_square(law - fixed_share(weight, law)) > noise * of.limit:
        closer = _("the law is closer to the forces than a fixed share of the weight (ratio of deviations)")
        shown.append(
            outcome_between("closer_than_fixed_share", closer, of.deviation / max(of.proportional, 1e-300), 0.0, CLOSER)
        )
    return tuple(shown)


def scatter_of(experiment: Experiment, of: Fit) -> float:
    """Standard deviation of the force on the bottom that follows from few wall contacts, √(5 μ K d/(6 W)), over its
    mean [-]."""
    return math.sqrt(5.0 / 6.0 * of.friction_ratio / experiment.run.built.column_width)


def fixed_share(weight: Floats, force: Floats) -> Floats:
    """The multiple of the weights that is closest to these forces [N]."""
    share: Floats = weight * (weight @ force) / (weight @ weight)
    return share


def root_mean_square(values: Floats) -> float:
    """√⟨x²⟩."""
    return float(np.sqrt(np.mean(values**2)))


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Share of the weight that the bottom bears, force on it and weight of the filling now, and the fit."""
    force, weight = column(experiment, "force"), column(experiment, "weight")
    if not force.size:
        return ()
    told = answer(experiment) if experiment.phase == "rested" else None
    share = told.value if told is not None else 100.0 * force[-1] / max(weight[-1], 1e-300)
    of_weight = _("Force on the bottom over the weight of the filling; at the end by the fitted law.")
    shown = [
        Reading("borne_share", _("of the weight on the bottom"), share, "%", help=of_weight),
        Reading("bottom_force", _("force on the bottom"), force[-1], "N"),
        Reading("filling_weight", _("weight of the filling"), weight[-1], "N"),
    ]
    if (of := fitted(experiment)) is not None:
        of_walls = _("Pressure on the walls over that on the layers.")
        friction = _("Friction of the walls over the force on them. Below μ_w, because round grains also roll.")
        shown.append(
            Reading(
                "force_limit", _("limit of a very high column"), of.limit, "N", help=_("F_∞ of Janssen's law, fitted.")
            )
        )
        shown.append(Reading("pressure_ratio", _("pressure ratio K"), of.pressure_ratio, help=of_walls))
        shown.append(Reading("mobilised_wall_friction", _("mobilised wall friction"), of.mobilised, help=friction))
    return tuple(shown)


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Force on the bottom against the weight of the filling beside Janssen's law and a liquid; both against time.

    The law is the mean of many columns: single portions are above and below it by the scatter of few wall contacts,
    which is the error of the points.
    """
    weight, force = measured_values(experiment)
    lines = [Line(_("force on the bottom"), weight, force, points=True)]
    if weight.size:
        at = np.linspace(0.0, 1.05 * weight.max(), 80)
        lines.append(Line(_("a liquid: the whole weight"), at, at))
        if (of := fitted(experiment)) is not None:
            error = scatter_of(experiment, of) * janssen(weight, of.limit)
            lines[0] = replace(lines[0], error=error, scatter=_("scatter of few wall contacts"))
            lines.append(
                Line(
                    Message("Janssen, K = {pressure_ratio}", pressure_ratio=Number(of.pressure_ratio, format=".2f")),
                    at,
                    janssen(at, of.limit),
                    fitted=True,
                )
            )
    time = column(experiment, "time")
    course = (
        Line(_("weight"), time, column(experiment, "weight")),
        Line(_("bottom"), time, column(experiment, "force")),
    )
    return (
        Curve(
            "force",
            _("Force"),
            Axis(_("weight of the filling"), "N"),
            Axis(_("force on the bottom"), "N"),
            tuple(lines),
            x_from_zero=True,
        ),
        Curve("force_in_time", _("Force in time"), TIME, Axis(_("force"), "N"), course),
    )


def answer(experiment: Experiment) -> Answer | None:
    """The share of the weight that the bottom bears, with half and with the whole filling: by the fitted law if there
    is one, because the force of a single portion scatters by a third."""
    weight, force = measured_values(experiment)
    if not weight.size:
        return None
    if (of := fitted(experiment)) is not None:
        force = janssen(weight, of.limit)
    half, share = (weight.size - 1) // 2, 100.0 * float(force[-1] / weight[-1])
    return Answer(
        share,
        Message(
            "With {weight} times the filling the force is {force} times as large: the bottom bears {share} "
            "% of the weight, the walls bear the rest.",
            weight=Number(weight[-1] / weight[half], format=".2g"),
            force=Number(force[-1] / force[half], format=".2g"),
            share=Number(share, format=".0f"),
        ),
    )


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Weight and force of every portion, and the fitted law."""
    of, portions = fitted(experiment), experiment.run.state.portions
    return {
        "portions": [
            {"weight": portion.weight, "force": portion.force, "mobilised_friction": portion.mobilised}
            for portion in portions
        ],
        "janssen": None
        if of is None
        else {
            "limit": of.limit,
            "pressure_ratio": of.pressure_ratio if math.isfinite(of.pressure_ratio) else None,
            "mobilised_friction": of.mobilised,
            "relative_deviation": of.deviation,
            "relative_deviation_of_fixed_share": of.proportional,
        },
    }


def share(experiment: Experiment) -> float:
    """Share of the portions that is done."""
    return len(experiment.run.state.portions) / float(experiment.run.built.portions)


def box(parameters: JanssenParameters) -> Box:
    """The column down to the lowest place of its bottom."""
    half = 0.5 * parameters.width + parameters.mean_radius
    return (-half, -parameters.depth - 4.0 * parameters.mean_radius), (half, parameters.height)


def focus(experiment: Experiment) -> Box:
    """The column up to half of its final height; the camera recedes as it grows."""
    built = experiment.run.built
    low, (half, _) = box(built)
    return low, (half, 0.5 * built.grain_count * math.pi * built.mean_square_radius / (LOOSE * built.width))


COURSE = TimedCourse(
    state=JanssenState,
    start=start,
    settle=lies_in_balance,
    packing=("janssen", Packing(later=("lowering", "lowering_speed"), single=False)),
    begin=lower,
    drive=drive,
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    share=share,
    buttons=disc_buttons(_("Fill"), _("Fill the column in portions, and lower its bottom a little after each.")),
)

SCENE = Scene(
    name="janssen",
    title=_("Janssen's column"),
    summary=_("A column is filled in portions; its bottom bears less than the weight, its walls the rest."),
    direction=Direction(
        see=_("Portion after portion is added, but the force on the bottom hardly grows: the walls bear the rest."),
        colour="layer",
        plot="force",
        speed=0.5,
        show=("force_chains",),
        seconds=20.0,
    ),
    parameters=disc_parameters(JanssenParameters),
    model=DISCS,
    course=disc_course(
        COURSE,
        readings,
        (
            "borne_share",
            "bottom_force",
            "filling_weight",
            "force_limit",
            "pressure_ratio",
            "mobilised_wall_friction",
        ),
    ),
    view=disc_view(box, curves, lambda parameters: int(parameters.portions), focus),
    limits=SOFT_DISCS,
    guess=Guess(_("Force on the bottom over the weight of the whole filling"), "%", 0.0, 100.0),
    lecture=("wall_friction", "friction", "column_width", "grain_count", "gravity"),
    test_values={
        "grain_count": 36,
        "young": 1e5,
        "restitution": 0.5,
        "column_width": 6.0,
        "portions": 3,
        "lowering": 0.1,
        "lowering_speed": 2e-2,
    },
)
