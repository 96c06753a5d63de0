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
from sim.materials import FRICTION

WORDS = {
    "lee_herrmann": [
        dict(zip(("exponent", "anchor", "coulomb_cap"), words))
        for words in itertools.product(("hertz", "linear"), ("lee-herrmann", "cundall-strack"), ("spring", "total"))
    ],
    "voigt": [{"stiffness_from": "given"}, {"stiffness_from": "material"}],
}
"""The choices of formula of each law; a new law without an entry is tested with its defaults."""

NUMBERS = {"friction": 0.4, "wall_friction": 0.25, "rolling_friction": 0.02, "twisting_friction": 0.01}
UNDAMPED = {"normal_damping": 0.0, "shear_damping": 0.0, "normal_viscosity": 0.0, "restitution": 1.0}
SMOOTH = {"friction": 0.0, "wall_friction": 0.0, "shear_damping": 0.0}

CASES = [
    pytest.param(law, words, id="-".join((law.name, *words.values())))
    for law in laws().values()
    for words in WORDS.get(law.name, [{}])
]
every_law = pytest.mark.parametrize(("law", "words"), CASES)
every_motion = pytest.mark.parametrize(("dimension", "spin_length"), [(2, 0), (2, 1), (3, 0), (3, 3)])
RADIUS_SUM, RADIUS, MASS = 2.1e-3, 5.2e-4, 4e-4
MIRRORED_BY_SWAP = ("branch", "place", "velocity", "relative_spin", "memory")


def test_every_choice_of_formula_is_tried() -> None:
    for law in laws().values():
        declared = law.parameters.declared().values()
        for name, choices in ((p.name, p.choices) for p in declared if p.kind == "choice"):
            tried = {words.get(name) for words in WORDS.get(law.name, [])}
            assert tried == set(choices), (law.name, name)


def pair(generator: np.random.Generator, dimension: int, spin_length: int, touching: bool = True) -> dict:
    """The kinematics of a random pair, in contact since a while or not touching."""

    def vector(size: float, length: int = dimension) -> tuple[float, ...]:
        return tuple(float(x) for x in generator.normal(0.0, size, length))

    direction = np.array(vector(1.0))
    overlap = RADIUS_SUM * generator.uniform(1e-4, 0.1) * (1.0 if touching else -1.0)
    branch = tuple(float(x) for x in direction / np.linalg.norm(direction) * (RADIUS_SUM - overlap))
    stretch = vector(10.0 ** generator.uniform(-7, -4))
    return {
        "branch": branch,
        "place": branch,
        "velocity": vector(0.3),
        "roll": vector(0.3, spin_length),
        "mean_spin": vector(300.0, spin_length),
        "relative_spin": vector(300.0, spin_length),
        "memory": stretch if spin_length else tuple(x + y for x, y in zip(branch, stretch)),
        "was_touching": float(generator.choice([0.0, 1.0, 1.0, 1.0])),
        "radius_sum": RADIUS_SUM,
        "effective_radius": RADIUS,
        "effective_mass": MASS,
        "spin_mobility": 2.5 / (MASS * RADIUS**2),
        "held": float(generator.choice([0.0, 1.0])),
        "kind": int(generator.integers(4)),
        "duration": 1e-6,
    }


def contacts(seed: int, motion: tuple[int, int], count: int = 200, touching: bool = True) -> list[dict]:
    generator = np.random.default_rng(seed)
    return [pair(generator, *motion, touching) for _ in range(count)]


def parts(law: Law, words: dict, **values: float) -> tuple[tuple, tuple]:
    """Numbers and rules with every number away from zero; of `values` those that the law declares."""
    declared = law.parameters.declared()
    known = {name: value for name, value in (NUMBERS | values).items() if name in declared}
    parameters = law.parameters.checked(words | known)
    return law.numbers(parameters), law.rules(parameters)


def met(law: Law, numbers: tuple, kinematics: dict) -> Contact:
    """The contact as the law sees it."""
    others = {name: value for name, value in kinematics.items() if name != "kind"}
    contact, _ = contact_between(**others, material=law.properties(numbers, kinematics["kind"]), gentle=1.0)
    return contact


def friction_of(law: Law, contact: Contact) -> float:
    """Friction coefficient of that pair of materials, as NUMBERS give it."""
    if not law.needs_material:
        return NUMBERS["friction"]
    expected = min(NUMBERS["friction"], NUMBERS["wall_friction"], key=lambda mu: abs(mu - contact.material[FRICTION]))
    assert contact.material[FRICTION] == pytest.approx(expected, rel=1e-12)
    return expected


def coulomb_limit(law: Law, contact: Contact, normal_force: float) -> float:
    """mu F_n [N], none where the force pulls; the hourglass' law is published with mu |F_n|."""
    load = abs(normal_force) if law.name == "memoryless" else max(normal_force, 0.0)
    return friction_of(law, contact) * load


