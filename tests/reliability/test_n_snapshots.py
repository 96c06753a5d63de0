"""Group N, snapshots and restart: the same bits after any cut, and no file that is believed too early."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import saved_run
from sim.archive import ArchiveError
from sim.commands import Act, Recover, Resume, SetParameters
from sim.integrators import integrators
from sim.saved_run import state_type
from sim.scenes import SCENES
from sim.simulation import Simulation
from sim.state import PAIR_COUNT, STEP_COUNT
from tests.reliability.runs import CYLINDER, SMALL, changed, go, landed, poured, resumed, saved
from tests.worlds import use_plain_engine

ROOT = Path(__file__).resolve().parents[2]
END = 9_000
SEEDED = np.random.default_rng(52)


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


@pytest.fixture(scope="module")
def blob() -> bytes:
    """A heap being poured, its friction changed on the way."""
    return saved(changed(poured(9_000), friction=0.3))


@pytest.fixture(scope="module")
def whole() -> Simulation:
    """The uninterrupted run: poured, friction and stiffness changed on the way."""
    return course(Simulation("heap", SMALL), END)


def course(simulation: Simulation, end: int) -> Simulation:
    """Go on with the planned course of commands as far as `end`."""
    plan = (
        (0, Act("run")),
        (3_333, SetParameters({"friction": 0.4})),
        (3_350, SetParameters({"friction": 0.5})),
        (6_001, SetParameters({"normal_stiffness": 2e5, "tilt": 0.1})),
    )
    for at, command in plan:
        if simulation.at <= at < end:
            go(simulation, at)
            assert simulation.apply(command) == ""
    return go(simulation, end)


def refused(blob: bytes) -> str:
    with pytest.raises(ArchiveError) as caught:
        saved_run.read(io.BytesIO(blob))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def remade(blob: bytes, facts: dict | None = None, **changes: object) -> bytes:
    """The file with other tables or facts, digests and all: what a hostile hand could write."""
    from sim import archive

    manifest, tables = archive.read(io.BytesIO(blob), "a saved run")
    for name, change in changes.items():
        name = name.replace("__", ".")
        tables[name] = change(tables[name].copy())
    del manifest["tables"]
    out = io.BytesIO()
    archive.write(out, manifest | (facts or {}), tables)
    return out.getvalue()


# N01, N02, N03: the same bits.


@settings(max_examples=6, deadline=None)
@given(cut=st.integers(1, END - 1))
def test_n01_cut_anywhere_the_same_bits(cut: int, whole: Simulation) -> None:
    other = course(resumed(saved(course(Simulation("heap", SMALL), cut))), END)
    assert other.state_hash() == whole.state_hash()
    assert other.energy() == whole.energy()
    assert (other.log.entries, other.log.marks, other.log.end) == (whole.log.entries, whole.log.marks, whole.log.end)
    assert np.array_equal(
        np.array([*other.run.series.columns().values()]),
        np.array([*whole.run.series.columns().values()]),
        equal_nan=True,
    )
    assert other.run.dt_changes == whole.run.dt_changes


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("integrator", integrators())
def test_n01_every_integrator(integrator: str) -> None:
    one = landed(
        values={"grain_count": 3, "width": 5e-3, "base_radius": 1e-3, "wall_radius": 3e-3}
        | {"integrator": integrator, "dt": 2e-5, "normal_stiffness": 1e4}
    )
    other = resumed(saved(one))
    assert other.state_hash() == one.state_hash()
    assert go(other, one.at + 60).state_hash() == go(one, one.at + 60).state_hash()


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(
    ("scene", "values", "action"),
    [
        ("bounce", {"drop_height": 0.002}, "run"),
        ("slope", {}, "run"),
        ("heap", {"grain_count": 3, "width": 5e-3, "base_radius": 1e-3, "wall_radius": 3e-3, "rotation": True}, "fill"),
        ("heap3d", CYLINDER, "fill"),
    ],
)
def test_n01_every_law_in_plane_and_space(scene: str, values: dict, action: str) -> None:
    one = landed(scene, values, action)
    other = resumed(saved(one))
    assert go(other, one.at + 55).state_hash() == go(one, one.at + 55).state_hash()
    assert one.run.state == other.run.state


@pytest.mark.parametrize("scene", SCENES)
def test_n01_every_scene_states_the_type_of_its_state(scene: str) -> None:
    assert state_type(SCENES[scene]).__name__.endswith("State")


CONTINUE = """
import sys
from sim import saved_run
from sim.simulation import Simulation
from tests.reliability.runs import go
print(go(Simulation(saved=saved_run.load(sys.argv[1])), int(sys.argv[2])).state_hash())
"""


def continued_elsewhere(path: Path, at: int, **environment: str) -> str:
    """The state hash after going on in a process of its own."""
    command = [sys.executable, "-c", CONTINUE, str(path), str(at)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_n02_and_n03_in_another_process_with_another_number_of_threads(tmp_path: Path) -> None:
    path = tmp_path / "run.repose"
    one = poured(4_321)
    saved_run.save(one.saved(), path)
    expected = go(one, 8_000).state_hash()
    assert continued_elsewhere(path, 8_000, NUMBA_NUM_THREADS="1") == expected
    assert continued_elsewhere(path, 8_000, NUMBA_NUM_THREADS="7", OMP_NUM_THREADS="3") == expected


def test_n04_saved_loaded_and_saved_the_files_are_equal(blob: bytes) -> None:
    assert saved(resumed(blob)) == blob


# N05: whatever else a run remembers.


@pytest.mark.usefixtures("uncompiled")
def test_n05_walls_on_the_move_and_what_contacts_with_them_remember() -> None:
    one = landed("heap3d", CYLINDER)
    walls = one.run.world.walls
    walls.velocity[1:, 2] = 0.05
    one.run.state.phase = "flowing"
    go(one, one.at + 1)
    while not one.run.world.touches.touching.any():
        go(one, one.at + 1)
    assert one.run.world.walls.moved.any()
    other = resumed(saved(one))
    assert other.state_hash() == one.state_hash()
    end = one.at + 60
    assert go(other, end).state_hash() == go(one, end).state_hash()


def test_n05_a_fault_to_come_goes_back_to_the_same_good_state() -> None:
    def hurt(simulation: Simulation) -> Simulation:
        assert simulation.apply(SetParameters({"dt": 3e-5})) == ""
        return simulation

    one = changed(poured(5_000, dt=2e-5), friction=0.3)
    go(one, 5_100)
    other = resumed(saved(one))
    for simulation in (one, other):
        assert simulation.apply(SetParameters({"normal_stiffness": 1e9})) == ""
        assert simulation.fault is not None
    stopped = resumed(saved(one))
    assert stopped.fault == one.fault == other.fault
    assert stopped.state_hash() == one.state_hash() == other.state_hash()
    for simulation in (one, other, stopped):
        assert simulation.apply(Recover({"normal_stiffness": 1e6})) == ""
        go(simulation, 6_000)
    assert stopped.state_hash() == one.state_hash() == other.state_hash()


def test_n05_generator_phase_and_what_waits_for_the_next_fill() -> None:
    one = changed(poured(2_000), grain_count=25)
    other = resumed(saved(one))
    assert other.run.built.grain_count == 40
    assert other.parameters.grain_count == 25
    for simulation in (one, other):
        assert go(simulation, 12_000).run.state.layers > 1
        assert simulation.apply(Act("reset")) == ""
        assert len(simulation.run.state.radii) == 25
        assert simulation.apply(Act("fill")) == ""
        go(simulation, 13_000)
    assert one.state_hash() == other.state_hash()


# N07 to N11: files that are not what they should be.


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
        ("motion", lambda table: table[:, :, :-1], "is not what it should be"),
        ("motion", lambda table: table.astype(np.float32), "is not what it should be"),
        ("motion", lambda table: table[:, :2], "dimensions"),
        ("radius", spoil(value=-1e-3), "radii or masses that are not positive"),
        ("mass", spoil(value=0.0), "radii or masses that are not positive"),
        ("force", spoil(value=np.inf), "numbers that are not finite"),
        ("sphere_id", lambda table: np.zeros_like(table), "two spheres of one name"),
        ("pairs__j", spoil(value=10_000), "spheres that are not there"),
        ("pairs__j", lambda table: np.zeros_like(table), "spheres that are not there"),
        ("pairs__kind", spoil(value=9), "materials that are not there"),
        ("material", spoil(value=-1), "materials that are not there"),
        ("search__skin", spoil(value=0.0), "skin that is not positive"),
        ("counters", spoil(value=1 << 40), "is not what it should be"),
        ("counters", lambda table: np.where(np.arange(table.size) == STEP_COUNT, -1, table), "counters below zero"),
        ("counters", lambda table: table[:-1], "counters"),
    ],
)
def test_n10_a_well_formed_file_of_nonsense_is_refused(blob: bytes, table: str, change: object, said: str) -> None:
    assert said in refused(remade(blob, **{f"{newest(blob)}__world__{table}": change}))


def test_n10_a_state_other_than_the_one_written_down_is_refused(blob: bytes) -> None:
    assert "another hash" in refused(remade(blob, **{f"{newest(blob)}__world__ledger": spoil(value=1.0)}))


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
        (lambda m: m.update(end=10), "does not reach its present"),
        (lambda m: m["now"].update(commands=99), "does not reach its present"),
        (lambda m: m["entries"].append([1, "Act", {"action": "fill"}]), "not in order"),
        (lambda m: m["entries"].append([9_000, "Explode", {}]), "command 'Explode'"),
        (lambda m: m["entries"].append([9_000, "Act", {"action": 5}]), "without what it needs"),
        (lambda m: m["runs"][0].update(dt=-1.0), "time step is -1 s"),
        (lambda m: m["runs"][0].update(dt="1"), "is not what belongs there"),
        (lambda m: m["runs"][0]["built"].update(width=-1.0), "width = -1.0 is refused"),
        (lambda m: m["runs"][0]["state"].update(poured=True), "is not what belongs there"),
        (lambda m: m["runs"][0]["state"].pop("poured"), "must have the entries"),
        (lambda m: m["now"]["now"].update(run=77), "cannot be read as a saved run"),
        (lambda m: m["now"]["now"]["parameters"].update(integrator="rk4"), "not one of the scene"),
        (lambda m: m["now"].pop("fault"), "cannot be read as a saved run"),
    ],
)
def test_n10_nonsense_between_the_tables_is_refused(blob: bytes, change: object, said: str) -> None:
    assert said in refused(with_manifest(blob, change))


def test_n10_numbers_that_json_should_not_have_are_refused(blob: bytes) -> None:
    with np.load(io.BytesIO(blob)) as archive:
        tables = {name: archive[name] for name in archive.files}
    text = tables["manifest"].tobytes().replace(b'"clock_time": 0.0', b'"clock_time": NaN', 1)
    out = io.BytesIO()
    np.savez_compressed(out, **(tables | {"manifest": np.frombuffer(text, np.uint8)}))
    assert "holds NaN, which is no number" in refused(out.getvalue())


@pytest.mark.parametrize("found", [2, 99, 0, -1, "1", None, 1.0])
def test_n11_another_format_is_refused_with_both_numbers(blob: bytes, found: object) -> None:
    said = refused(with_manifest(blob, lambda m: m.update(format=found)))
    assert f"The file has format {found!r}; this program reads 1." in said
    assert ("newer version" in said) == (found in (2, 99))


def test_n11_a_run_of_another_engine_goes_on_but_is_known_as_foreign(blob: bytes) -> None:
    assert not saved_run.read(io.BytesIO(blob)).foreign
    other = saved_run.read(io.BytesIO(with_manifest(blob, lambda m: m.update(engine="0000 vax"))))
    assert other.foreign
    assert Simulation(saved=other).advance(10) == 10


def test_n11_what_claims_to_be_huge_or_is_packed_beyond_reason_is_not_unpacked(tmp_path: Path) -> None:
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


# N13, N14, N19: writing.


WRITER = """
import sys
from pathlib import Path
from sim import saved_run
first, second, path = map(Path, sys.argv[1:])
runs = [saved_run.load(first), saved_run.load(second)]
print("ready", flush=True)
while True:
    for run in runs:
        saved_run.save(run, path)
