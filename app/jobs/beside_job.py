"""A dump of LAMMPS beside the run from which it was exported: a table of what the scene measures in both, and JSON."""

from __future__ import annotations

import math
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from repose.app.jobs.replay_job import single_run
from repose.app.jobs.result_folder import RESULT, ResultFolder
from repose.app.progress import Progress, write_out
from repose.app.stopping import stoppable
from repose.sim.experiment.beside_dump import BesideDump, QuantityOfBoth, beside_dump
from repose.sim.io.json_text import json_text
from repose.sim.io.lammps.continuation import SCRIPT
from repose.sim.io.lammps.read_dump import CUT, Dump, read_dump
from repose.sim.message import time_text

DONE, NOT_ALL_WRITTEN = 0, 1


def compare_dump(path: Path, run: Path, radius: float | None, repeats: int, out: Path | None, json: bool) -> int:
    """Compare every frame, print the last one and the largest differences and write all values; returns the exit code.

    With `json` only the JSON is printed, and a file is written only with `out`. Raises `ParameterError` and
    `StopAsked`.
    """
    dump, saved = read_dump(path, radius), single_run(run)
    with ExitStack() as stack:
        folder = stack.enter_context(ResultFolder.claimed(out, "beside", (RESULT,))) if out or not json else None
        with Progress(f"{path.name} beside {run.name}") as progress, stoppable() as stop:

            def on_progress(done: int, count: int) -> None:
                stop.check()
                progress.show(f"frame {done} of {count}", done / count)

            found = beside_dump(saved, dump, repeats, on_progress)
        text = json_text(as_json(found), indent=2)
        failed = folder and folder.finish({RESULT: lambda file: file.write(text.encode("utf-8"))})
    if json:
        write_out(text.rstrip())
    else:
        where = [f"written to {folder.path}"] if folder and not failed else []
        write_out("\n".join([*_rows(found), *_sentences(found, dump), *where]))
    return NOT_ALL_WRITTEN if failed else DONE


def as_json(found: BesideDump) -> dict[str, Any]:
    """All values over time, with names and units, of types that JSON has."""

    def series(values: list[float]) -> list[float | None]:
        return [value if math.isfinite(value) else None for value in values]

    def of(quantity: QuantityOfBoth) -> dict[str, Any]:
        limits = [quantity.limit(frame) for frame in range(len(found.time))]
        return {
            "unit": quantity.unit,
            "lammps": series(quantity.there),
            "run": series(quantity.here),
            "mean_of_repeats": series([mean for mean, _ in limits]),
            "largest_difference_by_chance": series([limit for _, limit in limits]),
            "differs": [quantity.differs(frame) for frame in range(len(found.time))],
        }

    return {
        "time": found.time,
        "farthest_grain_in_radii": found.apart,
        "quantities": {name: of(quantity) for name, quantity in found.quantities.items()},
        "outcomes": {name: {"lammps": there, "run": here} for name, (there, here) in found.outcomes.items()},
        "ended": found.ended or None,
    }


def _rows(found: BesideDump) -> list[str]:
    """The last values as a table."""
    rows = [("at " + str(time_text(found.time[-1])), "LAMMPS", "run", "repeats", "by chance", "")]
    for name, quantity in found.quantities.items():
        there, here, (mean, limit) = quantity.there[-1], quantity.here[-1], quantity.limit(-1)
        if not (math.isfinite(there) or math.isfinite(here)):
            continue
        numbers = (_shown(there), _shown(here), _shown(mean), f"± {limit:.2g}" if math.isfinite(limit) else "")
        rows.append((f"{name}{f' [{quantity.unit}]' if quantity.unit else ''}", *numbers, _judged(quantity)))
    width = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ["  ".join(cell.ljust(wide) for cell, wide in zip(row, width)).rstrip() for row in rows]


def _judged(quantity: QuantityOfBoth) -> str:
    """What the last value of LAMMPS is beside the repeats; nothing for a value that chance explains."""
    differs, away = quantity.differs(-1), abs(quantity.there[-1] - quantity.limit(-1)[0])
    if differs or not math.isfinite(away):
        return f"differs by {away:.2g}" if differs else ""
    return f"differs by {away:.2g}, perhaps by chance: the repeats are equal" if differs is None else ""


def _shown(value: float) -> str:
    return f"{value:.5g}" if math.isfinite(value) else ""


def _sentences(found: BesideDump, dump: Dump) -> list[str]:
    lines = [
        f"{len(found.time)} of {len(dump.places)} frames compared; at the last one a grain is "
        f"{found.apart[-1]:.2g} radii away.",
        *([str(CUT)] if dump.is_cut else []),
    ]
    for name, (there, here) in found.outcomes.items():
        lines.append(f"outcome {name}: {_held(there)} in LAMMPS, {_held(here)} in the run.")
    if any(quantity.differs(-1) for quantity in found.quantities.values()):
        lines.append(f"What differs in the formulas is in the head of {SCRIPT}, and in the manual, Continue in LAMMPS.")
    return [*lines, *([str(found.ended)] if found.ended else [])]


def _held(holds: bool | None) -> str:
    return "not known" if holds is None else "holds" if holds else "does not hold"
