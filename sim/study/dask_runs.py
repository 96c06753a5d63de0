"""Runs of studies on many machines with Dask distributed (optional extra `dask`).

Every run is done as in `repose.sim.study.parallel_runs`, with the same bits. The result is returned as text and written
by this process. A machine with another version of Repose, numba or numpy is refused, because its results could differ.
The scheduler repeats a run whose worker dies on another worker, up to its limit of failures.
"""

from __future__ import annotations

import asyncio
import logging
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import metadata
from typing import Any

from repose.sim.io.atomic_file import write_whole_file
from repose.sim.parameters import ParameterError
from repose.sim.study.parallel_runs import Task, result_text
from repose.sim.wording import described, short

PATIENCE = 10.0
"""Longest wall time to wait for a scheduler, and for its first worker [s]."""
LISTEN_INTERVAL = 0.2
"""Wall time between two checks of the runs [s]."""

Identity = Mapping[str, str]


def identity() -> Identity:
    """The versions that must be equal on all machines for equal bits."""
    from repose.sim.engine.jit import fingerprint

    packages = {name: metadata.version(name) for name in ("repose", "numba", "numpy")}
    return {**packages, "python": platform.python_version_tuple()[1], "engine": fingerprint()[:12]}


def differing(ours: Identity, theirs: Identity, who: str) -> str:
    """The first difference in a sentence, or an empty string."""
    for name in ours:
        if ours[name] != theirs.get(name):
            return f"the worker {who} has {name} {theirs.get(name)}, and this machine {ours[name]}: use equal versions."
    return ""


def remote(task: Task, ours: Identity) -> str:
    """The result of a run as text, computed on the calling machine; raises `ParameterError` for other versions."""
    if words := differing(ours, identity(), platform.node()):
        raise ParameterError(words)
    return result_text(task)


def connect(address: str) -> Any:
    """A client of the scheduler at that address, all of whose workers have the versions of this machine; raises
    `ParameterError`."""
    try:
        from distributed import Client
    except ImportError:
        raise ParameterError(
            "--dask needs the package distributed, which is not installed: install repose[dask]."
        ) from None
    _silence()
    try:
        asyncio.run(_answer(address))
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except MemoryError:  # the first bytes of another protocol, read as the length of a message
        raise ParameterError(f"--dask {address}: the server there is no scheduler of Dask.") from None
    except Exception as error:  # a server of another kind may answer in any way
        raise ParameterError(f"--dask {address}: no scheduler answers there ({described(error)}).") from None
    try:
        _require_equal(client, address)
    except BaseException:
        client.close()
        raise
    return client


def _silence() -> None:
    """Keep the loggers of distributed, which write to standard error, from printing tracebacks of lost connections.

    Its import gives some of them levels of their own, which the level of their parent does not change.
    """
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
    for name in ("distributed", *names):
        logging.getLogger(name).setLevel(logging.CRITICAL)


async def _answer(address: str) -> None:
    """Return once a server of Dask answers; raises what the connection raises.

    A `Client` without a scheduler would delay the end of the program by twice its timeout, with a traceback.
    """
    from distributed import Security
    from distributed.comm import connect

    comm = await connect(address, timeout=PATIENCE, **Security().get_connection_args("client"))
    await comm.close()


def _require_equal(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        identities = client.run(identity)
    except (TimeoutError, OSError):
        raise ParameterError(f"--dask {address}: the scheduler has no workers: start some with dask worker.") from None
    except (ImportError, AttributeError) as error:
        raise ParameterError(f"--dask {address}: a worker cannot import Repose ({described(error)}).") from None
    ours = identity()
    for who, theirs in identities.items():
        if words := differing(ours, theirs, who):
            raise ParameterError(f"--dask {address}: {words}")


def run_on_dask(
    address: str,
    tasks: Sequence[Task],
    workers: int,
    *,
    on_progress: Callable[[str, float], None],
    on_end: Callable[[Task, str], Sequence[Task] | None],
) -> None:
    """Do all tasks on the workers of a scheduler; arguments as those of `parallel_runs.run_all`, and the number of
    workers is that of the scheduler. An exception of a callback ends all runs."""
    client, ours = connect(address), identity()
    try:
        submit = partial(client.submit, remote, ours=ours, pure=False)
        running = {submit(task): task for task in tasks}
        total, done = len(running), 0
        while running:
            time.sleep(LISTEN_INTERVAL)
            for future in [future for future in running if future.done()]:
                task = running.pop(future)
                lost = _kept(task, future)
                done += 1
                more = on_end(task, lost) or ()
                running |= {submit(one): one for one in more}
                total += len(more)
            if client.status != "running":
                for task in running.values():
                    on_end(task, "the scheduler is gone; the same command with --resume repeats it")
                return
            on_progress(f"{len(running)} runs with {address}", done / max(total, 1))
    finally:
        with suppress(Exception):
            client.cancel([*running], force=True)
        client.close()


def _kept(task: Task, future: Any) -> str:
    """Write the result of a finished run; returns why there is no result, or an empty string."""
    try:
        text = future.result()
    except Exception as error:  # of the run, of its worker, or of the scheduler
        return _first_sentence(error)
    write_whole_file(task.path, lambda file: file.write(text.encode("utf-8")))
    return ""


def _first_sentence(error: Exception) -> str:
    if type(error).__name__ == "KilledWorker":
        return "its workers died, each time that it was begun; the same command with --resume repeats it"
    if type(error).__name__.endswith("CancelledError"):  # of asyncio, and of distributed's futures
        return "the scheduler is gone; the same command with --resume repeats it"
    return short(str(error).partition("\n")[0]) or type(error).__name__


def on_dask(address: str) -> Callable[..., None]:
    """A function that does the runs of a study with the scheduler at this address instead of local processes."""
    return partial(run_on_dask, address)
