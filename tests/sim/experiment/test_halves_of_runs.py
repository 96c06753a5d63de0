"""The instrument that marks two halves: once, at its moment, the same in every batch, file and replay."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim import Simulation
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import (
    Act,
    AddGrains,
    PlaceInstrument,
    RemoveInstrument,
    Rewind,
    SetInstrument,
)
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import results_of, state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.instruments.instrument import Instrument
from repose.sim.measure.mixing import mixing_of

from tests.reliability.runs import SMALL, resumed, saved

UPRIGHT = Instrument("halves", "halves", ((5e-3, 0.0), (5e-3, 8e-3)))
DRUM = {"grain_count": 60, "young": 1e5, "stage_time": 0.2, "stages": 2, "dt": 2e-5}
ACROSS = Instrument("halves", "halves", ((0.0, -1e-3), (0.0, 1e-3)))


def turning(*instruments: Instrument) -> Experiment:
    """A drum that begins to turn."""
    experiment = new_experiment("drum", DRUM, instruments=instruments)
    assert not apply(experiment, Act("run"))
    return experiment


def marks(experiment: Experiment) -> tuple[list[float], list[float], float]:
    (of,) = experiment.run.placed.passed
    return [*of.marked], [*of.others], of.since


def index_of(experiment: Experiment) -> float:
    value = results_of(experiment)["instruments"]["halves"]["mixing"]
    return math.nan if value is None else float(value)


def test_the_halves_are_those_on_both_sides_at_the_moment_of_placing() -> None:
    experiment = turning(ACROSS)
    world = experiment.run.world
    marked, others, since = marks(experiment)
    # The line points upwards: to its right is the positive side.
    right = world.motion[0, 0] >= 0.0
    assert marked == world.sphere_id[right].tolist()
    assert others == world.sphere_id[~right].tolist()
    assert since == 0.0
    mixing = mixing_of(world.motion[:2, 0].T, right)
    assert mixing is not None
    assert index_of(experiment) == mixing.index
    assert mixing.index < 0.35, "at this moment the halves are apart"
    advance(experiment, 5_000)
    assert marks(experiment) == (marked, others, since), "grains that cross the line keep their class"
    now = np.isin(experiment.run.world.sphere_id, marked)
    later = mixing_of(experiment.run.world.motion[:2, 0].T, now)
    assert later is not None
    assert index_of(experiment) == later.index


def test_an_instrument_with_a_time_marks_the_grains_at_the_first_check_from_then_on() -> None:
    moment = 0.0555
    late = Instrument("halves", "halves", ACROSS.points, time=moment)
    experiments = [turning(late), turning(late)]
    for experiment, batch in zip(experiments, (50, 997), strict=True):
        while experiment.step < 4_000:
            advance(experiment, min(batch, 4_000 - experiment.step))
            if experiment.time < moment:
                assert marks(experiment)[:2] == ([], [])
                assert math.isnan(index_of(experiment))
    assert marks(experiments[0]) == marks(experiments[1])
    assert moment <= marks(experiments[0])[2] < moment + 50 * 2e-5 + 1e-12
    assert state_hash(experiments[0].run) == state_hash(experiments[1].run)


def test_marks_survive_saving_and_a_replay() -> None:
    experiment = turning(Instrument("halves", "halves", ACROSS.points, time=0.03))
    advance(experiment, 1_000)
    waiting = resumed(saved(experiment))
    for one in (experiment, waiting):
        advance(one, 2_000)
    assert marks(waiting) == marks(experiment)
    assert marks(experiment)[0]
    again = resumed(saved(experiment))
    assert marks(again) == marks(experiment)
    assert index_of(again) == index_of(experiment)
    assert verify(saved_copy(again)).differs_at is None


def test_going_back_and_forth_marks_the_same_grains() -> None:
    experiment = turning()
    advance(experiment, 2_000)
    assert not apply(experiment, PlaceInstrument(ACROSS))
    advance(experiment, 1_000)
    end = marks(experiment)
    assert end[2] == pytest.approx(2_000 * 2e-5)
    for at in (2_500, 3_000):
        assert not apply(experiment, Rewind(at))
        assert marks(experiment) == end
    assert verify(saved_copy(experiment)).differs_at is None


def test_moving_it_marks_anew_and_another_colour_does_not() -> None:
    experiment = turning(ACROSS)
    advance(experiment, 2_000)
    first = marks(experiment)
    assert not apply(experiment, SetInstrument(Instrument("halves", "halves", ACROSS.points, colour=3)))
    assert marks(experiment) == first
    level = ((-1e-3, 0.0), (1e-3, 0.0))
    assert not apply(experiment, SetInstrument(Instrument("halves", "halves", level)))
    assert marks(experiment)[2] == experiment.time
    assert marks(experiment)[0] != first[0]
    assert not apply(experiment, RemoveInstrument("halves"))
    assert not apply(experiment, PlaceInstrument(ACROSS, goes_on=True))
    assert marks(experiment)[2] == experiment.time


def test_grains_that_come_later_are_in_no_class() -> None:
    experiment = new_experiment("heap", SMALL, instruments=(UPRIGHT,))
    assert not apply(experiment, Act("fill"))
    advance(experiment, 100)
    known = {*marks(experiment)[0], *marks(experiment)[1]}
    assert not apply(experiment, AddGrains((9e-3, 15e-3), 0.8e-3, 12))
    advance(experiment, 100)
    assert {*marks(experiment)[0], *marks(experiment)[1]} == known
    of = results_of(experiment)["instruments"]["halves"]
    assert of["marked"] + of["others"] == len(known)


@pytest.mark.parametrize(
    ("instrument", "words"),
    [
        (Instrument("halves", "x", ACROSS.points, time=-1.0), "its time is -1"),
        (Instrument("halves", "x", ACROSS.points, time=math.nan), "its time is nan"),
        (Instrument("halves", "x", ACROSS.points, time=math.inf), "its time is inf"),
        (Instrument("line", "x", ACROSS.points, time=1.0), "a line marks no grains and has no time"),
    ],
)
def test_a_moment_that_is_none_is_refused(instrument: Instrument, words: str) -> None:
    experiment = turning()
    before = experiment.run.placed
    assert words in str(apply(experiment, PlaceInstrument(instrument)))
    assert experiment.run.placed is before


def test_a_script_places_halves_at_a_moment() -> None:
    simulation = Simulation("drum", DRUM)
    assert simulation.place("halves", "apart", ACROSS.points, time=0.01) == "apart"
    assert simulation.instruments[0].time == 0.01
    assert math.isnan(simulation.measure("apart.mixing"))
