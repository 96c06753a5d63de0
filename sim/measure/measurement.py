"""The record of a measurement, and the data that a measurement reads.

A module of this package, or of a plug-in, that offers `MEASUREMENT` (a `Measurement` or a tuple of them) adds the
quantity to the series, the plots, the readings, result.json and the exported series. An example, complete:

    def mean_overlap(system: System) -> float:
        return float(system.overlaps.mean()) if system.overlaps.size else math.nan

    MEASUREMENT = Measurement("mean_overlap", "mean overlap", "δ", "mm", mean_overlap, scale=1e-3)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from repose.sim.engine.world import Floats, World
from repose.sim.measure.booked import Booked
from repose.sim.measure.display import OTHER, Axis, Named, Plot, Reading, SampledQuantity
from repose.sim.message import EMPTY, Message, label_of

if TYPE_CHECKING:  # both modules import the compiler
    from repose.sim.engine.contacts.contact_table import ContactTable
    from repose.sim.engine.timestep.survey import Survey

T = TypeVar("T")


@dataclass
class System:
    """The state of an experiment for measurements; costly quantities are computed once for all of them."""

    world: World
    grains: World
    """The world in which what a machine moves is fixed: that of every measurement over grains."""
    dimension: int
    rotates: bool
    gravity: tuple[float, ...]
    """Acceleration of free fall [m/s²], shape (dimension,)."""
    velocity_shift: float
    """Time by which stored velocities are ahead of positions [s]: half a step in the leapfrog scheme, else 0."""
    booked: Booked
    find_survey: Callable[[], Survey]
    find_contacts: Callable[[], ContactTable]
    find_reading: Callable[[], Any]
    _derived: dict[Callable[[System], Any], Any] = field(default_factory=dict)

    @cached_property
    def survey(self) -> Survey:
        """Energies of all contacts, the largest overlap and the stiffest contact."""
        return self.find_survey()

    @cached_property
    def contacts(self) -> ContactTable:
        """Spheres, branch and force of every contact."""
        return self.find_contacts()

    @cached_property
    def overlaps(self) -> Floats:
        """Overlap of every contact, walls included [m], shape (contacts,)."""
        i, j = self.contacts.i, self.contacts.j
        radius = self.world.radius
        overlap: Floats = radius[i] + np.where(j >= 0, radius[j], 0.0) - np.linalg.norm(self.contacts.branch, axis=0)
        return overlap

    @cached_property
    def reading(self) -> Any:
        """Present measurement of the scene, such as a `SurfaceSlope`, or None."""
        return self.find_reading()

    def derived(self, derive: Callable[[System], T]) -> T:
        """The result of derive(self), computed once for all measurements that use it."""
        if derive not in self._derived:
            self._derived[derive] = derive(self)
        result: T = self._derived[derive]
        return result


@dataclass(frozen=True)
class Measurement(Named):
    """One quantity that is sampled over time."""

    kind = "measurement"
    name: str
    """Column of the series, key of result.json and name of its reading."""
    title: Message
    symbol: str
    unit: str | Mapping[int, str]
    """Display unit; a mapping by dimension if 2D and 3D differ."""
    sample: Callable[[System], float]
    """Function that returns the present value in SI units, or nan."""
    scale: float = 1.0
    """Shown value = value / scale."""
    costly: bool = False
    """Whether a sample costs more than a few steps; such measurements are sampled only every `COSTLY_STEPS` steps."""
    shown: Callable[[System], bool] | bool = True
    """Whether a value other than nan is shown beside the picture now; a bool, or a function of the state."""
    of_grains: bool = False
    """Whether the reading applies only to grains that touch one another. It is not shown for bodies and liquids of
    cohesive particles, whose pressure and packing follow from the spacing of the particles."""
    help: Callable[[System], Message] | Message = EMPTY
    """Tooltip of the reading."""
    error: Callable[[System], float] | None = None
    """Function that returns the uncertainty of the present value in SI units, or nan; None for no uncertainty."""
    error_of: Message = EMPTY
    """Source of the uncertainty."""
    plot: Plot | None = OTHER
    """Tab of the plot; None for no plot."""
    axis: Message = EMPTY
    """Label of the axis; measurements of one tab with the same label share one axis. Empty: title and unit."""
    order: int = 50
    """Measurements are sorted by this number in a tab and among the readings."""
    log: bool = False
    """Whether the axis is logarithmic."""
    from_zero: bool = True
    """Whether the axis begins at zero."""

    def unit_in(self, dimension: int) -> str:
        """Display unit in 2D or 3D."""
        return self.unit if isinstance(self.unit, str) else self.unit[dimension]

    def label(self) -> Message:
        """Title and symbol."""
        return label_of(self.title, self.symbol)

    def axis_in(self, dimension: int) -> Axis:
        """The axis of its plot in 2D or 3D."""
        return Axis(self.axis or self.label(), self.unit_in(dimension))

    def sampled(self, dimension: int) -> SampledQuantity:
        """Its samples as a quantity to plot, in 2D or 3D."""
        axis, unit = self.axis_in(dimension), self.unit_in(dimension)
        return SampledQuantity(
            self.name, self.title, self.label(), unit, self.scale, self.plot, axis, self.log, self.from_zero
        )

    def reading(self, system: System) -> Reading | None:
        """The reading beside the picture; None if there is no value or it is not shown."""
        if not (self.shown if isinstance(self.shown, bool) else self.shown(system)):
            return None
        value = self.sample(system)
        if not math.isfinite(value):
            return None
        help = self.help(system) if callable(self.help) else self.help
        error = math.nan if self.error is None else self.error(system) / self.scale
        known = error if math.isfinite(error) else None
        unit = self.unit_in(system.dimension)
        error_of = self.error_of if known is not None else EMPTY
        return Reading(self.name, self.label(), value / self.scale, unit, known, help, error_of)
