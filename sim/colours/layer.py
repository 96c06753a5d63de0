"""Layer in which each grain was poured."""

from __future__ import annotations

from repose.sim.colours.colour import GrainColour
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.message import _

LAYER_STEPS = (3, 5, 8, 12, 18, 27, 40, 60, 90, 135, 200)
"""Upper ends of the range of layers whose number is not known: their colours change seldom while they are poured."""


def span(values: Floats, snapshot: Snapshot) -> tuple[float, float]:
    """From the first layer to the last one so far."""
    return 0.0, max(float(values.max()), 1.0)


def next_step(wanted: tuple[float, float], snapshot: Snapshot) -> tuple[float, float]:
    """From the first layer to the last one of the run; to the next of `LAYER_STEPS` if the last one is not known."""
    if snapshot.grains.layers and max(snapshot.grains.layers, 2) > wanted[1]:
        return 0.0, max(snapshot.grains.layers - 1.0, 1.0)
    return 0.0, float(next((step for step in LAYER_STEPS if step >= wanted[1]), wanted[1]))


COLOUR = GrainColour(
    "layer",
    _("layer of origin"),
    "",
    "",
    lambda grains: grains.world.layer,
    kind="discrete",
    span=span,
    fixed=next_step,
    legend=_("Layer of origin"),
    first=1,  # layers are numbered from 0 in the world
    exported=False,  # a mark of the scene, no property of the grain
    order=60,
)
