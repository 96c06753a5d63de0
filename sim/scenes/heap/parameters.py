"""The parameters of the heap experiment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from pydantic import model_validator
from repose.sim.engine.world import Floats
from repose.sim.message import Message, _, plural
from repose.sim.parameters import choice, count, length, number, switch
from repose.sim.scenes.common.grain_sizes import SizedParameters, Sizes, curve_of_text, with_mean_radius
from repose.sim.scenes.common.motion_parameters import MotionParameters
from repose.sim.scenes.common.poured_parameters import SettleSpeed

SMALLEST, LARGEST = 0.4, 1.8
"""Smallest and largest radius, in mean radii [-]."""

PACKING = 0.80
"""Area fraction of a loosely poured column, for the height of the walls [-]."""

THESIS_COUNT, THESIS_RADIUS, THESIS_WIDTH = 1100, 1e-3, 4.56e-2
"""Number of grains, mean radius [m] and width [m] of the column of the thesis, which is twice as high as wide."""

NARROWEST = 10.0
"""Smallest width of a container whose width follows from its grains, in mean radii [-]."""

MOST_WALL_GRAINS = 100_000
"""Largest number of fixed grains of walls and base; more would take a gigabyte of memory before pouring."""


def width_for(grain_count: int, mean_radius: float) -> float:
    """Width of a container for this number of grains of this mean radius [m], in the proportions of the thesis [m]."""
    wide = THESIS_WIDTH * math.sqrt(grain_count / THESIS_COUNT) * (mean_radius / THESIS_RADIUS)
    return min(max(wide, NARROWEST * mean_radius, 5e-3), 2.0)


class HeapParameters(SizedParameters, MotionParameters):
    """Parameters of the heap experiment other than those of its contact law (thesis ch. 3), in SI."""

    # fmt: off
    base_radius: float = length(2.5e-4, 5e-5, 3e-3, _("base grain radius"), "R_p", effect="base", group=_("Container"),
        help=_(
            "Radius of the grains of the base: a larger radius is rougher and gives a steeper heap. A change rebuilds "
            "the base."
        ))
    wall_radius: float = length(1e-3, 1e-4, 3e-3, _("wall grain radius"), "R_wall", effect="base", group=_("Container"),
        help=_("Radius of the grains of the two walls. A change rebuilds the walls."))
    width: float = length(THESIS_WIDTH, 5e-3, 2.0, _("container width"), "W", effect="restart", group=_("Container"),
        help=_("Distance between the walls. Unless you set it, the column is twice as high as wide."))
    rotation: bool = switch(False, _("grains rotate"), effect="restart", group=_("Grains"),
        help=_("Whether grains rotate (discs, I = ½ m R²); not so in the thesis. Acts at the next fill."))
    grain_count: int = count(1100, 1, 1_000_000, _("grains"), "N", log=True, effect="restart", group=_("Grains"),
        help=_("Number of grains. Takes effect at the next fill."))
    mean_radius: float = length(1e-3, 4e-4, 2e-3, _("mean radius"), "R", effect="restart", group=_("Grains"),
        help=_("Mean of the normal distribution of the radii. Takes effect at the next fill."))
    radius_spread: float = length(2e-4, 0.0, 5e-4, _("radius spread"), "σ_R", effect="restart", group=_("Grains"),
        help=_(
            "Standard deviation of the radii; radii below 0.4 R and above 1.8 R are drawn again. Zero gives equal "
            "grains, which crystallise."
        ))
    sizes: Sizes = ""
    mass_at_mean: float = number(1e-3, 1e-6, 1e-1, _("mass at R = 1 mm"), "m", "g", effect="restart", group=_("Grains"),
        help=_("Mass of a grain of 1 mm radius; others have m (R / 1 mm)³."))
    equal_masses: bool = switch(False, _("equal masses"), effect="restart", group=_("Grains"),
        help=_(
            "All grains have the mass of a grain of 1 mm radius, as in the simplified model of the thesis (4.1). Off: "
            "the mass grows as R³. Acts at the next fill."
        ))
    settle_speed: SettleSpeed = 1e-2
    surface_grains: int = count(2, 1, 5, _("highest grains per strip"), "n_top", group=_("Experiment"),
        help=_("How many of the highest grains of each strip, one mean diameter wide, the line is fitted through."))
    method: Literal["line", "robust", "height_over_base"] = choice("line", _("angle from"), group=_("Experiment"),
        help=_(
            "Least-squares line, Theil-Sen line (robust against stray grains), or height of the heap over its base."
        ))
    afterwards: Literal["nothing", "tilt", "trickle"] = choice("nothing", _("afterwards"), group=_("Other angles"),
        help=_(
            "What *Run all* does with the measured heap: nothing, turn its table until it flows (tilt), or add grains "
            "one by one (trickle)."
        ))
    tilt_rate: float = number(math.radians(2.0), math.radians(0.01), math.radians(20.0), _("tilting rate"), "ω", "°/s",
        log=True, group=_("Other angles"),
        help=_("How fast the table turns while the heap is tilted. Up to 2 °/s, θ_T does not depend on it."))
    trickle_count: int = count(100, 1, 10_000, _("grains to add"), log=True, group=_("Other angles"),
        help=_("How many grains are added one by one at the top of the heap."))
    # fmt: on

    @property
    def followers(self) -> tuple[str, ...]:
        """The width follows from the number of grains, besides what follows from their sizes."""
        return ("width", *super().followers)

    def kept(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Present values that remain when `values` are set; a width that was not set follows from the grains."""
        kept = super().kept(values)
        if self.width == width_for(self.grain_count, self._wide_radius(self.sizes, self.mean_radius)):
            kept.pop("width", None)
        return kept

    @model_validator(mode="before")
    @classmethod
    def _with_width(cls, values: Any) -> Any:
        """The values, with a width that follows from the grains if none is given."""
        values = with_mean_radius(values, cls)
        if not isinstance(values, dict) or "width" in values:
            return values
        count, radius = (values.get(name, cls.model_fields[name].default) for name in ("grain_count", "mean_radius"))
        known = all(isinstance(value, int | float) and value > 0.0 for value in (count, radius))
        wide = cls._wide_radius(values.get("sizes"), radius) if known else 0.0
        return values | {"width": width_for(count, wide)} if known else values

    @staticmethod
    def _wide_radius(sizes: Any, mean: float) -> float:
        """Radius of grains of one size for which the container has the width for stated sizes [m]."""
        curve = curve_of_text(sizes)
        return mean if curve is None else mean * math.sqrt(curve.mean_square_ratio)

    def own_limits(self) -> tuple[float, float]:
        """Smallest and largest radius of the truncated normal distribution [m]."""
        if self.radius_spread == 0.0:
            return self.mean_radius, self.mean_radius
        return SMALLEST * self.mean_radius, LARGEST * self.mean_radius

    def own_radii(self, generator: np.random.Generator, count: int | None = None) -> Floats:
        """Radii drawn from the truncated normal distribution, by default of all grains [m], shape (count,)."""
        mean, spread = self.mean_radius, self.radius_spread
        radii = generator.normal(mean, spread, self.grain_count if count is None else count)
        while (outside := (radii < SMALLEST * mean) | (radii > LARGEST * mean)).any():
            radii[outside] = generator.normal(mean, spread, int(outside.sum()))
        return radii

    @property
    def mean_square_radius(self) -> float:
        """Mean square of the radii [m²]."""
        if self.sizes:
            return super().mean_square_radius
        return float(self.mean_radius**2 + self.radius_spread**2)

    @property
    def base_count(self) -> int:
        """Number of grains of the base."""
        return max(1, math.ceil(self.width / (2.0 * self.base_radius)))

    def wall_count(self, grain_area: float) -> int:
        """Number of grains of a wall that is high enough for grains of this total area [m²] and for pouring the last
        layer."""
        height = 1.2 * grain_area / (PACKING * self.width) + 12.0 * self.mean_radius
        return math.ceil(height / (2.0 * self.wall_radius))

    @model_validator(mode="after")
    def _can_be_built(self) -> Self:
        largest = self.largest_radius
        if self.width < 2.0 * largest * (1.0 - 1e-9):
            shown, least = self.declared()["width"].converted, float(f"{2.0 * largest:.6g}")
            raise ValueError(
                Message(
                    "width = {width}{width2} is refused: it must be at least {least} m{least2}, the "
                    "diameter of the largest grain; widen the container or make the grains smaller.",
                    width=repr(self.width),
                    width2=shown(self.width),
                    least=repr(least),
                    least2=shown(least),
                )
            )
        grain_area = self.grain_count * math.pi * self.mean_square_radius
        count = 2 * self.wall_count(grain_area) + self.base_count
        if count > MOST_WALL_GRAINS:
            size = self.declared()["wall_radius"].converted(self.wall_radius)
            raise ValueError(
                plural(
                    "wall_radius = {wall_radius}{size} is refused: walls and base would need {count} grain, at "
                    "most {most_wall_grains} are built; make the wall grains larger, the container wider or the "
                    "grains fewer.",
                    "wall_radius = {wall_radius}{size} is refused: walls and base would need {count} grains, at "
                    "most {most_wall_grains} are built; make the wall grains larger, the container wider or the "
                    "grains fewer.",
                    count=count,
                    wall_radius=repr(self.wall_radius),
                    size=size,
                    most_wall_grains=MOST_WALL_GRAINS,
                )
            )
        return self
