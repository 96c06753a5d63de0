"""Self-test of runs: equal seeds give equal bits, saved runs continue, faults are found and reported."""

from __future__ import annotations

import gc
import io
import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.neighbours import verlet_list
from repose.sim.engine.workspace import WAIT_LIMIT
from repose.sim.experiment import automatic_step, faults, saved_run
from repose.sim.experiment.changes import clear_fault, new_experiment
from repose.sim.experiment.commands import Act, Command, Recover, SetParameters, Start, UseThreads
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.stepping import advance
from repose.sim.io import world_tables
from repose.sim.scenes.heap.container import HeapState
from repose.sim.study.mutations import complaint, mutants
from repose.sim.study.physics_selftest import POURED, SMALL, SelfTestCase, SelfTestResult, heap

PATIENCE = 60.0
"""Longest wall time for a request to the physics thread [s]; for a new process five times as long."""


def batches() -> SelfTestResult:
    """Runs in batches of 7 and 997 steps that differ from one run in a single batch."""
    whole, differing = state_hash(heap().run), 0
    for size in (7, 997):
        other = heap(0)
        while other.step < POURED:
            advance(other, min(size, POURED - other.step))
        differing += state_hash(other.run) != whole
    return SelfTestResult(differing, 0, "runs")


def new_process() -> SelfTestResult:
    """Runs of a new process with the same seed that have other bits: 0 or 1."""
    code = (
        "from repose.sim.experiment.results import state_hash; from repose.sim.study.physics_selftest import heap; "
        "print(state_hash(heap().run))"
    )
    said = output_of(code)
    return SelfTestResult(float(said.split()[-1] != state_hash(heap().run)), 0, "runs")


def output_of(code: str) -> str:
    """Standard output of a new process that executes `code`."""
    folder = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=5 * PATIENCE, check=True, cwd=folder)
    return done.stdout


def restart() -> SelfTestResult:
    """Runs that were saved and read while grains touch, and then continue with other bits."""
    differing = 0
    for step in (349, 8_111):
        whole, part = heap(), heap(step)
        blob = world_tables.to_bytes(part.run.world, part.run.state, {})
        part.run.world, part.run.state, _ = world_tables.from_bytes(blob, HeapState)
        advance(part, POURED - step)
        differing += state_hash(part.run) != state_hash(whole.run)
    return SelfTestResult(differing, 0, "runs")


def damaged_file() -> SelfTestResult:
    """Of 200 saved worlds with one bit flipped, those that are read with changed grains."""
    simulation, generator = heap(), np.random.default_rng(51)
    blob = world_tables.to_bytes(simulation.run.world, simulation.run.state, {})
    wrong = 0
    for _ in range(200):
        damaged = bytearray(blob)
        damaged[int(generator.integers(len(damaged)))] ^= 1 << int(generator.integers(8))
        try:
            world, _, _ = world_tables.from_bytes(bytes(damaged), HeapState)
        except world_tables.StoreError:
            continue
        wrong += not np.array_equal(world.motion, simulation.run.world.motion)
    return SelfTestResult(wrong, 0, "files")


def mutated_runs() -> SelfTestResult:
    """Of 200 changed saved runs with correct checksums, those neither read nor refused in one sentence."""
    blob = io.BytesIO()
    saved_run.write(saved_copy(heap()), blob)
    return SelfTestResult(sum(complaint(wrong) != "" for wrong in mutants(blob.getvalue(), 200, seed=53)), 0, "files")


def not_a_number() -> SelfTestResult:
    """Steps with a number that is not finite until the run stops, names the grain and restores the last good state."""
    late, simulation = 0, heap()
    for value in (math.nan, math.inf):
        for level in (0, 1):
            row = int(np.flatnonzero(~simulation.run.world.fixed)[level])
            sphere = int(simulation.run.world.sphere_id[row])
            simulation.run.world.motion[1, level, row] = value
            late += advance(simulation, 10)
            fault = simulation.fault
            sound = bool(np.isfinite(simulation.run.world.motion).all())
            if fault is None or fault.sphere_id != sphere or not sound:
                return SelfTestResult(math.inf, 0, "steps")
            apply(simulation, Recover({"dt": "auto"}))
    return SelfTestResult(late, 0, "steps")


