"""Colours of grains: maps of quantities with their ranges, looks of materials; conversion of sRGB to linear light.

Blending is done in linear light; files and palettes are sRGB. `to_linear` and `to_srgb` convert.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from repose.sim import registry
from repose.sim.colours.colour import GrainColour
from repose.sim.colours.ranges import to_round, widening
from repose.sim.direction import LOOKS as LOOKS_OF_GRAINS
from repose.sim.direction import OWN
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.measure.display import Part
from repose.sim.message import Message, _
from repose.sim.scales import nice_step

Colour = tuple[float, float, float]
"""Red, green, blue, sRGB, 0 to 1."""

COLOUR_MAPS = ("viridis", "cividis", "batlow")
"""Perceptually even maps that colour-blind readers can tell apart; each is a table in `assets/colours`."""
ROWS = 256
RISE, FALL = 0.25, 0.02
"""Fraction of the distance to its target by which an end of a following range moves per picture: outward at once,
inward in about 1 s."""


STALE = 3.0
"""Ratio of a wanted scale to the shown one at which a scale in steps changes [-]."""


@dataclass(frozen=True)
class BackgroundPalette:
    """The colours without a quantity, for one background."""

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
    """The measured slope and its surface grains."""
    trim: tuple[float, float]
    """The part of each map that differs from the background."""


def _hex(code: str) -> Colour:
    red, green, blue = (int(code[k : k + 2], 16) / 255.0 for k in (0, 2, 4))
    return red, green, blue


DARK = BackgroundPalette(
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
    trim=(0.27, 1.0),
)
LIGHT = BackgroundPalette(
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
    trim=(0.10, 0.90),
)


@dataclass(frozen=True)
class Look:
    """Look of a material: the shade and the brightness of each grain follow from its id."""

    tones: tuple[Colour, ...]
    scatter: float
    """Largest relative deviation of the brightness of a grain from the mean [-]."""
    relief: float
    """Strength of the shading of discs: stronger for a look, whose colours show no value [-]."""


LOOKS = {
    "plain": Look((), 0.0, 0.22),
    "sand": Look(tuple(map(_hex, ("e3c893", "d6b379", "c79d62", "eedcb4", "b58a55", "d9bf92"))), 0.16, 0.42),
    "clay": Look(tuple(map(_hex, ("b9684b", "ab5a3f", "c67c5f", "9f5340", "b56f56"))), 0.10, 0.55),
}
"""Looks by name; without tones all grains have the palette's colour."""
READABLE_RELIEF = 0.22
"""Shading of discs whose colours show a quantity: weak, so that the colours stay readable."""

CATEGORIES = tuple(map(_hex, ("56b4e9", "e69f00", "2bb58a", "e0703c", "cc79a7", "a7b6c2", "d4c441", "4a86c5")))
"""Colours of spheres that the scene names, one each; Okabe and Ito (2008), brightened for a dark background."""


PART_LOOKS = {
    "wood": _hex("b98d5c"),
    "steel": _hex("8fa6bd"),
    "clay": _hex("c8573c"),
    "water": _hex("4f9be0"),
    "deep water": _hex("2f6fb5"),
}
"""Colours of the materials of parts (`repose.sim.measure.display.Part`); other parts are coloured by their number."""


@dataclass(frozen=True)
class Colouring:
    """One column with its name and unit in the legend.

    `span` gives the range wanted for the moving grains' finite values [SI] of a snapshot.
    """

    name: str
    label: Message
    symbol: str
    unit: str
    """SI unit; the legend adds the prefix that suits the range."""
    kind: Literal["continuous", "discrete"]
    span: Callable[[Floats, Snapshot], tuple[float, float]]
    fixed: Callable[[tuple[float, float], Snapshot], tuple[float, float]] = widening
    """Function from the wanted range to the constant range of a run."""
    widens: bool = True
    first: int = 0
    more: bool = False
    """As in `repose.sim.colours.colour.GrainColour`."""


AUTOMATIC = "automatic"
"""The colour that the direction of the scene names (`repose.sim.direction`)."""

PARTS = "parts"
"""Automatic colours of bodies with parts: the part to which a particle belongs."""

UNCOLOURED = LOOKS_OF_GRAINS
"""Looks, which show no quantity."""


