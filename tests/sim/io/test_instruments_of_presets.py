"""Instruments in presets, on the command line and in lectures."""

from __future__ import annotations

import pytest
from repose.app.jobs.headless_plan import typed_instruments
from repose.app.lectures import lecture_file
from repose.sim.instruments.instrument import Instrument
from repose.sim.io import presets
from repose.sim.parameters import ParameterError

TEXT = """
title = "Flow"
scene = "heap"

[[instruments]]
kind = "line"
points = [[0.0, 0.004], [0.01, 0.004]]

[[instruments]]
kind = "probe"
name = "marked"
grain = 70

[[instruments]]
kind = "halves"
points = [[0.0, 0.004], [0.01, 0.004]]
time = 2.5
"""
PLACED = (
    Instrument("line", "line1", ((0.0, 0.004), (0.01, 0.004))),
    Instrument("probe", "marked", (), 70, 1),
    Instrument("halves", "halves1", ((0.0, 0.004), (0.01, 0.004)), None, 2, 2.5),
)


def test_a_preset_places_instruments_and_is_written_and_read_again() -> None:
    preset = presets.parse(TEXT, "flow")
    assert preset.instruments == PLACED
    assert presets.parse(presets.dumps(preset), "flow").instruments == PLACED


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('kind = "lyne"', "kind"),
        ('kind = "line"\npoints = [0.0, 1.0]', "points"),
        ('kind = "line"\nlength = 1.0', "length"),
        ('kind = "probe"\ngrain = 1.5', "grain"),
        ('kind = "halves"\ntime = -1.0', "time"),
    ],
)
def test_a_wrong_entry_is_named(line: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        presets.parse(f'title = "x"\nscene = "heap"\n[[instruments]]\n{line}\n', "x")


def test_the_command_line_has_the_same_instruments() -> None:
    texts = ("line 0,0.004 0.01,0.004", "marked = probe 70", "halves 0,0.004 0.01,0.004 at 2.5")
    assert typed_instruments(texts) == PLACED
    for text in ("line 0;1", "probe x", "lyne 0,0 1,1", "", "halves 0,0 1,1 at", "halves 0,0 1,1 at x"):
        with pytest.raises(ParameterError):
            typed_instruments((text,))


@pytest.mark.parametrize("text", ["probe 1 2", "probe", "probe 0.01,0.02", "probe 1.5"])
def test_the_command_line_says_that_a_probe_needs_the_number_of_one_grain(text: str) -> None:
    with pytest.raises(ParameterError, match=f"'{text}' is refused: after probe comes the number of one grain"):
        typed_instruments((text,))


def test_the_command_line_refuses_a_negative_time_in_a_sentence_with_the_limit() -> None:
    with pytest.raises(ParameterError, match=r"time = -1.* 0"):
        typed_instruments(("halves 0,0.004 0.01,0.004 at -1",))
    with pytest.raises(ParameterError, match="name"):
        typed_instruments((f"{'n' * 201} = line 0,0 1,1",))


def test_a_step_of_a_lecture_places_instruments_where_a_run_begins() -> None:
    head = 'title = "L"\n\n[[step]]\ntitle = "one"\nscene = "heap"\n'
    placed = '\n[[step.instruments]]\nkind = "line"\npoints = [[0.0, 0.004], [0.01, 0.004]]\n'
    lecture = lecture_file.parse(head + placed, "l.toml")
    preset = lecture.steps[0].preset
    assert preset is not None
    assert preset.instruments == PLACED[:1]
    later = '\n[[step]]\ntitle = "two"\ncontinue = true\n'
    with pytest.raises(ParameterError, match="instruments"):
        lecture_file.parse(head + later + placed, "l.toml")
