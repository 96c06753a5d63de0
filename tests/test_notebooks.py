"""The example notebooks run from their first to their last cell, in a small form, and show what they promise."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "notebooks"
SMALL = {
    "first_heap": "grains = 40\nfriction = 0.3",
    "friction": "grains = 30\nfrictions = [0.1, 0.5]\nseeds = [1, 2]",
    "own_law": "restitution = 0.7\nspeeds = [0.1, 0.2]",
}
"""Parameters of each notebook for its small form."""
PATIENCE = 1800
"""Wall time of a cell, which may compile an engine [s]."""


def read(name: str) -> Any:
    nbformat = pytest.importorskip("nbformat")
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def executed(name: str, folder: Path) -> dict[str, list[str]]:
    """Kinds of output of all cells, with their texts."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = read(name)
    (given,) = [cell for cell in book.cells if "parameters" in cell.metadata.get("tags", ())]
    given.source = SMALL[name]
    nbclient.NotebookClient(book, timeout=PATIENCE, resources={"metadata": {"path": str(folder)}}).execute()
    found: dict[str, list[str]] = {}
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            for kind, text in output.get("data", {}).items():
                found.setdefault(kind, []).append(str(text))
            if output.output_type == "stream":
                found.setdefault(output.name, []).append(output.text)
    return found


def test_every_notebook_is_executed_by_a_test_and_kept_without_results() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(SMALL)
    for name in SMALL:
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in read(name).cells)


def test_the_law_of_the_notebook_is_that_of_the_manual() -> None:
    (cell,) = [cell for cell in read("own_law").cells if cell.source.startswith("%%writefile")]
    manual = (FOLDER.parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert cell.source.partition("\n")[2] in manual


@pytest.mark.slow
@pytest.mark.timeout(3 * PATIENCE)
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("first_heap", {"text/html": 2, "image/png": 1, "application/vnd.jupyter.widget-view+json": 1}),
        ("friction", {"text/html": 2, "image/png": 1}),
        ("own_law", {"text/html": 1, "stdout": 2}),
    ],
)
def test_a_notebook_runs_and_shows_its_results(
    name: str, kinds: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(FOLDER.parent.parent), os.environ.get("PYTHONPATH", "")]))
    found = executed(name, tmp_path)
    assert {kind: len(found.get(kind, ())) for kind in kinds} == kinds
