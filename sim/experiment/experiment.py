"""One running experiment as data: scene, parameters, what changes while it runs, compiled functions, history.

These records hold values; the functions in the other modules of this package change them. The docstring of a field
names the one module that writes it. `Scene` is defined here because its functions take an `Experiment`, which in turn
names its scene.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray
from repose.sim import scene_fields
from repose.sim.direction import Direction
from repose.sim.engine.contacts.contact_table import ContactTable
from repose.sim.engine.model import Coefficients, Model
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.checkpoints import Checkpoints
from repose.sim.experiment.command_log import Entry, Log
from repose.sim.experiment.comparison import Point, ResultNumber, Study
from repose.sim.experiment.dissipation_record import DissipationRecord
from repose.sim.experiment.latest import Latest
from repose.sim.experiment.phase import Phase
from repose.sim.experiment.run import Change, RestartPoint, Run
from repose.sim.experiment.snapshot import LARGE_OVERLAP, Action, Fault, Notice
from repose.sim.experiment.thread_choice import ThreadChoice
from repose.sim.io.lammps.wall_motion import WallMotion
from repose.sim.measure.display import Answer, AudienceGuesses, Curve, Guess, Label, Outcome, Part, Reading, Track
from repose.sim.measure.grains import with_fixed
from repose.sim.measure.surface_slope import SurfaceSlope
from repose.sim.message import EMPTY, Message, _
from repose.sim.parameters import ParameterError, ParameterSet, Value
from repose.sim.scene_fields import SceneRecord

CHECK_STEPS = 50
"""Steps between two checks of faults, scene and series. They are counted from the beginning of the run and not per
call, so that a run has the same bits for every size of batch."""

WITHOUT_LIMIT = 1 << 62
"""Largest value of `Session.seek_steps`."""

FIRST_SLOPE = _("the first slope")
"""Usual zero of the time axis of plots."""


@dataclass(frozen=True, kw_only=True)
class ModelChoice(SceneRecord):
    """Which functions and which kinds of spheres a scene needs, chosen by its parameters."""

    PLACE: ClassVar[str] = "model"

    law: str
    """Contact law of the default parameters."""
    dimension: int
    smallest_grain: Callable[[Any], tuple[float, float]]
    """smallest_grain(parameters) -> mass [kg] and radius [m] of the smallest expected grain, for the first dt."""
    rotates: Callable[[Any], bool] = lambda parameters: False
    """Whether grains rotate."""
    fields: Callable[[Any], tuple[str, ...]] = lambda parameters: ()
    """Names of the fields that act on the spheres besides gravity (repose.sim.fields); the parameters of the scene
    include the parameters of these fields."""
    bond: Callable[[Any], str] = lambda parameters: ""
    """Name of the bond law (repose.sim.bonds), whose parameters the scene includes; empty for a scene without bonds."""
    bodies: Callable[[Any], bool] = lambda parameters: False
    """Whether the world may contain rigid bodies of several spheres."""
    machines: tuple[int, ...] = ()
    """Rows of the rigid bodies that a machine moves: they are walls, and no grains that measurements count."""


@dataclass(frozen=True, kw_only=True)
class Course(SceneRecord):
    """How the experiment begins, goes on, is acted on, ends, and what it finds."""

    PLACE: ClassVar[str] = "course"

    begin: Callable[[Any, int], tuple[World, Any]]
    """begin(parameters, seed) -> the world at rest and the state of the scene (a dataclass)."""
    supervise: Callable[[Experiment], None]
    """Called every `CHECK_STEPS` steps: advances the phases, adds and removes spheres."""
    actions: Callable[[Experiment], tuple[Action, ...]]
    act: Callable[[Experiment, str], Message]
    """act(experiment, action) -> what was done, one sentence."""
    phases: tuple[Phase, ...]
    """Every phase of the scene; `phase` in its state is the name of one of them."""
    describe: Callable[[Experiment], tuple[str, Message, float | None]]
    """describe(experiment) -> phase, the phase in words, completed fraction [-] or None."""
    results: Callable[[Experiment], dict[str, Any]]
    """Numbers that the scene adds to result.json."""
    check: Callable[[Experiment], Message]
    """Physical check of the scene after a complete run: the deviation in a sentence, or an empty string."""
    under_way: Callable[[Experiment], bool] = lambda experiment: experiment.present_phase.runs
    """Whether the experiment continues without a command; False if it needs an action of the user."""
    measure: Callable[[Experiment], Any] = lambda experiment: None
    """The present measurement of the scene, or None; its field `angle` [rad], if present, is sampled in the series."""
    readings: Callable[[Experiment], tuple[Reading, ...]] = lambda experiment: ()
    """Numbers to show beside the picture."""
    later_readings: tuple[str, ...] | None = None
    """Names of the readings that exist only later in a run, ending in `_1` for a name with the number of a row; None if
    they are not known, so that no lecture is refused for the name of a reading."""
    result_numbers: Mapping[str, ResultNumber] = field(default_factory=dict)
    """How numbers of `results` are shown that a study can measure, by the last part of their names; others have no unit
    and the words of their names."""
    flanks: int = 0
    """Number of flanks of the heap whose `profile` is in `results`: height of the surface over x at several times, as
    in a picture; 0 without one."""
    outcomes: Callable[[Experiment], tuple[Outcome, ...]] = lambda experiment: ()
    """The outcomes that the task of the scene states, beside the measured ones; empty before the end of the run."""
    find_answer: Callable[[Experiment], Answer | None] = lambda experiment: None
    """The answer of the run to the question of the scene, one sentence with its number; None before its end."""
    answer_values: tuple[str, ...] = ()
    """Names of the values of this sentence that the answer of a preset can contain; a value may exist in some runs
    only."""
    notice: Callable[[Experiment], Notice | None] = lambda experiment: None
    """A state to show over the picture, or None."""
    invalid_state: Callable[[Any, World, Any], Message | None] = lambda state, world, built: None
    """invalid_state(state, world, parameters with which the world was built) -> what in a state from a file is
    impossible in this scene, in words; None if the state is possible."""
    turned: Callable[[Any], float] = lambda state: 0.0
    """turned(state) -> angle by which the scene itself has tilted the table, in addition to the parameter `tilt`
    [rad]."""
    wall_motion: Callable[[Experiment], WallMotion] = lambda experiment: None
    """How the scene moves all walls together from now on, for exports; None if they keep their velocities."""
    held_velocities: Callable[[Experiment], Floats | None] = lambda experiment: None
    """Velocities to show of spheres that the scene holds where they are at its end, such as the arrows of bodies that
    fly away [m/s], shape (spheres, dimension); None for those that they have."""
    prepared: Mapping[str, Callable[[ParameterSet], tuple[World, Any] | None]] = field(default_factory=dict)
    """Prepared states by name: a function of the parameters that returns the world and the state of the scene, or None
    if the state was prepared with other grains or walls. Raises `ParameterError` if the file cannot be read."""


@dataclass(frozen=True, kw_only=True)
class SceneView(SceneRecord):
    """What of the experiment is shown in picture and plots."""

    PLACE: ClassVar[str] = "view"

    box: Callable[[Experiment], tuple[tuple[float, ...], tuple[float, ...]]]
    """Lower and upper corner of the part of space to show [m]."""
    focus: Callable[[Experiment], tuple[tuple[float, ...], tuple[float, ...]] | None] = lambda experiment: None
    """Lower and upper corner of the region that stays in view when the camera follows the grains [m]; None for the
    whole box."""
    followed: Callable[[Experiment], tuple[tuple[float, ...], tuple[float, ...]] | None] = lambda experiment: None
    """Lower and upper corner of the region in which the camera follows grains [m]: what leaves it leaves the picture;
    None for the whole box."""
    facets: Callable[[Experiment], Floats | None] = lambda experiment: None
    """Walls to draw [m], shape (facets, dimension, dimension); None draws the facets of the world."""
    parts: tuple[Part, ...] = ()
    """Parts of the bodies, drawn in different colours; part k has the layer k. Empty if layers are those of a
    packing."""
    layers: Callable[[Experiment], int] = lambda experiment: 0
    """Number of layers of the grains when all are poured; 0 if unknown."""
    liquid: Callable[[Experiment], tuple[float, float] | None] = lambda experiment: None
    """Heights of bottom and surface of a liquid over the whole width of the picture [m], in the plane; None for a scene
    without liquid."""
    slope: Callable[[Experiment], SurfaceSlope | None] = lambda experiment: None
    """The latest measured slope, to be drawn on the grains, or None."""
    slope_since: Message = FIRST_SLOPE
    """The event from which on there is a slope, in words: the zero of the time axis of plots."""
    curves: Callable[[Experiment], tuple[Curve, ...]] = lambda experiment: ()
    """Plots of the scene: the run and the law that it should follow."""
    later_curves: tuple[Curve, ...] = ()
    """Plots that exist only after an action, without lines."""
    labels: Callable[[Experiment], tuple[Label, ...]] = lambda experiment: ()
    """Labels at spheres in the picture, for scenes that compare a few spheres."""
    tracks: Callable[[Experiment], tuple[Track, ...]] = lambda experiment: ()
    """Paths to draw in space, of the run and of a closed form."""
    ghosts: Callable[[Experiment], Floats | None] = lambda experiment: None
    """Positions of spheres in space according to a closed form: centres and radii [m], shape (ghosts, 4)."""


@dataclass(frozen=True, kw_only=True)
class Hand(SceneRecord):
    """What the user can change by hand while the experiment runs."""

    PLACE: ClassVar[str] = "hand"

    on_grain_removed: Callable[[Experiment, int], None] | None = None
    """Called with the row of a grain before the grain is removed; updates the scene's counters. None if every grain is
    needed."""
    add_grains: Callable[[Experiment, Floats, Floats], None] | None = None
    """add_grains(experiment, centres, radii): adds loose grains at rest, centres (n, dimension) [m] and radii (n,) [m],
    and counts them. None if the scene has no loose grains to add."""
    keeps_out: Callable[[Experiment, Floats, Floats], NDArray[np.bool_]] | None = None
    """keeps_out(experiment, centres, radii): True for grains that would leave the scene as soon as they are added, or
    that would be inside a solid body, shape (n,). None if there are no such positions."""
    free_walls: bool = False
    """Whether the user can draw walls, in the plane. The scene then has no walls of its own, and counts and moves
    none."""
    moves_walls: bool = False
    """Whether a script can give its walls other velocities (`commands.MoveWall`)."""
    rebuild: Callable[[Experiment, Any], None] | None = None
    """rebuild(experiment, parameters): rebuilds walls and base under the present grains, books the work and updates
    `Run.built`. None if a change of the base restarts the experiment."""


@dataclass(frozen=True, kw_only=True)
class SceneLimits(SceneRecord):
    """Numbers with which the window judges and shows the run."""

    PLACE: ClassVar[str] = "limits"

    overlap_limit: float = LARGE_OVERLAP
    """Overlap / radius above which the window warns; larger for a published model with soft contacts [-]."""
    time_scale: Callable[[Any], float] = lambda built: 1.0
    """time_scale(parameters) -> the duration that is a second in other scenes [s]: far below 1 s for an impact of
    microseconds. Samples, waits for rest and the speeds of window, films and lectures are in units of it."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A recipe for a world and the course of an experiment: texts, parameters, and records of data and functions."""

    name: str
    title: Message
    summary: Message
    direction: Direction
    parameters: type[ParameterSet]
    """Class of the parameters. With a parameter `law` the user can select the law
    (repose.sim.scenes.common.law_choice)."""
    model: ModelChoice
    course: Course
    view: SceneView
    hand: Hand = Hand()
    limits: SceneLimits = SceneLimits()
    group: str = ""
    """Heading in the list of scenes: "checks" for comparisons with closed forms, "bodies" for large particles; empty
    for packings in plane or space, by dimension."""
    guess: Guess | None = None
    """The number that an audience guesses before the run; None for a scene without a question."""
    lecture: tuple[str, ...] = ()
    """The parameters that matter in a lecture, by name, four or five; the window shows them first."""
    study: Study | None = None
    """How its runs are compared in the window and by `repose sweep`; None if they are not compared."""
    test_values: Mapping[str, Value] = field(default_factory=dict)
    """Parameters of a small experiment that ends within seconds, for the tests."""
    made_of: Any = None
    """The data of which a scene that is in no list is made again (`repose.sim.scenes.common.by_hand`); None for a scene
    in the list."""

    def __new__(cls, **named: Any) -> Self:
        """Raise `ParameterError` with an example for a field that is missing or belongs in a record, before Python
        names all of them."""
        if named:  # a copy is made without arguments
            scene_fields.require_records(cls, named)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Raise `ParameterError` if the phases cannot be told apart by their names."""
        given = self.course.phases if isinstance(self.course.phases, tuple) else ()
        names = {phase.name for phase in given if isinstance(phase, Phase) and scene_fields.is_name(phase.name)}
        if not given or len(names) < len(given):
            raise scene_fields.no_phases(self.name)

    @property
    def plots(self) -> tuple[str, ...]:
        """The data that the scene has for plots from the beginning of a run on (`Plot.needs`)."""
        slope = () if self.course.measure is Course.measure else ("slope",)
        # Cohesive particles of large bodies only touch when they are pressed hard.
        contacts = () if self.group == "bodies" else ("contacts",)
        packing = () if self.group else ("packing",)
        return ("", *slope, *contacts, *packing)

    @property
    def state_type(self) -> type:
        """The dataclass of the scene's state, from the type annotation of `begin`; raises `ParameterError`."""
        try:
            state: type = get_args(get_type_hints(self.course.begin)["return"])[1]
        except (KeyError, IndexError, NameError, TypeError):
            raise ParameterError(
                Message(
                    "The scene '{name}' cannot be used: the annotation of its function begin must name the "
                    "dataclass of its state, as in begin(parameters, seed) -> tuple[World, State].",
                    name=self.name,
                )
            ) from None
        return state

    def phase(self, name: str) -> Phase:
        """The phase of this name; raises `ParameterError` if the scene does not declare it."""
        present = next((phase for phase in self.course.phases if phase.name == name), None)
        if present is None:
            raise scene_fields.unknown_phase(self.name, name, self.phase_names)
        return present

    @property
    def phase_names(self) -> tuple[str, ...]:
        """Names of the phases, in the order in which the scene declares them."""
        return tuple(phase.name for phase in self.course.phases)

    def law_of(self, parameters: ParameterSet) -> str:
        """Name of the contact law that these parameters select."""
        return str(getattr(parameters, "law", self.model.law))


