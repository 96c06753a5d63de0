"""Pictures of made-up scenes: the eye, what it sees, and which of it is lit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from repose.app.render.colours import DARK
from repose.app.render.orbit import VIEWS, Camera3D
from repose.app.render.view import View
from repose.sim.experiment.snapshot import Snapshot

if TYPE_CHECKING:
    from repose.app.window.picture import PictureMaker


SIZE = (96, 96)
BARE = View(colour_by="plain", show_measurement=False, show_scale_bar=False, show_legend=False, show_box=False)
"""Grains and nothing else."""


def eye(name: str = "front", distance: float = 6.0, **fields: Any) -> Camera3D:
    azimuth, elevation = VIEWS[name]
    return Camera3D((0.0, 0.0, 0.0), distance, azimuth, elevation, **fields)


def draw(studio: PictureMaker, snapshot: Snapshot, view: View = BARE, camera: Camera3D | None = None) -> np.ndarray:
    studio.size = SIZE
    return studio.draw(snapshot, view, camera or eye()).astype(float)


def lit(picture: np.ndarray) -> np.ndarray:
    return (np.abs(picture - np.array(DARK.background) * 255.0) > 2.0).any(axis=2)


def objects() -> dict[str, int]:
    """How many OpenGL objects of each kind are alive."""
    import OpenGL.GL as gl

    kinds = {
        "buffer": gl.glIsBuffer,
        "array": gl.glIsVertexArray,
        "texture": gl.glIsTexture,
        "framebuffer": gl.glIsFramebuffer,
        "program": gl.glIsProgram,
        "shader": gl.glIsShader,
    }
    return {kind: sum(bool(alive(name)) for name in range(1, 400)) for kind, alive in kinds.items()}
