"""Steps of an experiment and the checks between them: faults, scene, time step, series.

All checks that depend on the state are done at fixed numbers of steps of the run, never per call.
"""

from __future__ import annotations

import math

import numpy as np
from repose.sim.engine import orientation
from repose.sim.engine.builder import enlarge_pairs, trimmed, with_threads
from repose.sim.engine.neighbours import verlet_list
from repose.sim.engine.thread_count import GRAINS_PER_THREAD, threads_for
from repose.sim.engine.world import LEDGER_DAMPING
from repose.sim.experiment import (
    displacement_reference,
    faults,
    history,
    moved_walls,
    placed_instruments,
    rest,
    sampling,
    servo_walls,
)
from repose.sim.experiment.activation import advance_ramp
from repose.sim.experiment.commands import Act, OfInstruments
from repose.sim.experiment.driven import follow_curves, is_driven
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.hand import acts, stepper
from repose.sim.measure.mean_speed import mean_speed

CHECKS_PER_CHECKPOINT = 40
"""Checks between two checkpoints: restart points for faults, positions of the rewind bar, hashes of the log."""


def advance(experiment: Experiment, steps: int, to_rest: bool = False) -> int:
    """Advance by at most `steps` steps; returns how many were done, fewer only after a fault.

    With `to_rest` the run ends at the first check at which all grains are at rest.
    """
    if steps > 0 and experiment.fault is None:
        history.cut(experiment)
    return advance_within_log(experiment, steps, to_rest)


def advance_within_log(experiment: Experiment, steps: int, to_rest: bool = False) -> int:
    """Like `advance`, but without discarding the log after the present step."""
    done = 0
    run = experiment.run
    most, choice = threads_allowed(experiment), experiment.session.thread_choice
    while done < steps and experiment.fault is None:
        run, engine = experiment.run, experiment.engine
        interval, step = min(CHECK_STEPS, engine.dt_check_steps), run.step
        batch = min(steps - done, interval - step % interval)
        if run.ramp is not None:
            batch = min(batch, run.ramp.steps_left(step))
        loop, coefficients = stepper(experiment)
        arguments = engine.law_parameters, engine.gravity, run.dt, batch, coefficients
        run.world = with_threads(run.world, choice.number(most))
        began = choice.clock()
        count, status, culprit = loop(run.world, *arguments)
        choice.record(count, choice.clock() - began)
        done += count
        history.count_steps(experiment, count)
        if status == verlet_list.PAIRS_FULL:
            run.world = enlarge_pairs(run.world)
        elif status != verlet_list.OK:
            faults.stop(experiment, faults.fault_of_status(experiment, status, culprit))
        else:
            if advance_ramp(experiment):
                faults.update_dt(experiment)
            if experiment.fault is None:
                _check(experiment)
        if to_rest and rests_at_check(experiment):
            break
    return done


def is_finished(experiment: Experiment) -> bool:
    """True if only a command can change the phase."""
    return experiment.fault is not None or not experiment.scene.course.under_way(experiment)


def at_rest(experiment: Experiment) -> bool:
    """True if only a command can change the phase and all grains are at rest by the rule of `rest`.

    After a command the simulated time advances by at least `REST_TIME` times the time scale of the scene: the effect of
    the command on grains at rest then becomes visible. At the beginning and after a reset it is enough that the grains
    are slow: nothing has set them in motion. At the end of an experiment none may fall either: the scene has applied
    the rule, or its course ends while grains move. While a curve changes a parameter, now or later, the clock goes on.
    """
    run, run_history = experiment.run, experiment.history
    if not is_finished(experiment) or run.ramp is not None or acts(run) or is_driven(experiment):
        return False
    ends = experiment.present_phase.ends
    if ends and getattr(experiment.parameters, "repeat", False):
        return False  # the scene continues by itself
    done = run_history.log.entries[: run_history.commands]
    last = next((entry for entry in reversed(done) if not isinstance(entry.command, OfInstruments)), None)
    if not rest.is_slow(experiment):
        return False
    # An experiment that has ended needs no wait: an impact takes microseconds.
    ended = ends and last is not None and last.command == Act("run")
    if drifts(experiment) and not ended:
        return False
    if last is None or last.command == Act("reset"):
        return True
    if ended:
        return rest.quiet_time(experiment) > rest.ROLLS * rest.REST_TIME or not rest.any_falls(experiment)
    scale = experiment.scene.limits.time_scale(run.built)
    waited = (run_history.at - last.at) * experiment.dt
    quiet, still = min(rest.quiet_time(experiment), waited), min(rest.still_time(experiment), waited)
    return rest.is_at_rest(run.world, quiet / scale, still=still / scale)


def drifts(experiment: Experiment) -> bool:
    """Whether grains move without weight: however slow they are, nothing brings them to rest."""
    return not any(experiment.engine.gravity) and mean_speed(experiment.run.world) > 0.0


def rests_at_check(experiment: Experiment) -> bool:
    """Whether the clock may stop here: all grains are at rest, and the step is a check, which the run determines.

    The next command of the user then acts at the same step in every run of the same seed, on machines of any speed.
    """
    return experiment.step % CHECK_STEPS == 0 and at_rest(experiment)


def steps_until(experiment: Experiment, time: float) -> int:
    """Number of steps to the first step at or after `time` [s]: at least one, at most until the next check, where the
    time step can change."""
    to_check = CHECK_STEPS - experiment.step % CHECK_STEPS
    if experiment.dt == 0.0 or math.isinf(time):
        return to_check
    return min(to_check, max(1, math.ceil((time - experiment.time) / experiment.dt - 1e-3)))


def threads_allowed(experiment: Experiment) -> int:
    """Number of threads that the user has set; if automatic, the number that is expected to be the fastest."""
    return experiment.session.threads or threads_wanted(experiment)


def threads_wanted(experiment: Experiment) -> int:
    """Number of threads that is expected to be the fastest on free processors."""
    world = experiment.run.world
    if world.sphere_count < 2 * GRAINS_PER_THREAD:  # one thread: do not count them at every step of a script
        return 1
    moving = int(np.count_nonzero(~world.fixed))
    return threads_for(moving, experiment.session.spare_processors)


def _check(experiment: Experiment) -> None:
    """Perform the checks that are due at this step."""
    step = experiment.step
    if step % CHECK_STEPS != 0:
        if step % experiment.engine.dt_check_steps == 0:
            faults.update_dt(experiment)
        return
    if (fault := faults.check(experiment)) is not None:
        faults.stop(experiment, fault)
        return
    if experiment.history.seek is None:  # the way to another step is silent
        heat = float(experiment.run.world.ledger[LEDGER_DAMPING].sum())
        experiment.session.dissipation.note(step, CHECK_STEPS, experiment.time, heat)
    orientation.update(experiment.run.world)
    rest.note_motion(experiment)
    placed_instruments.count(experiment)
    moved_walls.follow_walls(experiment)
    follow_curves(experiment)  # first: a scene drives its walls with the values until the next check
    experiment.scene.course.supervise(experiment)
    placed_instruments.note_places(experiment)
    servo_walls.follow_stiffness(experiment)
    displacement_reference.note_begin(experiment)
    if experiment.step % experiment.engine.dt_check_steps == 0:
        faults.update_dt(experiment)
    if experiment.fault is not None:
        return
    sampling.sample(experiment)
    if experiment.step // CHECK_STEPS % CHECKS_PER_CHECKPOINT == 0:
        experiment.run.world = trimmed(experiment.run.world)
        history.keep_checkpoint(experiment)