class Effective(NamedTuple):
    """The coefficients that follow from values of the parameters, as the compiled functions read them."""

    law: tuple
    gravity: tuple[float, ...]
    fields: tuple
    bond: tuple


@dataclass(frozen=True)
class Formulas:
    """What a model was made of: it is made again only if one of these has changed."""

    scene: Scene
    built: Any
    """`Run.built`."""
    selected_by: Mapping[str, Any]
    """Values of the parameters that were read when the formulas were selected, by name."""


@dataclass
class Engine:
    """Compiled functions and the coefficients that they read, which follow from the parameters. All written by
    `activation`."""

    model: Model
    formulas: Formulas
    advance: Callable[..., tuple[int, int, int]]
    """The compiled step loop (repose.sim.engine.composition)."""
    survey: Callable[..., Survey]
    """survey(world, params, coefficients)."""
    contact_table: Callable[..., ContactTable]
    """table(world, params, walls_only)."""
    law_parameters: tuple
    """Parameter values in effect that the law reads."""
    gravity: tuple[float, ...]
    """[m/s²], one entry per dimension."""
    field_coefficients: tuple = ()
    """Parameter values in effect that the fields of the scene read."""
    bond_coefficients: tuple = ()
    """Numbers that the bond law reads."""
    requested: Effective | None = None
    """The coefficients of the requested parameters during a ramp; None without a ramp."""
    dt_check_steps: int = 1
    """Steps between two checks of the time step."""
    contact_time: float = 0.0
    """Contact duration of a typical impact [s]; changes of stiffness act over this time."""


