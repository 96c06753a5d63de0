"""The method of large particles: what each scene says of its outcome, and that its check complains where it must."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest
from repose.sim import registry
from repose.sim.engine.world import World
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import shown_readings
from repose.sim.fields import hoist
from repose.sim.io.json_text import json_text
from repose.sim.measure.display import Outcome
from repose.sim.measure.measurement import Measurement
from repose.sim.registry import scenes
from repose.sim.scenes.large_particles import hoisted, particles
from repose.sim.scenes.large_particles.afloat import AfloatParameters

from tests.english import english

NAMES = [name for name, scene in scenes().items() if scene.group == "bodies"]


def ran(scene: str, **values: Any) -> Experiment:
    experiment = new_experiment(scene, {**scenes()[scene].test_values, **values})
    run_experiment(experiment)
    return experiment


def test_all_eleven_tasks_are_there() -> None:
    assert sorted(NAMES) == sorted(
        ("rod", "cube", "beam", "raft", "log", "hoisted", "projectile", "capture", "column", "rake", "satellite")
    )


def found(experiment: Experiment) -> tuple[Outcome, ...]:
    return experiment.scene.course.outcomes(experiment)


@pytest.mark.slow
@pytest.mark.parametrize("scene", NAMES)
def test_every_scene_at_its_default_size_has_the_outcome_that_it_states(scene: str) -> None:
    experiment = new_experiment(scene, {})
    assert run_experiment(experiment)["complaint"] is None
    assert experiment.fault is None


@pytest.mark.parametrize("course", ["leaves", "strikes"])
def test_cube_and_particle_keep_momentum_and_angular_momentum(course: str) -> None:
    experiment = ran("cube", course=course)
    assert not scenes()["cube"].course.check(experiment)
    columns = experiment.run.state.columns
    assert columns["cube_speed"][-1] > 0.0
    assert columns["particle_speed"][-1] < columns["cube_speed"][-1]
    columns["angular_momentum"][-1] *= 1.001
    columns["angular_momentum"][-1] += 1e-9
    assert "angular momentum" in str(scenes()["cube"].course.check(experiment))


@pytest.mark.parametrize("scene", NAMES)
def test_every_scene_in_its_small_form_has_every_outcome_that_it_states(scene: str) -> None:
    experiment = ran(scene)
    assert {entry.statement: (entry.found, entry.expected) for entry in found(experiment) if not entry.holds} == {}
    assert not experiment.scene.course.check(experiment)
    outcomes = experiment.scene.course.results(experiment)["outcomes"]
    assert all(entry["holds"] is True for entry in json.loads(json_text(outcomes)))
    answer = experiment.scene.course.find_answer(experiment)
    assert answer is not None
    assert str(answer.words) == str(experiment.message), "the end of the run says it"
    assert experiment.message_repeats, "and the window not a second time"
    assert str(answer.words).endswith(".")
    assert re.search(r"\d", str(answer.words)), "a number"


@pytest.mark.parametrize(
    ("scene", "values", "complaint"),
    [
        ("rod", {"duration": 0.1}, "upper one"),
        ("rod", {"speed": 0.0, "gravity": 0.0, "duration": 0.1}, "deformed"),
        ("cube", {"gravity": 1.0}, "the momentum stays"),
        ("cube", {"course": "strikes", "bond_stiffness": 30.0, "bond_viscosity": 0.0}, "keeps its shape"),
        ("raft", {"duration": 0.1}, "comes to rest"),
        ("raft", {"heavy_density": 2500.0, "duration": 0.1}, "sinks to the bottom"),
        ("log", {"liquid_viscosity": 0.0, "drag_coefficient": 0.0}, "comes to rest"),
        ("hoisted", {"duration": 0.5}, "leaves the liquid"),
        ("projectile", {"projectile_side": 9, "bond_viscosity": 5.0}, "pushes the projectile back"),
        ("capture", {"pull_off_force": 0.0, "bond_viscosity": 0.5}, "one body"),
        ("column", {"width": 2.0}, "reaches the right wall"),
        ("rake", {"normal_viscosity": 2.0}, "rises first"),
        ("satellite", {"duration": 0.2}, "sense of the orbit"),
        ("satellite", {"bond_viscosity": 0.0}, "oscillations about that rate are damped"),
    ],
)
def test_a_run_without_an_outcome_is_told_so(scene: str, values: dict[str, Any], complaint: str) -> None:
    experiment = ran(scene, **values)
    missed = [entry for entry in found(experiment) if not entry.holds]
    assert any(complaint in str(entry.statement) for entry in missed)
    assert str(missed[0].statement) in str(experiment.scene.course.check(experiment))


def test_outcomes_are_told_at_the_end_only() -> None:
    experiment = new_experiment("cube", scenes()["cube"].test_values)
    apply(experiment, Act("run"))
    advance(experiment, 1000)
    assert found(experiment) == ()
    assert "did not reach its end" in str(experiment.scene.course.check(experiment))


def test_a_particle_that_is_attracted_sticks_and_turns_with_the_cube() -> None:
    experiment = ran("cube", course="strikes", pull_off_force=20.0, bond_viscosity=4.0)
    assert not scenes()["cube"].course.check(experiment)
    columns = experiment.run.state.columns
    assert columns["gap"][-1] < 2e-3
    assert columns["spin"][-1] == pytest.approx(columns["common_spin"][-1], rel=0.05)


@pytest.mark.parametrize(
    ("scene", "values", "words"),
    [
        ("cube", {"course": "strikes"}, "of its speed"),
        ("cube", {"course": "strikes", "pull_off_force": 20.0, "bond_viscosity": 4.0}, "about their common centre"),
        ("raft", {"heavy_density": 2500.0}, "The heavy side is the first"),
        ("raft", {"heavy_density": 2500.0, "duration": 0.05}, "not reached the bottom"),
        ("beam", {"load": 0.0, "weakness": 1.0, "bond_strength": 0.3, "duration": 0.1}, "does not break"),
        ("column", {"width": 2.0}, "has come"),
        ("rake", {"duration": 0.1}, "and not at the right wall"),
    ],
)
def test_the_answer_of_a_task_is_that_of_the_run(scene: str, values: dict[str, Any], words: str) -> None:
    answer = (experiment := ran(scene, **values)).scene.course.find_answer(experiment)
    assert answer is not None
    assert words in str(answer.words)


@pytest.mark.parametrize(
    ("values", "name"),
    [({}, "its centre"), ({"course": "strikes", "pull_off_force": 20.0, "bond_viscosity": 4.0}, "common centre")],
)
def test_the_path_beside_the_cube_is_a_straight_line_with_a_name(values: dict[str, Any], name: str) -> None:
    (track,) = (experiment := ran("cube", **values)).scene.view.tracks(experiment)
    assert name in str(track.name)
    along = track.points[-1] - track.points[0]
    offset = track.points - track.points[0]
    across = np.abs(offset[:, 0] * along[1] - offset[:, 1] * along[0]) / np.hypot(*along)
    assert across.max() < (1e-9 if values else 2e-3), "the centre alone is pushed for as long as the contact lasts"


@pytest.mark.parametrize(("course", "least"), [("leaves", 0.35), ("strikes", 0.45)])
def test_the_cube_fills_the_frame_of_its_course(course: str, least: float) -> None:
    experiment = new_experiment("cube", {"course": course})
    low, high = map(np.array, experiment.scene.view.focus(experiment))
    position = experiment.run.world.motion[:2, 0]
    assert (position.min(1) > low).all()
    assert (position.max(1) < high).all()
    across, up = high - low
    frame = max(up, across * 9.0 / 16.0)
    cube = float(np.ptp(position[1, :-1]))
    assert cube / frame > least


def test_a_beam_without_a_load_does_not_break() -> None:
    experiment = ran("beam", load=0.0, weakness=1.0, bond_strength=0.3, duration=0.1)
    assert experiment.run.state.columns["broken"][-1] == 0.0
    assert "breaks in two" in str(scenes()["beam"].course.check(experiment))


def test_a_body_heavier_than_the_liquid_sinks_to_the_bottom() -> None:
    experiment = ran("raft", heavy_density=2500.0)
    assert not scenes()["raft"].course.check(experiment)
    assert experiment.run.state.columns["lowest"][-1] == pytest.approx(-0.1, abs=5e-3)


def test_without_internal_friction_the_spin_of_the_satellite_does_not_reverse() -> None:
    experiment = ran("satellite", bond_viscosity=0.0, first_spin=30.0, near=0.5)
    assert "sense of the orbit" in str(scenes()["satellite"].course.check(experiment))


def test_particles_rest_until_they_are_started_and_a_reset_brings_them_back() -> None:
    experiment = new_experiment("rod", scenes()["rod"].test_values)
    position = experiment.run.world.motion[:2, 0].copy()
    advance(experiment, 100)
    assert np.array_equal(experiment.run.world.motion[:2, 0], position)
    apply(experiment, Act("run"))
    advance(experiment, 100)
    assert not np.array_equal(experiment.run.world.motion[:2, 0], position)
    assert not apply(experiment, SetParameters({"bond_stiffness": 5e3, "bond_viscosity": 0.4}))
    advance(experiment, 100)
    assert experiment.fault is None
    apply(experiment, Act("reset"))
    assert experiment.phase == "empty"
    assert np.array_equal(experiment.run.world.motion[:2, 0], position)


def test_a_lattice_has_six_neighbours_and_a_balanced_body_stays_at_rest() -> None:
    world = particles.with_body(particles.new_world(), particles.lattice(5, 5), 1e-3, 0)
    inner = [12]
    ends = np.concatenate([world.bonds.i, world.bonds.j])
    assert np.bincount(ends)[inner] == 6
    experiment = ran("capture", speed=0.1, duration=0.1)  # the projectile does not reach the target
    assert np.abs(experiment.run.state.columns["target_speed"]).max() < 1e-9
    assert experiment.run.world.ledger.sum() < 1e-15


def test_a_thread_pulls_while_it_is_longer_than_its_length_and_never_pushes() -> None:
    class At:
        velocity, spin, id = (0.0, 0.0), (), 3

        def __init__(self, y: float) -> None:
            self.position = (0.0, y)

    numbers = hoist.Hoist((0.0, 1.0), (0.0, 0.5), 3, 0.4, 100.0, 0.0)
    # After 2 s the end is at 2 m: the thread reaches down to 1.6 m.
    pull = hoist.force(numbers, At(1.5), 2.0)
    assert pull.force == pytest.approx((0.0, 10.0))
    assert hoist.force(numbers, At(1.7), 2.0).force == (0.0, 0.0)
    assert hoist.force(numbers._replace(sphere=4), At(1.5), 2.0).force == (0.0, 0.0)
    assert math.copysign(1.0, hoist.force(numbers, At(3.0), 2.0).force[1]) == -1.0


@pytest.mark.parametrize("scene", NAMES)
def test_the_ends_of_every_slider_of_the_lecture_are_stable(scene: str) -> None:
    declared = scenes()[scene].parameters.declared()
    for name in scenes()[scene].lecture:
        for value in (declared[name].low, declared[name].high):
            if value is not None:
                experiment = ran(scene, **{"duration": 0.05, name: value})
                assert experiment.fault is None, f"{name} = {value}: {experiment.fault}"
                found(experiment)


@pytest.mark.parametrize(
    ("scene", "label"),
    [("projectile", "restitution"), ("satellite", "mean spin of the last third")],
)
def test_a_result_is_read_only_once_it_means_something(scene: str, label: str) -> None:
    experiment = new_experiment(scene, scenes()[scene].test_values)
    apply(experiment, Act("run"))
    advance(experiment, CHECK_STEPS)
    assert label not in english({entry.label for entry in experiment.scene.course.readings(experiment)})
    run_experiment(experiment, under_way=True)
    found = next(entry for entry in experiment.scene.course.readings(experiment) if str(entry.label) == label)
    bound = (0.0, 1.0) if scene == "projectile" else (1.2 * found.expected, 0.8 * found.expected)
    assert bound[0] < found.value < bound[1]


def test_the_log_is_not_built_anew_at_every_record_and_change_of_the_time_step(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[float] = []
    afloat = hoisted.set_afloat

    def counted(world: World, parameters: AfloatParameters) -> World:
        built.append(parameters.liquid_level)
        return afloat(world, parameters)

    monkeypatch.setattr(hoisted, "set_afloat", counted)
    experiment = ran("hoisted", log_density=555.0, duration=0.5)
    assert len(experiment.run.state.columns["time"]) > 10
    assert len(built) < 10


def test_bodies_that_stay_together_have_no_restitution_but_spins() -> None:
    experiment = ran("capture")
    found = {str(entry.label): entry.value for entry in experiment.scene.course.readings(experiment)}
    assert "restitution" not in english(found)
    assert found["spin of the projectile"] == pytest.approx(found["spin of the target"], rel=0.2)


def test_what_tells_something_of_grains_only_is_not_shown_beside_a_liquid(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {
        name: Measurement(name, name, "", "", lambda system: 1.0, of_grains=name == "packing")
        for name in ("packing", "speed")
    }
    monkeypatch.setattr(registry, "measurements", lambda: found)
    for scene, shown in (("column", {"speed"}), ("joined", {"packing", "speed"})):
        experiment = new_experiment(scene, scenes()[scene].test_values)
        assert {str(reading.label).strip() for reading in shown_readings(experiment)} == shown


def test_a_thread_of_no_length_is_drawn() -> None:
    experiment = new_experiment("hoisted", {**scenes()["hoisted"].test_values, "thread_length": 0.0})
    lines = experiment.scene.view.facets(experiment)
    assert lines is not None
    assert np.isfinite(lines).all()


@pytest.mark.parametrize(
    ("found", "expected", "tolerance", "unit", "words"),
    [
        (1.0466, 1.0466, 0.0209, "N", ("1.047 N", "1.047 ± 0.021 N")),
        (0.1502, 0.15, 0.0075, "m/s", ("150.2 mm/s", "150.0 ± 7.5 mm/s")),
        (-1e-5, 0.0, 0.0026, "m", ("0.0 mm", "0.0 ± 2.6 mm")),
        (0.981, 1.0, 0.02, "", ("0.981", "1.000 ± 0.020")),
    ],
)
def test_a_number_beside_its_tolerance_has_the_decimals_of_the_tolerance(
    found: float, expected: float, tolerance: float, unit: str, words: tuple[str, str]
) -> None:
    outcome = particles.equals("x", "x", found, expected, tolerance, unit)
    assert english((outcome.found, outcome.expected)) == words
    assert outcome.holds


@pytest.mark.parametrize("scene", ["projectile", "capture"])
def test_the_plot_of_velocities_has_the_line_of_the_common_velocity(scene: str) -> None:
    experiment = new_experiment(scene, scenes()[scene].test_values)
    velocity = next(curve for curve in experiment.scene.view.curves(experiment) if curve.name == "velocity")
    assert english([line.label for line in velocity.lines]) == ["projectile", "target", "both as one body"]


def test_a_closed_form_for_a_plot_that_does_not_exist_is_an_error() -> None:
    """A wrong name of a plot would otherwise remove the line from the picture."""
    experiment = new_experiment("raft", scenes()["raft"].test_values)
    curves = particles.plotted((), lambda experiment: {"displaced": ()})
    with pytest.raises(ValueError, match="displaced"):
        curves(experiment)


def test_the_rod_has_one_angle_in_reading_outcome_and_answer() -> None:
    experiment = ran("rod")
    answer = experiment.scene.course.find_answer(experiment)
    assert answer is not None
    reading = next(entry for entry in experiment.scene.course.readings(experiment) if entry.name == "turned_by")
    outcome = next(entry for entry in found(experiment) if entry.name == "turns_over")
    assert answer.value > 0.0
    assert reading.value == pytest.approx(answer.value, abs=0.05)
    assert str(reading.label) == "turned clockwise by"
    assert f"clockwise by {answer.value:.0f}°" in str(answer.words)
    assert str(outcome.found) == f"turned clockwise by {answer.value:.0f}°"
    columns = experiment.run.state.columns
    columns["angle"][-1] += 1.0
    again = experiment.scene.course.find_answer(experiment)
    assert again == answer, "what the rod does after the second strike does not count"


def test_a_body_that_floats_at_rest_ends_the_run_before_its_duration() -> None:
    experiment = ran("raft", duration=4.0)
    assert experiment.time < 3.0
    assert all(entry.holds for entry in found(experiment)), "its result is final"
    __, label, __ = experiment.scene.course.describe(experiment)
    assert str(label) == f"ran for {experiment.run.state.columns['time'][-1]:.3g} s"
    velocity = experiment.run.state.columns["velocity"]
    late = experiment.run.state.columns["time"] > experiment.time - 0.4
    assert np.abs(velocity[late]).max() < 0.02 * np.abs(velocity).max()


def test_a_body_that_still_moves_does_not_end_the_run() -> None:
    assert ran("raft", duration=0.2).time == pytest.approx(0.2, rel=0.01)