class ColourChoices(Mapping[str, Colouring | None]):
    """Quantities (repose.sim.colours) and looks to choose from, in the order of the list; None for a look. Plug-ins add
    quantities while the program begins."""

    _of: dict[str, GrainColour] | None = None
    """The records from which the choices were made."""
    _known: dict[str, Colouring | None]

    def _now(self) -> dict[str, Colouring | None]:
        records = registry.records("colours")
        if records is not self._of:
            ordered = sorted(records.values(), key=lambda colour: colour.order)
            quantities = {colour.name: colouring_with(colour) for colour in ordered}
            self._of, self._known = records, {AUTOMATIC: None, **quantities, **dict.fromkeys(UNCOLOURED)}
        return self._known

    def __getitem__(self, name: str) -> Colouring | None:
        return self._now()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())


def colouring_with(colour: GrainColour, dimension: int = 3) -> Colouring:
    """A colour of grains as the legend shows it, in the plane or in space."""
    scale = colour.kind, colour.span, colour.fixed, colour.widens, colour.first, colour.more
    return Colouring(colour.name, colour.legend, colour.symbol, colour.unit_in(dimension), *scale)


COLOURINGS = ColourChoices()


def shown_as(choice: str, snapshot: Snapshot) -> str:
    """The quantity or look that a choice shows for a snapshot; "labels" for spheres with labels, `PARTS` for bodies."""
    if choice != AUTOMATIC and choice in COLOURINGS:
        return choice
    directed = snapshot.run.direction.colour
    if directed not in (OWN, "layer"):
        return directed if directed in COLOURINGS else "sand"
    if snapshot.grains.labels:
        return "labels"
    if snapshot.grains.parts:
        return PARTS
    layers = snapshot.grains.columns.get("layer", np.empty(0, np.float32))
    layers = layers[~snapshot.grains.fixed] if len(layers) == len(snapshot.grains.fixed) else layers[:0]
    # If more layers follow, the first layer has its colour as a layer from the beginning.
    several = len(layers) and (snapshot.grains.layers > 1 or layers.max() > layers.min())
    return "layer" if several and directed == "layer" else "sand"


def offered(snapshot: Snapshot) -> list[str]:
    """The choices that show something of a snapshot, in the order of the list."""
    records, has_bodies = registry.records("colours"), bool((snapshot.grains.body >= 0).any())
    return [
        name
        for name in COLOURINGS
        if name == AUTOMATIC
        or (shown_as(name, snapshot) == name and (has_bodies or name not in records or not records[name].of_bodies))
    ]


def colouring_of(name: str, snapshot: Snapshot) -> Colouring | None:
    """The quantity of that name, with the unit that stress has in the snapshot's dimension; None for a look."""
    colour = registry.records("colours").get(name)
    return None if colour is None else colouring_with(colour, snapshot.grains.position.shape[1])


MOST_BANDS = 12
"""Largest number of distinguishable steps; more layers are grouped."""


def bands(low: float, high: float) -> int:
    """Number of equal steps in which a discrete column is shown."""
    return min(round(high - low) + 1, MOST_BANDS)


def measure_range(colouring: Colouring, snapshot: Snapshot) -> tuple[float, float] | None:
    """The range of the moving grains [SI]; None if there are no values."""
    values = snapshot.grains.columns.get(colouring.name)
    if values is None or len(values) != len(snapshot.grains.fixed):
        return None
    moving = values[~snapshot.grains.fixed]
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


class Ranges:
    """The range of every quantity: a range of the run that only widens, or a range that follows the values."""

    def __init__(self) -> None:
        self._run: object = None
        self._held: dict[str, tuple[float, float]] = {}
        self._eased: dict[str, tuple[float, float]] = {}
        self._stepped: dict[str, float] = {}

    def shown(self, colouring: Colouring, snapshot: Snapshot, follows: bool) -> tuple[float, float] | None:
        """The range to show [SI]; None if there are no values."""
        self._begin(snapshot)
        wanted = measure_range(colouring, snapshot)
        if wanted is None:
            return None
        name, direction = colouring.name, snapshot.run.direction
        if direction.span is not None and direction.colour == name and not follows:
            return direction.span
        if follows and colouring.kind == "continuous":
            span = self._eased[name] = ease(self._eased.get(name), wanted)
            return span
        span = colouring.fixed(wanted, snapshot)
        return self.held(name, span, snapshot) if colouring.widens else span

    def held(self, name: str, span: tuple[float, float], snapshot: Snapshot) -> tuple[float, float]:
        """The range of that name in this run, widened to contain `span`."""
        self._begin(snapshot)
        low, high = self._held.get(name, span)
        self._held[name] = min(low, span[0]), max(high, span[1])
        return self._held[name]

    def stepped(self, name: str, wanted: float, snapshot: Snapshot) -> float:
        """The scale of that name: 1, 2 or 5 times a power of ten, which changes once it is `STALE` times too large or
        too small for the wanted one."""
        self._begin(snapshot)
        held = self._stepped.get(name, 0.0)
        if not held or not 1.0 / STALE <= wanted / held <= STALE:
            held = self._stepped[name] = nice_step(wanted, 1)
        return held

    def _begin(self, snapshot: Snapshot) -> None:
        """Forget the ranges of another run."""
        # The steps since the log began are not reset when the time of a run restarts.
        run = (snapshot.run.scene, snapshot.run.seed, snapshot.history.logs, snapshot.history.at - snapshot.run.step)
        if run != self._run:
            self._run, self._held, self._eased, self._stepped = run, {}, {}, {}


