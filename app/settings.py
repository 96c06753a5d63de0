"""Settings that outlive the window: size, theme, text size, last preset and what the picture shows."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import tomlkit
from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict, ValidationError

from app import paths

LARGEST_FILE = 1 << 20
"""Bytes; a settings file beyond this is not one of ours."""


class Choices(BaseModel):
    """What the user chose; unknown keys of other versions are left alone in the file."""

    model_config = ConfigDict(extra="ignore", strict=True, validate_assignment=True, allow_inf_nan=False)

    width: Annotated[int, Ge(320), Le(16384)] = 1280
    """Of the window [screen points]."""
    height: Annotated[int, Ge(240), Le(16384)] = 720
    theme: Literal["dark", "light", "projector"] = "dark"
    font_scale: Annotated[float, Ge(0.6), Le(2.5)] = 1.0
    preset: str = "thesis-heap"
    colour_by: str = "speed"
    colour_map: str = "viridis"
    show_force_chains: bool = False
    show_measurement: bool = True
    show_scale_bar: bool = True
    show_legend: bool = True
    show_box: bool = True


@dataclass
class Settings:
    """The choices, the file they live in, and why they could not be read or written, if so."""

    path: Path = field(default_factory=paths.settings_file)
    choices: Choices = field(default_factory=Choices)
    trouble: str = ""
    _document: tomlkit.TOMLDocument = field(default_factory=tomlkit.document)
    _readable: bool = True
    _dropped: tuple[str, ...] = ()
    """Keys whose value in the file was not usable; kept there until the user chooses anew."""

    def save(self) -> bool:
        """Keep the choices for the next start; never over a file that could not be read."""
        if not self._readable:
            return False
        defaults = Choices().model_dump()
        changed = {
            name: value
            for name, value in self.choices.model_dump().items()
            if self._document.get(name) != value and not (name in self._dropped and value == defaults[name])
        }
        if not changed:
            return True
        self._document.update(changed)
        try:
            paths.write_whole(self.path, tomlkit.dumps(self._document))
        except OSError as error:
            self.trouble = f"Settings could not be saved to {self.path}: {error.strerror or error}."
            return False
        return True


def load_settings(path: Path | None = None) -> Settings:
    """The settings of the last start; defaults, with the reason in `trouble`, when the file is unusable."""
    settings = Settings(path or paths.settings_file())
    try:
        if settings.path.stat().st_size > LARGEST_FILE:
            raise ValueError("it is larger than 1 MB")
        settings._document = tomlkit.parse(settings.path.read_text(encoding="utf-8"))
        settings.choices = Choices.model_validate(settings._document.unwrap())
    except FileNotFoundError:
        pass
    except ValidationError as error:
        values = settings._document.unwrap()
        settings._dropped = tuple(str(detail["loc"][0]) for detail in error.errors() if detail["loc"])
        settings.choices = Choices.model_validate({k: v for k, v in values.items() if k not in settings._dropped})
        names = ", ".join(settings._dropped)
        settings.trouble = f"Settings in {settings.path}: defaults are used for {names}, whose values are not allowed."
    except (OSError, ValueError, tomllib.TOMLDecodeError) as error:
        settings._readable = False
        settings.trouble = (
            f"Settings in {settings.path} cannot be read ({error}); defaults are used and the file is left as it is: "
            "mend or delete it."
        )
    return settings
