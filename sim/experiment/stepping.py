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
    from repose.sim.experiment.simulation import Simulation

CHECK_STEPS = 50
"""The scene looks at the world every so many steps."""
CHECKS_PER_POINT = 40
"""So many looks apart lie the states a fault goes back to, the restart points and the hashes of the log."""


def step_on(simulation: Simulation, steps: int) -> int:
    """Advance by at most `steps` steps within what the log holds already, if that reaches further."""
    done = 0
    run = simulation.run
    run.world = with_crew(run.world, simulation.threads or simulation.threads_wanted)
    while done < steps and simulation.fault is None:
        run = simulation.run
        apart = min(CHECK_STEPS, simulation.look_steps)
        batch = min(steps - done, apart - simulation.step % apart)
        if run.ramp is not None:
            batch = min(batch, run.ramp.steps_left(simulation.step))
        count, status, culprit = simulation.loop(run.world, simulation.numbers, simulation.gravity, run.dt, batch)
        done += count
        simulation.at += count
        if status == verlet_list.PAIRS_FULL:
            run.world = enlarge_pairs(run.world)
        elif status != verlet_list.OK:
            simulation.stop(faults.from_status(simulation, status, culprit))
        else:
            ramp.go_on(simulation)
            if simulation.fault is None:
                look(simulation)
    simulation.log.end = max(simulation.log.end, simulation.at)
    return done


def look(simulation: Simulation) -> None:
    """Look at what is due at this step."""
    if simulation.step % CHECK_STEPS != 0:
        if simulation.step % simulation.look_steps == 0:
            simulation.set_dt()
        return
    if (fault := faults.look(simulation)) is not None:
        simulation.stop(fault)
        return
    orientation.bring_up(simulation.run.world)
    simulation.scene.supervise(simulation)
    if simulation.step % simulation.look_steps == 0:
        simulation.set_dt()
    if simulation.fault is not None:
        return
    sampling.sample(simulation)
    if simulation.step // CHECK_STEPS % CHECKS_PER_POINT == 0:
        history.keep(simulation)


def stop(simulation: Simulation, fault: Fault) -> None:
    """Go back to the last good state and wait there."""
    simulation.fault = fault
    # The state is the one before the change, the parameters are those after it: the step between them is
    # the same as when they were set, its work included.
    now = simulation.parameters
    simulation.go_on_from(simulation.last_good)
    changes.take_on(simulation, now)
    simulation.fault = faults.with_remedies(simulation, fault)
    simulation.message = simulation.fault.message
