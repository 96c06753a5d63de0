"""Colours that show a quantity: maps, names of the columns, ranges, conversion between sRGB and linear light.

Blending is done in linear light; files and palettes are sRGB. `to_linear` and `to_srgb` convert.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.measure.stress import stress_unit

Colour = tuple[float, float, float]
"""Red, green, blue, sRGB, 0 to 1."""

COLOUR_MAPS = ("viridis", "cividis", "batlow")
"""Perceptually even maps that colour-blind readers can tell apart; each is a table in `assets/colours`."""
ROWS = 256
RISE, FALL = 0.25, 0.02
"""Share of the way to its target that an end of a range goes per picture: outward at once, inward in about 1 s."""


@dataclass(frozen=True)
class Palette:
    """The colours that show no quantity, for one background."""

    background: Colour
    grain: Colour
    fixed: Colour
    solid: Colour
    """Band behind walls and base."""
    rim: float
    """Brightness of a grain's outline relative to its face, linear [-]."""
    glass: Colour
    """Transparent walls in 3D."""
    chain: Colour
    text: Colour
    faint: Colour
    mark: Colour
    """The measured slope and the grains it came from."""
    trim: tuple[float, float]
    """The part of each map that differs from the background."""


def _hex(code: str) -> Colour:
    red, green, blue = (int(code[k : k + 2], 16) / 255.0 for k in (0, 2, 4))
    return red, green, blue


DARK = Palette(
    background=_hex("101419"),
    grain=_hex("c9b38c"),
    fixed=_hex("7d8794"),
    solid=_hex("2b323b"),
    rim=0.30,
    glass=_hex("a9c4dd"),
    chain=_hex("ff8a5c"),
    text=_hex("f0f3f6"),
    faint=_hex("9aa5b1"),
    mark=_hex("ffffff"),
    trim=(0.20, 1.0),
)
LIGHT = Palette(
    background=_hex("f7f8fa"),
    grain=_hex("b8975a"),
    fixed=_hex("8a929c"),
    solid=_hex("d3d8de"),
    rim=0.35,
    glass=_hex("5f7f9c"),
    chain=_hex("c0301c"),
    text=_hex("14181d"),
    faint=_hex("5a6570"),
    mark=_hex("0b0d10"),
    trim=(0.0, 0.90),
)


@dataclass(frozen=True)
class Colouring:
    """One column with its name and unit in the legend.

    `span` gives the range wanted for the moving grains' finite values [SI] of a snapshot.
    """

    name: str
    label: str
    symbol: str
    unit: str
    """SI unit; the legend adds the prefix that suits the range."""
    kind: Literal["continuous", "discrete"]
    span: Callable[[Floats, Snapshot], tuple[float, float]]


def _from_zero(least: float) -> Callable[[Floats, Snapshot], tuple[float, float]]:
    """From zero to the 99th percentile, but never below `least`: noise at rest must not fill the whole map."""

    def span(values: Floats, snapshot: Snapshot) -> tuple[float, float]:
        return 0.0, max(float(np.percentile(values, 99.0)), least)

    return span


def _speed_span(values: Floats, snapshot: Snapshot) -> tuple[float, float]:
    """As `_from_zero`; what counts as settled is drawn as settled."""
    settled = float(getattr(snapshot.parameters, "settle_speed", 1e-2))
    return _from_zero(2.0 * settled)(values, snapshot)


def _coordination_span(values: Floats, snapshot: Snapshot) -> tuple[float, float]:
    return 0.0, 6.0


def _size_span(values: Floats, snapshot: Snapshot) -> tuple[float, float]:
    """The middle 98 %; equal grains get a range around their one size."""
    low, high = (float(v) for v in np.percentile(values, (1.0, 99.0)))
    return (low, high) if high - low > 1e-3 * high else (0.9 * low, 1.1 * high)


def _layer_span(values: Floats, snapshot: Snapshot) -> tuple[float, float]:
    return 0.0, max(float(values.max()), 1.0)


COLOURINGS: dict[str, Colouring | None] = {
    "plain": None,
    "speed": Colouring("speed", "Speed", "v", "m/s", "continuous", _speed_span),
    "force": Colouring("force", "Normal force, sum", "ΣF", "N", "continuous", _from_zero(1e-6)),
    "pressure": Colouring("pressure", "Pressure on the grain", "P", "Pa", "continuous", _from_zero(1e-6)),
    "coordination": Colouring("coordination", "Contacts", "Z", "", "discrete", _coordination_span),
    "size": Colouring("size", "Radius", "R", "m", "continuous", _size_span),
    "layer": Colouring("layer", "Layer of origin", "", "", "discrete", _layer_span),
}
"""Quantities for the colours, in the order of the list."""


def colouring_of(name: str, snapshot: Snapshot) -> Colouring | None:
    """The colouring of that name, with the unit that stress has in the snapshot's dimension."""
    colouring = COLOURINGS[name]
    if colouring is None or colouring.name != "pressure":
        return colouring
    return replace(colouring, unit=stress_unit(snapshot.position.shape[1]))


MOST_BANDS = 12
"""Most distinguishable steps; more layers are grouped."""


