"""What a user may want to see on his own machine, second part: runs that repeat themselves, and faults survived."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
from repose.sim.experiment import automatic_step
from repose.sim.experiment.activation import survey_contacts
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Command, Recover, SetParameters, Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.stepping import advance
from repose.sim.io import world_tables
from repose.sim.scenes.heap.filling import HeapState
from repose.sim.study.selftest import POURED, SMALL, Case, Outcome, heap

PATIENCE = 60.0
"""How long the physics thread may take for what it is asked [s]; a new process five times that."""


def batches() -> Outcome:
    """Runs that differ from one that was not cut into batches."""
    whole, differing = state_hash(heap().run), 0
    for size in (7, 997):
        other = heap(0)
        while other.step < POURED:
            advance(other, min(size, POURED - other.step))
        differing += state_hash(other.run) != whole
    return Outcome(differing, 0, "runs")


def new_process() -> Outcome:
    """Whether a new process gets other bits from the same seed."""
    code = "from repose.sim.study.selftest import heap; print(heap().state_hash())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    return Outcome(float(done.stdout.split()[-1] != state_hash(heap().run)), 0, "runs")


def restart() -> Outcome:
    """Runs that go on otherwise after having been written to a file and read back in the midst of contacts."""
    differing = 0
    for step in (349, 8_111):
        whole, part = heap(), heap(step)
        blob = world_tables.to_bytes(part.run.world, part.run.state, {})
        part.run.world, part.run.state, _ = world_tables.from_bytes(blob, HeapState)
        advance(part, POURED - step)
        differing += state_hash(part.run) != state_hash(whole.run)
    return Outcome(differing, 0, "runs")


def damaged_file() -> Outcome:
    """Of 200 saved worlds with one bit flipped, those read with other grains than were saved."""
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
    return Outcome(wrong, 0, "files")


def not_a_number() -> Outcome:
    """Steps done with a number that is not finite before the run stops, names the grain and goes back."""
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
                return Outcome(math.inf, 0, "steps")
            apply(simulation, Recover({"dt": "auto"}))
    return Outcome(late, 0, "steps")


def step_too_large() -> Outcome:
    """Steps done with ten times the step the contacts bear before the run is stopped and set back."""
    simulation = heap()
    before = state_hash(simulation.run)
    apply(simulation, SetParameters({"dt": 10.0 * survey_contacts(simulation).stable_dt}))
    done = advance(simulation, 1_000)
    kept = simulation.fault is not None and state_hash(simulation.run) == before
    return Outcome(done if kept else math.inf, automatic_step.CLOSE_STEPS, "steps")


def stiffness() -> Outcome:
    """Whether a stiffness a thousandfold larger in the midst of contacts stops the run or loses a number."""
    simulation = heap()
    apply(simulation, SetParameters({"normal_stiffness": 1e9}))
    advance(simulation, 2_000)
    sound = simulation.fault is None and bool(np.isfinite(simulation.run.world.motion).all())
    return Outcome(float(not sound), 0, "faults")


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


def refused_inputs() -> Outcome:
    """Of bad inputs, those that are taken, told in more than a sentence, or change anything."""
    simulation = heap(500)
    before, taken = (state_hash(simulation.run), simulation.parameters), 0
    for command in REFUSED:
        said = apply(simulation, command)
        unchanged = (state_hash(simulation.run), simulation.parameters) == before
        taken += not (said.endswith((".", "?")) and "\n" not in said and unchanged)
    return Outcome(taken, 0, "inputs")


def single_steps() -> Outcome:
    """Steps lost or gained by the physics thread when two others ask for 1000 single steps each."""
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
        if runner.latest().step >= 2000 or runner.dead:
            break
        changed.wait(0.02)
    changed.wait(0.1)  # any step too many would be done by now
    found = runner.latest().step
    runner.stop()
    return Outcome(abs(found - 2000), 0, "steps")


def lost_grains() -> Outcome:
    """Of 20 small random heaps, those that stop, lose a grain or a number within 1000 steps."""
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
    return Outcome(failed, 0, "heaps")


SURVIVAL = (
    Case("batches", "runs that depend on how they are cut", batches, "I12"),
    Case("new process", "runs with other bits", new_process, "I12"),
    Case("restart", "runs that go on otherwise from a file", restart, "I14, N01"),
    Case("damaged files", "of 200, read with wrong contents", damaged_file, "N08"),
    Case("number not finite", "steps until it is found", not_a_number, "X13"),
    Case("step too large", "steps until it is refused", step_too_large, "X06"),
    Case("stiffness × 1000", "faults with an automatic step", stiffness, "P08, X07"),
    Case("random heaps", "of 20, with a grain lost", lost_grains, "X19"),
    Case("refused inputs", f"of {len(REFUSED)}, taken", refused_inputs, "P01 to P07"),
    Case("single steps", "lost or gained of 2000", single_steps, "T16"),
)
