"""What the user wants to see: plain settings that panels write and the renderer reads."""

from __future__ import annotations

from dataclasses import dataclass

COLOUR_MAPS = ("viridis", "cividis", "batlow")
"""Perceptually even, colour-blind-safe maps; each is a table in `assets/colours`."""


@dataclass
class View:
    """One way of looking at a snapshot; nothing here changes the physics."""

    colour_by: str = "speed"
    """A name in `repose.app.render.colours.COLOURINGS`: "speed", "force", "pressure", "coordination", "size", "layer" or "plain"."""
    colour_map: str = "viridis"
    """One of `COLOUR_MAPS`."""
    show_force_chains: bool = False
    show_measurement: bool = True
    show_scale_bar: bool = True
    show_legend: bool = True
    show_box: bool = True
    show_caption: bool = False
    """Simulated time and phase in the lower left: for pictures and films, where no panel says so."""
    cut_axis: str = ""
    """In space: "x", "y" or "z" hides what stands before a plane across that axis; empty hides nothing."""
    cut_position: float = 0.5
    """Where that plane cuts the box: 0 at its lower, 1 at its upper end."""
    dark: bool = True
    """Dark background for screens and projectors, or light for print."""
    ui_visible: bool = True
    """False hides every panel (Tab); the picture itself stays."""
    font_scale: float = 1.0
    """Text size relative to the screen's own [-]."""
