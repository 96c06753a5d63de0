"""Material parameters of grains and walls, for laws whose stiffness follows from elastic constants."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.laws.materials import Material
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, Quantity

YoungsModulus = Annotated[
    float,
    Ge(1e4),
    Le(1e12),
    Quantity(_("Young's modulus"), "E", "MPa", scale=1e6, log=True, effect="ramp", group=_("Material")),
]
Poisson = Annotated[
    float,
    Ge(-0.999),
    Le(0.499),
    Quantity(_("Poisson's ratio"), "ν", effect="ramp", group=_("Material")),
    Field(description=_("Of grains and walls; 0.2 to 0.3 for glass and rock.")),
]
Restitution = Annotated[
    float,
    Ge(0.0),
    Le(1.0),
    Quantity(_("restitution"), "e", group=_("Material")),
    Field(description=_("Speed after over speed before an impact; 1 loses nothing, 0 does not bounce.")),
]
Friction = Annotated[
    float,
    Ge(0.0),
    Le(2.0),
    Quantity(_("friction"), "μ", group=_("Material")),
    Field(description=_("Friction coefficient between grains.")),
]
WallFriction = Annotated[
    float,
    Ge(0.0),
    Le(2.0),
    Quantity(_("wall friction"), "μ_w", group=_("Material")),
    Field(description=_("Friction coefficient between grains and walls.")),
]
"""Annotations of the numbers of a material, for scenes with other defaults."""


class MaterialParameters(ParameterSet):
    """One material of the grains, and the properties in which the walls differ."""

    young: Annotated[
        YoungsModulus,
        Field(description=_("Of grains and walls. Glass has 60 GPa; softer grains bear larger time steps.")),
    ] = 1e7
    poisson: Poisson = 0.25
    density: Annotated[
        float,
        Ge(1.0),
        Le(3e4),
        Quantity(_("density"), "ρ", "kg/m³", effect="restart", group=_("Material")),
        Field(description=_("Of the grains' material: 2500 for glass. Takes effect at the next start.")),
    ] = 2500.0
    restitution: Restitution = 0.5
    friction: Friction = 0.5
    wall_friction: WallFriction = 0.5
    rolling_friction: Annotated[
        float,
        Ge(0.0),
        Le(1.0),
        Quantity(_("rolling friction"), "μ_r", group=_("Material")),
        Field(description=_("Resistance to rolling, torque μ_r R* F_n against the relative spin.")),
    ] = 0.0
    twisting_friction: Annotated[
        float,
        Ge(0.0),
        Le(1.0),
        Quantity(_("twisting friction"), "μ_tw", group=_("Material")),
        Field(description=_("Resistance to twisting about the normal, torque μ_tw R* F_n.")),
    ] = 0.0

    def materials(self) -> tuple[Material, Material]:
        """The materials of the grains (row 0) and of the walls (row 1)."""
        common = (self.young, self.poisson, self.density, self.restitution)
        resistance = (self.rolling_friction, self.twisting_friction)
        return Material(*common, self.friction, *resistance), Material(*common, self.wall_friction, *resistance)

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """Properties of pairs that are not the mean of both materials: grain and wall."""
        return {(0, 1): {"friction": self.wall_friction}}
