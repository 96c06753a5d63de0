"""Settings stored between sessions: window position and size, theme, text size, last preset, folds, tabs, view."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import tomlkit
from annotated_types import Ge, Le, MaxLen
from pydantic import BaseModel, ConfigDict, ValidationError
from repose.app.storage import paths
from repose.app.storage.view import View
from repose.sim.engine.thread_count import MOST_THREADS
from repose.sim.numbers import as_written

LARGEST_FILE = 1 << 20
"""Bytes; a settings file beyond this is not one of ours."""


class Choices(BaseModel):
    """Choices of the user; unknown keys of other versions remain in the file."""

    model_config = ConfigDict(extra="ignore", strict=True, validate_assignment=True, allow_inf_nan=False)

    width: Annotated[int, Ge(320), Le(16384)] | None = None
    """Of the window [screen points]; None until the user has chosen a size."""
    height: Annotated[int, Ge(240), Le(16384)] | None = None
    left: Annotated[int, Ge(-32768), Le(32767)] | None = None
    """Place of the window's content on the desktop [screen points]; None until it is known."""
    top: Annotated[int, Ge(-32768), Le(32767)] | None = None
    theme: Literal["dark", "light", "projector"] = "dark"
    font_scale: Annotated[float, Ge(0.6), Le(2.5)] = 1.0
    preset: str = "thesis-heap"
    view: View = View()
    threads: Annotated[int, Ge(0), Le(MOST_THREADS)] = 0
    """Threads of the engine; 0 for automatic."""
    plot_span: Annotated[float, Ge(-1.0), Le(3600.0)] = -1.0
    """Time span of the plots [s]; 0 for the whole run, -1 for what came after the opening of the wall."""
    recent_runs: Annotated[list[str], MaxLen(50)] = []
    """Files of runs saved or opened in the window, the latest first."""
    unfolded: Annotated[dict[str, bool], MaxLen(200)] = {}
    """Panels and groups of parameters by name: True for open, False for folded away."""
    tabs: Annotated[dict[str, str], MaxLen(20)] = {}
    """The tab last chosen in every row of them."""


@dataclass
class Settings:
    """The choices, the file they live in, and why they could not be read or written, if so."""

    path: Path = field(default_factory=paths.settings_file)
    choices: Choices = field(default_factory=Choices)
    trouble: str = ""
    _readable: bool = True
    _kept: dict[str, Any] = field(default_factory=lambda: Choices().model_dump())
    """The choices as the file has them, as far as this window knows."""

    def save(self) -> bool:
        """Keep the choices made here for the next start; never over a file that could not be read.

        Only these are written, into the file as it is now: two windows leave each other's choices alone.
        """
        if not self._readable:
            return False
        values = self.choices.model_dump()
        made = {name: value for name, value in values.items() if value != self._kept[name]}
        if not made:
            return True
        try:
            document = _read(self.path)
            document.update(made)
            paths.write_whole(self.path, tomlkit.dumps(document))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            self.trouble = f"Settings could not be saved to {self.path}: {reason or error}."
            return False
        self._kept = values
        return True


def load_settings(path: Path | None = None) -> Settings:
    """The settings of the last start; defaults, with the reason in `trouble`, when the file is unusable."""
    settings = Settings(path or paths.settings_file())
    try:
        values = as_written(_read(settings.path))
        settings.choices = Choices.model_validate(values)
    except ValidationError as error:
        spoilt = {str(detail["loc"][0]) for detail in error.errors() if detail["loc"]}
        settings.choices = Choices.model_validate({k: v for k, v in values.items() if k not in spoilt})
        settings.trouble = (
            f"Settings in {settings.path}: defaults are used for {', '.join(sorted(spoilt))}, "
            "whose values are not allowed."
        )
    except (OSError, ValueError) as error:
        settings._readable = False
        settings.trouble = (
            f"Settings in {settings.path} cannot be read ({error}); defaults are used and the file is not changed: "
            "correct or delete it."
        )
    settings._kept = settings.choices.model_dump()
    return settings


def _read(path: Path) -> tomlkit.TOMLDocument:
    """The file as it is, or an empty one; raises `OSError` or `ValueError` when it cannot be used."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("it is no ordinary file")  # a pipe would be waited for, a device read without end
        if found.st_size > LARGEST_FILE:
            raise ValueError("it is larger than 1 MB")
        return tomlkit.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
