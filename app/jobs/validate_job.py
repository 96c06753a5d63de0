"""`repose validate`: runs with known results, each number of the run beside the one expected."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from repose.app.jobs.result_folder import RESULT, ResultFolder
from repose.app.jobs.validate_report import report_page
from repose.app.progress import Progress
from repose.app.stopping import StopAsked, stoppable
from repose.sim.io.json_text import json_text
from repose.sim.message import plain
from repose.sim.parameters import require_known
from repose.sim.study.validation import Comparison, compare, comparisons

PAGE = "validation.html"
HOLDS, DIFFERS, STOPPED = 0, 1, 130
HEAD = ("run", "outcome", "found", "expected", "")
AGREES = {True: "✓", False: "✗"}


def validate(names: Sequence[str], quiet: bool = False, report: Path | None = None) -> tuple[list[Comparison], bool]:
    """Do the named runs, or all runs if no name is given, and write a page about them to the folder `report`; the
    second value is True if a signal stopped them.

    Raises `ParameterError` before any run for an unknown name or a folder that cannot be used.
    """
    for name in names:
        require_known(name, comparisons(), plain("validation"))
    chosen = list(dict.fromkeys(names)) or [*comparisons()]
    with ExitStack() as stack:
        folder = None
        if report is not None:
            folder = stack.enter_context(ResultFolder.claimed(report, "validation", (PAGE, RESULT), option="--report"))
        progress = stack.enter_context(Progress(f"{len(chosen)} runs with known results", quiet=quiet))
        stop = stack.enter_context(stoppable())
        compared: list[Comparison] = []
        stopped = False
        try:
            for number, name in enumerate(chosen):
                stop.check()
                progress.show(name, number / len(chosen))
                compared.append(compare(name))
        except StopAsked:
            stopped = True
        if folder is not None:
            progress.show("drawing the report", None)
            text, whole = json_text(as_json(compared), indent=2), report_page(compared, summary(compared, stopped))
            folder.finish(
                {
                    RESULT: lambda file: file.write(text.encode("utf-8")),
                    PAGE: lambda file: file.write(whole.encode("utf-8")),
                }
            )
    return compared, stopped


def rows(compared: Sequence[Comparison]) -> list[tuple[str, ...]]:
    """The table: a row for every number."""
    lines: list[tuple[str, ...]] = []
    for comparison in compared:
        title = comparison.title
        if comparison.trouble:
            lines.append((title, comparison.trouble, "–", "–", AGREES[False]))
        for outcome in comparison.outcomes:
            lines.append(
                (title, str(outcome.statement), str(outcome.found), str(outcome.expected), AGREES[outcome.holds])
            )
            title = ""
    return lines


def summary(compared: Sequence[Comparison], stopped: bool = False) -> str:
    """A sentence with the number of values that agree, and with the number of runs done if a signal stopped them."""
    every = [outcome for comparison in compared for outcome in comparison.outcomes]
    bad = sum(not outcome.holds for outcome in every) + sum(bool(comparison.trouble) for comparison in compared)
    words = f"All {len(every)} numbers agree." if not bad else f"Numbers that differ: {bad} of {len(every)}."
    return f"Stopped; runs done: {len(compared)}, not the others. {words}" if stopped else words


def as_json(compared: Sequence[Comparison]) -> list[dict[str, Any]]:
    """The comparisons as data for JSON."""
    return [
        {
            "preset": comparison.preset,
            "title": comparison.title,
            "holds": comparison.holds,
            "trouble": comparison.trouble or None,
            "seconds": comparison.seconds,
            "outcomes": [vars(outcome) for outcome in comparison.outcomes],
        }
        for comparison in compared
    ]


def exit_code(compared: Sequence[Comparison], stopped: bool) -> int:
    """0 if all numbers agree, 1 if a number differs, 130 if a signal stopped the runs."""
    if stopped:
        return STOPPED
    return HOLDS if all(comparison.holds for comparison in compared) else DIFFERS
