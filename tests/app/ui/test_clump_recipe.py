"""The thread of the clump workshop: what it makes, what it makes again, what ends it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock
from repose.app.render.colours import colouring_of
from repose.app.stopping import StopAsked
from repose.app.ui import clump_recipe as module
from repose.app.ui.clump_recipe import Workshop
from repose.sim.clumps.clump_file import read_clump
from repose.sim.clumps.making import compile_loops
from repose.sim.experiment.snapshot import Snapshot

PATIENCE = 60.0
"""Wall time after which something that should happen counts as not happening [s]."""


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(folder=tmp_path)
    yield made
    made.end()


def wait(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


def change(workshop: Workshop, **values: object) -> None:
    """Change the recipe and wait for clump and curve."""
    assert workshop.edits.set(values)
    wait(lambda: not workshop.working)


def test_a_change_of_the_recipe_makes_clump_and_curve(workshop: Workshop) -> None:
    change(workshop, cells=16, members=12, algorithm="greedy", rho=0.5)
    assert workshop.is_made
    assert workshop.made is not None
    assert len(workshop.made.clump.radius) == 12
    assert [point.spheres for point in workshop.points] == [1, 2, 5, 10, 12]
    overlaps = [point.quality.overlap for point in workshop.points]
    assert overlaps == sorted(overlaps)  # of spheres inside the body
    assert workshop.points[-1].quality == workshop.made.quality


def test_it_waits_for_the_compiler_once_and_says_so(workshop: Workshop) -> None:
    compile_loops.cache_clear()
    with global_compiler_lock:  # as while numba compiles an engine
        workshop.edits.set({"cells": 16, "members": 2})
        wait(lambda: str(workshop.words) == "waiting for the compiler")
        workshop._thread.join(0.2)
        assert str(workshop.words) == "waiting for the compiler"
    wait(lambda: not workshop.working)
    assert workshop.is_made


def test_a_ring_keeps_its_clump_while_its_curve_is_made(workshop: Workshop) -> None:
    """The curve begins with one sphere, which overlaps a ring most where it covers what is around it."""
    change(workshop, cells=16, members=5, shape="torus", algorithm="fitted")
    assert not workshop.trouble
    assert workshop.is_made
    assert [point.spheres for point in workshop.points] == [1, 2, 5]


def test_body_and_points_are_used_again_and_undo_brings_the_clump_back(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies: list[object] = []
    plain = module.body_of
    monkeypatch.setattr(module, "body_of", lambda *given: (bodies.append(given), plain(*given))[1])
    change(workshop, cells=16, members=5, shape="rod")
    before = workshop.made
    change(workshop, members=10)
    assert len(bodies) == 1
    workshop.edits.undo()
    wait(lambda: not workshop.working)
    assert before is not None
    assert workshop.made is not None
    np.testing.assert_array_equal(workshop.made.clump.radius, before.clump.radius)
    assert len(workshop.points) == 4
    change(workshop, shape="ball")
    assert len(bodies) == 2
    assert len(workshop.points) == 1


def test_a_refused_value_changes_nothing_and_says_why(workshop: Workshop) -> None:
    before = workshop.recipe
    assert not workshop.edits.set({"members": 0})
    assert workshop.recipe == before
    assert not workshop.working
    assert "from 1 to 2000" in str(workshop.edits.refusals["members"])


def test_what_cannot_be_a_body_is_told_and_the_next_one_is_made(workshop: Workshop, tmp_path: Path) -> None:
    (tmp_path / "open.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\n")
    change(workshop, cells=16, members=3, file=str(tmp_path / "open.obj"))
    assert "3 open edges" in str(workshop.trouble)
    assert workshop.made is None
    assert not workshop.is_made
    change(workshop, file=str(tmp_path / f"{'e' * 300}.obj"))  # a longer name than file systems allow
    assert str(workshop.trouble).startswith("Mesh")
    change(workshop, file="")
    assert not workshop.trouble
    assert workshop.is_made


def test_work_ends_between_two_parts_when_it_is_stopped_or_replaced(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, reached = module.clump_of, []

    def endless(body: object, algorithm: str, members: int, *given: object, **named: object) -> object:
        if members == 7:
            show_progress = given[-1] if given else named["show_progress"]
            reached.append(members)
            while True:
                show_progress("waiting", 0.5)
                time.sleep(0.01)
        return plain(body, algorithm, members, *given, **named)

    monkeypatch.setattr(module, "clump_of", endless)
    assert workshop.edits.set({"cells": 16, "members": 7})
    wait(lambda: bool(reached))
    workshop.stop()
    wait(lambda: not workshop.words)
    assert not workshop.is_made
    workshop.begin()
    wait(lambda: len(reached) == 2)
    change(workshop, members=3)
    assert workshop.is_made


def test_the_colours_of_each_clump_have_their_own_range(workshop: Workshop) -> None:
    colouring = colouring_of("size", Snapshot())
    assert colouring is not None
    for shape in ("cube", "torus"):
        change(workshop, cells=24, members=8, algorithm="greedy", shape=shape)
        shown = workshop.picture()
        assert shown is not None
        assert workshop.made is not None
        _, high = workshop.ranges.shown(colouring, shown, False) or (0.0, 0.0)
        assert high < 1.2 * workshop.made.clump.radius.max()


def test_files_get_free_names_and_the_clump_file_can_be_read(workshop: Workshop) -> None:
    change(workshop, cells=16, members=4, shape="peanut")
    first, second = workshop.save(".json"), workshop.save(".json")
    assert first != second
    assert workshop.made is not None
    read = read_clump(second)
    np.testing.assert_array_equal(read.clump.radius, workshop.made.clump.radius)
    density = workshop.recipe.density
    mass = next(line for line in workshop.save(".mol").read_text().splitlines() if line.endswith(" mass"))
    assert float(mass.split()[0]) == pytest.approx(density * workshop.made.mass.volume)
    number = workshop.number
    change(workshop, density=1000.0)  # which makes no other clump
    assert workshop.number == number
    assert "inertia" in workshop.save(".rigid").read_text() or workshop.save(".txt").read_text().startswith("#x y z r")


def test_a_clump_that_is_wanted_again_right_after_a_stop_is_made(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def make(recipe: object) -> None:
        asked.append(recipe)
        if len(asked) == 1:
            workshop.stop()
            workshop.begin()
            raise StopAsked

    monkeypatch.setattr(workshop, "_make", make)
    workshop.begin()
    wait(lambda: not workshop.working)
    assert len(asked) == 2
