"""Steps of an experiment, and what is looked at between them: faults, the scene, the time step, the series.

Whatever depends on the state is looked at every so many steps of the run, never per call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repose.sim.engine import orientation
from repose.sim.engine.builder import enlarge_pairs, with_crew
from repose.sim.engine.neighbours import verlet_list
from repose.sim.experiment import changes, faults, history, ramp, sampling
from repose.sim.experiment.snapshot import Fault

if TYPE_CHECKING:
    from repose.sim.experiment.experiment import Experiment

CHECK_STEPS = 50
"""The scene looks at the world every so many steps."""
CHECKS_PER_POINT = 40
"""So many looks apart lie the states a fault goes back to, the restart points and the hashes of the log."""


def step_on(experiment: Experiment, steps: int) -> int:
    """Advance by at most `steps` steps within what the log holds already, if that reaches further."""
    done = 0
    run = experiment.run
    run.world = with_crew(run.world, experiment.session.threads or experiment.threads_wanted)
    while done < steps and experiment.fault is None:
        run = experiment.run
        apart = min(CHECK_STEPS, experiment.engine.dt_check_steps)
        batch = min(steps - done, apart - experiment.step % apart)
        if run.ramp is not None:
            batch = min(batch, run.ramp.steps_left(experiment.step))
        count, status, culprit = experiment.engine.advance(
            run.world, experiment.engine.law_parameters, experiment.engine.gravity, run.dt, batch
        )
        done += count
        experiment.history.at += count
        if status == verlet_list.PAIRS_FULL:
            run.world = enlarge_pairs(run.world)
        elif status != verlet_list.OK:
            stop(experiment, faults.from_status(experiment, status, culprit), faults.REMEDIES.get(status, ""))
        else:
            ramp.go_on(experiment)
            if experiment.fault is None:
                look(experiment)
    experiment.history.log.end = max(experiment.history.log.end, experiment.history.at)
    return done


def look(experiment: Experiment) -> None:
    """Look at what is due at this step."""
    if experiment.step % CHECK_STEPS != 0:
        if experiment.step % experiment.engine.dt_check_steps == 0:
            set_dt(experiment)
        return
    if (fault := faults.look(experiment)) is not None:
        stop(experiment, fault)
        return
    orientation.bring_up(experiment.run.world)
    experiment.scene.supervise(experiment)
    if experiment.step % experiment.engine.dt_check_steps == 0:
        set_dt(experiment)
    if experiment.fault is not None:
        return
    sampling.sample(experiment)
    if experiment.step // CHECK_STEPS % CHECKS_PER_POINT == 0:
        history.keep(experiment)


def stop(experiment: Experiment, fault: Fault, remedy: str = "") -> None:
    """Go back to the last good state and wait there; `remedy` is what helps, unless that follows from the state."""
    experiment.fault = fault
    # The state is the one before the change, the parameters are those after it: the step between them is
    # the same as when they were set, its work included.
    now = experiment.parameters
    experiment.go_on_from(last_good(experiment))
    changes.take_on(experiment, now)
    experiment.fault = faults.with_remedies(experiment, fault, remedy)
    tell(experiment, experiment.fault.message)
