"""The reference state of displacements: positions of the grains when the present phase, or an action, began."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.snapshot import DisplacementMark

MARKS, CUTS = "marks", "cuts of the marks"
"""Entries of `Session.shown`: the marks in the order of their steps, and `History.cuts` when they were last checked."""
MOST = 8
"""Largest number of marks; each contains the positions of all grains."""


def note_begin(experiment: Experiment, acted: bool = False) -> None:
    """Mark the present state if a phase has begun in which grains move by themselves, or if an action has begun one."""
    last = present_mark(experiment)  # also removes marks of discarded steps, at every check
    if not experiment.scene.course.under_way(experiment):
        return
    if last is not None and last.phase == experiment.phase and not acted:
        return
    world, dimension, history = experiment.run.world, experiment.scene.model.dimension, experiment.history
    marks = [mark for mark in _marks(experiment) if mark.at < history.at]
    position = world.motion[:dimension, 0].T.copy()
    marks.append(
        DisplacementMark(history.at, history.logs, experiment.phase, experiment.time, world.sphere_id.copy(), position)
    )
    experiment.session.shown[MARKS] = marks[-MOST:]


def present_mark(experiment: Experiment) -> DisplacementMark | None:
    """The last mark that is not after the present step; None if there is none."""
    return next((mark for mark in reversed(_marks(experiment)) if mark.at <= experiment.history.at), None)


def _marks(experiment: Experiment) -> list[DisplacementMark]:
    """The marks of the present log; marks of discarded steps are removed."""
    shown, history = experiment.session.shown, experiment.history
    marks: list[DisplacementMark] = [mark for mark in shown.get(MARKS, ()) if mark.logs == history.logs]
    if shown.get(CUTS) != history.cuts:  # the log was cut at most one check ago
        marks = [mark for mark in marks if mark.at <= history.at - CHECK_STEPS or mark.at == 0]
        shown[CUTS] = history.cuts
    shown[MARKS] = marks
    return marks


def displacements(mark: DisplacementMark, sphere_id: NDArray[np.int64], position: NDArray[np.floating]) -> Floats:
    """Displacements since the mark of spheres with these ids and positions [m], shape (count, dimension); nan for
    spheres that did not exist then."""
    displacement = np.full(position.shape, np.nan)
    _, now, then = np.intersect1d(sphere_id, mark.sphere_id, assume_unique=True, return_indices=True)
    displacement[now] = position[now] - mark.position[then]
    return displacement
