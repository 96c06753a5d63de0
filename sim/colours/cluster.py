"""Cluster of each grain: the grains that are connected by contacts with one another have one colour."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from repose.sim.colours.colour import GrainColour
from repose.sim.measure.colour_source import Grains
from repose.sim.message import _

SHOWN = 8
"""Number of colours: the largest clusters have one each, all smaller ones share the last."""


def values(grains: Grains) -> NDArray[Any]:
    """Number of the cluster of each sphere, 0 for the largest, shape (spheres,); fixed spheres belong to none: nan."""
    from repose.sim.measure.network import cluster_of_spheres  # it needs the compiler, the list of colours does not

    return cluster_of_spheres(grains.world)


COLOUR = GrainColour(
    "cluster",
    _("cluster"),
    "",
    "",
    values,
    kind="discrete",
    span=lambda values, snapshot: (0.0, SHOWN - 1.0),
    widens=False,
    of_contacts=True,
    legend=_("Cluster, by size"),
    first=1,
    more=True,
    exported=False,  # GraphML has the contacts that make the clusters
    order=45,
)
