"""A change of the time step while grains move: its error is at most that of the integrator."""

from __future__ import annotations

from dataclasses import replace
from math import cos, inf, sin, sqrt

import numpy as np
import pytest
from repose.sim import Material, place_spheres
from repose.sim.engine.body_builder import add_bodies, shape_of_spheres
from repose.sim.engine.builder import add_spheres, empty_world
from repose.sim.engine.neighbours.verlet_list import LARGEST_STEP
from repose.sim.engine.timestep.accuracy import LARGEST_GAP
from repose.sim.engine.timestep.stable_step import AUTO_SHARE
from repose.sim.engine.world import motions
from repose.sim.experiment.automatic_step import (
    CLUSTER,
    IMPACT_MARGIN,
    LARGEST_TURN,
    REFERENCE_OVERLAP,
    STEPS_AHEAD,
    approach,
    cluster_dt,
    cluster_factor,
    dt_warning,
    impact_dt,
    next_automatic_dt,
    single_contact_dt,
    touch,
    turning_dt,
)
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import Act, Pull
from repose.sim.experiment.control import apply
from repose.sim.experiment.energy_gap import LEVELS
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of, survey_contacts
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.time_step import choose_dt
from repose.sim.fields import central_gravity
from repose.sim.fields.central_gravity import CentralGravity
from repose.sim.fields.target import Target
from repose.sim.registry import integrators

from tests.reliability.runs import FEW, changed
from tests.tiers import tiered

G = 9.81


def dropped(integrator: str, **values: object) -> Experiment:
    """Three spheres released above a plane, the last one elastic."""
    experiment = new_experiment("bounce", {"integrator": integrator, "dt": 1e-5} | values)
    assert not apply(experiment, Act("run"))
    return experiment


def moment(simulation: Experiment) -> tuple[float, float]:
    """Height [m] and velocity [m/s] of the elastic sphere at one moment."""
    position, velocity, acceleration = simulation.run.world.motion[2, :3, 2]
    return float(position), float(
        velocity - simulation.engine.model.integrator.velocity_lead * simulation.dt * acceleration
    )


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("integrator", integrators())
def test_free_fall_is_a_parabola_for_any_changes_of_the_step(integrator: str) -> None:
    experiment = dropped(integrator, drop_height=1.0)
    start = experiment.run.world.motion[2, 0].copy()
    time = 0.0
    for dt, steps in ((1e-4, 50), (1e-6, 3), (1e-3, 40), (5e-4, 30), (1e-8, 3), (1e-3, 60)):
        changed(experiment, dt=dt)
        assert advance(experiment, steps) == steps
        time += steps * dt
    assert experiment.time == pytest.approx(time, rel=1e-12)
    # All schemes are exact for a constant force, but for rounding: of the place in every step, and what the
    # smallest step divides by dt comes back multiplied by a thousand times the largest.
    fallen = start - experiment.run.world.motion[2, 0]
    assert fallen == pytest.approx(0.5 * G * time**2, rel=1e-11)
    lead = experiment.engine.model.integrator.velocity_lead * experiment.dt
    assert experiment.run.world.motion[2, 1] == pytest.approx(-G * (time + lead), rel=1e-10)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("integrator", tiered(integrators(), fast={"gear5", "leapfrog", "velocity_verlet"}))
def test_an_elastic_impact_is_harmonic_for_any_changes_of_the_step(integrator: str) -> None:
    experiment = dropped(integrator, restitution_high=1.0, drop_height=1e-3)
    while moment(experiment)[0] >= 0.009999:
        advance(experiment, 1)
    built = experiment.run.built
    omega = sqrt(built.normal_stiffness / built.mass)
    rest = built.radius - G / omega**2
    position, velocity = moment(experiment)
    swung = 0.0
    for dt, steps in ((1e-5, 10), (2e-6, 50), (1e-5, 10), (2.5e-6, 30), (1.5e-5, 14), (1e-5, 10)):
        changed(experiment, dt=dt)
        assert advance(experiment, steps) == steps
        swung += omega * steps * dt
        found = moment(experiment)
        expected = rest + (position - rest) * cos(swung) + velocity / omega * sin(swung)
        # Second order: (w dt)²/24 of the phase a step of Verlet, and what a scheme begun anew adds is of third.
        assert found[0] == pytest.approx(expected, abs=(1.5e-5 * omega) ** 2 / 8 * abs(velocity) / omega)
        expected = velocity * cos(swung) - (position - rest) * omega * sin(swung)
        assert found[1] == pytest.approx(expected, abs=(1.5e-5 * omega) ** 2 / 8 * abs(velocity))
    assert swung > 1.5


