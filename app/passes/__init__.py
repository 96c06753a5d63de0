"""Draw passes: each module of this folder holds one, as `PASS`, and is found by being there.

A pass turns a frame into rows of numbers for a shader (`instances`) and into text and thin lines on
top (`overlay`). It calls no OpenGL: what it returns can be tested, and redrawn, anywhere.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.camera import Camera2D, Inset, Size
from app.colours import Colouring, Palette
from app.view import View
from sim.snapshot import Floats, Snapshot

if TYPE_CHECKING:
    from app.canvas import Canvas


@dataclass(frozen=True)
class Frame:
    """All a pass may look at while one picture is drawn."""

    snapshot: Snapshot
    view: View
    camera: Camera2D
    size: Size
    """[pixel]."""
    inset: Inset
    """Pixels covered by panels: left, top, right, bottom."""
    scale: float
    """Pixels per unit of text and line width [-]."""
    palette: Palette
    colouring: Colouring | None
    """What the grains are coloured by; None if plain."""
    span: tuple[float, float] | None
    """Range of the colours [SI]; None if plain."""
    faces: Floats
    """Colour of every sphere, linear light, shape (count, 3)."""


@dataclass(frozen=True)
class Pass:
    """One way of drawing; passes are drawn in ascending `order`."""

    name: str
    order: int
    shader: str = ""
    """A file of `shaders/`, without its ending; empty for a pass that only writes on top."""
    attributes: tuple[int, ...] = ()
    """Numbers per instance attribute of the shader, in its order; their sum is the row length."""
    instances: Callable[[Frame], Floats | None] | None = None
    """Rows of float32, shape (instances, sum(attributes)); None draws nothing."""
    overlay: Callable[[Frame, Canvas], None] | None = None


@functools.cache
def all_passes() -> tuple[Pass, ...]:
    """Every pass of this folder, in drawing order."""
    modules = (importlib.import_module(f"{__name__}.{entry.name}") for entry in pkgutil.iter_modules(__path__))
    return tuple(sorted((module.PASS for module in modules), key=lambda item: item.order))
