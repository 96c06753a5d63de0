"""From the request for a run without a window to a run whose parameters are checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repose.app.jobs.requests import RunRequest
from repose.app.thread_option import asked_threads
from repose.sim.direction import Direction
from repose.sim.experiment.run_answer import direction_for
from repose.sim.instruments.instrument import Instrument
from repose.sim.io import presets, schema
from repose.sim.message import plain
from repose.sim.parameters import ParameterError, ParameterSet, Value, allowed_values, checked_seed, require_known
from repose.sim.registry import instruments, scenes
from repose.sim.wording import path_text, value_text

if TYPE_CHECKING:
    from repose.sim.experiment.saved_run import SavedRun


@dataclass(frozen=True)
class Job:
    """A checked request for one run."""

    request: RunRequest
    scene: str
    preset: str
    title: str
    """Title of the preset."""
    values: dict[str, Value]
    """Parameters that differ from the scene's defaults, SI."""
    seed: int
    ready: str | None
    direction: Direction
    """How the preset, or the scene, is shown."""
    threads: int | None
    """Threads of the engine; None for automatic."""
    resumed: SavedRun | None = None
    """The saved run to continue."""
    instruments: tuple[Instrument, ...] = ()
    """Instruments that are placed at the beginning, or in the run that is continued."""

    @property
    def only_prints(self) -> bool:
        """Whether the result goes to standard output and no folder is made for it."""
        return self.request.json and self.request.out is None


def plan(request: RunRequest) -> Job:
    """The run that is requested; raises `ParameterError`."""
    resumed = _resumed(request)
    scene = request.scene if resumed is None else resumed.log.scene
    if scene:
        require_known(scene, scenes(), plain("scene"))
    chosen = _starting_point(scene, request.preset)
    if scene and scene != chosen.scene:
        raise ParameterError(f"Preset '{chosen.name}' is for the scene '{chosen.scene}', not '{scene}'.")
    if chosen.side_by_side:
        raise ParameterError(
            f"Preset '{chosen.name}' is {len(chosen.runs)} runs side by side, which the window shows: "
            f"repose --preset {request.preset or chosen.name}. `repose sweep` does such runs without a window."
        )
    values = typed_values(request.changes, chosen.scene)
    direction = chosen.direction or scenes()[chosen.scene].direction
    if resumed:
        # Checked with the meshes in the run file, because the mesh files may have been deleted.
        present = resumed.now.now.parameters
        _refuse_restart(present, present.changed(**values), values)
    else:
        values = dict(chosen.values) | values
        checked = scenes()[chosen.scene].parameters.checked
        parameters = checked(values)
        if request.changes and direction.answer:
            direction = direction_for(direction, parameters, checked(chosen.values))
    if request.ready and chosen.ready is None:
        raise ParameterError(f"Preset '{chosen.name}' has no ready-filled container: leave --ready out.")
    if request.ready and request.seed not in (None, chosen.seed):
        raise ParameterError(
            f"--seed {request.seed} is refused with --ready: the ready-filled container has the grains of seed "
            f"{chosen.seed}, and another seed would give the same run. Leave --ready out to fill it with this seed."
        )
    return Job(
        request=request,
        scene=chosen.scene,
        preset=f"saved run {request.saved.name}" if request.saved else chosen.name,
        title=title_of(resumed) if resumed else chosen.title,
        values=values,
        seed=resumed.log.seed if resumed else checked_seed(chosen.seed if request.seed is None else request.seed),
        ready=chosen.ready if request.ready else None,
        direction=direction,
        threads=asked_threads(request.threads),
        resumed=resumed,
        instruments=((() if resumed else chosen.instruments) + typed_instruments(request.instruments)),
    )


def _refuse_restart(present: ParameterSet, changed: ParameterSet, names: Iterable[str]) -> None:
    """Raise `ParameterError` if a saved run cannot continue with one of these parameters."""
    for name, entry in type(changed).declared().items():
        if name in names and entry.quantity.effect == "restart" and getattr(present, name) != getattr(changed, name):
            raise ParameterError(
                f"--set {name} = {getattr(changed, name)} is refused with --from: the saved run has "
                f"{getattr(present, name)}, and another value acts at the next start only; leave --from out."
            )


