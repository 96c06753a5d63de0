"""The user's choices for the picture: part of the settings, read by the renderer."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le, MaxLen
from pydantic import BaseModel, ConfigDict, Field


class View(BaseModel):
    """Choices for the picture of a snapshot, which panels write and the renderer reads. Excluded fields are not
    stored."""

    model_config = ConfigDict(extra="ignore", strict=True, validate_assignment=True, allow_inf_nan=False)

    colour_by: str = "automatic"
    """A name in `repose.app.render.colours.COLOURINGS`."""
    range_follows: bool = False
    """Whether the range of the colours follows the values; otherwise it is held for a run."""
    colour_map: str = "viridis"
    """A name in `repose.app.render.colours.COLOUR_MAPS`."""
    shown: Annotated[dict[str, bool], MaxLen(200)] = {}
    """Switches of the draw passes by name, if they differ from their defaults or have been changed."""
    stress_optic: Annotated[float, Ge(0.0), Le(1e-5)] = 0.0
    """Stress-optic coefficient of photoelastic grains [1/Pa]; 0 chooses it from the present forces, so that strongly
    loaded grains have a fringe or two."""
    white_light: bool = True
    """Whether photoelastic grains are seen in white light; otherwise in light of one wavelength."""
    stress_component: str = "pressure"
    """A name in `repose.app.render.field_picture.COMPONENTS`."""
    stress_width: Annotated[float, Ge(0.3), Le(10.0)] = 1.0
    """Width over which the stress field is smoothed: standard deviation of the Gaussian [mean diameters]."""
    cut_axis: Annotated[str, Field(exclude=True)] = ""
    """In 3D: "x", "y" or "z" hides everything on the viewer's side of a plane across this axis; empty hides nothing."""
    cut_position: Annotated[float, Field(exclude=True)] = 0.5
    """Position of the plane: 0 at the lower, 1 at the upper end of the box."""
    selected: Annotated[tuple[int, ...], Field(exclude=True)] = ()
    """Id of the selected grain, or ids of the two grains of the selected contact, the second -1 for a wall."""
    dark: Annotated[bool, Field(exclude=True)] = True
    """Dark background for screens and projectors, or light for print."""
    ui_visible: Annotated[bool, Field(exclude=True)] = True
    """False hides every panel (Tab); the picture stays."""
    text_scale: Annotated[float, Field(exclude=True)] = 1.0
    """Text size relative to the screen's own [-]."""
    letters: Annotated[float, Field(exclude=True)] = 0.0
    """Least height of the letters of the measured number [share of the height of the picture]."""
