"""Stored packings: they belong to the present defaults, lie at rest, and are not used for another run."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from repose.sim.registry import scenes
from repose.sim.scenes.common import settled

from tests.tools.settled_packings import stored_courses

STORED = stored_courses()


def begun(scene: str, seed: int = settled.SEED, **values: Any) -> tuple[Any, Any]:
    record = scenes()[scene]
    return record.course.begin(record.parameters.checked(values), seed)


@pytest.mark.parametrize("scene", STORED)
def test_a_scene_begins_with_the_stored_packing_of_its_defaults(scene: str) -> None:
    world, state = begun(scene)
    assert state.phase == "filled", "python -m tests.tools.settled_packings writes the files again"
    assert not world.motion[:, 1:].any(), "at rest"
    loose = ~world.fixed
    x, y = world.motion[:2, 0, loose]
    radius = world.radius[loose]
    gap = np.hypot(x[:, None] - x, y[:, None] - y) - radius[:, None] - radius + np.diag(2.0 * radius)
    assert np.isfinite(gap).all()
    assert 0.0 < -gap.min() < 0.2 * radius.mean(), "grains press one another"
    assert (gap < 0.0).sum() > 2.0 * len(radius), "and each has two contacts or more"


@pytest.mark.parametrize("scene", STORED)
def test_another_seed_another_packing_and_another_gravity_are_computed(scene: str) -> None:
    assert begun(scene, seed=2)[1].phase == "filling"
    assert begun(scene, grain_count=150)[1].phase == "filling"
    assert begun(scene, rolling_friction=0.1)[1].phase == "filling"
    declared = scenes()[scene].parameters.declared()
    for name in STORED[scene].later:
        default = declared[name].default
        assert begun(scene, **{name: default + 1 if isinstance(default, int) else 0.9 * default})[1].phase == "filled"


def test_files_are_small() -> None:
    sizes = [entry.stat().st_size for entry in (files("repose.assets") / "settled").iterdir()]  # type: ignore[attr-defined]
    assert len(sizes) == len(STORED)
    assert max(sizes) < 30_000


def test_a_damaged_file_is_as_if_there_were_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*arguments: Any) -> Any:
        raise settled.archive.ArchiveError(settled._("damaged"))

    monkeypatch.setattr(settled.archive, "read", damaged)
    assert begun("drum")[1].phase == "filling"
