"""The heap in space: spheres poured on a plate from a funnel, or released by lifting a cylinder.

The plate is a plane, smooth or covered with fixed spheres; grains beyond its rim are removed. A layer is released as
soon as the previous one has left the rim of the funnel: the flow through the orifice determines the rate. Rest is
defined in `repose.sim.experiment.rest`. The cylinder is full at rest, or after a longest wait.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.choices import choice_name
from repose.sim.direction import Direction
from repose.sim.engine.world import Floats
from repose.sim.experiment.experiment import Experiment, Hand, ModelChoice, Scene, SceneView
from repose.sim.experiment.notices import notify
from repose.sim.experiment.phase import Pace
from repose.sim.experiment.results import keep_measurement
from repose.sim.experiment.snapshot import Action
from repose.sim.experiment.take_snapshot import wall_facets
from repose.sim.laws.hertz_mindlin import LAW
from repose.sim.measure.angle_of_repose import angle_in_words
from repose.sim.measure.angle_of_repose_3d import ERROR_OF, ConeAngle, measure_cone
from repose.sim.measure.display import Reading
from repose.sim.measure.surface_slope import slope_complaint
from repose.sim.message import Message, Number, _, plural
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
from repose.sim.scenes.common.measured_heap import note_measured
from repose.sim.scenes.common.phases import EMPTY, FILLED, FILLING, FLOWING, RESTED, enter, rests
from repose.sim.scenes.common.poured import (
    HEAP_WORDS,
    PouredButtons,
    PouredCourse,
    adding,
    come_to_rest,
    count_removed,
    grains_left,
    measuring_action,
    move_again,
    opening_action,
    poured_course,
    poured_results,
    removal_is_due,
    remove_gone,
)
from repose.sim.scenes.common.settling import SETTLING_READINGS, is_settled, longest_wait, settling_readings
from repose.sim.scenes.common.stream import (
    SIDES,
    Box,
    around_axis,
    disc,
    fallen_grains,
    is_beyond_rim,
    lift_on,
    pour_on,
    smallest_grain,
)
from repose.sim.scenes.heap3d.parameters import Heap3dParameters
from repose.sim.scenes.heap3d.plate_and_funnel import (
    FLOOR_WALL,
    Heap3dState,
    begin,
    layers,
    open_outlet,
    pour_layer,
    rebuild_plate,
    sizes,
)
from repose.sim.scenes.heap3d.prepared import PREPARED

NO_SLOPE = _("There is no slope to measure: too few grains lie on the plate.")


def supervise(experiment: Experiment) -> None:
    """Pour the next layer, detect rest, remove the grains beyond the rim."""
    run = experiment.run
    state: Heap3dState = run.state
    if state.phase == "empty":
        return
    if removal_is_due(experiment):
        remove_gone(experiment, fallen_grains(experiment, sizes(run.built).plate))
    quiet = state.phase in ("filling", "flowing") and rests(experiment)
    if state.phase == "filling":
        _fill_on(experiment, quiet)
    elif state.phase == "flowing":
        size = sizes(run.built)
        lift_on(experiment, size.low, size.high)
        if quiet and not run.world.walls.velocity.any():
            come_to_rest(experiment, measured=True)
    elif state.phase == "rested" and move_again(experiment):
        state.reading = {}


def _fill_on(experiment: Experiment, quiet: bool) -> None:
    built, state, high = experiment.run.built, experiment.run.state, sizes(experiment.run.built).high
    jammed = Message(
        "no grain leaves the {pouring} any more. Widen the orifice or pour fewer grains.",
        pouring=choice_name(built.pouring),
    )
    if not pour_on(experiment, high, pour_layer, jammed):
        return
    if built.pouring == "funnel" and not state.lid:
        enter(experiment, "flowing")
        return
    longest = longest_wait(high, experiment.parameters.gravity)
    if is_settled(experiment, quiet, experiment.time - state.since, longest):
        enter(experiment, "filled")
        if state.run_all:
            notify(experiment, lift(experiment))


def lift(experiment: Experiment) -> Message:
    """Lift the cylinder off the plate, or open the outlet of the funnel."""
    if experiment.run.state.lid:
        open_outlet(experiment)
        enter(experiment, "flowing")
        return _("The funnel is open.")
    experiment.run.world.walls.velocity[FLOOR_WALL + 1 :, 2] = experiment.parameters.lift_speed
    enter(experiment, "flowing")
    return _("The cylinder is lifted.")


def keep_slope(experiment: Experiment) -> Message:
    """Measure the slope and keep it."""
    reading = measure(experiment)
    if reading is None:
        return NO_SLOPE
    experiment.run.state.reading = reading_of(reading)
    note_measured(experiment, reading.used_ids)
    keep_measurement(experiment)
    return plural(
        "Angle of repose {angle}, cone {cone_angle}°, {count} grain on the plate.",
        "Angle of repose {angle}, cone {cone_angle}°, {count} grains on the plate.",
        count=reading.grains_left,
        angle=angle_in_words(reading.angle, reading.standard_error, ERROR_OF),
        cone_angle=Number(math.degrees(reading.cone_angle), format=".1f"),
    )


def actions(experiment: Experiment) -> tuple[Action, ...]:
    """The buttons of the cylinder and of the measurement."""
    done = current_slope(experiment) is not None
    lifting = _("Lift cylinder"), _("Lift the cylinder off the plate.")
    if experiment.run.built.pouring == "funnel":
        lifting = _("Open funnel"), _("Open the outlet of a funnel that is filled.")
    return (
        opening_action(experiment, "lift", *lifting),
        measuring_action(experiment, _("Fit the slope: the angle of repose."), done),
    )


def measure(experiment: Experiment) -> ConeAngle | None:
    """The present slope of the heap; None during pouring or with too few grains on the plate."""
    if experiment.phase not in ("flowing", "rested"):
        return None
    world = experiment.run.world
    heaped = ~world.fixed & ~in_funnel(experiment)
    return measure_cone(world.motion[:3, 0, heaped].T, world.radius[heaped], world.sphere_id[heaped])


def in_funnel(experiment: Experiment) -> NDArray[np.bool_]:
    """True for spheres in or above the funnel or cylinder, which do not belong to the heap, shape (count,)."""
    world = experiment.run.world
    above: NDArray[np.bool_] = world.motion[2, 0] >= sizes(experiment.run.built).low + world.walls.moved[:, 2].max(
        initial=0.0
    )
    return above & ~world.fixed


def box(experiment: Experiment) -> Box:
    """The plate, and the funnel or cylinder above it."""
    size = sizes(experiment.run.built)
    return around_axis(size.plate, -size.largest, size.high + 4.0 * size.largest)


def focus(experiment: Experiment) -> Box:
    """The plate below the opening of the funnel or cylinder, where the heap begins."""
    size = sizes(experiment.run.built)
    return around_axis(size.low_radius, -size.largest, 0.0)


def facets(experiment: Experiment) -> Floats:
    """Plate, and funnel or cylinder at its present position."""
    return np.concatenate([disc(sizes(experiment.run.built).plate), wall_facets(experiment.run.world)])


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """The measured slope, the number of grains left, and waits that were cut short."""
    return (*slope_readings(experiment), *settling_readings(experiment.run.state))


def results(experiment: Experiment) -> dict[str, Any]:
    """Numbers of grains, and the latest measured slope."""
    return {**poured_results(experiment.run.state), "angle_of_repose": slope_results(experiment)}


def check(experiment: Experiment) -> Message:
    """Check that the heap has a slope, and that no grain is stuck in the funnel."""
    state: Heap3dState = experiment.run.state
    if state.phase != "rested":
        return Message("The heap did not come to rest: phase {phase}.", phase=state.phase)
    if stuck := int(in_funnel(experiment).sum()):
        return plural("{count} grain is stuck in the funnel.", "{count} grains are stuck in the funnel.", count=stuck)
    if not state.reading:
        return NO_SLOPE
    return slope_complaint(state.reading["angle"], state.reading["standard_error"])


PHASES = (
    EMPTY,
    # Into the funnel; the heap forms while it runs empty.
    replace(FILLING, label=_("pouring"), pace=Pace(4.0, "share")),
    FILLED,
    replace(FLOWING, label=_("heap forming"), pace=Pace(7.0, "fall")),
    RESTED,
)

COURSE = PouredCourse(
    begin=begin,
    supervise=supervise,
    pour=pour_layer,
    phases=PHASES,
    buttons=PouredButtons(
        _("Pour the grains; a full plate is emptied first."),
        _("Back to the empty plate."),
        _("Pour, lift if there is a cylinder, wait for rest and measure."),
    ),
    empty=_("The plate is empty."),
    actions=actions,
    acts={"lift": lift, "measure": keep_slope},
    opening="lift",
    words={
        "empty": lambda experiment: _("empty plate"),
        "filled": lambda experiment: plural(
            "container filled with {count} grain", "container filled with {count} grains", count=grains_left(experiment)
        ),
        **HEAP_WORDS,
    },
    results=results,
    check=check,
    flaws=lambda state, world, built: {
        "number of walls": world.walls.shape.size < 1 + state.lid,
        "lid": state.lid not in (0, SIDES),
    },
)

SCENE = Scene(
    name="heap3d",
    title=_("Heap in space"),
    summary=_("Spheres poured on a plate from a funnel or a lifted cylinder; the angle of repose is measured."),
    direction=Direction(
        see=_("Grains run out of a funnel and pile up to a cone."),
        colour="layer",
        plot="angle",
        speed=1.0,
        seconds=20.0,
    ),
    parameters=with_law(Heap3dParameters, LAW, is_material_law),
    model=ModelChoice(law=LAW.name, dimension=3, smallest_grain=smallest_grain, rotates=lambda parameters: True),
    course=replace(
        poured_course(COURSE),
        measure=measure,
        find_answer=slope_answer,
        answer_values=ANSWER_VALUES,
        readings=readings,
        later_readings=(*SLOPE_READINGS, *SETTLING_READINGS),
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
    hand=Hand(
        on_grain_removed=count_removed,
        add_grains=adding(lambda built, radii: built.mass_of(radii)),
        keeps_out=lambda experiment, centres, radii: is_beyond_rim(centres, radii, sizes(experiment.run.built).plate),
        rebuild=rebuild_plate,
    ),
    lecture=("friction", "rolling_friction", "restitution", "gravity", "tilt"),
    study=STUDY_IN_SPACE,
    test_values={"grain_count": 400, "rolling_friction": 0.2, "orifice": 6.0},
)
