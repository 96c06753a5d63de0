"""GrainColour: the record that each file of this package offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray
from repose.sim.colours.ranges import FROM_ZERO, widening
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.measure.colour_source import Grains
from repose.sim.message import EMPTY, Message, as_message


@dataclass(frozen=True)
class GrainColour:
    """One quantity that the colours of grains can show."""

    name: str
    """Column of snapshots, and choice in settings, lectures and on the command line."""
    title: Message
    """Name in the menu."""
    symbol: str
    unit: str | Mapping[int, str]
    """SI unit, or SI units by dimension; the legend adds the prefix that suits the range."""
    values: Callable[[Grains], NDArray[Any]]
    """values(grains) -> a number for each sphere [SI], shape (spheres,)."""
    kind: Literal["continuous", "discrete"] = "continuous"
    span: Callable[[Floats, Snapshot], tuple[float, float]] = FROM_ZERO
    """span(values, snapshot) -> the range wanted for the moving grains' finite values [SI] of a snapshot."""
    fixed: Callable[[tuple[float, float], Snapshot], tuple[float, float]] = widening
    """Function from the wanted range to the constant range of a run."""
    widens: bool = True
    """Whether the range of a run becomes wider with its values; False if it is known before the grains move."""
    of_contacts: bool = False
    """Whether the values are sums over contacts: 0 in pictures between two snapshots, which take no time for them."""
    of_bodies: bool = False
    """Whether it tells rigid bodies apart: offered only where there are some."""
    legend: Message = EMPTY
    """Name in the legend; empty for the title."""
    first: int = 0
    """What the legend calls the value 0 of a discrete colour."""
    more: bool = False
    """Whether the last band of a discrete colour contains larger values too."""
    exported: bool = True
    """Whether exported grains have a column of it; False if they have the quantity under another name."""
    order: int = 50
    """Colours are sorted by this number in the menu."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", as_message(self.title))  # that of a plug-in may be a plain text
        object.__setattr__(self, "legend", as_message(self.legend) or self.title)

    def unit_in(self, dimension: int) -> str:
        """SI unit in the plane or in space."""
        return self.unit if isinstance(self.unit, str) else self.unit[dimension]
