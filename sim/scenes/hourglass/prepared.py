"""Stored packings of the hourglass of glass beads: grains at rest over the closed neck."""

from __future__ import annotations

from repose.sim.engine.world import World
from repose.sim.scenes.common.settled import Packing, any_of, by_name
from repose.sim.scenes.hourglass.random_filling import HourglassState

BEADS = {
    "beads": Packing({"grain_count": 3000}),
    "beads_wide": Packing({"grain_count": 2000, "orifice": 0.12}),
    "beads_narrow": Packing({"grain_count": 2000, "orifice": 0.08}),
}
"""Glasses that run empty, by their neck; the two of fewer beads run side by side."""

PACKINGS = {
    **BEADS,
    # Clogs after 439 grains.
    "clogging": Packing({"orifice": 0.042, "grain_count": 800, "friction": 0.5}, 4, springs=True, single=False),
    "silo_emptying": Packing(
        {
            "orifice": 0.04,
            "width": 0.1,
            "cone_height": 0.03,
            "fill_height": 0.96,
            "grain_count": 10_000,
            "mean_radius": 2e-3,
            "radius_spread": 0.0,
            "young": 5e6,
            "poisson": 0.2,
            "restitution": 0.5,
        }
    ),
}
"""The packings by name."""


def begin_anew(state: HourglassState, world: World) -> None:
    """Count from the present heights, at time zero."""
    state.heights = world.motion[2, 0].copy()
    state.density_at = state.opened = 0.0
    state.passages, state.densities, state.run_all = [], [], False


PREPARED = {
    **by_name(PACKINGS, HourglassState, begin_anew),
    "beads": any_of(BEADS, HourglassState, begin_anew),
}
