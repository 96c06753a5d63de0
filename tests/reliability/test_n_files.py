"""Group N, files of saved runs: all are checked before use, and none is lost."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from repose.sim.engine.builder import empty_world
from repose.sim.engine.world import STEP_COUNT
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import resumed_experiment
from repose.sim.experiment.commands import SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.saved_run import PLAIN
from repose.sim.experiment.stepping import advance
from repose.sim.io import world_tables
from repose.sim.io.archive import ArchiveError
from repose.sim.measure.booked import Booked
from repose.sim.message import plain
from repose.sim.scenes.heap.container import HeapState
from repose.sim.wording import value_text

from tests.python_words import PYTHON_WORDS
from tests.reliability.mutations import mutants
from tests.reliability.runs import go, poured
from tests.sim.experiment.test_faults import pressed

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).resolve().parent / "data"


SEEDED = np.random.default_rng(52)


def refused(blob: bytes) -> str:
    with pytest.raises(ArchiveError) as caught:
        saved_run.read(io.BytesIO(blob))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def remade(blob: bytes, facts: dict | None = None, **changes: object) -> bytes:
    """The file with other tables or facts, digests and all: what a hostile hand could write."""
    from repose.sim.io import archive

    manifest, tables = archive.read(io.BytesIO(blob), plain("a saved run"))
    for name, change in changes.items():
        name = name.replace("__", ".")
        tables[name] = change(tables[name].copy())
    del manifest["tables"]
    out = io.BytesIO()
    archive.write(out, manifest | (facts or {}), tables)
    return out.getvalue()


WRITER = """
import sys
from pathlib import Path
from repose.sim.experiment import saved_run
first, second, path = map(Path, sys.argv[1:])
runs = [saved_run.load(first), saved_run.load(second)]
print("ready", flush=True)
while True:
    for run in runs:
        saved_run.save(run, path)
