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
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from repose.app.render.ambient_occlusion import LAMP, AmbientOcclusion, measure_ambient_occlusion
from repose.app.render.camera import Inset, Size
from repose.app.render.colours import Colouring, Palette
from repose.app.render.cutaway import Plane, cut_plane, is_cut
from repose.app.render.orbit import Camera, Camera3D
from repose.app.render.view import View
from repose.sim.experiment.snapshot import Floats, Snapshot

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas


@dataclass(frozen=True)
class Frame:
    """All a pass may look at while one picture is drawn."""

    snapshot: Snapshot
    view: View
    camera: Camera
    """In the plane or in space, as the snapshot is."""
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

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return int(self.snapshot.position.shape[1])

    @property
    def metres_per_pixel(self) -> float:
        """In space at the depth of what the camera looks at."""
        return self.camera.resolution(self.size)

    def uniforms(self) -> dict[str, object]:
        """What every shader of this dimension may ask for, by name."""
        known = self.camera.uniforms(self.size)
        return known | {"lamp": LAMP, "cut": self.cut} if self.dimension == 3 else known

    @functools.cached_property
    def cut(self) -> Plane:
        """In space: the plane before which nothing is drawn."""
        return cut_plane(self.view, self.snapshot.box, self.orbit)

    @functools.cached_property
    def kept(self) -> NDArray[np.bool_]:
        """In space: the spheres that the cut-away leaves, shape (count,)."""
        position = self.snapshot.position
        kept: NDArray[np.bool_] = np.isfinite(position).all(axis=1) & ~is_cut(position, self.cut)
        return kept

    @functools.cached_property
    def ambient_occlusion(self) -> AmbientOcclusion:
        """In space: the light on the spheres kept."""
        kept = self.kept
        return measure_ambient_occlusion(self.snapshot.position[kept], self.snapshot.radius[kept], self.snapshot.box)

    @property
    def orbit(self) -> Camera3D:
        """The camera of a picture in space."""
        assert isinstance(self.camera, Camera3D)
        return self.camera


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
    dimensions: tuple[int, ...] = (2, 3)
    """The snapshots it can draw: in the plane, in space, or both."""
    depth: Literal["ignored", "tested", "kept"] = "ignored"
    """In space: drawn over everything, only where nothing nearer is, or so and hiding what comes behind."""


@functools.cache
def all_passes() -> tuple[Pass, ...]:
    """Every pass of this folder, in drawing order."""
    modules = (importlib.import_module(f"{__name__}.{entry.name}") for entry in pkgutil.iter_modules(__path__))
    return tuple(sorted((module.PASS for module in modules), key=lambda item: item.order))
