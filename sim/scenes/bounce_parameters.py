"""The parameters of the bouncing spheres."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.laws.materials import Material
from repose.sim.parameters import Quantity
from repose.sim.scenes.common.motion_parameters import MotionParameters, TimeStep
from repose.sim.scenes.common.unreleased_parameters import SphereMass, SphereRadius


class BounceParameters(MotionParameters):
    """Spheres of three restitutions dropped on a plane (seed 001, check 1), in SI."""

    stiffness_from: ClassVar[str] = "given"
    shear_stiffness: ClassVar[float] = 0.0
    reference_overlap: ClassVar[float] = 0.0
    friction: ClassVar[float] = 0.0

    restitution_low: Annotated[
        float,
        Ge(0.05),
        Le(1.0),
        Quantity("restitution of the first", "e₁", effect="restart", group="Spheres"),
        Field(description="Speed after over speed before an impact, first sphere. Takes effect at the next drop."),
    ] = 0.5
    restitution_middle: Annotated[
        float,
        Ge(0.05),
        Le(1.0),
        Quantity("restitution of the second", "e₂", effect="restart", group="Spheres"),
        Field(description="Speed after over speed before an impact, second sphere. Takes effect at the next drop."),
    ] = 0.8
    restitution_high: Annotated[
        float,
        Ge(0.05),
        Le(1.0),
        Quantity("restitution of the third", "e₃", effect="restart", group="Spheres"),
        Field(description="Speed after over speed before an impact, third sphere. Takes effect at the next drop."),
    ] = 1.0
    drop_height: Annotated[
        float,
        Ge(1e-3),
        Le(10.0),
        Quantity("drop height", "h", "mm", scale=1e-3, effect="restart", group="Spheres"),
        Field(description="From the plane to the lowest point of the sphere. Takes effect at the next drop."),
    ] = 0.1
    radius: SphereRadius = 0.01
    mass: SphereMass = 0.01
    normal_stiffness: Annotated[
        float,
        Ge(1e3),
        Le(1e9),
        Quantity("normal stiffness", "K_n", "N/m", log=True, effect="restart"),
        Field(description="Spring of the contact: the stiffer, the nearer to an instant rebound. At the next drop."),
    ] = 1e5
    dt: Annotated[
        TimeStep,
        Field(
            description="Step of the integrator. The damper sets in with a jump, which the step must resolve: "
            "'auto' is stable, and coarser."
        ),
    ] = 1e-5
    duration: Annotated[
        float,
        Ge(0.01),
        Le(20.0),
        Quantity("duration", "T", "s", effect="restart", group="Experiment"),
        Field(description="How long the spheres are watched. Takes effect at the next drop."),
    ] = 1.5

    @property
    def restitutions(self) -> tuple[float, float, float]:
        """Of the three spheres."""
        return self.restitution_low, self.restitution_middle, self.restitution_high

    def materials(self) -> tuple[Material, ...]:
        """One row per sphere, the last one the plane; Young's modulus is not used."""
        return tuple(Material(1.0, 0.0, 1.0, e, 0.0) for e in (*self.restitutions, 1.0))

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """Each sphere rebounds from the plane with its own restitution."""
        return {(i, 3): {"restitution": e} for i, e in enumerate(self.restitutions)}

    def contact_duration(self, restitution: float) -> float:
        """pi / sqrt(K/m - (eta/2m)²) [s]: how long a rebound takes, which the closed form has happen at once."""
        return math.hypot(math.pi, math.log(restitution)) * math.sqrt(self.mass / self.normal_stiffness)
