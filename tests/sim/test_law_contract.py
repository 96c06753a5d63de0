"""The contract every contact law keeps, for random contacts in the plane and in space.

A law found in sim/laws is tested by being there: each choice of its formulas, each dimension.
"""

from __future__ import annotations

import numba
import numpy as np
import pytest
from repose.sim.engine import vector
from repose.sim.engine.contacts.kinematics import PairProperties, contact_between
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.model import BoundLaw
from repose.sim.laws.law import Law
from repose.sim.registry import laws

from tests.random_contacts import (
    MASS,
    NUMBERS,
    RADIUS,
    WORDS,
    bound,
    caps_spring_only,
    contact_of,
    contacts,
    coulomb_limit,
    effort,
    every_law,
    every_motion,
    flat,
    records,
    transformed,
    turned_axial,
)
from tests.tiers import tiered

SMOOTH = {"friction": 0.0, "wall_friction": 0.0, "shear_damping": 0.0}
MIRRORED_BY_SWAP = ("branch", "position", "velocity", "relative_spin", "shear_spring", "displacement")


def test_every_choice_of_formula_is_tried() -> None:
    for law in laws().values():
        declared = law.parameters.declared().values()
        for name, choices in ((p.name, p.choices) for p in declared if p.kind == "choice"):
            tried = {words.get(name) for words in WORDS.get(law.name, [])}
            assert tried == set(choices), (law.name, name)


@pytest.fixture(scope="module")
def compiled() -> dict:
    """One function per law and choice of its formulas, compiled for the motions it is called with."""
    return {
        law.name: [_evaluator(bound(law, words)[1]) for words in WORDS.get(law.name, [{}])] for law in laws().values()
    }


def _evaluator(functions: BoundLaw):
    force, energy, stiffness, material = functions.force, functions.energy, functions.stiffness, functions.material

    @numba.njit(**OPTIONS)
    def evaluate(numbers, motion, pair, memory, stage, kind):
        filled = PairProperties(
            pair.radius_sum,
            pair.effective_radius,
            pair.effective_mass,
            pair.effective_inertia,
            pair.fixed,
            material(numbers, kind),
        )
        contact, start = contact_between(motion, filled, memory, stage)
        return force(numbers, contact), energy(numbers, contact), stiffness(numbers, contact), start

    return evaluate


def arguments(kinematics: dict) -> tuple:
    """The kinematics as `evaluate` takes them."""
    return (*records(kinematics, ()), kinematics["kind"])


@every_law
def test_equal_choices_of_formula_are_bound_to_the_same_functions(law: Law, words: dict) -> None:
    # Otherwise the loop would be compiled again at every change of a number.
    assert bound(law, words)[1] == bound(law, words, friction=0.1)[1]


@every_law
def test_a_law_that_states_so_does_not_read_the_effective_radius_without_rotation(law: Law, words: dict) -> None:
    functions = bound(law, words)[1]
    for kinematics in contacts(9, (2, 0)) + contacts(9, (3, 0)):
        given, unknown = (effort(law, words, kinematics | {"effective_radius": radius}) for radius in (1e-3, 2e-3))
        same = all(np.array_equal(one, other) for one, other in zip(given, unknown, strict=True))
        assert same or functions.reads_radius


@pytest.mark.parametrize(
    ("dimension", "spin_length", "every_choice"),
    # One choice of formula shows vectors of each motion at work; those of the plane without rotation are the thesis'.
    tiered([(2, 0, False), (2, 1, False), (3, 3, False), (3, 3, True)], fast={(2, 0, False), (3, 3, False)}),
)
def test_compiled_law_equals_plain_law(dimension: int, spin_length: int, every_choice: bool, compiled: dict) -> None:
    for law in laws().values():
        choices = list(zip(WORDS.get(law.name, [{}]), compiled[law.name]))
        for words, evaluate in choices if every_choice else choices[:1]:
            numbers = bound(law, words)[0]
            motion = dimension, spin_length
            for kinematics in contacts(1, motion, 80) + contacts(2, motion, 20, touching=False):
                plain = evaluate.py_func(numbers, *arguments(kinematics))
                compiled_once = evaluate(numbers, *arguments(kinematics))
                # The work is a sum of products that may cancel: its rounding is that of the largest product.
                stretch, slip = (np.linalg.norm(kinematics[name]) for name in ("shear_spring", "displacement"))
                product = plain[2][1] * (stretch + slip) * slip
                assert compiled_once[0].friction_work == pytest.approx(
                    plain[0].friction_work, rel=1e-12, abs=1e-12 * product
                )
                others, expected = (
                    flat((one[0]._replace(friction_work=0.0), *one[1:])) for one in (compiled_once, plain)
                )
                assert others == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.case("I22")
@every_law
@every_motion
def test_swapping_the_grains_gives_the_opposite_force(law: Law, words: dict, dimension, spin_length) -> None:
    for kinematics in contacts(3, (dimension, spin_length)):
        swapped = kinematics | {name: tuple(-x for x in kinematics[name]) for name in MIRRORED_BY_SWAP}
        # R_i w_i + R_j w_j and the mean rotation are the same for both; seen from the other grain all else is reversed.
        for one, other in zip(effort(law, words, kinematics), effort(law, words, swapped)):
            assert one == pytest.approx(-other, rel=1e-13, abs=1e-300)


