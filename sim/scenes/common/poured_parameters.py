"""Parameters of the grains, for all scenes that pour them."""

from __future__ import annotations

import math
from typing import Annotated

from repose.sim.engine.world import Floats
from repose.sim.laws.material_parameters import MaterialParameters
from repose.sim.message import _
from repose.sim.parameters import count, length, number
from repose.sim.scenes.common.grain_sizes import SizedParameters, Sizes
from repose.sim.scenes.common.motion_parameters import MotionParameters, VerletFirst

# fmt: off
GrainCount = Annotated[int, count(..., 1, 1_000_000, _("grains"), "N", log=True, effect="restart", group=_("Grains"),
    help=_("How many spheres are poured. Takes effect at the next start."))]
MeanRadius = Annotated[float, length(..., 5e-4, 0.05, _("mean radius"), "R", effect="restart", group=_("Grains"),
    help=_("Mean radius of the spheres. Takes effect at the next start."))]
SizeSpread = Annotated[float, number(..., 0.0, 0.5, _("size spread"), effect="restart", group=_("Grains"),
    help=_("Radii are uniform within this share of the mean. Takes effect at the next start."))]
SettleSpeed = Annotated[float, number(..., 1e-5, 1.0, _("settle speed"), "v_min", "mm/s", log=True,
    group=_("Experiment"),
    help=_(
        "At rest: for 0.25 s the mean speed has stayed below this and no grain has left, and the mean net force on a "
        "grain is below 1/1000 of the mean contact force."
    ))]
# fmt: on


class PouredInSpaceParameters(SizedParameters, MotionParameters, MaterialParameters):
    """Spheres of one material that are poured in space, in SI."""

    grain_count: GrainCount = 1200
    mean_radius: MeanRadius = 4e-3
    size_spread: SizeSpread = 0.15
    sizes: Sizes = ""
    settle_speed: SettleSpeed = 1e-2
    integrator: VerletFirst = "velocity_verlet"

    def own_limits(self) -> tuple[float, float]:
        """Smallest and largest radius of the uniform spread about the mean [m]."""
        return (1.0 - self.size_spread) * self.mean_radius, (1.0 + self.size_spread) * self.mean_radius

    def mass_of(self, radius: Floats) -> Floats:
        """Masses rho 4/3 pi R³ [kg] for these radii [m], shape (n,)."""
        return self.density * 4.0 / 3.0 * math.pi * radius**3
