"""`repose selftest`: tests the program on this machine and reports the results.

It needs neither pytest nor the tests. The cases of the engine are in `repose.sim.study.selftest_cases`; this module
contains those of film and picture, and the table.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from repose.app.progress import Progress
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.study.selftest_cases import ENGINE, NotAvailable, SelfTestCase, SelfTestResult
from repose.sim.wording import described

DONE, FAILED = 0, 1
FRAMES, SIZE = 30, (320, 181)
DRAW = "from repose.app.jobs.selftest import draw_heap; draw_heap()"
PATIENCE = 120.0
"""Longest wall time of a process that draws [s]."""


@dataclass(frozen=True)
class SelfTestFinding:
    """Result of one case, or the reason why it was not tested."""

    case: SelfTestCase
    outcome: SelfTestResult | None
    reason: str
    """Why the case was not tested; empty if it was."""
    tested: bool
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether the case was tested and its value is within its bound."""
        return self.outcome is not None and self.outcome.passed

    @property
    def verdict(self) -> str:
        """The result in one word."""
        return "passed" if self.passed else "FAILED" if self.tested else "not tested"


def film() -> SelfTestResult:
    """Number of frames missing when a film of 30 frames with an odd number of rows is read back."""
    import av
    from repose.app.storage.recorder import Recorder

    shades = np.linspace(0, 255, FRAMES).astype(np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder) / "film.mp4", SIZE, 30.0)
        for shade in shades:
            recorder.add(np.full((SIZE[1], SIZE[0], 3), shade, np.uint8))
        recorder.close()
        with av.open(str(recorder.path)) as container:
            frames = sum(1 for _ in container.decode(video=0))
    return SelfTestResult(abs(FRAMES - frames), 0, "frames")


def picture() -> SelfTestResult:
    """Share of the picture without a grain; drawn in a separate process, which a broken driver can crash."""
    from repose.app.jobs.doctor import PROBE, _root

    for code in (PROBE, DRAW):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=_root()
        )
        if done.returncode != 0:
            reason = (done.stderr.strip().splitlines() or [f"the process ended with code {done.returncode}"])[-1]
            raise NotAvailable(f"no OpenGL: {reason}") if code == PROBE else RuntimeError(reason)
    return SelfTestResult(1.0 - float(done.stdout.split()[-1]), 0.95)


def draw_heap() -> None:
    """Draw a filled column off-screen and print the share of pixels that are not background."""
    from repose.app.storage.view_settings import View
    from repose.app.window.headless_film import open_picture_maker
    from repose.sim.experiment.snapshot import Snapshot

    snapshot = Snapshot()
    take_snapshot(new_experiment(ready="column"), snapshot)
    maker = open_picture_maker((640, 480))
    drawn = maker.draw(snapshot, View()).astype(int)
    maker.close()
    sys.stdout.write(f"{(np.abs(drawn - drawn[0, 0]).max(axis=2) > 24).mean()}\n")


ALL = (
    *ENGINE,
    SelfTestCase("film", f"of {FRAMES} frames, missing", film, "R09"),
    SelfTestCase("picture", "share without a grain", picture, "G05"),
)
"""The cases whose result depends on the machine: processor and compiler, disk, codecs, driver. All others are tests."""


def examine(quiet: bool) -> list[SelfTestFinding]:
    """Test every case, with progress on standard error unless quiet."""
    findings = []
    with Progress("Testing engine, film and picture", quiet=quiet) as progress:
        progress.show("compiling the engine", None)
        for number, case in enumerate(ALL):
            findings.append(_try(case))
            progress.show(case.name, (number + 1) / len(ALL))
    return findings


def exit_code(findings: list[SelfTestFinding]) -> int:
    """0, or 1 if a case failed."""
    return FAILED if any(finding.tested and not finding.passed for finding in findings) else DONE


def rows(findings: list[SelfTestFinding]) -> list[tuple[str, ...]]:
    """The table, one row per case."""
    return [
        (
            finding.case.name,
            finding.case.shows,
            _number(finding.outcome.value, finding.outcome.unit) if finding.outcome else finding.reason,
            f"≤ {_number(finding.outcome.bound, finding.outcome.unit)}" if finding.outcome else "",
            finding.verdict,
        )
        for finding in findings
    ]


def summary(findings: list[SelfTestFinding]) -> str:
    """The last line: how many cases were tested and passed."""
    tested, passed = _counted(findings)
    return f"{tested} cases tested, {passed} passed."


def as_json(findings: list[SelfTestFinding]) -> str:
    """All results as JSON."""
    tested, passed = _counted(findings)
    entries = [
        {
            "name": finding.case.name,
            "cases": finding.case.of,
            "shows": finding.case.shows,
            "value": finding.outcome.value if finding.outcome and np.isfinite(finding.outcome.value) else None,
            "bound": finding.outcome.bound if finding.outcome else None,
            "unit": finding.outcome.unit if finding.outcome else "",
            "verdict": finding.verdict,
            "reason": finding.reason,
            "seconds": round(finding.seconds, 3),
        }
        for finding in findings
    ]
    return json.dumps({"tested": tested, "passed": passed, "cases": entries}, indent=1)


def _try(case: SelfTestCase) -> SelfTestFinding:
    began = time.perf_counter()
    outcome, reason, tested = None, "", True
    try:
        outcome = case.try_out()
    except NotAvailable as absence:
        reason, tested = str(absence), False
    except Exception as error:  # a case that raises has failed; the others continue
        reason = described(error)
    return SelfTestFinding(case, outcome, reason, tested, time.perf_counter() - began)


def _number(value: float, unit: str) -> str:
    return f"{value:.2g} {unit}".strip()


def _counted(findings: list[SelfTestFinding]) -> tuple[int, int]:
    return sum(finding.tested for finding in findings), sum(finding.passed for finding in findings)
