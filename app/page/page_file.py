"""The file of a page: one HTML document that contains its data, its drawing code and the shaders, and asks no network.

No text of a run is HTML: texts are inside the compressed data, and the page shows them as text; the title alone is
written into the document, with its special characters as references. A policy in the document forbids every request and
all scripts and styles but its own, which it names by their digests.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Sequence
from importlib.metadata import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from repose import assets
from repose.app.figure import Figure, FigureAxis, ScreenColours, Trace, figure_on_screen, figure_over_time
from repose.app.language import NATIVE, read_language
from repose.app.page.columns import Stream
from repose.app.page.recording import (
    FPS,
    LENGTH_OF_QUATERNION,
    LIGHTS,
    SHADES,
    SIDES,
    SIZE,
    STRENGTHS,
    TURN,
    PageRecording,
)
from repose.app.render.ambient_occlusion import LAMP
from repose.app.render.colours import (
    AUTOMATIC,
    CATEGORIES,
    DARK,
    LOOKS,
    READABLE_RELIEF,
    UNCOLOURED,
    linear_map,
    of_category,
    part_colour,
    to_linear,
)
from repose.app.render.passes import (
    bonds,
    box,
    discs,
    facet_edges,
    facets,
    force_chains,
    force_network,
    ghost_spheres,
    liquid_surface,
    measured_slope,
    periodic_images,
    spheres,
    spin,
    walls,
)
from repose.app.render.theme import PALETTES
from repose.app.storage.time_curves import axis_unit, curves_over_time, opening, whole_span
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message, _, plural
from repose.sim.registry import records

LARGEST = 5_000_000
"""Size of a page for which frames are left out, evenly [bytes]."""
FEWEST = 48
"""Frames that are kept of a large system, whose page is then larger."""
MOST_POINTS = 600
"""Largest number of points of a line of a plot."""
SHADERS = ("discs", "lines", "spheres", "strokes", "facets", "ground", "shadows")
WORDS: dict[str, Message] = {
    "play": _("Play"),
    "pause": _("Pause"),
    "time": _("Time"),
    "colour": _("Colour"),
    "own": _("grains"),
    "chains": _("Force chains"),
    "whole": _("Whole picture"),
    "larger": _("Larger"),
    "smaller": _("Smaller"),
    "readings": _("Readings"),
    "parameters": _("Parameters"),
    "plot": _("Plot"),
    "about": _("About this page"),
    "language": _("Language"),
    "picture": _("Picture of the grains"),
    "differs": _("differs from the default"),
    "keys": _(
        "Keys: space plays and pauses; ← and → go one frame, Home and End to the first and the last one; + and − "
        "magnify, 0 shows the whole picture; L shows force chains. Mouse or fingers move, turn and magnify the picture."
    ),
    "no_webgl": _("This browser draws no picture because it has no WebGL 2: open the page in another browser."),
    "no_stream": _("This browser is too old to unpack the page: open it in a browser of 2023 or later."),
    "broken": _("The page is damaged: ask for it again, or export it again."),
}
"""Texts of the page itself, by their names in `assets/page/page.js`."""
NO_SCRIPT = _("This page needs JavaScript: allow it for this page, or open it in another browser.")


class Page(NamedTuple):
    """A finished page."""

    document: bytes
    frames: int
    """Frames in the page."""
    total: int
    """Frames of the film, left out ones included."""

    @property
    def left_out(self) -> Message:
        """How many frames were left out, as a sentence; empty if none was."""
        return left_out(self.frames, self.total)


def left_out(frames: int, total: int) -> Message:
    """How many frames a page leaves out, as a sentence; empty if none."""
    if frames >= total:
        return EMPTY
    return plural(
        "The run is too long for one page: it has {frames} frames, evenly spaced, and {count} is left out.",
        "The run is too long for one page: it has {frames} frames, evenly spaced, and {count} are left out.",
        count=total - frames,
        frames=frames,
    )


def page_of(recording: PageRecording, last: Snapshot, title: Message, largest: int = LARGEST) -> Page:
    """The page of a recorded run whose last snapshot is `last`. If it would be larger than `largest` [bytes], frames
    are left out evenly, but `FEWEST` remain."""
    count = len(recording.rows)
    kept = count
    while True:
        chosen = np.unique(np.rint(np.linspace(0, count - 1, kept)).astype(int)).tolist()
        document = _document(recording, chosen, last, title)
        if len(document) <= largest or kept <= min(FEWEST, count):
            return Page(document, len(chosen), recording.total)
        kept = max(min(FEWEST, count), min(kept - 1, int(0.98 * kept * largest / len(document))))


def _document(recording: PageRecording, chosen: Sequence[int], last: Snapshot, title: Message) -> bytes:
    return written(stream_of(recording, chosen, last, title), title)


def stream_of(recording: PageRecording, chosen: Sequence[int], last: Snapshot, title: Message) -> Stream:
    """What a page with these frames of a recording draws and shows; `last` is the last snapshot of the run."""
    stream = recording.stream(chosen)
    stream.add_floats("map", linear_map("viridis"))
    stream.data = _data(recording, chosen, last, title)
    return stream


def written(stream: Stream, title: Message, live: bool = False) -> bytes:
    """The document with these data; a `live` one is part of a notebook, which sends it further frames."""
    folder = files("repose.assets").joinpath("page")
    script, style = (folder.joinpath(name).read_text(encoding="utf-8") for name in ("page.js", "page.css"))
    script += start() + (FOLLOW if live else "")
    policy = f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:"
    words = " ".join(f"<p>{html.escape(read_language(code).translated(NO_SCRIPT))}</p>" for code in NATIVE)
    packed = base64.b64encode(stream.packed()).decode()
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="dark">\n'
        f"<title>{html.escape(str(title))}</title>\n<style>{style}</style>\n</head>\n"
        f'<body>\n<noscript>{words}</noscript>\n<main id="page"></main>\n'
        f'<script type="text/plain" id="run">{packed}</script>\n<script>{script}</script>\n</body>\n</html>\n'
    ).encode()


START = """
const FALLBACK = %s;
const packed = document.getElementById("run").textContent;
const opened = openPage(document.getElementById("page"), unpackedText(packed), location.hash);
"""
"""The end of the script of a page: what it says if its data cannot be read, and its beginning."""

FOLLOW = """
opened.then((page) => page && followParent(page));
"""
"""The end of the script of a live page."""


def start() -> str:
    """The beginning of a page, at the end of its script."""
    words = {name: [read_language(code).translated(WORDS[name]) for code in NATIVE] for name in ("no_stream", "broken")}
    return START % json.dumps(words, ensure_ascii=False).replace("<", "\\u003c")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _data(recording: PageRecording, chosen: Sequence[int], last: Snapshot, title: Message) -> dict[str, Any]:
    text, dimension = recording.texts.number, last.grains.position.shape[1]
    legends = recording.legends()
    data = {
        "dimension": dimension,
        "quantum": recording.quantum,
        "fps": FPS,
        "size": SIZE,
        "title": text(title),
        "see": text(last.run.direction.see),
        "words": {name: text(words) for name, words in WORDS.items()},
        "left": text(left_out(len(chosen), recording.total)),
        "colours": [[name, text(records("colours")[name].title)] for name in recording.colourings],
        "colour": recording.shown if recording.shown in recording.colourings else AUTOMATIC,
        "relief": {
            "own": LOOKS[recording.shown].relief
            if recording.shown in UNCOLOURED and recording.shown in LOOKS
            else READABLE_RELIEF,
            "quantity": READABLE_RELIEF,
        },
        "chains": bool(last.run.direction.show and force_chains.FORCE_CHAINS.name in last.run.direction.show),
        "legends": legends,
        "labels": [
            [int(recording.number_of(entry.sphere_id)), text(entry.text), _css(CATEGORIES[k % len(CATEGORIES)])]
            for k, entry in enumerate(last.grains.labels)
        ],
        "boundary": last.geometry.boundary.tolist() if last.geometry.boundary.size else None,
        "box": last.geometry.box,
        "palette": {
            name: to_linear(getattr(DARK, name)).tolist()
            for name in ("background", "fixed", "solid", "glass", "chain", "faint", "mark")
        }
        | {"rim": DARK.rim, "trim": DARK.trim, "water": to_linear(part_colour(liquid_surface.WATER, 0)).tolist()},
        "drawing": DRAWING,
        "lamp": LAMP,
        "shaders": {name: _shader(name) for name in SHADERS},
        "parameters": _parameters(recording, last),
        "plots": _plots(recording, last),
        "plot": last.run.direction.plot,
        "origin": [
            text(
                Message("seed {seed}  ·  Repose {version}", seed=last.run.seed, version=metadata("repose")["Version"])
            ),
            text(Message("Program and page: {licence} licence", licence=metadata("repose")["License-Expression"])),
        ],
        "licence": (Path(assets.__file__).parent.parent / "LICENSE").read_text(encoding="utf-8"),
        "languages": list(NATIVE.items()),
        "decimal": [read_language(code).decimal for code in NATIVE],
    }
    return data | {"texts": recording.texts.data()}


DRAWING = {
    "shades": SHADES,
    "turn": TURN,
    "quaternion": LENGTH_OF_QUATERNION,
    "strengths": STRENGTHS,
    "lights": LIGHTS,
    "sides": SIDES,
    "dimmed": discs.DIMMED,
    "band": box.BAND,
    "wall": walls.WIDTH,
    "bond": [bonds.WIDTH, bonds.SHADE],
    "mark": [spin.FROM, spin.TO, spin.WIDTH, spin.LEAST_SEEN, spin.OPACITY, spin.JOINT],
    "chain": [force_chains.WIDTH, force_chains.WIDEST],
    "rod": [force_network.RELATIVE_WIDTH, force_network.LEAST_WIDTH, force_network.FAINTEST],
    "reduced": [spheres.REDUCED, spheres.FAINT],
    "ring": [spheres.RING, spheres.MOST_RING, spheres.RING_TINT],
    "facet": [facets.DENSITY, facets.LEVEL],
    "edge": [facet_edges.WIDTH, facet_edges.ALPHA],
    "ghost": [ghost_spheres.ALPHA, ghost_spheres.WIDTH, ghost_spheres.ENLARGEMENT],
    "liquid": [liquid_surface.GROUND, liquid_surface.SURFACE, liquid_surface.LINE],
    "wet": [liquid_surface.SWELL, liquid_surface.SHADE],
    "image": [
        periodic_images.REACH,
        periodic_images.FACE,
        periodic_images.OUTLINE,
        periodic_images.WIDTH,
        periodic_images.BORDER,
        periodic_images.BORDER_OPACITY,
    ],
    "slope": [measured_slope.BEYOND],
}
"""Numbers of the draw passes, by their names in `assets/page/page.js`."""


def _shader(name: str) -> str:
    """A shader of the window for WebGL 2, which has no default values of uniforms, and no interpolation without
    perspective: the depth that would change it is 1 wherever it is asked for."""
    source = files("repose.shaders").joinpath(f"{name}.glsl").read_text(encoding="utf-8")
    source = re.sub(r"(uniform \w+ \w+) = [^;]+;", r"\1;", source)
    return source.replace("noperspective ", "")


def _parameters(recording: PageRecording, last: Snapshot) -> list[list[Any]]:
    """Label, symbol and value of every parameter, and whether it differs from its default."""
    values, text = parameters_of(last.run), recording.texts.number
    if values is None:
        return []
    return [
        [
            text(entry.quantity.label),
            entry.quantity.symbol,
            text(entry.shown(values.given(name))),
            int(getattr(values, name) != entry.default),
        ]
        for name, entry in values.in_units().items()
    ]


def _plots(recording: PageRecording, last: Snapshot) -> list[dict[str, Any]]:
    """The plots of the scene and of the measurements over time."""
    palette, text = PALETTES["dark"], recording.texts.number
    others = (palette.warning, palette.good, palette.bad, palette.muted)
    colours = ScreenColours(palette.accent, of_category, others)
    plots = []
    for curve in last.results.curves:
        if any(len(line.x) for line in curve.lines):
            plots.append(_plot(recording, curve.name, curve.heading or curve.title, figure_on_screen(curve, colours)))
    span = whole_span(last)
    span = (0.0, max(span[1], float(last.run.time)))
    factor, zero = axis_unit(last, span)[0], opening(last) or 0.0
    tabs = {entry.plot.name: entry.plot for entry in last.results.quantities if entry.plot is not None}
    for tab in sorted(tabs.values(), key=lambda plot: plot.order):
        for curve in curves_over_time(last, tab.name, span):
            lines = [
                Trace(line.label, line.x, line.y, (palette.accent, *others)[k % 5], width=1.6)
                for k, line in enumerate(curve.lines)
            ]
            axis = FigureAxis(curve.x_label, (span[0] - zero) / factor, (span[1] - zero) / factor)
            figure = figure_over_time(axis, curve.y_label, lines, curve.log)
            figure = figure._replace(legend=figure.series if len(figure.series) > 1 else ())
            plot = _plot(recording, curve.name, tab.title, figure)
            plots.append(plot | {"tab": tab.name, "time": [zero, factor], "title": text(curve.y_label)})
    return plots


def _plot(recording: PageRecording, name: str, title: Message, figure: Figure) -> dict[str, Any]:
    text = recording.texts.number
    legend = {id(trace) for trace in figure.legend}

    def axis(found: FigureAxis) -> dict[str, Any]:
        low, high = found.ends
        ticks = [[place, text(words)] for place, words in found.ticks] if found.ticks else None
        return {"label": text(found.label), "low": low, "high": high, "log": found.log, "ticks": ticks}

    return {
        "name": name,
        "title": text(title),
        "x": axis(figure.x),
        "y": axis(figure.y),
        "lines": [
            {
                "label": text(trace.label) if id(trace) in legend else 0,
                "x": _numbers(trace.x),
                "y": _numbers(trace.y),
                "error": None if trace.error is None else _numbers(trace.error),
                "colour": _css(trace.colour),
                "mark": bool(trace.mark),
                "width": trace.width,
            }
            for trace in figure.series
        ],
    }


def _numbers(values: Any) -> list[float | None]:
    """At most `MOST_POINTS` of the values, evenly, with six digits; None for what is not finite."""
    values = np.asarray(values, np.float64)
    chosen = np.unique(np.rint(np.linspace(0, len(values) - 1, min(len(values), MOST_POINTS))).astype(int))
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values[chosen]]


def _css(colour: Sequence[float]) -> str:
    return "#" + "".join(f"{round(255 * float(part)):02x}" for part in colour[:3])
