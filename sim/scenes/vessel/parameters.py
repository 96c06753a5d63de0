"""The parameters of a shape from a file, and of the grains poured on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import PrivateAttr, model_validator
from repose.sim.io.mesh import SUFFIXES, UNITS, Surface, kept_surfaces, surfaces_with
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, choice, file_path, length, number, switch
from repose.sim.scenes.common.poured_parameters import PouredInSpaceParameters
from repose.sim.scenes.vessel.shape import shape_of


class ShapeParameters(ParameterSet):
    """A shape from a file, its unit and its position."""

    # fmt: off
    mesh: str = file_path(_("shape"), SUFFIXES, empty=_("the goblet"), effect="anew", group=_("Shape"),
        help=_("STL or OBJ file of your own shape; empty for the goblet. The file is only read."))
    mesh_unit: Literal[tuple(UNITS)] = choice("mm", _("unit of the file"),  # type: ignore[valid-type]
        effect="anew", group=_("Shape"),
        help=_("STL and OBJ files contain numbers without a unit; most programs write millimetres."))
    mesh_up: Literal["z", "y"] = choice("z", _("axis that points up"), effect="anew", group=_("Shape"),
        help=_("In the file: z for most drawing programs, y for many that make pictures."))
    mesh_lift: float = length(0.0, 0.0, 10.0, _("height above the floor"), "h", effect="anew", group=_("Shape"),
        help=_("Of the lowest point of the shape; a funnel needs room below it."))
    mesh_closed: bool = switch(False, _("must be a closed body"), effect="anew", group=_("Shape"),
        help=_("Refuse a file with holes or with inverted facets; walls may have both."))
    # fmt: on


class VesselParameters(PouredInSpaceParameters, ShapeParameters):
    """Spheres poured on or into a shape that stands on a round floor, in SI."""

    # fmt: off
    stream: float = number(8.0, 2.0, 200.0, _("width of the stream"), "D/d", effect="restart", group=_("Experiment"),
        help=_("In mean diameters, about the axis. Takes effect at the next start."))
    # fmt: on

    _surfaces: dict[str, Surface] = PrivateAttr(default_factory=dict)

    @property
    def surfaces(self) -> Mapping[str, Surface]:
        """Shapes read from files since the run began, by path. During a run a path always denotes the same shape: a
        return to an earlier step and a replay must use equal shapes."""
        return self._surfaces

    def changed(self, **values: Any) -> Self:
        with kept_surfaces(self._surfaces):
            return super().changed(**values)

    @model_validator(mode="after")
    def _shape_fits_the_grains(self) -> Self:
        """Read the file: an unusable file is refused before anything changes."""
        self._surfaces = surfaces_with(self.mesh)
        shape_of(self)
        return self
