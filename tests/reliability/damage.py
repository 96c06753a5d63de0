"""Damaged files, and programs that are killed while they save.

Files are damaged as disks, transfers and users damage them: cut, bits flipped, lines lost, repeated and exchanged,
words in place of numbers, numbers out of range. Each file must be read or refused in one sentence within `LONGEST`.
"""

from __future__ import annotations

import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import saved_copy
from repose.sim.io import presets
from repose.sim.io.atomic_file import remove_leftovers
from repose.sim.io.mesh import read_mesh
from repose.sim.parameters import ParameterError

from tests.reliability.heaps_in_a_row import SMALL

LONGEST = 2.0
"""Processor time that one file may take [s]."""
WORDS: tuple[bytes, ...] = (
    *(b"nan", b"-inf", b"1e999", b"1e308", b"-1e300", b"1e-320", b"0", b"-1", b"99999999999", b"1_0", b"0x10", b"1,5"),
    *(b"true", b'"text"', b"[]", b"", "١".encode(), b"1" * 400, b"{a=1}", b"1979-05-27", b"\xff", b"\\", b"\0"),
)
"""Words that replace a number in a text."""
FLOATS = (np.nan, np.inf, -np.inf, 3.4e38, -3.4e38, 1e-45, 1e30, 0.0)
"""Values that replace a number in a table."""
ENOUGH_KILLS = 20
"""Kills of which at least one comes while a file is written."""
DELAYS = 5.0
"""Longest wall time from the first save of a process to its kill, in units of the duration of a save [-]."""

Generator = np.random.Generator
Mutation = Callable[[bytearray, Generator], bytearray]


def mutated(blob: bytes, generator: Generator, text: bool) -> bytes:
    """The file with one to four changes; lines are changed only in a text."""
    damaged = bytearray(blob)
    kinds = ANY + (LINES if text else TABLE)
    for _ in range(int(generator.integers(1, 5))):
        if damaged:
            damaged = kinds[int(generator.integers(len(kinds)))](damaged, generator)
    return bytes(damaged)


def _cut(blob: bytearray, generator: Generator) -> bytearray:
    return blob[: int(generator.integers(len(blob)))]


def _flip(blob: bytearray, generator: Generator) -> bytearray:
    blob[int(generator.integers(len(blob)))] ^= 1 << int(generator.integers(8))
    return blob


def _repeat(blob: bytearray, generator: Generator) -> bytearray:
    first, last = sorted(int(position) for position in generator.integers(len(blob), size=2))
    return blob[:last] + blob[first:]


def _line(change: Callable[[list[bytes], int, int], None]) -> Mutation:
    def mutate(blob: bytearray, generator: Generator) -> bytearray:
        lines = bytes(blob).split(b"\n")
        change(lines, *(int(position) for position in generator.integers(len(lines), size=2)))
        return bytearray(b"\n".join(lines))

    return mutate


def _lose(lines: list[bytes], first: int, _: int) -> None:
    del lines[first]


def _exchange(lines: list[bytes], first: int, second: int) -> None:
    lines[first], lines[second] = lines[second], lines[first]


def _number(blob: bytearray, generator: Generator) -> bytearray:
    """Replace a number by a word of `WORDS`."""
    found = list(re.finditer(rb"[-+]?[0-9][0-9.eE+-]*", bytes(blob)))
    if not found:
        return blob
    position = found[int(generator.integers(len(found)))]
    return blob[: position.start()] + WORDS[int(generator.integers(len(WORDS)))] + blob[position.end() :]


def _float(blob: bytearray, generator: Generator) -> bytearray:
    position = int(generator.integers(max(1, len(blob) - 3)))
    blob[position : position + 4] = struct.pack("<f", FLOATS[int(generator.integers(len(FLOATS)))])
    return blob


def _count(blob: bytearray, generator: Generator) -> bytearray:
    """Change the number of triangles in a binary STL."""
    blob[80:84] = struct.pack("<I", int(generator.integers(1 << int(generator.integers(1, 32)))))
    return blob


ANY: tuple[Mutation, ...] = (_cut, _flip, _repeat)
LINES: tuple[Mutation, ...] = (
    _number,
    _number,
    _number,
    _line(_lose),
    _line(lambda lines, first, second: lines.insert(second, lines[first])),
    _line(_exchange),
)
TABLE: tuple[Mutation, ...] = (_float, _float, _count)


