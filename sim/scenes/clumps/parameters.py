"""The parameters of the scenes clumps and joined discs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import PrivateAttr, model_validator
from repose.sim.clumps.shapes import SHAPES
from repose.sim.io.mesh import Surface, kept_surfaces, surfaces_with
from repose.sim.laws.material_parameters import YoungsModulus
from repose.sim.message import _
from repose.sim.parameters import ParameterError, choice, count, file_path, number, variant
from repose.sim.scenes.clumps.poured_clumps import (
    MOST_MEMBERS,
    grain_of_shape,
    grain_of_surface,
    joined_discs,
    surface_of_file,
    why_shape_apart,
)
from repose.sim.scenes.common.clump_grains import Grain
from repose.sim.scenes.common.poured_parameters import GrainCount, MeanRadius, PouredInSpaceParameters


class LiftedParameters(PouredInSpaceParameters):
    """Clumps, and loose spheres of the same volume, poured into a container that is lifted off its plate, in SI."""

    # fmt: off
    ball_share: float = number(0.0, 0.0, 1.0, _("share of spheres"), effect="restart", group=_("Grains"),
        help=_("Share of the grains that are loose spheres of the same volume, drawn at random."))
    second_share: float = number(0.0, 0.0, 1.0, _("share of the second shape"), effect="restart", group=_("Mixture"),
        help=_("Share of the clumps that have the second shape, drawn at random; the others have the first."))
    grain_count: GrainCount = 200
    mean_radius: MeanRadius = 8e-3
    young: YoungsModulus = variant(3e6,
        help=_("Of grains and walls. Soft, since clumps touch at many points and take short time steps."))
    """The softest grains for which the contact laws work: in the filled container of the presets the smallest members
    overlap by 5 to 19 % of their radius, at the first impacts by up to four fifths of it."""
    size_spread: float = number(0.0, 0.0, 0.5, _("size spread"), effect="restart", group=_("Grains"),
        help=_("Sizes are uniform within this share of the mean. Takes effect at the next start."))
    lift_speed: float = number(0.2, 1e-3, 2.0, _("lift speed"), "v_lift", "mm/s",
        group=_("Experiment"), help=_("Of the container."))
    # fmt: on

    @property
    def grains(self) -> tuple[Grain, ...]:
        """The poured clumps, for the volume of a ball of radius 1 (in the plane the area of a disc); the second one
        only if its share is not zero."""
        return (self._first(), self._second()) if self.second_share else (self._first(),)

    def _first(self) -> Grain:
        raise NotImplementedError

    def _second(self) -> Grain:
        raise NotImplementedError

    @property
    def has_clumps(self) -> bool:
        """Whether any grain is a body of several spheres."""
        return self.ball_share < 1.0 and any(len(grain.members) > 1 for grain in self.grains)


class ClumpsParameters(LiftedParameters):
    """Clumps of spheres in space."""

    # fmt: off
    shape: Literal[tuple(SHAPES)] = choice("cube", _("shape"),  # type: ignore[valid-type]
        effect="restart", group=_("Grains"),
        help=_("Shape of the clumps; a ball is one sphere. Takes effect at the next start."))
    members: int = count(14, 1, MOST_MEMBERS, _("spheres per clump"), "P", effect="restart", group=_("Grains"),
        help=_("Largest number of spheres that are fitted to the shape. Takes effect at the next start."))
    clump: str = file_path(_("clump file"), (".json",), empty=_("the shape of the library"),
        replaces=("shape", "members"), effect="restart", group=_("Grains"),
        help=_(
            "Clump file of your own, made by `repose clump`; empty for the shape above. The file is only read, at the "
            "next start, and scaled to the mean radius."
        ))
    second_shape: Literal[tuple(SHAPES)] = choice("rod", _("second shape"),  # type: ignore[valid-type]
        effect="restart", group=_("Mixture"),
        help=_("Shape of the other clumps of a mixture, of the same volume. Takes effect at the next start."))
    second_members: int = count(6, 1, MOST_MEMBERS, _("spheres per second clump"), "P₂", effect="restart",
        group=_("Mixture"), help=_("Largest number of spheres that are fitted to the second shape."))
    second_clump: str = file_path(_("second clump file"), (".json",), empty=_("the second shape"),
        replaces=("second_shape", "second_members"), effect="restart", group=_("Mixture"),
        help=_("Clump file of your own for the other clumps of a mixture; empty for the second shape above."))
    container: Literal["cylinder", "box"] = choice("cylinder", _("poured into"), effect="restart",
        group=_("Experiment"), help=_("A round or a square container on the plate. Takes effect at the next start."))
    # fmt: on

    _surfaces: dict[str, Surface] = PrivateAttr(default_factory=dict)

    @property
    def surfaces(self) -> Mapping[str, Surface]:
        """Clumps read from files since the run began, by path. During a run a path always denotes the same clump: a
        return to an earlier step and a replay must pour equal clumps."""
        return self._surfaces

    def changed(self, **values: Any) -> Self:
        with kept_surfaces(self._surfaces):
            return super().changed(**values)

    @model_validator(mode="after")
    def _clump_can_be_poured(self) -> Self:
        """Read the file: an unusable file is refused before anything changes."""
        for name in ("clump", "second_clump"):
            path = getattr(self, name)
            self._surfaces = {**self._surfaces, **surfaces_with(path, surface_of_file, name)}
            if path:
                grain_of_surface(self._surfaces[path])
        return self

    def require_one_piece(self) -> None:
        """Raise `ParameterError` if a clump of the library that is poured falls apart; a file may."""
        poured = [(self.clump, self.shape, self.members)]
        if self.second_share:
            poured.append((self.second_clump, self.second_shape, self.second_members))
        for path, shape, members in poured:
            if not path and (why := why_shape_apart(shape, spheres_of(shape, members))):
                raise ParameterError(why)

    def _first(self) -> Grain:
        return self._made(self.clump, self.shape, self.members)

    def _second(self) -> Grain:
        return self._made(self.second_clump, self.second_shape, self.second_members)

    def _made(self, path: str, shape: str, members: int) -> Grain:
        if path:
            return grain_of_surface(self._surfaces[path])
        return grain_of_shape(shape, spheres_of(shape, members))


def spheres_of(shape: str, members: int) -> int:
    """Largest number of spheres of a shape of the library: a ball is one sphere."""
    return 1 if shape == "ball" else members


class JoinedParameters(LiftedParameters):
    """Joined discs in the plane."""

    # fmt: off
    ball_share: float = number(0.0, 0.0, 1.0, _("share of discs"), effect="restart", group=_("Grains"),
        help=_("Share of the grains that are loose discs of the same area, drawn at random."))
    shape: Literal["disc", "triangle", "square", "rod"] = choice("rod", _("shape"), effect="restart", group=_("Grains"),
        help=_("Three, four or more equal discs that touch. Takes effect at the next start."))
    members: int = count(4, 2, 20, _("discs of a rod"), "P", effect="restart", group=_("Grains"),
        help=_("Length of a rod over its thickness. Takes effect at the next start."))
    second_shape: Literal["disc", "triangle", "square", "rod"] = choice("triangle", _("second shape"), effect="restart",
        group=_("Mixture"),
        help=_("Shape of the other clumps of a mixture, of the same area. Takes effect at the next start."))
    second_members: int = count(4, 2, 20, _("discs of a second rod"), "P₂", effect="restart", group=_("Mixture"),
        help=_("Length of a rod of the second shape over its thickness. Takes effect at the next start."))
    # fmt: on

    def _first(self) -> Grain:
        return joined_discs(self.shape, self.members)

    def _second(self) -> Grain:
        return joined_discs(self.second_shape, self.second_members)