def bands(low: float, high: float) -> int:
    """Number of equal steps in which a discrete column is shown."""
    return min(round(high - low) + 1, MOST_BANDS)


def measure_range(colouring: Colouring, snapshot: Snapshot) -> tuple[float, float] | None:
    """The range of the moving grains [SI]; None if there are no values."""
    values = snapshot.columns.get(colouring.name)
    if values is None or len(values) != len(snapshot.fixed):
        return None
    moving = values[~snapshot.fixed]
    moving = moving[np.isfinite(moving)]
    return colouring.span(moving, snapshot) if len(moving) else None


def ease(shown: tuple[float, float] | None, wanted: tuple[float, float]) -> tuple[float, float]:
    """The range to show next: follows `wanted` slowly, so that colours do not flicker with the fastest grain."""
    if shown is None:
        return wanted
    low, high = shown
    low += (RISE if wanted[0] < low else FALL) * (wanted[0] - low)
    high += (RISE if wanted[1] > high else FALL) * (wanted[1] - high)
    return low, high


def fill_colours(
    snapshot: Snapshot, colouring: Colouring | None, span: tuple[float, float] | None, map_name: str, palette: Palette
) -> Floats:
    """Face colour of every sphere, linear light, shape (count, 3)."""
    faces = np.empty((len(snapshot.radius), 3), np.float32)
    faces[:] = to_linear(palette.grain)
    if colouring is not None and span is not None:
        faces[:] = shades(position_on_map(snapshot.columns[colouring.name], colouring, span), map_name, palette)
    faces[snapshot.fixed] = to_linear(palette.fixed)
    return faces


def position_on_map(values: ArrayLike, colouring: Colouring, span: tuple[float, float]) -> NDArray[np.float64]:
    """Positions of values on a map, 0 to 1; whole numbers of a discrete column are in the middle of their band."""
    low, high = span
    with np.errstate(invalid="ignore"):
        share = (np.asarray(values, np.float64) - low) / max(high - low, 1e-300)
        if colouring.kind == "discrete":
            count = bands(low, high)
            whole = np.asarray(values, np.float64) - low
            band = np.floor(whole * count / max(round(high - low) + 1, 1))
            share = np.clip(band, 0, count - 1) / max(count - 1, 1)
    return np.clip(np.nan_to_num(share), 0.0, 1.0)


def shades(share: ArrayLike, map_name: str, palette: Palette) -> Floats:
    """Colours at shares 0 to 1 of the usable stretch of a map, linear light, shape (..., 3)."""
    first, last = palette.trim
    rows = np.rint((first + (last - first) * np.asarray(share)) * (ROWS - 1)).astype(np.intp)
    table: Floats = linear_map(map_name)[rows]
    return table


@functools.cache
def load_map(name: str) -> NDArray[np.float64]:
    """A colour map, sRGB 0 to 1, shape (256, 3)."""
    with files("repose.assets").joinpath("colours", f"{name}.csv").open(encoding="ascii") as file:
        table: NDArray[np.float64] = np.loadtxt(file, delimiter=",", skiprows=1)
    return table


@functools.cache
def linear_map(name: str) -> Floats:
    """A colour map in linear light, shape (256, 3)."""
    return to_linear(load_map(name))


def to_linear(srgb: ArrayLike) -> Floats:
    """Linear light of an sRGB value (IEC 61966-2-1)."""
    value = np.asarray(srgb, np.float64)
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4).astype(np.float32)


def to_srgb(linear: ArrayLike) -> Floats:
    """sRGB value of linear light."""
    value = np.asarray(linear, np.float64)
    return np.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055).astype(np.float32)


def lightness(srgb: ArrayLike) -> NDArray[np.float64]:
    """CIE 1976 L* of sRGB colours (D65), 0 to 100; shape (..., 3) to (...)."""
    luminance = to_linear(srgb).astype(np.float64) @ np.array((0.2126, 0.7152, 0.0722))
    cube = np.cbrt(luminance)
    star: NDArray[np.float64] = np.where(luminance > (6 / 29) ** 3, 116.0 * cube - 16.0, luminance * (29 / 3) ** 3)
    return star


PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}


def prefixed(high: float, unit: str) -> tuple[float, str]:
    """The scale and unit that suit a range up to `high`: (1e-3, "mm") for 0.004 m."""
    if not unit or not high > 0.0 or not math.isfinite(high):
        return 1.0, unit
    # From 0.2 on the bare unit still reads well: 0.5 m/s rather than 500 mm/s.
    power = min(max(3 * math.floor(math.log10(high * 5.0) / 3), -9), 9)
    return 10.0**power, PREFIXES[power] + unit


def nice_step(span: float, most: int) -> float:
    """The smallest of 1, 2, 5 times a power of ten that cuts `span` into at most `most` pieces."""
    rough = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= rough * (1.0 - 1e-9))


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round values inside [low, high], at most `most` + 1 of them."""
    if not (math.isfinite(low) and math.isfinite(high) and high > low):
        return [low]
    step = nice_step(high - low, most)
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    return [k * step for k in range(first, last + 1)]


def tick_label(value: float, step: float) -> str:
    """A tick with just the digits its step needs, and a true minus sign."""
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value + 0.0:.{digits}f}".replace("-", "−")
