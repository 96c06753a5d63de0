"""The contract every contact law keeps, for random contacts in the plane and in space.

A law found in sim/laws is tested by being there: each choice of its formulas, each dimension.
"""

from __future__ import annotations

import itertools
import math

import numba
import numpy as np
import pytest

from sim import vec
from sim.contact import Contact, contact_between
from sim.laws import Law, laws

WORDS = {
    "lee_herrmann": [
        dict(zip(("exponent", "anchor", "coulomb_cap"), words))
        for words in itertools.product(("hertz", "linear"), ("lee-herrmann", "cundall-strack"), ("spring", "total"))
    ]
}
"""The choices of formula of each law; a new law without an entry is tested with its defaults."""

CASES = [
    pytest.param(law, words, id="-".join((law.name, *words.values())))
    for law in laws().values()
    for words in WORDS.get(law.name, [{}])
]
every_law = pytest.mark.parametrize(("law", "words"), CASES)
every_dimension = pytest.mark.parametrize("dimension", [2, 3])
RADIUS_SUM, MASS = 2.1e-3, 4e-4


def test_every_choice_of_formula_is_tried() -> None:
    for law in laws().values():
        declared = law.parameters.declared().values()
        for name, choices in ((p.name, p.choices) for p in declared if p.kind == "choice"):
            tried = {words.get(name) for words in WORDS.get(law.name, [])}
            assert tried == set(choices), (law.name, name)


def pair(generator: np.random.Generator, dimension: int, touching: bool = True) -> dict:
    """The kinematics of a random pair, in contact since a while or not touching."""

    def vector(size: float) -> tuple[float, ...]:
        return tuple(float(x) for x in generator.normal(0.0, size, dimension))

    direction = np.array(vector(1.0))
    overlap = RADIUS_SUM * generator.uniform(1e-4, 0.1) * (1.0 if touching else -1.0)
    branch = direction / np.linalg.norm(direction) * (RADIUS_SUM - overlap)
    spin_length = int(generator.choice([0, 1 if dimension == 2 else 3]))
    return {
        "branch": tuple(float(x) for x in branch),
        "velocity": vector(0.3),
        "roll": tuple(float(x) for x in generator.normal(0.0, 0.3, spin_length)),
        "anchor": tuple(float(x + y) for x, y in zip(branch, vector(10.0 ** generator.uniform(-7, -4)))),
        "was_touching": float(generator.choice([0.0, 1.0, 1.0, 1.0])),
        "radius_sum": RADIUS_SUM,
        "effective_mass": MASS,
        "held": float(generator.choice([0.0, 1.0])),
    }


def contacts(seed: int, dimension: int, count: int = 200, touching: bool = True) -> list[dict]:
    generator = np.random.default_rng(seed)
    return [pair(generator, dimension, touching) for _ in range(count)]


def parts(law: Law, words: dict) -> tuple[tuple, tuple]:
    """Numbers and rules with every number away from zero."""
    parameters = law.parameters.checked(words)
    return law.numbers(parameters), law.rules(parameters)


def force_on_first(law: Law, words: dict, kinematics: dict) -> np.ndarray:
    """Force on i [N], as the loop over pairs puts it together."""
    numbers, rules = parts(law, words)
    contact, _, _ = contact_between(**kinematics)
    answer = law.force(numbers, rules, contact)
    return np.add(vec.scale(answer.normal_force, contact.normal), answer.shear_force)


def transformed(kinematics: dict, matrix: np.ndarray) -> dict:
    """The same pair in a turned or mirrored frame; spins are axial and change sign with a mirror."""

    def turned(vector: tuple) -> tuple:
        return tuple(float(x) for x in matrix @ np.array(vector))

    mirrored = float(np.sign(np.linalg.det(matrix)))
    roll = kinematics["roll"]
    roll = tuple(mirrored * x for x in (turned(roll) if len(roll) == 3 else roll))
    return kinematics | {name: turned(kinematics[name]) for name in ("branch", "velocity", "anchor")} | {"roll": roll}


@pytest.fixture(scope="module")
def compiled() -> dict:
    """One compiled function per law and dimension, which evaluates the law with every choice of its formulas."""
    made = {}
    for law in laws().values():
        every = tuple(parts(law, words)[1] for words in WORDS.get(law.name, [{}]))
        made[law.name] = [_evaluator(law, rules) for rules in every]
    return made


def _evaluator(law: Law, rules: tuple):
    force, energy, stiffness = law.force, law.energy, law.stiffness
    rule_0, rule_1, rule_2, rule_3 = rules

    @numba.njit(error_model="numpy")
    def evaluate(numbers, branch, velocity, roll, anchor, was_touching, radius_sum, effective_mass, held):
        chosen = (rule_0, rule_1, rule_2, rule_3)
        contact, start, surface = contact_between(
            branch, velocity, roll, anchor, was_touching, radius_sum, effective_mass, held
        )
        answer = force(numbers, chosen, contact)
        return (
            answer,
            energy(numbers, chosen, contact),
            stiffness(numbers, chosen, contact.overlap, held),
            start,
            surface,
        )

    return evaluate


