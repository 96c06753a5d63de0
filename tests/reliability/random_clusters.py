"""Random clusters of grains for properties of every law, in plane and space, with and without rotation."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from repose.sim.engine.world import Floats
from repose.sim.registry import laws

from tests.small_worlds import Bench, model_of, world_of

PER_CHANGE = 100
EXAMPLES = int(os.environ.get("REPOSE_EXAMPLES", PER_CHANGE))
"""Examples per property: 100 with every change, the same ones each time; 10,000 a night and 100,000 a release."""

RADIUS, DT = 1e-3, 1e-6
VALUES = {
    "lee_herrmann": {"friction": 0.3},
    "voigt": {"friction": 0.3, "normal_stiffness": 1e5, "shear_stiffness": 5e4, "restitution": 0.6},
    "hertz_mindlin": {"friction": 0.3, "young": 1e8, "restitution": 0.6},
}
"""Parameters at which a grain of a millimetre swings in some hundred steps of DT."""
SMOOTH = {"friction": 0.0, "shear_damping": 0.0}
UNDAMPED = {"normal_damping": 0.0, "restitution": 1.0}


@dataclass(frozen=True)
class Cluster:
    """What a cluster begins with, one row per grain, SI."""

    position: Floats
    velocity: Floats
    spin: Floats
    radius: Floats
    law: str
    rotation: bool
    gravity: tuple[float, ...]

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.position.shape[1])

    def bench(self, integrator: str = "leapfrog", dt: float = DT, **values: object) -> Bench:
        """A world of these grains, `values` over the law's parameters where the law has them."""
        law = laws()[self.law]
        known = {name: value for name, value in values.items() if name in law.parameters.declared()}
        model, numbers = model_of(integrator, self.dimension, self.rotation, law=law, **(VALUES[self.law] | known))
        mass = 1e6 * self.radius**3
        world = world_of(model, self.position, self.radius, mass, velocity=self.velocity, spin=self.spin)
        return Bench(world, model, numbers, dt, self.gravity)

    def seen(self, matrix: Floats, shift: float | Floats = 0.0) -> Cluster:
        """The same cluster in a frame turned, mirrored by `matrix` and shifted; spins are axial vectors."""
        parity = round(float(np.linalg.det(matrix)))
        axial = parity * (matrix if self.dimension == 3 else np.eye(1))
        return replace(
            self,
            position=self.position @ matrix.T + shift,
            velocity=self.velocity @ matrix.T,
            spin=self.spin @ axial.T if self.rotation else self.spin,
            gravity=tuple(matrix @ np.array(self.gravity)),
        )

    def shuffled(self, order: Floats) -> Cluster:
        """The same grains in other rows."""
        names = ("position", "velocity", "spin", "radius") if self.rotation else ("position", "velocity", "radius")
        return replace(self, **{name: getattr(self, name)[order] for name in names})


@st.composite
def clusters(draw: st.DrawFn, least: int = 2, most: int = 9, rotation: bool | None = None) -> Cluster:
    """Grains on a jittered grid closer than two radii, so that neighbours press on each other."""
    dimension = draw(st.sampled_from([2, 3]))
    turning = draw(st.booleans()) if rotation is None else rotation
    law = draw(st.sampled_from(sorted(VALUES)))
    count = draw(st.integers(least, most))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    side = np.arange(3.0) * 1.93 * RADIUS
    grid = np.stack(np.meshgrid(*[side] * dimension), axis=-1).reshape(-1, dimension)[:count]
    spin_length = {2: 1, 3: 3}[dimension] if turning else 0
    return Cluster(
        position=grid + generator.normal(0.0, 0.02 * RADIUS, grid.shape),
        velocity=generator.normal(0.0, 0.3, grid.shape),
        spin=generator.normal(0.0, 300.0, (count, spin_length)),
        radius=generator.uniform(0.95, 1.05, count) * RADIUS,
        law=law,
        rotation=turning,
        gravity=(0.0,) * dimension,
    )


def examples(share: float = 1.0) -> settings:
    """That share of EXAMPLES, for properties that take long; nothing is judged by how long it takes."""
    count = max(5, round(share * EXAMPLES))
    return settings(max_examples=count, deadline=None, derandomize=EXAMPLES == PER_CHANGE, database=None)


def of_one_size(forces: Floats) -> float:
    """What a difference of forces is measured by [N]."""
    return float(np.abs(forces).max()) + 1e-300
