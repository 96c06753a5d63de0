"""Settings stored between sessions: position and size of the window, theme, text size, last preset, panels, view."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import tomlkit
from annotated_types import Ge, Le, MaxLen
from pydantic import BaseModel, ConfigDict
from repose.app.language import NATIVE
from repose.app.storage import paths
from repose.app.storage.view_settings import View
from repose.sim.engine.thread_count import MOST_THREADS
from repose.sim.io import presets
from repose.sim.io.schema import Known, from_toml, read_text, usable
from repose.sim.message import EMPTY, Message, _, joined
from repose.sim.parameters import ParameterError
from repose.sim.wording import path_text, reason_of

LARGEST_FILE = 1 << 20
"""Largest size of a settings file that is read [byte]."""


class Choices(BaseModel):
    """Choices of the user. Unknown keys, such as those of other versions, remain in the file."""

    model_config = ConfigDict(extra="ignore", strict=True, validate_assignment=True, allow_inf_nan=False)

    width: Annotated[int, Ge(320), Le(16384)] | None = None
    """Width of the window [screen points]; None before the user changes the size."""
    height: Annotated[int, Ge(240), Le(16384)] | None = None
    left: Annotated[int, Ge(-32768), Le(32767)] | None = None
    """Left edge of the content of the window on the desktop [screen points]; None if unknown."""
    top: Annotated[int, Ge(-32768), Le(32767)] | None = None
    theme: Literal["dark", "light", "projector"] = "dark"
    language: Annotated[str, Known(_("language"), lambda: NATIVE, empty=True)] = ""
    """Code of the language of the window; empty for the language of the system."""
    font_scale: Annotated[float, Ge(0.6), Le(2.5)] = 1.0
    frame_rate: Annotated[int, Ge(10), Le(60)] = 60
    """Largest number of frames per second [1/s]."""
    preset: str = presets.DEFAULT
    view: View = View()
    threads: Annotated[int, Ge(0), Le(MOST_THREADS)] = 0
    """Threads of the engine; 0 for automatic."""
    plot_span: Annotated[float, Ge(-1.0), Le(3600.0)] = -1.0
    """Time span of the plots [s]; 0 for the whole run, -1 for the time since the opening of the wall."""
    grab_strength: Annotated[float, Ge(1.0), Le(1e4)] = 100.0
    """Largest force with which the mouse pulls a grain [weights of the grain on the Earth]."""
    push_strength: Annotated[float, Ge(1.0), Le(1e4)] = 3.0
    """Largest acceleration that a soft push of the mouse gives a grain [free fall of the scene]: with three times free
    fall a grain rises by about the radius of the push."""
    push_size: Annotated[float, Ge(1.0), Le(50.0)] = 8.0
    """Radius of a soft push [mean radii of the grains]."""
    rod_size: Annotated[float, Ge(0.5), Le(50.0)] = 3.0
    """Radius of the rod that stirs [mean radii of the grains]."""
    rod_speed: Annotated[float, Ge(1e-3), Le(10.0)] = 0.2
    """Largest speed of the rod [m/s]."""
    shake_amplitude: Annotated[float, Ge(1e-6), Le(1.0)] = 5e-4
    """Amplitude of the shaking table [m]."""
    shake_frequency: Annotated[float, Ge(0.1), Le(1e3)] = 30.0
    """Frequency of the shaking table [Hz]."""
    shake_upright: bool = True
    """Whether the table shakes up and down; otherwise sideways."""
    drop_count: Annotated[int, Ge(1), Le(200)] = 10
    """Number of grains that a click adds."""
    drop_size: Annotated[float, Ge(0.2), Le(5.0)] = 1.0
    """Radius of the added grains [mean radii of the grains]."""
    sound: bool = False
    """Whether impacts are heard in the window."""
    recent_runs: Annotated[list[str], MaxLen(50)] = []
    """Files of runs that were saved or opened in the window, the latest first."""
    expert: bool = False
    """Whether the window shows all controls at once; otherwise those used most, and the others under *More*."""
    unfolded: Annotated[dict[str, bool], MaxLen(200)] = {}
    """Panels and groups of parameters by name: True if unfolded, False if folded."""
    tabs: Annotated[dict[str, str], MaxLen(20)] = {}
    """The selected tab of every tab bar, by name."""


@dataclass
class Settings:
    """The choices, their file, and the error of the last attempt to read or write it."""

    path: Path = field(default_factory=paths.settings_file)
    choices: Choices = field(default_factory=Choices)
    trouble: Message = EMPTY
    directed: dict[str, bool] = field(default_factory=dict)
    """The switches of the picture that the scene has turned on, as the user had them: they are no choice of his."""
    _readable: bool = True
    _stored: dict[str, Any] = field(default_factory=lambda: Choices().model_dump())
    """The choices when this window last read or wrote the file."""

    def save(self) -> bool:
        """Write the choices that have changed in this window into the file; False if that fails.

        The other values of the file remain, because another window may have written them. A file that could not be read
        is not changed.
        """
        if not self._readable:
            return False
        values = self.choices.model_dump()
        shown = values["view"]["shown"]
        shown.update({name: before for name, before in self.directed.items() if shown.get(name)})
        changed = {name: value for name, value in values.items() if value != self._stored[name]}
        if not changed:
            return True
        try:
            document: Any = tomlkit.parse(_text(self.path))
            for name, value in changed.items():
                if name == "view" and isinstance(document.get(name), dict):
                    document[name].update({key: own for key, own in value.items() if own != self._stored[name][key]})
                else:
                    document[name] = value
            paths.write_private(self.path, tomlkit.dumps(document))
        except (OSError, ValueError, RecursionError) as error:
            self.trouble = Message(
                "Settings could not be saved to {path}: {error}.", path=str(self.path), error=reason_of(error)
            )
            return False
        self._stored = values
        return True


def load_settings(path: Path | None = None) -> Settings:
    """The settings of the last session; defaults for values that cannot be used, with the reason in `trouble`."""
    settings = Settings(path or paths.settings_file())
    try:
        values = from_toml(_text(settings.path), Message("Settings file {path}", path=path_text(path)), decimal=True)
    except ParameterError as error:
        settings._readable = False
        settings.trouble = Message(
            "{error} Defaults are used and the file is not changed: correct or delete it.", error=error.message
        )
        return settings
    settings.choices, refusals = usable(Choices, values)
    if refusals:
        settings.trouble = Message(
            "Settings in {path}: {refusals} Defaults are used instead.",
            path=path_text(settings.path),
            refusals=joined(refusals, " "),
        )
    settings._stored = settings.choices.model_dump()
    return settings


def _text(path: Path) -> str:
    """The content of the file, empty if there is none; raises `ParameterError` if it cannot be read."""
    try:
        path.stat()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):  # `read_text` says why
        pass
    return read_text(path, _("settings file"), largest=LARGEST_FILE).replace("\r\n", "\n").replace("\r", "\n")
