"""Snapshot: float32 copies to draw, numbers and the last message of a running experiment.

The physics thread fills one snapshot while the window reads another. A third is free: neither thread waits for the
other.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from repose.sim.direction import NOT_DIRECTED, Direction
from repose.sim.experiment.phase import NOT_BEGUN, Phase
from repose.sim.instruments.instrument import Instrument
from repose.sim.measure.contact_forces import ContactForces
from repose.sim.measure.display import (
    Answer,
    AudienceGuesses,
    Curve,
    Label,
    Outcome,
    Part,
    Reading,
    SampledQuantity,
    Track,
)
from repose.sim.measure.surface_slope import SurfaceSlope
from repose.sim.message import EMPTY, Message
from repose.sim.parameters import Value

Floats = NDArray[np.float32]

LARGE_OVERLAP = 0.25
"""Overlap / radius above which contact laws are outside their range of validity [-]."""
SAFE_STEP = 0.8
"""Fraction of the largest stable time step that is still safe while contacts rearrange [-]."""


@dataclass(frozen=True)
class Remedy:
    """One way to continue after a fault, from the last good state."""

    name: Literal["undo", "smaller_dt", "auto_dt", "remove_grain", "continue"]
    words: Message
    """The action in words, an imperative without a capital letter."""
    values: Mapping[str, Value] = field(default_factory=dict)
    """Parameters to set, SI."""
    sphere_id: int | None = None
    """Grain to remove."""


@dataclass(frozen=True)
class Fault:
    """Why the run stopped: a sentence, the grain concerned if there is one, and ways to continue."""

    message: Message
    sphere_id: int | None = None
    parameter: str | None = None
    """The parameter changed last before the fault, if any."""
    previous: float | int | str | None = None
    """Value of this parameter before that change."""
    remedies: tuple[Remedy, ...] = ()
    """The most likely remedy is the first."""


@dataclass(frozen=True)
class Action:
    """One action of the scene, shown as a button; enabled while it is possible."""

    name: str
    label: Message
    key: str
    enabled: bool
    help: Message
    done: bool = False
    """True once the result of the action is shown: the action can be repeated, but does not continue the experiment."""
    obstacle: Message = EMPTY
    """Why the action has to wait for the moment, in one sentence; it is not enabled then. Empty if the phase does not
    offer it."""
    pivot: tuple[float, float, float] | None = None
    """For an action that turns the scene by 180° around the x axis through this point [m]: the user can also turn the
    scene with the mouse."""


@dataclass(frozen=True)
class Notice:
    """A state of the experiment that is shown over the picture until it ends or is closed."""

    heading: Message
    text: Message
    action: str = ""
    """Name of the action to offer with the notice; empty for none."""


@dataclass(frozen=True)
class ShownPull:
    """A pulled sphere, to be drawn with a thread."""

    sphere_id: int
    position: tuple[float, ...]
    """Centre of the sphere, at which the thread is attached [m]."""
    target: tuple[float, ...]
    """Point towards which the sphere is pulled [m]."""
    force: tuple[float, ...]
    """Present force on the sphere [N]."""
    limit: float
    """The largest force [N]."""


@dataclass(frozen=True)
class DisplacementMark:
    """Positions of the grains when a phase began, from which displacements count."""

    at: int
    """Steps since the log began."""
    logs: int
    """`History.logs`."""
    phase: str
    time: float
    """Simulated time [s]."""
    sphere_id: NDArray[np.int64]
    """Shape (spheres,)."""
    position: NDArray[np.float64]
    """[m], shape (spheres, dimension). In a snapshot of a periodic world they are moved by whole periods, so that the
    displacements from there to `ShownGrains.position` are those through the borders."""


@dataclass(frozen=True)
class ShownPush:
    """A disc or sphere that pushes grains out of it."""

    position: tuple[float, ...]
    """Its centre [m]."""
    radius: float
    """[m]."""
    force: tuple[float, ...]
    """Present force of the grains on it [N]."""
    rigid: bool
    """True for a rod, False for a soft push."""


@dataclass(frozen=True)
class ShownShaking:
    """A table that shakes."""

    direction: tuple[float, ...]
    """Unit vector."""
    amplitude: float
    """[m]."""
    frequency: float
    """[Hz]."""
    phase: float
    """Cosine of the phase: 1 and -1 at the turning points [-]."""
    acceleration: float
    """Amplitude of the acceleration [m/s²]."""


@dataclass(frozen=True, eq=False)
class ParameterValues:
    """The values of a parameter set as data."""

    values: Mapping[str, Value] = field(default_factory=dict)
    """SI; empty for no set."""
    given: frozenset[str] = frozenset()
    """Names of the values that were set; the others follow from these or are defaults."""
    surfaces: Mapping[str, Any] = field(default_factory=dict)
    """Surfaces read from the files that the values name, by path."""
    curves: Mapping[str, str] = field(default_factory=dict)
    """The curves that change values over time, as texts."""


NO_PARAMETERS = ParameterValues()
"""Before there is an experiment."""


@dataclass(frozen=True)
class WallCurve:
    """A curve over time that a wall follows."""

    label: Message
    """What follows it, such as "velocity x of wall 2"."""
    unit: str
    text: str
    """The curve (repose.sim.parameter_curves)."""


@dataclass(frozen=True)
class ShownRun:
    """Which experiment it is, its time and its phase."""

    scene: str = ""
    seed: int = 0
    ready: str | None = None
    """Name of the prepared state at the beginning of the run."""
    step: int = 0
    time: float = 0.0
    """Simulated time [s]."""
    dt: float = 0.0
    """Time step in use [s]."""
    parameters: ParameterValues = NO_PARAMETERS
    """`repose.sim.experiment.parameter_values` makes the parameter set from them."""
    direction: Direction = NOT_DIRECTED
    """How it is shown unless the user has chosen something else."""
    own_answer: bool = False
    """Whether the preset has words of its own for the answer of this run, and asks another question than its scene."""
    wall_curves: tuple[WallCurve, ...] = ()
    """The curves that walls follow now."""
    time_scale: float = 1.0
    """`SceneLimits.time_scale` of these parameters [s]."""
    phase: Phase = NOT_BEGUN
    phase_label: Message = EMPTY
    """The phase in words, for example "filling: layer 12, 240 of 1100 grains"."""
    progress: float | None = None
    """Completed fraction of the phase, 0 to 1; None in phases without progress."""
    actions: tuple[Action, ...] = ()
    at_rest: bool = False
    """True if all grains stay at rest until a command: the simulated time can stop."""
    label: Message = EMPTY
    """Differences of this experiment from those side by side with it, in words; empty for a single experiment."""
    differing: frozenset[str] = frozenset()
    """Names of the parameters in which the experiments side by side differ."""


@dataclass(frozen=True)
class ShownGrains:
    """The spheres: arrays have one row for each, fixed ones included."""

    position: Floats = field(default_factory=lambda: np.empty((0, 2), np.float32))
    """Centres, along a periodic dimension in the cell of the world [m], shape (count, dimension). The members of a body
    are beside its centre, which is in the cell."""
    velocity: Floats = field(default_factory=lambda: np.empty((0, 2), np.float32))
    """Velocities of the centres [m/s], shape (count, dimension)."""
    radius: Floats = field(default_factory=lambda: np.empty(0, np.float32))
    """Radii [m], shape (count,)."""
    mass: Floats = field(default_factory=lambda: np.empty(0, np.float32))
    """Force over acceleration of each sphere for a force at its centre [kg], shape (count,): for a member less than the
    mass of its body, infinite for a sphere that cannot move."""
    body: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """Number of the rigid body of each member sphere, -1 for a loose sphere, shape (count,)."""
    fixed: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    """True for spheres of walls and base, which belong to no layer, shape (count,)."""
    sphere_id: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """Identity, unchanged when rows move, shape (count,)."""
    orientation: Floats = field(default_factory=lambda: np.empty((0, 0), np.float32))
    """Unit quaternion (w, x, y, z) in space, angle [rad] in the plane, empty without rotation;
    shape (count, 4, 1 or 0)."""
    columns: dict[str, Floats] = field(default_factory=dict)
    """Per sphere, SI, shape (count,): "speed" [m/s], "force" (sum of normal forces) [N], "pressure" (inside the sphere)
    [Pa, in the plane N/m], "coordination" [contacts], "size" (radius) [m], "layer" (of origin, -1 for fixed),
    "rotational" (energy of the spin of a sphere on its own) [J]."""
    layers: int = 0
    """Number of layers of the grains when all are poured; 0 if unknown."""
    parts: tuple[Part, ...] = ()
    """Parts of the bodies; the column "layer" is the index of the part of each sphere."""
    labels: tuple[Label, ...] = ()
    """Labels at spheres."""
    tracks: tuple[Track, ...] = ()
    """Paths of spheres."""
    mark: DisplacementMark | None = None
    """Reference state of displacements; None if there is none."""
    moving_count: int = 0
    """Number of grains that can move: loose spheres, and rigid bodies."""


@dataclass(frozen=True)
class ShownContacts:
    """Contacts and bonds: arrays have one row for each."""

    ends: Floats = field(default_factory=lambda: np.empty((0, 4), np.float32))
    """Both centres of every touching pair, of nearest images [m], shape (contacts, 2 * dimension)."""
    force: Floats = field(default_factory=lambda: np.empty(0, np.float32))
    """Normal force [N], shape (contacts,)."""
    forces: ContactForces | None = None
    """Forces of all contacts; None if the picture does not show them."""
    bonds: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), np.int64))
    """Rows of the two spheres of every intact bond, shape (bonds, 2)."""


@dataclass(frozen=True)
class ShownInstrument:
    """An instrument with its present values."""

    instrument: Instrument
    outline: tuple[NDArray[np.float64], ...] = ()
    """Lines to draw [m], each of shape (points, dimension)."""
    handles: tuple[tuple[float, ...], ...] = ()
    """Places at which the mouse changes it [m]."""
    readings: tuple[Reading, ...] = ()
    """What is written beside it."""
    symbols: tuple[str, ...] = ()
    """Symbol of each reading."""
    since: float | None = None
    """Simulated time at which its count began [s]; None if it counts nothing."""


@dataclass(frozen=True)
class ShownGeometry:
    """What is around the grains, and the region to show."""

    gravity: tuple[float, ...] = ()
    """Acceleration of free fall in the frame of the table, at present [m/s²], one entry per dimension."""
    box: tuple[tuple[float, ...], tuple[float, ...]] = ((0.0, 0.0), (1.0, 1.0))
    """Lower and upper corner of the region of space to show [m]."""
    focus: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    """Lower and upper corner of the region that stays in view when the camera follows the grains [m]; None for the
    whole box."""
    followed: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    """Lower and upper corner of the region in which the camera follows grains [m]; None for the whole box."""
    facets: Floats = field(default_factory=lambda: np.empty((0, 2, 2), np.float32))
    """Walls to draw [m]: corners of triangles in space, ends of lines in the plane;
    shape (facets, dimension, dimension)."""
    solid: Floats = field(default_factory=lambda: np.empty((0, 2, 3, 3), np.float32))
    """Surface of a body in space, drawn opaque: corners of triangles [m], and unit normals at them, outwards;
    shape (triangles, 2, 3, 3)."""
    ghosts: Floats = field(default_factory=lambda: np.empty((0, 4), np.float32))
    """Positions of spheres in space according to a closed form: centre and radius [m], shape (ghosts, 4)."""
    boundary: NDArray[np.float64] = field(default_factory=lambda: np.empty((2, 0)))
    """`State.boundary`: lowest coordinate of the cell and period along each dimension [m], 0 for an open one, shape
    (2, dimension); shape (2, 0) if no dimension is periodic."""
    liquid: tuple[float, float] | None = None
    """Heights of bottom and surface of a liquid over the whole width of the picture [m]."""
    instruments: tuple[ShownInstrument, ...] = ()


@dataclass(frozen=True)
class ShownHand:
    """What the hand of the user does to the grains."""

    pull: ShownPull | None = None
    """The present pull; None for no pull."""
    push: ShownPush | None = None
    """The present push; None for no push."""
    shaking: ShownShaking | None = None
    """The present shaking of the table; None for no shaking."""


@dataclass(frozen=True)
class ShownResults:
    """Measured numbers, plots and samples over time."""

    slope: SurfaceSlope | None = None
    """Slope to draw on the grains (`Scene.view.slope`)."""
    slope_since: Message = EMPTY
    """The event from which on there is a slope, in words."""
    readings: tuple[Reading, ...] = ()
    """Readings of the scene."""
    bulk_readings: tuple[Reading, ...] = ()
    """Readings of the measurements (repose.sim.measure)."""
    outcomes: tuple[Outcome, ...] = ()
    """Measured outcomes beside those that the task of the scene states; empty before the end of the run."""
    answer: Answer | None = None
    """Answer of the run to the question of its scene; None before its end."""
    audience: AudienceGuesses | None = None
    """What an audience has guessed last, if the audience sees it."""
    curves: tuple[Curve, ...] = ()
    measured: int = 0
    """Runs of this scene measured in this session."""
    comparison: Curve | None = None
    """Comparison of these runs; None in scenes without comparison."""
    mean_speed: float = 0.0
    kinetic_energy: float = 0.0
    energy: dict[str, float] = field(default_factory=dict)
    """The energy ledger [J]: see `repose.sim.measure.energy`."""
    series: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """Samples over time, SI units, each shape (samples,): "time" [s], and every measurement by name; nan stands for a
    missing value."""
    quantities: tuple[SampledQuantity, ...] = ()
    """The measurements in `series`, in the order in which they are shown."""


@dataclass(frozen=True)
class ShownDissipation:
    """The energy that viscous terms dissipated from check to check: the latest entries, in order of time."""

    interval_end: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    """End of each interval [s], shape (entries,)."""
    interval_energy: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    """Energy dissipated in the interval [J], shape (entries,)."""


@dataclass(frozen=True)
class ShownStability:
    """Time step and overlaps against their limits."""

    contact_time: float = 0.0
    """Contact duration of a typical impact, over which changes of stiffness act [s]."""
    largest_overlap: float = 0.0
    """Largest overlap / radius of the smaller sphere that can move [-]."""
    omega_dt: float = 0.0
    """Largest angular frequency of a present contact times dt [-]."""
    omega_dt_limit: float = 1.0
    """Largest stable value of `omega_dt` at the damping ratio of that contact [-]."""
    dt_warning: Message = EMPTY
    """Consequence of a fixed time step that is too large; empty if the step is small enough."""
    dt_inaccurate: bool = False
    """Whether the step of `dt_warning` is stable, but too large for the rotation of a body."""


@dataclass(frozen=True)
class ShownHistory:
    """Place in the log of the run."""

    at: int = 0
    """Steps since the log began; not reset when the time of the run begins anew."""
    log_end: int = 0
    """Last step reached; larger than `at` while an earlier state is shown."""
    cuts: int = 0
    """How often later steps were discarded because the run continued from an earlier state."""
    logs: int = 0
    """How often another experiment was begun or opened."""
    starts: int = 0
    """Commands that begin another experiment: how many were carried out or refused."""
    begun_by: int = 0
    """Number, as counted by `starts`, of the command that began this experiment; 0 for the first experiment."""
    commands: int = 0
    """Commands in the log: 0 until the user does something."""
    moments: tuple[tuple[int, float], ...] = ()
    """Steps since the log began and simulated time [s] of the checkpoints."""
    moments_bytes: int = 0
    """Memory of the checkpoints [bytes]."""
    moments_budget: int = 0
    """Largest memory of the checkpoints [bytes]."""


@dataclass(frozen=True)
class ShownMessages:
    """What the experiment says to the user."""

    latest: Message = EMPTY
    """The last event, one sentence."""
    repeats: bool = False
    """True while the message says the same as `phase_label`."""
    count: int = 0
    """Number of messages so far: two in a row may be equal."""
    notice: Notice | None = None
    """Notice of the scene, or of a gap in the energy ledger."""
    refusal: Message = EMPTY
    """Why the last command was refused, those of a drag with the mouse left aside if they were accepted; empty if it
    was accepted."""
    refusals: int = 0
    """Number of refused commands."""
    refused_drags: int = 0
    """Number of refused pulls and pushes among them."""
    refused_action: bool = False
    """Whether the refused command was an action of the scene, which was possible in the picture that the user saw."""
    fault: Fault | None = None


@dataclass(frozen=True)
class ShownEngine:
    """What the physics thread is doing, and how fast."""

    paused: bool = False
    compiling: bool = False
    """True while an engine is being compiled and nothing can move."""
    needed: tuple[str, ParameterValues] | None = None
    """Scene and parameters whose engine is being compiled; None if none is, and before they are known."""
    lacking: tuple[str, ...] = ()
    """What is being compiled of this engine: names of `repose.sim.study.preparation.PARTS`."""
    relaxing: float | None = None
    """Completed fraction of a long relaxation; None without one."""
    realtime_factor: float = 0.0
    """Simulated / wall time, over the last half second."""
    steps_per_second: float = 0.0
    threads_asked: int | None = None
    """Requested number of threads; None for automatic."""
    threads_wanted: int = 1
    """Number of threads that the program would choose now."""
    threads_crowded: Message = EMPTY
    """Why fewer threads than allowed step the grains, one sentence; empty if all do."""


@dataclass
class Snapshot:
    """The state of a run at one time: records of arrays, numbers, messages and names.

    It has no function and no class that is made while the program runs, so that another process can read it. A record
    is replaced as a whole, never changed: a shallow copy of a snapshot stays as it is.
    """

    serial: int = 0
    """Increases with every published snapshot."""
    run: ShownRun = field(default_factory=ShownRun)
    grains: ShownGrains = field(default_factory=ShownGrains)
    contacts: ShownContacts = field(default_factory=ShownContacts)
    geometry: ShownGeometry = field(default_factory=ShownGeometry)
    hand: ShownHand = field(default_factory=ShownHand)
    results: ShownResults = field(default_factory=ShownResults)
    dissipation: ShownDissipation = field(default_factory=ShownDissipation)
    stability: ShownStability = field(default_factory=ShownStability)
    history: ShownHistory = field(default_factory=ShownHistory)
    messages: ShownMessages = field(default_factory=ShownMessages)
    engine: ShownEngine = field(default_factory=ShownEngine)
    beside: tuple[Snapshot, ...] = ()
    """The other experiments side by side with this one, at the same time."""


def placed_in(snapshot: Snapshot) -> tuple[Instrument, ...]:
    """The instruments of a snapshot."""
    return tuple(shown.instrument for shown in snapshot.geometry.instruments)


class TripleBuffer:
    """Three snapshots: one being written, one being read, one between them.

    The lock guards the exchange of two references only.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._writing, self._between, self._reading = Snapshot(), Snapshot(), Snapshot()
        self._fresh = False

    @property
    def writing(self) -> Snapshot:
        """The snapshot that the writer fills; the reader sees it only after `publish`."""
        return self._writing

    def publish(self) -> None:
        """Make the written snapshot the newest; older snapshots are no longer read."""
        with self._lock:
            self._writing, self._between = self._between, self._writing
            self._fresh = True

    @property
    def taken(self) -> bool:
        """Whether the newest snapshot has been read."""
        return not self._fresh

    def latest(self) -> Snapshot:
        """The newest snapshot; it does not change until the next call."""
        with self._lock:
            if self._fresh:
                self._reading, self._between = self._between, self._reading
                self._fresh = False
            return self._reading
