"""What the colours of grains are computed from (repose.sim.colours)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from repose.sim import registry
from repose.sim.engine.world import World

if TYPE_CHECKING:
    from repose.sim.measure.contact_sums import Pushes


class Grains:
    """What a colour reads: the spheres, and sums over their contacts, which are computed once for all colours."""

    def __init__(self, world: World) -> None:
        self.world = world

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.world.dimension)

    @cached_property
    def pushes(self) -> Pushes:
        """Sums over the contacts of each sphere (repose.sim.measure.contact_sums)."""
        from repose.sim.measure.contact_sums import pushes  # it needs the compiler, the list of colours does not

        return pushes(self.world)


def colour_values(world: World) -> dict[str, NDArray[Any]]:
    """The values of every colour by its name [SI], shape (spheres,), in single precision; 0 for sums over contacts."""
    grains, blank = Grains(world), np.zeros(world.sphere_count)
    return {
        name: (blank if colour.of_contacts else colour.values(grains)).astype(np.float32)
        for name, colour in registry.records("colours").items()
    }


def sums_over_contacts(world: World) -> dict[str, NDArray[Any]]:
    """The values of the colours that are sums over contacts by name [SI], shape (spheres,), in single precision."""
    grains = Grains(world)
    return {
        name: colour.values(grains).astype(np.float32)
        for name, colour in registry.records("colours").items()
        if colour.of_contacts
    }


def exported_colours(world: World, dimension: int) -> dict[str, NDArray[Any]]:
    """The values of the colours that exported grains do not have under another name, named with their units."""
    grains, columns = Grains(world), dict[str, NDArray[Any]]()
    for colour in registry.records("colours").values():
        unit = colour.unit_in(dimension)
        if colour.exported:
            columns[f"{colour.name} [{unit}]" if unit else colour.name] = np.asarray(colour.values(grains), np.float64)
    return columns
