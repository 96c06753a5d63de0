"""Random contacts in the plane and in space, and every law with every choice of its formulas to try on them."""

from __future__ import annotations

import itertools
from functools import cache
from math import inf, pi

import numpy as np
import pytest
from repose.sim.engine.contacts.kinematics import (
    Contact,
    PairMotion,
    PairProperties,
    ShearMemory,
    contact_between,
    force_of,
)
from repose.sim.engine.model import BoundLaw, Stage
from repose.sim.laws.law import Law
from repose.sim.laws.material_columns import FRICTION
from repose.sim.registry import laws

WORDS = {
    "lee_herrmann": [
        dict(zip(("exponent", "anchor", "coulomb_cap"), words))
        for words in (
            *itertools.product(("hertz", "linear"), ("lee-herrmann", "cundall-strack"), ("spring", "total")),
            ("linear", "lee-herrmann", "lammps"),
        )
    ],
    "voigt": [{"stiffness_from": "given"}, {"stiffness_from": "material"}],
}
"""The choices of formula of each law; a new law without an entry is tested with its defaults."""

NUMBERS = {
    "friction": 0.4,
    "wall_friction": 0.25,
    "rolling_friction": 0.02,
    "twisting_friction": 0.01,
    "pull_off_force": 1e-3,
    "surface_energy": 0.05,
}

WATER = 0.072
"""Surface tension [N/m]."""

CASES = [
    pytest.param(law, words, id="-".join((law.name, *words.values())))
    for law in laws().values()
    for words in WORDS.get(law.name, [{}])
]
every_law = pytest.mark.parametrize(("law", "words"), CASES)
every_motion = pytest.mark.parametrize(("dimension", "spin_length"), [(2, 0), (2, 1), (3, 0), (3, 3)])
RADIUS_SUM, RADIUS, MASS = 2.1e-3, 5.2e-4, 4e-4


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
        "per_distance": 1.0 / (RADIUS_SUM - overlap),
        "position": branch,
        "velocity": vector(0.3),
        "roll": vector(0.3, spin_length),
        "relative_spin": vector(300.0, spin_length),
        "displacement": vector(3e-7),
        "rolling": vector(3e-7, spin_length),
        "mean_rotation": vector(3e-4, spin_length),
        "curved": 1.0,
        "shear_spring": stretch if spin_length else tuple(x + y for x, y in zip(branch, stretch)),
        "touching": float(generator.choice([0.0, 1.0, 1.0, 1.0])),
        "radius_sum": RADIUS_SUM,
        "effective_radius": RADIUS,
        "effective_mass": MASS,
        "effective_inertia": 0.4 * MASS * RADIUS**2,
        "fixed": float(generator.choice([0.0, 1.0])),
        "kind": int(generator.integers(4)),
        "dt": 1e-6,
        "behind": 0.0,
        "elapsed": 1e-6,
    }


@cache
def contacts(seed: int, motion: tuple[int, int], count: int = 200, touching: bool = True) -> tuple[dict, ...]:
    """Random pairs, the same ones for every law; tests do not change them."""
    generator = np.random.default_rng(seed)
    return tuple(pair(generator, *motion, touching) for _ in range(count))


def bound(law: Law, words: dict, **values: float) -> tuple[tuple, BoundLaw]:
    """Numbers and functions with every number away from zero; of `values` those that the law declares."""
    return _bound(law.name, tuple(words.items()), tuple(values.items()))


@cache
def _bound(name: str, words: tuple[tuple[str, str], ...], values: tuple[tuple[str, float], ...]) -> tuple:
    law = laws()[name]
    declared = law.parameters.declared()
    known = {name: value for name, value in (NUMBERS | dict(values)).items() if name in declared}
    parameters = law.parameters.checked(dict(words) | known)
    return law.coefficients(parameters), law.bind(parameters)


def records(kinematics: dict, material: tuple) -> tuple[PairMotion, PairProperties, ShearMemory, Stage]:
    """The kinematics as `contact_between` takes them."""
    known = kinematics | {"material": material, "damping_fraction": 1.0}

    def filled(kind):
        return kind(*(known[name] for name in kind._fields))

    return filled(PairMotion), filled(PairProperties), filled(ShearMemory), filled(Stage)


