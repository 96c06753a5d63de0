"""The measurement of a collapse in a video without a window: series as JSON, CSV and figure, last frame with lines."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from repose.app.jobs.headless_job import DONE, INTERRUPTED, NOT_ALL_WRITTEN
from repose.app.jobs.photo_job import marks_of
from repose.app.jobs.requests import MarksRequest
from repose.app.jobs.result_folder import RESULT, ResultFolder, Writers
from repose.app.progress import Progress, print_line, write_out
from repose.app.stopping import StopAsked, stoppable
from repose.app.storage.photo_files import Photo
from repose.app.storage.photo_results import annotated
from repose.app.storage.plot_files import Sheet, draw
from repose.app.storage.png import save_png
from repose.app.storage.video_frames import Video, read_video
from repose.sim.engine.world import Floats
from repose.sim.io.json_text import json_text, read_json
from repose.sim.measure.angle_of_repose import with_error
from repose.sim.measure.display import COMPARISON, Axis, Curve, Line
from repose.sim.message import plain
from repose.sim.parameters import ParameterError
from repose.sim.photo.collapse import Collapse, area_of, first_motion, in_own_units, measure_collapse, of_profiles
from repose.sim.photo.picture_result import as_json, unit_of
from repose.sim.wording import path_text, reason_of

SERIES, PICTURE, FIGURE = "series.csv", "heap.png", "collapse.png"


def measure_video(
    path: Path, request: MarksRequest, begins: float | None, computed: Path | None, out: Path | None, json: bool
) -> int:
    """Measure a collapse, print it and write the results; returns the exit code. Raises `ParameterError`."""
    marks = marks_of(request)
    beside = None if computed is None else _computed(computed)
    try:
        with Progress(f"Collapse in {path.name}", quiet=json) as progress, stoppable() as stop:

            def show(words: str, share: float | None) -> None:
                stop.check()
                progress.show(words, share, stage=words)

            video = read_video(path, partial(show, "reading"))
            start = first_motion(video.times, video.small) if begins is None else begins
            collapse = measure_collapse(video.frames, start, marks, video.step, partial(show, "measuring"))
    except StopAsked:
        print_line("Stopped before the end.")
        return INTERRUPTED
    if video.remark:
        print_line(video.remark)
    text = json_text(_as_json(video, collapse), indent=2)
    if json and out is None:
        write_out(text.rstrip())
        return DONE
    with ResultFolder.claimed(out, "video", (RESULT, SERIES, PICTURE, FIGURE)) as folder:
        last = Photo(video.name, video.frames[-1].pixels, video.step, video.size)
        writers: Writers = {
            RESULT: lambda file: file.write(text.encode("utf-8")),
            SERIES: lambda file: file.write(_series(collapse).encode("utf-8")),
            PICTURE: lambda file: save_png(annotated(last, collapse.last), file, {"program": "Repose"}),
            FIGURE: partial(_draw, collapse, beside),
        }
        complete = not folder.finish(writers)
        write_out(text.rstrip() if json else f"{_words(collapse)}\nwritten to  {folder.path}")
    return DONE if complete else NOT_ALL_WRITTEN


def _words(collapse: Collapse) -> str:
    unit, known = unit_of(collapse.last), np.isfinite(collapse.run_out)
    angle = with_error(collapse.last.angle, collapse.last.standard_error)
    return (
        f"First motion at {collapse.begins:.3f} s; after {collapse.time[-1]:.2f} s the heap is {plain(angle)} steep, "
        f"{collapse.height[known][-1]:.3g} {unit} high, on {collapse.run_out[known][-1]:.3g} {unit} of the table."
    )


def _as_json(video: Video, collapse: Collapse) -> dict[str, Any]:
    def plain_numbers(values: Floats) -> list[float | None]:
        return [float(value) if math.isfinite(value) else None for value in values]

    return {
        **as_json(collapse.last, video.name),
        "first_motion": collapse.begins,
        "frames": len(video.times),
        "series": {
            "time": plain_numbers(collapse.time),
            "height": plain_numbers(collapse.height),
            "run_out": plain_numbers(collapse.run_out),
        },
    }


def _series(collapse: Collapse) -> str:
    text, unit = io.StringIO(), unit_of(collapse.last)
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("time [s]", f"height [{unit}]", f"run-out [{unit}]"))
    table.writerows(
        tuple(f"{value:.6g}" for value in row) for row in zip(collapse.time, collapse.height, collapse.run_out)
    )
    return text.getvalue()


def _computed(path: Path) -> tuple[Floats, Floats, Floats]:
    """Time, height and run-out of a computed collapse in its own units; raises `ParameterError`."""
    try:
        stored: Mapping[str, Any] = read_json(path)["profile"]
        time, x = np.array(stored["time"], float), np.array(stored["x"], float)
        heights = np.array(stored["height"], float)
        height, run_out, area = of_profiles(x, heights)
        if not (time.shape == height.shape and area > 0.0):
            raise ValueError
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ParameterError(
            f"--computed {path_text(path)} is not the result.json of a heap with a profile: {reason_of(error)}."
        ) from None
    return in_own_units(time, height, run_out, area)


def _draw(collapse: Collapse, beside: tuple[Floats, Floats, Floats] | None, file: BinaryIO) -> None:
    """Height and run-out over time; with a computed collapse both in units of their sizes."""
    heap, unit = collapse.last, unit_of(collapse.last)
    series = collapse.time, collapse.height, collapse.run_out
    if beside is None or not heap.scaled:
        axes = Axis(plain("time since the first motion"), "s"), Axis(plain("length"), unit)
    else:
        series = in_own_units(*series, area_of(heap.x, heap.height))
        axes = Axis(plain("time over √(L/g)")), Axis(plain("length over L, the square root of the area"))
    lines = [
        Line(plain("height in the video"), series[0], series[1], points=True),
        Line(plain("run-out in the video"), series[0], series[2], points=True),
    ]
    if beside is not None and heap.scaled:
        lines += [
            Line(plain("computed height"), beside[0], beside[1]),
            Line(plain("computed run-out"), beside[0], beside[2]),
        ]
    title = plain("Collapse of the heap")
    draw(Sheet(title, plain(_words(collapse)), (Curve(COMPARISON, title, *axes, tuple(lines)),)), file)
