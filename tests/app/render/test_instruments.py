"""What the pass of the instruments draws, and the numbers in the snapshot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from repose.app.render.passes.instruments import INSTRUMENTS, PASS, value_in_words, words_of
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.snapshot import ShownInstrument, Snapshot
from repose.sim.experiment.take_snapshot import take_picture
from repose.sim.instruments.instrument import Instrument
from repose.sim.measure.display import Reading

LINE = Instrument("line", "cut", ((0.0, 4e-3), (10e-3, 4e-3)))


def test_a_snapshot_contains_the_outline_and_the_handles_before_anything_is_compiled() -> None:
    snapshot = Snapshot()
    take_picture(new_experiment("heap", {"grain_count": 10}, instruments=(LINE,)), snapshot)
    (shown,) = snapshot.geometry.instruments
    assert shown.instrument == LINE
    assert shown.handles == LINE.points
    assert np.array_equal(shown.outline[0], LINE.points)
    assert INSTRUMENTS.applies(snapshot)
    assert not INSTRUMENTS.applies(Snapshot())
    assert PASS.switch is INSTRUMENTS


def test_values_have_units_whose_prefix_suits_them() -> None:
    assert str(value_in_words(Reading("v", "v", 8e-4, "mm/s"))) == "800 nm/s"
    assert str(value_in_words(Reading("n", "n", 12.0))) == "12"
    assert str(value_in_words(Reading("a", "a", 30.0, "°"))) == "30°"


def test_a_count_says_since_when_it_is_if_that_is_not_the_beginning() -> None:
    shown = ShownInstrument(LINE, readings=(Reading("cut.number", "N", 3.0),), symbols=("N",), since=0.0)
    assert [str(words) for words in words_of(shown)] == ["N = 3"]
    assert [str(words) for words in words_of(replace(shown, since=0.5))] == ["N = 3", "since 500 ms"]
