"""Recorded pages of artificial snapshots, which need no engine."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from repose.app.page.page_file import LARGEST, Page, page_of
from repose.app.page.recording import PageRecording
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Message


def pairs_of(snapshot: Snapshot) -> np.ndarray:
    """Ids of both spheres of the contacts of a snapshot, whose ends are centres."""
    dimension = snapshot.grains.position.shape[1]
    ends = snapshot.contacts.ends.reshape(-1, 2, dimension)
    distance = np.linalg.norm(ends[:, :, None] - snapshot.grains.position[None, None], axis=3)
    return snapshot.grains.sphere_id[distance.argmin(axis=2)]


def recorded(snapshots: Sequence[Snapshot], every: float | None = None) -> PageRecording:
    recording = PageRecording(every)
    for snapshot in snapshots:
        recording.take(snapshot, pairs_of(snapshot))
    return recording


def page_of_snapshots(snapshots: Sequence[Snapshot], title: str = "A heap", largest: int = LARGEST) -> Page:
    return page_of(recorded(snapshots), snapshots[-1], Message(title), largest)


def written(page: Page, folder: Path) -> Path:
    path = folder / "page.html"
    path.write_bytes(page.document)
    return path


def moved(snapshot: Snapshot, by: float, time: float) -> Snapshot:
    """The snapshot at another time, the grains displaced at random by up to a distance [m]."""
    other = copy.copy(snapshot)
    grains = snapshot.grains
    shift = np.random.default_rng(round(1e6 * time)).uniform(-by, by, grains.position.shape)
    position = grains.position + np.where(grains.fixed[:, None], 0.0, shift)
    other.grains = replace(grains, position=position.astype(np.float32))
    other.run = replace(snapshot.run, time=time)
    return other
