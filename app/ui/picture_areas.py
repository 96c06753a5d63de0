"""Experiments side by side: the request for them, the area of each picture in the window, and the run at a pixel."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from repose.app.language import decimal_sign
from repose.app.render.passes import BAND, PLATE_MARGIN, plates
from repose.app.render.pictures_side_by_side import columns_for, places, shape_of
from repose.app.ui.field_values import typed
from repose.app.ui.places import strip_height
from repose.app.ui.preset_library import different
from repose.app.ui.studies import candidates, usual_range
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import KeepOne, Start, StartSideBySide
from repose.sim.experiment.preset_start import start_of
from repose.sim.experiment.snapshot import placed_in
from repose.sim.io import presets
from repose.sim.message import Message
from repose.sim.parameters import Parameter, ParameterError, ParameterSet, Value
from repose.sim.wording import value_text

Inset = tuple[float, float, float, float]

FOOT, MOST_FOOT = 0.36, 0.6
"""Fraction of the height between the panels for the results below the pictures, and the largest one, with plates beside
the results [-]."""
LEAST_FOOT = 150.0
"""Least height of the results; with less room there are only pictures [px at scale 1]."""
GAP = 4.0
"""Distance between two pictures [px at scale 1]."""


@dataclass
class LabelStrip:
    """Strip for the label at the foot of every picture. Written by `repose.app.ui.panels.runs_side_by_side`."""

    height: float = 0.0
    """[px]; 0 if the labels have room beside the scale bar."""


def possible(parameters: ParameterSet) -> dict[str, Parameter]:
    """The parameters of which each run can have its own value: numbers with a range, choices such as the law, and texts
    with a form such as the grain sizes."""
    declared = parameters.in_units()
    numbers = candidates(parameters)
    choices = {name: entry for name, entry in declared.items() if entry.kind == "choice" and len(entry.choices) > 1}
    texts = {name: entry for name, entry in declared.items() if entry.form is not None}
    return choices | numbers | texts


def usual_values(over: Parameter, scene: str, present: Value) -> str:
    """Suggested values as text in the shown unit: up to four choices, examples of a text, or three numbers across the
    usual range."""
    if over.form is not None:
        return "; ".join(over.form.examples)
    if over.choices:
        ordered = (str(present), *(word for word in over.choices if word != present))
        return ", ".join(ordered[: presets.MOST_RUNS])
    low, high = usual_range(over, scene)
    values = [low, 0.5 * (low + high), high]
    if over.kind == "int":
        values = [round(value) for value in values]
    return "; ".join(f"{value / over.quantity.scale:.2g}" for value in values)


def parsed(over: Parameter, text: str) -> tuple[Value, ...]:
    """The values of a typed list, SI; raises `ParameterError`."""
    words = [word.strip() for word in _divided(over, text) if word.strip()]
    if over.form is not None:
        return tuple(over.form.checked(over.typed(word)) for word in words)
    if over.choices:
        return tuple(words)
    values = []
    for word in words:
        value = typed(over, word)
        if isinstance(value, str):
            raise ParameterError(
                Message(
                    "{label} = {word} is refused: type numbers with semicolons between them, such as 0.1; 0.2.",
                    label=over.quantity.label,
                    word=value_text(word),
                )
            )
        values.append(value)
    return tuple(values)


def _divided(over: Parameter, text: str) -> list[str]:
    """The entries of a typed list that are separated by semicolons or commas, those of a text with a form by semicolons
    only. Raises `ParameterError` if a comma can be both a separator and a decimal sign."""
    pieces = text.split(";")
    if over.form is not None:
        return pieces
    return [word for piece in pieces for word in _at_commas(over, piece.strip(), alone=len(pieces) == 1)]


def _at_commas(over: Parameter, text: str, alone: bool) -> list[str]:
    """The entries of a list that are separated by commas; `alone` if the typed list has no semicolon. If commas can be
    decimal signs, a comma is a separator only if a blank follows."""
    whole = bool(over.choices) or over.kind == "int" or "." in text
    if "," not in text or whole or (alone and decimal_sign() != ","):
        return text.split(",")
    entries = re.split(r",\s+", text)
    if alone and len(entries) == 1:
        raise ParameterError(
            Message(
                "{label} = {text} is refused: its commas can separate values or decimals; put semicolons "
                "between the values.",
                label=over.quantity.label,
                text=value_text(text),
            )
        )
    return entries


def planned(ui: Ui, parameters: ParameterSet, over: Parameter, text: str) -> Start | StartSideBySide | Message:
    """The command that starts the present experiment anew with these values side by side, or why they are refused."""
    scene, seed = ui.snapshot.run.scene, ui.snapshot.run.seed
    try:
        values = {over.name: parsed(over, text)}
        return start_of(
            presets.Preset(
                "",
                "",
                scene,
                seed,
                different(parameters),
                direction=ui.snapshot.run.direction,
                side_by_side=values,
                instruments=placed_in(ui.snapshot),
            )
        )
    except ParameterError as error:
        return error.in_units


def start(ui: Ui, command: Start | StartSideBySide) -> None:
    """Start what was planned."""
    ui.control.edits.forget()
    ui.control.send(command)
    ui.mode.overlay = ""


def keep_one(ui: Ui) -> None:
    """Continue with the chosen run alone."""
    if len(ui.beside.runs) > 1:
        ui.control.edits.forget()
        ui.control.send(KeepOne(ui.beside.chosen))


def foot(ui: Ui) -> float:
    """Height of the results, and of plates beside them, below the pictures [px]; 0 without room for them, and in a
    lecture."""
    if not ui.view.ui_visible or ui.mode.lecture.on:
        return 0.0
    high, scale = _height(ui), ui.window.scale
    wanted = FOOT * high if FOOT * high >= LEAST_FOOT * scale else 0.0
    shown = plates(ui.snapshot, ui.view, MOST_FOOT * high / scale)
    return max(wanted, *((edge + PLATE_MARGIN) * scale for _, edge in shown.values())) if shown else wanted


def beside_results(ui: Ui) -> float:
    """Width of the plates at the right of the results, where they make no picture narrower [px]; 0 without plates, and
    where they have no room below the pictures: there they cover a picture, in a lecture they have a band beside it."""
    width = ui.window.size[0] - ui.window.inset[0] - ui.window.inset[2]
    has_plates = foot(ui) and plates(ui.snapshot, ui.view, foot(ui) / ui.window.scale)
    return min(BAND * ui.window.scale, width) if has_plates else 0.0


def _height(ui: Ui) -> float:
    """Height for pictures and results [px]."""
    _, top, _, bottom = ui.window.inset
    strip = strip_height(ui) + 8 * ui.window.scale if bottom and not ui.mode.presenting else 0.0
    return ui.window.size[1] - top - bottom - strip


def insets(ui: Ui) -> list[Inset]:
    """Distances of each picture from the edges of the window: left, top, right, bottom [px].

    The pictures are in the rows and columns in which the scene of the first run is largest.
    """
    left, top, right, _ = ui.window.inset
    right += ui.window.band
    area = round(ui.window.size[0] - left - right), round(_height(ui) - foot(ui))
    return list(
        _insets(
            ui.window.size,
            (left, top),
            area,
            round(GAP * ui.window.scale),
            len(ui.beside.runs),
            shape_of(ui.beside.runs[0]),
        )
    )


def above_labels(ui: Ui) -> list[Inset]:
    """`insets` of the pictures above the strips of their labels."""
    strip = ui.states[LabelStrip].height
    return [(left, top, right, bottom + strip) for left, top, right, bottom in insets(ui)]


@lru_cache(maxsize=16)
def _insets(
    size: tuple[int, int], corner: tuple[float, float], area: tuple[int, int], gap: int, count: int, shape: float
) -> tuple[Inset, ...]:
    """`insets` for pictures in an area of a window; cached, because a frame needs the same insets a dozen times."""
    (left, top), columns = corner, columns_for(count, *area, shape)
    margins = []
    for x, y, wide, high in places(count, columns, area):
        edge = x + wide - (gap if x + wide < area[0] else 0)
        under = y + high - (gap if y + high < area[1] else 0)
        margins.append((left + x, top + y, size[0] - left - edge, size[1] - top - under))
    return tuple(margins)


def results_area(ui: Ui) -> tuple[float, float, float, float]:
    """Left, top, width and height of the results below the pictures, without the plates beside them [px]; height 0
    without room for them."""
    left, _, right, _ = ui.window.inset
    right += ui.window.band + beside_results(ui)
    return left, ui.window.size[1] - insets(ui)[-1][3], ui.window.size[0] - left - right, foot(ui)


def run_at(ui: Ui, x: float, y: float) -> int | None:
    """Number of the run whose picture is at this pixel of the window; None if there is none."""
    for number, (left, top, right, bottom) in enumerate(insets(ui) if len(ui.beside.runs) > 1 else ()):
        if left <= x < ui.window.size[0] - right and top <= y < ui.window.size[1] - bottom:
            return number
    return None
