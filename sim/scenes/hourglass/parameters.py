"""The parameters of the two hourglasses: the published one, and one of glass beads in a round cone."""

from __future__ import annotations

import math
from typing import Annotated

from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.engine.world import Floats
from repose.sim.laws.material_parameters import (
    Friction,
    MaterialParameters,
    Poisson,
    Restitution,
    WallFriction,
    YoungsModulus,
)
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, Quantity
from repose.sim.scenes.common.motion_parameters import Integrator, MotionParameters, TimeStep, VerletFirst

Orifice = Annotated[
    float,
    Ge(0.02),
    Le(0.35),
    Quantity(_("orifice"), "D", "mm", scale=1e-3, effect="restart", group=_("Glass")),
]
Lid = Annotated[bool, Quantity(_("lid on the neck"), "", effect="restart", group=_("Glass"))]
MeanRadius = Annotated[
    float,
    Ge(4e-3),
    Le(3e-2),
    Quantity(_("mean radius"), "R", "mm", scale=1e-3, effect="restart", group=_("Grains")),
    Field(description=_("Middle of the interval of the uniformly distributed radii. Takes effect at the next fill.")),
]
RadiusSpread = Annotated[
    float,
    Ge(0.0),
    Le(0.5),
    Quantity(_("radius spread"), "ΔR/R", effect="restart", group=_("Grains")),
    Field(description=_("Radii are between 1 - spread and 1 + spread mean radii. Takes effect at the next fill.")),
]


class SharedHourglassParameters(ParameterSet):
    """Parameters of both hourglasses: glass, grains and count."""

    orifice: Annotated[
        Orifice,
        Field(
            description=_("Width of the neck: side of a square or diameter of a circle. Takes effect at the next fill.")
        ),
    ] = 0.15
    lid: Annotated[
        Lid,
        Field(description=_("Keep the neck closed until the grains have settled. The published glass has no lid.")),
    ] = False
    fill_height: Annotated[
        float,
        Ge(0.9),
        Le(3.0),
        Quantity(_("filled up to"), "H", "m", effect="restart", group=_("Glass")),
        Field(description=_("Grains start at random places between the neck, at 0.75 m, and this height.")),
    ] = 1.5
    grain_count: Annotated[
        int,
        Ge(1),
        Le(20_000),
        Quantity(_("grains at most"), "N", effect="restart", group=_("Grains")),
        Field(description=_("Fewer are placed if 1000 tries in a row find no free position for the next one.")),
    ] = 7000
    mean_radius: MeanRadius = 1.25e-2
    radius_spread: RadiusSpread = 0.2
    window: Annotated[
        int,
        Ge(2),
        Le(2000),
        Quantity(_("window"), "N_w", group=_("Experiment")),
        Field(description=_("The flow rate is N_w grains over the time in which they passed the neck.")),
    ] = 100
    count_for: Annotated[
        float,
        Ge(0.0),
        Le(3600.0),
        Quantity(_("count for"), "", "s", group=_("Experiment")),
        Field(description=_("The run ends when grains have flowed for this time; 0 waits for the last grain.")),
    ] = 0.0
    clog_time: Annotated[
        float,
        Ge(0.05),
        Le(60.0),
        Quantity(_("clogged after"), "t_clog", "s", group=_("Experiment")),
        Field(description=_("The neck counts as clogged when no grain has passed for this time and some are left.")),
    ] = 1.0


class HourglassParameters(SharedHourglassParameters, MotionParameters):
    """The published hourglass without its contact law: every grain has the same mass, none rotates."""

    grain_mass: Annotated[
        float,
        Ge(1e-6),
        Le(1.0),
        Quantity(_("mass of a grain"), "m", "g", scale=1e-3, effect="restart", group=_("Grains")),
        Field(description=_("The same for all radii, as published. Takes effect at the next fill.")),
    ] = 0.01
    integrator: Annotated[
        Integrator,
        Field(description=_("Integrator of the motion. Leapfrog is the published one.")),
    ] = "leapfrog"
    dt: Annotated[
        TimeStep,
        Field(description=_("10 µs as published. 'auto' follows from stiffness and normal damping only.")),
    ] = 1e-5

    @property
    def round_glass(self) -> bool:
        """A square neck in a prism."""
        return False

    def mass_of(self, radius: Floats) -> Floats:
        """Masses [kg] for these radii [m], shape (n,)."""
        return self.grain_mass + 0.0 * radius


class HourglassGlassParameters(SharedHourglassParameters, MotionParameters, MaterialParameters):
    """Glass beads that rotate, in a round cone."""

    lid: Annotated[
        Lid,
        Field(description=_("Keep the neck closed until the grains have settled.")),
    ] = True
    orifice: Annotated[
        Orifice,
        Field(
            description=_("Diameter of the neck; it can clog below about six grain diameters. Acts at the next fill.")
        ),
    ] = 0.12
    mean_radius: MeanRadius = 7e-3
    radius_spread: RadiusSpread = 0.1
    young: Annotated[
        YoungsModulus,
        Field(
            description=_("Softened: glass has 60 GPa, which needs a hundred times smaller steps for a similar flow.")
        ),
    ] = 6e6
    poisson: Poisson = 0.22
    restitution: Restitution = 0.8
    friction: Friction = 0.3
    wall_friction: WallFriction = 0.2
    integrator: VerletFirst = "velocity_verlet"
    dt: Annotated[
        TimeStep,
        Field(description=_("Time step. 'auto' follows the stiffest contact and the fastest grain.")),
    ] = "auto"

    @property
    def round_glass(self) -> bool:
        """A round neck under a cylinder."""
        return True

    def mass_of(self, radius: Floats) -> Floats:
        """Masses [kg] of spheres of this density and these radii [m], shape (n,)."""
        mass: Floats = 4.0 / 3.0 * math.pi * self.density * radius**3
        return mass
