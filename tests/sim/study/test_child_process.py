"""Processes that the program starts: Ctrl-C, which reaches the whole group, does not interrupt their imports."""

from __future__ import annotations

import signal
from multiprocessing import get_context
from multiprocessing.connection import Connection

from repose.sim.study.child_process import start_shielded

from tests.app.program import UNIX


def tell_blocked(tell: Connection) -> None:
    """Send whether SIGINT is blocked, as it was while this process imported its modules."""
    tell.send(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))


@UNIX
def test_ctrl_c_is_blocked_in_a_process_from_its_first_instant_and_not_in_its_parent() -> None:
    context = get_context("spawn")
    heard, tell = context.Pipe(duplex=False)
    process = context.Process(target=tell_blocked, args=(tell,), daemon=True)
    start_shielded(process)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert heard.poll(60)
    assert heard.recv()
    process.join()
