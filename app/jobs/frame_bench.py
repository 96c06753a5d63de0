"""Benchmark of the window: frames per second while physics runs, and the share of physics time that the picture takes.

The frame loop of the program runs in an off-screen window at full speed, over the same part of the same run, with and
without a picture. The benchmark asserts nothing: the numbers depend on the machine and its load.
"""

from __future__ import annotations

import itertools
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from repose.app.lectures.step_course import goes_on
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.experiment import CHECK_STEPS
from repose.sim.experiment.runner import pause_between_snapshots
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.io.presets import DEFAULT, load
from repose.sim.study.bench import SIZES, ShowProgress, side_by_side

SIZE = (1280, 720)
"""Size of the window [px]."""
SETTLED_UNTIL, FLOWING_FROM = 0.05, 0.15
"""Simulated time after which the column is taken as at rest, and after the opening as flowing [s]."""
LONGEST_WAIT = 60.0
"""Wall time after which a run without progress is stopped [s]."""
CHECK_INTERVAL = 0.004
"""Wall time between two checks of a run that is not drawn [s]."""

Turn = Callable[[], Snapshot]
"""Waits some wall time, with or without drawing, and returns the newest snapshot, which is valid until the next
call."""


def measure_frames(quick: bool = False, show_progress: ShowProgress = lambda words, share: None) -> dict[str, Any]:
    """Frames and steps per second of the default preset, at rest and flowing; or the reason why nothing was
    measured."""
    from repose.app.window.window import WindowError, open_offscreen

    try:
        window = open_offscreen(SIZE)
        from repose.app.ui.pause_and_speed import SPEEDS
        from repose.app.window.application import Application
    except (WindowError, ImportError) as error:
        return {"skipped": f"No frames were measured: {error}"}
    from repose.app.storage.settings import Settings

    span = 0.1 if quick else 0.4
    with tempfile.TemporaryDirectory() as folder:
        application = Application(window, Settings(Path(folder) / "settings.toml"), DEFAULT, load(DEFAULT))
        physics = application.physics
        while application.ui.snapshot.serial == 0:  # with the first picture the window follows the speed of the scene
            application.draw_frame()
        application.ui.control.transport.choose(SPEEDS.index(None))
        physics.stop_at_rest(False)  # the first measurement is of a packing at rest

        def drawn() -> Snapshot:
            application.draw_frame()
            return application.ui.snapshot

        def undrawn() -> Snapshot:
            time.sleep(CHECK_INTERVAL)
            return physics.latest()

        try:
            rows: list[dict[str, Any]] = []
            for turn in (drawn, undrawn):
                show_progress(f"the run {'with' if turn is drawn else 'without'} a picture", 0.4 * (turn is undrawn))
                for row in _run(turn, physics.send, span):
                    turns = row.pop("turns_per_second")
                    rows.append(row | {"frames_per_second": turns if turn is drawn else None})
                if turn is drawn:
                    physics.send(Act("reset"))
        finally:
            application.close()
    show_progress("snapshots for the picture", 0.8)
    publishing = measure_publishing(quick)
    show_progress("done", 1.0)
    return {"renderer": window.gl_renderer, "size": SIZE, "rows": rows, "publishing": publishing}


def measure_publishing(quick: bool = False) -> list[dict[str, Any]]:
    """Processor time of the physics thread for snapshots compared with steps, for worlds set up side by side."""
    rows = []
    for copies in SIZES[:2] if quick else SIZES:
        experiment = new_experiment(ready="column")
        advance(experiment, CHECK_STEPS)
        if copies > 1:
            experiment.run.world = side_by_side(experiment.run.world, copies, 0.1)
        grains, shown, costs = int((~experiment.run.world.fixed).sum()), Snapshot(), []
        for _ in range(5):
            marks = [time.thread_time()]
            take_snapshot(experiment, shown, contacts=False)
            marks.append(time.thread_time())
            take_snapshot(experiment, shown, contacts=True)
            marks.append(time.thread_time())
            advance(experiment, CHECK_STEPS)
            marks.append(time.thread_time())
            costs.append([late - early for early, late in itertools.pairwise(marks)])
        bare, full, steps = (statistics.median(column) for column in zip(*costs))
        rows.append({"grains": grains, "snapshot": bare, "with_contacts": full, "step": steps / CHECK_STEPS})
        for name, cost in (("share", bare), ("share_with_contacts", full)):
            rows[-1][name] = cost / (cost + pause_between_snapshots(cost))
    return rows


def _run(turn: Turn, send: Callable[[Act], None], span: float) -> list[dict[str, Any]]:
    """The filled column at rest, then flowing."""
    _wait(turn, lambda shown: not goes_on(shown) and shown.run.time >= SETTLED_UNTIL)
    rows = [{"state": "settled"} | _measure(turn, span)]
    send(Act("open"))
    opened = _wait(turn, goes_on).run.time
    _wait(turn, lambda shown: shown.run.time >= opened + FLOWING_FROM)
    return [*rows, {"state": "flowing"} | _measure(turn, span)]


def _measure(turn: Turn, span: float) -> dict[str, Any]:
    """Rates over a simulated time of `span` [s]."""
    first = turn()
    time_0, step_0, grains, began, turns = (
        first.run.time,
        first.run.step,
        first.grains.moving_count,
        time.perf_counter(),
        0,
    )
    last = first
    while last.run.time < time_0 + span:
        last, turns = turn(), turns + 1
        _give_up_after(began, last)
    wall = time.perf_counter() - began
    return {
        "grains": grains,
        "turns_per_second": turns / wall,
        "steps_per_second": (last.run.step - step_0) / wall,
        "realtime_factor": (last.run.time - time_0) / wall,
    }


def _wait(turn: Turn, done: Callable[[Snapshot], bool]) -> Snapshot:
    began = time.perf_counter()
    while not done(shown := turn()):
        _give_up_after(began, shown)
    return shown


def _give_up_after(began: float, shown: Snapshot) -> None:
    if time.perf_counter() - began > LONGEST_WAIT:
        raise RuntimeError(f"The run makes no progress at {shown.run.time:.3f} s: {shown.run.phase_label}.")


def describe(frames: dict[str, Any]) -> str:
    """The same as a table."""
    if "skipped" in frames:
        return str(frames["skipped"])
    lines = [
        f"window of {frames['size'][0]} x {frames['size'][1]}, at most 60 frames/s, drawn by {frames['renderer']}",
        f"{'grains':>8} {'state':>8} {'picture':>8} {'frames/s':>9} {'steps/s':>9} {'x real time':>12}",
    ]
    for row in frames["rows"]:
        drawn = row["frames_per_second"] is not None
        fps = f"{row['frames_per_second']:.0f}" if drawn else "-"
        lines.append(
            f"{row['grains']:>8} {row['state']:>8} {'with' if drawn else 'without':>8} {fps:>9} "
            f"{row['steps_per_second']:>9.0f} {row['realtime_factor']:>12.2f}"
        )
    lines += ["", "snapshots for the picture: time of the physics thread, at the rate at which they are then taken"]
    lines.append(f"{'grains':>8} {'step':>10} {'snapshot':>10} {'share':>7} {'with contacts':>14} {'share':>7}")
    lines += [
        f"{row['grains']:>8} {1e3 * row['step']:>7.3f} ms {1e3 * row['snapshot']:>7.2f} ms "
        f"{100.0 * row['share']:>5.1f} % "
        f"{1e3 * row['with_contacts']:>11.2f} ms {100.0 * row['share_with_contacts']:>5.1f} %"
        for row in frames["publishing"]
    ]
    return "\n".join(lines)
