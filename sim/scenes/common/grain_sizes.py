"""Radii of the grains of a scene: its own spread about the mean radius, or a size distribution that the user states."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import model_validator
from repose.sim.engine.world import Floats
from repose.sim.io.schema import read_text
from repose.sim.message import Message, _
from repose.sim.parameters import ParameterError, ParameterSet, Written, require_local, written
from repose.sim.size_distribution import (
    SizeCurve,
    SizeDistribution,
    checked_sizes,
    described,
    random_radii,
    read_sizes,
    refused,
    sizes_of_table,
)

LARGEST_TABLE = 1_000_000
"""Largest size of the file of a sieve curve [bytes]."""


def sizes_in_file(path: str) -> str:
    """The text of the sieve curve in a CSV file: diameter [mm] and share by mass that passes [%] in every row. Raises
    `ParameterError`."""
    require_local("sizes", path)
    text = read_text(Path(path), _("sieve curve"), syntax="CSV", largest=LARGEST_TABLE)
    return sizes_of_table(text, Path(path).name)


SIZES = Written(
    checked=checked_sizes,
    of_file=sizes_in_file,
    in_words=lambda text: described(read_sizes(text)),
    examples=("two_sizes by mass: ratio 3, share 50 %", "uniform by number: ratio 3", "equal"),
    suffixes=(".csv",),
    empty=_("mean radius and spread"),
    replaces=("size_spread", "radius_spread"),
)
"""The form of a size distribution as a parameter."""
# fmt: off
Sizes = Annotated[str, written(_("grain sizes"), SIZES, effect="restart", group=_("Grains"),
    help=_(
        "Distribution by mass or number: equal, uniform, log-normal, Gaudin–Schuhmann, two sizes or a sieve curve, "
        "in place of the spread. A CSV file with diameters in mm and passing % can be dropped on the window. At the "
        "next start."
    ))]
# fmt: on


class SizedParameters(ParameterSet):
    """The radii that follow from `mean_radius`, `sizes` and the spread of a scene, which declares them."""

    if TYPE_CHECKING:  # declared by the scene, at their place in its list
        grain_count: int
        mean_radius: float
        sizes: str

    def own_limits(self) -> tuple[float, float]:
        """Smallest and largest radius of the spread of the scene [m]."""
        raise NotImplementedError

    def own_radii(self, generator: np.random.Generator) -> Floats:
        """Radii of all grains with the spread of the scene [m], shape (grain_count,)."""
        return generator.uniform(*self.own_limits(), self.grain_count)

    @property
    def followers(self) -> tuple[str, ...]:
        """The mean radius follows from a sieve curve."""
        sizes = self.distribution
        return ("mean_radius",) if sizes is not None and sizes.mean_radius is not None else ()

    @property
    def distribution(self) -> SizeDistribution | None:
        """The stated distribution; None for the spread of the scene."""
        return read_sizes(self.sizes) if self.sizes else None

    @property
    def radius_limits(self) -> tuple[float, float]:
        """Smallest and largest radius that a grain can have [m]."""
        if (sizes := self.distribution) is None:
            return self.own_limits()
        return self.mean_radius * sizes.curve.smallest, self.mean_radius * sizes.curve.largest

    @property
    def largest_radius(self) -> float:
        """Radius of the largest grain [m]."""
        return self.radius_limits[1]

    @property
    def mean_square_radius(self) -> float:
        """Mean square of the radii [m²]; of the narrow spread of a scene that of the mean radius."""
        square: float = self.mean_radius**2
        return square if (sizes := self.distribution) is None else square * sizes.curve.mean_square_ratio

    @property
    def mean_cube_radius(self) -> float:
        """Mean cube of the radii [m³]; of the narrow spread of a scene that of the mean radius."""
        cube: float = self.mean_radius**3
        return cube if (sizes := self.distribution) is None else cube * sizes.curve.mean_cube_ratio

    def kept(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Present values that remain when `values` are set; the mean radius of a sieve curve follows from the curve."""
        kept = super().kept(values)
        sizes = self.distribution
        follows = sizes is not None and sizes.mean_radius == self.mean_radius
        if follows or ("sizes" in values and _mean_of(values["sizes"]) is not None):
            kept.pop("mean_radius", None)
        return kept

    @model_validator(mode="before")
    @classmethod
    def _with_mean_radius(cls, values: Any) -> Any:
        return with_mean_radius(values, cls)


def with_mean_radius(values: Any, kind: type[ParameterSet]) -> Any:
    """The values of a parameter set, with the mean radius of their sieve curve if no other one is given. Raises
    `ParameterError` if it is outside the limits of that parameter in the set."""
    if not isinstance(values, dict) or "mean_radius" in values or (mean := _mean_of(values.get("sizes"))) is None:
        return values
    held = kind.declared()["mean_radius"]
    low, high = held.low or 0.0, math.inf if held.high is None else held.high
    if not low <= mean <= high:
        why = Message(
            "the mean radius of its grains is {mean}; this scene holds {low} to {high}: scale the sizes of the sieves.",
            mean=held.shown(mean),
            low=held.shown(low),
            high=held.shown(high),
        )
        raise refused(values["sizes"], why)
    return values | {"mean_radius": mean}


def curve_of_text(sizes: Any) -> SizeCurve | None:
    """The curve of a text; None for no distribution, and for texts that are refused later."""
    sound = _sound(sizes)
    return None if sound is None else sound.curve


def _mean_of(sizes: Any) -> float | None:
    """Mean radius of a sieve curve [m]; None for other texts."""
    sound = _sound(sizes)
    return None if sound is None else sound.mean_radius


def _sound(sizes: Any) -> SizeDistribution | None:
    try:
        return read_sizes(sizes) if isinstance(sizes, str) and sizes.strip() else None
    except ParameterError:
        return None


def drawn_radii(parameters: SizedParameters, generator: np.random.Generator, count: int | None = None) -> Floats:
    """Radii of the first `count` grains, by default of all, in random order [m], shape (count,)."""
    if (sizes := parameters.distribution) is None:
        return parameters.own_radii(generator)[:count]
    number = parameters.grain_count if count is None else count
    return random_radii(sizes, number, parameters.mean_radius, generator)
