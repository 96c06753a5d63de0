"""The energy of every contact law: stored energy is work, losses are booked, none is created."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.engine import vector
from repose.sim.engine.contacts.kinematics import Contact
from repose.sim.laws.law import Law

from tests.random_contacts import (
    MASS,
    bound,
    contact_of,
    contacts,
    coulomb_limit,
    drags,
    every_law,
    every_motion,
    head_on,
    resets,
)

UNDAMPED = {"normal_damping": 0.0, "shear_damping": 0.0, "normal_viscosity": 0.0, "restitution": 1.0}


@every_law
@pytest.mark.parametrize("fixed", [0.0, 1.0])
def test_stored_energy_is_the_work_of_the_normal_force_and_stiffness_its_slope(law: Law, words, fixed: float) -> None:
    numbers, functions = bound(law, words)
    material = functions.material(numbers, 0)
    deepest, count = 1e-4, 2000
    overlaps = np.linspace(0.0, deepest, count + 1)
    forces = [functions.force(numbers, head_on(material, float(d), 0.0, fixed)).normal_force for d in overlaps]
    # A law that attracts at a distance stores less at touch than far apart.
    at_touch, pressed = (functions.energy(numbers, head_on(material, d, 0.0, fixed))[0] for d in (0.0, deepest))
    energy = pressed - at_touch
    # Trapezium rule of d^(3/2): error below (1/12) h² F'(deepest), relative (5/2)(3/2)/12 / count².
    assert np.trapezoid(forces, overlaps) == pytest.approx(energy, rel=1.0 / count**1.5)
    for k in (10, count // 2, count - 1):
        slope = (forces[k + 1] - forces[k - 1]) / (overlaps[k + 1] - overlaps[k - 1])
        stiffness = functions.stiffness(numbers, head_on(material, float(overlaps[k]), 0.0, fixed))[0]
        assert stiffness == pytest.approx(slope, rel=1.0 / k**2)


@every_law
def test_a_closed_normal_cycle_gains_no_energy(law: Law, words: dict) -> None:
    # In and out along the same path at opposite velocities: what is not lost to damping comes back, no more.
    numbers, functions = bound(law, words)
    material = functions.material(numbers, 0)
    overlaps = np.linspace(0.0, 1e-4, 500)
    rates = [functions.stiffness(numbers, head_on(material, float(d), 0.0, 0.0))[2] for d in overlaps]
    for speed in (0.0, 1e-3, 0.1, 1.0):
        inward = [functions.force(numbers, head_on(material, float(d), -speed, 0.0)).normal_force for d in overlaps]
        outward = [functions.force(numbers, head_on(material, float(d), speed, 0.0)).normal_force for d in overlaps]
        lost = np.trapezoid(inward, overlaps) - np.trapezoid(outward, overlaps)
        expected = 2.0 * np.trapezoid(rates, overlaps) * MASS * speed
        assert lost >= -1e-18
        assert lost == pytest.approx(expected, rel=2e-3, abs=1e-18)


@every_law
@every_motion
def test_damping_and_sliding_never_give_energy(law: Law, words: dict, dimension: int, spin_length: int) -> None:
    numbers, functions = bound(law, words)
    undamped = bound(law, words, **UNDAMPED)[0]
    for kinematics in contacts(9, (dimension, spin_length)):
        # So short a time that the spring hardly changes: displacement and rotation are velocity and spin times dt.
        dt = 1e-12
        short = {"displacement": "velocity", "rolling": "roll"}
        kinematics |= {name: tuple(dt * x for x in kinematics[rate]) for name, rate in short.items()}
        kinematics |= {"mean_rotation": tuple(0.0 for _ in kinematics["roll"])}
        contact = contact_of(functions, numbers, kinematics)
        relaxation = functions.force(numbers, contact).spring_relaxation
        if relaxation:  # a spring that an evaluation left behind is not beyond its limit
            contact = contact._replace(shear=tuple(np.subtract(contact.shear, relaxation)))
        answer = functions.force(numbers, contact)
        assert answer.damping_power >= 0.0
        # The power the force takes out of the motion is what the ledger is told.
        force = np.array(answer.shear_force) @ np.array(contact.tangential_velocity)
        elastic = functions.force(undamped, contact_of(functions, undamped, kinematics)).normal_force
        viscous = (answer.normal_force - elastic) * contact.normal_velocity
        rolling = vector.dot(answer.torque, contact.relative_spin)
        # The slip of spheres that rotate is measured at the undeformed radius; the engine books as much less work.
        share = 1.0 - contact.overlap / kinematics["radius_sum"] if spin_length else 1.0
        told = answer.damping_power + share * answer.friction_work / dt
        size = np.linalg.norm(answer.shear_force) * np.linalg.norm(kinematics["velocity"])
        assert told == pytest.approx(-force - viscous - rolling, rel=1e-4, abs=1e-4 * size + 1e-15)


@every_law
@pytest.mark.parametrize("motion", [(3, 0), (3, 3)])
def test_a_sliding_friction_spring_is_never_longer_than_its_limit(law: Law, words: dict, motion) -> None:
    numbers, functions = bound(law, words)
    for kinematics in contacts(10, motion):
        contact = contact_of(functions, numbers, kinematics)
        answer = functions.force(numbers, contact)
        if resets(words):
            stiffness, damping = functions.stiffness(numbers, contact)[1], functions.stiffness(numbers, contact)[3]
            lag = damping * MASS / stiffness * np.array(contact.tangential_velocity)
            pull = np.subtract(contact.shear, answer.spring_relaxation) + lag
            limit = coulomb_limit(law, words, contact, answer.normal_force) / stiffness
            assert np.linalg.norm(pull) <= limit * (1.0 + 1e-9) + 1e-300
            assert -stiffness * pull == pytest.approx(np.array(answer.shear_force), rel=1e-9, abs=1e-15)
        elif drags(law, words):
            stiffness = functions.stiffness(numbers, contact)[1]
            limit = coulomb_limit(law, words, contact, answer.normal_force) / stiffness
            left = np.linalg.norm(np.subtract(contact.shear, answer.spring_relaxation))
            # A limit of zero takes the spring away but for its rounding.
            assert left <= limit * (1.0 + 1e-9) + 4.0 * np.spacing(np.linalg.norm(contact.shear))
        else:
            assert not any(answer.spring_relaxation)


@every_law
@pytest.mark.parametrize("stretch", [1e-7, 1e-5, 1e-3])
def test_energy_of_the_friction_spring_is_the_work_that_stretched_it(law: Law, words: dict, stretch: float) -> None:
    # A spring pulled out along a line at constant overlap; the dragged form cannot store more than at its limit.
    numbers, functions = bound(law, words, shear_damping=0.0)
    material = functions.material(numbers, 0)
    pulls = np.linspace(0.0, stretch, 2001)

    def contact(pull: float) -> Contact:
        return head_on(material, 5e-5, 0.0, 0.0, shear=pull)

    if resets(words):  # no evaluation leaves the spring longer
        normal_force = functions.force(numbers, contact(0.0)).normal_force
        longest = coulomb_limit(law, words, contact(0.0), normal_force) / functions.stiffness(numbers, contact(0.0))[1]
        stretch = min(stretch, longest)
        pulls = np.linspace(0.0, stretch, 2001)
    forces = [-functions.force(numbers, contact(float(pull))).shear_force[0] for pull in pulls]
    stored = functions.energy(numbers, contact(stretch))[1]
    if drags(law, words):
        stiffness = functions.stiffness(numbers, contact(0.0))[1]
        stretch = min(stretch, max(forces) / stiffness)
        assert stored == pytest.approx(0.5 * stiffness * stretch**2, rel=1e-9)
    else:
        assert stored == pytest.approx(np.trapezoid(forces, pulls), rel=1e-3)
    assert math.isfinite(stored)
