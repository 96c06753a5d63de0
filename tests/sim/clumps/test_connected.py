"""Clumps of a body with thin parts are in one piece."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.clumps import fitted, making
from repose.sim.clumps.body import Body, body_of_shape, body_of_triangles
from repose.sim.clumps.clump import Clump
from repose.sim.clumps.connected import joined, pieces_of
from repose.sim.clumps.greedy import greedy_clump
from repose.sim.clumps.making import clump_of, examined, number_of_pieces, rows, why_apart, why_poor
from repose.sim.clumps.quality import overlap_volumes
from repose.sim.clumps.shapes import SHAPES
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


def test_pieces_are_spheres_that_touch_directly_or_through_others() -> None:
    centre = np.array([(0.0, 0.0, 0.0), (1.5, 0.0, 0.0), (3.0, 0.0, 0.0), (5.5, 0.0, 0.0)])
    assert pieces_of(centre, np.ones(4)).tolist() == [0, 0, 0, 1]


def test_pieces_are_those_of_every_pair_compared_also_for_thousands_of_spheres() -> None:
    generator = np.random.default_rng(7)
    centre, radius = generator.random((2100, 3)), 0.03 * generator.random(2100) ** 2
    radius[:3] = 0.2
    away = np.sqrt(((centre[:, None] - centre[None]) ** 2).sum(axis=2))
    number, label = connected_components(csr_array(away < radius[:, None] + radius[None]), directed=False)
    assert 100 < number < 2000
    found = pieces_of(centre, radius)
    assert found.max() == number - 1
    assert len(np.unique(np.column_stack([found, label]), axis=0)) == number


def plate(edge: float) -> Body:
    """A square plate of the thickness 1 mm."""
    cube = np.array(SHAPES["cube"].triangles)
    return body_of_triangles("plate", 0.5e-3 * cube * (edge, edge, 1.0), 40, None)


@pytest.mark.parametrize("algorithm", ["fitted", "greedy"])
def test_the_number_of_spheres_that_a_refusal_names_makes_one_piece(algorithm: str) -> None:
    body = plate(10.0) if algorithm == "fitted" else body_of_shape("torus", 32, 0.01)
    clump = clump_of(body, algorithm, 6)
    assert number_of_pieces(clump) > 1
    words = why_apart(body, clump, 6)
    assert f"of {len(clump.radius)} spheres for {body.name!r} falls apart into {number_of_pieces(clump)}" in str(words)
    enough = int(str(words).removesuffix(" spheres make one piece.").rpartition(" ")[2])
    whole = clump_of(body, algorithm, enough)
    assert number_of_pieces(whole) == 1
    assert not why_apart(body, whole, enough)
    fewer = clump_of(body, algorithm, int(0.7 * enough))
    assert number_of_pieces(fewer) > 1


def test_a_body_of_two_parts_and_a_number_beyond_the_limit_are_told() -> None:
    cube = np.array(SHAPES["cube"].triangles)
    two = body_of_triangles("two", 1e-3 * np.concatenate([cube, cube + np.array((4.0, 0.0, 0.0))]), 32, None)
    assert "has 2 parts that do not touch" in str(why_apart(two, clump_of(two, "fitted", 4), 4))
    body = plate(10.0)
    assert "every one tried, up to 8 spheres" in str(why_apart(body, clump_of(body, "fitted", 6), 6, most=8))


def made_up(monkeypatch: pytest.MonkeyPatch, counts: dict[int, int]) -> list[int]:
    """Clumps with so many spheres by the number asked for; returns the numbers that are asked for."""
    asked: list[int] = []

    def clump(body: Body, algorithm: str, members: int, *_: object) -> Clump:
        asked.append(members)
        count = counts[members]
        return Clump(body.name, algorithm, np.zeros((count, 3)), np.ones(count))

    monkeypatch.setattr(making, "clump_of", clump)
    return asked


def test_fitted_spheres_that_fall_away_do_not_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 80 spheres in a plate 50:1 on a grid of 64 cells the fitting leaves 9, and 1280 make one piece."""
    body = plate(10.0)
    clump = clump_of(body, "fitted", 5)
    made_up(monkeypatch, {10: 10, 20: 3, 30: 25, 35: 33, 40: 40})
    monkeypatch.setattr(making, "number_of_pieces", lambda tried: 9 if len(tried.radius) < 40 else 1)
    assert str(why_apart(body, clump, 5, most=80)).endswith("falls apart into 9 pieces: 40 spheres make one piece.")


