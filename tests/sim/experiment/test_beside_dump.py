"""A dump beside the run that it continues: here the dump is of the run itself, written as LAMMPS would."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from repose.sim import Simulation
from repose.sim.experiment.beside_dump import BesideDump, QuantityOfBoth, beside_dump
from repose.sim.experiment.command_log import SavedRun
from repose.sim.experiment.export_state import state_of
from repose.sim.experiment.history import saved_copy
from repose.sim.io.lammps.read_dump import read_dump
from repose.sim.io.lammps.write_dump import dump
from repose.sim.parameters import ParameterError
from repose.sim.scenes.heap import scene as heap_scene
from scipy.stats import t as student

from tests.small_worlds import use_plain_engine

EVERY = 10


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


def poured(scene: str = "heap", **values: object) -> Simulation:
    """A run with some grains that fall."""
    given = {"grain_count": 12, "width": 0.012} if scene == "heap" else {}
    simulation = Simulation(scene, {**given, **values})
    simulation.act("fill")
    simulation.step(50)
    return simulation


def written(simulation: Simulation, path: Path, frames: int = 3, change: Callable[[str], str] = str) -> SavedRun:
    """The run as it is, and a dump of its next frames."""
    saved = saved_copy(simulation.experiment)
    with path.open("wb") as file, dump(file) as add:
        for number in range(frames):
            if number:
                simulation.step(EVERY)
            add(state_of(simulation.experiment))
    path.write_text(change(path.read_text()))
    return saved


def compared(simulation: Simulation, folder: Path, repeats: int = 0, change: Callable[[str], str] = str) -> BesideDump:
    path = folder / "grains.lammpstrj"
    saved = written(simulation, path, change=change)
    return beside_dump(saved, read_dump(path), repeats)


@pytest.mark.parametrize("integrator", ["leapfrog", "gear5"])
def test_a_dump_of_the_run_itself_measures_what_the_run_measures(integrator: str, tmp_path: Path) -> None:
    simulation = poured(integrator=integrator)
    now = simulation.experiment.time
    found = compared(simulation, tmp_path)
    assert found.time == pytest.approx([now + k * EVERY * simulation.experiment.dt for k in range(3)])
    assert max(found.apart) < 1e-9
    assert found.ended == ""
    assert {"mean_speed", "kinetic_energy", "grains_left"} <= found.quantities.keys()
    for quantity in found.quantities.values():
        assert quantity.there == pytest.approx(quantity.here, rel=1e-9, nan_ok=True)
    measured = simulation.results()["measurements"]
    assert found.quantities["kinetic_energy"].there[-1] == pytest.approx(measured["kinetic_energy"], rel=1e-9)


def test_bodies_are_put_where_their_members_are(tmp_path: Path) -> None:
    simulation = Simulation("joined", {"grain_count": 12, "members": 3})
    simulation.act("fill")
    simulation.step(50)
    found = compared(simulation, tmp_path)
    assert simulation.world.bodies
    assert max(found.apart) < 1e-9
    speed = found.quantities["mean_speed"]
    assert speed.there == pytest.approx(speed.here, rel=1e-9)
    assert speed.here[-1] == pytest.approx(simulation.results()["measurements"]["mean_speed"], rel=1e-6)


def test_a_grain_elsewhere_is_noticed(tmp_path: Path) -> None:
    simulation = poured()
    saved = written(simulation, tmp_path / "a")
    lines = (tmp_path / "a").read_text().splitlines()
    begins = [n for n, line in enumerate(lines) if line.startswith("ITEM: ATOMS")]
    columns = lines[begins[2]].split()[2:]
    row = lines[begins[2] + 1].split()
    radius = float(row[columns.index("radius")])
    row[columns.index("y")] = repr(float(row[columns.index("y")]) + 0.5 * radius)
    lines[begins[2] + 1] = " ".join(row)
    (tmp_path / "a").write_text("\n".join(lines) + "\n")
    found = beside_dump(saved, read_dump(tmp_path / "a"), 0)
    assert found.apart[:2] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert found.apart[2] == pytest.approx(0.5)


def test_repeats_scatter_and_give_a_limit(tmp_path: Path) -> None:
    found = compared(poured(), tmp_path, repeats=3)
    speed = found.quantities["mean_speed"]
    assert [len(values) for values in speed.repeats] == [3, 3, 3]
    assert np.ptp(speed.repeats[-1]) >= 0.0
    height = QuantityOfBoth("height", "m", [1.0], [1.0], [[1.0, 2.0, 3.0]])
    mean, limit = height.limit(0)
    assert mean == 2.0
    assert limit == pytest.approx(student.ppf(0.9995, 2) * math.sqrt(4.0 / 3.0), rel=1e-6)
    assert math.isnan(QuantityOfBoth("height", "m", [1.0], [1.0], [[1.0]]).limit(0)[1])


@pytest.mark.parametrize(
    ("there", "repeats", "differs"),
    [
        (9.0, [2.0, 2.1, 1.9, 2.0], True),
        (2.01, [2.0, 2.1, 1.9, 2.0], False),
        (2.0, [2.0, 2.0, 2.0, 2.0], False),
        (3.0, [2.0, 2.0, 2.0, 2.0], None),
        (3.0, [2.0, 2.0 + 1e-13, 2.0, 2.0], None),
        (0.0, [0.0, 0.0], False),
        (3.0, [2.0, math.nan], None),
        (math.nan, [2.0, 2.1], None),
    ],
)
def test_repeats_that_are_all_equal_do_not_say_what_chance_is(
    there: float, repeats: list[float], differs: bool | None
) -> None:
    assert QuantityOfBoth("grains", "", [there], [2.0], [repeats]).differs(0) is differs


def test_the_comparison_ends_where_the_scene_adds_grains_at_a_frame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation = poured(grain_count=40)
    begun, count = simulation.experiment.step, simulation.world.sphere_count
    saved = written(simulation, tmp_path / "grains")
    monkeypatch.setattr(
        heap_scene, "_fill_on", lambda experiment: experiment.step > begun and heap_scene.pour_layer(experiment)
    )
    found = beside_dump(saved, read_dump(tmp_path / "grains"), 0)
    assert len(found.time) == 1
    assert "the scene adds or removes grains" in found.ended
    assert max(found.quantities["grains_left"].here) < count


def test_the_comparison_ends_where_a_grain_is_lost(tmp_path: Path) -> None:
    simulation = poured()
    count = simulation.world.sphere_count

    def lost(text: str) -> str:
        head, last = text.rsplit("ITEM: TIME\n", 1)
        rows = last.replace(f"OF ATOMS\n{count}\n", f"OF ATOMS\n{count - 1}\n").splitlines()[:-1]
        return head + "ITEM: TIME\n" + "\n".join(rows) + "\n"

    found = compared(simulation, tmp_path, change=lost)
    assert len(found.time) == 2
    assert "have other grains than the run" in found.ended


def without(*names: str) -> Callable[[str], str]:
    """The dump without some columns."""

    def change(text: str) -> str:
        lines, kept = [], None
        for line in text.splitlines():
            words = line.split()
            if words[:2] == ["ITEM:", "ATOMS"]:
                kept = [k for k, name in enumerate(words[2:]) if name not in names]
                line = " ".join(["ITEM:", "ATOMS", *(words[2:][k] for k in kept)])
            elif words[:1] == ["ITEM:"]:
                kept = None
            elif kept is not None:
                line = " ".join(words[k] for k in kept)
            lines.append(line)
        return "\n".join(lines) + "\n"

    return change


def timeless(text: str) -> str:
    lines = text.splitlines()
    dropped = {n + k for n, line in enumerate(lines) if line == "ITEM: TIME" for k in (0, 1)}
    return "\n".join(line for n, line in enumerate(lines) if n not in dropped) + "\n"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (timeless, "has no times"),
        (without("vx", "vy", "vz"), "has no velocities: write the columns vx vy vz"),
        (lambda text: text.replace("ITEM: TIME\n", "ITEM: TIME\n-"), "before the run ends"),
        (lambda text: re.sub(r"^1 1 ", "999 1 ", text, flags=re.MULTILINE), "other spheres than the run"),
    ],
)
def test_a_dump_without_what_is_needed_is_refused(change: Callable[[str], str], words: str, tmp_path: Path) -> None:
    simulation = poured()
    path = tmp_path / "grains"
    saved = written(simulation, path, frames=1, change=change)
    with pytest.raises(ParameterError, match=words):
        beside_dump(saved, read_dump(path), 0)


@pytest.mark.parametrize(
    ("values", "seed", "steps", "words"),
    [
        ({"width": 0.02}, 1, 50, r"has \d+ spheres, and the run \d+"),
        ({}, 2, 50, "has other radii than the run"),
        ({}, 1, 100, "is not the state of the run|has no frame that can be compared"),
    ],
)
def test_a_dump_of_another_run_is_refused(
    values: dict[str, float], seed: int, steps: int, words: str, tmp_path: Path
) -> None:
    other = Simulation("heap", {"grain_count": 12, "width": 0.012, **values}, seed=seed)
    other.act("fill")
    other.step(steps)
    path = tmp_path / "grains"
    written(other, path)
    saved = saved_copy(poured().experiment)
    if steps != 50:
        text = path.read_text().splitlines()
        first = text.index("ITEM: TIME")
        text[first + 1] = repr(saved.now.now.run.time)
        path.write_text("\n".join(text) + "\n")
    with pytest.raises(ParameterError, match=words):
        beside_dump(saved, read_dump(path), 0)


def test_a_bodies_dump_without_spins_is_refused(tmp_path: Path) -> None:
    simulation = Simulation("joined", {"grain_count": 12, "members": 3})
    simulation.act("fill")
    simulation.step(50)
    saved = written(simulation, tmp_path / "grains", change=without("omegax", "omegay", "omegaz"))
    with pytest.raises(ParameterError, match="has no spins, which rigid bodies need"):
        beside_dump(saved, read_dump(tmp_path / "grains"), 0)