def tetrahedra() -> dict[str, bytes]:
    """Two tetrahedra [mm] in the three formats, by file name."""
    corners = np.array([(0, 0, 0), (30, 0, 0), (0, 30, 0), (0, 0, 30)], float)
    points = np.concatenate([corners, corners + np.array((40.0, 0.0, 0.0))])
    faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    faces = np.concatenate([faces, faces + 4])
    table = b"".join(struct.pack("<12fH", 0, 0, 0, *points[face].ravel(), 0) for face in faces)
    lines = ["solid two"]
    for face in faces:
        lines += ["facet normal 0 0 0", "outer loop", *(f"vertex {x:g} {y:g} {z:g}" for x, y, z in points[face])]
        lines += ["endloop", "endfacet"]
    written = [f"v {x:g} {y:g} {z:g}" for x, y, z in points]
    written += ["f " + " ".join(map(str, face + 1)) for face in faces]
    return {
        "table.stl": bytes(80) + struct.pack("<I", len(faces)) + table,
        "text.stl": "\n".join([*lines, "endsolid two", ""]).encode(),
        "text.obj": "\n".join([*written, ""]).encode(),
    }


def damaged_meshes(count: int, seed: int) -> list[str]:
    """Read `count` damaged meshes; returns those that end in a traceback, without a sentence, or after `LONGEST`."""
    sound = tetrahedra()
    return _answers(count, seed, sound, lambda name: name.startswith("text"), read_mesh)


def damaged_presets(count: int, seed: int) -> list[str]:
    """Read `count` damaged presets; returns those that end in a traceback, without a sentence, or after `LONGEST`."""
    sound = {f"{name}.toml": presets._shipped().joinpath(f"{name}.toml").read_bytes() for name in presets.names()}
    return _answers(count, seed, sound, lambda _: True, presets.load)


def _answers(
    count: int, seed: int, sound: dict[str, bytes], is_text: Callable[[str], bool], read: Callable[[Path], object]
) -> list[str]:
    generator, names, wrong = np.random.default_rng(seed), list(sound), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            name = names[number % len(names)]
            path = Path(folder, name)
            path.write_bytes(mutated(sound[name], generator, is_text(name)))
            began, said = time.process_time(), ""
            try:
                read(path)
            except ParameterError as error:
                said = str(error)
                if "\n" in said or not said.endswith((".", "?")) or len(said) > 1_000:
                    wrong.append(f"file {number}, {name}: {said!r}")
            except Exception as error:  # the defect that this test looks for
                wrong.append(f"file {number}, {name}: {type(error).__name__}: {error}")
            if (spent := time.process_time() - began) > LONGEST:
                wrong.append(f"file {number}, {name}: {spent:.1f} s")
    return wrong


def kill_while_saving(folder: Path, kills: int, seed: int) -> list[str]:
    """Kill `kills` processes that save the runs `first` and `second` to one file in turn; returns the defects found.

    After each kill the old or the new file must be there, complete, and after the next start no other file. Call it in
    a process without threads, because it forks.
    """
    generator, wrong = np.random.default_rng(seed), list[str]()
    files = [(folder / name).read_bytes() for name in ("first", "second")]
    runs = [saved_run.load(folder / name) for name in ("first", "second")]
    for run in runs:  # the first save imports modules, which the children must not do
        began = time.monotonic()
        saved_run.save(run, folder / "again")
        lasted = time.monotonic() - began
    position = folder / "saving"
    position.mkdir()
    path = position / "run.repose"
    drafts = 0
    for number in range(kills):
        heard, told = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(told, b"!")
                while True:
                    for run in runs:
                        saved_run.save(run, path)
            finally:
                os._exit(1)
        os.read(heard, 1)
        time.sleep(float(generator.uniform(0.0, DELAYS * lasted)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(heard)
        os.close(told)
        drafts += sum(entry != path for entry in position.iterdir())
        if path.exists() and path.read_bytes() not in files:
            wrong.append(f"kill {number}: neither the old file nor the new one")
        remove_leftovers(position)
        if left := [entry.name for entry in position.iterdir() if entry != path]:
            wrong.append(f"kill {number}: {left} left")
    if not path.exists():
        wrong.append("no file was saved")
    if kills >= ENOUGH_KILLS and drafts == 0:
        wrong.append("no process was killed while it wrote a file")
    return wrong


KILL = """
import sys
from pathlib import Path
from tests.reliability.damage import kill_while_saving
for words in kill_while_saving(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])):
    print(words)
"""


def killed_saves(kills: int, seed: int) -> list[str]:
    """`kill_while_saving` in a process of its own, with two heaps before their first step."""
    with tempfile.TemporaryDirectory() as folder:
        for seed_of_run, name in enumerate(("first", "second")):
            experiment = new_experiment("heap", SMALL, seed_of_run)
            apply(experiment, Act("fill"))
            saved_run.save(saved_copy(experiment), Path(folder, name))
        done = subprocess.run(
            [sys.executable, "-c", KILL, folder, str(kills), str(seed)],
            capture_output=True,
            text=True,
            timeout=300.0,
            check=False,
            cwd=Path(__file__).resolve().parents[2],
        )
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it ended"])[-1])
    return done.stdout.splitlines()