"""


def test_n07_a_file_cut_anywhere_is_refused(blob: bytes) -> None:
    for kept in (*range(0, len(blob), 1024), len(blob) - 1):
        assert "cannot be read as a saved run" in refused(blob[:kept])


def test_n08_flipped_bits_are_refused_or_harmless(blob: bytes) -> None:
    sound = saved_run.read(io.BytesIO(blob))
    harmless = 0
    for _ in range(300):
        damaged = bytearray(blob)
        damaged[int(SEEDED.integers(len(damaged)))] ^= 1 << int(SEEDED.integers(8))
        try:
            found = saved_run.read(io.BytesIO(bytes(damaged)))
        except ArchiveError:
            continue
        # Bits of the archive's own book-keeping may flip unseen; what is read is what was written.
        out = io.BytesIO()
        saved_run.write(found, out)
        assert out.getvalue() == blob
        harmless += 1
    assert harmless < 100
    assert sound.now.at == 9_000


def spoil(**places: object):
    """Put a number at the first place of a table."""
    value = places["value"]

    def change(table: np.ndarray) -> np.ndarray:
        table.flat[0] = value
        return table

    return change


@pytest.mark.parametrize(
    ("table", "change", "said"),
    [
        ("motion", spoil(value=np.nan), "positions that are not finite"),
        ("motion", lambda table: table[:, :, :-1], "has a wrong type or shape"),
        ("motion", lambda table: table.astype(np.float32), "has a wrong type or shape"),
        ("motion", lambda table: table[:, :2], "dimension"),
        ("mass", spoil(value=1e300), "masses that are not between 1e-30 and 1e"),
        ("mass", spoil(value=1e-300), "masses that are not between 1e-30 and 1e"),
        ("radius", spoil(value=1e300), "radii that are not between"),
        ("motion", spoil(value=1e300), "positions too far from the origin"),
        ("force", spoil(value=1e300), "numbers larger than"),
        ("counters", lambda table: np.where(np.arange(table.size) == STEP_COUNT, 2**62, table), "counters beyond"),
        ("largest_overlap", spoil(value=-1.0), "an impossible largest overlap"),
        ("radius", spoil(value=-1e-3), "radii or masses that are not positive"),
        ("mass", spoil(value=0.0), "radii or masses that are not positive"),
        ("force", spoil(value=np.inf), "numbers that are not finite"),
        ("sphere_id", lambda table: np.zeros_like(table), "two spheres with one id"),
        ("pairs__j", spoil(value=10_000), "spheres that do not exist"),
        ("pairs__j", lambda table: np.zeros_like(table), "spheres that do not exist"),
        ("material", spoil(value=-1), "materials that do not exist"),
        ("search__skin", spoil(value=0.0), "skin that is not positive"),
        ("counters", spoil(value=1 << 40), "has a wrong type or shape"),
        ("counters", lambda table: np.where(np.arange(table.size) == STEP_COUNT, -1, table), "counters below zero"),
        ("counters", lambda table: table[:-1], "counters"),
    ],
)
def test_n10_a_valid_archive_with_invalid_tables_is_refused(blob: bytes, table: str, change: object, said: str) -> None:
    assert said in refused(remade(blob, **{f"{newest(blob)}__world__{table}": change}))


def test_n10_a_state_with_another_hash_is_refused(blob: bytes) -> None:
    assert "does not have the hash in the file" in refused(
        remade(blob, **{f"{newest(blob)}__world__ledger": spoil(value=1.0)})
    )


def newest(blob: bytes) -> str:
    """What the run as it stands is called in a file."""
    return f"run{json.loads(member(blob, 'manifest'))['now']['now']['run']}"


def member(blob: bytes, name: str) -> bytes:
    with np.load(io.BytesIO(blob)) as archive:
        return archive[name].tobytes()


def with_manifest(blob: bytes, change: object) -> bytes:
    manifest = json.loads(member(blob, "manifest"))
    del manifest["tables"]
    change(manifest)
    return remade(blob, manifest)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.update(scene="volcano"), "scene 'volcano', which this program does not have"),
        (lambda m: m.update(kind="song"), "no saved run of this program"),
        (lambda m: m.update(end=10), "ends before its present state"),
        (lambda m: m["now"].update(commands=99), "ends before its present state"),
        (lambda m: m["start"].update(commands=99), "ends before its present state"),
        (lambda m: m["start"].update(at=-1), "ends before its present state"),
        (lambda m: m.update(seed=-1), "seed = -1 is refused"),
        (lambda m: m["entries"].append([1, "Act", {"action": "fill"}]), "not in order"),
        (lambda m: m["entries"].append([9_000, "Explode", {}]), "command 'Explode'"),
        (lambda m: m["entries"].append([9_000, "Act", {"action": 5}]), "without its values"),
        (lambda m: m["runs"][0].update(dt=-1.0), "time step is -1 s"),
        (lambda m: m["runs"][0].update(dt="1"), "run0.dt = '1' is refused: it must be a number."),
        (lambda m: m["runs"][0]["built"].update(width=-1.0), "width = -1.0 (-1000 mm) is refused"),
        (lambda m: m["runs"][0]["state"].update(poured=True), "run0.state.poured = true is refused"),
        (lambda m: m["runs"][0]["state"].update(colour=1), "run0.state.colour is refused: there is no entry"),
        (lambda m: m["runs"][0]["booked"].update(work=None), "run0.booked.work = null is refused"),
        (lambda m: m["runs"][m["now"]["now"]["run"]].update(dt=0.0), "time step is 0 s"),
        (lambda m: m["runs"][0].update(clock_step=10**30), "clock cannot have this value"),
        (lambda m: m["runs"][0].update(clock_step=10**40), "has more than 128 bits"),
        (lambda m: m["runs"][0].update(bulk_step=10**30), "step of the last sample cannot have this value"),
        (lambda m: m["runs"][0].update(clock_step=10**9), "clock cannot have this value"),
        (lambda m: m["runs"][0].update(clock_time=1e300), "clock cannot have this value"),
        (
            lambda m: m["runs"][0].update(dt_changes=[[9, 1e-5], [3, 1e-5]]),
            "changes of the time step cannot have this value",
        ),
        (lambda m: m["runs"][0]["booked"].update(work=1e300), "energy ledger cannot have this value"),
        (
            lambda m: m["runs"][0]["state"].update(phase="song"),
            "phase 'song' is none of the scene 'heap', which has empty, filling, filled, flowing, rested",
        ),
        (lambda m: m["runs"][0]["state"].update(poured=41), "poured cannot have this value"),
        (
            lambda m: m["runs"][0]["state"].update(since={"number": "nan"}),
            "since cannot have this value",
        ),
        (
            lambda m: m["runs"][0]["state"].update(random={"state": 1}),
            "random cannot have this value",
        ),
        (lambda m: m["runs"][0]["state"].update(radii=[[1.0], [2.0]]), "radii cannot have this value"),
        (lambda m: m["now"]["now"].update(run=77), "cannot be read as a saved run"),
        (lambda m: m["now"]["now"]["parameters"].update(integrator="rk4"), "not one of the scene"),
        (lambda m: m["now"].pop("fault"), "cannot be read as a saved run"),
    ],
)
def test_n10_invalid_entries_of_the_manifest_are_refused(blob: bytes, change: object, said: str) -> None:
    assert said in refused(with_manifest(blob, change))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table.astype(np.float32), "state.radii is a table of <f4, and must be one of <f8"),
        (lambda table: np.full_like(table, 2**62, np.int64), "radii cannot have this value"),
        (lambda table: table.astype(">f8"), "state.radii' of the file has another byte order"),
        (lambda table: table[None], "radii cannot have this value"),
        (lambda table: np.full_like(table, 1e300), "radii cannot have this value"),
        (lambda table: table * np.nan, "radii cannot have this value"),
    ],
)
def test_n10_tables_in_the_state_of_the_scene_are_checked_as_those_of_the_world(
    blob: bytes, change: object, said: str
) -> None:
    assert said in refused(remade(blob, **{f"{newest(blob)}__state__radii": change}))


def test_n10_nan_in_the_json_text_is_refused(blob: bytes) -> None:
    with np.load(io.BytesIO(blob)) as archive:
        tables = {name: archive[name] for name in archive.files}
    text = tables["manifest"].tobytes().replace(b'"clock_time": 0.0', b'"clock_time": NaN', 1)
    out = io.BytesIO()
    np.savez_compressed(out, **(tables | {"manifest": np.frombuffer(text, np.uint8)}))
    assert "contains NaN, which is not a number" in refused(out.getvalue())


@pytest.mark.parametrize("found", [1, saved_run.FORMAT + 1, 99, 0, -1, "3", None, 3.0])
def test_n11_another_format_is_refused_with_both_numbers(blob: bytes, found: object) -> None:
    said = refused(with_manifest(blob, lambda m: m.update(format=found)))
    assert f"The file has format {value_text(found)}; this program reads 2–{saved_run.FORMAT}." in said
    assert ("newer version" in said) == (found in (saved_run.FORMAT + 1, 99))
    assert ("older version" in said) == (found == 1 and type(found) is int)


def test_n11_files_of_the_first_format_are_refused_with_both_numbers_and_what_to_do() -> None:
    # Made by the program when its lists of pairs were kept in two parts: three grains on the way down, touching.
    with pytest.raises(ArchiveError) as caught:
        saved_run.load(DATA / "format1.repose")
    assert str(caught.value).endswith(
        "format1.repose' cannot be opened: The file has format 1; this program reads 2–15. It was saved by an older "
        "version: use that version, or start again with the same parameters and seed."
    )
    with pytest.raises(ArchiveError, match=r"^The file has format 1; this program reads 10\.$"):
        world_tables.from_bytes((DATA / "format1.npz").read_bytes(), HeapState)


def test_n11_a_run_of_the_second_format_is_read_and_continues() -> None:
    # Made by the program when files held what follows from the two spheres of a pair: 20 beads with rotation at rest.
    old = resumed_experiment(saved_run.load(DATA / "format2.repose"))
    assert (old.phase, old.fault) == ("rested", None)
    assert int(old.run.world.pairs.touching.sum()) == 17
    before = energy_of(old)
    assert advance(old, 200) == 200
    assert old.fault is None
    # At rest: what 200 steps may take away is what little was still moving.
    assert energy_of(old).kinetic <= 2.0 * before.kinetic + 1e-12


def test_n11_a_stopped_run_of_the_version_before_offers_the_same_remedies() -> None:
    stopped = pressed(dt=2e-5)
    apply(stopped, SetParameters({"normal_stiffness": 1e9}))
    advance(stopped, 200)  # a ramp is stopped at its first check
    assert stopped.fault is not None
    assert [remedy.name for remedy in stopped.fault.remedies] == ["undo", "smaller_dt", "auto_dt", "remove_grain"]
    out = io.BytesIO()
    saved_run.write(saved_copy(stopped), out)
    older = with_manifest(out.getvalue(), lambda manifest: manifest["now"]["fault"].pop("remedies"))
    again = resumed_experiment(saved_run.read(io.BytesIO(older)))
    assert again.fault == stopped.fault


def test_n11_a_run_of_the_fourth_format_keeps_its_slope_and_its_series() -> None:
    # Made by the program when the slope was no state of the heap and series had no names: ten grains left, measured.
    old = resumed_experiment(saved_run.load(DATA / "format4.repose"))
    assert (old.phase, old.fault) == ("rested", None)
    assert old.run.state.slope.angle == 0.524171250233214
    series = old.run.series.columns()
    assert len(series["time"]) == 83
    assert np.isfinite(series["energy.gap"]).all()
    assert np.isnan(series["largest_overlap"]).all()
    assert advance(old, 200) == 200


def test_n11_a_change_of_the_file_contents_changes_the_format_number() -> None:
    tables = {
        name: (str(table.dtype), table.shape) for name, table in world_tables.tables_of(empty_world(3, 3, 6)).items()
    }
    others = PLAIN, [field.name for field in fields(Booked)]
    digest = hashlib.sha256(repr((sorted(tables.items()), others)).encode()).hexdigest()[:8]
    assert (world_tables.FORMAT, saved_run.FORMAT, digest) == (10, 15, "4bfcef0c"), (
        "Raise the format in sim/io/world_tables.py and sim/experiment/saved_run.py, or old files are called damaged; "
        "then write the digest."
    )


def test_n11_a_run_of_another_engine_continues_and_is_marked_as_foreign(blob: bytes) -> None:
    assert not saved_run.read(io.BytesIO(blob)).foreign
    other = saved_run.read(io.BytesIO(with_manifest(blob, lambda m: m.update(engine="0000 vax"))))
    assert other.foreign
    assert advance(resumed_experiment(other), 10) == 10


def test_n11_a_file_with_an_excessive_size_or_compression_is_not_unpacked(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("manifest.npy", "w") as part:
        for _ in range(260):
            part.write(bytes(2**20))
    assert "unpacks to more than" in refused(out.getvalue())
    with (tmp_path / "long.repose").open("wb") as file:
        file.truncate(5 * 2**30)
    with pytest.raises(ArchiveError, match="at most"):
        saved_run.load(tmp_path / "long.repose")


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n", b"PK\x03\x04" * 20, b"\x80\x04\x95cos\nsystem\n", bytes(5_000)]
)
def test_n11_a_foreign_file_is_refused(content: bytes) -> None:
    assert "cannot be read as a saved run" in refused(content)


@pytest.mark.case("F03")
def test_n13_after_a_kill_while_saving_the_old_or_the_new_file_exists(tmp_path: Path) -> None:
    experiment = poured(3_000)
    for name in ("first", "second"):
        saved_run.save(saved_copy(experiment), tmp_path / name)
        go(experiment, 3_500)
    whole_files = {(tmp_path / name).read_bytes() for name in ("first", "second")}
    path = tmp_path / "run.repose"
    for _ in range(4):
        command = [sys.executable, "-c", WRITER, *(str(tmp_path / n) for n in ("first", "second", "run.repose"))]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            while not path.exists():
                time.sleep(0.001)
            time.sleep(float(SEEDED.uniform(0.0, 0.05)))
            writer.send_signal(signal.SIGKILL)
        assert path.read_bytes() in whole_files


@pytest.mark.case("F06")
def test_n14_a_disk_that_is_full_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.repose"
    experiment = poured(1_000)
    saved_run.save(saved_copy(experiment), path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, full)
            with pytest.raises(OSError, match="No space left"):
                saved_run.save(saved_copy(go(experiment, 1_200)), path)
        assert path.read_bytes() == before
        assert [*tmp_path.iterdir()] == [path]
    assert advance(experiment, 100) == 100


def test_n19_a_folder_and_a_missing_file_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="it is not a regular file"):
        saved_run.load(tmp_path)
    with pytest.raises(ArchiveError, match=r"'.*gone\.repose' cannot be opened: there is no such file"):
        saved_run.load(tmp_path / "gone.repose")
    with pytest.raises(OSError):
        saved_run.save(saved_copy(poured(10)), tmp_path)
    assert not [*tmp_path.iterdir()]


def test_n10_no_refusal_has_words_of_python_or_control_characters(blob: bytes) -> None:
    for mutant in mutants(blob, 60, 11):
        try:
            saved_run.read(io.BytesIO(mutant))
        except ArchiveError as error:
            said = str(error)
            assert (said.isprintable(), PYTHON_WORDS.search(said)) == (True, None), said
