"""Files dropped on the window: a saved run, a lecture, a photograph or a video is opened, a preset is started, any
other becomes the value of a parameter."""

from __future__ import annotations

from pathlib import Path

from repose.app.ui.lecture_mode import open_lecture
from repose.app.ui.panels import sizes
from repose.app.ui.panels.photo import is_photo, open_photo
from repose.app.ui.panels.runs import open_file
from repose.app.ui.panels.scenes import choose_preset
from repose.app.ui.questions import request
from repose.app.ui.ui import Ui
from repose.sim.io import presets
from repose.sim.io.archive import SUFFIX
from repose.sim.io.mesh import SUFFIXES
from repose.sim.io.schema import read_text
from repose.sim.message import EMPTY, Message, _
from repose.sim.parameters import ParameterError
from repose.sim.wording import message_of

PRESET = ".toml"
"""Ending of the file of a preset, and of a lecture."""
SHAPES = (*SUFFIXES, ".npy")
"""Endings of the files of shapes, which many scenes do not take."""


def take_dropped(ui: Ui, path: str) -> Message:
    """Open the run, start the preset, or set the parameter that accepts such a file; returns why that is not possible,
    or an empty string."""
    suffix, shown = Path(path).suffix.lower(), Path(path).name
    if is_photo(path):
        return open_photo(ui, path)
    if suffix == SUFFIX:
        open_file(ui, path)
        return EMPTY
    if suffix == PRESET:
        try:
            if presets.kind_of(read_text(Path(path), _("preset or lecture"))) == "lecture":
                return open_lecture(ui, path)
            presets.load(path)
            ui.work.preset_library.cards[path] = presets.card_of(path)
        except ParameterError as error:
            return message_of(error)
        choose_preset(ui, path)
        return EMPTY
    parameters = ui.control.edits.parameters
    declared = type(parameters).declared().values() if parameters is not None else ()
    fitting = next((entry for entry in declared if suffix in entry.suffixes), None)
    if fitting is None:
        taken = [suffix for entry in declared for suffix in entry.suffixes]
        if taken and (suffix not in SHAPES or set(taken) & set(SHAPES)):
            endings = ", ".join([*taken, PRESET])
            return Message(
                "'{shown}' is not used: a file that ends in {endings} or {suffix} can be dropped here.",
                shown=shown,
                endings=endings,
                suffix=SUFFIX,
            )
        return Message(
            "'{shown}' is not used: this experiment takes only saved runs ({suffix}) and presets "
            "({preset}). Shapes are for 'Your own shape' and the clump workshop (W).",
            shown=shown,
            suffix=SUFFIX,
            preset=PRESET,
        )
    if fitting.kind == "text":
        sizes.take_file(ui, fitting, path)
        return EMPTY
    request(ui, fitting, path)
    return ui.control.edits.refusals.get(fitting.name, EMPTY)