def contact_scale(snapshot: Snapshot, ranges: Ranges, follows: bool) -> tuple[Colouring, tuple[float, float]] | None:
    """Quantity and range of the colours of contacts, their normal forces [N]; None if no contact presses."""
    forces = snapshot.contacts.forces
    pressing = forces.normal_force[forces.normal_force > 0.0] if forces is not None else np.empty(0)
    if not pressing.size:
        return None
    wanted = to_round((0.0, float(np.percentile(pressing, 99.0))), snapshot)
    quantity = Colouring(
        "contact", _("Normal force of a contact"), "F_n", "N", "continuous", lambda values, shot: wanted
    )
    return quantity, wanted if follows else ranges.held(quantity.name, wanted, snapshot)


def fill_colours(
    snapshot: Snapshot,
    shown: str,
    colouring: Colouring | None,
    span: tuple[float, float] | None,
    map_name: str,
    palette: BackgroundPalette,
) -> Floats:
    """Face colour of every sphere, linear light, shape (count, 3); `shown` is the result of `shown_as`."""
    if colouring is not None and span is not None:
        faces = shades(position_on_map(snapshot.grains.columns[colouring.name], colouring, span), map_name, palette)
    elif (look := LOOKS.get(shown, LOOKS["plain"])).tones:
        faces = own_tones(snapshot.grains.sphere_id, look)
    else:
        faces = np.tile(to_linear(palette.grain), (len(snapshot.grains.radius), 1))
    if shown == PARTS:
        for number, part in enumerate(snapshot.grains.parts):
            faces[snapshot.grains.columns["layer"] == number] = to_linear(part_colour(part, number))
    faces[snapshot.grains.fixed] = to_linear(palette.fixed)
    if shown == "labels":
        for number, label in enumerate(snapshot.grains.labels):
            faces[snapshot.grains.sphere_id == label.sphere_id] = category(number)
    return faces


def part_colour(part: Part, number: int) -> Colour:
    """Colour of a part with this number."""
    return PART_LOOKS.get(part.look, CATEGORIES[number % len(CATEGORIES)])


def category(number: int) -> Floats:
    """Colour of the sphere with the label of this number, linear light, shape (3,)."""
    return to_linear(CATEGORIES[number % len(CATEGORIES)])


def of_category(number: int) -> tuple[float, float, float, float]:
    """A colour of `CATEGORIES` as sRGB with opacity, for panels and plots, such as that of a labelled sphere."""
    red, green, blue = (float(part) for part in to_srgb(category(number)))
    return red, green, blue, 1.0


def own_tones(sphere_id: NDArray[np.int64], look: Look) -> Floats:
    """Colours of grains of a material, the same for the same identity, linear light, shape (count, 3)."""
    tone, brightness = _scattered(sphere_id, 1), _scattered(sphere_id, 2)
    table = to_linear(look.tones)
    position = tone * (len(table) - 1)
    first = np.minimum(position.astype(np.intp), len(table) - 2)
    share = (position - first)[:, None]
    mixed = (1.0 - share) * table[first] + share * table[first + 1]
    bright = 1.0 + look.scatter * (2.0 * brightness - 1.0)
    tones: Floats = np.minimum(mixed * bright[:, None], 1.0).astype(np.float32)
    return tones


def _scattered(sphere_id: NDArray[np.int64], stream: int) -> NDArray[np.float64]:
    """Pseudo-random numbers from 0 to 1 for ids (the finaliser of SplitMix64)."""
    with np.errstate(over="ignore"):
        value = (sphere_id.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) * np.uint64(2 * stream + 1)
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        value ^= value >> np.uint64(31)
    scattered: NDArray[np.float64] = (value >> np.uint64(11)).astype(np.float64) / 2.0**53
    return scattered


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


def shades(share: ArrayLike, map_name: str, palette: BackgroundPalette) -> Floats:
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
