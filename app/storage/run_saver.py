"""Saving and opening runs while physics continues: physics copies its state between two batches, a thread writes it."""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from repose.app.storage import autosave, paths
from repose.sim.experiment.commands import Command, Copy, Resume
from repose.sim.io.archive import SUFFIX
from repose.sim.io.atomic_file import write_new_file, write_whole_file
from repose.sim.message import EMPTY, Joined, Message, _, plain
from repose.sim.parameters import ParameterError, unquoted
from repose.sim.wording import message_of, reason_of, sentence_of

if TYPE_CHECKING:
    from repose.app.storage.plot_files import Sheet
    from repose.sim.experiment.saved_side_by_side import Saved

log = logging.getLogger(__name__)

INTERVAL = 30.0
"""Wall time between two automatic saves [s]."""
Writer = Callable[[BinaryIO], object]
LAST_SAVE = 2.0
"""Longest wall time for the last automatic save when a signal ends the window [s]."""
ASKED_SAVE = 10.0
"""The same for a file that the user has asked for just before the window closes [s]."""


class SavedState(NamedTuple):
    """Identity of a state of a run: scene, seed, last step of its log, number of commands in its log."""

    scene: str
    seed: int
    end: int
    commands: int


@dataclass
class RunSaver:
    """Writes and reads runs in a separate thread, and reports the result."""

    send: Callable[[Command], None]
    path: str = ""
    """The file that was saved, opened or typed last."""
    take_picture: Callable[[], bytes] = bytes
    """Draws a small picture of the run in the window; empty if it cannot be drawn."""
    take_photo: Callable[[], Callable[[], bytes]] = lambda: bytes
    """Returns a function, for the thread that saves, of the bytes of the photograph beside the run; empty for none."""
    photo: bytes = b""
    """The photograph in the file that was opened last; the window takes it and leaves it empty."""
    used: list[str] = field(default_factory=list)
    """Files saved and opened since the window last read this list, the latest last."""
    opening: bool = False
    """True while a file is read: the physics thread begins with the run in the file."""
    opened: bool = False
    """True when another run has been opened; the window then deletes its state of the previous run."""
    safe: SavedState | None = None
    """The state that was saved or opened last, which another run may replace without loss."""
    message: Message = EMPTY
    trouble: Message = EMPTY
    unsaved: Message = EMPTY
    """Why the last automatic save failed, with its folder and what to do; empty once a save has succeeded."""
    lost: autosave.AutosaveFolder | None = None
    """A run whose window ended unexpectedly, until it is opened or discarded."""
    kept: bool = False
    """After the end: whether an automatic save of this run remains for the next start."""
    held: bool = False
    """True while a lecture shows its own runs: the automatic saves remain those of the user's run."""
    confirm: str = ""
    """An existing file, which a second request overwrites."""
    _mine: str = ""
    _asked: threading.Event | None = None
    """Set once the file is written that the user has asked for last, or the attempt has failed; None before."""
    _place: autosave.AutosaveFolder | None = None
    _due: float = field(default_factory=lambda: time.monotonic() + INTERVAL)
    _kept: tuple[int, int, str, int] = (-1, -1, "", 0)
    _jobs: queue.SimpleQueue[Callable[[], None] | None] = field(default_factory=queue.SimpleQueue)
    _thread: threading.Thread | None = None

    def begin(self) -> None:
        """Look for the run of a crashed window, and begin the automatic saves of this run."""
        self._thread = threading.Thread(target=self._work, name="run saver", daemon=True)
        self._thread.start()
        try:
            self.lost = autosave.left_behind()
            self._place = autosave.begin()
        except OSError as error:
            self._show_unsaved(error)

    def tick(self) -> None:
        """Save automatically when a save is due; call it once per frame."""
        if self._thread is not None and not self.held and time.monotonic() >= self._due:
            self._due, photo = time.monotonic() + INTERVAL, self.take_photo()
            self.send(Copy(lambda saved: self._jobs.put(lambda: self._save_by_itself(saved, photo))))

    def hold(self, take: Callable[[Saved], None]) -> None:
        """Save the run automatically once more and pass a copy to `take`; then save no run automatically until
        `resume`."""
        self.held, photo = True, self.take_photo()

        def keep(saved: Saved) -> None:
            take(saved)
            self._jobs.put(lambda: self._save_by_itself(saved, photo))

        self.send(Copy(keep))

    def resume(self) -> None:
        """Continue the automatic saves of the run in the window."""
        self.held = False

    def save_now(self) -> None:
        """Save the run automatically now, and wait at most `LAST_SAVE`, because physics may be compiling."""
        done, photo = threading.Event(), self.take_photo()

        def write(saved: Saved) -> None:
            self._save_by_itself(saved, photo)
            done.set()

        if self._thread is not None and not self.held:
            self.send(Copy(lambda saved: self._jobs.put(lambda: write(saved))))
            done.wait(LAST_SAVE)

    def save(self, path: str, asked: bool = False) -> None:
        """Save the state of the run between two steps.

        A file that this session has not written is replaced only after a question, or if the user was `asked` already.
        """
        target = self._target(path)
        if target is None:
            return
        known = asked or str(target) in (self.confirm, self._mine)
        if target.exists() and not known:
            self.confirm = str(target)
            return
        self.confirm = ""
        picture, photo, self._asked = self.take_picture(), self.take_photo(), (done := threading.Event())

        def write(saved: Saved) -> None:
            self._save(saved, target, known, (picture, photo()))
            done.set()

        self.send(Copy(lambda saved: self._jobs.put(lambda: write(saved))))

    def wait(self) -> None:
        """Wait at most `ASKED_SAVE` for the file that the user has asked for last."""
        if self._asked is not None and self._thread is not None:
            self._asked.wait(ASKED_SAVE)

    def copy_for(self, take: Callable[[Saved], None]) -> None:
        """Pass a copy of the run to `take`, in the thread that saves."""
        self.send(Copy(lambda saved: self._jobs.put(lambda: take(saved))))

    def export(self, target: Path) -> None:
        """Write the grains between two steps for other programs; the suffix selects the format."""
        self.message, self.trouble = EMPTY, EMPTY
        self.send(Copy(lambda saved: self._jobs.put(lambda: self._export(saved, target))))

    def save_plot(self, sheet: Sheet, folder: Path, name: str, suffixes: Sequence[str]) -> None:
        """Write a plot to free names in the folder, one file per suffix."""
        self.message, self.trouble = EMPTY, EMPTY
        self._jobs.put(lambda: self._save_plot(sheet, folder, name, suffixes))

    def save_files(self, what: Message, folder: Path, name: str, writers: Mapping[str, Writer]) -> None:
        """Write files to free names in the folder, one per suffix; the message begins with `what`, their kind."""
        self.message, self.trouble = EMPTY, EMPTY
        self._jobs.put(lambda: self._save_files(what, folder, name, writers))

    def save_picture(self, folder: Path, name: str, write_png: Writer) -> None:
        """Write the picture, and grains and forces of every run, to free names in the folder as PNG and SVG."""
        self.message, self.trouble = EMPTY, EMPTY
        self.send(Copy(lambda saved: self._jobs.put(lambda: self._save_picture(saved, folder, name, write_png))))

    def open(self, path: str) -> None:
        """Continue the run in a file; reading takes seconds if the run is long or the machine is busy."""
        target = self._target(path)
        if target is not None:
            self.message, self.opening = Message("Opening {name} …", name=target.name), True
            self._jobs.put(lambda: self._open(target))

    def open_lost(self) -> None:
        """Continue the run of a crashed window."""
        saves, self.lost = self.lost, None
        if saves is not None:
            self._jobs.put(lambda: self._open_place(saves))

    def discard_lost(self) -> None:
        """Delete the run of a crashed window."""
        if self.lost is not None:
            self.lost.clear()
            self.lost = None

    def end(self, keep: bool = False) -> None:
        """Finish writing; delete the automatic saves of this run unless `keep`."""
        self._jobs.put(None)
        if self._thread is not None:
            self._thread.join(2.0)
        if self._place is not None and keep and self._place.files():
            self._place.lock.close()  # as after a crash: offered at the next start
            self.kept = True
        elif self._place is not None:
            self._place.clear()
        if self.lost is not None:
            self.lost.lock.close()  # offered again at the next start

    def is_file(self, path: str) -> bool:
        """Whether there is a file at this path, as typed."""
        try:
            return bool(unquoted(path)) and _file_of(unquoted(path)).is_file()
        except (OSError, ValueError):  # a name that is too long, a folder that cannot be read, "/"
            return False

    def _target(self, path: str) -> Path | None:
        self.message, self.trouble = EMPTY, EMPTY
        text = unquoted(path)
        if not text:
            self.trouble = _("Type the path of a file under File first; Ctrl+R shows the saved runs.")
            return None
        self.path = str(_file_of(text))
        return Path(self.path)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except Exception as error:  # no error of the disk may end the run
                log.exception("A run could not be saved or opened.")
                self.message, self.trouble = EMPTY, sentence_of(error)

    def _save(self, saved: Saved, path: Path, over: bool, beside: tuple[bytes, bytes]) -> None:
        """Write the run with picture and photograph; an existing file is replaced only if confirmed or written in this
        session."""
        from repose.sim.experiment.saved_side_by_side import write

        try:
            (write_whole_file if over else write_new_file)(path, lambda file: write(saved, file, *beside))
            self._mine = str(path)
            self.used.append(str(path))
            self.safe = _state(saved)
            self.message, self.unsaved = Message("Saved to {path}.", path=str(path)), EMPTY
        except FileExistsError:  # another program has created the file since
            self.confirm = str(path)
            self.trouble = Message("{path} exists already; save again to replace it.", path=str(path))
        except OSError as error:
            self.trouble = Message(
                "{path} could not be written: {error}; the run continues.", path=str(path), error=reason_of(error)
            )

    def _export(self, saved: Saved, path: Path) -> None:
        from repose.sim.experiment.changes import resumed_experiment
        from repose.sim.experiment.export_state import state_of
        from repose.sim.experiment.saved_side_by_side import singles
        from repose.sim.io.export import export

        runs = singles(saved)
        paths = [path] if len(runs) == 1 else [path.with_stem(f"{path.stem}-{k + 1}") for k in range(len(runs))]
        try:
            for run, path in zip(runs, paths, strict=True):
                export(state_of(resumed_experiment(run)), path)
            self.message = Message("Grains written to {join}.", join=Joined(tuple(map(str, paths))))
        except OSError as error:
            self.trouble = Message(
                "{path} could not be written: {error}; the run continues.", path=str(path), error=reason_of(error)
            )
        except ParameterError as error:  # a library is missing
            self.trouble = message_of(error)

    def _save_plot(self, sheet: Sheet, folder: Path, name: str, suffixes: Sequence[str]) -> None:
        from repose.app.storage.plot_files import WRITERS

        self._save_files(_("Plot"), folder, name, {suffix: partial(WRITERS[suffix], sheet) for suffix in suffixes})

    def _save_picture(self, saved: Saved, folder: Path, name: str, write_png: Writer) -> None:
        from repose.sim.experiment.changes import resumed_experiment
        from repose.sim.experiment.export_state import state_of
        from repose.sim.experiment.saved_side_by_side import singles
        from repose.sim.io.export import write_state

        runs = singles(saved)
        suffixes = [".svg"] if len(runs) == 1 else [f"-{number + 1}.svg" for number in range(len(runs))]
        writers: dict[str, Writer] = {".png": write_png}
        for suffix, run in zip(suffixes, runs, strict=True):
            writers[suffix] = partial(write_state, state_of(resumed_experiment(run)), ".svg")
        self._save_files(_("Picture"), folder, name, writers)

    def _save_files(self, what: Message, folder: Path, name: str, writers: Mapping[str, Writer]) -> None:
        paths = {suffix: free_name(folder, name, suffix) for suffix in writers}
        for suffix, path in paths.items():
            try:
                write_new_file(path, writers[suffix])
            except OSError as error:
                self.trouble = Message("{path} could not be written: {error}.", path=str(path), error=reason_of(error))
                return
        self.message = Message(
            "{what} written to {folder}: {join}.",
            what=what,
            folder=str(folder),
            join=Joined(tuple(path.name for path in paths.values())),
        )

    def _save_by_itself(self, saved: Saved, take_photo: Callable[[], bytes]) -> None:
        photo = take_photo()
        now = (saved.now.at, saved.now.commands, saved.log.scene, hash(photo))
        if now == self._kept:
            return
        try:
            if self._place is not None and not self._place.folder.is_dir():  # deleted while the window is open
                self._place.clear()
                self._place = None
            if self._place is None:
                self._place = autosave.begin()
            self._place.save(saved, photo)
            self._kept, self.unsaved = now, EMPTY
        except OSError as error:
            self._show_unsaved(error)

    def _show_unsaved(self, error: OSError) -> None:
        self.unsaved = Message(
            "The run cannot be saved automatically in {autosave_folder}: {error}. Free space there, or "
            "allow writing; until then Ctrl+S saves the run elsewhere.",
            autosave_folder=str(paths.autosave_folder()),
            error=reason_of(error),
        )

    def _open(self, path: Path) -> None:
        from repose.sim.experiment.saved_side_by_side import load, photo_in
        from repose.sim.io.archive import ArchiveError

        try:
            saved, self.photo = load(path), photo_in(path)
            self._resume(saved, plain(path.name))
            self.used.append(str(path))
            self.safe = _state(saved)
        except ArchiveError as error:
            self.message, self.trouble = EMPTY, message_of(error)
        finally:
            self.opening = False

    def _open_place(self, saves: autosave.AutosaveFolder) -> None:
        found = saves.newest()
        if found is None:
            self.trouble = Message("None of the states in {folder} can be read.", folder=str(saves.folder))
            return
        saved, self.photo = found
        self._resume(saved, _("the run of the last session"))
        if self._place is not None:
            self._place.save(*found)
        saves.clear()

    def _resume(self, saved: Saved, name: Message) -> None:
        self.send(Resume(saved))
        self.opened = True
        foreign = (
            _(" Another version saved it: the continued run may differ in the last bits.") if saved.foreign else ""
        )
        self.message = Message("Opened {name}.", name=name) + foreign  # two sentences, so that each can be translated


def _file_of(text: str) -> Path:
    """The file that a typed path means; without an ending it is a run."""
    path = Path(text).expanduser()
    return path if path.suffix else path.with_suffix(SUFFIX)


def _state(saved: Saved) -> SavedState:
    return SavedState(saved.log.scene, saved.log.seed, saved.log.end, len(saved.log.entries))


def free_name(folder: Path, scene: str, suffix: str = SUFFIX) -> Path:
    """The first of `scene-1.repose`, `scene-2.repose`, … that is free."""
    return next(path for n in itertools.count(1) if not (path := folder / f"{scene}-{n}{suffix}").exists())
