"""The parameters of the spheres on a slope."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.laws.materials import Material
from repose.sim.parameters import Quantity
from repose.sim.scenes.common.motion_parameters import MotionParameters
from repose.sim.scenes.common.unreleased_parameters import SphereMass, SphereRadius


def _quantity(number: int, symbol: str) -> Quantity:
    return Quantity(f"friction of sphere {number}", symbol, effect="restart", group="Spheres")


def _help(number: int) -> Any:
    return Field(description=f"Friction coefficient of sphere {number} with the slope. Takes effect at the next start.")


class SlopeParameters(MotionParameters):
    """Spheres of five frictions on a slope (seed 001, check 2), in SI."""

    stiffness_from: ClassVar[str] = "given"
    reference_overlap: ClassVar[float] = 0.0
    restitution: ClassVar[float] = 0.2
    friction: ClassVar[float] = 0.0

    friction_1: Annotated[float, Ge(0.0), Le(2.0), _quantity(1, "μ₁"), _help(1)] = 0.0
    friction_2: Annotated[float, Ge(0.0), Le(2.0), _quantity(2, "μ₂"), _help(2)] = 0.1
    friction_3: Annotated[float, Ge(0.0), Le(2.0), _quantity(3, "μ₃"), _help(3)] = 0.2
    friction_4: Annotated[float, Ge(0.0), Le(2.0), _quantity(4, "μ₄"), _help(4)] = 0.3
    friction_5: Annotated[float, Ge(0.0), Le(2.0), _quantity(5, "μ₅"), _help(5)] = 0.5
    slope_angle: Annotated[
        float,
        Ge(0.0),
        Le(math.radians(80.0)),
        Quantity("angle of the slope", "α", "°", scale=math.pi / 180, effect="restart", group="Slope"),
        Field(description="Against the horizontal. A sphere rolls without sliding from μ = (2/7) tan α on."),
    ] = math.pi / 4
    radius: SphereRadius = 0.02
    mass: SphereMass = 0.01
    normal_stiffness: Annotated[
        float,
        Ge(1e3),
        Le(1e8),
        Quantity("normal stiffness", "K_n", "N/m", log=True, effect="restart"),
        Field(description="Spring of the contact along its normal. Takes effect at the next start."),
    ] = 1e5
    shear_stiffness: Annotated[
        float,
        Ge(1e3),
        Le(1e8),
        Quantity("shear stiffness", "K_t", "N/m", log=True, effect="restart"),
        Field(description="Friction spring of the contact. Takes effect at the next start."),
    ] = 1e5
    duration: Annotated[
        float,
        Ge(0.01),
        Le(5.0),
        Quantity("duration", "T", "s", effect="restart", group="Experiment"),
        Field(description="How long the spheres run. Takes effect at the next start."),
    ] = 0.4

    @property
    def frictions(self) -> tuple[float, ...]:
        """Of the five spheres."""
        return self.friction_1, self.friction_2, self.friction_3, self.friction_4, self.friction_5

    @property
    def steepness(self) -> float:
        """Angle between the slope and the horizontal, the tilt of the table included [rad]."""
        return self.slope_angle + self.tilt

    def acceleration(self, friction: float) -> float:
        """(5/7) g sin(alpha) rolling, g (sin(alpha) - mu cos(alpha)) sliding, whichever is larger [m/s²]."""
        sine, cosine = math.sin(self.steepness), math.cos(self.steepness)
        return self.gravity * max(5.0 / 7.0 * sine, sine - friction * cosine)

    def materials(self) -> tuple[Material, ...]:
        """One row per sphere, the last one the slope; Young's modulus is not used."""
        return tuple(Material(1.0, 0.0, 1.0, self.restitution, mu) for mu in (*self.frictions, 1.0))

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """Each sphere meets the slope with its own friction."""
        return {(i, 5): {"friction": mu} for i, mu in enumerate(self.frictions)}