def flat(values) -> list[float]:
    """All numbers of nested tuples."""
    return [x for value in values for x in flat(value)] if isinstance(values, tuple) else [float(values)]


@pytest.mark.parametrize(("dimension", "spin_length"), [(2, 0), (3, 3)])
def test_compiled_law_equals_plain_law(dimension: int, spin_length: int, compiled: dict) -> None:
    for law in laws().values():
        for words, evaluate in zip(WORDS.get(law.name, [{}]), compiled[law.name]):
            numbers = parts(law, words)[0]
            pairs = contacts(1, dimension, 80) + contacts(2, dimension, 20, touching=False)
            for kinematics in (k for k in pairs if len(k["roll"]) == spin_length):
                plain = flat(evaluate.py_func(numbers, **kinematics))
                assert flat(evaluate(numbers, *kinematics.values())) == pytest.approx(plain, rel=1e-13, abs=1e-300)


@every_law
@every_dimension
def test_swapping_the_grains_gives_the_opposite_force(law: Law, words: dict, dimension: int) -> None:
    for kinematics in contacts(3, dimension):
        swapped = kinematics | {name: tuple(-x for x in kinematics[name]) for name in ("branch", "velocity", "anchor")}
        # The sum R_i w_i + R_j w_j is the same for both; seen from the other grain everything else is reversed.
        one, other = force_on_first(law, words, kinematics), force_on_first(law, words, swapped)
        assert one == pytest.approx(-other, rel=1e-13, abs=1e-300)


@every_law
@every_dimension
def test_the_force_turns_with_the_frame(law: Law, words: dict, dimension: int) -> None:
    generator = np.random.default_rng(4)
    for kinematics in contacts(4, dimension, 100):
        matrix, _ = np.linalg.qr(generator.normal(size=(dimension, dimension)))
        here = force_on_first(law, words, kinematics)
        there = force_on_first(law, words, transformed(kinematics, matrix))
        # The overlap is a difference of lengths 1e4 times larger at most, and is raised to 3/2.
        assert there == pytest.approx(matrix @ here, abs=1e-10 * np.abs(here).max())


@every_law
@every_dimension
def test_only_relative_motion_counts(law: Law, words: dict, dimension: int) -> None:
    # The kinematics are made of differences: a boost of both grains cannot reach the law but by rounding.
    generator = np.random.default_rng(5)
    for kinematics in contacts(5, dimension, 50):
        boost = generator.normal(0.0, 100.0, dimension)
        first = boost + np.array(kinematics["velocity"])
        boosted = kinematics | {"velocity": tuple(float(x) for x in first - boost)}
        here = force_on_first(law, words, kinematics)
        assert force_on_first(law, words, boosted) == pytest.approx(here, abs=1e-9 * max(1.0, np.abs(here).max()))


@every_law
@every_dimension
def test_grains_apart_do_not_know_each_other(law: Law, words: dict, dimension: int) -> None:
    numbers, rules = parts(law, words)
    for kinematics in contacts(6, dimension, touching=False):
        contact, _, _ = contact_between(**kinematics)
        assert not any(flat(tuple(law.force(numbers, rules, contact))))
        assert not any(flat(law.energy(numbers, rules, contact)))


@every_law
@every_dimension
def test_shear_force_is_tangential_and_the_capped_part_obeys_coulomb(law: Law, words: dict, dimension: int) -> None:
    numbers, rules = parts(law, words)
    undamped = numbers._replace(shear_damping=0.0)
    for kinematics in contacts(7, dimension):
        contact, _, _ = contact_between(**kinematics)
        total = np.array(law.force(numbers, rules, contact).shear_force)
        spring = np.array(law.force(undamped, rules, contact).shear_force)
        limit = numbers.friction * max(law.force(numbers, rules, contact).normal_force, 0.0)
        capped = total if words.get("coulomb_cap") == "total" else spring
        assert np.linalg.norm(capped) <= limit * (1.0 + 1e-12)
        assert abs(total @ np.array(contact.normal)) <= 1e-12 * (np.linalg.norm(total) + limit)
        if words.get("coulomb_cap") == "spring":
            # The thesis' law: viscous shear comes on top, against the slip velocity.
            slip = np.array(contact.tangential_velocity)
            assert total - spring == pytest.approx(-numbers.shear_damping * MASS * slip, abs=1e-12)


@every_law
def test_without_friction_there_is_no_spring(law: Law, words: dict) -> None:
    numbers, rules = parts(law, words)
    smooth = numbers._replace(friction=0.0, shear_damping=0.0)
    for kinematics in contacts(8, 3):
        contact, _, _ = contact_between(**kinematics)
        assert not np.any(law.force(smooth, rules, contact).shear_force)


