"""The clump workshop: a recipe that the user changes, and a thread that makes the clump and its curve of quality.

The thread makes the clump first. Then it makes clumps of fewer spheres, one after the other, for the curve of quality
against the number of spheres. A new recipe ends the work under way; a body and a curve that do not change are used
again.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from repose.app.render.beside import beside, corners_seen, drawn_surface, reach
from repose.app.render.colours import Ranges
from repose.app.render.orbit import Camera3D
from repose.app.stopping import StopAsked
from repose.app.storage import paths
from repose.app.storage.run_saver import free_name
from repose.app.ui.edits import Edits
from repose.app.ui.undo import UndoHistory
from repose.sim.clumps.body import LARGEST, SMALLEST, Body, body_of
from repose.sim.clumps.clump import Clump
from repose.sim.clumps.clump_file import text_of
from repose.sim.clumps.distance_field import FEWEST_CELLS, ShowProgress, part_of
from repose.sim.clumps.exports import exported
from repose.sim.clumps.making import DEFAULT_RHO, Algorithm, ClumpResult, clump_of, compile_loops, examined, why_apart
from repose.sim.clumps.quality import Quality, quality
from repose.sim.clumps.shapes import SHAPES
from repose.sim.engine.world import Floats
from repose.sim.experiment.commands import Command, Recover, SetParameters
from repose.sim.experiment.snapshot import Floats as Triangles
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.io.atomic_file import write_new_file
from repose.sim.io.mesh import SUFFIXES, UNITS
from repose.sim.message import EMPTY, Message, _, plural
from repose.sim.parameters import (
    ParameterError,
    ParameterSet,
    Value,
    choice,
    count,
    file_path,
    length,
    number,
    switch,
)
from repose.sim.wording import described, message_of, reason_of

log = logging.getLogger(__name__)

NUMBERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
"""Numbers of spheres of the curve, if they are below the number of the clump."""
MOST_CELLS, MOST_MEMBERS = 200, 2000
"""Ends of the sliders."""
LONGEST_STEM = 50
"""Most characters of a body's name in a file name: file systems allow 255 bytes, a character has at most 4."""
END_TIME = 2.0
"""Longest wall time to wait for the thread when the window closes [s]."""


class Recipe(ParameterSet):
    """The request for a clump: body, algorithm, number of spheres, grid."""

    # fmt: off
    shape: Literal[tuple(SHAPES)] = choice("cube", _("body"),  # type: ignore[valid-type]
        help=_("Body from the library. A chosen file replaces it."))
    file: str = file_path(_("file"), (*SUFFIXES, ".npy"), empty=_("the body above"),
        help=_(
            "A closed mesh (.stl, .obj) or an array of voxels that are zero outside the body (.npy); a file can also "
            "be dropped on the window. Empty for the body above."
        ))
    unit: Literal[tuple(UNITS)] = choice("mm", _("unit of the file"),  # type: ignore[valid-type]
        help=_("Unit of the lengths in the file; edge of a voxel."))
    size: float = length(0.01, SMALLEST, LARGEST, _("longest edge"), "L", log=True,
        help=_("Length of a body of the library; a file has its own. Poured clumps are scaled."))
    algorithm: Algorithm = choice("fitted", _("algorithm"),
        help=_(
            "Fitted: spheres are moved and resized until clump and body overlap most. Greedy: spheres inside the body, "
            "largest first (Karavaev et al. 2015)."
        ))
    members: int = count(20, 1, MOST_MEMBERS, _("spheres"), "P_max", log=True, help=_("Largest number of spheres."))
    rho: float = number(DEFAULT_RHO, 0.01, 1.0, _("centre distance"), "ρ",
        help=_("Of the greedy algorithm: smallest distance of two centres over the radius of the earlier sphere."))
    cells: int = count(64, FEWEST_CELLS, MOST_CELLS, _("grid"), "", str(_("cells")), log=True,
        help=_("Cells along the longest edge of the body."))
    density: float = number(2500.0, 1.0, 1e5, _("density"), "ρ_s", "kg/m³", log=True,
        help=_("Of the material, for mass and inertia in files for LAMMPS."))
    allow_pieces: bool = switch(False, _("pieces allowed"),
        help=_("Whether a clump that falls apart into pieces that do not touch can be poured and saved."))
    # fmt: on

    @property
    def of_body(self) -> tuple[str, int, float | None, str]:
        """Arguments of `body_of`."""
        return (self.file, self.cells, None, self.unit) if self.file else (self.shape, self.cells, self.size, "m")

    @property
    def of_curve(self) -> tuple[object, ...]:
        """The values on which the curve of quality depends."""
        return (*self.of_body, self.algorithm, self.rho if self.algorithm == "greedy" else 0.0)

    @property
    def of_clump(self) -> tuple[object, ...]:
        """The values on which the clump depends."""
        return (*self.of_curve, self.members)