@pytest.mark.parametrize("tiny", [1e-8, 1e-7, 1e-6])
def test_gear_continues_accurately_after_three_very_small_steps(tiny: float) -> None:
    # Rounding and damping leave e in an acceleration; of the fifth derivative that is e/dt³, and a prediction with a
    # step 2,500 times larger once made ten billion times as much of it: the grains flew apart without a fault.
    experiment = new_experiment("heap", {"grain_count": 40, "width": 0.015})
    assert not apply(experiment, Act("fill"))
    while experiment.phase == "filling":
        assert advance(experiment, 500) == 500
    before, untouched = energy_of(experiment), resumed_experiment(saved_copy(experiment))
    choose_dt(untouched, first=True)  # the step that is chosen anew is not always the one at which the filling ended
    changed(experiment, dt=tiny)
    advance(experiment, 3)
    changed(experiment, dt="auto")
    assert experiment.dt == untouched.dt
    for run in (experiment, untouched):
        advance(run, 100)
    # The tiny steps come to an eighth of one at most: both are at the same moment, up to that.
    after, expected = energy_of(experiment), energy_of(untouched)
    assert after.kinetic == pytest.approx(expected.kinetic, rel=0.02)
    assert abs(after.gap - before.gap) < 1.1 * abs(expected.gap - before.gap)


@pytest.mark.usefixtures("uncompiled")
def test_the_automatic_step_is_short_enough_for_the_fastest_grain_not_to_pass_through_others() -> None:
    experiment = new_experiment("heap", FEW | {"dt": "auto"})
    assert not apply(experiment, Act("fill"))
    advance(experiment, 10)
    world, speed = experiment.run.world, 300.0
    moving = ~world.fixed
    world.motion[1, 1, moving] = -speed
    dt = next_automatic_dt(experiment, survey_contacts(experiment), first=True)
    assert 0.1 < dt * speed / (LARGEST_STEP * world.radius[moving].min()) < 1.0


@pytest.mark.usefixtures("uncompiled")
def test_only_an_impact_that_compresses_more_than_the_reference_contact_limits_the_step() -> None:
    experiment = new_experiment("heap", FEW | {"dt": "auto"})
    assert not apply(experiment, Act("fill"))
    advance(experiment, 1)
    coming = approach(experiment, 0.0, 0.0)
    row = int(coming.movable_mass.argmin())  # the lightest grain is the fastest, too
    mass, radius = float(coming.mass[row]), float(coming.radius[row])
    k = experiment.engine.law_parameters.normal_stiffness * experiment.engine.law_parameters.wall_stiffness_factor
    # Hertz: k δ^(5/2) / 2.5 = m v²/2 at the greatest overlap δ, where the stiffness is 1.5 k sqrt(δ).
    for overlap, limits in ((0.9 * REFERENCE_OVERLAP * coming.radius.min(), False), (0.1 * radius, True)):
        speed = sqrt(0.8 * k * overlap**2.5 / mass)
        speeds = np.where(np.arange(coming.speed.size) == row, speed, 0.0)
        impact = impact_dt(experiment, coming._replace(speed=speeds))
        assert np.isfinite(impact) == limits
    exact = single_contact_dt(experiment, overlap, mass, radius)
    # The overlap is found to 1/4096 of the radius; the limit of the scheme is interpolated.
    assert impact == pytest.approx(exact, rel=0.02)


CLUMPS = {"grain_count": 2, "shape": "peanut", "members": 2, "young": 1e6, "size_spread": 0.0}


@pytest.mark.usefixtures("uncompiled")
def test_poured_clumps_meet_the_plate_with_a_step_that_the_impact_bears_and_keep_their_energy() -> None:
    # The container is still empty when the first step is chosen: they reach the plate before the next check.
    experiment = new_experiment("clumps", CLUMPS)
    assert not apply(experiment, Act("fill"))
    shortest = np.inf
    while (found := survey_contacts(experiment)).contacts > 0 or np.isinf(shortest):
        shortest = min(shortest, found.stable_dt)
        advance(experiment, 2)
    assert experiment.dt < IMPACT_MARGIN * AUTO_SHARE * shortest
    assert abs(energy_of(experiment).gap) < 0.01 * experiment.run.booked.poured


def chosen(simulation: Experiment) -> float:
    """The automatic step that the present state asks for [s]."""
    return next_automatic_dt(simulation, survey_contacts(simulation), first=True)


