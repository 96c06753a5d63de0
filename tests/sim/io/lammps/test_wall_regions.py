"""Walls as regions of LAMMPS: places, corners, motion."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from repose.sim.engine.builder import empty_world, set_walls
from repose.sim.engine.contacts.wall_geometry import CYLINDER, FACET, PLANE
from repose.sim.engine.world import Floats, Walls
from repose.sim.io.lammps.wall_motion import ShakingWalls, TurningWalls
from repose.sim.io.lammps.wall_regions import MOST_PARTS, RegionPart, changes, commands, written
from repose.sim.parameters import ParameterError
from scipy.spatial.transform import Rotation


def lines(*points: tuple[tuple[float, float], tuple[float, float]]) -> Walls:
    corner = [(a, b, b) for a, b in points]
    return set_walls(empty_world(2, 0, 3, 0.1), [FACET] * len(corner), np.array(corner)).walls


def numbers(part: RegionPart) -> list[float]:
    return [
        float(word) for word in part.region.split() if word.replace(".", "").replace("-", "").replace("e", "").isdigit()
    ]


def placed(part: RegionPart, points: Floats) -> Floats:
    """Points of the region before it is turned, where LAMMPS has them."""
    turned: Floats = Rotation.from_rotvec(part.angle * np.array(part.axis)).apply(points - part.point) + part.point
    return turned


BOX = (((0.0, 0.0), (2.0, 0.0)), ((2.0, 0.0), (2.0, 1.0)), ((0.0, 1.0), (0.0, 0.0)))


def test_a_box_seen_from_inside_is_blocks_without_turning() -> None:
    found = written(lines(*BOX), 2, np.array([[1.0, 0.5]]))
    assert [part.region for part in found.parts] == [
        "block 0 2 0 0 INF INF side out",
        "block 2 2 0 1 INF INF side out",
        "block 0 0 0 1 INF INF side out",
    ]
    assert found.differences == ()
    assert not changes(found.parts, None)


def test_the_same_corner_is_one_prism_for_grains_outside() -> None:
    found = written(lines(*BOX[:2]), 2, np.array([[3.0, -1.0]]))
    (part,) = found.parts
    x, right, y, top, _, _, lean, *_ = numbers(part)
    base = np.array([[x, y, 0.0], [right, y, 0.0], [x + lean, top, 0.0]])
    corners = {tuple(np.round(point[:2], 12) + 0.0) for point in placed(part, base)}
    assert corners == {(2.0, 0.0), (0.0, 0.0), (2.0, 1.0)}


def test_a_slanting_line_ends_where_it_ends_also_when_it_turns_about_another_point() -> None:
    a, b = (0.3, 0.1), (0.7, 0.5)
    for motion in (None, TurningWalls((0.0, 0.0, 0.0), 2.0)):
        (part,) = written(lines((a, b)), 2, np.array([[1.0, 0.0]]), motion).parts
        x, right, y, top = numbers(part)
        assert y == pytest.approx(top)
        assert placed(part, np.array([[x, y, 0.0], [right, y, 0.0]])) == pytest.approx(np.array([(*a, 0), (*b, 0)]))
        assert part.point == ((*a, 0.0) if motion is None else (0.0, 0.0, 0.0))


def test_lines_that_continue_each_other_are_one() -> None:
    found = written(lines(((0.0, 0.0), (1.0, 0.0)), ((3.0, 0.0), (1.0, 0.0))), 2, np.array([[1.0, 1.0]]))
    assert [part.region for part in found.parts] == ["block 0 3 0 0 INF INF side out"]


def test_a_rectangle_of_two_facets_in_space_is_one_block() -> None:
    turn = Rotation.from_euler("xyz", (0.3, -0.5, 1.1))
    flat = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    for points, whole in ((flat, True), (flat + [[0.0], [0.0], [-0.5], [0.5]] * np.array([1.0, 0.0, 0.0]), False)):
        p = turn.apply(points) + np.array([0.1, 0.2, 0.3])
        walls = set_walls(empty_world(3, 0, 3, 0.1), [FACET] * 2, np.array([p[[0, 1, 2]], p[[0, 2, 3]]])).walls
        found = written(walls, 3, np.zeros((1, 3)))
        (part,) = found.parts
        x, right, y, top, z, same = numbers(part)
        corners = placed(part, np.array([[u, v, z] for u in (x, right) for v in (y, top)]))
        assert z == same
        distance = np.abs(corners[:, None] - p[None]).max(axis=2).min(axis=1)
        assert (distance.max() < 1e-12) == whole
        assert bool(found.differences) != whole


def test_planes_and_cylinders_are_regions_of_their_own() -> None:
    walls = set_walls(
        empty_world(3, 0, 3, 0.1),
        [PLANE, CYLINDER, CYLINDER],
        np.array(
            [
                [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]],
                [[1.0, 2.0, 0.0], [0.0, 0.0, 1.0], [0.5, 1.0, 0.0]],
                [[1.0, 2.0, 0.0], [0.0, 0.6, 0.8], [0.5, -1.0, 0.0]],
            ]
        ),
    ).walls
    plane, upright, slanting = written(walls, 3, np.zeros((0, 3))).parts
    assert plane.region == "plane 0 0 1 0 0 1"
    assert upright.region == "cylinder z 1 2 0.5 INF INF side in"
    assert slanting.region == "cylinder z 1 2 0.5 INF INF side out"
    axis = placed(slanting, np.array([[1.0, 2.0, 1.0]])) - slanting.point
    assert axis == pytest.approx(np.array([[0.0, 0.6, 0.8]]))


def test_moving_walls_have_formulas_of_the_time_since_the_export() -> None:
    walls = lines(*BOX[:1])
    walls.velocity[0] = (0.0, 0.25)
    still = written(walls, 2, np.zeros((0, 2)))
    text = "\n".join(commands(still.parts, [[("grains", "hooke 1 0")]], None))
    assert 'variable wall0y equal "0.25*v_elapsed"' in text
    assert "move NULL v_wall0y NULL" in text
    assert "Moving walls keep their present velocity." in still.differences
    shaken = "\n".join(commands(still.parts, [[]], ShakingWalls((0.0, 1.0), 0.5, math.pi, 3.0)))
    assert "0.5*(-1 - cos(3.1415926535897931 + 3*v_elapsed))" in shaken
    turned = "\n".join(commands(still.parts, [[]], TurningWalls((0.0, 0.0, 0.0), 2.0)))
    assert 'variable wall0turn equal "0 + 2*v_elapsed"' in turned


def test_walls_with_a_spin_turn_about_their_normal_or_axis() -> None:
    plane = [[0.0, 3.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    drum = [[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.5, 1.0, 0.0]]
    found = written(
        set_walls(empty_world(3, 3, 3, 0.1), [PLANE, CYLINDER], np.array([plane, drum]), spin=(0.0, 2.0)).walls,
        3,
        np.zeros((0, 3)),
    )
    assert "Turning walls keep their present spin." in found.differences
    text = "\n".join(commands(found.parts, [[], []], None))
    assert "region wall0 plane 0 3 0 0 1 0\n" in text
    assert 'variable wall1turn equal "0 + 2*v_elapsed"' in text
    assert "cylinder y 1 2 0.5 INF INF side in rotate v_wall1turn 1 0 2 0 1 0" in text
    assert changes(found.parts, None)
    drum[1] = [0.0, 0.6, 0.8]
    walls = set_walls(empty_world(3, 3, 3, 0.1), [CYLINDER], np.array([drum]), spin=2.0).walls
    with pytest.raises(ParameterError, match="Cylinders that are not along x, y or z do not turn in LAMMPS"):
        written(walls, 3, np.zeros((0, 3)))


def test_round_walls_turn_about_the_axis_of_the_motion_and_facets_in_space_do_not() -> None:
    motion = TurningWalls((1.0, 0.0, 2.0), 2.0, (0.0, 1.0, 0.0))
    rows = np.array([[[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.5, 1.0, 0.0]]])
    (part,) = written(set_walls(empty_world(3, 0, 3, 0.1), [CYLINDER], rows).walls, 3, np.zeros((0, 3)), motion).parts
    text = "\n".join(commands([part], [[]], motion))
    assert "cylinder y 1 2 0.5 INF INF side in rotate v_wall0turn 1 0 2 0 1 0" in text
    for kind, corner in ((CYLINDER, [[1.0, 0.0, 2.0], [0.0, 0.6, 0.8], [0.5, 1.0, 0.0]]), (FACET, np.eye(3))):
        walls = set_walls(empty_world(3, 0, 3, 0.1), [kind], np.array([corner])).walls
        with pytest.raises(ParameterError, match="turn"):
            written(walls, 3, np.zeros((0, 3)), motion)


def test_too_many_parts_are_refused_with_their_number() -> None:
    angle = np.linspace(0.0, math.tau, 2 * MOST_PARTS + 1)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    with pytest.raises(ParameterError, match="at most 200"):
        written(lines(*((tuple(a), tuple(b)) for a, b in pairwise(ring))), 2, np.zeros((1, 2)))
