"""The parameters of the heap in space."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.message import _
from repose.sim.parameters import Quantity
from repose.sim.scenes.common.poured_parameters import GrainCount, PouredInSpaceParameters


class Heap3dParameters(PouredInSpaceParameters):
    """Spheres poured on a plate from a funnel or released by lifting a cylinder, in SI."""

    pouring: Annotated[
        Literal["funnel", "cylinder"],
        Quantity(_("poured from"), "", effect="restart", group=_("Experiment")),
        Field(description=_("A funnel above the plate, or a cylinder that is lifted. Takes effect at the next start.")),
    ] = "funnel"
    base: Annotated[
        Literal["rough", "smooth"],
        Quantity(_("plate"), "", effect="base", group=_("Experiment")),
        Field(description=_("Rough: covered with fixed spheres. Smooth: a plane.")),
    ] = "rough"
    grain_count: GrainCount = 1500
    orifice: Annotated[
        float,
        Ge(2.0),
        Le(50.0),
        Quantity(_("orifice of the funnel"), "D/d", effect="restart", group=_("Experiment")),
        Field(description=_("In mean diameters; below about 5 the funnel clogs. Takes effect at the next start.")),
    ] = 7.0
    lift_speed: Annotated[
        float,
        Ge(1e-3),
        Le(2.0),
        Quantity(_("lift speed"), "v_lift", "mm/s", scale=1e-3, effect="restart", group=_("Experiment")),
        Field(description=_("Of the cylinder. Takes effect at the next start.")),
    ] = 0.1
