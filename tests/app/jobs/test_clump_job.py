"""The command `clump`: table, files, picture; what is refused leaves no file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import clump_job
from repose.app.jobs.clump_job import run_clump
from repose.app.jobs.requests import ClumpRequest
from repose.app.stopping import StopAsked
from repose.sim.clumps.clump_file import read_clump
from repose.sim.clumps.shapes import SHAPES

SMALL = ["--grid", "16", "--spheres", "5"]


def test_clump_of_a_shape_is_written_shown_and_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = ["--out", "a.json", "--picture", "a.png", "--export", "a.mol", "--export", "a.txt"]
    assert run_command_line(["clump", "peanut", *SMALL, *files]) == 0
    said = capsys.readouterr()
    for word in ("Q_V", "Q_r", "IoU", "surface error", "moments of inertia", "peanut"):
        assert word in said.out
    read = read_clump("a.json")
    assert read.clump.radius.size <= 5
    assert read.content.quality is not None
    assert read.content.quality.overlap > 0.85
    assert read.mass.volume == pytest.approx(read.content.body_volume, rel=0.1)
    assert len(np.loadtxt("a.txt")) == read.clump.radius.size
    assert Path("a.mol").read_text().count("Coords") == 1
    picture = np.array(Image.open("a.png").convert("RGB")).astype(int)
    half = picture.shape[1] // 2
    grey = np.ptp(picture, axis=2) < 25
    drawn = picture.min(axis=2) < 200
    assert (drawn & grey)[:, :half].sum() > 20_000  # the body
    assert (drawn & ~grey)[:, half:].sum() > 20_000  # the clump
    assert (drawn & ~grey)[:, :half].sum() < 2000


def test_json_is_the_file_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["clump", "cube", *SMALL, "--algorithm", "greedy", "--rho", "0.5", "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    content = json.loads(said.out)
    assert content["members"] == len(content["spheres"]) == 5
    assert content["algorithm"] == "greedy"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cbe"], "neither a shape"),
        (["missing.stl"], "no such file"),
        (["cube", "--spheres", "0"], "clump of 0 spheres is refused"),
        (["cube", "--algorithm", "greedy", "--rho", "0"], "rho = 0 is refused"),
        (["cube", "--algorithm", "greedy", "--rho", "1.5"], "rho = 1.5 is refused"),
        (["cube", "--rho", "0.5"], "--rho belongs to --algorithm greedy"),
        (["cube", "--algorithm", "magic"], "fitted or greedy"),
        (["cube", "--grid", "400"], "too much memory"),
        (["cube", "--grid", "2"], "grid of 2 cells"),
        (["cube", "--kappa", "0"], "kappa = 0"),
        (["cube", "--kappa", "0.001"], "choose a larger kappa"),
        (["cube", "--size", "0"], "0 m long"),
        (["cube", "--density", "-1"], "--density -1"),
        (["cube", "--unit", "mile"], "--unit 'mile'"),
        (["cube", "--export", "a.xyz"], r".mol \(LAMMPS molecule\)"),
        (["cube", "--picture", "a.gif"], "must be .png"),
        (["cube", "--out", "none/a.json"], "does not exist"),
        (["cube", "--out", "a.mol"], "must be .json"),
        (["open.obj"], r"3 open edges; fill its holes\.$"),
        (["needle.obj", "--grid", "24"], "thinner than the step of its grid"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_and_leaves_no_file(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "open.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\n")
    (tmp_path / "needle.obj").write_text(
        "v 0 0 0\nv 10 0 0\nv 0 0.01 0\nv 0 0 0.01\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    asked = [] if "--out" in arguments else ["--out", "kept.json"]
    assert run_command_line(["clump", *arguments, *asked]) == 2
    said = capsys.readouterr().err
    assert re.search(words, said)
    assert "Traceback" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["needle.obj", "open.obj"]


def plate_file(thickness: float) -> None:
    """A square plate of 20 mm in the present folder."""
    cube = np.array(SHAPES["cube"].triangles)
    plate = (cube * (20.0, 20.0, thickness)).reshape(-1, 3).tolist()
    lines = [f"v {x} {y} {z}" for x, y, z in plate] + [f"f {k} {k + 1} {k + 2}" for k in range(1, len(plate), 3)]
    Path("plate.obj").write_text("\n".join(lines) + "\n")


def test_a_plate_that_falls_apart_is_refused_with_the_number_of_spheres_that_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    plate_file(1.0)
    asked = ["clump", "plate.obj", "--grid", "32", "--out", "a.json"]
    assert run_command_line([*asked, "--spheres", "5"]) == 2
    said = capsys.readouterr().err
    words = re.search(r"of 5 spheres for 'plate' falls apart into 5 pieces: (\d+) spheres make one piece\.", said)
    assert words is not None
    assert "--allow-pieces" in said
    assert not Path("a.json").exists()
    assert run_command_line([*asked, "--spheres", words[1]]) == 0
    assert "pieces" not in capsys.readouterr().out
    Path("a.json").unlink()
    assert run_command_line([*asked, "--spheres", "5", "--allow-pieces", "--allow-poor-fit"]) == 0
    assert re.search(r"pieces +5 ", capsys.readouterr().out)


def test_a_clump_that_covers_little_of_its_body_is_refused_with_the_number_of_spheres_that_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The greedy spheres of a flat plate are a row along its edge: one piece, and hardly any of the plate."""
    monkeypatch.chdir(tmp_path)
    plate_file(0.8)
    asked = ["clump", "plate.obj", "--algorithm", "greedy", "--grid", "50", "--out", "a.json"]
    assert run_command_line([*asked, "--spheres", "20"]) == 2
    said = capsys.readouterr().err
    words = re.search(r"20 spheres for 'plate' has an overlap \(IoU\) of (0\.0\d+) with it, less than 0\.5: .*", said)
    assert words is not None, said
    assert "--allow-poor-fit" in said
    assert not Path("a.json").exists()
    enough = re.search(r"(\d+) spheres of the algorithm (\w+) have more\.", said)
    assert enough is not None, said
    assert run_command_line([*asked, "--spheres", enough[1], "--algorithm", enough[2]]) == 0
    assert json.loads(Path("a.json").read_text())["quality"]["overlap"] >= 0.5
    Path("a.json").unlink()
    assert run_command_line([*asked, "--spheres", "20", "--allow-poor-fit"]) == 0
    assert json.loads(Path("a.json").read_text())["quality"]["overlap"] == pytest.approx(float(words[1]), rel=0.1)


