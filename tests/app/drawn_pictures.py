"""Pictures of artificial scenes: camera, drawing, and which pixels are lit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from repose.app.render.colours import DARK
from repose.app.render.orbit import VIEWS, Camera3D
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot

if TYPE_CHECKING:
    from repose.app.window.picture import PictureMaker


SIZE = (96, 96)
BARE = View(colour_by="plain", shown={"measurement": False, "scale_bar": False, "legend": False, "box": False})
"""Grains and nothing else."""


def with_view(view: View, **changes: Any) -> View:
    """A copy of `view` with other values of its fields and switches."""
    fields = {name: value for name, value in changes.items() if name in View.model_fields}
    switches = {name: value for name, value in changes.items() if name not in View.model_fields}
    return view.model_copy(update={**fields, "shown": view.shown | switches})


def eye(name: str = "front", distance: float = 6.0, **fields: Any) -> Camera3D:
    azimuth, elevation = VIEWS[name]
    return Camera3D((0.0, 0.0, 0.0), distance, azimuth, elevation, **fields)


def draw(
    picture_maker: PictureMaker, snapshot: Snapshot, view: View = BARE, camera: Camera3D | None = None
) -> np.ndarray:
    picture_maker.size = SIZE
    return picture_maker.draw(snapshot, view, camera or eye()).astype(float)


def lit(picture: np.ndarray) -> np.ndarray:
    return (np.abs(picture - np.array(DARK.background) * 255.0) > 2.0).any(axis=2)


def objects(most: int = 400) -> dict[str, int]:
    """How many OpenGL objects of each kind are alive, of the first so many made."""
    import OpenGL.GL as gl

    kinds = {
        "buffer": gl.glIsBuffer,
        "array": gl.glIsVertexArray,
        "texture": gl.glIsTexture,
        "framebuffer": gl.glIsFramebuffer,
        "program": gl.glIsProgram,
        "shader": gl.glIsShader,
    }
    return {kind: sum(bool(alive(name)) for name in range(1, most)) for kind, alive in kinds.items()}