@every_law
@every_motion
def test_the_force_rotates_with_the_frame(law: Law, words: dict, dimension: int, spin_length: int) -> None:
    generator = np.random.default_rng(4)
    for kinematics in contacts(4, (dimension, spin_length), 100):
        matrix, _ = np.linalg.qr(generator.normal(size=(dimension, dimension)))
        force, torque = effort(law, words, kinematics)
        force_there, moment_there = effort(law, words, transformed(kinematics, matrix))
        # The overlap is a difference of lengths 1e4 times larger at most, and is raised to 3/2.
        assert force_there == pytest.approx(matrix @ force, abs=1e-10 * np.abs(force).max())
        expected = turned_axial(torque, matrix)
        assert moment_there == pytest.approx(expected, abs=1e-10 * np.abs(expected).max(initial=0.0))


@every_law
@every_motion
def test_only_relative_motion_counts(law: Law, words: dict, dimension: int, spin_length: int) -> None:
    # The kinematics are made of differences: a boost of both grains cannot reach the law but by rounding.
    generator = np.random.default_rng(5)
    for kinematics in contacts(5, (dimension, spin_length), 50):
        boost = generator.normal(0.0, 100.0, dimension)
        first = boost + np.array(kinematics["velocity"])
        boosted = kinematics | {"velocity": tuple(float(x) for x in first - boost)}
        here, there = effort(law, words, kinematics)[0], effort(law, words, boosted)[0]
        assert there == pytest.approx(here, abs=1e-9 * max(1.0, np.abs(here).max()))


@every_law
@every_motion
def test_grains_beyond_reach_exert_no_force(law: Law, words: dict, dimension: int, spin_length: int) -> None:
    numbers, functions = bound(law, words, rupture_distance=1e-8, liquid_volume=1e-15, surface_energy=1e-4)
    for kinematics in contacts(6, (dimension, spin_length), touching=False):
        if functions.acts_at_distance:  # what it stores when its memory ends is booked by the loop
            kinematics |= {"touching": 0.0}
        contact = contact_of(functions, numbers, kinematics)
        assert contact.overlap < -functions.reach(numbers, RADIUS)
        assert not any(flat(tuple(functions.force(numbers, contact))))
        assert functions.lasts(numbers, contact) == 0.0
        assert not any(flat(functions.energy(numbers, contact)))


@every_law
@every_motion
def test_shear_force_is_tangential_and_the_capped_part_obeys_coulomb(law, words, dimension, spin_length) -> None:
    numbers, functions = bound(law, words)
    undamped = bound(law, words, shear_damping=0.0)[0]
    for kinematics in contacts(7, (dimension, spin_length)):
        contact = contact_of(functions, numbers, kinematics)
        answer = functions.force(numbers, contact)
        total = np.array(answer.shear_force)
        spring = np.array(functions.force(undamped, contact).shear_force)
        limit = coulomb_limit(law, words, contact, answer.normal_force)
        capped = spring if caps_spring_only(law, words) else total
        assert np.linalg.norm(capped) <= limit * (1.0 + 1e-12)
        across = np.array(vector.in_coordinates(answer.shear_force, contact.normal))
        assert abs(across @ np.array(contact.normal)) <= 1e-12 * (np.linalg.norm(total) + limit)
        if caps_spring_only(law, words):
            # The thesis' law: viscous shear comes on top, against the slip velocity.
            slip = np.array(contact.tangential_velocity)
            assert total - spring == pytest.approx(-numbers.shear_damping * MASS * slip, abs=1e-12)


@every_law
def test_without_friction_there_is_no_spring(law: Law, words: dict) -> None:
    smooth, functions = bound(law, words, **SMOOTH)
    for kinematics in contacts(8, (3, 0)) + contacts(8, (3, 3)):
        contact = contact_of(functions, smooth, kinematics)
        assert not np.any(functions.force(smooth, contact).shear_force)


@every_law
@pytest.mark.parametrize(("dimension", "spin_length"), [(2, 1), (3, 3)])
def test_rolling_resistance_is_limited_and_only_slows(law: Law, words: dict, dimension: int, spin_length: int) -> None:
    numbers, functions = bound(law, words)
    resisting = "rolling_friction" in law.parameters.declared()
    for kinematics in contacts(11, (dimension, spin_length)):
        contact = contact_of(functions, numbers, kinematics)
        answer = functions.force(numbers, contact)
        torque, spin = np.array(answer.torque), np.array(contact.relative_spin)
        load = RADIUS * max(answer.normal_force, 0.0)
        normal = np.array(contact.normal)
        twisting = normal * (torque @ normal) if spin_length == 3 else 0.0 * torque
        assert np.linalg.norm(torque - twisting) <= NUMBERS["rolling_friction"] * load * (1.0 + 1e-12)
        assert np.linalg.norm(twisting) <= NUMBERS["twisting_friction"] * load * (1.0 + 1e-9)
        assert torque @ spin <= 0.0
        assert np.any(torque) == (resisting and load > 0.0)
        # Twelve such contacts, for the time they stand for, stop the relative spin at most.
        left = spin + 12.0 * kinematics["dt"] / kinematics["effective_inertia"] * torque
        assert left @ spin >= -1e-9 * (spin @ spin)