def warning_of(simulation: Experiment) -> str:
    """The warning about the fixed time step in the present state."""
    return str(dt_warning(simulation, survey_contacts(simulation)))


@pytest.mark.usefixtures("uncompiled")
def test_the_step_suits_the_speed_at_the_next_check_not_the_present_one() -> None:
    experiment = new_experiment("clumps", CLUMPS)
    weightless = new_experiment("clumps", CLUMPS | {"gravity": 0.0})
    for one in (experiment, weightless):
        assert not apply(one, Act("fill"))
        advance(one, CHECK_STEPS)
    for motion in motions(experiment.run.world):
        motion[2, 1] = -1.0
    h = chosen(experiment)
    for motion in motions(weightless.run.world):
        motion[2, 1] = -1.0 - G * STEPS_AHEAD * h
    assert h < 0.9 * chosen(new_experiment("clumps", CLUMPS | {"gravity": 0.0}))
    assert h <= chosen(weightless) < 1.2 * h  # at most one class of steps is given away


@pytest.mark.usefixtures("uncompiled")
def test_walls_that_move_fields_a_pull_and_rotation_of_a_body_count_for_the_next_impact() -> None:
    experiment = new_experiment("clumps", CLUMPS | {"gravity": 0.0})
    assert not apply(experiment, Act("fill"))
    advance(experiment, CHECK_STEPS)
    world, engine, run = experiment.run.world, experiment.engine, experiment.run
    world.bodies.unequal[:] = 0.0  # the rotation of unequal bodies limits the step by itself
    still = chosen(experiment)

    world.walls.velocity[:] = (0.0, 0.0, 9.0)
    by_wall = chosen(experiment)
    world.walls.velocity[:] = 0.0

    world.workspace.bodies.spin[:] = 9.0 / np.sqrt(3.0) / np.sqrt((world.bodies.offset**2).sum(axis=0)).max()
    by_rotation = chosen(experiment)
    world.workspace.bodies.spin[:] = 0.0
    assert by_wall == by_rotation < 0.7 * still

    model = engine.model
    engine.model = replace(model, fields=(central_gravity.BOUND,))
    engine.field_coefficients = (CentralGravity((0.0, 0.0, -1e3), 9.0e6 / (STEPS_AHEAD * by_wall), 0.0),)
    by_field = chosen(experiment)
    engine.model, engine.field_coefficients = model, ()
    assert by_field == pytest.approx(by_wall, rel=0.2)  # a class of steps more or less

    run.target = Target((0.0, 0.0, 1.0), int(world.sphere_id[-1]), 1e3, 0.0, 1e3)
    by_pull = chosen(experiment)
    run.target = run.target._replace(limit=1e-6)
    assert by_pull < 0.7 * still
    assert chosen(experiment) == still


@pytest.mark.usefixtures("uncompiled")
def test_a_pull_shortens_the_step_before_the_grain_that_is_pulled_strikes() -> None:
    experiment = new_experiment("clumps", CLUMPS)
    assert not apply(experiment, Act("fill"))
    advance(experiment, CHECK_STEPS)
    before, held = experiment.dt, int(experiment.run.world.sphere_id[0])
    assert not apply(experiment, Pull(held, (0.0, 0.0, -1.0), 1e3))
    assert experiment.dt < 0.7 * before


@pytest.mark.usefixtures("uncompiled")
def test_the_spin_of_a_body_limits_the_automatic_step_and_a_fixed_one_is_warned_of() -> None:
    experiment = new_experiment("clumps", CLUMPS | {"gravity": 0.0})
    assert not apply(experiment, Act("fill"))
    advance(experiment, CHECK_STEPS)
    bodies, now = experiment.run.world.bodies, experiment.run.world.workspace.bodies
    now.spin[:] = 0.0
    assert turning_dt(experiment.run.world) == inf
    dt = 0.9 * cluster_dt(experiment)
    experiment.parameters = experiment.parameters.changed(dt=dt)
    assert warning_of(experiment) == ""
    now.spin[1] = 1.01 * LARGEST_TURN / dt
    assert "a body turns by more than 0.4 rad in a step" in warning_of(experiment)
    assert chosen(experiment) <= 0.5 * LARGEST_TURN / now.spin[1, 0]
    bodies.unequal[:] = 0.0  # bodies of equal moments turn about a fixed axis, which is computed exactly
    assert warning_of(experiment) == ""


