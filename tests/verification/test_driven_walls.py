"""Walls, tables and threads that follow curves, against closed forms of way, angle and phase."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.ui.edits import Edits
from repose.sim import ParameterError, Plane, Rewind, Setup, Simulation, Spheres
from repose.sim.engine.world import SERVO_FORCE
from repose.sim.experiment import moved_walls
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.driven import is_driven
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.replay import verify
from repose.sim.experiment.run import DrivenWall
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.registry import scenes
from repose.sim.scenes.common import press
from repose.sim.scenes.heap import tilt_and_trickle
from repose.sim.scenes.lecture import drum

from tests.small_worlds import use_plain_engine

R, DT = 1e-3, 2e-5
HOLD = CHECK_STEPS * DT
"""Time for which a wall keeps its velocity [s]."""


def still(**values: Any) -> Simulation:
    """A sphere at rest in the plane, far above two walls that it does not touch."""
    walls = [Plane((0.0, 0.0), (0.0, 1.0)), Plane((0.0, 10.0), (0.0, -1.0))]
    setup = Setup(Spheres([(0.0, 1.0)], R, mass=1e-5), walls=walls, law="lee_herrmann", rotation=False)
    return Simulation(setup, {"gravity": 0.0, "dt": DT, **values})


def way(simulation: Simulation, wall: int = 0) -> Any:
    return simulation.world.walls.moved[wall].copy()


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


@pytest.mark.parametrize("scheme", ["gear5", "velocity_verlet", "leapfrog", "rk4"])
def test_a_wall_of_linear_speed_goes_its_way_exactly(uncompiled: None, scheme: str) -> None:
    """v = v_0 + a t: v_0 T + a T²/2, also if the curve begins between two checks; the middle rule has no error."""
    simulation = still(integrator=scheme)
    simulation.step(17)
    simulation.move_wall(0, ("ramp 0.01 0.05 0 0.01", -0.02))
    simulation.step(433)
    time = 433 * DT
    expected = (0.01 * time + 0.5 * 4.0 * time**2, -0.02 * time)
    assert way(simulation) == pytest.approx(expected, rel=1e-9)
    simulation.step(567)
    assert simulation.world.walls.velocity[0].tolist() == pytest.approx([0.05, -0.02]), "the curve has ended"


def test_a_wall_of_oscillating_speed_comes_back_to_the_error_of_the_middle_rule(uncompiled: None) -> None:
    """∫ v sin ωt dt = (v/ω)(1 − cos ωt) within |v''| HOLD² T/24."""
    simulation, omega = still(), math.tau * 25.0
    simulation.move_wall(1, (0.0, "sine 0 0.02 25"))
    simulation.step(1_000)  # half a period
    expected = 0.02 / omega * 2.0
    bound = 0.02 * omega**2 * HOLD**2 * simulation.time / 24.0
    assert way(simulation, 1)[1] == pytest.approx(expected, abs=bound)
    assert bound < 0.01 * expected


def test_one_curve_is_for_all_components_as_one_number_is(uncompiled: None) -> None:
    simulation = still()
    simulation.move_wall(0, "ramp 0 0.02 0 0.02")
    simulation.step(500)
    assert way(simulation) == pytest.approx([0.5 * 0.01**2] * 2)


def test_a_load_that_follows_a_curve_is_kept_and_ends_with_a_velocity(uncompiled: None) -> None:
    simulation = still()
    simulation.servo_wall(0, force="ramp 1 2 0 0.01", speed=1e-6)
    simulation.step(250)
    assert simulation.world.walls.servo[0, SERVO_FORCE] == pytest.approx(1.0 + 100.0 * (250 * DT + 0.5 * HOLD))
    simulation.step(500)
    assert simulation.world.walls.servo[0, SERVO_FORCE] == 2.0
    simulation.move_wall(0, (0.0, 0.0))
    simulation.step(100)
    assert not simulation.world.walls.servo.any()
    assert not simulation.experiment.run.driven_walls


def test_a_pressure_that_follows_a_curve_is_that_on_the_area_of_the_wall(uncompiled: None) -> None:
    setup = Setup(
        Spheres([(R, 1.0)], R, mass=1e-5),
        walls=[Plane((0.0, 0.0), (0.0, 1.0))],
        law="lee_herrmann",
        rotation=False,
        period=(0.02, 0.0),
    )
    simulation = Simulation(setup, {"gravity": 0.0, "dt": DT})
    simulation.servo_wall(0, pressure="ramp 100 200 0 0.01", speed=1e-6)
    simulation.step(250)
    assert simulation.world.walls.servo[0, SERVO_FORCE] == pytest.approx(0.02 * (100.0 + 1e4 * (250 * DT + 0.5 * HOLD)))


def test_the_clock_goes_on_while_a_wall_follows_a_curve_that_ends(uncompiled: None) -> None:
    simulation = still()
    assert not is_driven(simulation.experiment)
    simulation.move_wall(0, ("ramp 0 0.02 0 0.01", 0.0))
    assert is_driven(simulation.experiment, periodic=False)
    simulation.step(500)
    assert not is_driven(simulation.experiment)
    simulation.move_wall(0, ("sine 0 0.02 25", 0.0))
    assert is_driven(simulation.experiment)
    assert not is_driven(simulation.experiment, periodic=False)


def test_plots_mark_the_curves_that_walls_follow(uncompiled: None) -> None:
    simulation = still()
    simulation.step(50)
    begins = simulation.time
    simulation.move_wall(1, (0.0, "ramp 0 0.02 0 0.01"))
    simulation.servo_wall(0, force="sine 2 1 10", speed=0.1)
    snapshot = Snapshot()
    take_snapshot(simulation.experiment, snapshot)
    edits = Edits(lambda command: None, find=lambda run: None)
    edits.see(snapshot)
    words = ["ramp, velocity y of wall 1: 0 m/s", "ramp, velocity y of wall 1: 20 mm/s", "sine, load of wall 0: 2 N"]
    assert sorted(str(mark.text) for mark in edits.all_marks) == sorted(words)
    assert sorted(mark.time for mark in edits.all_marks) == pytest.approx([begins, begins, begins + 0.01])
    simulation.move_wall(1, (0.0, 0.0))
    take_snapshot(simulation.experiment, snapshot)
    edits.see(snapshot)
    assert [str(mark.text) for mark in edits.all_marks] == words[2:]


@pytest.mark.parametrize(
    "wrong",
    [
        DrivenWall(0, ("ramp 0 1 0 1", 0.0)),
        DrivenWall(7, ("ramp 0 1 0 1 from 0", 0.0)),
        DrivenWall(0, ("ramp 0 1 0 1 from 0",)),
        DrivenWall(0, (1.0, 0.0)),
        DrivenWall(0, (), "ramp 1 1", 1.0),
        DrivenWall(0, (), "ramp 1 2 0 1 from 0", math.nan),
    ],
)
def test_walls_of_a_file_that_no_script_can_have_made_are_impossible(uncompiled: None, wrong: DrivenWall) -> None:
    simulation = still()
    simulation.move_wall(0, ("ramp 0 1 0 1", 0.0))
    run = simulation.experiment.run
    assert not moved_walls.impossible(run)
    run.driven_walls = (wrong,)
    assert moved_walls.impossible(run)


@pytest.mark.parametrize(
    ("velocity", "words"),
    [
        (("ramp 0 1 2 2", 0.0), "velocity = 'ramp 0 1 2 2' is refused: the time 2 s follows 2 s"),
        (("ramp 0 1e200 0 1", 0.0), r"velocity\[1\] = 1e\+200 is refused"),
        (("sine 0 1 5000", 0.0), "a curve has at most"),
        (("ramps 0 1 0 1", 0.0), "velocity = "),
        (("ramp 0 1 0 1", "much"), "velocity = 'much' is refused"),
        (("ramp 0 1 0 1", 0.0, 0.0), "velocity has the shape"),
    ],
)
def test_a_bad_curve_of_a_velocity_is_refused_and_changes_nothing(uncompiled: None, velocity: Any, words: str) -> None:
    simulation = still()
    with pytest.raises(ParameterError, match=words):
        simulation.move_wall(0, velocity)
    assert not simulation.world.walls.velocity.any()
    assert not simulation.experiment.run.driven_walls


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"force": "ramp 1 0 0 1"}, "force = 'ramp 1 0 0 1' is refused: a wall keeps a load above 0 at all times"),
        ({"force": "ramp 1 2 0 1", "pressure": 1.0}, "a wall keeps one of them"),
        ({"force": "much"}, "force = 'much' is refused"),
        ({"force": "steps 0 1"}, "it needs at least two pairs"),
    ],
)
def test_a_bad_curve_of_a_load_is_refused_and_changes_nothing(
    uncompiled: None, given: dict[str, Any], words: str
) -> None:
    simulation = still()
    with pytest.raises(ParameterError, match=words):
        simulation.servo_wall(0, speed=0.1, **given)
    assert not simulation.world.walls.servo.any()
    assert not simulation.experiment.run.driven_walls


def test_a_driven_wall_has_the_same_bits_in_parts_from_a_file_and_going_back(uncompiled: None, tmp_path: Path) -> None:
    whole, parts = still(), still()
    for simulation in (whole, parts):
        simulation.step(17)
        simulation.move_wall(0, ("ramp 0.01 0.05 0 0.01", "sine 0 0.01 20"))
        simulation.servo_wall(1, force="ramp 1 2 0 0.01", speed=1e-3)
    whole.step(600)
    for count in (1, 40, 150, 59):
        parts.step(count)
    parts.save(tmp_path / "run.repose")
    again = Simulation.load(tmp_path / "run.repose")
    assert again.experiment.run.driven_walls == parts.experiment.run.driven_walls
    parts.step(350)
    again.step(350)
    assert whole.state_hash() == parts.state_hash() == again.state_hash()
    assert np.array_equal(way(whole), way(again))
    verdict = verify(saved_copy(again.experiment))
    assert verdict.differs_at is None
    again.apply(Rewind(10))
    assert not again.experiment.run.driven_walls
    again.apply(Rewind(617))
    assert whole.state_hash() == again.state_hash()


def test_a_wall_that_lifts_a_sphere_does_the_work_of_its_weight(uncompiled: None) -> None:
    """A table that is lifted with a speed from 0 to v and back to 0: m g h, and what is booked balances."""
    setup = Setup(
        Spheres([(0.0, R * (1.0 - 1e-4))], R, mass=1e-5),
        walls=[Plane((0.0, 0.0), (0.0, 1.0))],
        law="lee_herrmann",
        rotation=False,
    )
    linear = {"exponent": "linear", "normal_stiffness": 1000.0, "wall_stiffness_factor": 1.0, "normal_damping": 500.0}
    simulation = Simulation(setup, {"gravity": 10.0, "dt": DT, **linear})
    simulation.step(1_000)
    before = simulation.energy()
    simulation.move_wall(0, (0.0, "table 0 0 0.01 0.02 0.02 0"))
    simulation.step(2_000)
    height = 0.5 * 0.02 * 0.02
    assert way(simulation)[1] == pytest.approx(height, rel=1e-9)
    done = simulation.energy()
    assert done.work - before.work == pytest.approx(1e-5 * 10.0 * height, rel=0.01)
    assert abs(done.gap) < 0.01 * (done.work - before.work)


def begun(scene: str, **values: Any) -> Experiment:
    """The course of a scene just begun, without waiting until the grains have settled."""
    experiment = new_experiment(scene, {**scenes()[scene].test_values, **values})
    experiment.run.state.phase = "filled"
    assert not apply(experiment, Act("start"))
    advance(experiment, CHECK_STEPS)
    assert experiment.phase == "flowing"
    return experiment


def test_a_drum_turns_by_the_integral_of_its_speed() -> None:
    """ω = ω_0 + a t in the first stage: every held speed is that in the middle of its time, the first one included."""
    experiment = begun("drum", stage_time=0.1, slowest="ramp 1 5 0 0.4", dt=DT)
    advance(experiment, 90 * CHECK_STEPS)
    since, now = experiment.run.state.since, experiment.time
    expected = (now - since) + 0.5 * 10.0 * (now**2 - since**2)
    assert experiment.run.state.turned == pytest.approx(expected, rel=1e-9)
    lines = drum.ring(experiment.run.built, expected)
    assert experiment.run.world.walls.corner[:, 0] == pytest.approx(lines[:, 0], abs=1e-9)
    time = experiment.run.state.columns["time"]
    evaluated = time[time >= drum.STEADY * 0.1]
    mean = 1.0 + 10.0 * (since + 0.5 * (evaluated[0] + evaluated[-1]))
    assert drum.stages(experiment)["speed"][0] == pytest.approx(mean, rel=1e-6)


def test_a_chirp_keeps_the_phase_of_the_box_continuous() -> None:
    """φ = 2π (f_0 t + a t²/2) for f = f_0 + a t, exactly at every check; the place s + A (1 − cos φ) does not jump."""
    experiment = begun("brazil_nut", frequency="ramp 10 30 0 0.2", shaking=1.0, duration=1.0, dt=DT)
    built, state = experiment.run.built, experiment.run.state
    since, places = state.since, []
    for _ in range(150):
        advance(experiment, CHECK_STEPS)
        places.append(float(experiment.run.world.walls.moved[0, 1]))
    now = experiment.time
    expected = math.tau * (10.0 * (now - since) + 0.5 * 100.0 * (now**2 - since**2))
    assert state.angle.at(now - since) == pytest.approx(expected, rel=1e-9)
    assert places[-1] == pytest.approx(state.lowest + state.amplitude * (1.0 - math.cos(expected)), abs=1e-9)
    fastest = built.gravity / (math.tau * 10.0)  # Γ g/(2π f)
    assert max(abs(after - before) for before, after in pairwise(places)) < 1.05 * fastest * HOLD
    assert abs(expected - math.tau * experiment.parameters.frequency * (now - since)) > 1.0, "f(t) t is another phase"


def test_a_box_whose_acceleration_changes_by_hand_does_not_jump() -> None:
    experiment = begun("brazil_nut", frequency=20.0, shaking=1.0, duration=1.0, dt=DT)
    advance(experiment, 20 * CHECK_STEPS)
    walls = experiment.run.world.walls
    before = float(walls.moved[0, 1])
    assert before > 0.2 * experiment.run.state.amplitude
    assert not apply(experiment, SetParameters({"shaking": 3.0}))
    advance(experiment, CHECK_STEPS)
    fastest = 3.0 * experiment.parameters.gravity / (math.tau * 20.0)
    assert abs(float(experiment.run.world.walls.moved[0, 1]) - before) < fastest * HOLD
    assert not experiment.scene.course.outcomes(experiment)


@pytest.mark.parametrize("scene", ["biaxial", "triaxial"])
def test_a_press_shortens_by_the_integral_of_its_strain_rate(scene: str) -> None:
    """ε̇_0 t + a t²/2 of the height at the beginning."""
    experiment = begun(scene, strain_rate="ramp 0.1 0.5 0 0.1", dt=DT)
    state = experiment.run.state
    advance(experiment, 60 * CHECK_STEPS)
    since, now = state.since, experiment.time
    expected = 0.1 * (now - since) + 0.5 * 4.0 * (now**2 - since**2)
    assert 1.0 - press.size(experiment.run.world)[-1] / state.height == pytest.approx(expected, rel=1e-6)
    assert experiment.run.world.walls.servo[2, SERVO_FORCE] > 0.0


def test_the_sides_of_a_press_get_the_force_of_a_pressure_that_rises() -> None:
    experiment = begun("biaxial", pressure="ramp 10 15 0 0.02", dt=DT)
    for _ in range(3):
        advance(experiment, 10 * CHECK_STEPS)
        plate = experiment.run.world.walls.servo[2, SERVO_FORCE] / press.size(experiment.run.world)[-1]
        asked = 10.0 + 250.0 * min(experiment.time + 0.5 * HOLD, 0.02)
        # The section is that of the present check; the plate has moved on by 1/1000 at most.
        assert plate == pytest.approx(asked * (1.0 - experiment.run.state.eased), rel=2e-3)
    wanted = experiment.run.state.columns["wanted"]
    assert 10.0 < wanted[0] < wanted[-1] <= 15.0


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_sides_of_a_press_keep_a_pressure_that_rises() -> None:
    experiment = new_experiment("biaxial", scenes()["biaxial"].test_values | {"strain_rate": 0.1})
    while experiment.phase == "filling":
        advance(experiment, CHECK_STEPS)
    assert not apply(experiment, Act("start"))
    advance(experiment, CHECK_STEPS)
    assert not apply(experiment, SetParameters({"pressure": "ramp 10 15 0 0.15"}))
    while experiment.phase != "rested" and experiment.fault is None:
        advance(experiment, CHECK_STEPS)
    assert experiment.parameters.pressure == 15.0
    assert press.side_pressure(experiment) == pytest.approx(1.0, abs=0.05)


def test_a_pressure_by_hand_prepares_the_sample_anew_until_the_press_has_begun() -> None:
    experiment = new_experiment("biaxial", scenes()["biaxial"].test_values)
    advance(experiment, 10 * CHECK_STEPS)
    assert not apply(experiment, SetParameters({"pressure": 20.0}))
    assert (experiment.step, experiment.run.built.pressure) == (0, 20.0)
    advance(experiment, 10 * CHECK_STEPS)
    assert not apply(experiment, SetParameters({"pressure": "ramp 10 20 0 1"}))
    assert (experiment.step, experiment.parameters.curves["pressure"].begins) == (0, 0.0)
    experiment = begun("biaxial")
    assert not apply(experiment, SetParameters({"pressure": 20.0}))
    assert experiment.step > 0
    advance(experiment, CHECK_STEPS)
    plate = experiment.run.world.walls.servo[2, SERVO_FORCE] / press.size(experiment.run.world)[-1]
    assert plate == pytest.approx(20.0 * (1.0 - experiment.run.state.eased), rel=0.01)


def test_the_bottom_of_a_column_and_a_container_follow_their_speed() -> None:
    experiment = begun("janssen", lowering_speed=0.01, dt=DT)
    experiment.run.state.lowering = True
    assert not apply(experiment, SetParameters({"lowering_speed": 0.005}))
    advance(experiment, CHECK_STEPS)
    assert experiment.run.world.walls.velocity[0, 1] == -0.005
    lifted = new_experiment("clumps", scenes()["clumps"].test_values | {"lift_speed": "ramp 0.1 0.3 0 0.1", "dt": DT})
    lifted.run.state.phase = "flowing"
    walls = lifted.run.world.walls
    walls.velocity[1:, 2] = 0.1
    advance(lifted, 20 * CHECK_STEPS)
    time = lifted.time
    first = 0.1 * HOLD  # until the first check it has the speed of the beginning
    expected = first + 0.1 * (time - HOLD) + 0.5 * 2.0 * (time**2 - HOLD**2)
    assert lifted.run.world.walls.moved[1, 2] == pytest.approx(expected, rel=1e-9)
    assert lifted.run.world.walls.moved[0, 2] == 0.0, "the plate stays"


def test_the_end_of_a_thread_goes_the_integral_of_its_speed_and_does_not_jump() -> None:
    values = scenes()["hoisted"].test_values | {"hoist_speed": "ramp 0.1 0.3 0 0.2"}
    experiment = new_experiment("hoisted", values)
    assert not apply(experiment, Act("run"))
    start = experiment.run.built.thread_end(2)[0][1]
    places = []
    for _ in range(40):
        advance(experiment, CHECK_STEPS)
        coefficients = experiment.coefficients.fields[1]
        places.append(coefficients.end[1] + coefficients.velocity[1] * experiment.time - start)
    hold, time = CHECK_STEPS * experiment.dt, experiment.time
    expected = 0.1 * time + 0.5 * 1.0 * time**2
    # The first value holds until the first check: 1.0 m/s² times hold²/2 is missing.
    assert places[-1] == pytest.approx(expected, abs=0.51 * hold**2)
    assert max(after - before for before, after in pairwise(places)) < 0.3 * hold


def test_a_table_of_changing_frequency_gives_a_free_sphere_the_speed_of_its_phase(uncompiled: None) -> None:
    """In the frame of the table v = −∫ A w² cos φ dt with φ = ∫ w dt, w = w_0 + a t: by quadrature."""
    values = {"gravity": 0.0, "dt": DT, "shake_amplitude": 1e-3, "shake_frequency": "ramp 10 40 0 0.1"}
    setup = Setup(Spheres([(0.0, 1.0)], R, mass=1e-5), law="lee_herrmann", rotation=False, fields=("shaker",))
    simulation = Simulation(setup, values)
    simulation.step(4_000)
    until = simulation.time
    t = np.linspace(0.0, until, 200_001)
    w, phase = math.tau * (10.0 + 300.0 * t), math.tau * (10.0 * t + 150.0 * t**2)
    expected = -float(np.trapezoid(1e-3 * w**2 * np.cos(phase), t))
    # A held w differs by at most 2π 300 HOLD/2, and w² by 2 w times this, in turn to both sides.
    bound = 1e-3 * 2.0 * w[-1] * math.tau * 300.0 * HOLD / 2.0 * HOLD * 4.0
    assert simulation.velocity[0, 1] == pytest.approx(expected, abs=bound)
    wrong = -float(np.trapezoid(1e-3 * w**2 * np.cos(w * t), t))
    assert abs(wrong - expected) > 5.0 * bound, "a phase f(t) t fails"


def test_a_thread_and_a_table_continue_from_a_file_with_the_same_bits(tmp_path: Path) -> None:
    from repose.sim.experiment import saved_run
    from repose.sim.experiment.changes import resumed_experiment
    from repose.sim.experiment.results import state_hash

    for scene, values in (
        ("hoisted", {"hoist_speed": "ramp 0.1 0.3 0 0.2"}),
        ("brazil_nut", {"frequency": "ramp 10 30 0 0.2", "shaking": "sine 1 0.5 5"}),
        ("drum", {"slowest": "ramp 1 5 0 0.4"}),
    ):
        experiment = new_experiment(scene, scenes()[scene].test_values | values)
        assert not apply(experiment, Act("run"))
        if scene != "hoisted":
            experiment.run.state.phase = "filled"
        advance(experiment, 1_013)
        saved_run.save(saved_copy(experiment), tmp_path / "run.repose")
        again = resumed_experiment(saved_run.load(tmp_path / "run.repose"))
        for one in (experiment, again):
            advance(one, 1_500)
        assert state_hash(experiment.run) == state_hash(again.run)
        assert experiment.run.ways == again.run.ways
        if scene == "hoisted":
            assert verify(saved_copy(again)).differs_at is None


def test_a_heap_is_tilted_by_the_integral_of_the_rate() -> None:
    """ω_0 t + a t²/2; the first value holds until the first check, and a HOLD²/2 is missing."""
    experiment = new_experiment("heap", {"tilt_rate": "ramp 0.1 0.3 0 0.1"}, ready="column")
    experiment.run.state.phase = "rested"
    tilt_and_trickle.start_tilting(experiment)
    begin, hold = experiment.time, CHECK_STEPS * experiment.dt
    advance(experiment, 20 * CHECK_STEPS)
    assert experiment.phase == "tilting"
    time = experiment.time - begin
    expected = 0.1 * time + 0.5 * 2.0 * time**2
    assert experiment.run.state.other.turned == pytest.approx(expected, abs=1.01 * hold**2)
    assert 2.0 * time**2 - 0.5 * 2.0 * time**2 > 10.0 * hold**2, "rate times time fails"


@pytest.mark.parametrize("name", sorted(scenes()))
def test_every_number_that_drives_takes_a_curve_and_every_other_says_why_not(name: str) -> None:
    """What acts during a run takes a curve; sizes, counts, widths and durations do not."""
    parameters = scenes()[name].parameters
    for entry in parameters.declared().values():
        if entry.kind not in ("float", "int") or entry.low is None or entry.high is None:
            continue
        value = entry.default if not isinstance(entry.default, str) else entry.low
        text = f"ramp {value!r} {value!r} 0 1"
        if entry.quantity.effect in ("now", "ramp", "prepare") and not entry.choices:
            assert entry.name in parameters.checked({entry.name: text}).curves
        else:
            with pytest.raises(ParameterError, match="this parameter has no curve, because") as refusal:
                parameters.checked({entry.name: text})
            assert str(refusal.value).count(". ") == 0
