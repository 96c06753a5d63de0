"""What a script gives for spheres, bodies and walls is refused in one sentence, or makes a world of finite numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repose.sim.engine.body_builder import add_bodies, body_shape, shape_of_spheres
from repose.sim.engine.builder import add_spheres, empty_world, set_walls
from repose.sim.engine.checked import checked_array, checked_flags, checked_number, checked_rows
from repose.sim.engine.contacts.wall_geometry import CYLINDER, FACET, PLANE
from repose.sim.parameters import ParameterError

NOT_NUMBERS = ("1", "fast", None, True, [True, False], 1j, [[1.0], [1.0, 2.0]], {"a": 1.0}, [None], object(), 10**400)


def refusal(make: Any) -> str:
    """The sentence with which a call is refused."""
    with pytest.raises(ParameterError) as refused:
        make()
    said = str(refused.value)
    assert said.endswith(".")
    assert "\n" not in said
    return said


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=lambda value: type(value).__name__)
def test_what_is_no_number_is_refused_by_its_name(value: Any) -> None:
    assert refusal(lambda: checked_array("radius", value, (2,), "m")).startswith("radius = ")
    assert refusal(lambda: checked_number("density", value)).startswith("density = ")
    assert refusal(lambda: checked_rows("i", value, 5, "spheres")).startswith("i = ")
    if not isinstance(value, bool | list):
        assert refusal(lambda: checked_flags("fixed", value, 2)).startswith("fixed = ")


def test_numbers_of_all_kinds_are_accepted() -> None:
    for value in (2, 2.0, np.float32(2.0), np.int8(2), np.array(2), [2, 2.0], Fraction(4, 2), 2 * 10**30 // 10**30):
        assert checked_array("radius", value, (2,)).tolist() == [2.0, 2.0]
    assert checked_flags("fixed", [True, False], 2).tolist() == [True, False]
    assert checked_flags("fixed", np.bool_(True), 2).tolist() == [True, True]


def test_a_refusal_names_the_place_the_value_and_the_limit() -> None:
    said = refusal(lambda: checked_array("velocity", [[0.0, 1.0], [2.0, math.nan]], (2, 2), "m/s"))
    assert said == "velocity[1, 1] = nan m/s is refused: it must be a finite number."
    assert refusal(lambda: checked_array("radius", 0.0, (3,), "m", above=0.0)) == (
        "radius = 0.0 m is refused: it must be a number above 0 m."
    )
    assert refusal(lambda: checked_number("restitution", 2, least=0.0, most=1.0)) == (
        "restitution = 2.0 is refused: it must be a number from 0 to 1."
    )
    assert refusal(lambda: checked_number("friction", -1, least=0.0)).endswith("must be a number of at least 0.")
    assert refusal(lambda: checked_array("radius", [1.0, 2.0], (3,))) == (
        "radius has the shape (2,) and is refused: give a number or an array of the shape (3,)."
    )
    assert "fixed = [0, 2] is refused: it must be True or False" in refusal(lambda: checked_flags("fixed", [0, 2], 3))


ANY = st.one_of(
    st.floats(),
    st.sampled_from([0.0, -1.0, 5e-324, 1e-200, 1e200, 1.7e308]),
    st.lists(st.floats(), max_size=3),
    st.lists(st.lists(st.floats(), min_size=2, max_size=2), max_size=3),
)


@given(ANY, ANY, ANY, ANY, ANY)
def test_spheres_are_refused_in_a_sentence_or_are_finite(
    position: Any, radius: Any, mass: Any, velocity: Any, spin: Any
) -> None:
    try:
        world = add_spheres(empty_world(2, 1), position, radius, mass, velocity=velocity, spin=spin)
    except ParameterError:
        return
    for table in (world.motion, world.radius, world.mass, world.inverse_mass, 1.0 / world.mass):
        assert np.isfinite(table).all()
    assert (world.inverse_mass > 0.0).all()


@given(ANY, ANY, st.one_of(ANY, st.just(np.eye(3).tolist())), ANY)
def test_a_body_is_refused_in_a_sentence_or_is_finite(offset: Any, mass: Any, inertia: Any, spin: Any) -> None:
    try:
        shape = body_shape([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 0.5, mass, inertia, np.zeros(3))
        world = add_bodies(empty_world(3, 3), shape, [[0.0, 0.0, 0.0]], spin=spin)
    except ParameterError:
        pass
    else:
        assert np.isfinite(world.bodies.motion).all()
        assert (world.bodies.inverse_mass > 0.0).all()
    try:
        shape = shape_of_spheres(offset, 0.5, mass)
    except ParameterError:
        return
    assert np.isfinite(shape.moments).all()
    assert (shape.moments > 0.0).all()


@given(st.sampled_from([PLANE, FACET, CYLINDER, 3, -1, 0.5, math.nan, "plane", [0, 1]]), ANY, ANY)
def test_walls_are_refused_in_a_sentence_or_are_finite(shape: Any, corner: Any, velocity: Any) -> None:
    for corners in (corner, [corner] * 3):
        try:
            world = set_walls(empty_world(2, 1), shape, corners, velocity=velocity)
        except ParameterError:
            continue
        assert np.isfinite(world.walls.corner).all()
        assert np.isfinite(world.walls.velocity).all()


def test_bodies_in_a_world_of_other_dimensions_are_refused() -> None:
    shape = shape_of_spheres([[0.0, 0.0], [1.0, 0.0]], 0.5, 1.0)
    assert "2 coordinates and the world 3" in refusal(lambda: add_bodies(empty_world(3, 3), shape, [[0.0] * 3]))
    assert "Bodies rotate" in refusal(lambda: add_bodies(empty_world(2, 0), shape, [[0.0, 0.0]]))
    world = empty_world(3, 3)
    whole = shape_of_spheres([[0.0] * 3, [1.0, 0.0, 0.0]], 0.5, 1.0)
    for orientation in ([0.0] * 4, [1.0] * 3, [math.nan] * 4):
        assert "orientation" in refusal(lambda one=orientation: add_bodies(world, whole, [0.0] * 3, orientation=one))
