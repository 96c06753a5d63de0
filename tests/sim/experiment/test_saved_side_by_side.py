"""Files of runs side by side: checked before their data is read, refused with value and limit."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from repose.sim.experiment import saved_side_by_side
from repose.sim.io.archive import ArchiveError

from tests.python_words import PYTHON_WORDS
from tests.sim.experiment.test_side_by_side import copied, started

CONTENTS_OF_TWO = b'{"format": 1, "runs": 2, "own": [], "meetings": [[0, 0]]}'


@cache
def two_runs() -> dict[str, bytes]:
    """The members of a sound file with two runs."""
    *_, do = started()
    whole = io.BytesIO()
    saved_side_by_side.write(copied(do), whole)
    with zipfile.ZipFile(whole) as archive:
        return {name: archive.read(name) for name in ("run-1.repose", "run-2.repose")}


def packed(
    *members: tuple[str, bytes], contents: bytes = CONTENTS_OF_TWO, compression: int = zipfile.ZIP_STORED
) -> io.BytesIO:
    """A ZIP archive of the contents and these members."""
    blob = io.BytesIO()
    with zipfile.ZipFile(blob, "w") as archive:
        archive.writestr(saved_side_by_side.CONTENTS, contents)
        for name, content in members:
            archive.writestr(name, content, compression)
    return blob


def bomb() -> bytes:
    """An archive of a few kilobytes whose compressed members unpack to 64 MB."""
    zeros = bytes(32 * 2**20)
    return packed(("run-1.repose", zeros), ("run-2.repose", zeros), compression=zipfile.ZIP_DEFLATED).getvalue()


def understated() -> bytes:
    """An archive whose directory states a size of 10 bytes for a compressed member that unpacks to 64 MB."""
    blob = packed(("run-1.repose", bytes(64 * 2**20)), ("run-2.repose", b""), compression=zipfile.ZIP_DEFLATED)
    content = bytearray(blob.getvalue())
    at = content.rindex(b"PK\x01\x02", 0, content.rindex(b"PK\x01\x02"))
    content[at + 24 : at + 28] = (10).to_bytes(4, "little")
    return bytes(content)


def stated_as_stored() -> bytes:
    """An archive whose directory states that a member of 100 bytes is stored and has one gigabyte."""
    content = bytearray(packed(("run-1.repose", bytes(100)), ("run-2.repose", b"")).getvalue())
    at = content.rindex(b"PK\x01\x02", 0, content.rindex(b"PK\x01\x02"))
    content[at + 20 : at + 28] = 2 * (2**30).to_bytes(4, "little")
    return bytes(content)


@pytest.mark.parametrize("make", [bomb, understated, stated_as_stored])
def test_a_file_that_unpacks_to_more_than_it_has_is_refused_before_its_data_is_read(
    make: Callable[[], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "bomb.repose"
    path.write_bytes(make())
    tracemalloc.start()
    try:
        for read in (saved_side_by_side.load, saved_side_by_side.glimpse):
            with pytest.raises(ArchiveError, match=r"The file's part 'run-1\.repose' is"):
                read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * 2**20


def test_runs_that_unpack_together_to_more_than_a_single_run_may_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, runs = packed(*two_runs().items()), two_runs().values()
    sizes = [sum(entry.file_size for entry in zipfile.ZipFile(io.BytesIO(run)).infolist()) for run in runs]
    monkeypatch.setattr("repose.sim.io.archive.LARGEST_FILE", sum(sizes) - 1)
    with pytest.raises(ArchiveError, match=f"unpacks to more than {sum(sizes) - 1} bytes"):
        saved_side_by_side.read(whole)


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (b"null", "no table"),
        (b"[" * 100_000, "its lists are nested too deeply"),
        (b'{"format": null}', "The file has format null of runs side by side; this program reads 1"),
        (b'{"format": 1, "runs": "two"}', "The file's number of runs side by side is 'two'; 2 to 4 are read"),
        (b'{"format": 1, "runs": 3}', "run-3.repose is missing"),
        (b'{"format": 1, "runs": 2, "own": null, "meetings": [[0, 0]]}', "own = null"),
        (b'{"format": 1, "runs": 2, "own": [3], "meetings": [[0, 0]]}', "own = [3]"),
        (b'{"format": 1, "runs": 2, "own": [], "meetings": [0, 0]}', "equal times"),
        (b'{"format": 1, "runs": 2, "own": [], "meetings": [["a", 0]]}', "equal times"),
        (b'{"format": 1, "runs": 2}', "own = null"),
        (b'{"\xff": 1}', "it is not UTF-8 text"),
    ],
)
def test_contents_of_another_form_are_refused_with_value_and_limit(contents: bytes, said: str) -> None:
    changed = packed(*two_runs().items(), contents=contents)
    with pytest.raises(ArchiveError) as caught:
        saved_side_by_side.read(changed)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400


def refusal_of(blob: io.BytesIO) -> str:
    """Why the file is refused; empty if it is read."""
    try:
        saved_side_by_side.read(blob)
    except ArchiveError as error:
        return str(error)
    return ""


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(("format", "runs", "own", "meetings"), JSON_VALUES)))
@example({"format": 1, "runs": 2, "own": [["a"]], "meetings": [[0, 0]]})
@example({"format": 1, "runs": 2, "own": [], "meetings": [[0, 0], None]})
def test_any_contents_are_refused_in_a_sentence_without_words_of_python(contents: dict[str, object]) -> None:
    text = json.dumps({"format": 1, "runs": 2} | contents).encode()
    said = refusal_of(packed(*two_runs().items(), contents=text))
    assert said.endswith(".") or not said
    assert len(said) < 400
    assert not PYTHON_WORDS.search(said)


@settings(max_examples=50)
@given(st.binary(max_size=200), st.integers(0, 10**6))
def test_a_file_with_other_bytes_is_read_or_refused_in_a_sentence(other: bytes, place: int) -> None:
    whole = bytearray(packed(*two_runs().items()).getvalue())
    at = place % len(whole)
    whole[at : at + len(other)] = other
    said = refusal_of(io.BytesIO(bytes(whole)))
    assert len(said) < 400
    assert not PYTHON_WORDS.search(said)