def caps_spring_only(law: Law, words: dict) -> bool:
    return words.get("coulomb_cap") == "spring"


def drags(law: Law, words: dict) -> bool:
    """Whether a sliding spring gives way."""
    return words.get("anchor", "dragged") != "lee-herrmann" and law.name != "memoryless"


def effort(law: Law, words: dict, kinematics: dict) -> tuple[np.ndarray, np.ndarray]:
    """Force on i [N] and torque on i besides that of the force [N m], as the loop over pairs has them."""
    numbers, rules = parts(law, words)
    contact = met(law, numbers, kinematics)
    answer = law.force(numbers, rules, contact)
    force = np.add(vec.scale(answer.normal_force, contact.normal), answer.shear_force)
    return force, np.array(answer.moment)


def transformed(kinematics: dict, matrix: np.ndarray) -> dict:
    """The same pair in a turned or mirrored frame; spins are axial and change sign with a mirror."""

    def turned(vector: tuple) -> tuple:
        return tuple(float(x) for x in matrix @ np.array(vector))

    vectors = ("branch", "place", "velocity", "memory")
    axial = ("roll", "mean_spin", "relative_spin")
    return (
        kinematics
        | {name: turned(kinematics[name]) for name in vectors}
        | {name: tuple(map(float, turned_axial(kinematics[name], matrix))) for name in axial}
    )


