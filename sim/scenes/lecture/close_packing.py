"""Random close packing: grains in a periodic cell that shrinks until they bear a pressure, and then grows again.

The cell is a cube without walls and without gravity. The grains begin at random places, and at every check all
positions and the period change by the same factor, so that no direction and no border is distinguished. Spheres without
friction jam at a packing fraction φ_J, at which the pressure begins: many equal ones at 0.639 (O'Hern et al. 2003), the
random close packing. With friction they jam earlier and with fewer contacts. Above φ_J the overlaps of Hertz contacts
grow in proportion to φ − φ_J, and the pressure as its power 3/2: the line of P^(2/3) over φ reaches zero at φ_J. It is
drawn through the records of the growing cell, because the spheres rearrange while the cell shrinks, which lets the
pressure fall, and hardly do while it grows. Without friction the spheres that bear the pressure have 2 d = 6 contacts
each at φ_J: as many equations as unknowns (isostatic).

With an aspect ratio above 1 the grains are prolate spheroids, rigid bodies of spheres on their axis
(`repose.sim.clumps.spheroid`), turned at random at the start. Of a body only the centre of mass moves with the cell;
its members keep their places in it. Such grains jam more densely and with more contacts, since they can also turn
(Donev et al. 2004). The dents between their members lower the volume that counts by a known share, and let grains hook
a little. The volume is that of the union of the members by points 0.01 of the short half axis apart, exact to 2e-4.

The change of the cell, between two evaluations of forces, is no slip: friction springs follow only the motion of the
grains relative to it. The change of the stored energy is booked as work.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.clumps.clump import mass_properties
from repose.sim.clumps.spheroid import fewest_members, spheroid
from repose.sim.direction import Direction
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, forget_neighbours, reset_displacements
from repose.sim.engine.world import LOWEST, PERIOD, World
from repose.sim.experiment.activation import moved_at_once
from repose.sim.experiment.comparison import ResultNumber
from repose.sim.experiment.experiment import Experiment, ModelChoice, Scene, SceneView
from repose.sim.experiment.ledger import booked
from repose.sim.laws.hertz_mindlin import LAW
from repose.sim.laws.material_parameters import Friction, Restitution, YoungsModulus
from repose.sim.measure.display import Answer, Axis, Curve, Guess, Line, Outcome, Reading
from repose.sim.measure.stress import mean_stress
from repose.sim.message import EMPTY, Message, Number, _, plural
from repose.sim.parameters import ParameterError, count, number, variant
from repose.sim.scenes.common.clump_grains import (
    Grain,
    add_grains,
    grain_of,
    random_orientations,
    smallest_moved_mass,
)
from repose.sim.scenes.common.grain_sizes import drawn_radii
from repose.sim.scenes.common.motion_parameters import Gravity
from repose.sim.scenes.common.poured_parameters import GrainCount, MeanRadius, PouredInSpaceParameters, SizeSpread
from repose.sim.scenes.common.random_places import place_at_random
from repose.sim.scenes.common.stream import smallest_grain as smallest_sphere
from repose.sim.scenes.common.timed_course import CourseButtons, CourseState, TimedCourse, column, timed_course
from repose.sim.scenes.lecture.disc_scene import SOFT_DISCS, Box, disc_parameters, outcome_between

LOOSE = 0.2
"""Packing fraction at the start [-]: at random and without touching spheres can be placed up to 0.38, here away from
the border of the cell. Of spheroids it is that of the balls around them."""
FINE = 0.02
"""Step of a grid for the volume of a spheroid, whose points have half this distance [short half axes]."""
FREE, SLOW, GROWING = 2e-3, 1.5e-4, 5e-5
"""Strain rate of a length times d √(ρ/P), the inertial number, while the spheres are free, while they bear a pressure,
and while the cell grows: slowly, because contacts that part vibrate [-]."""
BEARS = 0.005
"""Pressure over its last value above which the spheres bear it [-]; collisions of free spheres stay below."""
SHORTEST = 7.5
"""Least edge of the cell at the start [largest reaches of a grain]: when it has shrunk to jamming, it is longer than
four."""
NEAREST = 4.05
"""Least edge of the cell [largest reaches]."""
UNLOADED = 0.1
"""Pressure over its highest value at which the cell has grown enough [-]."""
RECORDED = 0.4
"""Time between two records over d √(ρ/P) [-]."""
CLEAR = 3.0
"""Least rise of the line over its standard error [-]."""
LEAST_RECORDS = 10
"""Least number of records of the growing cell for a line."""
JAMMED, SCATTER = 0.639, 0.015
"""Packing fraction at which many equal spheres without friction jam (O'Hern et al., Phys. Rev. E 68 (2003) 011306), and
how far one run of a few hundred may differ [-]. It depends a little on how they are brought together (Chaudhuri,
Berthier & Sastry, Phys. Rev. Lett. 104 (2010) 165701)."""
ISOSTATIC, SPREAD = 6.0, 0.5
"""Contacts per sphere at φ_J without friction, and their largest deviation [-]: two standard deviations of one run of
400 spheres (5.82, 6.34, 5.81 and 5.95 with the seeds 1 to 4)."""
SPHEROIDS = (1.25, 2.0)
"""Aspect ratios of prolate spheroids whose packing fraction is compared: it is largest among them."""
DENSER, TOUCHING = (0.67, 0.73), (ISOSTATIC + SPREAD, 10.5)
"""Packing fraction and contacts at φ_J of such spheroids without friction [-]. Hard ones of about 1.5 to 2 jam at 0.68
to 0.71 with about ten contacts (Donev et al., Science 303 (2004) 990), twice as many as the coordinates of a body of
revolution; soft ones have fewer (Schreck et al., Phys. Rev. E 85 (2012) 061305). Runs of 200 have 0.694 to 0.710 with
7.6 to 9.5 contacts."""
SHOWN = 0.5
"""Packing fraction from which on records are drawn [-]."""
MANY, MANY_SPHEROIDS = 300, 150
"""Least number of spheres, and of spheroids, for a comparison with the published values."""


class ClosePackingParameters(PouredInSpaceParameters):
    """Spheres or spheroids in a periodic cell that shrinks, in SI."""

    # fmt: off
    grain_count: GrainCount = variant(400,
        help=_("How many grains are in the cell. Takes effect at the next start."))
    mean_radius: MeanRadius = variant(2e-3,
        help=_("Mean radius of the grains; of a spheroid that of a sphere of its volume. Takes effect at the next "
               "start."))
    # fmt: on
    size_spread: SizeSpread = 0.0
    # fmt: off
    aspect_ratio: float = number(1.0, 1.0, 4.0, _("aspect ratio"), "α", effect="restart", group=_("Grains"),
        help=_("Length over thickness of the grains, which have the volume of a sphere of their radius: 1 for spheres, "
               "above it spheroids. Takes effect at the next start."))
    members: int = count(9, 2, 40, _("spheres per grain"), "P", effect="restart", group=_("Grains"),
        help=_("Spheres on the axis of a spheroid: with more of them the dents between two are less deep. Takes effect "
               "at the next start."))
    young: YoungsModulus = variant(2e7,
        help=_("Of the grains. Soft grains bear large time steps; sand has 60 GPa."))
    restitution: Restitution = variant(0.5,
        help=_("Speed after over speed before an impact; it settles how fast the random motion ends."))
    friction: Friction = 0.0
    gravity: Gravity = variant(0.0, help=_("Zero, so that no direction is distinguished."))
    pressure: float = number(2e3, 10.0, 1e5, _("pressure at the end"), "P", "Pa", log=True, effect="restart",
        group=_("Packing"), help=_("The cell shrinks until the grains bear it. Takes effect at the next start."))
    # fmt: on

    @property
    def grain(self) -> Grain | None:
        """The spheroid, for the volume of a ball of radius 1; None for spheres."""
        return spheroid_grain(self.aspect_ratio, self.members) if self.aspect_ratio > 1.0 else None

    @property
    def reach(self) -> float:
        """Radius of the ball that contains a grain [radii of a ball of its volume]."""
        return self.grain.reach if self.grain else 1.0

    @property
    def first_edge(self) -> float:
        """Edge of the cell at the start [m]; a grain must not touch two images of another one."""
        filled: float = self.grain_count * 4.0 / 3.0 * math.pi * self.mean_cube_radius
        return self.reach * max(math.cbrt(filled / LOOSE), SHORTEST * self.largest_radius)

    @property
    def time_scale(self) -> float:
        """d √(ρ/P), the time in which the pressure moves a sphere by its size [s]."""
        return 2.0 * self.mean_radius * math.sqrt(self.density / self.pressure)


@lru_cache(maxsize=32)
def spheroid_grain(aspect_ratio: float, members: int) -> Grain:
    """A spheroid of spheres, for the volume of a ball of radius 1."""
    clump = spheroid(aspect_ratio, members)
    return grain_of(clump, mass_properties(clump, FINE))


def smallest_grain(parameters: ClosePackingParameters) -> tuple[float, float]:
    """Smallest force over acceleration of a member of a grain for a normal force [kg], and radius of the smallest
    sphere [m]."""
    mass, radius = smallest_sphere(parameters)
    if (grain := parameters.grain) is None:
        return mass, radius
    return smallest_moved_mass(grain, radius, mass, 3), radius * min(r for *_, r in grain.members)


@dataclass
class ClosePackingState(CourseState):
    """State of the compression."""

    stress: float = 0.0
    """Pressure at the last check [Pa]."""
    changed: float = 0.0
    """Time of the last change of the size of the cell [s]; 0 before the first one."""
    grows: bool = False
    """Whether the last pressure was reached, and the cell grows."""


def start(parameters: ClosePackingParameters, seed: int) -> World:
    """The grains at random places of a cubic cell around the origin, turned at random and at rest."""
    grain, reach, alpha = parameters.grain, parameters.reach, parameters.aspect_ratio
    if grain is not None and parameters.members < (least := fewest_members(alpha)):
        raise ParameterError(
            Message(
                "members = {members} is refused: at an aspect ratio of {alpha} the spheres of a grain overlap from "
                "{least} on; take more of them, or a smaller aspect_ratio.",
                members=parameters.members,
                alpha=Number(alpha, format="g"),
                least=least,
            )
        )
    generator = np.random.default_rng(seed)
    radii = drawn_radii(parameters, generator)
    order = np.argsort(-radii, kind="stable")
    edge, largest = parameters.first_edge, reach * float(radii.max())
    low = np.full(3, -0.5 * edge)
    # No grain crosses the border of the cell, so that the search for a place needs no images.
    smallest, biggest = parameters.radius_limits
    position, placed = place_at_random(
        reach * radii[order],
        radii.size,
        (reach * smallest, reach * biggest),
        (low + largest, np.full(3, edge) - 2.0 * largest),
        lambda centres, radius: np.ones(len(centres), bool),
        generator,
        descending=True,
    )
    if placed.size < radii.size:
        raise ParameterError(
            plural(
                "grain_count = {grain_count} is refused: there is room for only {placed} of {count} grain of these "
                "sizes in the cell at the start; take another number, or a smaller ratio of the sizes.",
                "grain_count = {grain_count} is refused: there is room for only {placed} of {count} grains of these "
                "sizes in the cell at the start; take another number, or a smaller ratio of the sizes.",
                count=radii.size,
                grain_count=parameters.grain_count,
                placed=placed.size,
            )
        )
    centres = np.empty_like(position)
    centres[order] = position
    thin = 1.0 if grain is None else min(r for *_, r in grain.members)
    skin = 0.3 * thin * parameters.mean_radius
    world = empty_world(3, 3, skin=skin, materials=2, period=np.full(3, edge), lowest=low)
    masses, group = parameters.mass_of(radii), SphereGroup(layer=0)
    if grain is None:
        return add_spheres(world, centres, radii, masses, group)
    return add_grains(world, grain, radii, masses, centres, group, random_orientations(radii.size, generator))


def edge_of(world: World) -> float:
    """Edge of the cell [m]."""
    return float(world.boundary[PERIOD, 0])


def packing_of(experiment: Experiment) -> float:
    """Volume of the grains over that of the cell [-]; the lens of an overlap of two grains counts twice."""
    world, built = experiment.run.world, experiment.run.built
    return float(world.own_mass.sum() / built.density) / edge_of(world) ** 3


def pressure_of(experiment: Experiment) -> float:
    """Mean pressure of the contacts, without the motion of the grains [Pa]."""
    world, engine = experiment.run.world, experiment.engine
    low = world.boundary[LOWEST]
    stress = mean_stress(world, engine.contact_table(world, engine.law_parameters), low, low + world.boundary[PERIOD])
    return float(np.trace(stress.contacts)) / 3.0


def change_size(experiment: Experiment, factor: float) -> None:
    """Multiply the positions of grains and the period by a factor; the change of the stored energy is booked as
    work."""
    with moved_at_once(experiment), booked(experiment, "work"):
        world = experiment.run.world
        if world.bodies:  # the members move with the centre of their body
            world.motion[:3, 0] += (factor - 1.0) * world.bodies.motion[:3, 0, world.body]
            world.bodies.motion[:3, 0] *= factor
        else:
            world.motion[:3, 0] *= factor
        world.boundary[:] *= factor
        forget_neighbours(world)
        reset_displacements(world)


def drive(experiment: Experiment) -> bool:
    """Shrink the cell, more slowly while the grains bear a pressure, until they bear the last one; then let it grow.
    True once the pressure has fallen to its `UNLOADED` share."""
    state: ClosePackingState = experiment.run.state
    last = experiment.run.built.pressure
    state.stress = pressure_of(experiment)
    passed = experiment.time - state.changed if state.changed else 0.0
    state.changed = experiment.time
    state.grows = state.grows or state.stress >= last
    if (state.grows and state.stress <= UNLOADED * last) or is_too_short(experiment):
        return True
    number = GROWING if state.grows else -SLOW if state.stress > BEARS * last else -FREE
    change_size(experiment, math.exp(number / experiment.run.built.time_scale * passed))
    return False


def contacts_of_bearing(experiment: Experiment) -> float:
    """Mean contacts of the grains that bear the pressure [-]; 0 if none do. Two bodies that touch with several members
    have one contact.

    Without friction three contacts hold a sphere in balance only if they are in one plane with its centre; with
    friction two contacts can.
    """
    world, engine = experiment.run.world, experiment.engine
    table = engine.contact_table(world, engine.law_parameters)
    touching = table.overlap > 0.0
    i, j = table.i[touching], table.j[touching]
    if world.bodies:
        i, j = np.unique(np.sort(world.body[np.stack([i, j])], axis=0), axis=1)
    least = 2 if experiment.run.built.friction > 0.0 else 4
    return mean_contacts(i, j, experiment.run.built.grain_count, least)


def mean_contacts(i: NDArray[np.int64], j: NDArray[np.int64], count: int, least: int) -> float:
    """Mean contacts of grains with at least `least` of them [-], where the others and their contacts are left out, and
    so on until none is left out; 0 if that leaves no grain. The contacts are those of i with j, shape (contacts,)."""
    bears = np.ones(count, bool)
    while True:
        whole = bears[i] & bears[j]
        i, j = i[whole], j[whole]
        contacts = np.bincount(i, minlength=count) + np.bincount(j, minlength=count)
        few = bears & (contacts < least)
        if not few.any():
            return float(contacts[bears].mean()) if bears.any() else 0.0
        bears &= ~few


def is_too_short(experiment: Experiment) -> bool:
    """Whether a grain would soon touch two images of another one: there are too few grains to jam."""
    built: ClosePackingParameters = experiment.run.built
    return bool(edge_of(experiment.run.world) < NEAREST * built.reach * built.largest_radius)


def conclusion(experiment: Experiment) -> Message:
    """Why nothing was measured; empty if something was."""
    if not is_too_short(experiment):
        return EMPTY
    return _("The cell has become too short for grains of this size before they jam: take more grains.")


def record(experiment: Experiment) -> dict[str, float]:
    """Packing fraction, pressure [Pa], contacts of the grains that bear it, and whether the cell grows."""
    return {
        "packing": packing_of(experiment),
        "pressure": experiment.run.state.stress,
        "contacts": contacts_of_bearing(experiment),
        "grows": float(experiment.run.state.grows),
    }


def measured_values(experiment: Experiment) -> dict[str, tuple[float, float]] | None:
    """Packing fraction φ_J and contacts per grain there, each with the standard error of its line [-]; None before the
    cell has grown.

    Lines of P^(2/3) over φ, and of the contacts over √(φ − φ_J) (O'Hern et al. 2003), for the growing cell.
    """
    grows = column(experiment, "grows") > 0.0
    if experiment.phase != "rested" or grows.sum() < LEAST_RECORDS:
        return None
    packing, pressure = column(experiment, "packing")[grows], column(experiment, "pressure")[grows]
    (rise, level), covariance = np.polyfit(packing, np.maximum(pressure, 0.0) ** (2.0 / 3.0), 1, cov=True)
    if rise <= CLEAR * math.sqrt(float(covariance[0, 0])):
        return None
    jammed = float(-level / rise)
    slopes = np.array([level / rise**2, -1.0 / rise])  # derivatives of φ_J by rise and level
    error = math.sqrt(float(slopes @ covariance @ slopes))
    root = np.sqrt(np.maximum(packing - jammed, 0.0))
    (_steepness, least), spread = np.polyfit(root, column(experiment, "contacts")[grows], 1, cov=True)
    return {"packing": (jammed, error), "contacts": (float(least), math.sqrt(float(spread[1, 1])))}


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """Equal grains without friction: spheres jam at random close packing with six contacts each, spheroids more densely
    with more contacts; others are not compared."""
    of, built = measured_values(experiment), experiment.run.built
    if of is None or built.friction > 0.0 or built.size_spread > 0.0 or built.sizes:
        return ()
    found, contacts = of["packing"][0], of["contacts"][0]
    if built.aspect_ratio == 1.0 and built.grain_count >= MANY:
        jams = _("the pressure begins at random close packing")
        bears = _("the spheres that bear it have six contacts")
        return (
            outcome_between("packing", jams, found, JAMMED - SCATTER, JAMMED + SCATTER),
            outcome_between("contacts", bears, contacts, ISOSTATIC - SPREAD, ISOSTATIC + SPREAD),
        )
    if SPHEROIDS[0] <= built.aspect_ratio <= SPHEROIDS[1] and built.grain_count >= MANY_SPHEROIDS:
        jams = _("spheroids jam more densely than spheres")
        bears = _("those that bear the pressure have more contacts than spheres")
        return (
            outcome_between("packing", jams, found, *DENSER),
            outcome_between("contacts", bears, contacts, *TOUCHING),
        )
    return ()


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Packing fraction, pressure and contacts now, and first φ_J once it is known."""
    if not column(experiment, "packing").size:
        return ()
    now = {name: float(column(experiment, name)[-1]) for name in ("packing", "pressure", "contacts")}
    shown = [
        Reading("packing_now", _("packing fraction"), now["packing"], help=_("Of the cell.")),
        Reading("pressure_now", _("pressure"), now["pressure"], "Pa", help=_("Of the contacts.")),
        Reading(
            "contacts_now",
            _("contacts per grain"),
            now["contacts"],
            help=_("Of the grains that bear the pressure: without loose ones, which have too few."),
        ),
    ]
    if (of := measured_values(experiment)) is not None:
        fit = _("line fit")
        where = _("Where the line of P^(2/3) over the packing fraction reaches zero.")
        shown[:0] = [
            Reading(
                "jamming_packing", _("packing fraction at jamming"), of["packing"][0], "", of["packing"][1], where, fit
            ),
            Reading("jamming_contacts", _("contacts at jamming"), of["contacts"][0], "", of["contacts"][1], EMPTY, fit),
        ]
    return tuple(shown)


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Pressure and contacts per grain over the packing fraction, while the cell shrinks and while it grows."""
    packing, grows = column(experiment, "packing"), column(experiment, "grows") > 0.0
    pressure = np.maximum(column(experiment, "pressure"), 0.0) ** (2.0 / 3.0)  # dampers pull on grains that part
    contacts = column(experiment, "contacts")
    shown = packing > SHOWN if packing.size else grows
    halves = (_("shrinking"), shown & ~grows), (_("growing"), shown & grows)
    of = measured_values(experiment)
    roots = [Line(words, packing[part], pressure[part]) for words, part in halves]
    bearing = [Line(words, packing[part], contacts[part]) for words, part in halves]
    if of is not None:
        at = np.array([of["packing"][0], packing[grows].max()])
        words = Message("φ_J = {packing}", packing=Number(float(at[0]), format=".3f"))
        top = float(np.polyval(np.polyfit(packing[grows], pressure[grows], 1), at[1]))
        roots.append(Line(words, at, np.array([0.0, top]), fitted=True))
    x = Axis(_("packing fraction φ"))
    return (
        Curve("jamming", _("Pressure"), x, Axis(_("pressure P^(2/3)"), "Pa^(2/3)"), tuple(roots)),
        Curve("jamming_contacts", _("Contacts"), x, Axis(_("contacts per grain Z")), tuple(bearing)),
    )


def answer(experiment: Experiment) -> Answer | None:
    """The packing fraction at which the grains jam, and their contacts there."""
    of = measured_values(experiment)
    if of is None:
        return None
    return Answer(
        of["packing"][0],
        Message(
            "The grains jam when they fill {packing} % of the space, with {contacts} contacts each.",
            packing=Number(100.0 * of["packing"][0], format=".1f"),
            contacts=Number(of["contacts"][0], format=".1f"),
        ),
    )


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Packing fraction and contacts at jamming with the standard errors of their lines."""
    of = measured_values(experiment)
    if of is None:
        return {}
    return {
        "jamming_packing": of["packing"][0],
        "jamming_packing_error": of["packing"][1],
        "jamming_contacts": of["contacts"][0],
        "jamming_contacts_error": of["contacts"][1],
    }


def share(experiment: Experiment) -> float | None:
    """Share of the compression that is done, by the logarithm of the length of the cell."""
    if experiment.run.state.grows:
        return None
    built: ClosePackingParameters = experiment.run.built
    first = packing_of(experiment) * (edge_of(experiment.run.world) / built.first_edge) ** 3
    done = math.log(packing_of(experiment) / first) / math.log(JAMMED / first)
    return float(min(1.0, max(0.0, done)))


def cell(experiment: Experiment) -> Box:
    """The present cell."""
    half = 0.5 * edge_of(experiment.run.world)
    return (-half, -half, -half), (half, half, half)


def first_cell(experiment: Experiment) -> Box:
    """The cell at the start."""
    built: ClosePackingParameters = experiment.run.built
    half = 0.5 * built.first_edge
    return (-half, -half, -half), (half, half, half)


COURSE = TimedCourse(
    state=ClosePackingState,
    start=start,
    drive=drive,
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    conclusion=conclusion,
    interval=lambda built: RECORDED * built.time_scale,
    share=share,
    words={
        "empty": lambda experiment: _("ready to start"),
        "flowing": lambda experiment: _("the cell grows") if experiment.run.state.grows else _("the cell shrinks"),
        "rested": lambda experiment: _("unloaded"),
    },
    buttons=CourseButtons(
        _("Compress"),
        _("Shrink the cell until the grains bear the pressure, then let it grow."),
        _("The grains are back at their places."),
        _("Put the grains back to their places."),
        _("The cell shrinks until the grains bear the pressure, then it grows."),
    ),
)

SCENE = Scene(
    name="close_packing",
    title=_("Random close packing"),
    summary=_("A periodic cell shrinks around grains until they jam: packing fraction, pressure and contacts."),
    direction=Direction(
        see=_("Free grains come closer until all of them touch: then the pressure rises steeply."),
        colour="coordination",
        plot="jamming",
        speed=0.1,
        seconds=10.0,
    ),
    parameters=disc_parameters(ClosePackingParameters),
    model=ModelChoice(
        law=LAW.name,
        dimension=3,
        smallest_grain=smallest_grain,
        rotates=lambda parameters: True,
        bodies=lambda parameters: parameters.aspect_ratio > 1.0,
    ),
    course=replace(
        timed_course(COURSE),
        answer_values=("packing", "contacts"),
        readings=readings,
        later_readings=("jamming_packing", "jamming_contacts", "packing_now", "pressure_now", "contacts_now"),
        result_numbers={
            "jamming_packing": ResultNumber(_("packing fraction at jamming"), "", "φ_J"),
            "jamming_contacts": ResultNumber(_("contacts at jamming"), "", "Z_J"),
        },
    ),
    view=SceneView(box=first_cell, focus=cell, layers=lambda experiment: 1, curves=curves),
    limits=SOFT_DISCS,
    guess=Guess(_("Share of the space that grains fill when they jam"), "%", 30.0, 90.0),
    lecture=("aspect_ratio", "friction", "pressure", "grain_count", "size_spread"),
    test_values={"grain_count": 40, "young": 1e6, "pressure": 1e3},
)
