"""`repose export RUN --to FILE.html`: the page of a saved run, its parts, and refusals in a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from repose.app.cli.subcommands import run_command_line
from repose.sim.experiment import saved_run, saved_side_by_side
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.command_log import SavedSideBySide
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.stepping import advance

from tests.app.page.columns_of import columns_of
from tests.small_worlds import use_plain_engine

FEW = {"grain_count": 20, "width": 0.01, "friction": 0.3}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    use_plain_engine(monkeypatch)
    experiment = new_experiment("heap", FEW, 5)
    assert not apply(experiment, Act("run"))
    advance(experiment, 150)
    saved_run.save(saved_copy(experiment), Path("run.repose"))
    return tmp_path


def test_the_page_of_a_run_has_its_frames_up_to_its_end(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(("export", "run.repose", "--to", "run.html", "--every", "1e-4")) == 0
    assert "open it in a browser" in capsys.readouterr().err
    data, columns = columns_of(Path("run.html").read_bytes())
    time = columns["time"]
    assert time[0] == 0.0
    assert len(time) == len(columns["there"]) >= 2
    assert (np.diff(time) >= 0.0).all()
    assert data["dimension"] == 2
    texts = [entry if isinstance(entry, str) else entry[0] for entry in data["texts"]]
    values = {texts[label]: texts[value] for label, _, value, _ in data["parameters"]}
    assert values["friction"] == "0.3"
    assert any("seed 5" in text for text in texts)


def test_a_part_of_a_run_is_a_page_too(run: Path) -> None:
    assert run_command_line(("export", "run.repose", "--to", "part.html", "--every", "1e-4", "--from", "1e-4")) == 0
    assert columns_of(Path("part.html").read_bytes())[1]["time"][0] == pytest.approx(1e-4, rel=0.2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("run.repose", "--to", "there.html"), "--to there.html exists already"),
        (("none.repose", "--to", "a.html"), "no such file"),
        (("run.repose", "--to", "a.html", "--for", "ovito"), "needs no --for"),
        (("run.repose", "--to", "a.html", "--from", "99"), "ends before that"),
        (("two.repose", "--to", "a.html"), "unpack it as a ZIP archive"),
        (("run.repose", "--to", "missing/a.html"), "cannot be written to"),
    ],
)
def test_an_impossible_page_is_refused_in_a_sentence_and_leaves_no_file(
    run: Path, options: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("there.html").write_text("mine")
    copies = tuple(saved_copy(new_experiment("heap", FEW | {"friction": mu})) for mu in (0.1, 0.4))
    saved_side_by_side.save(SavedSideBySide(copies, frozenset({"friction"}), ((0, 0),)), Path("two.repose"))
    assert run_command_line(("export", *options)) == 2
    assert words in " ".join(capsys.readouterr().err.split())
    assert Path("there.html").read_text() == "mine"
    assert not Path("a.html").exists()
