"""Results of a run as in result.json, the state hash, and the results of several runs for comparison."""

from __future__ import annotations

import copy
import hashlib
import math
from collections.abc import Sequence
from importlib import metadata
from typing import Any, cast

from repose.sim.engine.workspace import (
    OVERLAP_FIRST,
    OVERLAP_POINT,
    OVERLAP_RATIO,
    OVERLAP_SECOND,
    OVERLAP_STEP,
    OVERLAP_WALL,
)
from repose.sim.experiment.command_log import SavedRun
from repose.sim.experiment.comparison import PREPARED, Point
from repose.sim.experiment.energy_gap import gap_sentence
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.instrument_values import results_of_instruments
from repose.sim.experiment.rest import rule_of
from repose.sim.experiment.run import Run
from repose.sim.experiment.run_answer import answer_of
from repose.sim.experiment.sampling import samples_now, system_of
from repose.sim.io.world_tables import tables_of
from repose.sim.measure.bulk import bulk_of, bulk_results
from repose.sim.measure.coordination import coordination_of
from repose.sim.measure.display import AudienceGuesses
from repose.sim.measure.energy import ledger_of
from repose.sim.measure.network import network_now
from repose.sim.message import in_english
from repose.sim.parameters import Value


def results_of(experiment: Experiment) -> dict[str, Any]:
    """The content of result.json, in SI units, in English and of types that JSON has."""
    system = system_of(experiment)
    survey = system.survey
    entries = {
        "scene": experiment.scene.name,
        "parameters": experiment.parameters.as_given(),
        "seed": experiment.seed,
        "ready": experiment.ready,
        "version": metadata.version("repose"),
        "steps": experiment.step,
        "simulated_time": experiment.time,
        "time_step": {
            "now": experiment.dt,
            "stable": survey.stable_dt if math.isfinite(survey.stable_dt) else None,
        },
        "dt_changes": experiment.run.dt_changes,
        **experiment.scene.course.results(experiment),
        "answer": answer.words if (answer := answer_of(experiment)) else None,
        "rule_of_rest": rule_of(experiment),
        "largest_overlap": float(experiment.run.world.largest_overlap[OVERLAP_RATIO]),
        "largest_overlap_at": _deepest(experiment.run, experiment.scene.model.dimension),
        **bulk_results(system.derived(bulk_of), system.derived(coordination_of)),
        "network": system.derived(network_now).as_dict(),
        "energy": system.derived(ledger_of).as_dict(),
        "energy_notice": gap_sentence(experiment, system.derived(ledger_of)) or None,
        "measurements": samples_now(system),
        "instruments": results_of_instruments(experiment, system),
        "fault": experiment.fault.message if experiment.fault else None,
        "complaint": experiment.scene.course.check(experiment) or None,
        "state_hash": state_hash(experiment.run),
    }
    if experiment.audience:
        entries["audience"] = _guesses(experiment)
    return cast(dict[str, Any], in_english(entries))


def _deepest(run: Run, dimension: int) -> dict[str, Any] | None:
    """Time, position and partners of the largest overlap of the run; None if there was no contact."""
    record = run.world.largest_overlap
    if record[OVERLAP_RATIO] == 0.0:
        return None
    ids = [int(record[entry]) for entry in (OVERLAP_FIRST, OVERLAP_SECOND) if record[entry] >= 0.0]
    return {
        "time": run.time_at(int(record[OVERLAP_STEP])),
        "position": record[OVERLAP_POINT : OVERLAP_POINT + dimension].tolist(),
        "grains": ids,
        "wall": int(record[OVERLAP_WALL]) if record[OVERLAP_WALL] >= 0.0 else None,
    }


NOT_IN_HASH = ("stiffening", "previous", "bodies.rotation")
"""Tables of a world that `state_hash` leaves out."""


def state_hash(run: Run) -> str:
    """Digest of step, time and all tables of the world, shear springs and walls included: equal for equal runs.

    Tables that follow from the motion and that older versions do not have are excluded (`NOT_IN_HASH`): their files
    have the same digest.
    """
    digest = hashlib.sha256(f"{run.step} {run.time!r} {run.dt!r}".encode())
    for name, table in tables_of(run.world).items():
        if name not in NOT_IN_HASH:
            digest.update(table.data)
    return digest.hexdigest()


def keep_measurement(experiment: Experiment) -> None:
    """Add the result of this run to those of the session, unless they contain it already."""
    study = experiment.scene.study
    if study is None or study.over in experiment.parameters.curves:  # its value was not one value
        return
    if (point := study.measure(experiment)) is not None:
        keep_points(experiment, experiment.scene.name, [point._replace(conditions=conditions(experiment))])


def keep_points(experiment: Experiment, scene: str, points: Sequence[Point]) -> None:
    """Add results of runs of a scene to those of the session, without duplicates."""
    known = experiment.session.measured.setdefault(scene, [])
    known.extend(point for point in points if point not in known)


def keep_guesses(experiment: Experiment, guesses: AudienceGuesses) -> None:
    """Keep the guesses of an audience with the run, as the latest ones."""
    others = tuple(entry for entry in experiment.audience if entry.guess != guesses.guess)
    experiment.audience = (*others, guesses) if guesses.values else others


def _guesses(experiment: Experiment) -> list[dict[str, Any]]:
    return [
        {
            "question": entry.guess.words,
            "unit": entry.guess.unit,
            "low": entry.guess.low,
            "high": entry.guess.high,
            **({"choices": entry.guess.choices} if entry.guess.choices else {}),
            "guesses": list(entry.values),
            "result": entry.result,
        }
        for entry in experiment.audience
    ]


def adopt_measured(experiment: Experiment, saved: SavedRun) -> None:
    """Add the results in a saved run to those of the session."""
    points = experiment.session.measured.setdefault(saved.log.scene, [])
    points.extend(copy.copy(point) for point in saved.measured if point not in points)


def conditions(experiment: Experiment) -> dict[str, Value]:
    """Conditions that comparable runs share: all parameters, and whether the initial state was prepared."""
    prepared = bool(getattr(experiment.run.state, PREPARED, False))
    return {**experiment.parameters.as_given(), PREPARED: prepared}
