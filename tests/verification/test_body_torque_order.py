"""Rigid bodies under a torque that changes: the order that each integrator reaches, against closed forms.

A field pulls the two members of a body, f = k x or k z along one axis, so that the torque follows the orientation.
"""

from __future__ import annotations

from dataclasses import replace
from math import asin, cos, log2, sin

import numpy as np
import pytest
from repose.sim.engine.body_builder import BodyShape, add_bodies, body_shape, shape_of_spheres
from repose.sim.engine.builder import empty_world
from repose.sim.engine.fields import FieldForce, Sphere
from repose.sim.engine.model import BoundField, Coefficients
from repose.sim.engine.orientation import matrices
from repose.sim.engine.world import Floats
from repose.sim.registry import integrators, laws
from scipy.special import ellipj, ellipk

from tests.small_worlds import Bench, model_of

ORDERS = {
    # scheme: order of the angle in the plane, and of the orientation in space.
    "gear3": (4, 2),
    "gear4": (4, 2),
    "gear5": (5, 2),
    "leapfrog": (2, 2),
    "velocity_verlet": (2, 2),
    "rk4": (4, 2),
}
"""In the plane the angle is a coordinate like any other; Gear's scheme of order 3 gains one order without damping. In
space the angular momentum L is linear in time between two evaluations of the torque (`repose.sim.engine.bodies`): each
step of dt omits a rotation of up to |L''| dt³/(6 I)."""

ARM = 1e-3
"""Distance of the members from the centre [m]."""


def pulled(shape: BodyShape, scheme: str, dt: float, axis: int, strength: float, **turned: object) -> Bench:
    """A body whose members are pulled by `strength` times their coordinate `axis` along this axis [N/m]."""
    dimension = shape.offset.shape[1]

    def pull(params: tuple, sphere: Sphere, time: float) -> FieldForce:
        along = tuple(params[0] * x if k == axis else 0.0 for k, x in enumerate(sphere.position))
        return FieldForce(along, tuple(0.0 for _ in sphere.spin), 0.0, 0.0)

    model, numbers = model_of(scheme, dimension, True, laws()["voigt"])
    model = replace(model, bodies=True, fields=(BoundField(pull),))
    blank = empty_world(dimension, model.spin_length, model.integrator.levels, 1e-4, materials=2)
    world = add_bodies(blank, shape, np.zeros((1, dimension)), **turned)
    return Bench(world, model, numbers, dt, further=Coefficients(((strength,),)))


RATE, WIDEST = 40.0, 1.2
"""Angular frequency of small swings [rad/s], and largest angle [rad]."""


def swing(time: float) -> tuple[float, float]:
    """Angle [rad] and angular velocity [rad/s] of phi'' = -(w²/2) sin 2 phi from rest at `WIDEST`: sin phi = k cd(w t),
    k = sin `WIDEST`, the pendulum of the angle 2 phi (Abramowitz & Stegun 16)."""
    modulus = sin(WIDEST)
    sn, cn, _, _ = ellipj(RATE * time + ellipk(modulus**2), modulus**2)
    return asin(modulus * sn), RATE * modulus * cn


def error_of_swing(scheme: str, steps: int, duration: float = 0.08) -> float:
    """Error of the angle of a dumbbell that swings like a pendulum in the plane [rad]."""
    shape = shape_of_spheres(np.array([(-ARM, 0.0), (ARM, 0.0)]), 0.5 * ARM, 1e-6)
    dt, integrator = duration / steps, integrators()[scheme]
    # Both members are pulled towards y = 0: the torque is -2 k a² sin(phi) cos(phi).
    strength = -0.5 * RATE**2 * float(shape.moments[0]) / ARM**2
    bench = pulled(shape, scheme, dt, 1, strength, orientation=[WIDEST])
    bend = -0.5 * RATE**2 * sin(2.0 * WIDEST)
    derivatives = [WIDEST, 0.0, bend, 0.0, -(RATE**2) * cos(2.0 * WIDEST) * bend, 0.0]
    kept = min(integrator.levels, 6)
    bench.world.bodies.motion[2, :kept, 0] = derivatives[:kept]
    bench.world.bodies.motion[2, 1, 0] = swing(integrator.velocity_lead * dt)[1]
    assert bench.advance(steps) == steps
    return abs(float(bench.world.bodies.motion[2, 0, 0]) - swing(duration)[0])


