"""Material parameters of grains and walls, for laws whose stiffness follows from elastic constants."""

from __future__ import annotations

from typing import Annotated

from repose.sim.laws.materials import Material, further_properties
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, number, variant

# fmt: off
YoungsModulus = Annotated[float, number(..., 1e4, 1e12, _("Young's modulus"), "E", "MPa", log=True, effect="ramp",
    group=_("Material"))]
Poisson = Annotated[float, number(..., -0.999, 0.499, _("Poisson's ratio"), "ν", effect="ramp", group=_("Material"),
    help=_("Of grains and walls; 0.2 to 0.3 for glass and rock."))]
Restitution = Annotated[float, number(..., 0.0, 1.0, _("restitution"), "e", group=_("Material"),
    help=_("Speed after over speed before an impact; 1 loses nothing, 0 does not bounce."))]
Friction = Annotated[float, number(..., 0.0, 2.0, _("friction"), "μ", group=_("Material"),
    help=_("Friction coefficient between grains."))]
WallFriction = Annotated[float, number(..., 0.0, 2.0, _("wall friction"), "μ_w", group=_("Material"),
    help=_("Friction coefficient between grains and walls."))]
# fmt: on
"""Annotations of the numbers of a material, for scenes with other defaults."""


class MaterialParameters(ParameterSet):
    """One material of the grains, and the properties in which the walls differ."""

    # fmt: off
    young: YoungsModulus = variant(1e7,
        help=_("Of grains and walls. Glass has 60 GPa; softer grains bear larger time steps."))
    poisson: Poisson = 0.25
    density: float = number(2500.0, 1.0, 3e4, _("density"), "ρ", "kg/m³", effect="restart", group=_("Material"),
        help=_("Of the grains' material: 2500 for glass. Takes effect at the next start."))
    restitution: Restitution = 0.5
    friction: Friction = 0.5
    wall_friction: WallFriction = 0.5
    rolling_friction: float = number(0.0, 0.0, 1.0, _("rolling friction"), "μ_r", group=_("Material"),
        help=_("Resistance to rolling, torque μ_r R* F_n against the relative spin."))
    twisting_friction: float = number(0.0, 0.0, 1.0, _("twisting friction"), "μ_tw", group=_("Material"),
        help=_("Resistance to twisting about the normal, torque μ_tw R* F_n."))
    # fmt: on

    def materials(self) -> tuple[Material, Material]:
        """The materials of the grains (row 0) and of the walls (row 1)."""
        common = (self.young, self.poisson, self.density, self.restitution)
        resistance = (self.rolling_friction, self.twisting_friction)
        further = {name: getattr(self, name) for name in further_properties() if hasattr(self, name)}
        return (
            Material(*common, self.friction, *resistance, **further),
            Material(*common, self.wall_friction, *resistance, **further),
        )

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """Properties of pairs that are not the mean of both materials: grain and wall."""
        return {(0, 1): {"friction": self.wall_friction}}