def turned_axial(spin: tuple | np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """A spin or torque in a turned or mirrored frame."""
    mirrored = float(np.sign(np.linalg.det(matrix)))
    return mirrored * (matrix @ np.array(spin) if len(spin) == 3 else np.array(spin))


@pytest.fixture(scope="module")
def compiled() -> dict:
    """One function per law and choice of its formulas, compiled for the motions it is called with."""
    return {
        law.name: [_evaluator(law, parts(law, words)[1]) for words in WORDS.get(law.name, [{}])]
        for law in laws().values()
    }


def _evaluator(law: Law, rules: tuple):
    force, energy, stiffness, properties = law.force, law.energy, law.stiffness, law.properties
    rule_0, rule_1, rule_2, rule_3 = rules

    @numba.njit(error_model="numpy")
    def evaluate(numbers, b, p, v, roll, mean, relative, memory, was_touching, lengths, mass, yielding, held, kind, dt):
        chosen = (rule_0, rule_1, rule_2, rule_3)
        contact, start = contact_between(
            b,
            p,
            v,
            roll,
            mean,
            relative,
            memory,
            was_touching,
            lengths[0],
            lengths[1],
            mass,
            yielding,
            held,
            properties(numbers, kind),
            dt,
            1.0,
        )
        answer = force(numbers, chosen, contact)
        return answer, energy(numbers, chosen, contact), stiffness(numbers, chosen, contact), start

    return evaluate


def arguments(kinematics: dict) -> tuple:
    """The kinematics as `evaluate` takes them."""
    values = list(kinematics.values())
    return (*values[:8], (values[8], values[9]), *values[10:])


def flat(values) -> list[float]:
    """All numbers of nested tuples."""
    return [x for value in values for x in flat(value)] if isinstance(values, tuple) else [float(values)]


@every_motion
def test_compiled_law_equals_plain_law(dimension: int, spin_length: int, compiled: dict) -> None:
    for law in laws().values():
        choices = list(zip(WORDS.get(law.name, [{}]), compiled[law.name]))
        # Every choice of formula in the plane without and in space with rotation; for the rest one choice shows the
        # vectors at work.
        for words, evaluate in choices if (dimension, spin_length) in ((2, 0), (3, 3)) else choices[:1]:
            numbers = parts(law, words)[0]
            motion = dimension, spin_length
            for kinematics in contacts(1, motion, 80) + contacts(2, motion, 20, touching=False):
                plain = flat(evaluate.py_func(numbers, *arguments(kinematics)))
                assert flat(evaluate(numbers, *arguments(kinematics))) == pytest.approx(plain, rel=1e-13, abs=1e-300)


@every_law
@every_motion
def test_swapping_the_grains_gives_the_opposite_force(law: Law, words: dict, dimension, spin_length) -> None:
    for kinematics in contacts(3, (dimension, spin_length)):
        swapped = kinematics | {name: tuple(-x for x in kinematics[name]) for name in MIRRORED_BY_SWAP}
        # R_i w_i + R_j w_j and the mean spin are the same for both; seen from the other grain all else is reversed.
        for one, other in zip(effort(law, words, kinematics), effort(law, words, swapped)):
            assert one == pytest.approx(-other, rel=1e-13, abs=1e-300)


@every_law
@every_motion
def test_the_force_turns_with_the_frame(law: Law, words: dict, dimension: int, spin_length: int) -> None:
    generator = np.random.default_rng(4)
    for kinematics in contacts(4, (dimension, spin_length), 100):
        matrix, _ = np.linalg.qr(generator.normal(size=(dimension, dimension)))
        force, moment = effort(law, words, kinematics)
        force_there, moment_there = effort(law, words, transformed(kinematics, matrix))
        # The overlap is a difference of lengths 1e4 times larger at most, and is raised to 3/2.
        assert force_there == pytest.approx(matrix @ force, abs=1e-10 * np.abs(force).max())
        expected = turned_axial(moment, matrix)
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
def test_grains_apart_do_not_know_each_other(law: Law, words: dict, dimension: int, spin_length: int) -> None:
    numbers, rules = parts(law, words)
    for kinematics in contacts(6, (dimension, spin_length), touching=False):
        contact = met(law, numbers, kinematics)
        assert not any(flat(tuple(law.force(numbers, rules, contact))))
        assert not any(flat(law.energy(numbers, rules, contact)))


@every_law
@every_motion
def test_shear_force_is_tangential_and_the_capped_part_obeys_coulomb(law, words, dimension, spin_length) -> None:
    numbers, rules = parts(law, words)
    undamped = parts(law, words, shear_damping=0.0)[0]
    for kinematics in contacts(7, (dimension, spin_length)):
        contact = met(law, numbers, kinematics)
        answer = law.force(numbers, rules, contact)
        total = np.array(answer.shear_force)
        spring = np.array(law.force(undamped, rules, contact).shear_force)
        limit = coulomb_limit(law, contact, answer.normal_force)
        capped = spring if caps_spring_only(law, words) else total
        assert np.linalg.norm(capped) <= limit * (1.0 + 1e-12)
        assert abs(total @ np.array(contact.normal)) <= 1e-12 * (np.linalg.norm(total) + limit)
        if caps_spring_only(law, words):
            # The thesis' law: viscous shear comes on top, against the slip velocity.
            slip = np.array(contact.tangential_velocity)
            assert total - spring == pytest.approx(-numbers.shear_damping * MASS * slip, abs=1e-12)


@every_law
def test_without_friction_there_is_no_spring(law: Law, words: dict) -> None:
    smooth, rules = parts(law, words, **SMOOTH)
    for kinematics in contacts(8, (3, 0)) + contacts(8, (3, 3)):
        contact = met(law, smooth, kinematics)
        assert not np.any(law.force(smooth, rules, contact).shear_force)


@every_law
@pytest.mark.parametrize(("dimension", "spin_length"), [(2, 1), (3, 3)])
def test_rolling_resistance_is_limited_and_only_slows(law: Law, words: dict, dimension: int, spin_length: int) -> None:
    numbers, rules = parts(law, words)
    resisting = "rolling_friction" in law.parameters.declared()
    for kinematics in contacts(11, (dimension, spin_length)):
        contact = met(law, numbers, kinematics)
        answer = law.force(numbers, rules, contact)
        moment, spin = np.array(answer.moment), np.array(contact.relative_spin)
        load = RADIUS * max(answer.normal_force, 0.0)
        normal = np.array(contact.normal)
        twisting = normal * (moment @ normal) if spin_length == 3 else 0.0 * moment
        assert np.linalg.norm(moment - twisting) <= NUMBERS["rolling_friction"] * load * (1.0 + 1e-12)
        assert np.linalg.norm(twisting) <= NUMBERS["twisting_friction"] * load * (1.0 + 1e-9)
        assert moment @ spin <= 0.0
        assert np.any(moment) == (resisting and load > 0.0)
        # Twelve such contacts, for the time they stand for, stop the relative spin at most.
        left = spin + 12.0 * kinematics["duration"] * kinematics["spin_mobility"] * moment
        assert left @ spin >= -1e-9 * (spin @ spin)


def head_on(
    material: tuple, overlap: float, normal_velocity: float, held: float, spin_length: int = 0, shear: float = 0.0
) -> Contact:
    """A contact along x, sheared by `shear` [m] along y."""
    zero = (0.0, 0.0)
    spin = (0.0,) * spin_length
    return Contact(overlap, (1.0, 0.0), normal_velocity, zero, (0.0, shear), MASS, RADIUS, held, material, spin, 0.0)


@every_law
@pytest.mark.parametrize("held", [0.0, 1.0])
def test_stored_energy_is_the_work_of_the_normal_force_and_stiffness_its_slope(law: Law, words, held: float) -> None:
    numbers, rules = parts(law, words)
    material = law.properties(numbers, 0)
    deepest, count = 1e-4, 2000
    overlaps = np.linspace(0.0, deepest, count + 1)
    forces = [law.force(numbers, rules, head_on(material, float(d), 0.0, held)).normal_force for d in overlaps]
    energy = law.energy(numbers, rules, head_on(material, deepest, 0.0, held))[0]
    # Trapezium rule of d^(3/2): error below (1/12) h² F'(deepest), relative (5/2)(3/2)/12 / count².
    assert np.trapezoid(forces, overlaps) == pytest.approx(energy, rel=1.0 / count**1.5)
    for k in (10, count // 2, count - 1):
        slope = (forces[k + 1] - forces[k - 1]) / (overlaps[k + 1] - overlaps[k - 1])
        stiffness = law.stiffness(numbers, rules, head_on(material, float(overlaps[k]), 0.0, held))[0]
        assert stiffness == pytest.approx(slope, rel=1.0 / k**2)


@every_law
def test_a_closed_normal_cycle_gains_no_energy(law: Law, words: dict) -> None:
    # In and out along the same path at opposite velocities: what is not lost to damping comes back, no more.
    numbers, rules = parts(law, words)
    material = law.properties(numbers, 0)
    overlaps = np.linspace(0.0, 1e-4, 500)
    rates = [law.stiffness(numbers, rules, head_on(material, float(d), 0.0, 0.0))[2] for d in overlaps]
    for speed in (0.0, 1e-3, 0.1, 1.0):
        inward = [law.force(numbers, rules, head_on(material, float(d), -speed, 0.0)).normal_force for d in overlaps]
        outward = [law.force(numbers, rules, head_on(material, float(d), speed, 0.0)).normal_force for d in overlaps]
        lost = np.trapezoid(inward, overlaps) - np.trapezoid(outward, overlaps)
        expected = 2.0 * np.trapezoid(rates, overlaps) * MASS * speed
        assert lost >= -1e-18
        assert lost == pytest.approx(expected, rel=2e-3, abs=1e-18)


@every_law
@every_motion
def test_damping_and_sliding_never_give_energy(law: Law, words: dict, dimension: int, spin_length: int) -> None:
    numbers, rules = parts(law, words)
    undamped = parts(law, words, **UNDAMPED)[0]
    for kinematics in contacts(9, (dimension, spin_length)):
        contact = met(law, numbers, kinematics)
        answer = law.force(numbers, rules, contact)
        assert answer.damping_power >= 0.0
        # The power the force takes out of the motion is what the ledger is told.
        force = np.array(answer.shear_force) @ np.array(contact.tangential_velocity)
        elastic = law.force(undamped, rules, met(law, undamped, kinematics)).normal_force
        viscous = (answer.normal_force - elastic) * contact.normal_velocity
        rolling = vec.dot(answer.moment, contact.relative_spin)
        told = answer.damping_power + answer.friction_power
        assert told == pytest.approx(-force - viscous - rolling, rel=1e-9, abs=1e-15)


@every_law
@pytest.mark.parametrize("motion", [(3, 0), (3, 3)])
def test_a_dragged_anchor_leaves_a_spring_no_longer_than_its_limit(law: Law, words: dict, motion) -> None:
    numbers, rules = parts(law, words)
    for kinematics in contacts(10, motion):
        contact = met(law, numbers, kinematics)
        answer = law.force(numbers, rules, contact)
        left = np.linalg.norm(np.subtract(contact.shear, answer.slip))
        if drags(law, words):
            stiffness = law.stiffness(numbers, rules, contact)[1]
            limit = coulomb_limit(law, contact, answer.normal_force) / stiffness
            assert left <= limit * (1.0 + 1e-9) + 1e-300
        else:
            assert not any(answer.slip)


@every_law
@pytest.mark.parametrize("stretch", [1e-7, 1e-5, 1e-3])
def test_energy_of_the_friction_spring_is_the_work_that_stretched_it(law: Law, words: dict, stretch: float) -> None:
    # A spring pulled out along a line at constant overlap; the dragged form cannot store more than at its limit.
    numbers, rules = parts(law, words, shear_damping=0.0)
    material = law.properties(numbers, 0)
    pulls = np.linspace(0.0, stretch, 2001)

    def contact(pull: float) -> Contact:
        return head_on(material, 5e-5, 0.0, 0.0, shear=pull)

    forces = [-law.force(numbers, rules, contact(float(pull))).shear_force[1] for pull in pulls]
    stored = law.energy(numbers, rules, contact(stretch))[1]
    if drags(law, words):
        stiffness = law.stiffness(numbers, rules, contact(0.0))[1]
        stretch = min(stretch, max(forces) / stiffness)
        assert stored == pytest.approx(0.5 * stiffness * stretch**2, rel=1e-9)
    else:
        assert stored == pytest.approx(np.trapezoid(forces, pulls), rel=1e-3)
    assert math.isfinite(stored)
