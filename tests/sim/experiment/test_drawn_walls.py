"""Walls drawn into the heap: grains rest on them, none goes through grains; undo, files and refills keep them."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import DRAWN, Act, DrawWall, RemoveWall, Start, TakeBack
from repose.sim.experiment.control import apply
from repose.sim.experiment.hand import lacking_parts
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.io.plain import decode, encode

from tests.reliability.runs import FEW, resumed, saved
from tests.sim.experiment.test_pull import done, falling, free_grain, place_of
from tests.small_worlds import use_plain_engine


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine in plain Python."""
    use_plain_engine(monkeypatch)


def test_a_falling_grain_lands_on_a_wall_and_falls_on_when_it_is_removed() -> None:
    experiment = falling()
    x, y = place_of(experiment, free_grain(experiment))
    radius = float(experiment.run.world.radius[~experiment.run.world.fixed][0])
    below = y - radius - 2e-4
    done(experiment, DrawWall((x - 3e-3, below), (x + 3e-3, below)))
    gap = energy_of(experiment).gap
    advance(experiment, math.ceil(0.012 / experiment.dt))
    assert abs(place_of(experiment, free_grain(experiment))[1] - below - radius) < 2e-4
    assert abs(energy_of(experiment).gap - gap) < 0.02 * energy_of(experiment).poured
    other = resumed(saved(experiment))
    assert state_hash(other.run) == state_hash(experiment.run)
    before = state_hash(experiment.run)
    done(experiment, RemoveWall((x, below + 1e-4), 1e-3))
    assert experiment.run.world.walls.shape.size == 0
    advance(experiment, 100)
    assert place_of(experiment, free_grain(experiment))[1] < below + radius - 1e-5
    done(experiment, TakeBack(DRAWN))
    assert state_hash(experiment.run) == before
    done(experiment, TakeBack(DRAWN))
    assert experiment.run.world.walls.shape.size == 0


def test_contacts_with_one_wall_keep_their_memory_when_another_one_is_drawn_or_removed() -> None:
    experiment = falling()
    x, y = place_of(experiment, free_grain(experiment))
    radius = float(experiment.run.world.radius[~experiment.run.world.fixed][0])
    below = y - 1.05 * radius
    done(experiment, DrawWall((x - 3e-3, below + 5e-4), (x + 3e-3, below - 5e-4)))  # a slope stretches its spring
    while not experiment.run.world.wall_contacts.touching.any():
        advance(experiment, 10)

    def memory() -> list[Any]:
        contacts = experiment.run.world.wall_contacts
        rows = np.flatnonzero(contacts.touching)
        return [contacts.shear_spring[:, rows].tolist(), contacts.normal_force[rows].tolist()]

    before = memory()
    assert before[1]
    done(experiment, DrawWall((x - 3e-3, below + 0.02), (x + 3e-3, below + 0.02)))
    assert memory() == before
    assert energy_of(experiment).elastic > 0.0
    done(experiment, RemoveWall((x, below + 0.02), 1e-3))
    assert memory() == before


def test_drawn_walls_stay_when_the_container_is_filled_again_but_not_in_another_run() -> None:
    experiment = done(new_experiment("heap", FEW), DrawWall((7e-3, 1e-3), (9e-3, 4e-3)), Act("fill"))
    assert experiment.run.world.walls.corner[:, :2].tolist() == [[[7e-3, 1e-3], [9e-3, 4e-3]]]
    done(experiment, Start("heap", FEW, 1))
    assert experiment.run.world.walls.shape.size == 0


@pytest.mark.parametrize(
    ("scene", "start", "end", "reason"),
    [
        ("heap", (0.0,), (1.0, 1.0), "none of 2 coordinates"),
        ("heap", (0.0, math.nan), (1.0, 1.0), "none of 2 coordinates"),
        ("heap", (0.0, 1e-3), (0.0, 1e-3), "draw one of at least"),
        ("heap", "grain", "grain", "1 grain is in its way"),
        ("heap3d", (0.0, 0.0, 1.0), (0.0, 1.0, 1.0), "takes no further walls"),
    ],
)
def test_a_wall_that_cannot_be_drawn_is_refused_in_one_sentence(scene: str, start: Any, end: Any, reason: str) -> None:
    experiment = falling() if scene == "heap" else new_experiment(scene, {"grain_count": 10})
    if start == "grain":
        x, y = place_of(experiment, free_grain(experiment))
        start, end = (x - 1e-3, y), (x + 1e-3, y)
    before = state_hash(experiment.run)
    said = apply(experiment, DrawWall(start, end))
    assert reason in str(said)
    assert str(said).startswith("Drawing a wall is refused: ")
    assert state_hash(experiment.run) == before


def test_where_there_is_no_wall_none_is_removed() -> None:
    experiment = done(falling(), DrawWall((7e-3, 1e-3), (9e-3, 4e-3)))
    assert "none within" in str(apply(experiment, RemoveWall((7e-3, 4e-3), 1e-4)))
    assert "none within" in str(apply(experiment, RemoveWall((7e-3, 4e-3), math.nan)))
    assert experiment.run.world.walls.shape.size == 1


@pytest.mark.parametrize("command", [DrawWall((0.1, 0.2), (0.3, 0.4)), RemoveWall((0.1, 0.2), 1e-3)])
def test_commands_of_walls_are_written_as_plain_numbers(command: Any) -> None:
    assert decode(type(command), encode(command, {}, "command"), {}, "command") == command


def test_the_first_wall_is_seen_while_its_forces_are_compiled_and_only_they_are_lacking() -> None:
    experiment = falling()
    announced: list[tuple[int, tuple[str, ...]]] = []

    # A loop that has stepped worlds without walls only.
    loop = SimpleNamespace(parts_at={"without walls": ()}, is_ready=lambda world: not world.walls.shape.size)
    experiment.engine.advance = SimpleNamespace(loop=loop)
    experiment.session.before_compiling = lambda one: announced.append(
        (one.run.world.walls.shape.size, lacking_parts(one))
    )
    assert lacking_parts(experiment) == ("mouse",), "nothing of the loop"
    apply(experiment, DrawWall((0.0, 5.0), (0.01, 5.0)))
    assert announced == [(1, ("walls",))]
    loop.parts_at = {}
    assert lacking_parts(experiment) == ("step loop", "walls")
