"""The state of a timed scene: copied for checkpoints, written to run files, read back, and continued bit by bit."""

from __future__ import annotations

import io
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim import registry
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.run import RestartPoint
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.io.archive import ArchiveError
from repose.sim.io.plain import as_json, decode
from repose.sim.message import plain
from repose.sim.registry import scenes
from repose.sim.scenes.common.course_records import keep_record, records_flaw
from repose.sim.scenes.common.phases import phase_in_words
from repose.sim.scenes.common.timed_course import CourseState

from tests.english import english

TIMED = sorted(name for name, scene in scenes().items() if issubclass(scene.state_type, CourseState))


def recorded(scene: str) -> Experiment:
    """A run of the small form of a scene with at least three records."""
    experiment = new_experiment(scene, dict(scenes()[scene].test_values))
    apply(experiment, Act("run"))
    while len(experiment.run.state.columns.get("time", ())) < 3:
        assert advance(experiment, CHECK_STEPS) == CHECK_STEPS
    return experiment


def written(experiment: Experiment) -> bytes:
    out = io.BytesIO()
    saved_run.write(saved_copy(experiment), out)
    return out.getvalue()


def numbered_keys(plain: Any) -> list[str]:
    """The keys with a number in them, in data as in a file."""
    inner = plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list) else ()
    own = [key for key in plain if any(map(str.isdigit, key))] if isinstance(plain, dict) else []
    return [*own, *(key for part in inner for key in numbered_keys(part))]


def test_scenes_of_bodies_of_discs_and_of_single_spheres_are_timed() -> None:
    assert {"silo", "two_sided", "rod", "satellite", "bounce", "slope", "impacts"} <= set(TIMED)


@pytest.mark.parametrize("scene", TIMED)
def test_a_timed_scene_continues_from_its_file_with_the_same_bits_and_records(scene: str) -> None:
    one = recorded(scene)
    blob = written(one)
    other = resumed_experiment(saved_run.read(io.BytesIO(blob)))
    assert as_json(other.run.state) == as_json(one.run.state)
    assert written(other) == blob
    assert not numbered_keys(as_json(one.run.state)), "a table is an array or a list of records"
    for experiment in (one, other):
        advance(experiment, 20 * CHECK_STEPS)
    assert state_hash(other.run) == state_hash(one.run)
    assert as_json(other.run.state) == as_json(one.run.state)


@pytest.mark.parametrize("scene", TIMED)
def test_a_restart_point_shares_no_record_and_no_number_with_the_run(scene: str) -> None:
    experiment = recorded(scene)
    point = RestartPoint.of(experiment.parameters, experiment.run)
    before = as_json(point.run.state)
    again = point.restored()
    for state in (experiment.run.state, again.state):
        for rows in state.columns.values():
            rows[:] = -1.0
        keep_record(state.columns, {name: np.full(rows.shape[1:], -2.0) for name, rows in state.columns.items()})
    assert as_json(point.run.state) == before


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda state: state.columns.update(time=state.columns["time"][::-1].copy()), "columns"),
        (lambda state: state.columns.update(passed=state.columns["passed"][1:].copy()), "columns"),
        (lambda state: state.columns.pop("time"), "columns"),
        (lambda state: setattr(state, "last", np.nan), "numbers"),
        (lambda state: setattr(state, "since", -1.0), "since"),
    ],
)
def test_a_file_with_an_impossible_state_is_refused_and_names_the_part(change: Any, part: str) -> None:
    experiment = recorded("silo")
    assert not experiment.scene.course.invalid_state(experiment.run.state, experiment.run.world, experiment.run.built)
    change(experiment.run.state)
    with pytest.raises(ArchiveError, match=f"The file's {part} cannot have this value in the scene 'silo'"):
        saved_run.read(io.BytesIO(written(experiment)))


