"""Subtitles last until they are read or the next one begins."""

from __future__ import annotations

from repose.app.storage.subtitles import Cue, Subtitles, as_sample, as_srt


def test_a_subtitle_ends_when_it_is_read_or_the_next_begins() -> None:
    texts = Subtitles()
    texts.say(0.0, "A heap\n\n  What holds it up?  ")
    texts.say(30.0, "Friction.")
    texts.say(31.0, "Without friction\nWhat remains?")
    cues = texts.cues(32.0)
    assert cues == [
        Cue(0.0, 2.0, "A heap\nWhat holds it up?"),
        Cue(30.0, 31.0, "Friction."),
        Cue(31.0, 32.0, "Without friction\nWhat remains?"),
    ]
    assert texts.cues(20.0) == cues[:1]


def test_an_empty_text_is_no_subtitle() -> None:
    texts = Subtitles()
    texts.say(0.0, "One")
    texts.say(0.5, "")
    assert texts.cues(10.0) == [Cue(0.0, 0.5, "One")]


def test_a_subrip_file_has_numbers_and_times() -> None:
    text = as_srt([Cue(0.0, 1.5, "Un\ndeux"), Cue(3661.25, 3662.0004, "trois")])
    assert text == "1\n00:00:00,000 --> 00:00:01,500\nUn\ndeux\n\n2\n01:01:01,250 --> 01:01:02,000\ntrois\n"


def test_a_sample_has_its_length_and_no_part_of_a_letter() -> None:
    assert as_sample("é") == b"\x00\x02\xc3\xa9"
    long = as_sample("é" * 40_000)
    assert int.from_bytes(long[:2], "big") == len(long) - 2 == 65534
