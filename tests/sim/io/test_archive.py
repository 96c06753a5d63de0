"""Archives: what is compressed, and tables of equal content."""

from __future__ import annotations

import io
import zipfile

import numpy as np
from repose.sim.io import archive
from repose.sim.message import EMPTY

RANDOM = np.random.default_rng(1).normal(size=100_000)


def written(**tables: np.ndarray) -> io.BytesIO:
    file = io.BytesIO()
    archive.write(file, {}, tables)
    return file


def test_only_tables_that_become_much_smaller_are_compressed() -> None:
    half = np.where(np.arange(RANDOM.size) % 40_000 < 20_000, 0.0, RANDOM)
    file = written(positions=RANDOM, layers=np.zeros(100_000), half=half, few=RANDOM[:100])
    with zipfile.ZipFile(file) as opened:
        kinds = {entry.filename: entry.compress_type for entry in opened.infolist()}
    assert kinds.pop("positions.npy") == zipfile.ZIP_STORED
    assert set(kinds.values()) == {zipfile.ZIP_DEFLATED}
    _, read = archive.read(file, EMPTY)
    assert np.array_equal(read["positions"], RANDOM)
    assert np.array_equal(read["half"], half)


def test_a_table_under_several_names_is_stored_and_read_once() -> None:
    one, several = written(a=RANDOM), written(a=RANDOM, b=RANDOM, c=RANDOM.copy())
    assert len(several.getvalue()) < 1.01 * len(one.getvalue())
    _, read = archive.read(several, EMPTY)
    assert read["a"] is read["b"] is read["c"]
    assert np.array_equal(read["c"], RANDOM)
