"""A floating log is pulled up by a thread at one end: it first moves sideways, then hangs on the thread.

Maier's task 6. The free end of the thread moves up at constant speed, straight above the right end of the log. The log
is lifted at that end, turns about its other end in the liquid, and its centre moves to the right until it is under the
thread; then the log hangs and rises with the thread, which carries its weight. His numbers are lost.
"""

from __future__ import annotations

import functools

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene, SceneView
from repose.sim.fields.hoist import HoistParameters, ThreadLength
from repose.sim.measure.display import Answer, Axis, Line, Outcome, Part, Reading
from repose.sim.message import Message, Number, _
from repose.sim.parameters import count, number
from repose.sim.scenes.common.timed_course import column, last_record, times
from repose.sim.scenes.large_particles.afloat import AfloatParameters, bottomless, displaced, set_afloat
from repose.sim.scenes.large_particles.particles import (
    BODY_LIMITS,
    DIAMETER,
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
    lies_between,
    motion_of,
    new_world,
    plotted,
    rows_of,
    with_body,
)

ROWS = 3
UNDER = 0.15
"""Largest final distance of the centre from the vertical under the thread, over the length of the log [-]."""
CARRIED = 0.02
"""Largest relative difference of the mean tension of the hanging log from its weight [-]."""


class HoistedParameters(HoistParameters, AfloatParameters):
    """A log and a thread, in SI."""

    # fmt: off
    length: int = count(16, 4, 40, _("length of the log"), "n", effect="restart", group=_("Geometry"),
        help=_("Particles along the log. Takes effect at the next start."))
    log_density: float = number(600.0, 50.0, 900.0, _("density of the log"), "ρ", "kg/m³", effect="restart",
        group=_("Geometry"), help=_("Of its particles. Takes effect at the next start."))
    hoist_speed: float = number(0.15, 0.0, 2.0, _("speed of the "
                                                  "thread"), "u", "m/s", group=_("Geometry"),
        help=_("Of its free end, upwards."))
    # fmt: on
    thread_length: ThreadLength = 0.15
    duration: Duration = 4.0

    @property
    def held_sphere(self) -> int:
        """Id of the particle that the thread holds: the right end of the middle row."""
        return self.length * (ROWS // 2 + 1) - 1

    def thread_end(self, dimension: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Initial position [m] and velocity [m/s] of the free end, above the particle that the thread holds."""
        x, y = held_place(self)
        return (x, y + self.thread_length), (0.0, self.hoist_speed)


def start(parameters: HoistedParameters, seed: int) -> World:
    """The floating log."""
    world = with_body(new_world(), lattice(parameters.length, ROWS), parameters.log_density * VOLUME, 0)
    return set_afloat(world, parameters)


@functools.lru_cache(maxsize=8)  # called at every record and every change of the time step
def held_place(parameters: HoistedParameters) -> tuple[float, float]:
    """Position of the particle that the thread holds, while the log floats [m]."""
    x, y = start(parameters, 1).motion[:2, 0, parameters.held_sphere]
    return float(x), float(y)


def thread(experiment: Experiment) -> tuple[Floats, Floats, float]:
    """Both ends of the thread [m] and its tension [N]."""
    world, built, way = experiment.run.world, experiment.run.built, experiment.run.ways["hoist"]
    end, velocity = np.array([part.at(experiment.time) for part in way]), np.array([part.rate for part in way])
    position, speed = world.motion[:2, 0, built.held_sphere], world.motion[:2, 1, built.held_sphere]
    offset = position - end
    distance = max(float(np.hypot(*offset)), 1e-12)
    stretch = distance - built.thread_length
    rate = float((speed - velocity) @ offset) / distance
    parameters = experiment.parameters
    pull = parameters.thread_stiffness * stretch + parameters.thread_viscosity * rate
    return end, position.copy(), max(pull, 0.0) if stretch > 0.0 else 0.0


def measured(experiment: Experiment) -> dict[str, float]:
    """Position and velocity of the centre of the log, its distance from the vertical under the thread, tension, mass
    of the displaced liquid, height of the free end of the thread."""
    whole = motion_of(experiment, rows_of(experiment))
    end, _, tension = thread(experiment)
    return {
        "sideways": float(whole.centre[0]),
        "height": float(whole.centre[1]),
        "rising": float(whole.velocity[1]),
        "beside": float(whole.centre[0] - end[0]),
        "tension": tension,
        "displaced": displaced(experiment),
        "end": float(end[1]),
    }


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Tension, and how far the log has moved sideways."""
    world = experiment.run.world
    weight = Reading(
        "log_weight", _("weight of the log"), float(world.mass.sum()) * experiment.parameters.gravity, "N", given=True
    )
    if not column(experiment, "tension").size:
        return (weight,)
    now = {name: round(value, 6) + 0.0 for name, value in last_record(experiment).items()}
    return (
        Reading("thread_tension", _("tension of the thread"), now["tension"], "N"),
        weight,
        Reading("centre_sideways", _("centre moved sideways"), now["sideways"], "m", help=_("To the right.")),
    )


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The statements of the task: the log moves to the right, leaves the liquid, hangs on the thread and rises."""
    built = experiment.run.built
    sideways, beside, tension, displaced, height, rising = (
        column(experiment, name) for name in ("sideways", "beside", "tension", "displaced", "height", "rising")
    )
    wet = np.flatnonzero(displaced > 0.0)
    out = int(wet[-1]) + 1 if wet.size else 0
    entries = (
        exceeds(
            "moves_to_the_right", _("the log first moves to the right"), float(sideways[: out + 1].max()), DIAMETER, "m"
        ),
    )
    if out >= displaced.size - 2:
        return (
            *entries,
            Outcome("leaves_the_liquid", _("it leaves the liquid"), _("still in it"), _("out of it"), False),
        )
    time, size = times(experiment)[out:], built.length * DIAMETER
    lasted = time[-1] - time[0]
    mass = float(experiment.run.world.mass.sum())
    gained = mass * float(rising[-1] - rising[out])
    carried = float(np.trapezoid(tension[out:], time)) - gained
    weight = mass * built.gravity
    end = column(experiment, "end")
    hoisted = float(end[-1] - end[out]) / lasted if end.size else built.hoist_speed  # files of older versions: constant
    return (
        *entries,
        lies_between(
            "swings", _("it swings on the thread, its centre to both sides"), float(beside[out:].max()), 0.0, size, "m"
        ),
        equals(
            "thread_carries_the_weight",
            _("the thread carries its weight"),
            carried / lasted,
            weight,
            CARRIED * weight,
            "N",
        ),
        equals(
            "rises_with_the_thread",
            _("it rises with the thread"),
            float(height[-1] - height[out]) / lasted,
            hoisted,
            0.05 * hoisted,
            "m/s",
        ),
    )


def answer(experiment: Experiment) -> Answer:
    """Into which direction the log moved first, and how far until it left the liquid."""
    sideways, height = column(experiment, "sideways"), column(experiment, "height")
    wet = np.flatnonzero(column(experiment, "displaced") > 0.0)
    until = int(wet[-1]) + 1 if wet.size else sideways.size
    way, up = float(sideways[:until].max()), float(height[:until].max() - height[0])
    words = Message(
        "It moves sideways first: {way} to the right, towards the thread, and {up} up until it leaves the liquid.",
        way=Number(way, "m", digits=2),
        up=Number(up, "m", digits=2),
    )
    return Answer(way, words)


def box(parameters: HoistedParameters) -> Box:
    """The log, and the way of the thread."""
    half = 0.5 * parameters.length * DIAMETER
    high = parameters.liquid_level + parameters.thread_length + parameters.hoist_speed * parameters.duration
    return (-2.0 * half, parameters.liquid_level - 1.2 * half), (3.0 * half, high)


def focus(experiment: Experiment) -> Box:
    """The surface of the liquid, the log on it, and the thread up to its free end."""
    built, (end, _, _) = experiment.run.built, thread(experiment)
    half = 0.5 * built.length * DIAMETER
    return (-1.3 * half, built.liquid_level - 1.3 * half), (2.3 * half, max(float(end[1]), built.liquid_level + half))


def lines(experiment: Experiment) -> Floats:
    """The thread."""
    end, position, _ = thread(experiment)
    return np.array([[end, position]])


def expected(experiment: Experiment) -> dict[str, tuple[Line, ...]]:
    """The weight of the log."""
    built = experiment.run.built
    weight = float(experiment.run.world.mass.sum()) * built.gravity
    return {"tension": (Line(_("weight of the log"), np.array([0.0, built.duration]), np.full(2, weight)),)}


PLOTS = (
    Plotted("tension", _("Tension"), Axis(_("tension"), "N"), {_("thread"): "tension"}),
    Plotted(
        "centre",
        _("Centre"),
        Axis(_("position of the centre"), "mm"),
        {_("to the right"): "sideways", _("height"): "height"},
        1e-3,
    ),
)

SCENE = Scene(
    name="hoisted",
    title=_("Log pulled up"),
    summary=_("A floating log is pulled up by a thread at one end: it moves sideways first, then hangs on the thread."),
    direction=Direction(
        see=_("The pulled log moves sideways first, then leaves the liquid and hangs on the thread."),
        colour=OWN,
        plot="tension",
        speed=0.5,
        seconds=8.0,
    ),
    group="bodies",
    parameters=HoistedParameters,
    model=body_model(start, fields=("liquid", "hoist")),
    course=body_course(
        BodyTask(
            start, measured, outcomes, readings, ("thread_tension", "centre_sideways"), action=_("Pull"), answer=answer
        )
    ),
    view=SceneView(
        box=from_parameters(box),
        focus=focus,
        facets=lines,
        parts=(Part(_("log"), "wood"),),
        liquid=bottomless,
        curves=plotted(PLOTS, expected),
    ),
    limits=BODY_LIMITS,
    lecture=("hoist_speed", "log_density", "thread_stiffness", "length", "liquid_viscosity"),
    test_values={"length": 6, "hoist_speed": 0.1, "duration": 2.0, "liquid_viscosity": 0.5},
)
