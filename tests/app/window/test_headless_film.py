"""The process that films a saved run."""

from __future__ import annotations

from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import av
import pytest
from repose.app.render.director import FilmStyle
from repose.app.storage.view_settings import View
from repose.app.ui.whole_film import FilmEnd, FilmOrder
from repose.app.window import headless_film
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.saved_side_by_side import write
from repose.sim.experiment.stepping import advance
from repose.sim.registry import scenes

pytestmark = pytest.mark.gl


def filmed(run: Path, film: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the process sends; it runs in this process here."""
    for name in ("ignore_interrupts", "end_with_parent", "lower_priority"):
        monkeypatch.setattr(headless_film, name, lambda: None)
    receiver, sender = Pipe(duplex=False)
    style = FilmStyle((160, 90), 25.0, View(), speed=0.2, words=False)
    headless_film.film_saved_run(sender, FilmOrder(run, film, style, "de", ()))
    news = []
    while receiver.poll():
        news.append(receiver.recv())
    return news


def test_a_saved_run_is_filmed_from_its_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = new_experiment("slope", scenes()["slope"].test_values)
    assert not apply(experiment, Act("run"))
    advance(experiment, 2000)
    with (tmp_path / "run.repose").open("wb") as file:
        write(saved_copy(experiment), file, b"")
    *shares, end = filmed(tmp_path / "run.repose", tmp_path / "film.mp4", monkeypatch)
    assert shares == sorted(shares)
    assert shares[-1] > 0.9
    assert end == FilmEnd(str(tmp_path / "film.mp4"), end.frames, end.trouble)
    assert not end.trouble
    with av.open(str(tmp_path / "film.mp4")) as container:
        count = sum(1 for _ in container.decode(video=0))
    assert count == end.frames >= round(experiment.time * 25.0 / 0.2)


def test_a_run_that_cannot_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run.repose").write_bytes(b"no run")
    (end,) = filmed(tmp_path / "run.repose", tmp_path / "film.mp4", monkeypatch)
    assert end.trouble
    assert not (tmp_path / "film.mp4").exists()
