"""The closed list of what may be done to a running world: plain data, each with `apply(simulation)`.

Panels, keys, the command line and a replay file all speak this list and nothing else. Those that change the course of
a run are logged with the step they acted at (repose.sim.experiment.command_log).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from repose.sim.engine.thread_count import MOST_THREADS
from repose.sim.parameters import ParameterError, Value


@dataclass(frozen=True)
class SetParameters:
    """Change parameters (SI values); refused as a whole if one of them is out of range."""

    values: Mapping[str, Value]


@dataclass(frozen=True)
class Act:
    """Fire one of the scene's actions, such as "fill" or "open"; refused while it makes no sense."""

    action: str


@dataclass(frozen=True)
class Start:
    """Begin anew with these parameters and this seed; `ready` names a prepared state to start from."""

    scene: str
    values: Mapping[str, Value]
    seed: int
    ready: str | None = None


@dataclass(frozen=True)
class Recover:
    """Go back to the last good state after a fault, with the given parameters."""

    values: Mapping[str, Value]


@dataclass(frozen=True)
class RemoveGrain:
    """Take one grain away for good; after a fault, from the last good state. Its number is not used again."""

    sphere_id: int


@dataclass(frozen=True)
class Resume:
    """Go on with a run read from a file, its log included."""

    saved: Any
    """A `SavedRun`."""


@dataclass(frozen=True)
class Rewind:
    """Go to the moment `at` steps after the log began; what lies after it stays until something else is done."""

    at: int


@dataclass(frozen=True)
class Copy:
    """Hand out a copy of everything, to be written to a file by someone else than the physics thread."""

    take: Callable[[Any], None]


@dataclass(frozen=True)
class UseThreads:
    """Step with so many threads from now on, None for as many as are worth their while; no bit depends on it."""

    count: int | None


Logged = SetParameters | Act | Recover | RemoveGrain
"""What changes the course of a run: these stand in its log; those below begin another one, or change nothing."""

Command = Logged | Start | Resume | Rewind | Copy | UseThreads


def checked_threads(count: int | None) -> int | None:
    """A number of threads as it may be asked for; raises `ParameterError`."""
    whole = isinstance(count, int) and not isinstance(count, bool)
    if count is not None and not (whole and 1 <= count <= MOST_THREADS):
        raise ParameterError(
            f"threads = {count!r} is refused: it must be a whole number from 1 to {MOST_THREADS}, or automatic."
        )
    return count
