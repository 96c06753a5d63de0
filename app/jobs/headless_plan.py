"""The request for a run without a window, checked before any work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from repose.app.jobs.film_plan import FilmPlan, checked_switches, parsed_size, plan_film
from repose.app.thread_option import asked_threads
from repose.sim.io import presets
from repose.sim.message import plain
from repose.sim.parameters import ParameterError, Value, allowed_values, checked_seed, require_known
from repose.sim.registry import scenes
from repose.sim.wording import path_text, value_text

if TYPE_CHECKING:
    from repose.sim.experiment.saved_run import SavedRun


@dataclass(frozen=True)
class Job:
    """A checked request for one run."""

    scene: str
    preset: str
    title: str
    """Title of the preset."""
    values: dict[str, Value]
    """Parameters that differ from the scene's defaults, SI."""
    seed: int
    ready: str | None
    out: Path | None
    """Folder for the results. None: a new folder in the current one, or no folder if the results are only printed."""
    size: tuple[int, int]
    """Size of picture and film [pixel]."""
    film: FilmPlan | None
    picture: bool
    as_json: bool
    save: Path | None = None
    """File to save the run to when it ends."""
    until: float | None = None
    """Simulated time at which the run ends [s], unless the experiment is finished before."""
    resumed: SavedRun | None = None
    """The saved run to continue."""
    threads: int | None = None
    """Threads of the engine; None for automatic."""
    shown: tuple[str, ...] = ()
    """Switches of draw passes that are on in the picture in addition to the default ones."""

    @property
    def only_prints(self) -> bool:
        """Whether the result goes to standard output and no folder is made for it."""
        return self.as_json and self.out is None


def plan(
    scene: str = "",
    preset: str = "",
    changes: Sequence[str] = (),
    seed: int | None = None,
    ready: bool = False,
    out: Path | None = None,
    as_json: bool = False,
    video: str = "",
    fps: float | None = None,
    size: str = "1920x1080",
    speed: float | None = None,
    overlay: str = "full",
    colour: str = "",
    show: Sequence[str] = (),
    picture: bool = True,
    save: Path | None = None,
    until: float | None = None,
    saved: Path | None = None,
    threads: str = "",
) -> Job:
    """Check a typed request; raises `ParameterError`."""
    resumed = _resumed(saved, scene, preset, seed, ready)
    if resumed is not None:
        scene = resumed.log.scene
    if scene:
        require_known(scene, scenes(), plain("scene"))
    chosen = _starting_point(scene, preset)
    if scene and scene != chosen.scene:
        raise ParameterError(f"Preset '{chosen.name}' is for the scene '{chosen.scene}', not '{scene}'.")
    if chosen.side_by_side:
        raise ParameterError(
            f"Preset '{chosen.name}' is {len(chosen.runs)} runs side by side, which the window shows: "
            f"repose --preset {preset or chosen.name}. `repose sweep` does such runs without a window."
        )
    parameters = scenes()[chosen.scene].parameters
    typed = _parsed(changes, chosen.scene)
    values = typed if resumed else dict(chosen.values) | typed
    if resumed:
        # Checked with the meshes in the run file, because the mesh files may have been deleted.
        resumed.now.now.parameters.changed(**values)
    else:
        parameters.checked(values)
    if ready and chosen.ready is None:
        raise ParameterError(f"Preset '{chosen.name}' has no ready-filled container: leave --ready out.")
    pixels = parsed_size(size)
    film = plan_film(video, pixels, fps, speed, overlay, colour, show)
    if until is not None and not 0.0 < until < math.inf:
        raise ParameterError(f"--until {until:g} is refused: it must be a simulated time above 0 s.")
    _require_folder(save)
    return Job(
        scene=chosen.scene,
        preset=resumed_name(saved) if saved else chosen.name,
        title=title_of(resumed) if resumed else chosen.title,
        values=values,
        seed=resumed.log.seed if resumed else checked_seed(chosen.seed if seed is None else seed),
        ready=chosen.ready if ready else None,
        size=pixels,
        film=film,
        picture=picture,
        as_json=as_json,
        out=out,
        save=save,
        until=until,
        resumed=resumed,
        threads=asked_threads(threads),
        shown=checked_switches(show),
    )


def title_of(saved: SavedRun) -> str:
    """Title of the preset with which a saved run began, or of its scene."""
    return presets.title_of(saved.log.scene, saved.log.start.now.parameters)


def resumed_name(path: Path) -> str:
    """Name that is shown for a saved run in place of a preset."""
    return f"saved run {path.name}"


def _resumed(path: Path | None, scene: str, preset: str, seed: int | None, ready: bool) -> SavedRun | None:
    """The saved run to continue; it has its own scene, preset and seed."""
    if path is None:
        return None
    given = {"a scene": scene, "--preset": preset, "--seed": "" if seed is None else str(seed), "--ready": ready}
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


def _require_folder(path: Path | None) -> None:
    """Raise `ParameterError` if the folder for the saved run does not exist; the file name is claimed later."""
    if path is not None and not path.parent.is_dir():
        raise ParameterError(
            f"--save {path_text(path)}: the folder {path_text(path.parent)} does not exist; create it first."
        )


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


def _parsed(changes: Sequence[str], scene: str) -> dict[str, Value]:
    """The values of `--set name=value`, SI."""
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
