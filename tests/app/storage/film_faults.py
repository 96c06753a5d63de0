"""Test of films whose program is killed at a random moment: every film file can be played, and drafts are deleted."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from repose.app.storage.recorder import Recorder

TOGETHER = 4
"""Programs that film at the same time."""
LATEST = 1.5
"""Latest time of a kill after the beginning of filming, in durations of one film alone [-]: most kills fall in the
first film or at the start of the second, also on a busy machine."""
FRAMES = 12
"""Frames of one film. A program makes film after film, so that some kills come while a film is being completed."""
PATIENCE = 300.0
"""Longest wall time of all kills [s]."""


def kill_films(folder: str, count: int, seed: int) -> None:
    """Kill `count` programs while they film into a folder; forks, so that no other thread may run in the process."""
    import av  # here, so that no child has to load it

    assert av
    moments, children = random.Random(seed), dict[int, float]()
    with tempfile.TemporaryDirectory() as other:
        began = time.monotonic()
        _film(Path(other) / "film.mp4", np.random.default_rng(seed))
        latest = LATEST * (time.monotonic() - began)
    while count or children:
        while count and len(children) < TOGETHER:
            count -= 1
            child = os.fork()
            if child == 0:
                _film_for_ever(Path(folder) / "film.mp4", count)
            children[child] = time.monotonic() + moments.uniform(0.0, latest)
        child = min(children, key=lambda number: children[number])
        time.sleep(max(0.0, children.pop(child) - time.monotonic()))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _film_for_ever(path: Path, seed: int) -> None:
    try:
        noise = np.random.default_rng(seed)
        while True:
            _film(path, noise)
    finally:
        os._exit(1)


def _film(path: Path, noise: np.random.Generator) -> None:
    with Recorder(path, (64, 48), 60) as film:
        for _ in range(FRAMES):
            film.add(noise.integers(0, 255, (48, 64, 3), np.uint8))


def unplayable(folder: Path) -> tuple[list[str], int]:
    """Files in the folder that are not films with at least one frame, drafts included; and the number of films."""
    import av

    wrong, films = [], 0
    for path in sorted(folder.iterdir()):
        try:
            with av.open(str(path)) as container:
                next(container.decode(video=0))
            films += 1
        except (av.FFmpegError, StopIteration, IndexError) as error:
            wrong.append(f"{path.name} of {path.stat().st_size} bytes: {error}")
    return wrong, films


def killed_films(count: int, seed: int = 7) -> tuple[list[str], int]:
    """Unplayable files after `count` kills and the beginning of another film; and the number of films left."""
    with tempfile.TemporaryDirectory() as folder:
        code = f"from tests.app.storage.film_faults import kill_films; kill_films({folder!r}, {count}, {seed})"
        root = Path(__file__).resolve().parents[3]
        subprocess.run([sys.executable, "-c", code], cwd=root, timeout=PATIENCE, check=True)
        Recorder(Path(folder) / "next.mp4", (64, 48), 60).close()
        return unplayable(Path(folder))
