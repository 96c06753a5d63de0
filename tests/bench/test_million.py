"""The measurement of a million grains goes through all its parts, here with few grains and without a picture."""

from __future__ import annotations

import pytest

from tests.bench import million


def test_every_part_is_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(million, "draw", lambda simulation, file: None)
    monkeypatch.setattr(million, "MEASURED_STEPS", 2)
    million.main(512, 10)
    said = capsys.readouterr().out
    for name in ("place", "10 steps", "picture", "save", "open", "ns per grain and step", "besides the steps"):
        assert name in said
