"""Repeated runs of the present experiment with other seeds in separate processes: mean and error over runs.

The error of a single angle is that of its line fit; the scatter over seeds is known from several runs only.
"""

from __future__ import annotations

import json
import logging
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from repose.app.stopping import StopAsked
from repose.app.ui.preset_library import different
from repose.sim.engine.thread_count import available
from repose.sim.experiment.commands import Command, KeepMeasured
from repose.sim.experiment.comparison import Point, Row, averaged
from repose.sim.message import EMPTY, Message, _
from repose.sim.parameters import ParameterSet
from repose.sim.registry import scenes
from repose.sim.study.parallel_runs import Task, run_all
from repose.sim.study.quantities import name_of_study, read
from repose.sim.wording import described, reason_of

log = logging.getLogger(__name__)

RUNS = 5
"""Number of runs of a repetition."""
END_TIME = 2.0
"""Longest wall time to wait for the processes to end when the window closes [s]."""


@dataclass
class Repeats:
    """Starts and stops the runs in a separate thread; the results are added to the results of the session."""

    send: Callable[[Command], None]
    run_all: Callable[..., None] = run_all
    done: int = 0
    """Number of runs that have ended."""
    share: float = 0.0
    """Share of all runs, 0 to 1."""
    trouble: Message = EMPTY
    """Why a run has no result."""
    _means: dict[str, Row] = field(default_factory=dict)
    """Results by scene and parameters."""
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether runs are under way."""
        return self._thread is not None and self._thread.is_alive()

    def mean(self, scene: str, parameters: ParameterSet) -> Row | None:
        """Mean over the runs with these parameters; None with fewer than two."""
        row = self._means.get(_key(scene, parameters))
        return row if row is not None and row.runs > 1 else None

    def start(self, scene: str, parameters: ParameterSet, seed: int) -> None:
        """Run the experiment from its beginning with `RUNS` consecutive seeds, the first of which is `seed`."""
        study = scenes()[scene].study
        if self.running or study is None:
            return
        self.done, self.share, self.trouble = 0, 0.0, EMPTY
        self._stopping.clear()
        arguments = (scene, different(parameters), getattr(parameters, study.over), seed, _key(scene, parameters))
        self._thread = threading.Thread(target=self._work, args=arguments, name="repeats", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the runs under way; those that have ended count."""
        self._stopping.set()

    def end(self) -> None:
        """End the runs when the window closes, and wait for their processes."""
        self.stop()
        if self._thread is not None:
            self._thread.join(END_TIME)

    def _work(self, scene: str, values: dict[str, Any], at: float, seed: int, key: str) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="repose-repeat-") as folder, suppress(StopAsked):
                wanted = [
                    Task(scene, values, number, f"seed {number}", Path(folder) / f"{number}.json")
                    for number in range(seed, seed + RUNS)
                ]
                self._run(wanted, at, key)
        except Exception as error:  # an error of the disk or of a process must not end the window
            log.exception("The runs could not be repeated.")
            self.trouble = Message("The runs could not be repeated: {error}.", error=reason_of(error, described(error)))

    def _run(self, wanted: list[Task], at: float, key: str) -> None:
        points: list[Point] = []

        def on_end(task: Task, lost: str) -> None:
            self.done += 1
            result = {"point": None} if lost else json.loads(task.path.read_text(encoding="utf-8"))
            point = read(task.scene, name_of_study(task.scene), result, at)
            if point is None:
                self.trouble = Message(
                    "The run with {name} has no result: {value}.",
                    name=task.name,
                    value=lost or _("nothing was measured"),
                )
                return
            points.append(point)
            self._means[key] = averaged(points)[0]
            self.send(KeepMeasured(task.scene, (point,)))

        def on_progress(words: str, share: float) -> None:
            self.share = share
            if self._stopping.is_set():
                raise StopAsked

        # One processor is left for the window and its run.
        self.run_all(wanted, max(1, min(RUNS, available() - 1)), on_progress=on_progress, on_end=on_end)


def _key(scene: str, parameters: ParameterSet) -> str:
    return f"{scene} {parameters.model_dump()!r}"
