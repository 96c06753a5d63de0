"""A floating log with a weight on a thread: the weight is released at the surface and swings below the log to rest.

Maier's task 5. The thread is a chain of light particles, which resists stretching and folds freely. The log floats at
the depth of Archimedes; the weight begins at the surface beside the end of the log, the thread stretched. It sinks,
swings, pulls the end of the log down and comes to rest under it. At rest log, thread and weight together displace their
mass. The result depends on the densities, the volume of the log and the mass of the weight; his numbers are lost.
"""

from __future__ import annotations

import math

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.builder import SphereGroup, add_bonds, add_spheres
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import Experiment, Scene, SceneView
from repose.sim.measure.display import Answer, Axis, Line, Outcome, Part, Reading
from repose.sim.message import Message, Number, _
from repose.sim.parameters import count, number
from repose.sim.scenes.common.timed_course import column, last_record
from repose.sim.scenes.large_particles.afloat import (
    AfloatParameters,
    bottomless,
    displaced,
    set_afloat,
    speed_of_all,
)
from repose.sim.scenes.large_particles.particles import (
    BODY_LIMITS,
    DIAMETER,
    RADIUS,
    VOLUME,
    BodyTask,
    Box,
    Duration,
    Plotted,
    body_course,
    body_model,
    equals,
    exceeds,
    from_parameters,
    lattice,
    motion_of,
    new_world,
    no_lines,
    plotted,
    rows_of,
    stays_below,
    with_body,
)

LOG, THREAD, WEIGHT = range(3)
ROWS = 3
BEAD = 0.3 * DIAMETER
"""Radius of a particle of the thread, and half of the length per particle [m]."""
BEAD_DENSITY, WEIGHT_DENSITY = 1500.0, 5000.0
"""Densities of thread and weight [kg/m³]."""
FIRST = 0.1 * DIAMETER
"""Way of the log that counts as its first motion [m]."""
MOVED = 1.0
"""Least inclination of a log that the swinging weight moves [°]."""
AT_REST = 0.01
"""Root mean square speed below which log, thread and weight count as at rest [m/s]."""


class LogParameters(AfloatParameters):
    """A log and a weight, in SI."""

    # fmt: off
    length: int = count(24, 4, 60, _("length of the log"), "n", effect="restart", group=_("Geometry"),
        help=_("Particles along the log. Takes effect at the next start."))
    log_density: float = number(500.0, 50.0, 900.0, _("density of the log"), "ρ", "kg/m³", effect="restart",
        group=_("Geometry"), help=_("Of its particles. Takes effect at the next start."))
    beads: int = count(14, 2, 60, _("length of the thread"), "l", effect="restart", group=_("Geometry"),
        help=_("In particles of 12 mm. Takes effect at the next start."))
    weight_mass: float = number(0.04, 1e-3, 0.3, _("mass of the "
                                                   "weight"), "M", "g", effect="restart", group=_("Geometry"),
        help=_("A weight heavier than the log can carry pulls it under. Takes effect at the next start."))
    # fmt: on
    duration: Duration = 4.0


def start(parameters: LogParameters, seed: int) -> World:
    """The floating log, the thread stretched to its right, the weight at its end."""
    centres = lattice(parameters.length, ROWS)
    world = with_body(new_world(), centres, parameters.log_density * VOLUME, LOG)
    world = set_afloat(world, parameters)
    end = tied(parameters)
    x, y = world.motion[:2, 0, end]
    across = x + RADIUS + BEAD * (2.0 * np.arange(parameters.beads) + 1.0)
    chain = np.column_stack([across, np.full(parameters.beads, y)])
    mass = BEAD_DENSITY * VOLUME * (BEAD / (0.5 * DIAMETER)) ** 3
    first = world.sphere_count
    world = add_spheres(world, chain, 0.8 * BEAD, mass, SphereGroup(fixed=True, layer=THREAD, first_id=first))
    size = weight_radius(parameters)
    position = chain[-1] + (BEAD + size, 0.0)
    last = world.sphere_count
    world = add_spheres(
        world, position, size, parameters.weight_mass, SphereGroup(fixed=True, layer=WEIGHT, first_id=last)
    )
    rows = np.concatenate([[end], np.arange(first, last + 1)])
    return add_bonds(world, rows[:-1], rows[1:], np.ones(3))