def step_too_large() -> SelfTestResult:
    """Steps with ten times the stable time step until the run stops and restores the last good state."""
    simulation = heap()
    before = state_hash(simulation.run)
    apply(simulation, SetParameters({"dt": 10.0 * survey_contacts(simulation).stable_dt}))
    done = advance(simulation, 1_000)
    kept = simulation.fault is not None and state_hash(simulation.run) == before
    return SelfTestResult(done if kept else math.inf, automatic_step.CLOSE_STEPS, "steps")


def stiffness() -> SelfTestResult:
    """Faults after the stiffness is multiplied by 1000 while grains touch: 0 or 1."""
    simulation = heap()
    apply(simulation, SetParameters({"normal_stiffness": 1e9}))
    advance(simulation, 2_000)
    sound = simulation.fault is None and bool(np.isfinite(simulation.run.world.motion).all())
    return SelfTestResult(float(not sound), 0, "faults")


REFUSED: tuple[Command, ...] = (
    *(SetParameters({"friction": value}) for value in (math.nan, math.inf, -0.1, 1e9, True, "much", "0,5")),
    *(SetParameters({name: 0.0}) for name in ("mean_radius", "normal_stiffness", "width", "dt")),
    SetParameters({"frictoin": 0.2}),
    SetParameters({"grain_count": 10**9}),
    SetParameters({"grain_count": 2.5}),
    Act("explode"),
    Start("hepa", {}, 1),
    Start("heap", {}, -1),
    Start("heap", {}, 1, ready="nothing"),
)


def refused_inputs() -> SelfTestResult:
    """Invalid inputs that are accepted, refused in more than one sentence, or change the state."""
    simulation = heap(500)
    before, taken = (state_hash(simulation.run), simulation.parameters), 0
    for command in REFUSED:
        said = apply(simulation, command)
        unchanged = (state_hash(simulation.run), simulation.parameters) == before
        taken += not (said.endswith((".", "?")) and "\n" not in said and unchanged)
    return SelfTestResult(taken, 0, "inputs")