"""


def test_n13_killed_in_the_midst_of_saving_the_old_or_the_new_file_is_there(tmp_path: Path) -> None:
    simulation = poured(3_000)
    for name in ("first", "second"):
        saved_run.save(simulation.saved(), tmp_path / name)
        go(simulation, 3_500)
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


def test_n14_a_disk_that_is_full_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.repose"
    simulation = poured(1_000)
    saved_run.save(simulation.saved(), path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, full)
            with pytest.raises(OSError, match="No space left"):
                saved_run.save(go(simulation, 1_200).saved(), path)
        assert path.read_bytes() == before
        assert [*tmp_path.iterdir()] == [path]
    assert simulation.advance(100) == 100


def test_n19_a_folder_and_a_missing_file_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="it is not a file that holds data"):
        saved_run.load(tmp_path)
    with pytest.raises(ArchiveError, match=r"'.*gone\.repose' cannot be opened: there is no such file"):
        saved_run.load(tmp_path / "gone.repose")
    with pytest.raises(OSError):
        saved_run.save(poured(10).saved(), tmp_path)
    assert not [*tmp_path.iterdir()]


# N17: the way back.


def test_n17_a_thousand_jumps_on_the_rewind_bar_find_the_state_that_was_there() -> None:
    simulation = Simulation("heap", SMALL)
    simulation.points.budget = 50 * 2**20
    simulation.apply(Act("fill"))
    hashes = {}
    for at in range(500, 10_001, 500):
        hashes[at] = go(simulation, at).state_hash()
        if at == 3_500:
            changed(simulation, friction=0.5)
        if at == 7_000:
            assert simulation.apply(Act("reset")) == ""
            assert simulation.apply(Act("fill")) == ""
    end = simulation.state_hash()
    for at in SEEDED.choice([*hashes], 300):
        simulation.rewind(int(at))
        assert simulation.state_hash() == hashes[at], at
    simulation.rewind(10_000)
    assert simulation.state_hash() == end
    assert simulation.at == 10_000


def test_n17_one_step_back_and_forth() -> None:
    simulation = poured(3_000)
    before = simulation.state_hash()
    simulation.advance(1)
    after = simulation.state_hash()
    for at, expected in ((3_000, before), (3_001, after), (3_000, before)):
        simulation.rewind(at)
        assert simulation.state_hash() == expected


def test_n17_going_on_from_the_past_cuts_what_came_after() -> None:
    simulation = changed(poured(2_500), friction=0.4)
    simulation.points.budget = 50 * 2**20
    go(simulation, 5_000)
    simulation.rewind(2_100)
    assert simulation.parameters.friction == 0.1
    assert simulation.log.end == 5_000
    assert simulation.apply(SetParameters({"friction": 9.0})) != ""  # refused: nothing is cut
    assert simulation.log.end == 5_000
    go(simulation, 2_600)
    assert simulation.log.end == 2_600
    assert [entry.at for entry in simulation.log.entries] == [0]
    assert go(simulation, 5_000).state_hash() == poured(5_000).state_hash()


def test_n17_memory_is_kept_within_its_budget_and_the_last_moments_densely() -> None:
    simulation = poured(1)
    size = 400_000
    simulation.points.budget = size
    go(simulation, 60_000)
    points = simulation.points
    assert sum(points._sizes) <= size
    places = np.array([at for at, _ in points.shown])
    assert places[0] == 0
    assert 60_000 - places[-1] < 2_000
    gaps = np.diff(places)
    assert gaps[-1] == 2_000
    assert gaps[: gaps.size // 2].mean() > gaps[gaps.size // 2 :].mean()


def test_n17_a_moment_too_far_from_any_that_was_kept_is_refused() -> None:
    simulation = resumed(saved(poured(30_000)))
    here = simulation.state_hash()
    with pytest.raises(Exception, match="Go to one of the moments kept"):
        simulation.rewind(29_999)
    assert (simulation.state_hash(), simulation.at) == (here, 30_000)


def test_n05_resuming_while_another_experiment_runs() -> None:
    one = poured(3_000)
    other = poured(500, friction=0.9)
    assert other.apply(Resume(saved_run.read(io.BytesIO(saved(one))))) == ""
    assert other.state_hash() == one.state_hash()
    assert go(other, 3_500).state_hash() == go(one, 3_500).state_hash()
    assert int(other.run.world.counters[PAIR_COUNT]) > 0
