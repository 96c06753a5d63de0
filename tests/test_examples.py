"""The gallery of scripts runs, in a small form."""

from __future__ import annotations

import itertools
import re
import runpy
import sys
from pathlib import Path

import pytest
from repose.sim.study import runs_on_disk

from tests.small_worlds import use_plain_engine
from tests.study_runs import run_here

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "examples"
SMALL = {
    "two_materials": ("",),
    "bouncing": ("bounce.png", "0.02"),
    "rolling": ("",),
    "heap": ("12",),
    "friction_study": ("study", "12"),
    "million": ("lammps", "60"),
    "compression": ("49", "0", "1"),
    "chute": ("100", "0.01"),
}
"""Arguments of each script for its small form."""
COMPILED = ("heap", "friction_study", "compression")
"""Those that take a hundred thousand steps."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """run(name) -> what the script prints; files go to an empty folder."""

    def started(name: str) -> str:
        if name not in COMPILED:
            use_plain_engine(monkeypatch)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("MPLBACKEND", "agg")
        monkeypatch.setattr(runs_on_disk, "run_all", run_here)
        monkeypatch.setattr(sys, "argv", [name, *(word for word in SMALL[name] if word)])
        runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out

    return started


def test_every_script_is_run_by_a_test_and_short() -> None:
    scripts = {path.stem: path for path in FOLDER.glob("*.py")}
    assert set(scripts) == set(SMALL)
    assert max(len(path.read_text(encoding="utf-8").splitlines()) for path in scripts.values()) <= 40


def test_two_materials_give_the_force_and_the_duration_of_hertz(run) -> None:
    words = run("two_materials")
    force, hertz = re.search(r"force\s+([\d.]+) N, Hertz ([\d.]+) N", words).groups()
    duration, expected = re.search(r"duration\s+(\d+) µs, Hertz (\d+) µs", words).groups()
    assert float(force) == pytest.approx(float(hertz), rel=0.01)
    assert float(duration) == pytest.approx(float(expected), rel=0.01)


def test_a_bouncing_sphere_is_drawn(run, tmp_path: Path) -> None:
    run("bouncing")
    assert (tmp_path / "bounce.png").read_bytes().startswith(b"\x89PNG")


def test_a_thrown_sphere_rolls_at_five_sevenths(run) -> None:
    shares = [float(found) for found in re.findall(r"at (0\.\d+) of its speed", run("rolling"))]
    assert shares == pytest.approx([5.0 / 7.0] * 2, rel=0.01)


def test_a_heap_is_poured_and_measured(run) -> None:
    words = run("heap")
    assert re.search(r"12 grains: \d+ left on the base", words)
    assert "angle of repose" in words or "no slope" in words


def contacts_per_disc(words: str) -> list[float]:
    return [float(found) for found in re.findall(r"Z = (\d\.\d+)", words)]


def test_friction_lowers_the_contacts_of_compressed_discs(run) -> None:
    smooth, rough = contacts_per_disc(run("compression"))
    assert smooth > 3.9
    assert 3.0 <= rough < smooth - 0.3


def test_grains_flow_down_a_chute_without_ends(run) -> None:
    rows = re.findall(r"(\d+) to (\d+) m: ([\d.]+) m/s, (0\.\d+) filled", run("chute"))
    speeds = [float(speed) for _, _, speed, _ in rows]
    assert len(rows) >= 2
    assert speeds == sorted(speeds)
    assert speeds[0] > 0.5


@pytest.mark.slow
def test_compressed_discs_have_the_contacts_of_the_literature(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SMALL, "compression", ("196",))
    found = contacts_per_disc(run("compression"))
    assert found[0] == pytest.approx(4.0, abs=0.3)  # isostatic without friction: 2 d = 4
    assert all(after < before + 0.1 for before, after in itertools.pairwise(found))
    assert 3.0 < found[-1] < 3.6  # d + 1 = 3 at the jamming point; more under pressure


def test_a_study_of_friction_prints_a_table_and_draws_it(run, tmp_path: Path) -> None:
    words = run("friction_study")
    assert re.search(r"0\.1 +1 ", words)
    assert (tmp_path / "study" / "friction.png").read_bytes().startswith(b"\x89PNG")


def test_a_column_is_written_for_lammps(run, tmp_path: Path) -> None:
    assert "60 grains" in run("million")
    assert {path.name for path in (tmp_path / "lammps").iterdir()} == {"grains.data", "continue.in"}


def test_the_script_of_the_manual_runs_in_ten_lines(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    use_plain_engine(monkeypatch)
    page = (FOLDER.parents[1] / "docs" / "howto" / "python.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len([line for line in script.splitlines() if line]) <= 10
    exec(compile(script.replace("step(5000)", "step(300)"), "python.md", "exec"), {})  # noqa: S102  the page's own
    assert "'translational'" in capsys.readouterr().out
