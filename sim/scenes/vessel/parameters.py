"""The parameters of a shape from a file, and of the grains poured on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from annotated_types import Ge, Le
from pydantic import Field, PrivateAttr, model_validator
from repose.sim.io.mesh import SUFFIXES, UNITS, Surface, kept_surfaces, surfaces_with
from repose.sim.message import _
from repose.sim.parameters import FilePath, ParameterSet, Quantity
from repose.sim.scenes.common.poured_parameters import PouredInSpaceParameters
from repose.sim.scenes.vessel.shape import shape_of


class ShapeParameters(ParameterSet):
    """A shape from a file, its unit and its position."""

    mesh: Annotated[
        str,
        Field(
            max_length=4096,
            pattern=r"^[^\x00-\x1f]*$",
            description=_("STL or OBJ file of your own shape; empty for the goblet. The file is only read."),
        ),
        Quantity(_("shape"), "", effect="anew", group=_("Shape")),
        FilePath(SUFFIXES, _("the goblet")),
    ] = ""
    mesh_unit: Annotated[
        Literal[tuple(UNITS)],  # type: ignore[valid-type]
        Quantity(_("unit of the file"), "", effect="anew", group=_("Shape")),
        Field(description=_("STL and OBJ files contain numbers without a unit; most programs write millimetres.")),
    ] = "mm"
    mesh_up: Annotated[
        Literal["z", "y"],
        Quantity(_("axis that points up"), "", effect="anew", group=_("Shape")),
        Field(description=_("In the file: z for most drawing programs, y for many that make pictures.")),
    ] = "z"
    mesh_lift: Annotated[
        float,
        Ge(0.0),
        Le(10.0),
        Quantity(_("height above the floor"), "h", "mm", scale=1e-3, effect="anew", group=_("Shape")),
        Field(description=_("Of the lowest point of the shape; a funnel needs room below it.")),
    ] = 0.0
    mesh_closed: Annotated[
        bool,
        Quantity(_("must be a closed body"), "", effect="anew", group=_("Shape")),
        Field(description=_("Refuse a file with holes or with inverted facets; walls may have both.")),
    ] = False


class VesselParameters(PouredInSpaceParameters, ShapeParameters):
    """Spheres poured on or into a shape that stands on a round floor, in SI."""

    stream: Annotated[
        float,
        Ge(2.0),
        Le(200.0),
        Quantity(_("width of the stream"), "D/d", effect="restart", group=_("Experiment")),
        Field(description=_("In mean diameters, about the axis. Takes effect at the next start.")),
    ] = 8.0

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
