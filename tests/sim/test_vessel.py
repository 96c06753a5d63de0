"""Your own shape: the file is checked before anything changes, and the run keeps its shape."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from repose.app.language import read_language
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters, Start
from repose.sim.experiment.control import apply, rewind_to
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.io.archive import ArchiveError
from repose.sim.message import _
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.scenes.vessel.scene import shape
from repose.sim.scenes.vessel.shape import goblet

from tests.reliability.mutations import closed, opened
from tests.reliability.runs import resumed, saved
from tests.sim.io.test_mesh import binary, box

PARAMETERS = scenes()["vessel"].parameters


def tray(folder: Path, height: float = 10.0) -> Path:
    """An open tray 40 mm wide without thickness, standing off its own origin [mm]."""
    whole = box() / (10.0, 20.0, 30.0)
    lid = (whole[..., 2] == 1.0).all(axis=1)
    path = folder / "tray.stl"
    path.write_bytes(binary(whole[~lid] * (40.0, 40.0, height) + (300.0, -50.0, 7.0)))
    return path


def test_the_goblet_is_a_closed_body() -> None:
    assert goblet().closed
    assert goblet().notes == ()
    assert np.ptp(goblet().facets, axis=(0, 1)) == pytest.approx([0.128, 0.128, 0.098], rel=0.02)


def test_grains_are_held_by_a_tray_from_a_file_and_what_spills_lies_on_the_floor(tmp_path: Path) -> None:
    # Its bottom lies in the floor and is none of the walls, so that nothing is pushed twice.
    values = {"mesh": str(tray(tmp_path)), "mean_radius": 3e-3, "grain_count": 220, "stream": 5.0}
    values["rolling_friction"] = 0.05  # a sphere that rolls on the floor comes to rest
    experiment = new_experiment("vessel", values)
    assert shape(experiment).shape == (10, 3, 3)
    assert experiment.run.world.walls.shape.size == 1 + 8
    corners = shape(experiment).reshape(-1, 3)
    assert corners.min(axis=0) == pytest.approx([-0.02, -0.02, 0.0], abs=1e-8)
    assert corners.max(axis=0) == pytest.approx([0.02, 0.02, 0.01], abs=1e-8)
    result = run_experiment(experiment)
    assert result["complaint"] is None
    assert result["shape"]["closed"] is False
    assert len(result["shape"]["sha256"]) == 64
    held, floor = result["grains_held"], result["grains_on_floor"]
    assert held + floor == result["grains_left"]
    within = np.abs(experiment.run.world.motion[:2, 0]).max(axis=0) < 0.02
    assert held == int(within.sum())
    assert 20 < held < 220
    # Two layers, of the density of a random packing at most, and the heap on them.
    assert held * 4.0 / 3.0 * np.pi * 0.003**3 < 0.64 * 0.04**2 * 0.03


def test_y_up_and_the_height_above_the_floor_place_the_shape(tmp_path: Path) -> None:
    values = {"mesh": str(tray(tmp_path)), "mesh_up": "y", "mesh_lift": 0.05, "mesh_unit": "cm", "mean_radius": 0.02}
    corners = shape(new_experiment("vessel", values)).reshape(-1, 3)
    assert corners.min(axis=0) == pytest.approx([-0.2, -0.05, 0.05], abs=1e-7)
    assert corners.max(axis=0) == pytest.approx([0.2, 0.05, 0.45], abs=1e-7)


def test_a_file_that_cannot_be_used_is_refused_and_the_run_goes_on(tmp_path: Path) -> None:
    experiment = new_experiment("vessel", {"grain_count": 20})
    apply(experiment, Act("fill"))
    advance(experiment, 300)
    before = state_hash(experiment.run)
    cut = tmp_path / "cut.stl"
    cut.write_bytes(binary(box())[:-1])
    for values, words in (
        ({"mesh": str(cut)}, "the file is cut off"),
        ({"mesh": str(tmp_path / "none.stl")}, "there is no such file"),
        ({"mesh": str(tray(tmp_path)), "mesh_closed": True}, "open edges; fill its holes, or allow an open mesh"),
        ({"mesh": str(tray(tmp_path)), "mesh_unit": "m"}, "its width is 40 m, which is 5e+03 diameters of a grain"),
        ({"mesh": str(tray(tmp_path)), "mean_radius": 0.05}, "its width is 40 mm, which is 0.4 diameters of a grain"),
        ({"mesh": "a\nb.stl"}, "mesh = 'a\\nb.stl' is refused: it must be the path of a file"),
        ({"mesh": 3.0}, "mesh = 3.0 is refused: it must be the path of a file that ends in .stl or .obj"),
        ({"mesh": "x" * 5000}, "is refused"),
    ):
        said = apply(experiment, SetParameters(values))
        assert words in str(said)
        assert len(str(said)) < 600
    assert state_hash(experiment.run) == before
    assert experiment.parameters.mesh == ""
    assert advance(experiment, 100) == 100


def test_a_file_that_is_gone_or_changed_does_not_touch_the_run_that_read_it(tmp_path: Path) -> None:
    path = tray(tmp_path)
    experiment = new_experiment("vessel", {"mesh": str(path), "grain_count": 30, "mean_radius": 3e-3})
    apply(experiment, Act("fill"))
    advance(experiment, 200)
    tray(tmp_path, height=25.0)
    assert not apply(experiment, SetParameters({"friction": 0.3}))
    assert np.ptp(shape(experiment)[..., 2]) == pytest.approx(0.01)
    # A reset belongs to the run, which going back leads through; a new start reads the file anew.
    assert not apply(experiment, Act("reset"))
    assert np.ptp(shape(experiment)[..., 2]) == pytest.approx(0.01)
    values = experiment.parameters.model_dump()
    path.unlink()
    assert not apply(experiment, SetParameters({"friction": 0.4}))
    assert not apply(experiment, Act("reset"))
    tray(tmp_path, height=25.0)
    assert not apply(experiment, Start("vessel", values, 1))
    assert np.ptp(shape(experiment)[..., 2]) == pytest.approx(0.025)


@pytest.mark.parametrize("typed", ["{}", "'{}'", '"{}"', "  {} "])
def test_a_path_is_typed_bare_or_quoted(tmp_path: Path, typed: str) -> None:
    path = str(tray(tmp_path))
    assert PARAMETERS.parse("mesh", typed.format(path)) == path
    with pytest.raises(ParameterError, match="no such file"):
        PARAMETERS.parse("mesh", typed.format(str(tmp_path / "12.stl")))


def test_a_preset_keeps_the_path(tmp_path: Path) -> None:
    from repose.sim.io import presets

    values = {"mesh": str(tray(tmp_path))}
    text = presets.dumps(presets.Preset("own", "Own", "vessel", 1, values))
    assert presets.parse(text, "own").values == values


def test_a_saved_run_holds_its_shape_and_opens_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tray(tmp_path)
    experiment = new_experiment("vessel", {"mesh": str(path), "grain_count": 12, "mean_radius": 3e-3})
    apply(experiment, Act("fill"))
    advance(experiment, 200)
    before, blob = state_hash(experiment.run), saved(experiment)
    path.unlink()
    monkeypatch.setattr("repose.sim.io.mesh.read_surface", lambda path: pytest.fail(f"{path} was opened"))
    other = resumed(blob)
    assert state_hash(other.run) == before
    assert not apply(other, SetParameters({"friction": 0.3}))
    # The way back to the beginning, and a new beginning, build on the shape in the file.
    rewind_to(other, 0)
    rewind_to(other, 200)
    assert state_hash(other.run) == before
    assert not apply(other, Act("reset"))
    assert np.ptp(shape(other)[..., 2]) == pytest.approx(0.01)
    assert saved(resumed(saved(other))) == saved(other)
    assert verify(saved_run.read(io.BytesIO(blob))).differs_at is None


@pytest.mark.parametrize(
    "path",
    [
        "../secret.stl",
        "/etc/passwd.stl",
        "//host/share/x.stl",
        "\\\\host\\share\\x.stl",
        "http://host/x.stl",
        "x" * 4000,
    ],
)
def test_no_path_in_a_saved_run_is_looked_at(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = new_experiment("vessel", {"mesh": str(tray(tmp_path)), "grain_count": 3, "mean_radius": 3e-3})
    blob = saved(experiment)
    for name in ("read_surface", "_stamp"):
        monkeypatch.setattr(f"repose.sim.io.mesh.{name}", lambda *_: pytest.fail("a path was looked at"))
    manifest, tables = opened(blob)
    text = json.dumps(manifest).replace(json.dumps(manifest["runs"][0]["built"]["mesh"]), json.dumps(path))
    renamed = json.loads(text)
    other = saved_run.read(io.BytesIO(closed(renamed, tables)))
    assert other.now.now.parameters.mesh == (path.replace("\\", "/").split("/")[-1] if "host" in path else path)
    renamed["surfaces"] = {}
    with pytest.raises(ArchiveError, match="the saved run does not contain this shape"):
        saved_run.read(io.BytesIO(closed(renamed, tables)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table.astype(np.float32), "is not made of triangles"),
        (lambda table: table.astype(">f8"), "another byte order than this program reads: >f8"),
        (lambda table: table[:, :2], "is not made of triangles"),
        (lambda table: table * np.nan, "not finite"),
        (lambda table: table[:0], "is not made of triangles"),
    ],
)
def test_a_shape_in_a_saved_run_is_checked_as_every_table(change: Callable, said: str, tmp_path: Path) -> None:
    experiment = new_experiment("vessel", {"mesh": str(tray(tmp_path)), "grain_count": 3, "mean_radius": 3e-3})
    manifest, tables = opened(saved(experiment))
    tables["surface0"] = change(np.array(tables["surface0"]))
    with pytest.raises(ArchiveError, match=said):
        saved_run.read(io.BytesIO(closed(manifest, tables)))


def test_what_was_corrected_in_a_shape_is_stored_as_messages_and_texts_of_older_files_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "inverted.stl"
    path.write_bytes(binary(box()[:, ::-1] * 10.0))
    begun = new_experiment("vessel", {"mesh": str(path), "mean_radius": 3e-3, "grain_count": 20})
    experiment = resumed(saved(begun))
    words = experiment.scene.course.describe(experiment)[1]
    assert str(words) == "empty shape of 12 facets; all facets were inverted and have been turned"
    german = read_language("de")
    assert german.translated(words).endswith(german.translated(_("all facets were inverted and have been turned")))
    assert not german.translated(words).endswith("turned")
    results = experiment.scene.course.results(experiment)
    assert results["shape"]["mended"] == ["all facets were inverted and have been turned"]
    experiment.run.state.mended = ["2 triangles went"]
    older = resumed(saved(experiment))
    assert str(older.scene.course.describe(older)[1]).endswith("; 2 triangles went")
    for damaged in ({"template": "{}", "values": {"count": 1}}, {"template": "x"}, 3):
        experiment.run.state.mended = [damaged]
        with pytest.raises(ArchiveError, match="The file's mended cannot have this value in the scene 'vessel'"):
            saved_run.read(io.BytesIO(saved(experiment)))