def single_steps() -> SelfTestResult:
    """Steps lost or done too often by the physics thread when two threads request 1000 single steps each."""
    runner, changed = Runner(lambda: new_experiment("heap", SMALL)), threading.Event()
    runner.pause(True)
    runner.send(Act("fill"))
    runner.start()

    def ask() -> None:
        for _ in range(1000):
            runner.single_step()

    askers = [threading.Thread(target=ask) for _ in range(2)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    for _ in range(round(PATIENCE / 0.02)):
        if runner.latest().run.step >= 2000 or runner.dead:
            break
        changed.wait(0.02)
    changed.wait(0.1)  # a step too many is done within this time
    found = runner.latest().run.step
    runner.stop()
    return SelfTestResult(abs(found - 2000), 0, "steps")


def missing_thread() -> SelfTestResult:
    """Batches without the second of two threads that count as complete or change the later run: 0 or 1."""
    simulation = heap(349)
    apply(simulation, UseThreads(2))
    advance(simulation, 1)  # from this step on there are two
    world = simulation.run.world
    world.threads.barrier[WAIT_LIMIT] = 100
    alone: Any = simulation.engine.advance
    _, status, row = alone.loop(
        world, simulation.engine.law_parameters, simulation.engine.gravity, simulation.dt, 50, 0
    )
    if status != verlet_list.THREAD_MISSING:
        return SelfTestResult(1.0, 0, "batches")
    faults.stop(simulation, faults.fault_of_status(simulation, status, row))
    clear_fault(simulation)
    advance(simulation, 1_000 - simulation.step)
    return SelfTestResult(float(state_hash(simulation.run) != state_hash(heap(1_000).run)), 0, "batches")


class InUse(NamedTuple):
    """Resources of this process."""

    memory: float
    """Resident memory [MB], 0 where the system does not report it."""
    threads: int
    files: int
    """Open files, 0 where the system does not report them."""


def in_use() -> InUse:
    """Resources of this process now."""
    gc.collect()
    try:
        pages, files = int(Path("/proc/self/statm").read_text().split()[1]), len(os.listdir("/proc/self/fd"))
    except OSError:
        return InUse(0.0, threading.active_count(), 0)
    return InUse(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, threading.active_count(), files)


@cache
def heaps_in_a_row(count: int = 20) -> tuple[InUse, ...]:
    """Resources of a new process after each of `count` small heaps. An older process reuses memory that it has freed
    before, which hides growth."""
    code = f"import json; from repose.sim.study.survival import do_heaps; print(json.dumps(do_heaps({count})))"
    return tuple(InUse(*held) for held in json.loads(output_of(code).splitlines()[-1]))


def do_heaps(count: int) -> list[InUse]:
    """Resources of this process after each of `count` small heaps that two threads step."""
    held, waiting = [], threading.Event()
    for seed in range(count):
        runner = Runner(lambda seed=seed: new_experiment("heap", SMALL, seed))  # type: ignore[misc]
        for command in (UseThreads(2), Act("run")):
            runner.send(command)
        runner.start()
        for _ in range(round(PATIENCE / 0.01)):
            if runner.latest().run.step >= 200 or runner.dead:
                break
            waiting.wait(0.01)
        shown = runner.latest()
        runner.stop()
        if shown.run.step < 200 or shown.messages.fault is not None:
            raise RuntimeError(f"Heap {seed + 1} of {count} stopped at step {shown.run.step}.")
        held.append(in_use())
    return held


def grown(what: str, bound: float, unit: str = "") -> Callable[[], SelfTestResult]:
    """The case that the resource `what` does not grow from the fifth heap on; until then caches fill up."""

    def try_out() -> SelfTestResult:
        held = [getattr(now, what) for now in heaps_in_a_row()[4:]]
        return SelfTestResult(held[-1] - held[0], bound, unit)

    return try_out


def lost_grains() -> SelfTestResult:
    """Of 20 small random heaps, those that stop, lose a grain or have numbers that are not finite within 1000 steps."""
    failed = 0
    for seed in range(20):
        generator = np.random.default_rng(seed)
        values = {name: float(generator.uniform(0.0, 1.0)) for name in ("friction", "tilt")}
        simulation = new_experiment("heap", SMALL | values, seed)
        apply(simulation, Act("run"))
        advance(simulation, 1_000)
        state, world = simulation.run.state, simulation.run.world
        kept = int((~world.fixed).sum()) == state.poured - state.removed
        failed += not (kept and simulation.fault is None and bool(np.isfinite(world.motion).all()))
    return SelfTestResult(failed, 0, "heaps")


SURVIVAL = (
    SelfTestCase("batches", "runs that depend on the batch size", batches, "I12"),
    SelfTestCase("new process", "runs with other bits", new_process, "I12"),
    SelfTestCase("restart", "runs that continue with other bits", restart, "I14, N01"),
    SelfTestCase("damaged files", "of 200, read with changed grains", damaged_file, "N08"),
    SelfTestCase("mutated runs", "of 200, neither read nor refused", mutated_runs, "S26, N10"),
    SelfTestCase("number not finite", "steps until it is found", not_a_number, "X13"),
    SelfTestCase("step too large", "steps until the run stops", step_too_large, "X06"),
    SelfTestCase("stiffness × 1000", "faults with an automatic step", stiffness, "P08, X07"),
    SelfTestCase("random heaps", "of 20, with a grain lost", lost_grains, "X19"),
    SelfTestCase("missing thread", "batches that count as complete", missing_thread, "T08"),
    SelfTestCase("heaps in a row: memory", "growth from the 5th to the 20th", grown("memory", 5.0, "MB"), "T09, L04"),
    SelfTestCase("heaps in a row: threads", "growth from the 5th to the 20th", grown("threads", 0), "T09, L04"),
    SelfTestCase("heaps in a row: files", "growth from the 5th to the 20th", grown("files", 0), "T09, L04"),
    SelfTestCase("refused inputs", f"of {len(REFUSED)}, accepted", refused_inputs, "P01 to P07"),
    SelfTestCase("single steps", "lost or too many of 2000", single_steps, "T16"),
)
