"""The process that writes the page of the run in the window."""

from __future__ import annotations

from functools import partial
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.page import page_file, page_of_run
from repose.app.render.director import FilmStyle
from repose.app.storage import engine_cache
from repose.app.storage.view_settings import View
from repose.app.ui.whole_film import FilmEnd, FilmOrder
from repose.app.window import page_process
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.stepping import advance
from repose.sim.message import plain

from tests.app.page.columns_of import columns_of
from tests.small_worlds import use_plain_engine

FEW = {"grain_count": 20, "width": 0.01}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    use_plain_engine(monkeypatch)
    monkeypatch.setattr(engine_cache, "choose_engine_cache", lambda: None)
    for name in ("ignore_interrupts", "end_with_parent", "lower_priority"):
        monkeypatch.setattr(page_process, name, lambda: None)
    experiment = new_experiment("heap", FEW, 5)
    assert not apply(experiment, Act("run"))
    advance(experiment, 100)
    saved_run.save(saved_copy(experiment), tmp_path / "run.repose")
    return tmp_path / "run.repose"


def news_of(run: Path, page: Path) -> list[Any]:
    """What the process sends; it runs in this process here."""
    receiver, sender = Pipe(duplex=False)
    style = FilmStyle((160, 90), 25.0, View(), title=plain("A heap <b>"))
    page_process.write_page_of_run(sender, FilmOrder(run, page, style, "de", ()))
    news = []
    while receiver.poll():
        news.append(receiver.recv())
    return news


def test_the_run_becomes_a_page(run: Path, tmp_path: Path) -> None:
    *shares, end = news_of(run, tmp_path / "run.html")
    assert shares == sorted(shares)
    assert shares[-1] > 0.9
    assert not end.trouble
    assert str(end.words) == f"The page is written: {tmp_path / 'run.html'}; open it in a browser."
    data, columns = columns_of((tmp_path / "run.html").read_bytes())
    assert end.frames == len(columns["time"]) == len(columns["there"]) >= 2
    assert np.isfinite(columns["x"]).all()
    assert "A heap &lt;b&gt;" in (tmp_path / "run.html").read_text(encoding="utf-8")
    assert data["dimension"] == 2


def test_a_long_run_says_how_many_frames_were_left_out(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_of_run, "page_of", partial(page_file.page_of, largest=0))
    monkeypatch.setattr(page_file, "FEWEST", 1)
    *_, end = news_of(run, tmp_path / "run.html")
    assert end.frames == 1
    assert "The run is too long for one page" in str(end.words)
    assert "left out" in str(end.words)


def test_a_page_that_cannot_be_written_is_reported(run: Path, tmp_path: Path) -> None:
    (tmp_path / "there.html").write_text("kept")
    *_, end = news_of(run, tmp_path / "there.html")
    assert isinstance(end, FilmEnd)
    assert end.trouble
    assert (tmp_path / "there.html").read_text() == "kept"
    run.write_bytes(b"no run")
    (end,) = news_of(run, tmp_path / "run.html")
    assert end.trouble
    assert not (tmp_path / "run.html").exists()