def test_a_refusal_says_how_many_spheres_were_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    body = plate(10.0)
    fitted = clump_of(body, "fitted", 5)
    greedy = fitted._replace(algorithm="greedy")
    monkeypatch.setattr(making, "number_of_pieces", lambda tried: 2)
    asked = made_up(monkeypatch, {10: 10, 20: 20, 40: 23, 80: 23})
    assert "every one tried, up to 40 spheres: " in str(why_apart(body, greedy, 5))
    assert asked == [10, 20, 40], "the body has no room for more"
    assert "every one tried, up to 80 spheres: " in str(why_apart(body, fitted, 5, most=80))
    pieces = {5: 2, 10: 2, 20: 1, 23: 1}
    monkeypatch.setattr(making, "number_of_pieces", lambda tried: pieces[len(tried.radius)])
    words = why_apart(body, greedy, 5, does=lambda tried: False)
    assert "those in one piece have an overlap (IoU) with the body of less than 0.5, up to 40 spheres" in str(words)
    monkeypatch.setattr(making, "fits", lambda *_: False)
    monkeypatch.setattr(making, "MOST_TRIED", {"greedy": 40, "fitted": 80})
    assert "so has every one tried, up to 80 spheres: " in str(why_poor(body, greedy, 0.1, 5))


@pytest.mark.parametrize(("count", "words"), [(1, "The clump of 1 sphere for"), (2, "The clump of 2 spheres for")])
def test_a_refusal_counts_in_the_singular_too(monkeypatch: pytest.MonkeyPatch, count: int, words: str) -> None:
    body = plate(10.0)
    clump = Clump(body.name, "greedy", np.zeros((count, 3)), np.ones(count))
    made_up(monkeypatch, {2 * count: count})
    monkeypatch.setattr(making, "MOST_TRIED", {"greedy": 2, "fitted": 2})
    monkeypatch.setattr(making, "fits", lambda *_: False)
    assert str(why_poor(body, clump, 0.1, count)).startswith(words)


def test_no_sphere_is_smaller_than_the_error_of_the_distances() -> None:
    """On the surface of a plate the depth of a node is 1e-16 m instead of zero."""
    body = plate(40.0)
    assert greedy_clump(body, 5000, 0.85).radius.min() > 0.1 * body.field.step


@pytest.mark.parametrize("members", [14, 20])
def test_a_vertebra_has_no_sphere_that_floats_beside_it(members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    body = body_of_shape("vertebra", 32, 0.01)
    whole = fitted.fitted_clump(body, members)
    monkeypatch.setattr(fitted, "joined", lambda body, centre, radius, alone: (centre, radius))
    apart = fitted.fitted_clump(body, members)
    assert pieces_of(apart.centre, apart.radius).any()
    assert not pieces_of(whole.centre, whole.radius).any()
    assert len(whole.radius) == members

    def overlap(clump: fitted.Clump) -> float:
        common, of_clump, of_body = overlap_volumes(body, clump)
        return common / (of_clump + of_body - common)

    assert overlap(whole) > overlap(apart) - 0.01


def test_a_few_spheres_for_four_arms_stay_where_they_overlap_most_and_the_table_says_so() -> None:
    body = body_of_shape("caltrop", 24, 0.01)
    clump = fitted.fitted_clump(body, 5)
    assert len(clump.radius) == 5
    same = joined(body, clump.centre, clump.radius, np.ones(5))
    assert all((a == b).all() for a, b in zip(same, (clump.centre, clump.radius), strict=True))
    made = examined(body, clump)
    assert made.pieces > 1
    assert any(str(row.name) == "pieces" and str(row.value) == str(made.pieces) for row in rows(made, 2500.0))
