"""The heap that LAMMPS continues, without LAMMPS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from repose.sim.experiment import simulation
from repose.sim.experiment.experiment import Experiment
from repose.sim.io.lammps.installed import Contacts
from repose.sim.study.parallel_runs import Task
from repose.sim.study.studies import beside_lammps
from repose.sim.study.studies.beside_lammps import STUDY


def test_the_heap_is_filled_and_opened_without_warnings_that_are_for_scripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker of the study wrote the place of a Python warning into the progress of the study."""
    phases: list[str] = []

    def heap(experiment: Experiment, *_: Any) -> dict[str, Any]:
        phases.append(experiment.phase)
        return {"angle_in_LAMMPS_degrees": 20.0}

    monkeypatch.setattr(simulation, "gap_sentence", lambda *_: "The energy does not balance.")
    monkeypatch.setattr(beside_lammps, "heap_in_lammps", heap)
    monkeypatch.setattr(beside_lammps, "contacts_in_lammps", lambda *_: Contacts(0.0, 1, 1))
    values = {**STUDY.values, "friction": 0.3, "grain_count": 12, "width": 0.012}
    found = beside_lammps.beside(Task("heap", values, 1, "run", tmp_path / "run.json"))
    assert phases == ["flowing"]
    assert found[beside_lammps.NAME]["angle_in_LAMMPS_degrees"] == 20.0
