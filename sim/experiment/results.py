"""What a run comes to: result.json, and the digest that tells whether two runs are the same."""

from __future__ import annotations

import hashlib
import math
from importlib import metadata
from typing import TYPE_CHECKING, Any

from repose.sim.experiment.comparison import compare
from repose.sim.io.world_tables import tables_of
from repose.sim.measure.bulk import Bulk, bulk_results, measure_bulk
from repose.sim.measure.coordination import coordination_number
from repose.sim.measure.packing import box_in_packing

if TYPE_CHECKING:
    from repose.sim.experiment.run import Run
    from repose.sim.experiment.simulation import Simulation


def results(simulation: Simulation) -> dict[str, Any]:
    """Everything result.json holds, in SI and JSON-ready."""
    survey = simulation.survey()
    return {
        "scene": simulation.scene.name,
        "parameters": simulation.parameters.model_dump(),
        "seed": simulation.seed,
        "ready": simulation.ready,
        "version": metadata.version("repose"),
        "steps": simulation.step,
        "simulated_time": simulation.time,
        "time_step": {
            "now": simulation.dt,
            "stable": survey.stable_dt if math.isfinite(survey.stable_dt) else None,
        },
        "dt_changes": simulation.run.dt_changes,
        **simulation.scene.results(simulation),
        "largest_overlap": survey.largest_overlap,
        **bulk_results(simulation.bulk(), coordination_number(simulation.run.world)),
        "energy": simulation.energy(survey).as_dict(),
        "fault": simulation.fault.message if simulation.fault else None,
        "complaint": simulation.scene.check(simulation) or None,
        "state_hash": simulation.state_hash(),
    }


def state_hash(run: Run) -> str:
    """Digest of step, time and all tables of the world, contact memory and walls included: equal for equal runs."""
    digest = hashlib.sha256(f"{run.step} {run.time!r} {run.dt!r}".encode())
    for table in tables_of(run.world).values():
        digest.update(table.tobytes())
    return digest.hexdigest()


def keep_point(simulation: Simulation) -> None:
    """Put what this run has measured beside the runs before; the very same run counts once."""
    point = simulation.scene.study.measure(simulation) if simulation.scene.study else None
    points = simulation.measured.setdefault(simulation.scene.name, [])
    if point is not None and point not in points:
        points.append(point)
        compare_runs(simulation)


def compare_runs(simulation: Simulation) -> None:
    """Make the plot of the runs of this session anew."""
    scene = simulation.scene
    points = simulation.measured.get(scene.name, ())
    declared = scene.parameters.declared()
    simulation.comparison = compare(scene.study, declared[scene.study.over], points) if scene.study else None


def bulk(simulation: Simulation) -> Bulk | None:
    """Packing fraction and stress well inside the packing; None where there is no packing of that size."""
    world = simulation.run.world
    box = box_in_packing(world)
    if box is None:
        return None
    contacts = simulation.contact_table(world, simulation.numbers)
    return measure_bulk(world, contacts, box, simulation.scheme.velocity_lead * simulation.run.dt)
