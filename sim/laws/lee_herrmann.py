"""Lee-Herrmann contact: Hertz or linear repulsion, viscous damping, virtual friction spring."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le
from pydantic import Field

from sim.parameters import ParameterSet, Quantity


class LeeHerrmannParameters(ParameterSet):
    """Parameters of the Lee-Herrmann law (thesis eq. 2.7 to 2.10)."""

    friction: Annotated[
        float,
        Ge(0.0),
        Le(2.0),
        Quantity("friction", "μ"),
        Field(description="Friction coefficient between grains: the friction spring pulls with at most μ F_n. The heap stands steeper as it grows."),
    ] = 0.1
    normal_stiffness: Annotated[
        float,
        Ge(1e3),
        Le(1e9),
        Quantity("normal stiffness", "k_n", "N/m^p", log=True),
        Field(description="Repulsion k_n δ^p of two grains overlapping by δ; p = 3/2 for Hertz, 1 for the linear law. Stiffer grains need smaller time steps."),
    ] = 1e6
    shear_stiffness: Annotated[
        float,
        Ge(0.0),
        Le(1e6),
        Quantity("shear stiffness", "k_s", "N/m", log=True),
        Field(description="Stiffness of the virtual friction spring. Decides the angle: the thesis prints 5, its results come out with 100."),
    ] = 100.0
    normal_damping: Annotated[
        float,
        Ge(0.0),
        Le(2e4),
        Quantity("normal damping", "γ_n", "1/s"),
        Field(description="Damping of the approach, force γ_n m* v_n. More damping, less bouncing."),
    ] = 500.0
    shear_damping: Annotated[
        float,
        Ge(0.0),
        Le(2e4),
        Quantity("shear damping", "γ_s", "1/s"),
        Field(description="Damping of sliding, force γ_s m* v_t, on top of the friction spring."),
    ] = 500.0
    wall_stiffness_factor: Annotated[
        float,
        Ge(1.0),
        Le(10.0),
        Quantity("wall stiffness factor", "k_w/k_n"),
        Field(description="How many times stiffer a contact with a wall or base grain is; 2 in the thesis, to keep grains from passing."),
    ] = 2.0
    exponent: Annotated[
        Literal["hertz", "linear"],
        Quantity("law exponent", "p", group="Model"),
        Field(description="Hertz: force grows as δ^(3/2). Linear: as δ, the thesis' simplified model. k_n keeps its number and changes its unit."),
    ] = "hertz"
    anchor: Annotated[
        Literal["lee-herrmann", "cundall-strack"],
        Quantity("anchor form", "", group="Model"),
        Field(description="What a sliding friction spring does: keeps stretching (Lee-Herrmann, as in the thesis) or is dragged along (Cundall-Strack)."),
    ] = "lee-herrmann"
    coulomb_cap: Annotated[
        Literal["spring", "total"],
        Quantity("Coulomb cap", "", group="Model"),
        Field(description="What μ F_n limits: the friction spring alone (thesis) or spring and shear damping together (as LAMMPS has it)."),
    ] = "spring"
