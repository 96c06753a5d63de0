"""Frames of a page: places, quantities and contacts of snapshots within their quanta, grains that come and go."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from repose.app.page import recording as module
from repose.app.page.columns import read
from repose.app.page.recording import LIGHTS, PER_RADIUS, SHADES, STRENGTHS
from repose.app.render.colours import Ranges, colouring_of, position_on_map
from repose.app.render.passes.force_chains import WIDEST, drawn_contacts
from repose.sim.experiment.snapshot import Snapshot

from tests.app.fake_heap import fake_heap
from tests.app.fake_space import fake_cone
from tests.app.page.recorded import moved, pairs_of, recorded


def columns_of(snapshots: list[Snapshot]) -> tuple[float, dict[str, np.ndarray]]:
    recording = recorded(snapshots)
    return recording.quantum, read(recording.stream(range(len(snapshots))).packed())[1]


def without(snapshot: Snapshot, count: int) -> Snapshot:
    """The snapshot without its last grains, or with a part of the rows in another order."""
    grains = snapshot.grains
    rows = np.arange(len(grains.radius) - count)[::-1]
    names = ("position", "velocity", "radius", "mass", "body", "fixed", "sphere_id")
    columns = {name: values[rows] for name, values in grains.columns.items()}
    kept = {name: getattr(grains, name)[rows] for name in names if len(getattr(grains, name))}
    return replace(snapshot, grains=replace(grains, columns=columns, **kept))


@pytest.mark.parametrize("snapshot", [fake_heap(), fake_cone(60)], ids=["plane", "space"])
def test_places_are_within_half_a_quantum_which_is_a_small_share_of_a_radius(snapshot: Snapshot) -> None:
    shots = [snapshot, moved(snapshot, 1e-3, 1.3), moved(snapshot, 2e-3, 1.4)]
    quantum, columns = columns_of(shots)
    assert quantum <= snapshot.grains.radius.mean() / PER_RADIUS
    for k, shot in enumerate(shots):
        for c, axis in enumerate("xyz"[: shot.grains.position.shape[1]]):
            error = columns[axis][k] * quantum - shot.grains.position[:, c]
            assert np.abs(error).max() <= 0.501 * quantum
        assert np.abs(columns["radius"][k] * quantum / 4 - shot.grains.radius).max() <= 0.501 * quantum / 4


def test_colours_of_quantities_are_those_of_the_window() -> None:
    snapshot = fake_heap()
    _, columns = columns_of([snapshot])
    for name in ("speed", "force", "pressure", "coordination", "layer"):
        colouring = colouring_of(name, snapshot)
        assert colouring is not None
        span = Ranges().shown(colouring, snapshot, follows=False)
        assert span is not None
        share = position_on_map(snapshot.grains.columns[name], colouring, span)
        assert np.abs(columns[f"of {name}"][0] / SHADES - share).max() <= 0.501 / SHADES


def test_contacts_join_the_grains_of_the_window_with_its_strengths() -> None:
    snapshot = fake_heap()
    _, columns = columns_of([snapshot])
    chosen = drawn_contacts(snapshot)
    assert chosen is not None
    drawn, strength, radius = chosen
    expected = {tuple(sorted(pair)): share for pair, share in zip(pairs_of(snapshot)[drawn].tolist(), strength)}
    i = np.cumsum(columns["contact i"])
    j = i + columns["contact j"]
    found = dict(zip(zip(i.tolist(), j.tolist()), columns["contact strength"] * WIDEST / STRENGTHS))
    assert found.keys() == expected.keys()
    assert max(abs(found[pair] - expected[pair]) for pair in found) <= 0.501 * WIDEST / STRENGTHS
    assert columns["contact radius"][0] == pytest.approx(radius)


def test_grains_that_come_and_go_are_there_in_their_frames_only() -> None:
    whole = fake_heap()
    _, columns = columns_of([without(whole, 5), whole, without(whole, 5)])
    count = len(whole.grains.radius)
    assert columns["there"].shape == (3, count)
    assert columns["there"].sum(axis=1).tolist() == [count - 5, count, count - 5]
    assert (np.ptp(columns["x"][:, -5:], axis=0) == 0).all()  # a grain that is not there keeps its place


def test_a_grain_without_a_place_is_not_there() -> None:
    snapshot = fake_heap()
    position = snapshot.grains.position.copy()
    position[-1] = math.nan
    _, columns = columns_of([replace(snapshot, grains=replace(snapshot.grains, position=position))])
    assert columns["there"][0].tolist() == [1] * (len(position) - 1) + [0]


def test_light_in_space_is_within_half_a_step() -> None:
    from repose.app.render.ambient_occlusion import measure_ambient_occlusion

    snapshot = fake_cone(60)
    _, columns = columns_of([snapshot])
    light = measure_ambient_occlusion(snapshot.grains.position, snapshot.grains.radius, snapshot.geometry.box)
    for name in ("crowding", "lamp", "sky"):
        assert np.abs(columns[name][0] / LIGHTS - getattr(light, name)).max() <= 0.501 / LIGHTS


def test_a_long_run_keeps_every_second_frame_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = fake_heap()
    monkeypatch.setattr(module, "MOST_MEMORY", 8 * recorded([snapshot]).rows[0].memory)
    shots = [moved(snapshot, 1e-4, 1.0 + 0.01 * k) for k in range(20)]
    recording = recorded(shots)
    assert 4 <= len(recording.rows) <= 9
    steps = np.diff([row.at for row in recording.rows])
    assert set(steps[:-1].tolist()) <= {2, 4, 8}
    assert len(set(steps.tolist())) <= 2
    assert recording.total > recording.rows[-1].at >= 20