def tied(parameters: LogParameters) -> int:
    """Row of the particle of the log that holds the thread: the right end of its middle row."""
    return parameters.length * (ROWS // 2 + 1) - 1


def weight_radius(parameters: LogParameters) -> float:
    """Radius of a sphere with the mass of the weight [m]."""
    return float((parameters.weight_mass / WEIGHT_DENSITY * 0.75 / np.pi) ** (1.0 / 3.0))


def measured(experiment: Experiment) -> dict[str, float]:
    """Position of the weight below and beside the end of the log, displaced mass over mass, root mean square speed,
    angle and place of the log."""
    world, end = experiment.run.world, tied(experiment.run.built)
    position = world.motion[:2, 0]
    x, y = position[:, -1] - position[:, end]
    whole = motion_of(experiment, rows_of(experiment))
    dip = position[:, end] - position[:, end - experiment.run.built.length + 1]
    return {
        "beside": x,
        "below": -y,
        "displaced": displaced(experiment) / whole.mass,
        "speed": speed_of_all(experiment),
        "dip": float(np.arctan2(-dip[1], dip[0])),
        "log_at": float(motion_of(experiment, rows_of(experiment, LOG)).centre[0]),
    }


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Where the weight is, how far the log is inclined."""
    if not column(experiment, "below").size:
        return (
            Reading(
                "log_mass", _("mass of the log"), 1e3 * float(experiment.run.world.mass[:-1].sum()), "g", given=True
            ),
        )
    now = {name: round(value, 6) + 0.0 for name, value in last_record(experiment).items()}
    return (
        Reading("weight_below_end", _("weight below the end of the log"), now["below"], "m"),
        Reading("log_inclination", _("inclination of the log"), round(float(np.degrees(now["dip"])), 2) + 0.0, "°"),
        Reading("displaced_mass", _("displaced mass over mass"), now["displaced"], help=_("1 at rest (Archimedes).")),
    )


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The statements of the task: the weight swings, moves the log, and all comes to rest, the weight below its end."""
    built, parameters = experiment.run.built, experiment.parameters
    final = last_record(experiment)
    gravity, length = max(parameters.gravity, 1e-9), thread_length(built)
    stretch = (built.beads + 1) * built.weight_mass * gravity / parameters.bond_stiffness
    # A pendulum of the length l with the speed v deviates by v sqrt(l/g) and rises by v²/(2 g).
    swing, raised = AT_REST * math.sqrt(length / gravity), AT_REST**2 / (2.0 * gravity)
    beside, dip = column(experiment, "beside"), column(experiment, "dip")
    # Log, thread and weight oscillate by v sqrt(h/g) about the depth at which they displace their mass.
    share = AT_REST / math.sqrt(gravity * ROWS * DIAMETER)
    return (
        stays_below(
            "swings_through", _("the weight swings through below its end of the log"), float(beside.min()), 0.0, "m"
        ),
        exceeds(
            "log_moves",
            _("it makes the log move: largest inclination"),
            math.degrees(float(np.abs(dip).max())),
            MOVED,
            "°",
        ),
        stays_below("comes_to_rest", _("all comes to rest"), final["speed"], AT_REST, "m/s"),
        equals(
            "hangs_straight", _("the weight hangs straight below the end of the log"), final["beside"], 0.0, swing, "m"
        ),
        equals("thread_stretched", _("on the stretched thread"), final["below"], length, stretch + raised, "m"),
        equals(
            "displaces_its_mass",
            _("log, thread and weight displace their mass (Archimedes)"),
            final["displaced"],
            1.0,
            share,
        ),
    )


def answer(experiment: Experiment) -> Answer:
    """To which side the log moved first, and how far it was inclined."""
    way = column(experiment, "log_at") - column(experiment, "log_at")[0]
    moved = way[np.argmax(np.abs(way) > FIRST)]
    dip = math.degrees(float(np.abs(column(experiment, "dip")).max()))
    inclined = Number(dip, "°", ".0f")
    if moved > 0.0:
        words = Message(
            "It moves to the right first, towards the weight; the swinging weight inclines it by up to {dip}.",
            dip=inclined,
        )
    else:
        words = Message(
            "It moves to the left first, away from the weight; the swinging weight inclines it by up to {dip}.",
            dip=inclined,
        )
    return Answer(dip, words)


def thread_length(parameters: LogParameters) -> float:
    """Unstretched distance from the weight to the particle of the log that holds the thread [m]."""
    return RADIUS + 2.0 * BEAD * parameters.beads + weight_radius(parameters)


def focus(experiment: Experiment) -> Box:
    """The log, and the swing of the weight below and beside it."""
    parameters = experiment.run.built
    half, swing = 0.5 * parameters.length * DIAMETER, 2.0 * BEAD * (parameters.beads + 2)
    level = parameters.liquid_level
    return (-half - 3.0 * DIAMETER, level - swing - 3.0 * DIAMETER), (half + swing, level + 0.5 * swing)


def box(parameters: LogParameters) -> Box:
    """As far as the log drifts."""
    reach = 1.5 * (parameters.length * DIAMETER + 2.0 * BEAD * (parameters.beads + 2))
    return (-reach, parameters.liquid_level - reach), (reach, parameters.liquid_level + reach)


def expected(experiment: Experiment) -> dict[str, tuple[Line, ...]]:
    """The length of the thread."""
    ends = np.array([0.0, experiment.run.built.duration])
    length = 1e3 * thread_length(experiment.run.built)
    return {"weight": (Line(_("length of the thread"), ends, np.full(2, length)),)}


PLOTS = (
    Plotted(
        "weight",
        _("Weight"),
        Axis(_("from the end of the log"), "mm"),
        {_("below"): "below", _("beside"): "beside"},
        1e-3,
    ),
    Plotted("inclination", _("Inclination"), Axis(_("inclination of the log"), "rad"), {_("log"): "dip"}),
)

SCENE = Scene(
    name="log",
    title=_("Log and weight on a thread"),
    summary=_("A weight on a thread is released at the surface beside a floating log and swings below it to rest."),
    direction=Direction(
        see=_("The log moves towards the weight first; the weight swings below its end to rest."),
        colour=OWN,
        plot="weight",
        speed=0.2,
        seconds=14.0,
    ),
    group="bodies",
    parameters=LogParameters,
    model=body_model(start, fields=("liquid",)),
    course=body_course(
        BodyTask(
            start,
            measured,
            outcomes,
            readings,
            ("weight_below_end", "log_inclination", "displaced_mass"),
            action=_("Release"),
            answer=answer,
        )
    ),
    view=SceneView(
        box=from_parameters(box),
        focus=focus,
        facets=no_lines,
        parts=(Part(_("log"), "wood"), Part(_("thread")), Part(_("hanging weight"), "steel")),
        liquid=bottomless,
        curves=plotted(PLOTS, expected),
    ),
    limits=BODY_LIMITS,
    lecture=("weight_mass", "log_density", "liquid_viscosity", "length", "beads"),
    test_values={"length": 8, "beads": 3, "weight_mass": 0.01, "duration": 1.6, "liquid_viscosity": 0.3},
)
