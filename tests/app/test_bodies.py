"""Bodies of large particles in the picture: bonds, parts, paths, liquids, the task with its outcomes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from repose.app.render.camera import NO_INSET, Camera2D
from repose.app.render.colours import PARTS, Ranges, part_colour, shown_as, to_linear
from repose.app.render.director import film_colour
from repose.app.render.film_words import MOST_OUTCOMES, film_words
from repose.app.render.passes import Frame, make_frame
from repose.app.render.passes import bonds as bonds_pass
from repose.app.render.passes import liquid_surface as liquid_pass
from repose.app.render.passes import tracks as tracks_pass
from repose.app.storage.view_settings import View
from repose.app.ui.panels import task
from repose.app.ui.pause_and_speed import describe_pace
from repose.app.ui.places import TaskArea
from repose.app.window.camera_control import CameraControl
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Message
from repose.sim.registry import scenes

from tests.app.real_runs import course, finished, shot
from tests.app.ui.panels.panel_harness import open_harness
from tests.snapshots import with_fields

SIZE = (640, 360)


def frame_of(snapshot: Snapshot, view: View | None = None) -> Frame:
    camera = Camera2D()
    camera.frame(snapshot.geometry.focus or snapshot.geometry.box, SIZE)
    return make_frame(snapshot, view or View(), camera, SIZE, NO_INSET, 1.0, Ranges())


def test_a_body_is_drawn_with_the_bonds_that_it_still_has() -> None:
    first, last = course("beam")[0], finished("beam")
    rows = bonds_pass.instances(frame_of(first))
    assert rows is not None
    assert len(rows) == len(first.contacts.bonds) > len(last.contacts.bonds) > 0
    length = np.hypot(rows[:, 2] - rows[:, 0], rows[:, 3] - rows[:, 1])
    assert length == pytest.approx(np.full(len(rows), 0.02), rel=1e-4)
    assert bonds_pass.instances(frame_of(course("column")[0])) is None


def test_the_parts_of_a_body_have_their_colours_until_another_quantity_is_chosen() -> None:
    snapshot = course("raft")[len(course("raft")) // 2]
    assert shown_as("automatic", snapshot) == PARTS
    assert film_colour("automatic", snapshot) == "automatic"
    faces = frame_of(snapshot).faces
    for number, part in enumerate(snapshot.grains.parts):
        rows = snapshot.grains.columns["layer"] == number
        assert rows.any()
        assert faces[rows] == pytest.approx(np.tile(to_linear(part_colour(part, number)), (rows.sum(), 1)))
    assert shown_as("speed", snapshot) == "speed"
    assert len(np.unique(frame_of(snapshot, View(colour_by="speed")).faces, axis=0)) > 2


def test_a_liquid_at_rest_fills_the_picture_from_its_bottom_to_its_level() -> None:
    snapshot = course("raft")[0]
    frame = frame_of(snapshot)
    rows = liquid_pass.at_rest(frame)
    assert rows is not None
    bottom, level = snapshot.geometry.liquid or (0.0, 0.0)
    left = frame.camera.pixel_to_world((0, 0), SIZE)[0]
    half = 0.5 * rows[0, 4] * frame.metres_per_pixel
    low = max(bottom, frame.camera.pixel_to_world((0, SIZE[1]), SIZE)[1])
    assert (rows[0, 1] - half, rows[0, 1] + half) == pytest.approx((low, level), abs=1e-6)
    assert rows[0, 0] + half <= left + 1e-6
    assert liquid_pass.at_rest(frame_of(course("rod")[0])) is None


def test_the_particles_of_a_liquid_leave_no_gap_and_those_of_a_body_are_no_liquid() -> None:
    snapshot = course("column")[0]
    rows = liquid_pass.of_particles(frame_of(snapshot))
    assert rows is not None
    assert len(rows) == len(snapshot.grains.radius)
    assert rows[:, 2] == pytest.approx(liquid_pass.SWELL * snapshot.grains.radius)
    assert liquid_pass.of_particles(frame_of(course("rod")[0])) is None


def test_the_path_of_the_satellite_is_smooth_and_ends_at_the_satellite() -> None:
    snapshot = finished("satellite")
    rows = tracks_pass.in_plane(frame_of(snapshot))
    assert rows is not None
    assert rows[:-1, 2:4] == pytest.approx(rows[1:, 0:2])
    steps = rows[:, 2:4] - rows[:, 0:2]
    steps = steps[np.hypot(*steps.T) > 0.0]
    turns = np.abs(np.diff(np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))))
    assert turns.max() < 0.3
    assert rows[-1, 2:4] == pytest.approx(snapshot.grains.position.mean(axis=0), abs=1e-6)


def test_the_window_says_what_to_look_for_and_at_the_end_what_came_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[Message] = []
    monkeypatch.setattr(task, "write", lambda ui, words, colour, right: said.append(words))
    with open_harness(tmp_path, course("rod")[0]):
        assert scenes()["rod"].summary in said
    said.clear()
    snapshot = finished("rod")
    with open_harness(tmp_path, snapshot) as harness:
        assert scenes()["rod"].summary in said, "the question stays"
        count = len(snapshot.results.outcomes)
        assert f"✓ All {count} stated outcomes hold." in map(str, said)
        assert snapshot.results.answer is not None
        assert snapshot.results.answer.words in said, "the answer follows the question"
        assert not {entry.statement for entry in snapshot.results.outcomes} & set(said), "the table is shown on request"
        harness.click("task.table")
        harness.frame(2)
        for entry in snapshot.results.outcomes:
            assert {entry.statement, entry.found, entry.expected, task.HOLDS} <= set(said)
    said.clear()
    failed = with_fields(snapshot, outcomes=(replace(snapshot.results.outcomes[0], holds=False),))
    with open_harness(tmp_path, failed) as harness:
        assert f"✗ This does not hold: {snapshot.results.outcomes[0].statement}." in map(str, said)
    said.clear()
    with open_harness(tmp_path, with_fields(snapshot, scene="drum")):
        assert snapshot.results.answer.words not in said, "that of a guess stands beside the guess"
    with open_harness(tmp_path, course("heap")[0]):
        assert scenes()["heap"].summary not in said


def test_a_film_ends_with_the_outcomes() -> None:
    answered = finished("capture")
    assert answered.results.answer is not None
    assert film_words(answered, 1.0, ending=True).result[0] == answered.results.answer.words
    snapshot = with_fields(answered, answer=None)
    assert len(snapshot.results.outcomes) > MOST_OUTCOMES
    result = [*map(str, film_words(snapshot, 1.0, ending=True).result)]
    assert result[0] == f"✓ All {len(snapshot.results.outcomes)} stated outcomes hold."
    assert len(result) <= MOST_OUTCOMES
    few = with_fields(snapshot, outcomes=snapshot.results.outcomes[:MOST_OUTCOMES])
    written = [str(line)[0] for line in film_words(few, 1.0, ending=True).result]
    assert written == ["✓"] * MOST_OUTCOMES


@pytest.mark.parametrize("scene", [name for name, scene in scenes().items() if scene.group == "bodies"])
def test_the_camera_keeps_all_bodies_in_the_picture(scene: str) -> None:
    for snapshot in course(scene):
        low, high = snapshot.geometry.box
        inside = ((snapshot.grains.position >= low) & (snapshot.grains.position <= high)).all(axis=1)
        assert inside.all() or (scene == "beam" and inside.mean() > 0.9), snapshot.run.time  # splinters fly far


def test_a_change_of_the_geometry_is_seen_before_the_start() -> None:
    experiment = new_experiment("rod", scenes()["rod"].test_values)
    before = len(shot(experiment).grains.position)
    assert not apply(experiment, SetParameters({"length": 20}))
    assert len(shot(experiment).grains.position) > before


def test_the_camera_leaves_the_outcomes_free_and_the_bar_says_that_the_run_has_ended(tmp_path: Path) -> None:
    snapshot = replace(finished("satellite"), serial=1)
    with open_harness(tmp_path, snapshot) as harness:
        harness.frame(2)
        foot = harness.ui.states[TaskArea].foot
        assert foot > 84.0
        control = CameraControl()
        control.update(harness.ui)
        assert isinstance(harness.ui.camera, Camera2D)
        top = harness.ui.camera.world_to_pixel(np.array(snapshot.geometry.focus)[1], harness.ui.window.size)[1]
        assert top >= foot
    assert str(describe_pace(with_fields(snapshot, at_rest=True), 1.0)) == "ended"
    assert str(describe_pace(with_fields(snapshot, at_rest=True, outcomes=()), 1.0)) == "at rest"
