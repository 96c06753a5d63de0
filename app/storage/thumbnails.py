"""Small pictures of presets and runs: shrunk, compressed, read back."""

from __future__ import annotations

import io
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from repose.app.storage.view_settings import View
from repose.sim.io.presets import plugin_files
from repose.sim.io.share_code import is_code

SIZE = (320, 200)
"""Width and height of a small picture [pixel]."""
PICTURES = "pictures"
"""Folder of the pictures beside the shipped presets."""
LARGEST_FILE = 1 << 20
"""Largest size of the file of a small picture [bytes]."""
QUALITY = 82
DRAWN = (2 * SIZE[0], 2 * SIZE[1])
"""Size in which pictures are drawn [pixel]: reducing them smooths every edge."""
WORDS = ("legend", "scale_bar", "caption", "measurement", "labels", "rose", "displacement")
"""Switches of draw passes with text that is unreadable in a small picture."""


def without_words(view: View) -> View:
    """The same view without text that is unreadable in a small picture."""
    return view.model_copy(update={"shown": view.shown | dict.fromkeys(WORDS, False), "selected": ()})


def thumbnail(picture: NDArray[np.uint8]) -> bytes:
    """The middle of a picture, shape (height, width, 3), as WebP of `SIZE`."""
    from PIL import Image, ImageOps  # only when a picture is made

    file = io.BytesIO()
    ImageOps.fit(Image.fromarray(picture), SIZE, Image.Resampling.LANCZOS).save(file, "WEBP", quality=QUALITY)
    return file.getvalue()


def pixels(picture: bytes) -> NDArray[np.uint8] | None:
    """The pixels of a small picture, shape (height, width, 4), top row first; None if it cannot be read."""
    import pygame

    if not picture or len(picture) > LARGEST_FILE:
        return None
    try:
        surface = pygame.image.load(io.BytesIO(picture), "picture.webp")
    except pygame.error:
        return None
    width, height = surface.get_size()
    if width * height > 4 * SIZE[0] * SIZE[1]:
        return None
    result = np.frombuffer(pygame.image.tobytes(surface, "RGBA"), np.uint8)
    return result.reshape(height, width, 4)


def of_preset(name: str) -> bytes:
    """The picture of a shipped preset, or of a preset in a file, which is beside the file; empty if there is none."""
    if is_code(name):
        return b""
    path = plugin_files("preset").get(name)
    if path is not None or name.endswith(".toml"):
        return _read(Path(path or name).with_suffix(".webp"))
    picture = files("repose.assets").joinpath("presets", PICTURES, f"{name}.webp")
    return picture.read_bytes() if picture.is_file() else b""


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_FILE + 1)
    except OSError:
        return b""