def contact_of(functions: BoundLaw, numbers: tuple, kinematics: dict) -> Contact:
    """The contact as the law sees it."""
    contact, _ = contact_between(*records(kinematics, functions.material(numbers, kinematics["kind"])))
    return contact


def friction_of(law: Law, contact: Contact) -> float:
    """Friction coefficient of that pair of materials, as NUMBERS give it."""
    if not contact.material:
        return NUMBERS["friction"]
    expected = min(NUMBERS["friction"], NUMBERS["wall_friction"], key=lambda mu: abs(mu - contact.material[FRICTION]))
    assert contact.material[FRICTION] == pytest.approx(expected, rel=1e-12)
    return expected


def coulomb_limit(law: Law, words: dict, contact: Contact, normal_force: float) -> float:
    """mu F_n [N], none where the force pulls; LAMMPS and the hourglass' law have mu |F_n|."""
    normal_force += pressing(law, contact)
    either_way = law.name == "memoryless" or words.get("coulomb_cap") == "lammps"
    load = abs(normal_force) if either_way else max(normal_force, 0.0)
    return friction_of(law, contact) * load


def pressing(law: Law, contact: Contact) -> float:
    """What cohesion adds to the normal force that friction is in proportion to [N]: for bridges the pull, by which the
    contact is pressed the more; for adhesion twice the pull-off force."""
    radius, surface_energy = contact.effective_radius, NUMBERS["surface_energy"]
    return {
        "capillary": NUMBERS["pull_off_force"],
        "liquid_bridge": 4.0 * pi * WATER * radius,
        "jkr": 6.0 * pi * surface_energy * radius,
        "dmt": 8.0 * pi * surface_energy * radius,
    }.get(law.name, 0.0)


def caps_spring_only(law: Law, words: dict) -> bool:
    return words.get("coulomb_cap") == "spring"


def resets(words: dict) -> bool:
    """Whether a sliding spring becomes as long as spring and damper together allow."""
    return words.get("coulomb_cap") == "lammps"


def drags(law: Law, words: dict) -> bool:
    """Whether a sliding spring gives way."""
    return words.get("anchor", "dragged") != "lee-herrmann" and law.name not in ("memoryless", "bounded_spring")


def effort(law: Law, words: dict, kinematics: dict) -> tuple[np.ndarray, np.ndarray]:
    """Force on i [N] and torque on i besides that of the force [N m], as the loop over pairs computes them."""
    numbers, functions = bound(law, words)
    contact = contact_of(functions, numbers, kinematics)
    answer = functions.force(numbers, contact)
    return np.array(force_of(contact, answer)), np.array(answer.torque)


def transformed(kinematics: dict, matrix: np.ndarray) -> dict:
    """The same pair in a turned or mirrored frame; spins are axial and change sign with a mirror."""

    def turned(vector: tuple) -> tuple:
        return tuple(float(x) for x in matrix @ np.array(vector))

    vectors = ("branch", "position", "velocity", "shear_spring", "displacement")
    axial = ("roll", "relative_spin", "rolling", "mean_rotation")
    return (
        kinematics
        | {name: turned(kinematics[name]) for name in vectors}
        | {name: tuple(map(float, turned_axial(kinematics[name], matrix))) for name in axial}
    )


def turned_axial(spin: tuple | np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """A spin or torque in a turned or mirrored frame."""
    mirrored = float(np.sign(np.linalg.det(matrix)))
    return mirrored * (matrix @ np.array(spin) if len(spin) == 3 else np.array(spin))


def flat(values) -> list[float]:
    """All numbers of nested tuples."""
    return [x for value in values for x in flat(value)] if isinstance(values, tuple) else [float(values)]


def head_on(
    material: tuple, overlap: float, normal_velocity: float, fixed: float, spin_length: int = 0, shear: float = 0.0
) -> Contact:
    """A contact along x, sheared by `shear` [m] along y."""
    spin = (0.0,) * spin_length
    return Contact(
        *(overlap, 0.0, (1.0, 0.0), normal_velocity, (0.0,), (shear,), (0.0,), MASS, RADIUS, fixed, material, spin),
        *(0.0, inf, 1.0),
    )
