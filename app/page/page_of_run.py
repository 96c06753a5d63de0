"""The page of a saved run, which is computed again from its beginning."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from repose.app.page.page_file import Page, page_of
from repose.app.page.recording import PageRecording
from repose.sim.experiment.replay import Verdict, play
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.measure.contact_sums import touching_ids
from repose.sim.message import Message

if TYPE_CHECKING:
    from repose.sim.experiment.command_log import SavedRun
    from repose.sim.experiment.experiment import Experiment


class PageOfRun(NamedTuple):
    """A page and what the replay found."""

    page: Page | None
    """None if the run ends before the first frame."""
    verdict: Verdict


def page_of_run(
    saved: SavedRun,
    title: Message,
    every: float | None = None,
    since: float = 0.0,
    until: float = math.inf,
    on_progress: Callable[[int, int], None] = lambda at, end: None,
) -> PageOfRun:
    """Compute the run again and make its page; times are as in `repose.sim.experiment.replay.play`, `every` and the
    rest as in `PageRecording`."""
    recording = PageRecording(every)
    snapshot = Snapshot(serial=-1)

    def take(experiment: Experiment, clock: float) -> float:
        take_snapshot(experiment, snapshot)
        return recording.take(snapshot, touching_ids(experiment.run.world))

    played = play(saved, take, at_phases=every is None, since=since, until=until, on_progress=on_progress)
    if not recording.rows:
        return PageOfRun(None, played.verdict)
    take(played.experiment, 0.0)  # the end of the run
    return PageOfRun(page_of(recording, snapshot, title), played.verdict)
