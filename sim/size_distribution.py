"""Size distributions of grains: kinds, text form, sieve tables, and radii that follow a distribution.

A distribution is the share of the grains below each size, by their mass or by their number. Every kind states this
curve as a polygon over the logarithm of the size, as a sieve curve is drawn: a sieve curve is its own polygon, a
formula is sampled at `NODES` sizes, and equal sizes are a vertical step. One function draws the radii of all kinds.

In files, commands and options a distribution is one text:

    equal
    uniform by number: ratio 3
    log_normal by mass: width 0.3
    gaudin_schuhmann by mass: exponent 0.5, ratio 10
    two_sizes by mass: ratio 3, share 50 %
    sieve by mass: 1 mm 0 %, 2 mm 40 %, 4 mm 100 %

All sizes but those of a sieve curve are relative; the mean radius of the scene, by number, sets their scale.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from repose.sim.message import Message, Number, _, joined, plain
from repose.sim.numbers import read_number
from repose.sim.parameters import ParameterError, about_comma, require_known
from repose.sim.wording import short, value_text
from scipy.special import ndtr

Floats = NDArray[np.float64]
By = Literal["mass", "number"]

LARGEST_RATIO = 20.0
"""Largest ratio of two radii [-]. A sphere of twenty times the radius can touch about 1700 small ones in space, and the
pair list has cells for two classes of sizes. The limit is chosen from these numbers, not measured."""
MOST_ROWS = 100
"""Largest number of rows of a sieve curve."""
LONGEST = 4096
"""Largest number of letters of the text of a distribution."""
NODES = 512
"""Number of sizes at which a formula is sampled."""
POINTS = 64
"""Number of nodes of a curve, and of sizes between its ends, at which two curves are compared."""
CUT = 3.0
"""Standard deviations beyond which the log-normal distribution is cut off [-]."""
UNITS = {"mm": 1e-3, "µm": 1e-6, "um": 1e-6, "m": 1.0}
"""Units of the sizes of a sieve curve [m]."""


@dataclass(frozen=True)
class SizeNumber:
    """One number of the formula of a kind, shown in `unit`, of which one is `scale`."""

    name: str
    label: Message
    default: float
    low: float
    high: float
    unit: str = ""
    scale: float = 1.0


class Polygon(NamedTuple):
    """Sizes in ascending order, and the share of the grains up to each [-]; both shape (nodes,)."""

    size: Floats
    share: Floats


@dataclass(frozen=True)
class SizeKind:
    """One kind of distribution: its numbers, and the polygon of its curve for them."""

    name: str
    label: Message
    help: Message
    by: By
    """What the shares count unless the text says it."""
    numbers: tuple[SizeNumber, ...]
    polygon: Callable[..., Polygon]


RATIO = SizeNumber("ratio", _("largest over smallest"), 3.0, 1.01, LARGEST_RATIO)


def _equal() -> Polygon:
    return Polygon(np.ones(2), np.array([0.0, 1.0]))


def _uniform(ratio: float) -> Polygon:
    """F = (r − r_1)/(r_2 − r_1)."""
    size = np.linspace(1.0, ratio, NODES)
    return Polygon(size, (size - 1.0) / (ratio - 1.0))


def _log_normal(width: float) -> Polygon:
    """F = Φ(ln(r/r_m)/s), cut off at `CUT` standard deviations s of the logarithm."""
    deviations = np.linspace(-CUT, CUT, NODES)
    share = (ndtr(deviations) - ndtr(-CUT)) / (ndtr(CUT) - ndtr(-CUT))
    share[-1] = 1.0
    return Polygon(np.exp(width * deviations), share)


def _gaudin_schuhmann(exponent: float, ratio: float) -> Polygon:
    """F = (r/r_2)^m, cut off at the smallest size: (r^m − r_1^m)/(r_2^m − r_1^m)."""
    size = np.geomspace(1.0, ratio, NODES)
    share = (size**exponent - 1.0) / (ratio**exponent - 1.0)
    share[-1] = 1.0
    return Polygon(size, share)


def _two_sizes(ratio: float, share: float) -> Polygon:
    """The step 1 − w at the small size, and w at the large one."""
    return Polygon(np.array([1.0, 1.0, ratio, ratio]), np.array([0.0, 1.0 - share, 1.0 - share, 1.0]))


def _sieve(*rows: float) -> Polygon:
    """The rows of the table: diameter [m] and share that passes [-] in turn."""
    table = np.array(rows).reshape(-1, 2)
    return Polygon(0.5 * table[:, 0], table[:, 1])


SIEVE = "sieve"
# fmt: off
KINDS = {kind.name: kind for kind in (
    SizeKind("equal", _("equal"), _("All grains have the mean radius."), "number", (), _equal),
    SizeKind("uniform", _("uniform"), _("Every radius between two limits is equally frequent."), "number", (RATIO,),
        _uniform),
    SizeKind("log_normal", _("log-normal"), _("The logarithm of the radius is normally distributed, up to 3 σ."),
        "number", (SizeNumber("width", _("standard deviation of ln R"), 0.3, 0.01, math.log(LARGEST_RATIO) / (2 * CUT)),
        ), _log_normal),
    SizeKind("gaudin_schuhmann", _("Gaudin–Schuhmann"), _("The share below a size is its power, (d/d_max)^m."), "mass",
        (SizeNumber("exponent", _("exponent m"), 0.7, 0.05, 5.0), RATIO), _gaudin_schuhmann),
    SizeKind("two_sizes", _("two sizes"), _("A mixture of small and large grains."), "mass",
        (RATIO, SizeNumber("share", _("share of the large"), 0.5, 0.001, 0.999, "%", 0.01)), _two_sizes),
    SizeKind(SIEVE, _("sieve curve"), _("The share that passes each sieve; straight lines over the logarithm."), "mass",
        (), _sieve),
)}
# fmt: on
"""The kinds by name."""
BY = {"mass": _("by mass"), "number": _("by number")}
"""What the shares count."""


@dataclass(frozen=True)
class SizeDistribution:
    """A kind with its numbers; of a sieve curve these are diameters [m] and shares [-] in turn."""

    kind: str
    by: By
    numbers: tuple[float, ...] = ()

    @cached_property
    def curve(self) -> SizeCurve:
        """The curve by number and by mass."""
        return curve_of(KINDS[self.kind].polygon(*self.numbers), self.by)

    @property
    def rows(self) -> tuple[tuple[float, float], ...]:
        """Diameter [m] and share that passes [-] of each sieve; empty for other kinds."""
        return tuple(zip(self.numbers[::2], self.numbers[1::2], strict=True)) if self.kind == SIEVE else ()

    @property
    def mean_radius(self) -> float | None:
        """Mean radius by number of a sieve curve [m], to six digits; None for other kinds, which have no scale of their
        own."""
        return float(f"{self.curve.mean:.6g}") if self.kind == SIEVE else None

    def text(self) -> str:
        """The distribution as one text, which `read_sizes` reads."""
        if self.kind == SIEVE:
            entries = [f"{1e3 * size:.10g} mm {100.0 * share:.10g} %" for size, share in self.rows]
        else:
            entries = [
                f"{entry.name} {value / entry.scale:.10g} {entry.unit}".rstrip()
                for entry, value in zip(KINDS[self.kind].numbers, self.numbers, strict=True)
            ]
        if self.kind == "equal":
            return self.kind
        return f"{self.kind} by {self.by}: {', '.join(entries)}"


@dataclass(frozen=True)
class SizeCurve:
    """A distribution as polygons by number and by mass over the same sizes, relative or [m], shape (nodes,).

    Within a segment the quantity that the distribution counts is uniform in ln r. With a uniform number the mass is
    proportional to r³ + const; with a uniform mass, the number density is proportional to r⁻⁴.
    """

    size: Floats
    number: Floats
    """Share of the number up to each size [-]."""
    volume: Floats
    """Share of the volume up to each size [-], which is that of the mass."""
    by: By
    mean: float
    """Mean size by number."""
    mean_square: float
    mean_cube: float

    @property
    def mean_square_ratio(self) -> float:
        """Mean square of the sizes over the square of their mean [-]."""
        return self.mean_square / self.mean**2

    @property
    def mean_cube_ratio(self) -> float:
        """Mean cube of the sizes over the cube of their mean [-]."""
        return self.mean_cube / self.mean**3

    @property
    def smallest(self) -> float:
        """The smallest size that occurs, relative to the mean."""
        return float(self.size[0]) / self.mean

    @property
    def largest(self) -> float:
        """The largest size that occurs, relative to the mean."""
        return float(self.size[-1]) / self.mean


def _mean_power(a: Floats, b: Floats, power: int) -> Floats:
    """Mean of r^p over segments from a to b that are uniform in ln r: (b^p − a^p)/(p ln(b/a)), a^p where a = b."""
    wide = b > a * (1.0 + 1e-9)
    span = np.where(wide, np.log(np.where(wide, b, 1.0) / np.where(wide, a, 0.5)), 1.0)
    mean: Floats = np.where(wide, (b**power - a**power) / (power * span), a**power) if power else np.ones_like(a)
    return mean


def curve_of(polygon: Polygon, by: By) -> SizeCurve:
    """The curve by number and by mass of a polygon that counts the one or the other."""
    a, b, part = polygon.size[:-1], polygon.size[1:], np.diff(polygon.share)
    shift = -3 if by == "mass" else 0
    weights = [part * _mean_power(a, b, power + shift) for power in (0, 1, 2, 3)]
    total = float(weights[0].sum())
    shares = [np.concatenate([[0.0], np.cumsum(weight) / weight.sum()]) for weight in (weights[0], weights[3])]
    for share in shares:
        share[-1] = 1.0
    mean, square, cube = (float(weight.sum()) / total for weight in weights[1:])
    return SizeCurve(polygon.size, shares[0], shares[1], by, mean, square, cube)


def _at_quantiles(curve: SizeCurve, quantile: Floats) -> Floats:
    """Share of the volume in the grains up to each share of the number [-], shape (n,)."""
    low = np.clip(np.searchsorted(curve.number, quantile, "right") - 1, 0, curve.size.size - 2)
    a, b = curve.size[low], curve.size[low + 1]
    step = curve.number[low + 1] - curve.number[low]
    t = np.clip((quantile - curve.number[low]) / np.where(step > 0.0, step, 1.0), 0.0, 1.0)
    wide = b > a * (1.0 + 1e-9)
    ratio = np.where(wide, b / a, 2.0)
    if curve.by == "number":
        inside = (ratio ** (3.0 * t) - 1.0) / (ratio**3 - 1.0)
    else:
        inside = -np.log1p(-t * (1.0 - ratio**-3.0)) / (3.0 * np.log(ratio))
    volume: Floats = curve.volume[low] + (curve.volume[low + 1] - curve.volume[low]) * np.where(wide, inside, t)
    volume[quantile >= 1.0] = 1.0
    return volume


@lru_cache(maxsize=16)
def _relative_radii(distribution: SizeDistribution, count: int) -> Floats:
    """Ascending radii over the mean radius, not to be changed, shape (count,).

    The curve by number is cut into `count` equal parts, and each part is one grain with the mean volume of the part. At
    the borders of the parts the generated curve is therefore the wanted one, by number and by mass; between two borders
    it differs by at most the share of one grain.
    """
    curve = distribution.curve
    volume = _at_quantiles(curve, np.arange(count + 1) / count)
    radii = np.cbrt(np.diff(volume) * count * curve.mean_cube)
    radii = np.clip(radii, curve.size[0], curve.size[-1])
    # The part that reaches over a gap becomes a grain of the nearer size: no third size between two.
    for k in np.flatnonzero((np.diff(curve.number) == 0.0) & (np.diff(curve.size) > 0.0)):
        a, b = curve.size[k], curve.size[k + 1]
        between = (radii > a) & (radii < b)
        radii[between] = np.where(2.0 * radii[between] ** 3 < a**3 + b**3, a, b)
    radii = np.sort(radii) / curve.mean
    radii.setflags(write=False)
    return radii


def sorted_radii(distribution: SizeDistribution, count: int, mean_radius: float) -> Floats:
    """Radii of `count` grains in ascending order [m], shape (count,)."""
    return mean_radius * _relative_radii(distribution, count)


def random_radii(
    distribution: SizeDistribution, count: int, mean_radius: float, generator: np.random.Generator
) -> Floats:
    """Radii of `count` grains in random order [m], shape (count,)."""
    return generator.permutation(sorted_radii(distribution, count, mean_radius))


def share_below(distribution: SizeDistribution, radius: Floats, mean_radius: float, by: By | None = None) -> Floats:
    """The wanted curve: share of the grains up to each radius [m], by mass or number (by default what the distribution
    counts) [-], shape (n,)."""
    curve = distribution.curve
    share = curve.volume if (by or curve.by) == "mass" else curve.number
    at = np.log(radius * (curve.mean / mean_radius))
    ends = np.log(curve.size)
    if (by or curve.by) == curve.by:
        below: Floats = np.interp(at, ends, share)
        # At a step `interp` returns either end.
        for step in np.flatnonzero(np.diff(ends) == 0.0):
            below = np.where(np.isclose(at, ends[step], rtol=0.0, atol=1e-9), share[step + 1], below)
        return below
    fine = np.linspace(0.0, 1.0, 65)
    low, high = ends[:-1, None], ends[1:, None]
    inside, power = low + (high - low) * fine, 3.0 if curve.by == "number" else -3.0
    part = np.expm1(power * (inside - low))
    whole = np.where(high > low, np.expm1(power * (high - low)), 1.0)
    part = share[:-1, None] + np.diff(share)[:, None] * np.where(high > low, part / whole, fine)
    other: Floats = np.interp(at, inside.ravel(), part.ravel())
    return other


def generated_share(radius: Floats, at: Floats, by: By) -> Floats:
    """Share of grains of these radii [m] up to each size in `at` [m], by mass or number [-], shape (len(at),)."""
    ascending = np.sort(radius)
    weight = np.concatenate([[0.0], np.cumsum(ascending**3 if by == "mass" else np.ones(ascending.size))])
    share: Floats = weight[np.searchsorted(ascending, at * (1.0 + 1e-9), "right")] / weight[-1]
    return share


def deviation(distribution: SizeDistribution, radius: Floats, mean_radius: float) -> float:
    """Largest difference between the generated and the wanted curve at the sizes of the polygon [-]."""
    size = distribution.curve.size * (mean_radius / distribution.curve.mean)
    nodes = size[np.linspace(0, size.size - 1, min(size.size, POINTS)).astype(int)]
    at = np.union1d(nodes, np.geomspace(size[0], size[-1], POINTS))
    wanted = share_below(distribution, at, mean_radius)
    return float(np.abs(generated_share(radius, at, distribution.by) - wanted).max())


# The text of a distribution.

FORM = re.compile(r"\s*([a-z_]*)\s*(?:by\s+(\S+?)\s*)?(?::(.*))?", re.DOTALL)
ROW = re.compile(r"(.+?)\s*(mm|µm|um|m)\s*[=:]?\s*(\S+?)\s*%")
DECIMAL_COMMA = re.compile(r"(?<![\d.])\d+,\d+")
NUMBER = re.compile(r"([a-z]+)\s*=?\s*(\S+?)\s*(%?)")


def refused(text: str, why: Message) -> ParameterError:
    """The error about a distribution that is refused."""
    return ParameterError(Message("sizes = {text} is refused: {why}", text=value_text(text, 120), why=why))


@lru_cache(maxsize=64)
def read_sizes(text: str) -> SizeDistribution:
    """The distribution that a text states; raises `ParameterError`."""
    found = FORM.fullmatch(text) if len(text) <= LONGEST else None
    if found is None or not found[1]:
        form = plain("two_sizes by mass: ratio 3, share 50 %")
        raise refused(text, Message("write a kind and its numbers, as in '{form}'.", form=form))
    require_known(found[1], KINDS, _("kind of sizes"))
    kind, by = KINDS[found[1]], found[2] or KINDS[found[1]].by
    if by not in get_args(By):
        raise refused(text, Message("the shares are by mass or by number, not by {by}.", by=value_text(by)))
    entries = [part.strip() for part in (found[3] or "").split(",") if part.strip()]
    numbers = _rows_in(text, entries) if kind.name == SIEVE else _numbers_in(text, kind, entries)
    counted: By = "mass" if by == "mass" else "number"
    made = SizeDistribution(kind.name, counted, numbers)
    if kind.name == SIEVE:
        _require_sieve(text, made)
        return SizeDistribution(kind.name, counted, tuple(number for row in _trimmed(made.rows) for number in row))
    return made


def _trimmed(rows: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """The rows from the last sieve that nothing passes to the first one that all grains pass."""
    first = max(k for k, (_size, share) in enumerate(rows) if share == 0.0)
    return rows[first : 1 + next(k for k, (_size, share) in enumerate(rows) if share == 1.0)]


def _numbers_in(text: str, kind: SizeKind, entries: list[str]) -> tuple[float, ...]:
    """The numbers of a formula; those that the text does not name have their defaults."""
    values = {entry.name: entry.default for entry in kind.numbers}
    for entry in entries:
        found = NUMBER.fullmatch(entry)
        value = _read(found[2]) if found else None
        if found is None or value is None:
            raise refused(text, _no_entry(Message("{entry} is no name with a number.", entry=value_text(entry)), text))
        if found[1] not in values:
            raise refused(text, _unknown_number(kind, found[1]))
        number = next(one for one in kind.numbers if one.name == found[1])
        value = value * 0.01 if found[3] else value
        if not number.low <= value <= number.high:
            raise refused(
                text,
                Message(
                    "{name} = {value} must be from {low} to {high}.",
                    name=number.name,
                    value=Number(value / number.scale, number.unit, "g"),
                    low=Number(number.low / number.scale, number.unit, ".4g"),
                    high=Number(number.high / number.scale, number.unit, ".4g"),
                ),
            )
        values[number.name] = value
    return tuple(values.values())


def _unknown_number(kind: SizeKind, name: str) -> Message:
    """The sentence about a number that a kind does not have."""
    if not kind.numbers:
        return Message("{kind} has no numbers.", kind=kind.name)
    known = plain(", ".join(number.name for number in kind.numbers))
    return Message("{kind} has no number '{name}'; it has {known}.", kind=kind.name, name=short(name), known=known)


def _no_entry(said: Message, text: str) -> Message:
    """The sentence about an entry that cannot be read, with a hint if the text has a decimal comma."""
    comma = DECIMAL_COMMA.search(text)
    return said + about_comma(comma[0]) if comma else said


def _rows_in(text: str, entries: list[str]) -> tuple[float, ...]:
    """Diameters [m] and shares [-] of the rows of a sieve curve."""
    numbers: list[float] = []
    for entry in entries:
        found = ROW.fullmatch(entry)
        size, share = (_read(found[1]), _read(found[3])) if found else (None, None)
        if found is None or size is None or share is None:
            form = plain("2 mm 40 %")
            said = Message("{row} is no row such as '{form}'.", row=value_text(entry), form=form)
            raise refused(text, _no_entry(said, text))
        numbers += [float(f"{size * UNITS[found[2]]:.12g}"), float(f"{0.01 * share:.12g}")]
    return tuple(numbers)


def _require_sieve(text: str, sizes: SizeDistribution) -> None:
    """Raise `ParameterError` for a table that is no sieve curve."""
    rows = sizes.rows
    if not 2 <= len(rows) <= MOST_ROWS:
        words = Message("it has {count} rows; give 2 to {most} sieves.", count=len(rows), most=MOST_ROWS)
        raise refused(text, words)
    for at, (size, share) in enumerate(rows):
        if not 0.0 < size < math.inf:
            shown = Number(1e3 * size, "mm", "g")
            raise refused(text, Message("the size {size} of a sieve must be above 0 mm.", size=shown))
        if at and not size > rows[at - 1][0]:
            raise refused(
                text,
                Message(
                    "sieve {size} comes after {before}: every sieve must be larger than the one before.",
                    size=Number(1e3 * size, "mm", "g"),
                    before=Number(1e3 * rows[at - 1][0], "mm", "g"),
                ),
            )
        if at and not share >= rows[at - 1][1]:
            raise refused(
                text,
                Message(
                    "{share} pass {size} after {before}: the share may not fall from sieve to sieve.",
                    share=Number(100.0 * share, "%", "g"),
                    size=Number(1e3 * size, "mm", "g"),
                    before=Number(100.0 * rows[at - 1][1], "%", "g"),
                ),
            )
    if rows[0][1] != 0.0:
        begin = Number(100.0 * rows[0][1], "%", "g")
        raise refused(
            text, Message("it begins at {share} instead of 0 %: add the size below which no grain is.", share=begin)
        )
    if rows[-1][1] != 1.0:
        end = Number(100.0 * rows[-1][1], "%", "g")
        raise refused(
            text, Message("it ends at {share} instead of 100 %: add the sieve that all grains pass.", share=end)
        )
    (low, _none), *_between, (high, _all) = _trimmed(rows)
    if high > LARGEST_RATIO * low * (1.0 + 1e-9):
        raise refused(
            text,
            Message(
                "the largest grain is {ratio} times as large as the smallest; the list of pairs holds a ratio of at "
                "most {most}: cut the curve off.",
                ratio=Number(high / low, format=".4g"),
                most=Number(LARGEST_RATIO, format="g"),
            ),
        )


def _read(text: str) -> float | None:
    """A finite number; None for any other text."""
    try:
        number = read_number(text)
        return None if isinstance(number, str) or not math.isfinite(number) else float(number)
    except OverflowError:
        return None


def checked_sizes(text: str) -> str:
    """The text of a distribution in its usual form; an empty text means the sizes of the scene. Raises
    `ParameterError`."""
    return read_sizes(text).text() if text.strip() else ""


def sizes_of_table(text: str, name: str, by: By = "mass") -> str:
    """The text of the sieve curve in a CSV table: diameter [mm] and share that passes [%] in every row. A head and
    comments (#) are skipped; columns are separated by commas, semicolons or tabs. Raises `ParameterError`."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    sign = next((sign for sign in (";", "\t", ",") if lines and sign in lines[-1]), ",")
    rows: list[str] = []
    for number, cells in enumerate(csv.reader(io.StringIO("\n".join(lines)), delimiter=sign)):
        values = [_read(cell.strip().replace(",", ".") if sign == ";" else cell.strip()) for cell in cells[:2]]
        if len(values) < 2 or None in values:
            if number:
                raise refused(name, Message("{row} is no row of two numbers.", row=value_text(sign.join(cells))))
            continue
        rows.append(f"{values[0]:.12g} mm {values[1]:.12g} %")
    return checked_sizes(f"{SIEVE} by {by}: {', '.join(rows)}")


def described(distribution: SizeDistribution) -> Message:
    """The distribution in words: "two sizes by mass, ratio 3 …"."""
    kind = KINDS[distribution.kind]
    entries = [
        joined((entry.label, Number(value / entry.scale, entry.unit, "g")), " ")
        for entry, value in zip(kind.numbers, distribution.numbers, strict=False)
    ]
    if distribution.kind == SIEVE:
        low, high = distribution.rows[0][0], distribution.rows[-1][0]
        entries = [Message("{low} to {high}", low=Number(1e3 * low, format="g"), high=Number(1e3 * high, "mm", "g"))]
    head = kind.label if distribution.kind == "equal" else joined((kind.label, BY[distribution.by]), " ")
    return joined((head, *entries), ", ")
