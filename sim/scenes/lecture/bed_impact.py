"""A steel sphere strikes a bed of spheres in a box, and is stopped by them or by the bottom.

The third case of the comparison of nine programs by Dosta et al. (Computer Physics Communications 296 (2024) 109066):
a sphere of 20 mm at 5 m/s, 0.15 m above the bottom of a box of 98 by 60 mm, falls on 25 000, 50 000 or 100 000 spheres
of 2 mm. Box, materials and start are those of the scripts of MercuryDPM and Yade for this comparison. A shallow bed
hardly stops the sphere above the bottom, and throws it back. A deep one stops it by the friction and the inertia of its
grains. The published numbers are read as the largest displacement.

With grains of twice the size an eighth as many fill the box to the same height; the default bed is the published one of
25 000 in this way. A deep bed of such grains stops the sphere earlier than the published one, and LIGGGHTS does so too
from the same places: it is no model of the published one, and is not compared with it. The steel of the sphere and the
walls is here as soft as the grains, with its own density, friction and restitution: E* of its contacts is half of the
published one, and the overlaps there are larger by 2^(2/5) = 1.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from repose.sim.direction import Direction
from repose.sim.engine.builder import (
    SphereGroup,
    add_spheres,
    empty_world,
    forget_neighbours,
    reset_displacements,
    set_walls,
)
from repose.sim.engine.contacts.wall_geometry import PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import find_accelerations, start_derivatives
from repose.sim.experiment.comparison import ResultNumber
from repose.sim.experiment.experiment import Experiment, ModelChoice, Scene, SceneLimits, SceneView
from repose.sim.experiment.ledger import booked
from repose.sim.laws.hertz_mindlin import LAW
from repose.sim.laws.material_parameters import Friction, Poisson, Restitution, WallFriction, YoungsModulus
from repose.sim.laws.materials import Material
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Guess, Line, Outcome, Part, Reading
from repose.sim.message import Message, Number, _, plural
from repose.sim.parameters import ParameterError, length, number, variant
from repose.sim.scenes.common.grain_sizes import drawn_radii
from repose.sim.scenes.common.poured_parameters import GrainCount, MeanRadius, PouredInSpaceParameters, SizeSpread
from repose.sim.scenes.common.random_places import place_at_random
from repose.sim.scenes.common.release import rectangle
from repose.sim.scenes.common.settled import Packing
from repose.sim.scenes.common.stream import smallest_grain
from repose.sim.scenes.common.timed_course import CourseState, TimedCourse, column, elapsed
from repose.sim.scenes.lecture.disc_scene import (
    Box,
    disc_buttons,
    disc_course,
    disc_parameters,
    lies_in_balance,
    outcome_between,
)

AIRY = 0.25
"""Packing fraction of the grains before they fall, at random places [-]."""
COVERED = 0.5
"""Least share of the bottom that the grains can cover side by side; fewer are no bed [-]."""
GRAIN, SPHERE = range(2)
"""Layers of the grains and of the sphere."""
RECORDS = 200
"""Number of records of a run."""
FLIGHT = 0.2
"""Duration that is a second in other scenes [s]: grains fall by some diameters only before they are at rest."""
PUBLISHED = {25_000: 0.139, 100_000: 0.0905}
"""How far the sphere goes from its start, by the number of spheres of 2 mm, by MUSEN, one of the nine programs [m]."""
FINE, SHALLOW = 1e-3, 25_000
"""Radius of the published grains [m], and the number of them in the bed in which the bottom settles how far the sphere
goes, so that grains of another size can be compared."""
AS_PUBLISHED = {
    "box_width": 0.098,
    "box_depth": 0.06,
    "sphere_radius": 0.01,
    "sphere_density": 7200.0,
    "sphere_speed": 5.0,
    "start_height": 0.15,
    "duration": 0.1,
    "gravity": 9.81,
    "density": 2500.0,
    "size_spread": 0.0,
}
"""Values of the published case on which the depth depends most."""


class BedImpactParameters(PouredInSpaceParameters):
    """A sphere above a bed in a box, in SI."""

    grain_count: GrainCount = 3125
    mean_radius: MeanRadius = 2e-3
    size_spread: SizeSpread = 0.0
    # fmt: off
    young: YoungsModulus = variant(1e9,
        help=_("Of grains, sphere and walls: as published for the grains. The steel there has 210 GPa."))
    # fmt: on
    poisson: Poisson = 0.2
    restitution: Restitution = 0.5
    friction: Friction = 0.3
    wall_friction: WallFriction = variant(0.2, help=_("Friction coefficient of grains with the sphere and the walls."))
    # fmt: off
    wall_restitution: float = number(0.4, 0.0, 1.0, _("restitution at steel"), "e_w", group=_("Material"),
        help=_("Of grains with the sphere and the walls: speed after over speed before an impact."))
    sphere_radius: float = length(0.01, 1e-3, 0.1, _("radius of the sphere"), "R_s", effect="restart",
        group=_("Sphere"), help=_("Takes effect at the next start."))
    sphere_density: float = number(7200.0, 1.0, 3e4, _("density of the sphere"), "ρ_s", "kg/m³", effect="restart",
        group=_("Sphere"), help=_("7200 as published for steel. Takes effect at the next start."))
    sphere_speed: float = number(5.0, 0.0, 20.0, _("speed of the sphere"), "v_s", "m/s", effect="prepare",
        group=_("Sphere"), help=_("Downwards, when it is released."))
    start_height: float = length(0.15, 0.01, 1.0, _("start of the sphere"), "h_s", effect="prepare",
        group=_("Sphere"), help=_("Height of its centre above the bottom when it is released, at least above the bed."))
    box_width: float = length(0.098, 0.01, 0.5, _("width of the box"), "W", effect="restart", group=_("Box"),
        help=_("Along x. Takes effect at the next start."))
    box_depth: float = length(0.06, 0.01, 0.5, _("depth of the box"), "D", effect="restart", group=_("Box"),
        help=_("Along y. Takes effect at the next start."))
    duration: float = number(0.1, 1e-3, 5.0, _("duration"), "T", "s", effect="restart", group=_("Sphere"),
        help=_("Time from the release to the end of the run. Takes effect at the next start."))
    # fmt: on

    def materials(self) -> tuple[Material, Material]:
        """Row 0 the grains, row 1 the sphere and the walls."""
        grain, steel = super().materials()
        return grain, steel._replace(density=self.sphere_density)

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """Friction and restitution of grains with steel."""
        return {(0, 1): {"friction": self.wall_friction, "restitution": self.wall_restitution}}

    @property
    def record_every(self) -> float:
        """Time between two records [s]."""
        return self.duration / RECORDS

    @property
    def solid(self) -> float:
        """Volume of the grains [m³]."""
        return self.grain_count * 4.0 / 3.0 * math.pi * self.mean_cube_radius

    @property
    def filled_to(self) -> float:
        """Height up to which grains begin at random places [m]."""
        return self.solid / (AIRY * self.box_width * self.box_depth) + 2.0 * self.largest_radius

    @property
    def waits_at(self) -> float:
        """Height at which the centre of the sphere waits while the grains fall [m]."""
        return max(self.filled_to, self.start_height) + 2.0 * self.sphere_radius

    @property
    def sphere_mass(self) -> float:
        """[kg]."""
        return self.sphere_density * 4.0 / 3.0 * math.pi * self.sphere_radius**3


@dataclass
class BedImpactState(CourseState):
    """State of the impact."""

    bed: float = 0.0
    """Height of the bed before the impact: twice the mean height of the centres [m]; 0 before."""
    began: float = 0.0
    """Height of the centre of the sphere when it was released [m]."""


def start(parameters: BedImpactParameters, seed: int) -> World:
    """The grains at random places of the box, and the sphere, in the last row, fixed above them."""
    generator = np.random.default_rng(seed)
    radii, largest = drawn_radii(parameters, generator), parameters.largest_radius
    require_bed(parameters, radii)
    order = np.argsort(-radii, kind="stable")
    size = np.array([parameters.box_width, parameters.box_depth, parameters.filled_to])
    corner = np.array([-0.5 * size[0], -0.5 * size[1], 0.0]) + largest
    position, placed = place_at_random(
        radii[order],
        radii.size,
        parameters.radius_limits,
        (corner, np.maximum(size - 2.0 * largest, 0.0)),
        lambda centres, radius: np.full(len(centres), 2.0 * radius < size[:2].min()),
        generator,
        descending=True,
    )
    if placed.size < radii.size:
        raise ParameterError(
            plural(
                "grain_count = {grain_count} is refused: there is room for only {placed} of {count} sphere of these "
                "sizes in the box; take another number, or a wider box.",
                "grain_count = {grain_count} is refused: there is room for only {placed} of {count} spheres of these "
                "sizes in the box; take another number, or a wider box.",
                count=radii.size,
                grain_count=parameters.grain_count,
                placed=placed.size,
            )
        )
    world = empty_world(3, 3, skin=0.3 * parameters.mean_radius, materials=2)
    world = add_spheres(world, position, placed, parameters.mass_of(placed), SphereGroup(layer=GRAIN))
    group = SphereGroup(fixed=True, layer=SPHERE, material=1, first_id=world.sphere_count)
    world = add_spheres(
        world, [[0.0, 0.0, parameters.waits_at]], parameters.sphere_radius, parameters.sphere_mass, group
    )
    return set_walls(world, [PLANE] * 5, planes(parameters), material=1)


def require_bed(parameters: BedImpactParameters, radii: Floats) -> None:
    """Raise `ParameterError` if the sphere does not fit between the walls, or if grains of these radii [m] cover less
    than `COVERED` of the bottom."""
    across = min(parameters.box_width, parameters.box_depth)
    if 2.0 * parameters.sphere_radius >= across:
        raise ParameterError(
            Message(
                "sphere_radius = {radius} is refused: such a sphere does not fit into the box, which is {across} "
                "across; take a smaller sphere, or a larger box.",
                radius=Number(parameters.sphere_radius, "m", digits=3),
                across=Number(across, "m", digits=3),
            )
        )
    covered = math.pi * float(radii @ radii) / (parameters.box_width * parameters.box_depth)
    if covered >= COVERED:
        return
    raise ParameterError(
        Message(
            "grain_count = {grain_count} is refused: these grains cover {share} % of the bottom of the box, and a bed "
            "at least {least} %; take grain_count = {needed} or more, or a smaller box.",
            grain_count=parameters.grain_count,
            share=Number(100.0 * covered, format=".2g"),
            least=Number(100.0 * COVERED, format="g"),
            needed=math.ceil(radii.size * COVERED / covered),
        )
    )


def planes(parameters: BedImpactParameters) -> Floats:
    """Bottom and sides of the box, a point and the inward normal each [m], shape (5, 3, 3)."""
    corners = np.zeros((5, 3, 3))
    corners[0, 1, 2] = 1.0
    for axis, across in enumerate((parameters.box_width, parameters.box_depth)):
        for wall, side in ((1 + 2 * axis, -1.0), (2 + 2 * axis, 1.0)):
            corners[wall, 0, axis], corners[wall, 1, axis] = side * 0.5 * across, -side
    return corners


def begin(experiment: Experiment) -> None:
    """Put the sphere at its start, above the bed, and release it with its speed downwards."""
    run, parameters = experiment.run, experiment.parameters
    world, state, built = run.world, run.state, run.built
    row, grains = row_of_sphere(world), world.layer == GRAIN
    state.bed = 2.0 * float(world.motion[2, 0, grains].mean())
    above = float((world.motion[2, 0] + world.radius)[grains].max()) + world.radius[row]
    with booked(experiment, "poured"):
        state.began = world.motion[2, 0, row] = max(parameters.start_height, above)
        world.inverse_mass[:3, row] = 1.0 / built.sphere_mass
        world.inverse_mass[3:, row] = 1.0 / (0.4 * built.sphere_mass * built.sphere_radius**2)
        reset_displacements(world)
        forget_neighbours(world)  # the lists contain no fixed spheres
        world.motion[2, 1, row] = -parameters.sphere_speed
        find_accelerations(experiment)
        motion = run.world.motion
        motion[:, 1, row] += experiment.engine.model.integrator.velocity_lead * experiment.dt * motion[:, 2, row]
    start_derivatives(experiment)


def row_of_sphere(world: World) -> int:
    """Row of the sphere; rows are in the order of ids."""
    return int(np.flatnonzero(world.layer == SPHERE)[0])


def record(experiment: Experiment) -> dict[str, float]:
    """Displacement of the sphere since its release and its speed, both downwards [m, m/s]."""
    world, row = experiment.run.world, row_of_sphere(experiment.run.world)
    return {
        "way": experiment.run.state.began - float(world.motion[2, 0, row]),
        "speed": -float(world.motion[2, 1, row]),
    }


def packing_of_bed(experiment: Experiment) -> float:
    """Packing fraction of the bed before the impact [-]."""
    built: BedImpactParameters = experiment.run.built
    return float(built.solid / (built.box_width * built.box_depth * experiment.run.state.bed))


def depth(experiment: Experiment, way: float) -> float:
    """Depth of the lowest point of the sphere below the surface of the bed, for this way [m]."""
    state: BedImpactState = experiment.run.state
    return state.bed - (state.began - way - float(experiment.run.built.sphere_radius))


def largest_way(experiment: Experiment) -> float:
    """Largest displacement downwards [m]."""
    return float(column(experiment, "way").max())


def published_way(built: BedImpactParameters) -> float | None:
    """The published way for a bed of this volume [m]; None for another case, one of which none is known, and a deep bed
    of other grains."""
    spheres = built.grain_count * built.mean_cube_radius / FINE**3
    same = all(math.isclose(getattr(built, name), value) for name, value in AS_PUBLISHED.items()) and not built.sizes
    known = {count: way for count, way in PUBLISHED.items() if count == SHALLOW or built.mean_radius == FINE}
    return next((way for count, way in known.items() if same and math.isclose(count, spheres)), None)


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The displacement of the published case within a diameter of a grain: no surface of a bed is known better."""
    built: BedImpactParameters = experiment.run.built
    theirs = published_way(built)
    if theirs is None:
        return ()
    words = _("the sphere goes as far as in a comparison of nine programs, within a diameter of a grain")
    way, diameter = 1e3 * largest_way(experiment), 2e3 * built.mean_radius
    return (outcome_between("way", words, way, 1e3 * theirs - diameter, 1e3 * theirs + diameter, "mm"),)


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Way, depth and speed of the sphere now, and the packing fraction of the bed before the impact."""
    way = column(experiment, "way")
    if not way.size:
        return ()
    speed = column(experiment, "speed")[-1]
    of_release = _("From its release, downwards.")
    of_surface = _("Of its lowest point below the surface before the impact; negative above it.")
    before = _("Of the bed before the impact.")
    return (
        Reading(
            "way",
            _("displacement of the sphere"),
            way[-1],
            "m",
            help=of_release,
        ),
        Reading("depth", _("depth of the sphere"), depth(experiment, float(way[-1])), "m", help=of_surface),
        Reading("speed_down", _("speed of the sphere, downwards"), speed, "m/s"),
        Reading("packing_of_bed", _("packing fraction"), packing_of_bed(experiment), help=before, given=True),
    )


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Displacement and speed of the sphere against time, with the published displacement as a level line."""
    time, theirs = column(experiment, "time"), published_way(experiment.run.built)
    whole = np.array([0.0, experiment.run.built.duration])
    ways = [Line(_("displacement"), time, 1e3 * column(experiment, "way"))]
    if theirs is not None:
        ways.append(Line(_("published (MUSEN)"), whole, np.array([1e3 * theirs, 1e3 * theirs])))
    return (
        Curve("way", _("Displacement"), TIME, Axis(_("displacement of the sphere"), "mm"), tuple(ways)),
        Curve(
            "speed",
            _("Speed"),
            TIME,
            Axis(_("speed downwards"), "m/s"),
            (Line(_("speed"), time, column(experiment, "speed")),),
        ),
    )


