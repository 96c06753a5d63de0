"""The parameters of the two hourglasses: the published one, and one of glass beads in a round cone."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from annotated_types import Ge, Le
from pydantic import Field

from sim.laws.memoryless import MemorylessParameters
from sim.material_parameters import MaterialParameters
from sim.motion_parameters import MotionParameters, Scheme
from sim.parameters import ParameterSet, Quantity
from sim.state import Floats


class VesselParameters(ParameterSet):
    """The glass, its grains and how they are counted."""

    orifice: Annotated[
        float,
        Ge(0.02),
        Le(0.35),
        Quantity("orifice", "D", "mm", scale=1e-3, effect="restart", group="Glass"),
        Field(description="Width of the neck: side of a square, or diameter of a round one. Takes effect anew."),
    ] = 0.15
    lid: Annotated[
        bool,
        Quantity("lid on the neck", "", effect="restart", group="Glass"),
        Field(description="Keep the neck closed until the grains have settled. The published glass has no lid."),
    ] = False
    fill_height: Annotated[
        float,
        Ge(0.9),
        Le(3.0),
        Quantity("filled up to", "H", "m", effect="restart", group="Glass"),
        Field(description="Grains start at random places between the neck, at 0.75 m, and this height."),
    ] = 1.5
    grain_count: Annotated[
        int,
        Ge(1),
        Le(20_000),
        Quantity("grains at most", "N", effect="restart", group="Grains"),
        Field(description="Fewer are placed if 1000 tries in a row find no free place for the next one."),
    ] = 7000
    mean_radius: Annotated[
        float,
        Ge(4e-3),
        Le(3e-2),
        Quantity("mean radius", "R", "mm", scale=1e-3, effect="restart", group="Grains"),
        Field(description="Middle of the interval the radii are drawn from, all equally likely. Takes effect anew."),
    ] = 1.25e-2
    radius_spread: Annotated[
        float,
        Ge(0.0),
        Le(0.5),
        Quantity("radius spread", "ΔR/R", effect="restart", group="Grains"),
        Field(description="Radii lie between 1 - spread and 1 + spread mean radii. Takes effect anew."),
    ] = 0.2
    window: Annotated[
        int,
        Ge(2),
        Le(2000),
        Quantity("window", "N_w", group="Experiment"),
        Field(description="The flow rate is N_w grains over the time in which they passed the neck."),
    ] = 100
    count_for: Annotated[
        float,
        Ge(0.0),
        Le(3600.0),
        Quantity("count for", "", "s", group="Experiment"),
        Field(description="End the run once grains have flowed for so long; 0 waits for the last one."),
    ] = 0.0
    clog_time: Annotated[
        float,
        Ge(0.05),
        Le(60.0),
        Quantity("clogged after", "t_clog", "s", group="Experiment"),
        Field(description="The neck counts as clogged once no grain has passed for so long while some are left."),
    ] = 1.0


class HourglassParameters(VesselParameters, MotionParameters, MemorylessParameters):
    """The published hourglass (seed 003): every grain has the same mass, none rotates."""

    grain_mass: Annotated[
        float,
        Ge(1e-6),
        Le(1.0),
        Quantity("mass of a grain", "m", "g", scale=1e-3, effect="restart", group="Grains"),
        Field(description="The same for all, whatever their radius, as published. Takes effect anew."),
    ] = 0.01
    integrator: Annotated[
        Scheme,
        Quantity("integrator", "", group="Time step"),
        Field(description="Scheme that moves the grains. Leap-frog is the published one."),
    ] = "leapfrog"
    dt: Annotated[
        Annotated[float, Ge(1e-8), Le(1e-3)] | Literal["auto"],
        Quantity("time step", "Δt", "µs", scale=1e-6, log=True, group="Time step"),
        Field(description="10 µs as published. The step of 'auto' follows stiffness and normal damping alone."),
    ] = 1e-5

    @property
    def round_glass(self) -> bool:
        """A square neck in a prism."""
        return False

    def mass_of(self, radius: Floats) -> Floats:
        """Masses [kg] for these radii [m], shape (n,)."""
        return self.grain_mass + 0.0 * radius


class HourglassGlassParameters(VesselParameters, MotionParameters, MaterialParameters):
    """Glass beads that rotate, in a round cone."""

    lid: Annotated[
        bool,
        Quantity("lid on the neck", "", effect="restart", group="Glass"),
        Field(description="Keep the neck closed until the grains have settled."),
    ] = True
    orifice: Annotated[
        float,
        Ge(0.02),
        Le(0.35),
        Quantity("orifice", "D", "mm", scale=1e-3, effect="restart", group="Glass"),
        Field(description="Diameter of the neck; below about six grain diameters it may clog. Takes effect anew."),
    ] = 0.12
    mean_radius: Annotated[
        float,
        Ge(4e-3),
        Le(3e-2),
        Quantity("mean radius", "R", "mm", scale=1e-3, effect="restart", group="Grains"),
        Field(description="Middle of the interval the radii are drawn from, all equally likely. Takes effect anew."),
    ] = 7e-3
    radius_spread: Annotated[
        float,
        Ge(0.0),
        Le(0.5),
        Quantity("radius spread", "ΔR/R", effect="restart", group="Grains"),
        Field(description="Radii lie between 1 - spread and 1 + spread mean radii. Takes effect anew."),
    ] = 0.1
    young: Annotated[
        float,
        Ge(1e4),
        Le(1e12),
        Quantity("Young's modulus", "E", "MPa", scale=1e6, log=True, group="Material"),
        Field(description="Softened: glass has 60 GPa, which would take a hundred times smaller steps to flow alike."),
    ] = 6e6
    poisson: Annotated[
        float,
        Ge(-0.999),
        Le(0.499),
        Quantity("Poisson's ratio", "ν", group="Material"),
        Field(description="Of grains and walls; 0.2 to 0.3 for glass and rock."),
    ] = 0.22
    restitution: Annotated[
        float,
        Ge(0.0),
        Le(1.0),
        Quantity("restitution", "e", group="Material"),
        Field(description="Speed after over speed before an impact; 1 loses nothing, 0 does not bounce."),
    ] = 0.8
    friction: Annotated[
        float,
        Ge(0.0),
        Le(2.0),
        Quantity("friction", "μ", group="Material"),
        Field(description="Friction coefficient between grains."),
    ] = 0.3
    wall_friction: Annotated[
        float,
        Ge(0.0),
        Le(2.0),
        Quantity("wall friction", "μ_w", group="Material"),
        Field(description="Friction coefficient between grains and walls."),
    ] = 0.2
    integrator: Annotated[
        Scheme,
        Quantity("integrator", "", group="Time step"),
        Field(description="Scheme that moves the grains."),
    ] = "velocity_verlet"

    dt: Annotated[
        Annotated[float, Ge(1e-8), Le(1e-3)] | Literal["auto"],
        Quantity("time step", "Δt", "µs", scale=1e-6, log=True, group="Time step"),
        Field(description="Step of the integrator. 'auto' follows the stiffest contact and the fastest grain."),
    ] = "auto"

    @property
    def round_glass(self) -> bool:
        """A round neck under a cylinder."""
        return True

    def mass_of(self, radius: Floats) -> Floats:
        """Masses [kg] of spheres of this density and these radii [m], shape (n,)."""
        mass: Floats = 4.0 / 3.0 * math.pi * self.density * radius**3
        return mass
