"""The present surface of the heap on its base."""

from __future__ import annotations

from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.angle_of_repose import measure_angle
from repose.sim.measure.surface_slope import SurfaceSlope


def slope_now(experiment: Experiment, complete: bool = False) -> SurfaceSlope | None:
    """The slope of the grains on the base, relative to the base; None with too few grains. `complete` adds the results
    of every method and the curvature."""
    world, parameters = experiment.run.world, experiment.parameters
    moving = ~world.fixed
    return measure_angle(
        world.motion[:2, 0, moving].T,
        world.radius[moving],
        world.sphere_id[moving],
        x_range=(0.0, experiment.run.built.width),
        highest=parameters.surface_grains,
        method=parameters.method,
        complete=complete,
    )