class Seek(NamedTuple):
    """The step to which the experiment goes, forwards or backwards."""

    origin: int
    """First step of the way, counted since the log began."""
    at: int
    """Last step of the way, counted since the log began."""
    last: int
    """Number of log entries that are carried out when the last step is reached."""


@dataclass
class History:
    """The log of commands and the states to which an experiment can return. All written by `history`."""

    log: Log
    good: RestartPoint
    """Last good state: the state that a fault restores."""
    before_change: RestartPoint
    """State before the latest parameter change: the state that a fault attributed to this change restores."""
    last_change: Change = field(default_factory=Change)
    checkpoints: Checkpoints = field(default_factory=Checkpoints)
    at: int = 0
    """Steps done since the log began."""
    commands: int = 0
    """Number of log entries carried out."""
    seek: Seek | None = None
    cuts: int = 0
    """How often later log entries were discarded."""
    logs: int = 0
    """How often a log was begun or opened."""
    undone: list[tuple[str, list[Entry]]] = field(default_factory=list)
    """Actions that were undone, the latest last: name, and commands with steps counted from the first command."""


@dataclass
class Session:
    """Data that outlast a restart of the experiment and change no result."""

    threads: int | None = None
    """Number of threads of the step loop; None for automatic. Written by `control`."""
    thread_choice: ThreadChoice = field(default_factory=ThreadChoice)
    """Fewer threads while other programs use the processors. Written by `stepping`."""
    spare_processors: int = 0
    """Processors left free if the number of threads is automatic. Written by `side_by_side`; `physics`, the thread of
    the window, gives the first value."""
    seek_steps: int = WITHOUT_LIMIT
    """Largest number of steps that a rewind may do within one command. Written by `runner`."""
    before_compiling: Callable[[Any], None] = lambda experiment: None
    """Called with the experiment before a model is compiled, which takes seconds. Written by `physics`, the thread of
    the window."""
    while_relaxing: Callable[[Any, float | None], bool] = lambda experiment, share: False
    """Called with the experiment and the completed fraction while a packing is relaxed, which takes seconds for a large
    packing, and with None at the end; a return value True stops the relaxation. Written by `physics`, the thread of the
    window."""
    dissipation: DissipationRecord = field(default_factory=DissipationRecord)
    """Energy dissipated from check to check. Written by `stepping`."""
    measured: dict[str, list[Point]] = field(default_factory=dict)
    """Results of the runs of this session, by scene. Written by `results`."""
    latest: defaultdict[str, Latest] = field(default_factory=lambda: defaultdict(Latest))
    """Latest measurements for the picture only, by name. Written by `take_snapshot`."""
    shown: dict[str, Any] = field(default_factory=dict)
    """Marks for the picture only. Written by `displacement_reference`."""


