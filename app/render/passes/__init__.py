"""Draw passes: one module each, with its record `PASS`; plug-ins add more.

A pass turns a frame into rows of numbers for a shader (`instances`) and into text and thin lines on top (`overlay`).
It calls no OpenGL, so that its result can be tested without a window. OpenGL calls belong in `repose.app.render`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from repose.app.extensions import offered
from repose.app.render.ambient_occlusion import LAMP, AmbientOcclusion, measure_ambient_occlusion
from repose.app.render.camera import NO_INSET, Inset, Size
from repose.app.render.colours import (
    DARK,
    LIGHT,
    LOOKS,
    READABLE_RELIEF,
    BackgroundPalette,
    Colouring,
    Ranges,
    colouring_of,
    contact_scale,
    fill_colours,
    shown_as,
)
from repose.app.render.cutaway import NOTHING, Plane, cut_plane, has_field, is_cut
from repose.app.render.field_picture import FieldPicture, field_picture
from repose.app.render.film_words import FilmWords
from repose.app.render.fringes import CHOICE, scale_of_fringes, stress_optic
from repose.app.render.joints import joints_of
from repose.app.render.orbit import Camera, Camera3D
from repose.app.render.selection_series import SelectionSeries
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.message import Message

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas


@dataclass(frozen=True)
class Switch:
    """A switch that the user turns on and off in the View panel, or with a key."""

    name: str
    """Name in the code and in the settings."""
    label: Message
    help: Message
    default: bool = True
    key: str = ""
    """Letter or digit that turns the switch on and off; empty for none."""
    applies: Callable[[Snapshot], bool] = lambda snapshot: True
    """Whether the switch applies to the present scene."""

    def is_on(self, view: View) -> bool:
        """Whether the switch is on in `view`."""
        return view.shown.get(self.name, self.default)

    def set(self, view: View, on: bool) -> None:
        """Turn the switch on or off in `view`."""
        if on != self.is_on(view):
            view.shown = {**view.shown, self.name: on}


Plate = tuple[float, float, float, float]
"""Left, top, right, bottom [pixel]."""
BAND, PLATE_MARGIN, PLATE_GAP = 350.0, 10.0, 8.0
"""Width of the band for plates at the right of the picture, where they cover no grains; its margin, and distance of two
plates [units]."""
BELOW_LEGEND = 112.0
"""Distance of the plates from the upper edge of a picture that has its legend there [units]."""


@dataclass(frozen=True)
class PlateColumn:
    """Where a picture has its plates: below each other at the right of the free part of the window."""

    edges: Inset = NO_INSET
    """Edges of the window that panels cover [pixel]."""
    in_band: bool = False
    """Whether the scene is shown beside the plates; otherwise they cover grains and are no larger than their words."""
    below_legend: bool = True
    """False if the legend is beside the band: the plates then begin at the top."""


@dataclass(frozen=True)
class Frame:
    """Input of the passes while one picture is drawn."""

    snapshot: Snapshot
    view: View
    camera: Camera
    """Camera in 2D or 3D, like the snapshot."""
    size: Size
    """Size of the framebuffer [pixel]."""
    inset: Inset
    """Pixels covered by panels: left, top, right, bottom."""
    scale: float
    """Pixels per unit of text and line width [-]."""
    palette: BackgroundPalette
    shown: str
    """Quantity or look of the colours, or "labels" (`repose.app.render.colours.shown_as`)."""
    colouring: Colouring | None
    """The quantity of the colours; None without a quantity."""
    span: tuple[float, float] | None
    """Range of the colours [SI]; None if plain."""
    faces: Floats
    """Colour of every sphere, linear light, shape (count, 3)."""
    film: FilmWords | None = None
    """Texts on a picture of a film."""
    plain: bool = False
    """True for a picture without text and marks."""
    ranges: Ranges = field(default_factory=Ranges)
    """Ranges of the colours in this run."""
    band: float = 0.0
    """Width at the right of the free part that plates cover, beside which the scene is shown [pixel]."""
    beside: float = 0.0
    """Width of a panel beside the picture that leaves legend and foot of the window free [pixel], contained in
    `inset`."""
    covered: tuple[Plate, ...] = ()
    """Rectangles over the picture that hide words: the buttons of the tools, the task."""
    plate_column: PlateColumn | None = PlateColumn()
    """None for a picture without plates, beside the picture of the chosen run."""
    bar: float | None = None
    """Length of the scale bar, common to all pictures side by side [m]; None: the length suits this picture."""
    has_legend: bool = True
    """False if the legend of another picture beside this one also explains the colours of this picture."""
    series: SelectionSeries = field(default_factory=SelectionSeries)
    """Forces and path of the selection so far."""

    @property
    def dimension(self) -> int:
        """2 in 2D, 3 in 3D."""
        return int(self.snapshot.grains.position.shape[1])

    @property
    def metres_per_pixel(self) -> float:
        """Metres per pixel; in 3D at the depth of the target of the camera."""
        return self.camera.resolution(self.size)

    @property
    def tilt(self) -> float:
        """Angle by which the table is drawn tilted, clockwise [rad]."""
        return self.camera.tilt

    def uniforms(self) -> dict[str, object]:
        """Uniforms of every shader of this dimension, by name."""
        uniforms = self.camera.uniforms(self.size) | {"in_space": self.dimension == 3}
        if self.dimension == 3:
            return uniforms | {"lamp": LAMP, "cut": self.cut}
        look = LOOKS.get(self.shown) if self.colouring is None else None
        return uniforms | {"relief": look.relief if look else READABLE_RELIEF}

    @functools.cached_property
    def cut(self) -> Plane:
        """In 3D: the cut plane, in front of which nothing is drawn."""
        return cut_plane(self.view, self.snapshot.geometry.box, self.orbit, has_field(self.view, self.snapshot))

    @functools.cached_property
    def joints(self) -> NDArray[np.int64]:
        """Rows of the two spheres of every joint of a rigid body, shape (joints, 2); for pictures in the plane."""
        return joints_of(self.snapshot)

    @functools.cached_property
    def field(self) -> FieldPicture | None:
        """The stress field; None while it is not shown."""
        if not has_field(self.view, self.snapshot):
            return None
        return field_picture(self.snapshot, self.view, self.cut if self.dimension == 3 else NOTHING, self.ranges)

    @property
    def is_translucent(self) -> bool:
        """In space: whether the forces of contacts are shown through translucent spheres, the photoelastic view."""
        return self.dimension == 3 and self.shown == CHOICE and self.snapshot.contacts.forces is not None

    @functools.cached_property
    def contact_scale(self) -> tuple[Colouring, tuple[float, float]] | None:
        """Quantity and range of the colours of contacts; None if no contact presses."""
        return contact_scale(self.snapshot, self.ranges, self.view.range_follows)

    @functools.cached_property
    def fringes(self) -> tuple[Colouring, tuple[float, float]] | None:
        """In the plane: quantity and range of the fringes of photoelastic grains; None if they are not shown."""
        if self.dimension == 3 or self.shown != CHOICE:
            return None
        return scale_of_fringes(stress_optic(self.snapshot, self.view, self.ranges))

    @property
    def scale_of_colours(self) -> tuple[Colouring, tuple[float, float]] | None:
        """Quantity and range of the colours that the legend explains; None without a quantity."""
        if self.field is not None:
            return self.field.colouring, self.field.span
        if self.is_translucent:
            return self.contact_scale
        if self.fringes is not None:
            return self.fringes
        return (self.colouring, self.span) if self.colouring is not None and self.span is not None else None

    @functools.cached_property
    def kept(self) -> NDArray[np.bool_]:
        """In 3D: whether a sphere is behind the plane of the cut-away, shape (count,)."""
        position = self.snapshot.grains.position
        kept: NDArray[np.bool_] = np.isfinite(position).all(axis=1) & ~is_cut(position, self.cut)
        return kept

    @functools.cached_property
    def ambient_occlusion(self) -> AmbientOcclusion:
        """In 3D: the light on the spheres behind the cut plane, which are drawn."""
        kept = self.kept
        return measure_ambient_occlusion(
            self.snapshot.grains.position[kept], self.snapshot.grains.radius[kept], self.snapshot.geometry.box
        )

    @property
    def free_of_plates(self) -> Inset:
        """Pixels covered by panels and plates: left, top, right, bottom."""
        left, top, right, bottom = self.inset
        return left, top, right + self.band, bottom

    def plate(self, name: str) -> Plate | None:
        """Rectangle of the plate of this pass in the band at the right [pixel]; None without room for the plate."""
        column = self.plate_column
        if column is None:
            return None
        __, top, covered, bottom = column.edges
        free = (self.size[1] - top - bottom) / self.scale
        below = BELOW_LEGEND if column.below_legend else 0.0
        shown = plates(self.snapshot, self.view, free - below)
        if not shown and (shown := plates(self.snapshot, self.view, free)):  # a low picture: they cover the legend
            below = free - max(foot for _, foot in shown.values())
        if name not in shown:
            return None
        right, (upper, lower) = self.size[0] - covered, shown[name]
        left, above = right - (BAND - PLATE_MARGIN) * self.scale, top + below * self.scale
        return left, above + upper * self.scale, right - PLATE_MARGIN * self.scale, above + lower * self.scale

    def shows(self, switch: Switch) -> bool:
        """Whether a switch is on and applies to the present scene."""
        return switch.is_on(self.view) and switch.applies(self.snapshot)

    @property
    def orbit(self) -> Camera3D:
        """The camera of a picture in 3D."""
        assert isinstance(self.camera, Camera3D)
        return self.camera


def make_frame(
    snapshot: Snapshot,
    view: View,
    camera: Camera,
    size: Size,
    inset: Inset,
    scale: float,
    ranges: Ranges,
) -> Frame:
    """The input of the passes for a picture of a snapshot."""
    palette = DARK if view.dark else LIGHT
    shown = shown_as(view.colour_by, snapshot)
    colouring = colouring_of(shown, snapshot)
    span = ranges.shown(colouring, snapshot, view.range_follows) if colouring else None
    faces = fill_colours(snapshot, shown, colouring, span, view.colour_map, palette)
    colouring = colouring if span else None
    return Frame(
        snapshot,
        view,
        camera,
        size,
        inset,
        scale,
        palette,
        shown,
        colouring,
        span,
        faces,
        ranges=ranges,
        plate_column=PlateColumn(inset),
    )


@dataclass(frozen=True)
class Pass:
    """One way of drawing; passes are drawn in ascending `order`."""

    name: str
    order: int
    shader: str = ""
    """A file of `shaders/`, without its ending; empty for a pass that only writes on top."""
    attributes: tuple[int, ...] = ()
    """Numbers per instance attribute of the shader, in its order; their sum is the row length."""
    instances: Callable[[Frame], Floats | None] | None = None
    """Rows of float32, shape (instances, sum(attributes)); None draws nothing."""
    overlay: Callable[[Frame, Canvas], None] | None = None
    dimensions: tuple[int, ...] = (2, 3)
    """Dimensions of the snapshots that the pass can draw."""
    depth: Literal["ignored", "tested", "kept"] = "ignored"
    """In 3D: no depth test; depth test without writing depth; depth test that writes depth."""
    switch: Switch | None = None
    """The pass draws only while this switch is on; None: always. Passes may share a switch."""
    needs_contacts: bool = False
    """Whether the pass draws the contacts of a snapshot, which are copied only while a pass needs them."""

    plate: Callable[[Snapshot, View], float] = lambda snapshot, view: 0.0
    """plate(snapshot, view) -> height of the plate in the band at the right of the picture [units]; 0 for no plate."""

    least_plate: float = math.inf
    """Height that the plate accepts if other plates need the room [units]; by default it accepts no less than all."""

    needs_forces: Callable[[View], bool] = lambda view: False
    """needs_forces(view) -> whether the pass draws forces of contacts, which are computed only while a pass needs
    them."""

    def is_drawn(self, frame: Frame) -> bool:
        """Whether the pass draws snapshots of this dimension and is switched on."""
        if frame.plain and self.overlay is not None:
            return False
        return frame.dimension in self.dimensions and (self.switch is None or frame.shows(self.switch))


@functools.cache
def all_passes() -> tuple[Pass, ...]:
    """Every pass of this package and of the plug-ins, in drawing order."""
    return tuple(sorted(offered(__name__, "PASS"), key=lambda item: item.order))


@functools.cache
def all_switches() -> tuple[Switch, ...]:
    """Every switch of the passes, in drawing order."""
    return tuple({item.switch.name: item.switch for item in all_passes() if item.switch is not None}.values())


def needs_contacts(view: View) -> bool:
    """Whether a pass that is switched on draws contacts."""
    return any(item.needs_contacts and (item.switch is None or item.switch.is_on(view)) for item in all_passes())


def needs_forces(view: View) -> bool:
    """Whether a pass draws forces of contacts now."""
    return any(item.needs_forces(view) for item in all_passes())


def plates(snapshot: Snapshot, view: View, room: float = math.inf) -> dict[str, tuple[float, float]]:
    """Upper and lower edge of every plate that has room within this height, by pass [units].

    The passes take room in their order, each at first as little as its plate accepts; what remains is given to them in
    the same order.
    """
    free, heights = room - PLATE_MARGIN, {}
    wanted = {item.name: item.plate(snapshot, view) for item in all_passes() if _draws_plates(item, snapshot)}
    for item in all_passes():
        height = min(wanted.get(item.name, 0.0), item.least_plate)
        if 0.0 < height <= free:
            heights[item.name] = height
            free -= height + PLATE_GAP
    free += PLATE_GAP  # none below the last plate
    edges, top = {}, PLATE_MARGIN
    for name, height in heights.items():
        more = min(wanted[name] - height, free)
        edges[name] = top, top + height + more
        free, top = free - more, top + height + more + PLATE_GAP
    return edges


def _draws_plates(item: Pass, snapshot: Snapshot) -> bool:
    return snapshot.grains.position.shape[1] in item.dimensions


def band(snapshot: Snapshot, view: View, width: float, unit: float) -> float:
    """Width of the band at the right of a picture of this width, beside which the scene is shown [pixel]; 0 without
    plates, or if the band would cover more than half of the picture."""
    return BAND * unit if width >= 2.0 * BAND * unit and plates(snapshot, view) else 0.0
