"""PNG files of pictures."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray


def save_png(picture: NDArray[np.uint8], file: BinaryIO, origin: Mapping[str, str] | None = None) -> None:
    """Write a picture, shape (height, width, 3), as PNG with its origin as text inside.

    Keywords of the PNG standard: Title is the scene, Software the program, Description the whole origin.
    """
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    text = PngInfo()
    if origin:
        text.add_itxt("Title", origin.get("scene", ""))
        text.add_itxt("Software", origin.get("program", ""))
        text.add_itxt("Description", "\n".join(f"{name}: {value}" for name, value in origin.items()))
    encoded = BytesIO()  # so that a full disk fails at one write
    Image.fromarray(picture).save(encoded, "PNG", pnginfo=text)
    file.write(encoded.getbuffer())
