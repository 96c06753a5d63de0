"""The argument of `repose open`: a code, a saved run, a preset, a lecture, or a dump of LAMMPS."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from repose.app.lectures.lecture_file import Lecture, load
from repose.app.storage import video_frames
from repose.app.storage.photo_files import SUFFIXES
from repose.sim import registry
from repose.sim.io import presets
from repose.sim.io.archive import SUFFIX, ArchiveError
from repose.sim.io.lammps.read_dump import read_dump
from repose.sim.io.schema import read_text
from repose.sim.io.share_code import is_code
from repose.sim.message import EMPTY, Message, _
from repose.sim.parameters import ParameterError
from repose.sim.wording import reason_of, value_text


class ArgumentContent(NamedTuple):
    """The content of the argument: exactly one of preset, run and lecture."""

    preset: str = ""
    """Name, file or code of a preset."""
    run: Path | None = None
    """File of a saved run."""
    ready: bool = False
    """Whether the preset starts from its ready state."""
    remark: Message = EMPTY
    """Sentence for the user about the file; empty if there is none."""
    lecture: Lecture | None = None


def is_photo(what: str) -> bool:
    """Whether this is a picture, by its ending."""
    return not is_code(what) and Path(what).suffix.lower() in SUFFIXES


def is_video(what: str) -> bool:
    """Whether this is a video, by its ending."""
    return not is_code(what) and Path(what).suffix.lower() in video_frames.SUFFIXES


def found_in(what: str, radius: float | None = None, timestep: float | None = None) -> ArgumentContent:
    """The content of a code, file or name, read as far as needed to refuse it; raises `ParameterError`.

    A dump becomes a new scene; `radius` [m] and `timestep` [s] are used if the dump has none.
    """
    path = Path(what)
    if not is_code(what) and path.suffix.lower() not in (SUFFIX, ".toml"):
        from repose.sim.scenes.common.played_dump import module_of, scene_of_dump

        scene, remark = scene_of_dump(read_dump(path, radius), timestep)
        registry.add_module(module_of(scene))
        return ArgumentContent(scene.name, remark=remark)
    for option, value in (("--radius", radius), ("--timestep", timestep)):
        if value is not None:
            raise ParameterError(f"{option} is for dumps of LAMMPS: leave it out.")
    if path.suffix.lower() == SUFFIX:
        from repose.sim.experiment.saved_side_by_side import glimpse

        try:
            glimpse(path)
        except ArchiveError as error:
            raise ParameterError(f"{value_text(what)} cannot be opened: {error}") from None
        except (OSError, ValueError) as error:
            raise ParameterError(f"{value_text(what)} cannot be opened: {reason_of(error)}.") from None
        return ArgumentContent(run=path)
    if not is_code(what) and presets.kind_of(read_text(path, _("preset or lecture"))) == "lecture":
        return ArgumentContent(lecture=load(path))
    preset = presets.load(what if is_code(what) else path)
    return ArgumentContent(what, ready=is_code(what) and preset.ready is not None)
