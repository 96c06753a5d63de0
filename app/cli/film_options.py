"""Options of the commands that make films."""

from __future__ import annotations

from typing import Annotated

import typer
from repose.app.cli.terminal import typed_number

Video = Annotated[
    str,
    typer.Option(
        metavar="FILE.mp4|.gif|.webp|FOLDER/|%05d.png",
        help="Film the run; the ending selects the format. With a slash at the end, or a pattern with a number, a PNG "
        "picture for each frame.",
        show_default=False,
    ),
]
Fps = Annotated[
    float | None,
    typer.Option(
        parser=typed_number, metavar="NUMBER", help="Frames per second of film; 60 if not given, of GIF and WebP 25."
    ),
]
Size = Annotated[str, typer.Option(metavar="WIDTHxHEIGHT", help="Size of film and picture in pixels.")]
Speed = Annotated[
    float | None,
    typer.Option(
        parser=typed_number,
        metavar="NUMBER",
        help="Simulated seconds per second of film; if not given, filling is fast and the collapse is in slow motion.",
    ),
]
Overlay = Annotated[
    str,
    typer.Option(
        metavar="full|none",
        help="full: title card, clock, parameters, legend, angle, a still picture at the end; none: only the grains.",
    ),
]
Show = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Show this in film and picture too, as a switch of the window does: force_chains, velocity_arrows, "
        "rose, stress_field, displacement; may be repeated.",
        show_default=False,
    ),
]
Colour = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Quantity shown by the colours; if not given, the layer of origin in scenes with layers.",
        show_default=False,
    ),
]