def head_on(overlap: float, normal_velocity: float, held: float, dimension: int = 2) -> Contact:
    """A contact without shear."""
    zero = (0.0,) * dimension
    return Contact(overlap, (1.0, *zero[1:]), normal_velocity, zero, zero, MASS, held)


@every_law
@pytest.mark.parametrize("held", [0.0, 1.0])
def test_stored_energy_is_the_work_of_the_normal_force_and_stiffness_its_slope(law: Law, words, held: float) -> None:
    numbers, rules = parts(law, words)
    deepest, count = 1e-4, 2000
    overlaps = np.linspace(0.0, deepest, count + 1)
    forces = [law.force(numbers, rules, head_on(float(d), 0.0, held)).normal_force for d in overlaps]
    energy = law.energy(numbers, rules, head_on(deepest, 0.0, held))[0]
    # Trapezium rule of d^(3/2): error below (1/12) h² F'(deepest), relative (5/2)(3/2)/12 / count².
    assert np.trapezoid(forces, overlaps) == pytest.approx(energy, rel=1.0 / count**1.5)
    for k in (10, count // 2, count - 1):
        slope = (forces[k + 1] - forces[k - 1]) / (overlaps[k + 1] - overlaps[k - 1])
        stiffness = law.stiffness(numbers, rules, float(overlaps[k]), held)[0]
        assert stiffness == pytest.approx(slope, rel=1.0 / k**2)


@every_law
def test_a_closed_normal_cycle_gains_no_energy(law: Law, words: dict) -> None:
    # In and out along the same path at opposite velocities: what is not lost to damping comes back, no more.
    numbers, rules = parts(law, words)
    overlaps = np.linspace(0.0, 1e-4, 500)
    for speed in (0.0, 1e-3, 0.1, 1.0):
        inward = [law.force(numbers, rules, head_on(float(d), -speed, 0.0)).normal_force for d in overlaps]
        outward = [law.force(numbers, rules, head_on(float(d), speed, 0.0)).normal_force for d in overlaps]
        lost = np.trapezoid(inward, overlaps) - np.trapezoid(outward, overlaps)
        expected = 2.0 * numbers.normal_damping * MASS * speed * overlaps[-1]
        assert lost >= -1e-18
        assert lost == pytest.approx(expected, rel=2e-3, abs=1e-18)


@every_law
@every_dimension
def test_damping_and_sliding_never_give_energy(law: Law, words: dict, dimension: int) -> None:
    numbers, rules = parts(law, words)
    for kinematics in contacts(9, dimension):
        contact, _, _ = contact_between(**kinematics)
        answer = law.force(numbers, rules, contact)
        assert answer.damping_power >= 0.0
        # The power the force takes out of the motion is what the ledger is told.
        force = np.array(answer.shear_force) @ np.array(contact.tangential_velocity)
        elastic = law.force(numbers._replace(normal_damping=0.0), rules, contact).normal_force
        viscous = (answer.normal_force - elastic) * contact.normal_velocity
        told = answer.damping_power + answer.friction_power
        assert told == pytest.approx(-force - viscous, rel=1e-9, abs=1e-15)


@every_law
def test_a_dragged_anchor_leaves_a_spring_no_longer_than_its_limit(law: Law, words: dict) -> None:
    numbers, rules = parts(law, words)
    for kinematics in contacts(10, 3):
        contact, _, _ = contact_between(**kinematics)
        answer = law.force(numbers, rules, contact)
        left = np.linalg.norm(np.subtract(contact.shear, answer.slip))
        if words.get("anchor") == "cundall-strack":
            limit = numbers.friction * max(answer.normal_force, 0.0) / numbers.shear_stiffness
            assert left <= limit * (1.0 + 1e-9) + 1e-300
        else:
            assert not any(answer.slip)


@every_law
@pytest.mark.parametrize("stretch", [1e-7, 1e-5, 1e-3])
def test_energy_of_the_friction_spring_is_the_work_that_stretched_it(law: Law, words: dict, stretch: float) -> None:
    # A spring pulled out along a line at constant overlap; the dragged form cannot store more than at its limit.
    numbers, rules = parts(law, words)
    numbers = numbers._replace(shear_damping=0.0)
    pulls = np.linspace(0.0, stretch, 2001)

    def contact(pull: float) -> Contact:
        return Contact(5e-5, (1.0, 0.0), 0.0, (0.0, 0.0), (0.0, pull), MASS, 0.0)

    forces = [-law.force(numbers, rules, contact(float(pull))).shear_force[1] for pull in pulls]
    stored = law.energy(numbers, rules, contact(stretch))[1]
    if words.get("anchor") == "cundall-strack":
        stretch = min(stretch, max(forces) / numbers.shear_stiffness)
        assert stored == pytest.approx(0.5 * numbers.shear_stiffness * stretch**2, rel=1e-9)
    else:
        assert stored == pytest.approx(np.trapezoid(forces, pulls), rel=1e-3)
    assert math.isfinite(stored)
