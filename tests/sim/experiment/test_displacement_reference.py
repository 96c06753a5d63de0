"""Marks: the state at the beginning of a phase, also after going back and after another continuation."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Rewind
from repose.sim.experiment.control import apply
from repose.sim.experiment.displacement_reference import MOST, displacements, present_mark
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.headless import Frames, shown
from repose.sim.experiment.snapshot import DisplacementMark, Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot


def places(experiment: Experiment) -> np.ndarray:
    found: np.ndarray = experiment.run.world.motion[: experiment.scene.model.dimension, 0].T.copy()
    return found


def test_displacements_count_from_the_step_at_which_the_wall_opened() -> None:
    experiment = new_experiment("heap", ready="column")
    advance(experiment, 70)
    at, ids = experiment.history.at, experiment.run.world.sphere_id.tolist()
    before = dict(zip(ids, places(experiment), strict=True))
    assert not apply(experiment, Act("open"))
    advance(experiment, 4 * CHECK_STEPS)
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    mark = snapshot.grains.mark
    assert mark is not None
    assert (mark.at, mark.phase) == (at, "flowing")
    ids = experiment.run.world.sphere_id.tolist()
    found = displacements(mark, experiment.run.world.sphere_id, places(experiment))
    assert found == pytest.approx(places(experiment) - np.array([before[sphere] for sphere in ids]))
    assert np.linalg.norm(found, axis=1).max() > 1e-6

    # Back to the opening and forward again: the same mark, not one of a later state.
    assert not apply(experiment, Rewind(at + CHECK_STEPS))
    again = present_mark(experiment)
    assert again is not None
    assert again.at == at
    assert (again.position == mark.position).all()
    # Before it, and continued in another way: the mark of the discarded steps is gone.
    assert not apply(experiment, Rewind(at - CHECK_STEPS))
    assert present_mark(experiment) is None
    advance(experiment, 6 * CHECK_STEPS)
    assert present_mark(experiment) is None


def test_only_the_last_marks_are_kept() -> None:
    experiment = new_experiment("heap", ready="column")
    for _ in range(MOST + 3):
        apply(experiment, Act("open"))
        advance(experiment, CHECK_STEPS)
        apply(experiment, Act("reset"))
        advance(experiment, CHECK_STEPS)
    assert len(experiment.session.shown["marks"]) <= MOST


def test_spheres_that_were_not_there_have_no_displacement() -> None:
    mark = DisplacementMark(0, 0, "flowing", 0.0, np.array((9, 4)), np.array(((1.0, 2.0), (3.0, 4.0))))
    found = displacements(mark, np.array((4, 5, 9)), np.array(((3.5, 4.0), (0.0, 0.0), (1.0, 1.0))))
    assert found[[0, 2]] == pytest.approx(np.array(((0.5, 0.0), (0.0, -1.0))))
    assert np.isnan(found[1]).all()
    empty = DisplacementMark(0, 0, "flowing", 0.0, np.empty(0, np.int64), np.empty((0, 2)))
    assert np.isnan(displacements(empty, np.array((4,)), np.array(((3.5, 4.0),)))).all()


def test_the_frames_of_a_film_have_the_forces_of_contacts_if_it_needs_them() -> None:
    experiment = new_experiment("heap", ready="column")
    seen = []

    def take(snapshot: Snapshot) -> float:
        seen.append(snapshot.contacts.forces is not None and snapshot.contacts.forces.i.size > 1000)
        return 1e-3

    for forces in (False, True):
        Frames(experiment, shown(take, forces)).take()
    assert seen == [False, True]
