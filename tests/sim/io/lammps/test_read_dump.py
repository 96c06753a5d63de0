"""Dumps of LAMMPS: frames found and read, damaged files refused, playback in the scene of the dump."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from repose.sim import Simulation
from repose.sim.experiment.named_records import readings_of
from repose.sim.io.lammps.read_dump import CUT, read_dump
from repose.sim.message import EMPTY, Message
from repose.sim.parameters import ParameterError
from repose.sim.scenes.common.played_dump import scene_of_dump

from tests.small_worlds import use_plain_engine

HEAD = "ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n{count}\nITEM: BOX BOUNDS mm mm mm\n0 1\n0 1\n0 1\n"
COLUMNS = "ITEM: ATOMS id type radius mass x y z vx vy vz\n"
DT, EVERY, RADIUS = 1e-5, 100, 1e-3


def frame(step: int, rows: list[str], time: float | None = None) -> str:
    clock = "" if time is None else f"ITEM: TIME\n{time!r}\n"
    return clock + HEAD.format(step=step, count=len(rows)) + COLUMNS + "\n".join(rows) + "\n"


def sphere(number: int, x: float, z: float, kind: int = 1, y: float = 0.0) -> str:
    return f"{number} {kind} {RADIUS} 1e-5 {x!r} {y!r} {z!r} 0 0 0"


def written(folder: Path, text: str) -> Path:
    path = folder / "grains.lammpstrj"
    path.write_text(text, encoding="latin-1")
    return path


def falling(folder: Path, frames: int = 3, lost: bool = False) -> Path:
    """A held sphere, and two that fall through z = 0, one of which is lost in the last frame."""
    text = ""
    for k in range(frames):
        rows = [sphere(7, 0.02, 0.5e-3 - 1e-3 * k), sphere(1, 0.0, 0.0, 2), sphere(3, 0.01, 2.2e-3 - 1e-3 * k)]
        text += frame(k * EVERY, rows[1:] if lost and k == frames - 1 else rows, k * EVERY * DT)
    return written(folder, text)


def test_frames_are_found_sorted_by_id_and_read_when_they_are_asked_for(tmp_path: Path) -> None:
    dump = read_dump(falling(tmp_path))
    assert [(position.step, position.time, position.spheres) for position in dump.places] == [
        (0, 0.0, 3),
        (100, 1e-3, 3),
        (200, 2e-3, 3),
    ]
    found = dump.frame(2)
    assert found.sphere_id.tolist() == [1, 3, 7]
    assert found.position[1] == pytest.approx([0.01, 0.0, 0.2e-3])
    assert found.radius == pytest.approx([RADIUS] * 3)


def test_a_dump_that_is_being_written_shows_its_complete_frames_and_says_so(tmp_path: Path) -> None:
    path = falling(tmp_path)
    whole, before = path.read_text(), falling(tmp_path, frames=2).stat().st_size
    assert scene_of_dump(read_dump(written(tmp_path, whole)))[1] == EMPTY
    for end in (before + 3, before + len("ITEM: TIME\n"), before + len("ITEM: TIME\n0.0"), len(whole) // 6 * 5, -1):
        dump = read_dump(written(tmp_path, whole[:end]))
        assert len(dump.places) == 2
        assert scene_of_dump(dump)[1] == CUT


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no ITEM: TIMESTEP"),
        ("solid goblet\n", "no ITEM: TIMESTEP"),
        ("\x1f\x8b", "it is compressed; codes, saved runs"),
        ("ITEM: UNITS\nlj\n" + frame(0, [sphere(1, 0.0, 0.0)]), "its units are 'lj'; write it in a run with units si"),
        ("ITEM: TIMESTEP\n\n", "'' follows ITEM: TIMESTEP, where a number is needed"),
        ("ITEM: TIMESTEP\n", "without a complete frame"),
        (HEAD.format(step=0, count="many"), "'many' follows ITEM: NUMBER OF ATOMS, where a number is needed"),
        (HEAD.format(step=0, count=1), "without a complete frame"),
        (frame(3, [sphere(1, 0.0, 0.0)]) + "\x89\n", "no text after step 3"),
        (HEAD.format(step=0, count=1) + "ITEM: ATOMS id xs ys zs\n1 0 0 0\n", "positions x y z"),
        (HEAD.format(step=0, count=1) + "ITEM: ATOMS x y z\n0 0 0\n", "no column id"),
        (HEAD.format(step=0, count=1) + "ITEM: ATOMS id x y z\n1 0 0 0\n", "--radius"),
        (HEAD.format(step=0, count=-1) + COLUMNS, "-1 spheres"),
        (frame(0, ["1 1 0.001 1e-5 nan 0 0 0 0 0"]), "a position that is not a number"),
        (frame(0, ["1 1 0.001 1e-5 0 0 0 0 0 nan"]), "a velocity that is not a number"),
        (frame(0, ["1 1 1e300 1e-5 0 0 0 0 0 0"]), "a radius that is not a number from 1e-12 to 1e.12"),
        (frame(0, ["1 1 -0.001 1e-5 0 0 0 0 0 0"]), "a radius that is not a number"),
        (frame(0, ["1 1 0.001 nan 0 0 0 0 0 0"]), "a mass that is not a number"),
        (frame(0, ["1 1 0.001 1e-5 x 0 0 0 0 0"]), "each of its 1 rows must have 10 numbers"),
        (frame(0, [sphere(1, 0.0, 0.0), sphere(2, 0.1, 0.0), sphere(1, 0.2, 0.0)]), "step 0 has the id 1 twice"),
        (frame(100, [sphere(1, 0.0, 0.0)]) + frame(0, [sphere(1, 0.0, 0.1)]), "step 0 follows step 100"),
        (frame(7, [sphere(1, 0.0, 0.0)]) + frame(7, [sphere(1, 0.0, 0.1)]), "step 7 follows step 7"),
        (
            frame(0, [sphere(1, 0.0, 0.0)], 0.2) + frame(5, [sphere(1, 0.0, 0.1)], 0.1),
            "the time goes from 0.2 s at step 0 to 0.1 s at step 5",
        ),
        (
            frame(0, [sphere(1, 0.0, 0.0)], math.nan) + frame(5, [sphere(1, 0.0, 0.1)], 0.1),
            "the time goes from nan s at step 0 to 0.1 s",
        ),
    ],
)
def test_what_is_no_dump_is_refused_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        read_dump(written(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot be opened"):
        read_dump(tmp_path / "none.lammpstrj")


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """played(path, **values) -> a simulation of the dump and the remark about its times."""
    use_plain_engine(monkeypatch)

    def made(path: Path, **values: object) -> tuple[Simulation, Message]:
        scene, remark = scene_of_dump(read_dump(path))
        return Simulation(scene, values), remark

    return made


def test_playback_shows_every_frame_and_counts_spheres_through_the_gate(tmp_path: Path, played) -> None:
    experiment, remark = played(falling(tmp_path), gate=0.0)
    assert not remark
    world = experiment.world
    assert world.fixed.tolist() == [True, False, False]
    experiment.step(50)
    assert experiment.time == pytest.approx(1e-3)
    assert experiment.position[:, 2] == pytest.approx([0.0, 1.2e-3, -0.5e-3], abs=1e-12)
    assert experiment.velocity[1, 2] == pytest.approx(-1.0)  # m/s, to the next frame
    # Forces do not move these spheres: masses that say so are none of which an energy could be computed.
    assert math.isnan(experiment.energy().kinetic)
    results = experiment.run()
    assert (results["phase"], results["frame"], results["lammps_step"]) == ("rested", 2, 200)
    assert experiment.position[:, 2] == pytest.approx([0.0, 0.2e-3, -1.5e-3], abs=1e-12)
    assert (results["passed"], results["grains_left"]) == (1, 1)  # one has fallen below the sphere that is held
    assert experiment.experiment.fault is None


@pytest.mark.parametrize(("molecules", "passed", "left"), [((0, 0, 0), 2, 3), ((0, 5, 5), 1, 2), ((5, 4, 5), 1, 2)])
def test_spheres_of_one_molecule_are_counted_as_one_grain(
    tmp_path: Path, played, molecules: tuple[int, ...], passed: int, left: int
) -> None:
    # Beside a held sphere one stays above the gate, and two fall through it.
    text = ""
    for k in range(3):
        rows = [
            sphere(1, 0.0, -0.01),
            sphere(2, 0.02, 5e-3 - 1e-5 * k),
            sphere(3, 0.03, 0.5e-3 - 1e-3 * k),
            sphere(4, 0.031, 0.6e-3 - 1e-3 * k),
        ]
        text += frame(k * EVERY, [f"{row} {of}" for row, of in zip(rows, (0, *molecules), strict=True)], k * EVERY * DT)
    experiment, _ = played(written(tmp_path, text.replace(COLUMNS, COLUMNS.replace("\n", " mol\n"))), gate=0.0)
    results = experiment.run()
    readings = {reading.name: reading.value for reading in readings_of(experiment.experiment)}
    assert (results["passed"], results["grains_left"], readings["grains_left"]) == (passed, left, left)


def test_the_types_of_lammps_are_not_shown_as_layers_in_which_grains_were_poured(tmp_path: Path, played) -> None:
    experiment, _ = played(falling(tmp_path))
    assert experiment.world.layer.tolist() == [-1, 0, 0]
    experiment.run()
    assert experiment.world.layer.tolist() == [-1, 0, 0]


def test_the_largest_overlap_is_that_of_a_frame_and_nothing_is_lost(tmp_path: Path, played) -> None:
    # The third sphere passes through the second one between the second and the third frame.
    places = ((4e-3, 1.95e-3), (4e-3, 1.8e-3), (-4e-3, 1.8e-3))
    text = "".join(
        frame(k, [sphere(1, 0.0, 0.0), sphere(2, 0.0, height), sphere(3, x, height)], k * 0.01)
        for k, (x, height) in enumerate(places)
    )
    experiment, _ = played(written(tmp_path, text))
    results = experiment.run()
    assert results["largest_overlap"] == pytest.approx(0.2)  # of spheres of 1 mm, 1.8 mm apart
    assert results["largest_overlap_at"]["grains"] == [1, 2]
    assert results["largest_overlap_at"]["position"] == pytest.approx([0.0, 0.0, 0.9e-3])
    energy = experiment.energy()
    assert math.isnan(energy.damping)
    assert math.isnan(energy.sliding)


def test_a_sphere_too_fast_to_be_followed_jumps_to_its_place(tmp_path: Path, played) -> None:
    text = "".join(frame(k, [sphere(1, 0.0, 0.1 * k), sphere(2, 0.01, 1e-3 * k)], k * 1e-3) for k in range(3))
    experiment, _ = played(written(tmp_path, text))
    experiment.run()
    assert experiment.experiment.fault is None
    assert experiment.position[:, 2] == pytest.approx([0.2, 2e-3])


def test_spheres_that_are_lost_leave_the_picture(tmp_path: Path, played) -> None:
    experiment, _ = played(falling(tmp_path, frames=4, lost=True))
    experiment.run()
    assert experiment.world.sphere_id.tolist() == [1, 3]
    assert experiment.position[1, 2] == pytest.approx(-0.8e-3)


def test_a_dump_in_space_whose_first_sphere_lies_at_zero_is_in_space(tmp_path: Path, played) -> None:
    rows = [sphere(1, 0.0, 0.0), sphere(2, 0.01, 5e-3)]
    experiment, _ = played(written(tmp_path, frame(0, rows)))
    assert experiment.model.dimension == 3


def test_the_slope_of_a_heap_in_the_plane_is_measured(tmp_path: Path, played) -> None:
    # Rows of spheres on a line that falls by 20° to the right; z = 0 for all: a system in the plane.
    slope = math.tan(math.radians(20.0))
    rows = [
        sphere(k + 1, 2e-3 * k, 0.0, y=0.03 - 2e-3 * k * slope - layer * 2e-3) for k in range(20) for layer in (0, 1)
    ]
    rows = [row.replace(f"{row.split()[0]} ", f"{number + 1} ", 1) for number, row in enumerate(rows)]
    later = [row.replace(" 0.0 0 0 0", " 0.0 0 0 0") for row in rows]
    moved = [" ".join([*row.split()[:5], repr(float(row.split()[5]) + 1e-6), *row.split()[6:]]) for row in later]
    experiment, remark = played(written(tmp_path, frame(0, rows) + frame(EVERY, moved)))
    assert "no ITEM: TIME" in str(remark)
    results = experiment.run()
    assert experiment.model.dimension == 2
    assert results["angle_of_repose"]["degrees"] == pytest.approx(20.0, abs=0.5)
    assert math.isnan(results["energy"]["translational"]), "an energy of masses that stand for no motion by forces"
    assert experiment.experiment.scene.course.describe(experiment.experiment)[2] is None, "it looks as if it went on"


def test_a_column_that_stands_has_no_angle_of_repose(tmp_path: Path, played) -> None:
    # 24 layers of six, the surface of which is tilted by a slight 2°, as after a shake.
    slope, rows = math.tan(math.radians(2.0)), []
    for layer in range(24):
        rows += [sphere(6 * layer + k + 1, 2e-3 * k, 0.0, y=2e-3 * layer - 2e-3 * k * slope) for k in range(6)]
    moved = [" ".join([*row.split()[:5], repr(float(row.split()[5]) + 1e-6), *row.split()[6:]]) for row in rows]
    experiment, _ = played(written(tmp_path, frame(0, rows) + frame(EVERY, moved)))
    results = experiment.run()
    assert results["angle_of_repose"] is None
    slope_of_surface, error = results["slope_of_surface"].values()
    assert slope_of_surface == pytest.approx(2.0, abs=3.0 * error)
    assert "has not collapsed" in results["remark"]
    scene = experiment.experiment.scene
    assert scene.view.slope(experiment.experiment) is None
    assert "slope of the surface" in [str(reading.label) for reading in scene.course.readings(experiment.experiment)]


def test_the_slope_of_a_heap_in_space_is_measured_about_its_own_axis(tmp_path: Path, played) -> None:
    # Grains on a cone of 25° whose axis is at (0.3, -0.2) m.
    slope, rows, number = math.tan(math.radians(25.0)), [], 0
    for x in np.arange(-20, 21) * 2e-3:
        for y in np.arange(-20, 21) * 2e-3:
            height = 0.018 - slope * math.hypot(x, y)
            if height > 0.0:
                number += 1
                rows.append(f"{number} 1 {RADIUS} 1e-5 {x + 0.3!r} {y - 0.2!r} {height!r} 0 0 0")
    rows = [row.replace("np.float64(", "").replace(")", "") for row in rows]
    experiment, _ = played(written(tmp_path, frame(0, rows)))
    assert math.degrees(experiment.measure().angle) == pytest.approx(25.0, abs=1.5)
    low, high = experiment.experiment.scene.view.box(experiment.experiment)
    assert [0.5 * (a + b) for a, b in zip(low[:2], high[:2])] == pytest.approx([0.3, -0.2], abs=1e-3)


def flowing(folder: Path, borders: str = "pp mm mm", low: float = 0.0) -> Path:
    """Two touching spheres that move to the right by 3 mm in each frame through the border of a periodic box, whose
    width is 10 mm, on a held one."""
    text = ""
    for k in range(5):
        rows = [sphere(1, low + 0.005, 0.0, 2)]
        rows += [sphere(2 + n, low + (0.001 + 1.9e-3 * n + 3e-3 * k) % 0.01, 1.9e-3, y=1e-3) for n in range(2)]
        text += frame(k * EVERY, rows, k * EVERY * DT)
    bounds = f"BOX BOUNDS {borders}\n{low} {low + 0.01}"
    return written(folder, text.replace("BOX BOUNDS mm mm mm\n0 1", bounds))


@pytest.mark.parametrize("low", [0.0, -0.37])
def test_a_periodic_dump_goes_on_through_the_border(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, low: float
) -> None:
    use_plain_engine(monkeypatch)
    dump = read_dump(flowing(tmp_path, low=low))
    assert dump.places[0].borders == ((low, pytest.approx(low + 0.01)), None, None)
    played = Simulation(scene_of_dump(dump)[0])
    assert played.world.fixed.tolist() == [True, False, False]
    places = [played.position]

    def note(simulation: Simulation) -> None:
        places.append(simulation.position)
        assert simulation.contacts().i.size == 1, "the two touch in each frame, also across the border"

    played.run(every=1e-3, call=note)
    paths = np.array([place[1:, 0] - places[0][1:, 0] for place in places])
    assert paths[-1] == pytest.approx([0.012, 0.012])
    assert (np.diff(paths, axis=0) >= -1e-9).all()
    assert np.diff(paths, axis=0).max() < 4e-3


@pytest.mark.parametrize("borders", ["mm mm mm", "pp pp", "xy xz yz pp pp pp", "ff ff ff"])
def test_other_borders_leave_a_dump_open(tmp_path: Path, borders: str) -> None:
    dump = read_dump(flowing(tmp_path, borders))
    assert dump.places[0].borders == (None, None, None)
    assert not Simulation(scene_of_dump(dump)[0]).world.is_periodic


def test_a_dump_whose_period_changes_or_is_too_short_is_open(tmp_path: Path) -> None:
    path = flowing(tmp_path)
    text = path.read_text()
    path.write_text(text[: len(text) // 2] + text[len(text) // 2 :].replace("\n0.0 0.01\n", "\n0.0 0.011\n"))
    assert read_dump(path).places[-1].borders[0] == (0.0, 0.011)
    assert not Simulation(scene_of_dump(read_dump(path))[0]).world.is_periodic
    path.write_text(text.replace("\n0.0 0.01\n", "\n0.0 0.0039\n"))
    assert not Simulation(scene_of_dump(read_dump(path))[0]).world.is_periodic