def title_of(saved: SavedRun) -> str:
    """Title of the preset with which a saved run began, or of its scene."""
    return presets.title_of(saved.log.scene, saved.log.start.now.parameters)


def _resumed(request: RunRequest) -> SavedRun | None:
    """The saved run to continue; it has its own scene, preset and seed."""
    path = request.saved
    if path is None:
        return None
    seed = "" if request.seed is None else str(request.seed)
    given = {"a scene": request.scene, "--preset": request.preset, "--seed": seed, "--ready": request.ready}
    for option in (name for name, value in given.items() if value):
        raise ParameterError(
            f"--from continues the run in {path_text(path)}: leave {option} out; --set changes parameters."
        )
    from repose.sim.experiment.saved_side_by_side import load_single
    from repose.sim.io.archive import ArchiveError

    try:
        return load_single(path)
    except ArchiveError as error:
        raise ParameterError(f"--from {error}") from None


def _starting_point(scene: str, preset: str) -> presets.Preset:
    """The requested preset; otherwise the default preset, or for another scene the declared parameters."""
    chosen = presets.load(preset or presets.DEFAULT)
    if preset or not scene or scene == chosen.scene:
        return chosen
    return presets.Preset(name="defaults", title=str(scenes()[scene].title), scene=scene)


def parameter_rows(scene: str = "", preset: str = "") -> list[tuple[str, str, str, str]]:
    """Name, value without `--set` in SI, allowed values and meaning of every parameter; raises `ParameterError`."""
    if scene:
        require_known(scene, scenes(), plain("scene"))
    chosen = _starting_point(scene, preset)
    kind = scenes()[chosen.scene].parameters.chosen(chosen.values)
    values = kind.checked(chosen.values)
    return [
        (name, f"{getattr(values, name)}", str(allowed_values(entry)), str(entry.help))
        for name, entry in kind.declared().items()
    ]


def typed_instruments(texts: Sequence[str]) -> tuple[Instrument, ...]:
    """The instruments of `--instrument "neck = line 0,0.1 0.2,0.1"`: name, kind, points [m]; "probe 17", with the id of
    a grain; "halves 0,0.1 0.2,0.1 at 2.5", with the time [s] at which grains are marked. Raises `ParameterError`."""
    tables = []
    for text in texts:
        name, _equals, rest = text.rpartition("=")
        place, at, time = rest.partition(" at ")
        kind, *words = place.split() or [""]
        require_known(kind, instruments(), plain("instrument"))
        try:
            of_grain = instruments()[kind].of_grain
            points = () if of_grain else tuple(tuple(map(float, word.split(","))) for word in words)
            (grain,) = map(int, words) if of_grain else (None,)
            moment = float(time) if at else 0.0
        except ValueError:
            how = (
                f'after {kind} comes the number of one grain, as in "{kind} 17".'
                if instruments()[kind].of_grain
                else 'write it as "NAME = KIND X,Y X,Y", for example "neck = line 0,0.1 0.2,0.1", lengths in m, or as '
                '"halves 0,0.1 0.2,0.1 at 2.5", time in s.'
            )
            raise ParameterError(f"--instrument {value_text(text)} is refused: {how}") from None
        table = {"kind": kind, "name": name.strip(), "points": points, "grain": grain, "time": moment}
        tables.append(schema.checked(presets.InstrumentTable, table))
    return presets.placed(tables)


def typed_values(changes: Sequence[str], scene: str) -> dict[str, Value]:
    """The values of `--set name=value`, SI; raises `ParameterError`."""
    parameters = scenes()[scene].parameters
    values: dict[str, Value] = {}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals or not text.strip():
            raise ParameterError(
                f"--set {value_text(change)} is refused: write it as NAME=VALUE, for example friction=0.2."
            )
        name = name.strip()
        value = parameters.parse(name, text)
        if name in values:
            raise ParameterError(
                f"--set gives {name} twice, {value_text(values[name])} and {value_text(value)}: leave one out."
            )
        values[name] = value
    return values