def test_the_limit_of_a_poor_fit_is_an_overlap_of_one_half(capsys: pytest.CaptureFixture[str]) -> None:
    """The largest ball in a cube has pi/6 = 0.52 of its volume, that in a tetrahedron 0.30."""
    assert run_command_line(["clump", "cube", "--algorithm", "greedy", "--spheres", "1", "--grid", "32"]) == 0
    assert run_command_line(["clump", "tetrahedron", "--algorithm", "greedy", "--spheres", "1", "--grid", "32"]) == 2
    assert re.search(r"an overlap \(IoU\) of 0\.[23]", capsys.readouterr().err)


def test_a_file_that_exists_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_text("mine")
    assert run_command_line(["clump", "cube", *SMALL, "--picture", "b.png", "--out", "a.json"]) == 2
    assert "exists already" in capsys.readouterr().err
    assert Path("a.json").read_text() == "mine"
    assert not Path("b.png").exists()


def test_stopped_work_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(request: ClumpRequest, show_progress: object) -> None:
        raise StopAsked

    monkeypatch.setattr(clump_job, "make", stopped)
    code, made = run_clump(ClumpRequest("cube", out=tmp_path / "a.json"))
    assert (code, made) == (130, None)
    assert list(tmp_path.iterdir()) == []
    assert "Stopped before the end" in capsys.readouterr().err


def test_every_part_of_the_work_reports_and_can_be_stopped() -> None:
    said: list[float] = []
    request = ClumpRequest("torus", spheres=8, grid=16)
    clump_job.make(request, lambda words, share: said.append(share))
    assert said == sorted(said)
    assert max(np.diff([0.0, *said, 1.0])) < 0.3