def test_a_run_of_the_version_before_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_run, "FORMAT", 9)
    blob = written(recorded("silo"))
    monkeypatch.undo()
    with pytest.raises(ArchiveError) as caught:
        saved_run.read(io.BytesIO(blob))
    assert str(caught.value) == (
        "The file is a run of the scene 'silo', whose records have another form in this program. It was saved by an "
        "older version: use that version, or start again with the same parameters and seed."
    )


def test_a_phase_without_words_of_its_own_has_its_label() -> None:
    experiment = new_experiment("silo", dict(scenes()["silo"].test_values))
    assert english(phase_in_words(experiment, {}, 0.5)) == ("filling", "filling", 0.5)
    words = {"filling": lambda experiment: plain("grains settling")}
    assert english(phase_in_words(experiment, words)) == ("filling", "grains settling", None)


def test_a_number_in_a_key_is_found() -> None:
    assert numbered_keys({"portions": [{"force": 1.0}], "numbers": {"left error 3": 0.1}}) == ["left error 3"]


def test_rows_that_are_recorded_never_move_and_may_have_one_number_per_body() -> None:
    columns: dict[str, Any] = {}
    keep_record(columns, {"time": 0.0, "height": [1.0, 2.0]})
    first = columns["height"]
    for time in range(1, 200):
        keep_record(columns, {"time": time, "height": [time, -time]})
    np.testing.assert_array_equal(first, [[1.0, 2.0]])
    np.testing.assert_array_equal(columns["time"], np.arange(200.0))
    assert columns["height"].shape == (200, 2)
    assert not records_flaw(columns)


@pytest.fixture
def collapse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """The name of a scene of discs with a question in the plug-in folder."""
    shutil.copy(Path(__file__).with_name("collapse.py"), tmp_path)
    monkeypatch.setenv(registry.FOLDER, str(tmp_path))
    registry.forget_plugins()
    yield "collapse"
    monkeypatch.undo()
    registry.forget_plugins()


def test_a_scene_of_discs_outside_the_tree_settles_runs_answers_and_is_saved_with_a_state_of_its_own(
    collapse: str,
) -> None:
    one = recorded(collapse)
    assert one.run.state.width > 0.0
    other = resumed_experiment(saved_run.read(io.BytesIO(written(one))))
    results = [run_experiment(experiment, under_way=True) for experiment in (one, other)]
    assert results[0] == results[1]
    assert results[0]["complaint"] is None
    assert results[0]["run_out"] > 0.3
    assert (
        results[0]["answer"] == str(one.message) == f"The front runs {results[0]['run_out']:.2f} widths of the column."
    )
    assert [action.name for action in one.scene.course.actions(one)] == ["start", "reset", "run"]
    one.run.state.columns["front"][-1] = 0.0
    assert "run-out over the aspect ratio" in str(one.scene.course.check(one))


def shown_velocity(experiment: Experiment) -> Any:
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    return snapshot.grains.velocity


def test_bodies_that_are_held_at_the_end_are_shown_with_the_velocity_that_they_had() -> None:
    """The arrows vanished with the answer that says how fast a body flies off."""
    experiment = new_experiment("cube", {"duration": 0.1})
    run_experiment(experiment)
    assert not experiment.run.world.motion[:, 1].any(), "held where they are"
    speed = np.abs(shown_velocity(experiment)).max()
    assert speed == pytest.approx(np.abs(experiment.run.state.columns["particle_speed"][-1]), rel=0.01)
    reopened = resumed_experiment(saved_run.read(io.BytesIO(written(experiment))))
    assert (shown_velocity(reopened) == shown_velocity(experiment)).all()
    apply(experiment, Act("reset"))
    assert not shown_velocity(experiment).any()


def test_a_run_file_of_a_version_without_held_velocities_is_read() -> None:
    experiment = recorded("cube")
    state = as_json(experiment.run.state)
    del state["held"]
    assert decode(type(experiment.run.state), state, {}, "state").held.size == 0
