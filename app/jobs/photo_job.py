"""The measurement of a photographed heap without a window: table, results and profile as files, picture with lines."""

from __future__ import annotations

from pathlib import Path

from repose.app.jobs.headless_job import DONE, NOT_ALL_WRITTEN
from repose.app.jobs.requests import MarksRequest
from repose.app.jobs.result_folder import RESULT, ResultFolder, Writers
from repose.app.progress import write_out
from repose.app.storage.photo_files import read_photo
from repose.app.storage.photo_results import annotated, profile_text
from repose.app.storage.png import save_png
from repose.sim.io.json_text import json_text
from repose.sim.numbers import read_number
from repose.sim.parameters import ParameterError
from repose.sim.photo.heap_in_picture import measure_picture
from repose.sim.photo.marks import Marks, Pixel
from repose.sim.photo.picture_result import as_json, rows
from repose.sim.wording import value_text

PROFILE, PICTURE = "profile.csv", "heap.png"


def marks_of(request: MarksRequest) -> Marks:
    """The marks that are typed; raises `ParameterError`."""
    scale = _typed(request.scale, "--scale", 5, "X,Y X,Y METRES")
    horizon, crop = (
        _typed(text, option, 4, "X,Y X,Y")
        for text, option in ((request.horizon, "--horizon"), (request.crop, "--crop"))
    )
    return Marks(
        _pair(scale) if scale else None,
        scale[4] if scale else float("nan"),
        _pair(horizon) if horizon else None,
        _pair(crop) if crop else None,
        request.threshold,
    )


def _pair(numbers: list[float]) -> tuple[Pixel, Pixel]:
    return (numbers[0], numbers[1]), (numbers[2], numbers[3])


def _typed(text: str, option: str, count: int, form: str) -> list[float]:
    """The numbers of an option; none if it is not given."""
    numbers = [read_number(word) for word in text.replace(",", " ").split()]
    if text and (len(numbers) != count or any(isinstance(number, str) for number in numbers)):
        raise ParameterError(
            f'{option} {value_text(text)} is refused: write it as "{form}", columns and rows in pixels of the picture.'
        )
    return [float(number) for number in numbers]


def measure_photo(path: Path, request: MarksRequest, out: Path | None, json: bool) -> int:
    """Measure the heap in a picture, print it and write the results; returns the exit code.

    With `json` only the JSON is printed, and files are written only with `out`. Raises `ParameterError`.
    """
    marks, photo = marks_of(request), read_photo(path)
    heap = measure_picture(photo.pixels, marks, photo.step)
    text = json_text(as_json(heap, photo.name), indent=2)
    complete = True
    if not json or out is not None:
        with ResultFolder.claimed(out, "photo", (RESULT, PROFILE, PICTURE)) as folder:
            writers: Writers = {
                RESULT: lambda file: file.write(text.encode("utf-8")),
                PROFILE: lambda file: file.write(profile_text(heap).encode("utf-8")),
                PICTURE: lambda file: save_png(annotated(photo, heap), file, {"program": "Repose"}),
            }
            complete = not folder.finish(writers)
            written = f"\nwritten to  {folder.path}"
    if json:
        write_out(text.rstrip())
    else:
        shown = rows(heap)
        width = max(len(label) for label, _value in shown)
        no_scale = "" if heap.scaled else "\nThe scale is not set, so lengths are in pixels: give it with --scale."
        write_out("\n".join(f"{label:{width}}  {value}" for label, value in shown) + no_scale + written)
    return DONE if complete else NOT_ALL_WRITTEN
