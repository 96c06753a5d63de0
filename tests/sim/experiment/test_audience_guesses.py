"""Guesses of an audience are kept with the run, in results and files, and change no bit of it."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import KeepGuesses, Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.results import results_of, state_hash
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_picture
from repose.sim.io.archive import ArchiveError
from repose.sim.measure.display import AudienceGuesses, Guess
from repose.sim.message import _, plain

GUESS = Guess(_("Angle of the flanks of the large heap"), "°", 0.0, 60.0)
GUESSES = AudienceGuesses(GUESS, tuple(float(k) for k in range(60)), 31.25, shown=True)


def test_guesses_are_kept_in_results_snapshot_and_file_and_the_log_has_no_command() -> None:
    experiment = new_experiment("heap", {"grain_count": 4})
    before = state_hash(experiment.run)
    assert "audience" not in results_of(experiment)
    for guesses in (replace(GUESSES, values=(1.0,)), GUESSES):
        assert not apply(experiment, KeepGuesses(guesses))
    assert state_hash(experiment.run) == before
    assert experiment.history.log.entries == []
    (kept,) = json.loads(json.dumps(results_of(experiment)))["audience"]
    assert kept["question"] == "Angle of the flanks of the large heap"
    assert kept["guesses"] == list(GUESSES.values)
    assert kept["result"] == 31.25
    shot = Snapshot()
    take_picture(experiment, shot)
    assert shot.results.audience == GUESSES
    file = io.BytesIO()
    saved_run.write(saved_copy(experiment), file)
    file.seek(0)
    assert resumed_experiment(saved_run.read(file)).audience == (GUESSES,)


def test_without_values_they_are_deleted_and_another_experiment_has_none() -> None:
    experiment = new_experiment("heap", {"grain_count": 4})
    other = replace(GUESSES, guess=replace(GUESS, words=plain("Other")))
    for guesses in (GUESSES, other, replace(GUESSES, values=())):
        apply(experiment, KeepGuesses(guesses))
    assert experiment.audience == (other,)
    assert not apply(experiment, Start("heap", {"grain_count": 5}, 1))
    assert experiment.audience == ()


def test_hidden_guesses_are_not_in_the_picture() -> None:
    experiment = new_experiment("heap", {"grain_count": 4})
    apply(experiment, KeepGuesses(replace(GUESSES, shown=False)))
    shot = Snapshot()
    take_picture(experiment, shot)
    assert shot.results.audience is None


def test_guesses_that_no_slider_gives_are_refused_in_a_file() -> None:
    saved = saved_copy(new_experiment("heap", {"grain_count": 4}))
    file = io.BytesIO()
    saved_run.write(replace(saved, audience=(replace(GUESSES, values=(1.0, 99.0)),)), file)
    file.seek(0)
    with pytest.raises(ArchiveError, match="guesses of the audience"):
        saved_run.read(file)


CHOICE = Guess(_("Grains left"), "", 1.0, 3.0, (_("Flow rate"), _("Grains left"), plain("<b>none</b>")))


def test_choices_are_kept_in_results_and_file_with_their_names() -> None:
    experiment = new_experiment("heap", {"grain_count": 4})
    guesses = AudienceGuesses(CHOICE, (1.0, 2.0, 2.0), 2.0, shown=True)
    assert not apply(experiment, KeepGuesses(guesses))
    (kept,) = json.loads(json.dumps(results_of(experiment)))["audience"]
    assert kept["choices"] == ["Flow rate", "Grains left", "<b>none</b>"]
    file = io.BytesIO()
    saved_run.write(saved_copy(experiment), file)
    file.seek(0)
    assert resumed_experiment(saved_run.read(file)).audience == (guesses,)


def test_a_file_with_fewer_choices_than_numbers_is_refused() -> None:
    saved = saved_copy(new_experiment("heap", {"grain_count": 4}))
    file = io.BytesIO()
    damaged = AudienceGuesses(replace(CHOICE, high=9.0), (1.0, 8.0))
    saved_run.write(replace(saved, audience=(damaged,)), file)
    file.seek(0)
    with pytest.raises(ArchiveError, match="guesses of the audience"):
        saved_run.read(file)