ANSWER_VALUES = ("depth", "diameters", "bed")


def answer(experiment: Experiment) -> Answer:
    """How deep the sphere went into the bed."""
    way = largest_way(experiment)
    low = depth(experiment, way)
    return Answer(
        1e3 * low,
        Message(
            "In a bed {bed} high its lowest point was {depth} below the surface, {diameters} of its diameters.",
            depth=Number(low, "m", digits=3),
            diameters=Number(low / (2.0 * experiment.run.built.sphere_radius), format=".1f"),
            bed=Number(experiment.run.state.bed, "m", digits=3),
        ),
    )


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Largest displacement and that at the end [m], largest depth [m], speed at the end [m/s], height [m] and packing
    fraction [-] of the bed."""
    return {
        "impact_way": largest_way(experiment),
        "end_way": float(column(experiment, "way")[-1]),
        "impact_depth": depth(experiment, largest_way(experiment)),
        "end_speed": float(column(experiment, "speed")[-1]),
        "bed_height": experiment.run.state.bed,
        "bed_packing": packing_of_bed(experiment),
    }


def box(experiment: Experiment) -> Box:
    """The box up to the sphere that waits above it."""
    built: BedImpactParameters = experiment.run.built
    half, deep = 0.5 * built.box_width, 0.5 * built.box_depth
    return (-half, -deep, 0.0), (half, deep, built.waits_at + built.sphere_radius)


def facets(experiment: Experiment) -> Floats:
    """Bottom and back of the box as triangles [m], shape (4, 3, 3): the others would hide the grains."""
    (left, front, _bottom), (right, back, _top) = box(experiment)
    built: BedImpactParameters = experiment.run.built
    along, up = (right - left, 0.0, 0.0), (0.0, 0.0, built.start_height + built.sphere_radius)
    return np.concatenate(
        [
            rectangle((left, front, 0.0), along, (0.0, back - front, 0.0)),
            rectangle((left, back, 0.0), along, up),
        ]
    )


def flaws(state: BedImpactState, world: World, built: BedImpactParameters) -> dict[str, bool]:
    """Which parts of a state read from a file are impossible, by name."""
    return {"sphere": int((world.layer == SPHERE).sum()) != 1, "bed": state.bed < 0.0}


COURSE = TimedCourse(
    state=BedImpactState,
    start=start,
    packing=("bed_impact", Packing(later=("sphere_speed", "start_height", "duration"), single=False)),
    settle=lies_in_balance,
    begin=begin,
    drive=lambda experiment: bool(elapsed(experiment) >= experiment.run.built.duration),
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    buttons=disc_buttons(_("Release the sphere"), _("Let the sphere fall on the bed with its speed.")),
    flaws=flaws,
)

SCENE = Scene(
    name="bed_impact",
    title=_("Sphere into a bed"),
    summary=_("A steel sphere strikes a bed of spheres and is stopped by them, or by the bottom of the box."),
    direction=Direction(
        see=_("The sphere throws grains aside and stops within a hundredth of a second."),
        colour="speed",
        plot="way",
        speed=0.01,
        seconds=10.0,
        look="front",
    ),
    parameters=disc_parameters(BedImpactParameters),
    model=ModelChoice(law=LAW.name, dimension=3, smallest_grain=smallest_grain, rotates=lambda parameters: True),
    course=replace(
        disc_course(COURSE, readings, ("way", "depth", "speed_down", "packing_of_bed")),
        answer_values=ANSWER_VALUES,
        result_numbers={
            "impact_way": ResultNumber(_("displacement of the sphere"), "m", "s"),
            "impact_depth": ResultNumber(_("depth of the sphere"), "m", "h"),
            "bed_packing": ResultNumber(_("packing fraction of the bed"), "", "φ"),
        },
    ),
    view=SceneView(
        box=box,
        facets=facets,
        curves=curves,
        parts=(Part(_("grains"), "wood"), Part(_("sphere"), "steel")),
        layers=lambda experiment: 2,
    ),
    limits=SceneLimits(time_scale=lambda built: FLIGHT),
    guess=Guess(_("Depth of the lowest point of the sphere below the surface"), "mm", 0.0, 120.0),
    lecture=("sphere_speed", "sphere_density", "friction", "grain_count"),
    test_values={
        "grain_count": 60,
        "young": 1e6,
        "sphere_radius": 5e-3,
        "box_width": 0.03,
        "box_depth": 0.03,
        "start_height": 0.05,
        "sphere_speed": 1.0,
        "duration": 0.05,
    },
)
