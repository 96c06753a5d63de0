"""A run has the same bits with and without phones that answer, read and send nonsense while it goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from repose.app.audience.interfaces import LOOPBACK
from repose.app.audience.server import Server
from repose.app.ui import phones
from repose.app.ui.phones import Audience
from repose.app.ui.ui import Ui
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.control import apply
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot

from tests.app.audience.phones import Phone, listening, until
from tests.app.ui.panels.panel_harness import open_harness

FRAMES, BATCH = 40, 50
"""Frames of the window, and steps of the run from frame to frame."""
NONSENSE = ("", "-1", "61", "x" * 900, "<script>alert(1)</script>", "1e9", "\x00")
"""Answers that are refused."""
PHONES = 3
Clients = Callable[[Server], AbstractContextManager[None]]
"""Clients that are busy within this context."""


def see(ui: Ui) -> None:
    """A frame of the window, without its panels."""
    ui.control.edits.see(ui.snapshot)
    phones.see(ui)


@contextmanager
def nobody(server: Server) -> Iterator[None]:
    """No phone."""
    yield


def course(folder: Path, clients: Clients | None = None, remote_sets: float | None = None) -> tuple[list[str], int]:
    """The state hash at each frame of a run of a scene with a question, and the number of phones that have answered.
    Without clients no server is on. The remote may set its slider of the friction, 0 to 1, at half time."""
    folder.mkdir()
    experiment = new_experiment("drum", {"grain_count": 40})
    shot, hashes = Snapshot(), list[str]()
    take_snapshot(experiment, shot, forces=True)
    shot.serial += 1
    with open_harness(folder, shot, draw=see) as harness:
        try:
            if clients is not None:
                phones.switch_on(harness.ui, LOOPBACK)
            harness.frame(2)
            audience = harness.ui.states[Audience]
            server = audience.server
            with clients(server) if clients is not None and server is not None else nullcontext():
                for number in range(FRAMES):
                    advance(experiment, BATCH)
                    take_snapshot(experiment, shot, forces=True)
                    shot.serial += 1
                    if number == FRAMES // 2 and remote_sets is not None and server is not None:
                        lecturer = Phone(server)
                        lecturer.open(server.lecturer)
                        assert lecturer.act(do="set", name="friction", value=remote_sets).status == 200
                    harness.frame()
                    while harness.commands:
                        assert not apply(experiment, harness.commands.pop(0))
                    hashes.append(state_hash(experiment.run))
                if clients is crowd:
                    until(lambda: (harness.frame(), len(audience.rounds[-1].values) == PHONES)[1], "answer of a phone")
            return hashes, sum(len(entry.values) for entry in audience.rounds)
        finally:
            phones.switch_off(harness.ui)


@contextmanager
def crowd(server: Server) -> Iterator[None]:
    """Phones that open the page, hold a connection, answer and send nonsense, each in its own thread."""
    ended = threading.Event()

    def act() -> None:
        phone = Phone(server)
        phone.open()
        with listening(phone, server.audience) as following:
            following()
            while not ended.wait(0.01):
                for value in (20, *NONSENSE):
                    phone.answer(value)

    threads = [threading.Thread(target=act) for _ in range(PHONES)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def test_phones_change_no_bit_of_a_run(tmp_path: Path) -> None:
    alone, none = course(tmp_path / "alone")
    among_phones, answered = course(tmp_path / "among", crowd)
    assert (none, answered) == (0, PHONES)
    assert among_phones == alone
    assert len(set(alone)) == FRAMES, "the run moves from frame to frame"


def test_a_slider_of_the_remote_does_change_the_bits(tmp_path: Path) -> None:
    alone, _ = course(tmp_path / "alone")
    changed, _ = course(tmp_path / "changed", nobody, remote_sets=0.9)
    half = FRAMES // 2
    assert changed[:half] == alone[:half]
    assert changed[-1] != alone[-1]