class CurvePoint(NamedTuple):
    """One point of the curve."""

    spheres: int
    quality: Quality


@dataclass
class Workshop:
    """The recipe, the clump made last and the curve so far. The thread writes `made`, `points`, `words`, `share`,
    `trouble` and `apart`; all else belongs to the window."""

    folder: Path = field(default_factory=paths.runs_folder)
    made: ClumpResult | None = None
    """The clump made last."""
    points: tuple[CurvePoint, ...] = ()
    """The curve of quality of the same body and algorithm, in the order of the numbers of spheres."""
    words: Message = EMPTY
    """The present part of the work; empty while the thread does nothing."""
    share: float = 0.0
    """Fraction of the work that is done [-]."""
    trouble: Message = EMPTY
    """Why there is no clump for the recipe."""
    apart: Message = EMPTY
    """Why the clump made last falls apart, and how many spheres make one piece; empty for one piece."""
    number: int = 0
    """Increases with every clump made."""
    camera: Camera3D = field(default_factory=Camera3D)
    """Camera of the picture, which the window moves."""
    ranges: Ranges = field(default_factory=Ranges)
    """Ranges of the colours of the picture; each clump has its own."""
    _wanted: Recipe | None = None
    _thread: threading.Thread | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _body: tuple[object, Body] | None = None
    _clump: tuple[object, ...] = ()
    """Recipe of the clump made last."""
    _curves: dict[tuple[object, ...], dict[int, CurvePoint]] = field(default_factory=dict)
    _serial: int = 1
    _drawn: tuple[ClumpResult, Triangles, float] | None = None
    """The clump shown, the surface of its body, and the radius of the ball that contains either [m]."""
    _picture: tuple[tuple[float, float], Snapshot] | None = None
    """Direction of view, and the snapshot for it."""

    def __post_init__(self) -> None:
        self.recipe = Recipe()
        """The recipe with the present values of the user."""
        self.edits = Edits(self._change_recipe, UndoHistory(), find=lambda run: self.recipe)
        """Changes of the recipe, with their undo history."""
        self.edits.see(Snapshot(serial=self._serial))

    @property
    def working(self) -> bool:
        """Whether the thread is at work."""
        return self._wanted is not None

    @property
    def is_made(self) -> bool:
        """Whether the clump made last belongs to the recipe."""
        return self.made is not None and self._clump == self.recipe.of_clump

    @property
    def is_usable(self) -> bool:
        """Whether the clump made last belongs to the recipe, and is in one piece or allowed to be in several."""
        return self.is_made and (self.recipe.allow_pieces or (self.made is not None and self.made.pieces == 1))

    def picture(self) -> Snapshot | None:
        """Body and clump beside each other as the camera sees them; None before a clump is made."""
        made = self.made
        if made is None:
            return None
        if self._drawn is None or self._drawn[0] is not made:
            self._drawn = made, drawn_surface(made.body), reach(made.body, made.clump)
            self._picture, self.ranges = None, Ranges()
        key = self.camera.azimuth, self.camera.elevation
        if self._picture is None or self._picture[0] != key:
            _, surface, radius = self._drawn
            self._picture = key, beside(made.body, surface, made.clump, self.camera, radius)
        return self._picture[1]

    @property
    def corners(self) -> Floats:
        """Points to keep in view [m], shape (points, 3)."""
        assert self._drawn is not None
        return corners_seen(self.camera, self._drawn[2])

    def described(self) -> dict[str, object]:
        """State of the workshop for programs that drive the window."""
        return {
            "working": self.working,
            "words": self.words,
            "share": self.share,
            "number": self.number,
            "is_made": self.is_made,
            "spheres": len(self.made.clump.radius) if self.made is not None else 0,
            "points": [point.spheres for point in self.points],
            "trouble": self.trouble,
            "apart": self.apart,
            "recipe": self.recipe.model_dump(),
        }

    def begin(self) -> None:
        """Make the clump of the recipe, and end the work under way."""
        with self._lock:
            self._wanted = self.recipe
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="workshop", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End the work under way; clump and curve so far remain."""
        with self._lock:
            self._wanted = None

    def end(self) -> None:
        """End the work when the window closes, and wait for the thread."""
        self.stop()
        if self._thread is not None:
            self._thread.join(END_TIME)

    def save(self, suffix: str) -> Path:
        """Write the clump to a new file in the format of its ending `suffix`; raises `OSError`."""
        assert self.made is not None
        made = self.made
        path = free_name(self.folder, f"{made.body.name[:LONGEST_STEM]}-{len(made.clump.radius)}", suffix)
        density = self.recipe.density
        text = text_of(made.file) if suffix == ".json" else exported(made.clump, made.mass, density, path)
        write_new_file(path, lambda file: file.write(text.encode("utf-8")))
        return path

    def _change_recipe(self, command: Command) -> None:
        """Change the recipe as the command says; another clump is made at once."""
        assert isinstance(command, SetParameters | Recover)
        values: Mapping[str, Value] = command.values
        self._serial += 1
        self.recipe = self.recipe.changed(**values)
        self.edits.see(Snapshot(serial=self._serial))
        if not set(values) <= {"density", "allow_pieces"}:
            self.begin()

    def _work(self) -> None:
        done: Recipe | None = None
        while True:
            with self._lock:
                if self._wanted is done:
                    self._wanted = None
                recipe = done = self._wanted
                if recipe is None:
                    self.words, self._thread = EMPTY, None
                    return
            self.trouble = EMPTY
            try:
                self._make(recipe)
            except StopAsked:  # the same recipe may have been requested again
                done = None
            except ParameterError as error:
                self.trouble, self.made, self.points, self._clump = message_of(error), None, (), ()
            except Exception as error:  # an error of a file or of a library must not end the window
                log.exception("The clump could not be made.")
                self.trouble = Message(
                    "The clump could not be made: {error}.", error=reason_of(error, described(error))
                )

    def _make(self, recipe: Recipe) -> None:
        def show_progress(words: Message, share: float) -> None:
            if self._wanted is not recipe:
                raise StopAsked
            self.words, self.share = words, share

        show_progress(_("waiting for the compiler"), 0.0)
        compile_loops()
        show_progress(_("distances to the surface"), 0.0)
        body = self._body_of(recipe, part_of(show_progress, 0.0, 0.3))
        clump = clump_of(body, recipe.algorithm, recipe.members, recipe.rho, part_of(show_progress, 0.3, 0.7))
        made = examined(body, clump, show_progress=part_of(show_progress, 0.7, 1.0))
        assert self._body is not None
        curve = self._curves.setdefault((self._body[0], *recipe.of_curve), {})  # a file may have changed since
        curve[recipe.members] = CurvePoint(len(clump.radius), made.quality)
        self.made, self._clump, self.number, self.apart = made, recipe.of_clump, self.number + 1, EMPTY
        self._show(curve)
        missing = [spheres for spheres in NUMBERS if spheres < recipe.members and spheres not in curve]
        for index, spheres in enumerate(missing):

            def part(words: Message, share: float, index: int = index, number: int = spheres) -> None:
                label = plural("curve: {count} sphere", "curve: {count} spheres", count=number)
                show_progress(label, (index + share) / len(missing))

            part(EMPTY, 0.0)
            fewer = self._fewer(recipe, body, clump, spheres, part_of(part, 0.0, 0.8))
            curve[spheres] = CurvePoint(len(fewer.radius), quality(body, fewer, show_progress=part_of(part, 0.8, 1.0)))
            self._show(curve)
        if made.pieces > 1:
            self.apart = why_apart(body, clump, recipe.members, recipe.rho, MOST_MEMBERS, show_progress)

    def _fewer(self, recipe: Recipe, body: Body, clump: Clump, number: int, show_progress: ShowProgress) -> Clump:
        """A clump of fewer spheres; the greedy algorithm places the same spheres first."""
        if recipe.algorithm == "greedy":
            return clump._replace(centre=clump.centre[:number], radius=clump.radius[:number])
        return clump_of(body, recipe.algorithm, number, show_progress=show_progress)

    def _show(self, curve: dict[int, CurvePoint]) -> None:
        by_spheres = {point.spheres: point for point in curve.values()}
        self.points = tuple(by_spheres[spheres] for spheres in sorted(by_spheres))

    def _body_of(self, recipe: Recipe, show_progress: ShowProgress) -> Body:
        """The body, which is made again only if its recipe or its file has changed."""
        key: tuple[object, ...] = recipe.of_body
        if recipe.file:
            try:
                key = (*key, Path(recipe.file).stat().st_mtime_ns)
            except OSError:  # `body_of` reports why the file cannot be read
                key = (*key, 0)
        if self._body is None or self._body[0] != key:
            source, cells, size, unit = recipe.of_body
            self._body = key, body_of(source, cells, size, unit, show_progress)
        return self._body[1]


def mean_radius(made: ClumpResult) -> float:
    """Radius of a ball of the volume of the clump [m]."""
    return float(np.cbrt(0.75 * made.mass.volume / np.pi))