def test_bodies_of_many_members_are_expected_to_be_touched_at_all_of_them() -> None:
    blank = empty_world(3, 3, 3, materials=2)
    position = 1e-3 * np.arange(20)[:, None] * (1.0, 0.0, 0.0)
    loose = add_spheres(blank, position, 1e-3, 1e-5)
    few, many = (
        add_bodies(blank, shape_of_spheres(position[:n], 1e-3, np.full(n, 1e-5)), (0.0, 0.0, 0.0)) for n in (4, 20)
    )
    assert cluster_factor(loose) == cluster_factor(few) == CLUSTER
    assert cluster_factor(many) == sqrt(20.0)


ELASTIC = Material(young=1e8, poisson=0.25, density=2500.0, restitution=1.0, friction=0.4)
DAMPED = ELASTIC._replace(restitution=0.5)
LAWS: list[tuple[str, dict[str, object]]] = [
    ("voigt", {"material": ELASTIC}),
    ("voigt", {"material": DAMPED}),
    ("capillary", {"normal_damping": 0.0, "shear_damping": 0.0}),
    ("capillary", {}),
    ("bounded_spring", {"normal_viscosity": 0.05}),
    ("memoryless", {"normal_viscosity": 0.2}),
    ("lee_herrmann", {"normal_damping": 0.0, "shear_damping": 0.0}),
    ("lee_herrmann", {}),
    ("hertz_mindlin", {"material": ELASTIC}),
    ("hertz_mindlin", {"material": DAMPED}),
    ("liquid_bridge", {"restitution": 1.0, "young": 1e8, "friction": 0.4}),
    ("jkr", {"restitution": 1.0, "young": 1e8, "friction": 0.4}),
    ("dmt", {"restitution": 1.0, "young": 1e8, "friction": 0.4}),
]


def gap_of_impact(law: str, values: dict[str, object], aside: float, times: float, integrator: str) -> float:
    """Largest gap after an impact of two spheres, in units of the energy before it, over six times of touch in a step,
    with the automatic step `times` that long [-]. The line of centres is turned out of the velocity by `aside`."""
    found = []
    for phase in range(6):
        start = [[0.0, 0.0, 0.0], [2e-3 * cos(aside), 2e-3 * sin(aside), 0.0]]
        start[1][0] += 1e-6 + 0.71e-6 * phase
        velocity = [[0.1, 0.0, 0.0], [-0.1, 0.0, 0.0]]
        moving = {"velocity": velocity, "mass": 1e-5, "gravity": 0.0, "integrator": integrator}
        experiment = place_spheres(start, 1e-3, law=law, **moving, **values)  # type: ignore[arg-type]
        if times != 1.0:
            experiment.set(dt=times * experiment.dt)
        before = experiment.energy().kinetic
        lasting = 1.2 * experiment.experiment.engine.contact_time + 2e-5
        experiment.step(round(lasting / experiment.dt))
        found.append(abs(experiment.energy().gap) / before)
    return max(found)


@pytest.mark.filterwarnings("ignore::repose.sim.experiment.simulation.TimeStepWarning")
@pytest.mark.parametrize("integrator", tiered(["velocity_verlet", "rk4"], fast={"velocity_verlet"}))
@pytest.mark.parametrize(("law", "values"), LAWS)
@pytest.mark.parametrize("aside", tiered([0.0, 0.4], fast={0.4}))
def test_the_ledger_of_an_impact_closes_at_the_automatic_step_with_every_law(
    law: str, values: dict[str, object], aside: float, integrator: str
) -> None:
    # Hertz' damping begins with the slope infinity, of which the rule knows nothing; the notice of a gap begins at 2 %.
    largest = LEVELS[-1] if law == "hertz_mindlin" else LARGEST_GAP
    assert gap_of_impact(law, values, aside, 1.0, integrator) < largest


@pytest.mark.parametrize("law", ["voigt", "capillary"])
def test_a_step_six_times_as_long_is_not_accurate(law: str) -> None:
    values = {"material": ELASTIC} if law == "voigt" else {"normal_damping": 0.0}
    assert gap_of_impact(law, values, 0.0, 6.0, "velocity_verlet") > 2.0 * LARGEST_GAP


@pytest.mark.usefixtures("uncompiled")
def test_forces_that_begin_from_zero_do_not_shorten_the_step() -> None:
    heap, lecture = new_experiment("heap", FEW | {"dt": "auto"}), new_experiment("clumps", CLUMPS)
    assert touch(lecture).dt > 10.0 * lecture.dt
    assert touch(heap).dt > 5.0 * chosen(heap)
