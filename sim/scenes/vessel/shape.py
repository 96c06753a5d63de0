"""The shape on which grains are poured, from a file or a goblet; its centre is on the vertical axis."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.io.mesh import Mesh, Surface, cleaned, mesh_of
from repose.sim.message import Message, Number, _, length_text
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text


class ShapedParameters(Protocol):
    """Parameters that describe a shape and the grains it has to fit."""

    @property
    def mesh(self) -> str: ...
    @property
    def mesh_unit(self) -> str: ...
    @property
    def mesh_up(self) -> str: ...
    @property
    def mesh_lift(self) -> float: ...
    @property
    def mesh_closed(self) -> bool: ...
    @property
    def mean_radius(self) -> float: ...
    @property
    def surfaces(self) -> Mapping[str, Surface]: ...


SIDES = 28
"""Number of flat sides of the goblet."""
ON_FLOOR = 1e-6
"""Largest height of a facet that lies in the floor, in units of the size of the shape [-]."""

NARROWEST, WIDEST = 1.0, 500.0
"""Smallest and largest width of a shape in mean diameters [-]: a narrower shape is smaller than a grain, in a wider one
a grain is hardly a pixel."""


def shape_of(parameters: ShapedParameters) -> Mesh:
    """The shape at its position [m]; raises `ParameterError` if its file cannot be used or its size does not suit the
    grains."""
    path = parameters.mesh
    surface = parameters.surfaces.get(path)
    mesh = goblet() if surface is None else _mesh(surface, path, parameters.mesh_unit, parameters.mesh_closed)
    width = float(np.ptp(mesh.facets, axis=(0, 1)).max())
    share = width / (2.0 * parameters.mean_radius)
    if not NARROWEST <= share <= WIDEST:
        shape = f"mesh = {value_text(path)}" if path else _("the goblet")
        raise ParameterError(
            Message(
                "{shape} is refused: its width is {width}, which is {share} diameters of a grain, and must "
                "be {narrowest} to {widest} diameters; check mesh_unit = {mesh_unit} and mean_radius = "
                "{mean_radius} ({mean_radius2}).",
                shape=shape,
                width=length_text(width),
                share=Number(share, format=".3g"),
                narrowest=Number(NARROWEST, format="g"),
                widest=Number(WIDEST, format="g"),
                mesh_unit=value_text(parameters.mesh_unit),
                mean_radius=Number(parameters.mean_radius, format="g"),
                mean_radius2=length_text(parameters.mean_radius),
            )
        )
    return _placed(mesh, parameters.mesh_up, parameters.mesh_lift)


def on_floor(facets: Floats) -> NDArray[np.bool_]:
    """True for facets (facets, 3, 3) [m] in the floor, which as walls would act in addition to the floor."""
    height = facets[..., 2].max(axis=1)
    lying: NDArray[np.bool_] = height <= ON_FLOOR * float(np.ptp(facets, axis=(0, 1)).max())
    return lying


@lru_cache(maxsize=1)
def goblet() -> Mesh:
    """A goblet 128 mm wide and 98 mm high: foot, stem and a bowl that holds about 0.4 litres level."""
    quarter = np.linspace(0.0, 0.5 * math.pi, 7)
    bowl = np.column_stack([np.sin(quarter), -np.cos(quarter)])
    outside = np.array([0.0, 96.0]) + bowl[1:] * (64.0, 58.0)
    inside = np.array([0.0, 97.0]) + bowl[::-1] * (60.0, 52.0)
    foot = [(0.0, 0.0), (46.0, 0.0), (46.0, 3.0), (24.0, 7.0), (11.0, 16.0), (9.0, 28.0)]
    return cleaned(turned(1e-3 * np.concatenate([foot, outside, [(62.0, 98.0)], inside])), closed=True)


def turned(profile: Floats) -> Floats:
    """Triangles of the body of revolution of a profile (distance from the axis, height) [m], shape (facets, 3, 3)."""
    angle = 2.0 * math.pi * np.arange(SIDES + 1) / SIDES
    round_ = np.column_stack([np.cos(angle), np.sin(angle)])
    round_[-1] = round_[0]
    rings = np.empty((len(profile), SIDES + 1, 3))
    rings[..., :2] = profile[:, None, :1] * round_
    rings[..., 2] = profile[:, None, 1]
    a, b, c, d = rings[:-1, :-1], rings[:-1, 1:], rings[1:, 1:], rings[1:, :-1]
    halves = np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(-1, 3, 3)
    # On the axis one of the two triangles has no area.
    wide = np.linalg.norm(np.cross(halves[:, 1] - halves[:, 0], halves[:, 2] - halves[:, 0]), axis=1) > 0.0
    kept: Floats = halves[wide]
    return kept


def _placed(mesh: Mesh, up: str, lift: float) -> Mesh:
    facets = mesh.facets if up == "z" else mesh.facets[..., (0, 2, 1)] * (1.0, -1.0, 1.0)
    low, high = facets.min(axis=(0, 1)), facets.max(axis=(0, 1))
    middle = 0.5 * (low + high)
    return mesh._replace(facets=facets - (middle[0], middle[1], low[2] - lift))


@lru_cache(maxsize=4)
def _mesh(surface: Surface, path: str, unit: str, closed: bool) -> Mesh:
    return mesh_of(surface, path, unit, closed, option=_("allow an open mesh (mesh_closed = false)"))