@dataclass
class Experiment:
    """One running experiment."""

    scene: Scene
    """Written by `changes`."""
    seed: int
    """Written by `changes`."""
    ready: str | None
    """Name of the prepared state at the beginning of the run. Written by `changes`."""
    parameters: Any
    """Requested values; the values in effect are in `engine`. Written by `activation`."""
    direction: Direction
    """How it is shown: the direction of the scene, with the parts that its preset replaces. Written by `changes`."""
    run: Run
    """Everything that changes with time; its docstrings name the modules that write its fields. Written by
    `activation`."""
    engine: Engine
    """Written by `activation`."""
    history: History
    """Made by `changes` together with the experiment, and never replaced."""
    fault: Fault | None = None
    """Why the run has stopped. Written by `faults`."""
    message: Message = EMPTY
    """The last event, one sentence. Written by `notices`."""
    message_repeats: bool = False
    """Whether the message says the same as the phase label. Written by `notices`."""
    messages: int = 0
    """Number of messages so far: two in a row may be equal. Written by `notices`."""
    audience: tuple[AudienceGuesses, ...] = ()
    """What an audience has guessed, the latest last. Written by `results` and `changes`."""
    session: Session = field(default_factory=Session)
    """Made together with the experiment, and never replaced."""

    @property
    def step(self) -> int:
        """Steps done since the world was built."""
        return self.run.step

    @property
    def dt(self) -> float:
        """Time step in use [s]."""
        return self.run.dt

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.run.time

    @property
    def grains(self) -> World:
        """The world in which what a machine moves is fixed: that of every measurement over grains."""
        return with_fixed(self.run.world, self.scene.model.machines)

    @property
    def coefficients(self) -> Coefficients:
        """The coefficients that fields and bonds read, with the time and step of the last change of dt."""
        return Coefficients(
            self.engine.field_coefficients, self.engine.bond_coefficients, self.run.clock_time, self.run.clock_step
        )

    @property
    def coefficients_now(self) -> Coefficients:
        """The coefficients that fields and bonds read, with the present time and step."""
        return Coefficients(self.engine.field_coefficients, self.engine.bond_coefficients, self.time, self.step)

    @property
    def phase(self) -> str:
        """Name of the present phase."""
        return str(self.run.state.phase)

    @property
    def present_phase(self) -> Phase:
        """The present phase; raises `ParameterError` if the scene does not declare it."""
        return self.scene.phase(self.phase)
