"""Photographs: read upright and not larger than what is searched. Nothing of their metadata is kept or written."""

from __future__ import annotations

import io
import json
import math
import warnings
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.message import Message, _
from repose.sim.parameters import ParameterError
from repose.sim.photo.marks import Marks
from repose.sim.wording import path_text, reason_of

SUFFIXES = (".jpg", ".jpeg", ".png", ".heic", ".heif")
MOST_MEGAPIXELS = 80
"""Largest picture [10^6 pixel]: decoded it needs 240 MB. Cameras of telephones make at most 50, or 200 if told so."""
LONGEST_SIDE = 1600
"""Longest side of the picture that is searched [pixel]: a flank of 400 columns gives its angle to 0.1°."""
SMALLEST_SIDE = 32


@dataclass(frozen=True)
class Photo:
    """A photograph, turned upright."""

    name: str
    """Name of the file."""
    pixels: NDArray[np.uint8]
    """Shape (height, width, 3)."""
    step: float
    """Pixels of the whole picture per pixel."""
    size: tuple[int, int]
    """Width and height of the whole picture, upright [pixel]."""

    @cached_property
    def png(self) -> bytes:
        """The pixels as a file, without metadata."""
        from PIL import Image

        file = io.BytesIO()
        Image.fromarray(self.pixels).save(file, "PNG", compress_level=1)
        return file.getvalue()


def read_photo(path: Path) -> Photo:
    """The photograph in a file, turned as its EXIF flag says; raises `ParameterError` in one sentence."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    if path.suffix.lower() in (".heic", ".heif"):
        _read_heic()
    too_large = Message(
        "{name} has more than {most} megapixels: save a smaller copy of it.",
        name=path_text(path),
        most=MOST_MEGAPIXELS,
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the limit is below
            opened = Image.open(path)
        with opened:
            if opened.width * opened.height > MOST_MEGAPIXELS * 1e6:
                raise ParameterError(too_large)
            turned = opened.getexif().get(0x0112, 1) in (5, 6, 7, 8)
            whole = opened.size[::-1] if turned else opened.size
            opened.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))  # a JPEG is decoded to a half or a quarter of its size
            upright = ImageOps.exif_transpose(opened)
            if upright.mode.startswith("I"):  # 16 bits of grey, of which the first 8 are shown
                upright = Image.fromarray((np.asarray(upright, np.float64) / 257.0).clip(0, 255).astype(np.uint8))
            if "A" in upright.getbands() or "transparency" in upright.info:
                ground = Image.new("RGBA", upright.size, "white")
                upright = Image.alpha_composite(ground, upright.convert("RGBA"))
            shown = upright.convert("RGB")
    except Image.DecompressionBombError:
        raise ParameterError(too_large) from None
    except UnidentifiedImageError:
        raise ParameterError(Message("{name} is not a picture that can be read.", name=path_text(path))) from None
    except (OSError, ValueError, SyntaxError) as error:
        name, reason = path_text(path), reason_of(error)
        raise ParameterError(
            Message("{name} cannot be read: {reason}.", name=name, reason=reason)
            if isinstance(error, OSError) and error.errno is not None
            else Message("{name} is damaged ({reason}): copy it from the camera again.", name=name, reason=reason)
        ) from None
    if min(shown.size) < SMALLEST_SIDE:
        raise ParameterError(
            Message(
                "{name} has {width} × {height} pixels: a heap needs at least {least} of both.",
                name=path_text(path),
                width=whole[0],
                height=whole[1],
                least=SMALLEST_SIDE,
            )
        )
    shown.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.BOX)
    return Photo(path.name, np.array(shown), max(whole) / max(shown.size), whole)


def _read_heic() -> None:
    try:
        from pillow_heif import register_heif_opener
    except ImportError:
        raise ParameterError(
            _("HEIC pictures need the package pillow-heif: install repose with the extra heic, or save a JPEG.")
        ) from None
    register_heif_opener()


def packed(photo: Photo, marks: Marks) -> bytes:
    """A photograph with its marks, for the file of a run: one line of JSON, then the pixels as PNG."""
    written = asdict(marks) | {"length": marks.length if math.isfinite(marks.length) else None}
    head = {"name": photo.name, "size": photo.size, "step": photo.step, "marks": written}
    return json.dumps(head, allow_nan=False).encode() + b"\n" + photo.png


def unpacked(content: bytes) -> tuple[Photo, Marks]:
    """The photograph and the marks in such bytes of unknown origin; raises `ParameterError`."""
    from PIL import Image

    try:
        head, _line, png = content.partition(b"\n")
        said = json.loads(head)
        with Image.open(io.BytesIO(png), formats=("PNG",)) as opened:
            if max(opened.size) > LONGEST_SIDE:
                raise ValueError
            pixels = np.array(opened.convert("RGB"))
        (width, height), step = said["size"], float(said["step"])
        if not (step >= 1.0 and max(width, height) <= step * (LONGEST_SIDE + 1)):
            raise ValueError
        return Photo(str(said["name"]), pixels, step, (int(width), int(height))), _marks_from(said["marks"])
    except (ValueError, TypeError, LookupError, OSError, SyntaxError, Image.DecompressionBombError):
        raise ParameterError(_("The photograph in the file of the run is damaged: open it anew.")) from None


def _marks_from(said: dict[str, Any]) -> Marks:
    """Marks as they were written."""

    def points(name: str) -> tuple[tuple[float, float], ...]:
        return tuple((float(x), float(y)) for x, y in said[name])

    def pair(name: str) -> tuple[tuple[float, float], tuple[float, float]] | None:
        if said[name] is None:
            return None
        first, second = points(name)
        return first, second

    length, threshold = (None if said[name] is None else float(said[name]) for name in ("length", "threshold"))
    return Marks(
        pair("scale"),
        math.nan if length is None else length,
        pair("horizon"),
        pair("crop"),
        threshold,
        points("points"),
    )
