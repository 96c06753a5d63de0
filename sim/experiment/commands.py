"""All commands that an experiment accepts, as dataclasses; `control.apply` carries them out.

Panels, keys, the command line and replays change an experiment only by these commands. Commands that change the course
of a run are logged with the step at which they acted (repose.sim.experiment.command_log).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from repose.sim.direction import Direction
from repose.sim.engine.thread_count import MOST_THREADS
from repose.sim.experiment.comparison import Point
from repose.sim.instruments.instrument import Instrument
from repose.sim.measure.display import AudienceGuesses
from repose.sim.message import Message
from repose.sim.parameters import ParameterError, Value
from repose.sim.wording import value_text


@dataclass(frozen=True)
class SetParameters:
    """Change parameters (SI values); refused as a whole if one of them is out of range."""

    values: Mapping[str, Value]


@dataclass(frozen=True)
class Act:
    """Perform an action of the scene, such as "fill" or "open"; refused while the scene does not offer it."""

    action: str


@dataclass(frozen=True)
class Start:
    """Start a scene with these parameters and this seed; `ready` names a prepared state to start from, `direction` is
    None for that of the scene, `instruments` are placed at the beginning."""

    scene: str
    values: Mapping[str, Value]
    seed: int
    ready: str | None = None
    direction: Direction | None = None
    instruments: tuple[Instrument, ...] = ()


@dataclass(frozen=True)
class StartSideBySide:
    """Start two to four experiments that advance to equal simulated times; refused as a whole if one is refused."""

    runs: tuple[Start, ...]


@dataclass(frozen=True)
class KeepOne:
    """Continue one of the experiments side by side from its present state; the others end."""

    run: int
    """0 for the first."""


@dataclass(frozen=True)
class From:
    """A command given while the user looks at one of the experiments side by side.

    A parameter in which the experiments differ, a pull and the removal of a grain act on this experiment only; all
    other commands act on all experiments.
    """

    run: int
    command: Any
    """A `Command`."""


@dataclass(frozen=True)
class Recover:
    """Continue from the last good state after a fault, with the given parameters."""

    values: Mapping[str, Value]


@dataclass(frozen=True)
class RemoveGrain:
    """Remove one grain; after a fault, from the last good state. Its id is not used again."""

    sphere_id: int


@dataclass(frozen=True)
class AddGrains:
    """Add loose grains at rest, as near to a position as possible without overlap."""

    position: tuple[float, ...]
    """[m]."""
    radius: float
    """[m]."""
    count: int


@dataclass(frozen=True)
class DrawWall:
    """Add a wall between two points, in the plane."""

    start: tuple[float, ...]
    end: tuple[float, ...]
    """[m]."""


@dataclass(frozen=True)
class RemoveWall:
    """Remove the drawn wall that is nearest to a point."""

    position: tuple[float, ...]
    reach: float
    """Largest distance of the wall from the point [m]."""


@dataclass(frozen=True)
class Pull:
    """Pull a sphere, or the body of which it is a member, towards a point, until `Release` or the next `Pull`."""

    sphere_id: int
    position: tuple[float, ...]
    """The point towards which the sphere is pulled [m]."""
    limit: float
    """Largest force [N]."""


@dataclass(frozen=True)
class Push:
    """Push grains out of a disc or sphere that moves to a point, until `Release` or the next `Push`."""

    position: tuple[float, ...]
    """The point to which the disc or sphere moves [m]."""
    radius: float
    """[m]."""
    limit: float
    """Largest acceleration of a grain [m/s²]."""
    speed: float
    """Speed of its motion, and of the growth of its radius at the beginning [m/s]."""
    rigid: bool
    """True for a rod, which grains hardly enter; False for a soft push, which increases towards the centre."""


@dataclass(frozen=True)
class Release:
    """End the pull and the push."""


@dataclass(frozen=True)
class Shake:
    """Shake the table, until `Still` or the next `Shake`."""

    amplitude: float
    """[m]."""
    frequency: float
    """[Hz]."""
    upright: bool
    """True for vertical, False for horizontal shaking."""


@dataclass(frozen=True)
class Still:
    """End the shaking of the table."""


@dataclass(frozen=True)
class MoveWall:
    """Move a wall with this velocity from now on; refused in a scene that moves its walls itself."""

    wall: int
    """Row of the wall, in the order in which a script gives them."""
    velocity: tuple[float | str, ...]
    """Components [m/s], each a number or the text of a curve over time."""


@dataclass(frozen=True)
class PlaceInstrument:
    """Place an instrument; no bit of the motion changes."""

    instrument: Instrument
    goes_on: bool = False
    """Whether it continues the samples of a removed instrument of its name, as undo does."""


@dataclass(frozen=True)
class SetInstrument:
    """Give the instrument of this name another place or colour; what it counts begins at zero."""

    instrument: Instrument


@dataclass(frozen=True)
class RemoveInstrument:
    """Remove an instrument."""

    name: str


@dataclass(frozen=True)
class ServoWall:
    """Let a wall keep a force or a pressure along its normal from now on; refused in a scene that moves its walls
    itself."""

    wall: int
    """Row of the wall, in the order in which a script gives them."""
    force: float | str
    """[N], a number or the text of a curve over time; 0 for a pressure."""
    pressure: float | str
    """[Pa], in the plane [N/m], likewise; 0 for a force."""
    speed: float
    """Largest speed of the wall [m/s]; 0 for one that the grains and the force set
    (repose.sim.experiment.servo_walls)."""


@dataclass(frozen=True)
class Resume:
    """Continue a run read from a file, with its log, or several of them side by side."""

    saved: Any
    """A `SavedRun` or a `SavedSideBySide`."""


@dataclass(frozen=True)
class Rewind:
    """Go to the step `at`, counted since the log began; later steps are discarded by the next other command."""

    at: int


@dataclass(frozen=True)
class TakeBack:
    """Go to the state before the latest change of a parameter, or before the latest action of the names below; later
    steps are discarded by the next other command."""

    name: str
    """Name of the parameter, or one of the names below."""


PULLED, PUSHED, SHAKEN = "pulled grain", "pushed grains", "shaken table"
REMOVED, ADDED, DRAWN = "removed grain", "added grains", "drawn wall"
"""Actions that `TakeBack` undoes: the latest pull or push with all its positions, the latest beginning or end of
shaking, removal of a grain, addition of grains, drawing or removal of a wall."""


INSTRUMENT = "instrument"
"""Name of a change of the instruments, which the window undoes by the opposite command: it changes no bit of the
motion."""


@dataclass(frozen=True)
class DoAgain:
    """Repeat the action that the latest `TakeBack` of this name has undone, from the present step on: a drag with all
    its positions, in the same number of steps."""

    name: str


@dataclass(frozen=True)
class Copy:
    """Pass a copy of the run, or of the runs side by side, to `take`, for a file that another thread writes."""

    take: Callable[[Any], None]


@dataclass(frozen=True)
class UseThreads:
    """Set the number of threads, None for automatic; results do not depend on the number of threads."""

    count: int | None


@dataclass(frozen=True)
class KeepMeasured:
    """Add measured results of other runs of a scene to the runs compared in this session."""

    scene: str
    points: Sequence[Point]


@dataclass(frozen=True)
class KeepGuesses:
    """Keep what an audience has guessed with the run, in place of earlier guesses of the same number; without values
    these are deleted. No bit of the motion changes."""

    guesses: AudienceGuesses


ByHand = RemoveGrain | AddGrains | DrawWall | RemoveWall | Pull | Push | Release | Shake | Still
"""Commands of the mouse on grains, walls and table."""

OfInstruments = PlaceInstrument | SetInstrument | RemoveInstrument
"""Commands that change what is measured, and no bit of the motion."""

Logged = SetParameters | Act | Recover | MoveWall | ServoWall | ByHand | OfInstruments
"""Commands that change the course of a run and are logged; the others start another run or change no result."""

Command = (
    Logged
    | Start
    | StartSideBySide
    | KeepOne
    | From
    | Resume
    | Rewind
    | TakeBack
    | DoAgain
    | Copy
    | UseThreads
    | KeepMeasured
    | KeepGuesses
)


Beginning = Start | StartSideBySide | Resume
"""Commands that put another experiment in place of the present one."""


def checked_threads(count: int | None) -> int | None:
    """The number of threads, if it is allowed; raises `ParameterError`."""
    whole = isinstance(count, int) and not isinstance(count, bool)
    if count is not None and not (whole and 1 <= count <= MOST_THREADS):
        raise ParameterError(
            Message(
                "threads = {count} is refused: it must be a whole number from 1 to {most_threads}, or automatic.",
                count=value_text(count),
                most_threads=MOST_THREADS,
            )
        )
    return count
