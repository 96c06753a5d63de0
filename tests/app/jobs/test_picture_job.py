"""`repose picture`: what is drawn of a saved run, where it comes from, and refusals in a sentence."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from repose.app.cli.subcommands import run_command_line
from repose.sim.experiment import saved_run, saved_side_by_side
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.command_log import SavedSideBySide
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.origin import origin_of
from repose.sim.io.export_svg import NAMESPACE

from tests.small_worlds import use_plain_engine

FEW = {"grain_count": 20, "width": 0.01, "friction": 0.3}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    use_plain_engine(monkeypatch)
    saved_run.save(saved_copy(new_experiment("heap", FEW, 5)), Path("run.repose"))
    return tmp_path


@pytest.mark.gl
def test_png_and_svg_of_a_saved_run_have_program_seed_and_every_parameter_with_its_unit_inside(run: Path) -> None:
    experiment = new_experiment("heap", FEW, 5)
    origin = origin_of(experiment.scene, 5, 0.0, experiment.parameters)
    assert run_command_line(("picture", "run.repose", "--out", "a.png", "--size", "320x200", "--light")) == 0
    with Image.open("a.png") as found:
        assert found.size == (320, 200)
        assert np.asarray(found.convert("L")).std() > 5.0
        assert np.asarray(found.convert("L"))[0, 0] > 200  # the light background
        lines = dict(line.split(": ", 1) for line in found.text["Description"].splitlines())
    assert lines == origin
    assert (origin["seed"], origin["parameter width"].split()[-2:]) == ("5", ["10", "mm"])
    assert run_command_line(("picture", "run.repose", "--out", "a.svg")) == 0
    entries = ElementTree.parse("a.svg").iter(f"{{{NAMESPACE}}}entry")
    assert {entry.attrib["name"]: entry.text for entry in entries} == origin


@pytest.mark.gl
def test_the_picture_of_runs_side_by_side_shows_each_of_them_with_its_label(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copies = tuple(saved_copy(new_experiment("heap", FEW | {"friction": mu})) for mu in (0.1, 0.4))
    saved_side_by_side.save(SavedSideBySide(copies, frozenset({"friction"}), ((0, 0),)), Path("two.repose"))
    assert run_command_line(("picture", "two.repose", "--out", "two.png", "--size", "640x200")) == 0
    with Image.open("two.png") as found:
        assert found.size == (640, 200)
        left, right = np.split(np.asarray(found.convert("L"), float), 2, axis=1)
        assert left.std() > 5.0 < right.std()
        assert "side by side: μ = 0.1; μ = 0.4" in found.text["Description"]
    assert run_command_line(("picture", "two.repose", "--out", "two.svg")) == 2
    assert "unpack it as a ZIP archive" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("run.repose", "--out", "a.jpg"), "must be .png or .svg"),
        (("run.repose", "--out", "run.png", "--colour", "sped"), "did you mean 'speed'"),
        (("run.repose", "--out", "run.png", "--show", "rosy"), "did you mean 'rose'"),
        (("run.repose", "--out", "run.svg", "--light"), "are for .png"),
        (("run.repose", "--out", "there.png"), "--out there.png exists already"),
        (("run.repose", "--out", "there.svg"), "--out there.svg exists already"),
        (("none.repose", "--out", "a.png"), "no such file"),
    ],
)
def test_an_impossible_picture_is_refused_in_a_sentence_and_leaves_no_file(
    run: Path, options: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("there.png", "there.svg"):
        Path(name).write_text("mine")
    assert run_command_line(("picture", *options)) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert {path.name for path in run.iterdir()} == {"run.repose", "there.png", "there.svg"}
