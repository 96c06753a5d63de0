"""Folders of results: claimed, refused, continued, finished, and left as they were."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from repose.app.jobs.result_folder import RESULT, RUNS, ResultFolder, RunsInFolder
from repose.app.window.window import WindowError
from repose.sim.parameters import ParameterError

from tests.app.program import UNIX

FILES = (RESULT, "a.png")


def runs(continues: bool = False, must_exist: bool = False, **description: Any) -> RunsInFolder:
    wanted = {"name": "one"} | description
    return RunsInFolder("study", wanted, lambda stored: "" if stored == wanted else "others", continues, must_exist)


def text(words: str) -> Any:
    def write(file: BinaryIO) -> None:
        file.write(words.encode())

    return write


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_folder_has_the_next_free_number_and_disappears_if_nothing_was_written(here: Path) -> None:
    (here / "repose-heap-1").mkdir()
    with ResultFolder.claimed(None, "heap", FILES) as folder:
        assert folder.path == Path("repose-heap-2")
        assert set(FILES) < set(names(folder.path))
    assert names(here) == ["repose-heap-1"]


def test_files_of_others_stay_and_names_that_were_not_written_are_released(here: Path) -> None:
    (here / "out").mkdir()
    (here / "out" / "precious.txt").write_text("mine")
    with ResultFolder.claimed(Path("out"), "heap", FILES) as folder:
        assert folder.finish({RESULT: text("{}")}) == {}
    assert names(here / "out") == ["precious.txt", RESULT]


@pytest.mark.parametrize("file", FILES)
def test_a_folder_with_an_earlier_result_is_refused_and_not_changed(file: str, here: Path) -> None:
    (here / "out").mkdir()
    (here / "out" / file).write_text("precious")
    with pytest.raises(ParameterError, match=f"--out out already contains {file}: move it away"):
        ResultFolder.claimed(Path("out"), "heap", FILES)
    assert names(here / "out") == [file]
    assert (here / "out" / file).read_text() == "precious"


def test_a_study_needs_a_folder_of_its_own(here: Path) -> None:
    (here / "out").mkdir()
    (here / "out" / "photos").mkdir()
    with pytest.raises(ParameterError, match="--out out already contains photos"):
        ResultFolder.claimed(Path("out"), "study", FILES, runs())
    assert names(here / "out") == ["photos"]


def test_an_interrupted_study_is_continued_and_its_earlier_files_are_replaced(here: Path) -> None:
    out = Path("out")
    with suppress(KeyboardInterrupt), ResultFolder.claimed(out, "study", FILES, runs()) as folder:
        (folder.path / RUNS / "1.json").write_text("{}")
        folder.finish({RESULT: text("half")})
        raise KeyboardInterrupt
    assert names(out) == [RESULT, RUNS, "study.json"]
    with pytest.raises(ParameterError, match="contains this study already: continue it with --resume"):
        ResultFolder.claimed(out, "study", FILES, runs())
    with ResultFolder.claimed(out, "study", FILES, runs(continues=True)) as folder:
        assert (out / RESULT).read_text() == "half"
        assert folder.finish({RESULT: text("whole"), "a.png": text("picture")}) == {}
    assert (out / RESULT).read_text() == "whole"
    assert names(out) == ["a.png", RESULT, RUNS, "study.json"]
    assert json.loads((out / "study.json").read_text()) == {"name": "one"}


@pytest.mark.parametrize("stored", ['{"name": "two"}', "no JSON", None])
def test_a_folder_of_other_runs_is_refused_and_not_changed(stored: str | None, here: Path) -> None:
    (here / "out" / RUNS).mkdir(parents=True)
    if stored is not None:
        (here / "out" / "study.json").write_text(stored)
    before = names(here / "out")
    with pytest.raises(ParameterError, match="--out out contains others: choose another folder"):
        ResultFolder.claimed(Path("out"), "study", FILES, runs(continues=True))
    assert names(here / "out") == before


def test_what_is_to_be_continued_must_exist_only_if_that_is_said(here: Path) -> None:
    with pytest.raises(ParameterError, match="--out out contains no study to continue: leave --resume out"):
        ResultFolder.claimed(Path("out"), "study", FILES, runs(continues=True, must_exist=True))
    assert names(here) == []
    with ResultFolder.claimed(Path("out"), "study", FILES, runs(continues=True)):
        assert (here / "out" / RUNS).is_dir()


def test_a_second_study_in_the_same_folder_is_refused_until_the_first_ends(here: Path) -> None:
    with (
        ResultFolder.claimed(Path("out"), "study", FILES, runs()),
        pytest.raises(ParameterError, match="being written to by another study: wait for its end"),
    ):
        ResultFolder.claimed(Path("out"), "study", FILES, runs(continues=True))
    ResultFolder.claimed(Path("out"), "study", FILES, runs(continues=True)).release()


@UNIX
@pytest.mark.parametrize("studies", [None, runs()])
def test_a_folder_that_cannot_be_written_to_is_refused(studies: RunsInFolder | None, here: Path) -> None:
    (here / "file").touch()
    for out in (Path("file"), Path("file/out"), Path("/proc/out")):
        with pytest.raises(ParameterError, match=f"--out {out} cannot be written to: "):
            ResultFolder.claimed(out, "heap", FILES, studies)
    assert names(here) == ["file"]


def test_a_file_that_cannot_be_written_loses_no_other_and_is_reported(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: BinaryIO) -> None:
        raise OSError(28, "No space left on device")

    def draws_nothing(_: BinaryIO) -> None:
        raise WindowError("no OpenGL")

    with ResultFolder.claimed(Path("out"), "heap", (*FILES, "b.png")) as folder:
        errors = folder.finish({"a.png": fail, "b.png": draws_nothing, RESULT: text("{}")})
    assert {name: type(error) for name, error in errors.items()} == {"a.png": OSError, "b.png": WindowError}
    assert names(here / "out") == [RESULT]
    told = capsys.readouterr().err.splitlines()
    assert told == ["out/a.png could not be written: No space left on device.", "No picture: no OpenGL"]
