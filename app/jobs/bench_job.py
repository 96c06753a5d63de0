"""`repose bench`: measure engine and window, record the numbers in a file, and draw the files of several runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from json import dumps
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from repose.app.countdown import Countdown
from repose.app.jobs.requests import BenchRequest
from repose.app.jobs.result_folder import claim_for
from repose.app.progress import Progress, print_line, write_out
from repose.sim.io.schema import JSON, ListOf, checked, from_json, positioned, read_text
from repose.sim.measure.display import Axis, Curve, Line
from repose.sim.message import Message, joined, plain
from repose.sim.study.bench import ShowProgress
from repose.sim.wording import path_text, reason_of

WRITTEN, NOT_WRITTEN = 0, 1
MOST_TICKS = 8
"""Largest number of runs whose dates have room below a plot."""
LARGEST_RECORD = 1 << 20
"""Largest size of the record of a run [bytes]."""


class RecordPart(BaseModel):
    """What a plot reads of a record; a record of another version may contain more."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, allow_inf_nan=False)


class BenchRow(RecordPart):
    """The speed of one state."""

    scene: str
    integrator: str
    grains: int = Field(gt=0)
    state: str
    cundall_number: float = Field(gt=0.0)
    ratio_to_floor: float | None = Field(None, gt=0.0)

    @property
    def label(self) -> Message:
        """What was measured, in words."""
        return plain(f"{self.scene} {self.state}, {self.grains} grains, {self.integrator}")


class BenchRecord(RecordPart):
    """One run of the benchmark."""

    date: str
    """Beginning of the run, UTC, in the format of ISO 8601."""
    version: str
    machine: str
    rows: ListOf[BenchRow]


def run_bench(request: BenchRequest) -> int:
    """Measure, print and record; or draw the records of earlier runs. Returns the exit code."""
    option, path = ("--plot", request.plot) if request.records else ("--record", request.record)
    records = [read_record(record) for record in request.records]
    claim = claim_for(option, path) if path is not None else None
    try:
        numbers = {} if records else _measured(request)
        if claim is not None:
            claim.write(lambda file: _draw(claim.path, records, file) if records else _write(numbers, file))
    except OSError as error:
        print_line(f"{path} could not be written: {reason_of(error)}.")
        return NOT_WRITTEN
    finally:
        if claim is not None:
            claim.release()
    return WRITTEN


def _measured(request: BenchRequest) -> dict[str, Any]:
    from repose.app.jobs import frame_bench
    from repose.sim.study import bench

    date = datetime.now(UTC).isoformat(timespec="seconds")
    countdown, of_engine = Countdown(), 0.5 if request.quick else 0.8  # fraction of the whole time

    def shown(progress: Progress, first: float, last: float) -> ShowProgress:
        def show_progress(words: str, share: float) -> None:
            done = first + (last - first) * share
            progress.show(words, done, countdown.words(done))

        return show_progress

    with Progress("Measuring the engine", quiet=request.json) as progress:
        engine = bench.measure_engine(request.quick, shown(progress, 0.0, of_engine))
    if not request.json:
        write_out(bench.describe(engine))
    with Progress("Measuring the window", quiet=request.json) as progress:
        frames = frame_bench.measure_frames(request.quick, shown(progress, of_engine, 1.0))
    numbers = {"date": date, "version": metadata.version("repose")} | engine | {"window": frames}
    write_out(dumps(numbers, indent=1) if request.json else f"\n{frame_bench.describe(frames)}")
    return numbers


def read_record(path: Path) -> BenchRecord:
    """The record of a run; raises `ParameterError`."""
    kind, name = plain("record of a benchmark"), plain(path_text(path))
    text = read_text(path, kind, syntax=JSON, largest=LARGEST_RECORD)
    document = from_json(text, name)
    with positioned(name):
        return checked(BenchRecord, document)


def curves_of(records: Sequence[BenchRecord]) -> tuple[Curve, ...]:
    """Cundall number, and ratio to the floor if there is one, of every state in every run, in the order of dates."""
    records = sorted(records, key=lambda record: record.date)
    stride = -(-len(records) // MOST_TICKS)
    ticks = tuple(
        plain(f"{record.date[:10]}\n{record.date[11:16]}\n{record.version}" if number % stride == 0 else "")
        for number, record in enumerate(records)
    )
    run = Axis(plain("run"))
    curves = (
        ("cundall_number", Axis(plain("Cundall number"), "10^6/s"), 1e-6),
        ("ratio_to_floor", Axis(plain("ratio to floor")), 1.0),
    )
    return tuple(
        Curve(name, y.quantity, run, y, lines, ticks=ticks)
        for name, y, factor in curves
        if (lines := _lines(records, name, factor))
    )


def _lines(records: Sequence[BenchRecord], name: str, factor: float) -> tuple[Line, ...]:
    series: dict[Message, list[tuple[float, float]]] = {}
    for number, record in enumerate(records):
        for row in record.rows:
            value = getattr(row, name)
            if value is not None:
                series.setdefault(row.label, []).append((number, factor * value))
    lines = []
    for group, (label, points) in enumerate(series.items()):
        places, values = np.array(points, np.float64).T
        lines.append(Line(label, places, values, points=True, group=group))
    return tuple(lines)


def _write(numbers: dict[str, Any], file: BinaryIO) -> None:
    file.write(f"{dumps(numbers)}\n".encode())


def _draw(path: Path, records: Sequence[BenchRecord], file: BinaryIO) -> None:
    from repose.app.storage.plot_files import WRITERS, Sheet

    machines = joined((plain(machine) for machine in dict.fromkeys(record.machine for record in records)), " / ")
    WRITERS[path.suffix.lower()](Sheet(plain("Speed of the engine"), machines, curves_of(records)), file)
