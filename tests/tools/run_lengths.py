"""Record how long presets take, for `repose run --estimate`: run this on an idle machine, in one process.

uv run python -m tests.tools.run_lengths            # the presets that are not recorded yet
uv run python -m tests.tools.run_lengths --again silo drum   # these, also if they are recorded
uv run python -m tests.tools.run_lengths --check slope raft  # estimate and real time with its own seed, as a table
uv run python -m tests.tools.run_lengths --check --next-seed slope   # the same with another seed
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.io import presets
from repose.sim.study.run_length import estimated, try_out

FILE = Path(__file__).resolve().parents[2] / "assets" / "run_lengths.json"
POINTS = 12
"""Number of points of a run that are recorded, at about equal times."""


def real(run: presets.Preset, seed: int) -> list[tuple[float, int, float]]:
    """Simulated time [s], steps and processor time of this thread [s], during a run and at its end."""
    experiment = new_experiment(run.scene, run.values, seed)
    experiment.session.threads = 1
    rows: list[tuple[float, int, float]] = []
    began = time.thread_time()

    def note(*_of_progress: object) -> None:
        spent = time.thread_time() - began
        if not rows or spent > 1.02 * rows[-1][2] + 0.02:
            rows.append((experiment.time, experiment.step, spent))

    run_experiment(experiment, on_progress=note)
    return [*rows, (experiment.time, experiment.step, time.thread_time() - began)]


def record(name: str, number: int, run: presets.Preset) -> dict[str, Any]:
    """The entry of the file for one run of a preset; a step costs the mean of the trials before and after it."""
    before = try_out(run.scene, run.values, run.seed)[0]
    rows, kept = real(run, run.seed), []
    whole = rows[-1][2]
    after = try_out(run.scene, run.values, run.seed)[0]
    trial = replace(before, step_cost=statistics.fmean((before.step_cost, after.step_cost)))
    for simulated, steps, spent in rows[:-1]:
        if spent >= whole * (len(kept) + 1) / POINTS and simulated > (kept[-1][0] if kept else 0.0):
            kept.append([float(f"{simulated:.6g}"), steps, float(f"{spent / trial.step_cost:.4g}")])
    last = [float(f"{rows[-1][0]:.6g}"), rows[-1][1], float(f"{whole / trial.step_cost:.4g}")]
    kept = [row for row in kept if row[0] < last[0]]
    step = float(f"{trial.step_cost:.3g}")
    return {
        "preset": name,
        "run": number,
        "scene": run.scene,
        "dt": trial.dt,
        "step": step,
        "rows": [*kept, last],
    }


def check(name: str, run: presets.Preset, seed: int) -> str:
    """A row of the table in tests/bench/README.md: estimate and real time with this seed."""
    trial, experiment = try_out(run.scene, run.values, seed)
    length = estimated(trial, run.scene, experiment.parameters, seed=seed)
    end, _steps, spent = real(run, seed)[-1]
    ratio = length.seconds / spent
    return f"| {name} | {length.seconds:.1f} | {spent:.1f} | {ratio:.2f} | {length.simulated:.3g} | {end:.3g} |"


def main(arguments: list[str]) -> None:
    """Record, or check, the named presets, or all of them."""
    names = [word for word in arguments if not word.startswith("--")] or list(presets.names())
    runs = [(name, number, run) for name in names for number, run in enumerate(presets.load(name).runs)]
    if "--check" in arguments:
        for name, _number, run in runs:
            print(check(name, run, run.seed + ("--next-seed" in arguments)), flush=True)
        return
    known = {(entry["preset"], entry["run"]): entry for entry in json.loads(FILE.read_text(encoding="utf-8"))}
    for name, number, run in runs:
        if (name, number) not in known or "--again" in arguments:
            known[name, number] = record(name, number, run)
            entries = (json.dumps(known[key], separators=(",", ":")) for key in sorted(known))
            FILE.write_text("[\n" + ",\n".join(entries) + "\n]\n", encoding="utf-8")
            print(name, number, known[name, number]["rows"][-1], flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
