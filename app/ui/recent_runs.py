"""Recently saved or opened runs with their pictures, read in a separate thread."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from repose.app.storage.paths import runs_folder
from repose.app.storage.run_saver import RunSaver
from repose.app.storage.settings import Settings
from repose.sim.io.archive import SUFFIX
from repose.sim.message import Message, Number
from repose.sim.registry import scenes

MOST = 12
"""Largest number of listed runs."""


@dataclass(frozen=True)
class RecentRun:
    """One file of a run."""

    path: Path
    words: Message
    """Scene, seed, simulated time, date."""
    picture: bytes
    changed: float
    """Time of the last change of the file [s since 1970]."""


@dataclass
class RecentRuns:
    """The list of files; only this class changes the list in the settings."""

    settings: Settings
    runs: tuple[RecentRun, ...] = ()
    """The runs of the list, the newest first."""
    _thread: threading.Thread | None = None
    _read: dict[tuple[str, float], RecentRun] = field(default_factory=dict)

    def see(self, saver: RunSaver) -> None:
        """Call once per frame: add the files that were saved or opened."""
        if not saver.used:
            return
        used, saver.used = saver.used, []
        before = self.settings.choices.recent_runs
        names = dict.fromkeys([*(str(Path(name).resolve()) for name in reversed(used)), *before])
        self.settings.choices.recent_runs = [*names][:MOST]
        self.refresh()

    def refresh(self) -> None:
        """Read the files again without waiting; during a reading another one is queued."""
        noted, before = tuple(self.settings.choices.recent_runs), self._thread
        self._thread = threading.Thread(target=self._read_files, args=(noted, before), name="recent runs", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until the files have been read."""
        if self._thread is not None:
            self._thread.join()

    def _read_files(self, noted: tuple[str, ...], before: threading.Thread | None) -> None:
        """Read the files used in the window and those in the folder of the runs, once an earlier reading has ended."""
        if before is not None:
            before.join()
        times: dict[Path, float] = {}
        for path in (*map(Path, noted), *runs_folder().glob(f"*{SUFFIX}")):
            try:
                times[path.resolve()] = path.stat().st_mtime
            except OSError:  # moved or deleted in the meantime
                continue
        newest = sorted(times, key=lambda path: -times[path])[:MOST]
        runs = [self._entry(path, times[path]) for path in newest]
        self.runs = tuple(run for run in runs if run is not None)

    def _entry(self, path: Path, changed: float) -> RecentRun | None:
        from repose.sim.experiment.saved_side_by_side import glimpse
        from repose.sim.io.archive import ArchiveError

        key = (str(path), changed)
        if key not in self._read:
            try:
                seen = glimpse(path)
            except (ArchiveError, OSError):
                return None
            title = scenes()[seen.scene].title if seen.scene in scenes() else seen.scene[:60]
            day = time.strftime("%d.%m.%Y %H:%M", time.localtime(changed))
            if seen.time is None:
                about = Message("{title}, seed {seed}, {day}", title=title, seed=seen.seed, day=day)
            else:
                at = Number(seen.time, "s", ".2f")
                about = Message("{title}, seed {seed}, t = {at}, {day}", title=title, seed=seen.seed, at=at, day=day)
            self._read[key] = RecentRun(
                path,
                about,
                seen.picture,
                changed,
            )
        return self._read[key]