LEAN, TURNING = 0.7, 50.0
"""Angle of the axis of the top with the vertical [rad], and rate of its precession [rad/s]."""
MOMENTS = 1e-12 * np.array([1.0, 1.0, 1.6])
"""Principal moments of inertia of the top [kg m²]."""
PULL = 2e-3
"""Pull on its members over their height [N/m]."""


def about(axis: Floats, angle: float) -> Floats:
    """Rotation matrix (Rodrigues)."""
    x, y, z = axis
    turn = np.array([(0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)])
    return np.eye(3) + sin(angle) * turn + (1.0 - cos(angle)) * turn @ turn


UP = np.array([0.0, 0.0, 1.0])
BEGIN = about(np.array([0.0, 1.0, 0.0]), LEAN)
"""Orientation of the top at the beginning."""


def axial_spin() -> float:
    """w_3 of the regular precession of a symmetric top: I_3 w_3 W - I_1 W² cos(lean) = -2 k a² cos(lean), where the
    right side is the torque about the line of nodes over sin(lean) (Landau & Lifshitz, Mechanics, § 35)."""
    torque = -2.0 * PULL * ARM**2 * cos(LEAN)
    return float((torque + MOMENTS[0] * TURNING**2 * cos(LEAN)) / (MOMENTS[2] * TURNING))


def error_of_precession(scheme: str, steps: int, duration: float = 0.08) -> float:
    """Largest error of the rotation matrix of a top that precesses regularly in space [-]."""
    shape = body_shape(np.outer([-ARM, ARM], UP), 0.3 * ARM, 1e-6, np.diag(MOMENTS), np.zeros(3))
    dt, integrator, axial, axis = duration / steps, integrators()[scheme], axial_spin(), BEGIN @ UP
    begin = [(cos(0.5 * LEAN), 0.0, sin(0.5 * LEAN), 0.0)]
    bench = pulled(shape, scheme, dt, 2, PULL, orientation=begin)
    momentum = MOMENTS[2] * axial * axis + MOMENTS[0] * TURNING * (UP - cos(LEAN) * axis)
    stored = about(UP, TURNING * integrator.velocity_lead * dt) @ momentum / shape.moments.mean()
    for level in range(1, min(integrator.levels, 6)):  # L turns about the vertical like the axis
        bench.world.bodies.motion[3:, level, 0] = stored
        stored = TURNING * np.cross(UP, stored)
    assert bench.advance(steps) == steps
    own = axial - TURNING * cos(LEAN)
    expected = about(UP, TURNING * duration) @ BEGIN @ about(UP, own * duration)
    return float(np.abs(matrices(bench.world.bodies.reference.T)[0] - expected).max())


def test_every_integrator_has_a_stated_order() -> None:
    assert set(integrators()) == set(ORDERS)


def test_the_closed_form_of_the_swing_fulfils_its_equation() -> None:
    step = 1e-5
    before, now, after = (swing(0.03 + k * step)[0] for k in (-1, 0, 1))
    assert (after - 2.0 * now + before) / step**2 == pytest.approx(-0.5 * RATE**2 * sin(2.0 * now), rel=1e-5)
    assert (after - before) / (2.0 * step) == pytest.approx(swing(0.03)[1], rel=1e-6)
    assert swing(0.0) == pytest.approx((WIDEST, 0.0), abs=1e-12)


@pytest.mark.parametrize("scheme", list(ORDERS))
def test_a_body_swings_with_the_order_of_its_scheme_in_the_plane(scheme: str) -> None:
    # At larger steps the next term of gear5 is still 0.26 of the order.
    coarse, fine = (error_of_swing(scheme, steps) for steps in ((200, 400) if scheme == "gear5" else (100, 200)))
    assert log2(coarse / fine) == pytest.approx(ORDERS[scheme][0], abs=0.25)


@pytest.mark.parametrize("scheme", list(ORDERS))
def test_a_top_precesses_with_the_stated_order_in_space(scheme: str) -> None:
    coarse, fine = (error_of_precession(scheme, steps) for steps in (100, 200))
    assert log2(coarse / fine) == pytest.approx(ORDERS[scheme][1], abs=0.25)
