"""Formats of LAMMPS are written down in one package."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
WORDS = ("ITEM: ATOMS", "atom_style", "pair_style", "omegax", "units si")
"""Words that only a file of LAMMPS contains."""


def test_words_of_a_file_of_lammps_are_in_its_package_only() -> None:
    with_words = {
        path.relative_to(ROOT)
        for folder in ("sim", "app")
        for path in (ROOT / folder).rglob("*.py")
        if any(word in path.read_text("utf-8") for word in WORDS)
    }
    outside = {path for path in with_words if path.parent != Path("sim/io/lammps")}
    assert len(with_words) > 2, "the control"
    assert outside == set()
