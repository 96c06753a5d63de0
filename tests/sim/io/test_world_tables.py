"""A saved world is restored bit by bit and continues with the same bits; a damaged file is refused."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest
from repose.sim.engine.builder import add_spheres, empty_world
from repose.sim.engine.world import PAIR_COUNT
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.io import world_tables
from repose.sim.io.plain import as_json
from repose.sim.io.world_tables import FORMAT, StoreError
from repose.sim.parameters import ParameterError
from repose.sim.scenes.heap.container import HeapState


@pytest.fixture(scope="module")
def blob() -> bytes:
    return saved(heap())


def heap(steps: int = 20_000) -> Experiment:
    experiment = new_experiment("heap", {"grain_count": 40, "width": 0.015})
    apply(experiment, Act("fill"))
    advance(experiment, steps)
    return experiment


def saved(simulation: Experiment) -> bytes:
    return world_tables.to_bytes(simulation.run.world, simulation.run.state, {"seed": 1})


def refused(blob: bytes) -> str:
    with pytest.raises(StoreError) as caught:
        world_tables.from_bytes(blob, HeapState)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def remade(blob: bytes, **changes: object) -> bytes:
    """The archive with some members replaced, or left out where the new one is None."""
    with np.load(io.BytesIO(blob)) as archive:
        tables = {name: archive[name] for name in archive.files} | changes
    out = io.BytesIO()
    np.savez_compressed(out, **{name: table for name, table in tables.items() if table is not None})
    return out.getvalue()


def manifest_of(blob: bytes) -> dict:
    with np.load(io.BytesIO(blob)) as archive:
        return json.loads(archive["manifest"].tobytes())


def as_table(manifest: dict) -> np.ndarray:
    return np.frombuffer(json.dumps(manifest).encode(), np.uint8)


def test_a_world_is_read_exactly_and_the_run_continues_bit_by_bit() -> None:
    experiment, other = heap(), heap()
    world, state, facts = world_tables.from_bytes(saved(experiment), HeapState)
    assert facts == {"seed": 1}
    assert as_json(state) == as_json(experiment.run.state)
    other.run.world, other.run.state = world, state
    assert state_hash(other.run) == state_hash(experiment.run)
    for name in ("force", "inverse_mass", "mass", "radius", "layer", "ledger", "counters"):
        assert np.array_equal(getattr(world, name), getattr(experiment.run.world, name)), name
    assert world.pairs.touching[: world.counters[PAIR_COUNT]].any()
    for one in (experiment, other):
        advance(one, 5_000)
    assert state_hash(other.run) == state_hash(experiment.run)
    assert energy_of(other) == energy_of(experiment)


def test_a_world_written_with_the_names_of_older_formats_is_the_same_world() -> None:
    world = heap(2_000).run.world
    tables = world_tables.tables_of(world)
    older = {new: old for old, new in world_tables.OLD_NAMES.items()}
    assert set(older) <= set(tables)
    again = world_tables.tables_of(world_tables.world_of({older.get(name, name): tables[name] for name in tables}))
    assert all(np.array_equal(again[name], tables[name]) for name in tables)


@pytest.mark.case("I14")
def test_a_restart_at_any_step_gives_the_same_run() -> None:
    whole = heap(21_013)
    for stop in (1, 349, 4_999, 13_210):
        part, rest = heap(stop), heap(stop)
        part.run.world, part.run.state, _ = world_tables.from_bytes(saved(rest), HeapState)
        advance(part, 21_013 - stop)
        assert state_hash(part.run) == state_hash(whole.run), stop


def test_single_flipped_bits_are_refused_or_harmless(blob: bytes) -> None:
    generator = np.random.default_rng(51)
    world, state, facts = world_tables.from_bytes(blob, HeapState)
    harmless = 0
    for _ in range(200):
        damaged = bytearray(blob)
        position = int(generator.integers(len(damaged)))
        damaged[position] ^= 1 << int(generator.integers(8))
        try:
            again = world_tables.from_bytes(bytes(damaged), HeapState)
        except StoreError:
            continue
        # Bits of the archive's own book-keeping may flip unseen; what is read is what was written.
        assert np.array_equal(again[0].motion, world.motion)
        assert (as_json(again[1]), again[2]) == (as_json(state), facts)
        harmless += 1
    assert harmless < 100


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99, 0.9999])
def test_a_cut_file_is_refused(blob: bytes, share: float) -> None:
    assert "cannot be read" in refused(blob[: int(share * len(blob))])


@pytest.mark.parametrize(
    "foreign", [b"", b"\x89PNG\r\n", b"PK\x03\x04" * 20, b"\x80\x04\x95cos\nsystem\n", bytes(5_000)]
)
def test_a_foreign_file_is_refused(foreign: bytes) -> None:
    assert "cannot be read as a saved world" in refused(foreign)


def test_tables_that_are_not_what_the_manifest_says_are_refused(blob: bytes) -> None:
    with np.load(io.BytesIO(blob)) as archive:
        motion = archive["motion"]
    assert "Table 'motion' of the file is not what its manifest says" in refused(remade(blob, motion=motion + 1e-9))
    assert "is not what its manifest says" in refused(remade(blob, motion=motion[:, :, :-1]))
    assert "is not what its manifest says" in refused(remade(blob, motion=motion.astype(np.float32)))
    assert "cannot be read" in refused(remade(blob, motion=None))
    assert "cannot be read" in refused(remade(blob, manifest=None))


def test_another_format_is_refused_with_both_numbers(blob: bytes) -> None:
    manifest = manifest_of(blob) | {"format": 99}
    assert refused(remade(blob, manifest=as_table(manifest))) == f"The file has format 99; this program reads {FORMAT}."


def test_a_valid_archive_with_invalid_values_is_refused(blob: bytes) -> None:
    world, state, _ = world_tables.from_bytes(blob, HeapState)
    for spoil in ("nan", "radius", "pair"):
        spoilt, _, _ = world_tables.from_bytes(blob, HeapState)
        if spoil == "nan":
            spoilt.motion[0, 0, 0] = np.nan
        elif spoil == "radius":
            spoilt.radius[0] = -1e-3
        else:
            spoilt.pairs.i[0] = world.sphere_count
        assert "file" in refused(world_tables.to_bytes(spoilt, state, {}))


def test_pickled_data_are_never_read(blob: bytes) -> None:
    bomb = np.array([{"a": 1}], dtype=object)
    out = io.BytesIO()
    np.savez_compressed(out, manifest=as_table(manifest_of(blob)), motion=bomb)
    assert "is not what its manifest says" in refused(out.getvalue())


def test_a_file_that_claims_to_be_huge_is_not_unpacked() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("motion.npy", "w") as member:
        for _ in range(260):
            member.write(bytes(2**20))
    assert "unpacks to more than" in refused(out.getvalue())


# The column that ships with the program.


def test_the_ready_column_is_the_default_experiment_filled() -> None:
    experiment = new_experiment("heap", ready="column")
    assert experiment.phase == "filled"
    assert experiment.run.state.poured == 1100
    assert (experiment.step, experiment.time) == (0, 0.0)
    assert int((~experiment.run.world.fixed).sum()) == 1100
    assert energy_of(experiment).gap == pytest.approx(0.0, abs=1e-12)
    assert energy_of(experiment).dissipated == pytest.approx(0.0, abs=1e-12)
    assert advance(experiment, 500) == 500
    assert experiment.fault is None
    # It is at rest: opening the wall is the next thing to do.
    assert energy_of(experiment).kinetic < 1e-6
    assert not apply(experiment, Act("open"))
    assert experiment.phase == "flowing"


@pytest.mark.parametrize(
    "values", [{"friction": 0.4}, {"normal_stiffness": 2e6}, {"gravity": 1.62}, {"integrator": "gear5"}]
)
def test_the_ready_column_serves_any_friction_stiffness_and_gravity(values: dict) -> None:
    experiment = new_experiment("heap", values, ready="column")
    assert experiment.phase == "filled"
    assert energy_of(experiment).gap == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("values", [{"base_radius": 1e-3}, {"grain_count": 30}, {"width": 0.03}, {"mean_radius": 9e-4}])
def test_the_ready_column_is_not_used_for_other_grains_or_walls(values: dict) -> None:
    experiment = new_experiment("heap", {"grain_count": 30} | values, ready="column")
    assert experiment.phase == "empty"
    assert experiment.run.world.fixed.all()


def test_a_changed_base_is_put_under_a_ready_column_and_its_reset_is_empty() -> None:
    experiment = new_experiment("heap", ready="column")
    assert not apply(experiment, SetParameters({"base_radius": 1e-3}))
    assert experiment.phase == "filled"
    assert not apply(experiment, Act("reset"))
    assert experiment.phase == "empty"
    assert not apply(experiment, SetParameters({"base_radius": 2.5e-4}))
    assert not apply(experiment, Act("reset"))
    assert experiment.phase == "filled"


def test_an_unknown_prepared_state_is_refused() -> None:
    with pytest.raises(ParameterError, match="Unknown prepared state 'colum': did you mean 'column'"):
        new_experiment("heap", ready="colum")
    with pytest.raises(ParameterError, match="Unknown prepared state 'pillar': known: column"):
        new_experiment("heap", ready="pillar")


@pytest.mark.parametrize(("dimension", "spin_length", "rows"), [(2, 0, 0), (2, 1, 1), (3, 0, 0), (3, 3, 4)])
def test_only_spheres_that_rotate_have_an_orientation_and_files_have_one_of_all(
    dimension: int, spin_length: int, rows: int
) -> None:
    world = add_spheres(empty_world(dimension, spin_length), 0.1 * np.eye(2, dimension), 0.01, 1.0)
    assert (world.orientation.shape, world.turned.shape) == ((rows, 2), (spin_length, 2))
    tables = world_tables.tables_of(world)
    quaternion = [0.0 if spin_length == 1 else 1.0, 0.0, 0.0, 0.0]
    assert tables["orientation"].tolist() == [[number, number] for number in quaternion]
    assert tables["turned"].tolist() == [[0.0, 0.0]] * 3
    again = world_tables.world_of(tables)
    assert np.array_equal(again.orientation, world.orientation)
    assert again.turned.shape == world.turned.shape
