"""PNG files of pictures."""

from __future__ import annotations

from io import BytesIO
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray


def save_png(picture: NDArray[np.uint8], file: BinaryIO) -> None:
    """Write a picture, shape (height, width, 3), as PNG."""
    import pygame

    height, width = picture.shape[:2]
    surface = pygame.image.frombuffer(np.ascontiguousarray(picture).tobytes(), (width, height), "RGB")
    encoded = BytesIO()  # where a write to the file fails, pygame prints an error for each of its small writes
    pygame.image.save(surface, encoded, ".png")
    file.write(encoded.getbuffer())
