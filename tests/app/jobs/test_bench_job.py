"""`repose bench --record` keeps the numbers of a run in a file, and `--plot` draws several such files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs.bench_job import MOST_TICKS, BenchRecord, curves_of, read_record

ROW = {"scene": "heap", "integrator": "gear5", "grains": 1100, "state": "settled", "cundall_number": 4e7}


def document(date: str = "2026-11-26T13:15:00+00:00", *rows: dict[str, Any]) -> dict[str, Any]:
    return {"date": date, "version": "0.2.0", "machine": "x86_64, 2 processors", "rows": [*(rows or (ROW,))]}


def record(*given: Any) -> BenchRecord:
    return BenchRecord.model_validate(document(*given))


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measurement that takes no time."""
    engine = {"machine": "x86_64", "note": "", "rows": [ROW | {"threads": []}]}
    monkeypatch.setattr("repose.sim.study.bench.measure_engine", lambda quick, show_progress: engine)
    monkeypatch.setattr("repose.sim.study.bench.describe", lambda engine: "table")
    skipped = {"skipped": "no window"}
    monkeypatch.setattr("repose.app.jobs.frame_bench.measure_frames", lambda quick, show_progress: skipped)


@pytest.mark.usefixtures("measured")
def test_a_record_holds_the_numbers_and_their_date_and_is_never_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.json"
    assert run_command_line(["bench", "--record", str(path)]) == 0
    text = path.read_text()
    assert len(text.splitlines()) == 1
    assert json.loads(text)["window"] == {"skipped": "no window"}
    assert read_record(path).rows[0].cundall_number == ROW["cundall_number"]
    assert read_record(path).date.startswith("20")
    capsys.readouterr()
    assert run_command_line(["bench", "--record", str(path)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert path.read_text() == text


def test_records_are_drawn_in_the_order_of_their_dates_with_a_line_for_each_state() -> None:
    flowing = ROW | {"state": "flowing", "cundall_number": 2e7, "ratio_to_floor": 1.5}
    late, early = record("2026-11-26T13:15:00+00:00", ROW, flowing), record("2026-11-25T08:00:00+00:00")
    speed, ratio = curves_of([late, early])
    assert [str(tick).split("\n")[0] for tick in speed.ticks] == ["2026-11-25", "2026-11-26"]
    assert {str(line.label): [*zip(line.x.tolist(), line.y.tolist(), strict=True)] for line in speed.lines} == {
        "heap settled, 1100 grains, gear5": [(0.0, 40.0), (1.0, 40.0)],
        "heap flowing, 1100 grains, gear5": [(1.0, 20.0)],
    }
    assert [line.y.tolist() for line in ratio.lines] == [[1.5]]
    assert len(curves_of([early])) == 1  # without a floor there is no second plot


@pytest.mark.parametrize("count", [1, MOST_TICKS, MOST_TICKS + 1, 100])
def test_the_dates_of_many_records_have_room(count: int) -> None:
    (speed,) = curves_of([record(f"2026-11-26T13:{number:03}") for number in range(count)])
    assert len(speed.ticks) == count
    assert 1 <= sum(map(bool, speed.ticks)) <= MOST_TICKS
    assert len(np.unique(speed.lines[0].x)) == count


def test_a_plot_of_records_is_written_without_a_measurement(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.json", "b.json")]
    for path in paths:
        path.write_text(json.dumps(document()))
    plot = tmp_path / "speed.csv"
    assert run_command_line(["bench", *map(str, paths), "--plot", str(plot)]) == 0
    assert plot.read_text().splitlines()[-1].startswith("1.0,40.0")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{file}"], "name the picture with --plot"),
        (["--plot", "{folder}/x.png"], "name them"),
        (["{file}", "--plot", "{folder}/x.pdf"], "its ending must be .png, .svg or .csv"),
        (["{file}", "--plot", "{folder}/x.png", "--quick"], "leave them out"),
        (["{folder}/nix.json", "--plot", "{folder}/x.png"], "cannot be read"),
        (["{wrong}", "--plot", "{folder}/x.png"], "rows 1 of 1: cundall_number = -1.0 is refused"),
        (["--record", "{folder}/x.txt"], "its ending must be .json"),
    ],
)
def test_a_wrong_request_is_refused_in_a_sentence_and_leaves_no_file(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(document()))
    (tmp_path / "wrong.json").write_text(json.dumps(document("2026", ROW | {"cundall_number": -1.0})))
    places = {"file": tmp_path / "a.json", "wrong": tmp_path / "wrong.json", "folder": tmp_path}
    assert run_command_line(["bench", *(word.format(**places) for word in arguments)]) == 2
    assert sentence in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "wrong.json"]
