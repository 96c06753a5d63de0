"""Subtitles of a film: what is said when, as a .srt file and as samples of the text track of an MP4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

READING, LEAST, MOST = 15.0, 2.0, 12.0
"""Letters read per second [1/s], and the shortest and longest time of a subtitle [s]."""
ISO_639_2 = {"de": "deu", "en": "eng", "es": "spa", "ja": "jpn", "pl": "pol", "ru": "rus"}
"""Languages as an MP4 names them."""


@dataclass(frozen=True)
class Cue:
    """One subtitle."""

    begin: float
    """[s]."""
    end: float
    """[s]."""
    text: str


@dataclass
class Subtitles:
    """The subtitles of one film in one language."""

    language: str = "en"
    _said: list[tuple[float, str]] = field(default_factory=list)

    def say(self, at: float, text: str) -> None:
        """Show a text from this time of the film on [s], until it is read or the next one begins; an empty text ends
        the one before."""
        self._said.append((at, "\n".join(line.strip() for line in text.splitlines() if line.strip())))

    def cues(self, end: float) -> list[Cue]:
        """The subtitles of a film that ends at this time [s]."""
        ends = [*(at for at, _ in self._said[1:]), end]
        found = []
        for (at, text), until in zip(self._said, ends, strict=True):
            until = min(until, end, at + min(max(len(text) / READING, LEAST), MOST))
            if text and until > at:
                found.append(Cue(at, until, text))
        return found


def as_srt(cues: Sequence[Cue]) -> str:
    """The subtitles as a SubRip file."""
    blocks = (
        f"{number}\n{_clock(cue.begin)} --> {_clock(cue.end)}\n{cue.text}\n" for number, cue in enumerate(cues, start=1)
    )
    return "\n".join(blocks)


def _clock(seconds: float) -> str:
    whole, thousandths = divmod(round(1000.0 * seconds), 1000)
    minutes, whole = divmod(whole, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{whole:02},{thousandths:03}"


def as_sample(text: str) -> bytes:
    """A text as a sample of a text track (3GPP TS 26.245, 5.17): the number of its bytes and the bytes, UTF-8."""
    data = text.encode("utf-8")[:65535]
    data = data.decode("utf-8", "ignore").encode("utf-8")  # no part of a letter
    return len(data).to_bytes(2, "big") + data
