"""A saved run is shown as its preset says, and a file without a direction as its scene says."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from repose.sim.direction import Direction
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.command_log import SavedRun
from repose.sim.experiment.history import saved_copy
from repose.sim.io import presets
from repose.sim.io.archive import ArchiveError
from repose.sim.message import Message
from repose.sim.registry import scenes


def written_and_read(saved: SavedRun) -> SavedRun:
    """The run after a way through a file."""
    file = io.BytesIO()
    saved_run.write(saved, file)
    file.seek(0)
    return saved_run.read(file)


def saved_with(direction: Direction | None) -> SavedRun:
    """A small run with this direction."""
    return saved_copy(new_experiment("heap", {"grain_count": 4}, direction=direction))


@pytest.mark.parametrize("name", ["moon", "peanuts-against-balls", "frictionless"])
def test_a_saved_run_keeps_the_direction_of_its_preset(name: str) -> None:
    direction = presets.load(name).direction
    assert direction is not None
    again = written_and_read(saved_with(direction))
    assert again.direction == direction
    assert resumed_experiment(again).direction == direction


def test_a_run_that_its_scene_directs_has_no_direction_in_its_file() -> None:
    saved = saved_with(None)
    assert saved.direction is None
    again = written_and_read(saved)
    assert again.direction is None
    assert resumed_experiment(again).direction == scenes()["heap"].direction


def test_a_file_of_an_older_version_follows_the_scene() -> None:
    saved = saved_with(presets.load("moon").direction)
    again = written_and_read(replace(saved, direction=None))
    assert again.direction is None


def test_an_unknown_colour_gives_way_to_that_of_the_scene_and_an_impossible_speed_is_refused() -> None:
    direction = replace(scenes()["heap"].direction, colour="of a plug-in", seconds=3.0)
    again = written_and_read(saved_with(direction)).direction
    assert again is not None
    assert (again.colour, again.seconds) == (scenes()["heap"].direction.colour, 3.0)
    wrong = saved_with(direction)
    object.__setattr__(wrong.direction, "speed", -1.0)
    with pytest.raises(ArchiveError, match="direction"):
        written_and_read(wrong)


@pytest.mark.parametrize("answer", ["{angle", "{angle!z}", "{angle:.{left}f}", "{}", "}"])
def test_a_file_with_an_answer_that_cannot_be_filled_is_refused(answer: str) -> None:
    wrong = saved_with(replace(scenes()["heap"].direction, answer=Message("It is {angle} steep.")))
    assert written_and_read(wrong).direction == wrong.direction
    object.__setattr__(wrong.direction, "answer", Message(answer))
    with pytest.raises(ArchiveError, match="answer"):
        written_and_read(wrong)
