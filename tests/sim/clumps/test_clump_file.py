"""Clump files: what is written can be read, and damaged or impossible files are refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim.clumps.clump import Clump, mass_properties
from repose.sim.clumps.clump_file import LONGEST_NAME, clump_from, file_of, read_clump, text_of
from repose.sim.clumps.exports import exported
from repose.sim.parameters import ParameterError

PAIR = Clump("pair", "by hand", np.array([[-0.01, 0.0, 0.002], [0.01, 0.0, 0.0]]), np.array([0.012, 0.015]))
MASS = mass_properties(PAIR, 0.001)


def text(**changes: Any) -> str:
    content = json.loads(text_of(file_of(PAIR, MASS))) | changes
    return json.dumps(content)


def test_a_clump_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "pair.json"
    path.write_text(text_of(file_of(PAIR, MASS, 1e-5)))
    read = read_clump(path)
    np.testing.assert_array_equal(read.clump.centre, PAIR.centre)
    np.testing.assert_array_equal(read.clump.radius, PAIR.radius)
    np.testing.assert_array_equal(read.mass.inertia, MASS.inertia)
    assert read.mass.volume == MASS.volume
    assert read.content.body_volume == 1e-5
    assert len(path.read_text().splitlines()) > 20


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pair.json"
    path.write_text(text(), encoding="utf-8-sig")
    np.testing.assert_array_equal(read_clump(path).clump.radius, PAIR.radius)


BALL = {"x": -0.01, "y": 0.0, "z": 0.002, "r": 0.012}
OTHER = {"x": 0.01, "y": 0.0, "z": 0.0, "r": 0.015}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"spheres": []}, r"spheres = \[\] is refused: it must be a list of 1 to 100000 entries"),
        ({"spheres": [BALL]}, "announces 2 members and contains 1: some are missing"),
        ({"members": 3}, "announces 3 members and contains 2"),
        ({"members": 1}, "announces 1 member and contains 2: some were added"),
        ({"members": 3, "spheres": [BALL, OTHER, BALL]}, "member 3 is inside member 1"),
        ({"members": 3, "spheres": [{**OTHER, "r": 0.002}, BALL, OTHER]}, "member 1 is inside member 3"),
        (
            {"spheres": [BALL, {**OTHER, "r": 0.0}]},
            "sphere 2 of 2: r = 0.0 is refused: it must be a number above 0 and at most 1000",
        ),
        ({"spheres": [BALL, {**OTHER, "r": -1.0}]}, "r = -1.0 is refused"),
        (
            {"spheres": [BALL, {**OTHER, "x": float("nan")}]},
            "sphere 2 of 2: x = nan is refused: it must be a number from",
        ),
        (
            {"spheres": [BALL, {"x": 0.0, "y": 0.0, "z": 0.0}]},
            "sphere 2 of 2: the key 'r' is missing: it must be a number above 0",
        ),
        ({"volume": 0.0}, "volume"),
        ({"volume": 1.0}, "volume = 1 m³ is not that of its members"),
        ({"centre": [1.0, 0.0, 0.0]}, "outside the clump"),
        ({"centre": [0.0, 0.0]}, r"centre = \[0.0, 0.0\] is refused: it must be a list of 3 entries, each a number"),
        ({"inertia": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]]}, "not the tensor of a rigid body"),
        ({"inertia": [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]}, "not the tensor of a rigid body"),
        ({"inertia": (1e-300 * np.eye(3)).tolist()}, "principal moments 1e-300 to 1e-300 m⁵, but its members allow"),
        ({"inertia": np.eye(3).tolist()}, "principal moments 1 to 1 m⁵, but its members allow"),
        ({"spheres": [BALL, {**OTHER, "r": "0.015"}]}, "sphere 2 of 2: r = '0.015' is refused: it must be a number"),
        ({"spheres": [BALL, {**OTHER, "r": True}]}, "sphere 2 of 2: r = true is refused: it must be a number"),
        ({"format": "other"}, "format"),
        ({"version": 2}, "version"),
        ({"colour": "red"}, "Unknown key 'colour': known: format, "),
    ],
)
def test_impossible_files_are_refused_in_one_sentence(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words) as refused:
        clump_from(text(**changes))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "5", '{"format": "repose-clump"}'])
def test_files_that_are_cut_or_no_clump_are_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "clump.json"
    path.write_text(content)
    with pytest.raises(ParameterError, match=r"^Clump file .*clump\.json(:| is not valid JSON:) "):
        read_clump(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ParameterError, match="is not UTF-8 text; save it as UTF-8"):
        read_clump(path)
    with pytest.raises(ParameterError, match="No such file"):
        read_clump(tmp_path / "none.json")
    with pytest.raises(ParameterError, match="is a folder; a clump file is a JSON file"):
        read_clump(tmp_path)


def test_molecule_has_mass_centre_and_inertia_of_the_union() -> None:
    """Sections and order as in the manual of LAMMPS, molecule command; LAMMPS of July 2025 reads such files."""
    lines = exported(PAIR, MASS, 1000.0, Path("pair.mol")).splitlines()
    assert "2 atoms" in lines
    found = {line.split()[-1]: [float(w) for w in line.split()[:-1]] for line in lines[2:6]}
    assert found["mass"] == pytest.approx([1000.0 * MASS.volume])
    assert found["com"] == pytest.approx(MASS.centre.tolist())
    assert found["inertia"][3:] == pytest.approx([1000.0 * MASS.inertia[p] for p in ((0, 1), (0, 2), (1, 2))])
    masses = [float(line.split()[1]) for line in lines[lines.index("Masses") + 2 :]]
    assert sum(masses) == pytest.approx(1000.0 * MASS.volume)
    diameters = [float(line.split()[1]) for line in lines[lines.index("Diameters") + 2 :][:2]]
    assert diameters == [0.024, 0.03]


def test_text_for_yade_has_one_line_per_sphere_and_fix_rigid_one_per_body() -> None:
    rows = np.loadtxt(exported(PAIR, MASS, 1000.0, Path("pair.txt")).splitlines())
    np.testing.assert_array_equal(rows, np.column_stack([PAIR.centre, PAIR.radius, np.zeros(2)]))
    lines = exported(PAIR, MASS, 1000.0, Path("pair.rigid")).splitlines()
    assert lines[1] == "1"
    assert len(lines[2].split()) == 20
    with pytest.raises(ParameterError, match="must be one of"):
        exported(PAIR, MASS, 1000.0, Path("pair.xyz"))


def test_the_name_of_a_body_with_a_long_file_name_is_cut() -> None:
    """A mesh whose name has more than 200 characters made a clump that could not be written."""
    long = PAIR._replace(name="e" * 240)
    assert clump_from(text_of(file_of(long, MASS))).clump.name == "e" * LONGEST_NAME
