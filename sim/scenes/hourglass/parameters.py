"""The parameters of the two hourglasses: the published one, and one of glass beads in a round cone."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Self

from pydantic import model_validator
from repose.sim.engine.world import Floats
from repose.sim.laws.material_parameters import (
    Friction,
    MaterialParameters,
    Poisson,
    Restitution,
    WallFriction,
    YoungsModulus,
)
from repose.sim.message import Message, _
from repose.sim.parameters import count, length, number, switch, variant
from repose.sim.scenes.common.grain_sizes import SizedParameters, Sizes
from repose.sim.scenes.common.motion_parameters import Integrator, MotionParameters, TimeStep, VerletFirst

Orifice = Annotated[float, length(..., 0.02, 0.35, _("orifice"), "D", effect="restart", group=_("Glass"))]
Lid = Annotated[bool, switch(..., _("lid on the neck"), effect="restart", group=_("Glass"))]
# fmt: off
MeanRadius = Annotated[float, length(..., 1e-3, 3e-2, _("mean radius"), "R", effect="restart", group=_("Grains"),
    help=_("Middle of the interval of the uniformly distributed radii. Takes effect at the next fill."))]
RadiusSpread = Annotated[float, number(..., 0.0, 0.5, _("radius spread"), "ΔR/R", effect="restart", group=_("Grains"),
    help=_("Radii are between 1 - spread and 1 + spread mean radii. Takes effect at the next fill."))]
# fmt: on


class SharedHourglassParameters(SizedParameters):
    """Parameters of both hourglasses: glass, grains and count."""

    # fmt: off
    orifice: Orifice = variant(0.15,
        help=_("Width of the neck: side of a square or diameter of a circle. Takes effect at the next fill."))
    lid: Lid = variant(False,
        help=_("Keep the neck closed until the grains have settled. The published glass has no lid."))
    fill_height: float = number(1.5, 0.9, 3.0, _("filled up to"), "H", "m", effect="restart", group=_("Glass"),
        help=_("Grains start at random places between the neck, at 0.75 m, and this height."))
    grain_count: int = count(7000, 1, 1_000_000, _("grains at most"), "N", log=True, effect="restart",
        group=_("Grains"), help=_("Fewer are placed if 1000 tries in a row find no free position for the next one."))
    mean_radius: MeanRadius = 1.25e-2
    radius_spread: RadiusSpread = 0.2
    sizes: Sizes = ""
    window: int = count(100, 2, 2000, _("window"), "N_w", group=_("Experiment"),
        help=_("The flow rate is N_w grains over the time in which they passed the neck."))
    count_for: float = number(0.0, 0.0, 3600.0, _("count for"), "", "s", group=_("Experiment"),
        help=_("The run ends when grains have flowed for this time; 0 waits for the last grain."))
    clog_time: float = number(1.0, 0.05, 60.0, _("clogged after"), "t_clog", "s", group=_("Experiment"),
        help=_("The neck counts as clogged when no grain has passed for this time and some are left."))
    # fmt: on

    def own_limits(self) -> tuple[float, float]:
        """Smallest and largest radius of the uniform spread about the mean [m]."""
        spread = self.radius_spread * self.mean_radius
        return self.mean_radius - spread, self.mean_radius + spread


class HourglassParameters(SharedHourglassParameters, MotionParameters):
    """The published hourglass without its contact law: every grain has the same mass, none rotates."""

    # fmt: off
    grain_mass: float = number(0.01, 1e-6, 1.0, _("mass of a grain"), "m", "g", effect="restart", group=_("Grains"),
        help=_("The same for all radii, as published. Takes effect at the next fill."))
    # fmt: on
    integrator: Integrator = variant("leapfrog", help=_("Integrator of the motion. Leapfrog is the published one."))
    dt: TimeStep = variant(1e-5, help=_("10 µs as published. 'auto' follows from stiffness and normal damping only."))

    width: ClassVar[float] = 0.4
    """Width of the published glass [m]."""
    cone_height: ClassVar[float] = 0.25
    """Height of its funnel [m]."""

    @property
    def round_glass(self) -> bool:
        """A square neck in a prism."""
        return False

    def mass_of(self, radius: Floats) -> Floats:
        """Masses [kg] for these radii [m], shape (n,)."""
        return self.grain_mass + 0.0 * radius


class HourglassGlassParameters(SharedHourglassParameters, MotionParameters, MaterialParameters):
    """Glass beads that rotate, in a round cone."""

    lid: Lid = variant(True, help=_("Keep the neck closed until the grains have settled."))
    # fmt: off
    orifice: Orifice = variant(0.12,
        help=_("Diameter of the neck; it can clog below about six grain diameters. Acts at the next fill."))
    width: float = length(0.4, 0.05, 1.0, _("width of the glass"), "W", effect="restart", group=_("Glass"),
        help=_("Diameter of the cylinder above the cone. Takes effect at the next fill."))
    cone_height: float = length(0.25, 0.01, 0.6, _("height of the cone"), "h_c", effect="restart", group=_("Glass"),
        help=_("From the neck to the cylinder: the lower, the flatter the cone. Takes effect at the next fill."))
    mean_radius: MeanRadius = 7e-3
    radius_spread: RadiusSpread = 0.1
    young: YoungsModulus = variant(6e6,
        help=_("Softened: glass has 60 GPa, which needs a hundred times smaller steps for a similar flow."))
    # fmt: on
    poisson: Poisson = 0.22
    restitution: Restitution = 0.8
    friction: Friction = 0.3
    wall_friction: WallFriction = 0.2
    integrator: VerletFirst = "velocity_verlet"
    dt: TimeStep = variant("auto", help=_("Time step. 'auto' follows the stiffest contact and the fastest grain."))

    @model_validator(mode="after")
    def _neck_is_narrower(self) -> Self:
        if self.orifice >= self.width:
            orifice, width = (self.declared()[name].converted(getattr(self, name)) for name in ("orifice", "width"))
            raise ValueError(
                Message(
                    "orifice = {orifice}{orifice2} is refused: it must be less than {width} m{width2}, the width of "
                    "the glass; make the neck narrower or the glass wider.",
                    orifice=repr(self.orifice),
                    orifice2=orifice,
                    width=repr(self.width),
                    width2=width,
                )
            )
        return self

    @property
    def round_glass(self) -> bool:
        """A round neck under a cylinder."""
        return True

    def mass_of(self, radius: Floats) -> Floats:
        """Masses [kg] of spheres of this density and these radii [m], shape (n,)."""
        mass: Floats = 4.0 / 3.0 * math.pi * self.density * radius**3
        return mass
