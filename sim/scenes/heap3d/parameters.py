"""The parameters of the heap in space."""

from __future__ import annotations

from typing import Literal

from repose.sim.message import _
from repose.sim.parameters import choice, number
from repose.sim.scenes.common.poured_parameters import GrainCount, PouredInSpaceParameters


class Heap3dParameters(PouredInSpaceParameters):
    """Spheres poured on a plate from a funnel or released by lifting a cylinder, in SI."""

    # fmt: off
    pouring: Literal["funnel", "cylinder"] = choice("funnel", _("poured from"), effect="restart", group=_("Experiment"),
        help=_("A funnel above the plate, or a cylinder that is lifted. Takes effect at the next start."))
    base: Literal["rough", "smooth"] = choice("rough", _("plate"), effect="base", group=_("Experiment"),
        help=_("Rough: covered with fixed spheres. Smooth: a plane."))
    grain_count: GrainCount = 1500
    orifice: float = number(7.0, 2.0, 50.0, _("orifice of the funnel"), "D/d", effect="restart", group=_("Experiment"),
        help=_("In mean diameters; below about 5 the funnel clogs. Takes effect at the next start."))
    lift_speed: float = number(0.1, 1e-3, 2.0, _("lift speed"), "v_lift", "mm/s",
        group=_("Experiment"), help=_("Of the cylinder."))
    # fmt: on
