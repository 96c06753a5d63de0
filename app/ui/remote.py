"""The remote of the lecturer: what it shows of the window, and its actions, which act as the window's buttons do."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from repose.app.render.pacing import clock_text, describe_speed
from repose.app.ui import replay_control
from repose.app.ui.field_values import position, value_at
from repose.app.ui.lecture_mode import wish
from repose.app.ui.panels.presentation import shown_parameters
from repose.app.ui.pause_and_speed import SPEEDS
from repose.app.ui.questions import answer, open_question, request
from repose.app.ui.scene_actions import act, as_offered
from repose.app.ui.toasts import Toasts, show_toast
from repose.app.ui.ui import Ui
from repose.sim.choices import choice_name
from repose.sim.message import EMPTY, Message, _
from repose.sim.parameter_curves import is_curve
from repose.sim.parameters import Parameter, Value

LIVE = ("now", "ramp")
"""Effects of parameters that follow the slider of the remote while it is moved; others wait for its release."""
YES_NO = {"true": True, "false": False}


def state(ui: Ui, since: float) -> dict[str, Any]:
    """What the remote shows, with messages. Elapsed is the time of the lecture, or the time since `since` [s, clock of
    `time.monotonic`]."""
    mode, snapshot, transport = ui.mode.lecture, ui.snapshot, ui.control.transport
    step, question, toasts = None, open_question(ui), ui.states[Toasts].shown
    title: Message | str = ui.work.preset_library.title(snapshot.run.scene)
    if mode.on and mode.lecture is not None:
        steps = mode.lecture.steps
        following = mode.text(steps[mode.number + 1].title) if mode.number + 1 < len(steps) else ""
        step = {
            "number": mode.number + 1,
            "count": len(steps),
            "title": mode.text(mode.step.title),
            "next": following,
        }
        title = mode.text(mode.lecture.title)
    minutes, seconds = divmod(int(time.monotonic() - (mode.began if mode.on else since)), 60)
    return {
        "title": title,
        "step": step,
        "offered": mode.lecture is not None and not mode.on,
        "notes": mode.text(mode.step.notes) if mode.on else "",
        "elapsed": f"{minutes}:{seconds:02d}",
        "clock": clock_text(snapshot),
        "phase": snapshot.run.phase_label,
        "question": None if question is None else {"text": question.text, "yes": question.yes},
        "paused": transport.paused,
        "speed": transport.index,
        "speeds": [describe_speed(None if speed is None else speed * snapshot.run.time_scale) for speed in SPEEDS],
        "actions": [
            {
                "name": entry.name,
                "label": entry.label,
                "help": entry.help if entry.enabled else entry.obstacle or entry.help,
                "enabled": entry.enabled,
            }
            for entry in as_offered(ui)
        ],
        "parameters": [_row(ui, parameter) for parameter in _parameters(ui).values()],
        "said": toasts[-1].text if toasts else EMPTY,
        "bad": bool(toasts) and toasts[-1].bad,
    }


def carry_out(ui: Ui, action: Mapping[str, Any], show_answers: Callable[[bool], None]) -> None:
    """Carry out an action of the remote as the button of the window does; one that the window does not offer does
    nothing, and the window says so."""
    value, name = action.get("value"), action.get("name")
    match action["do"]:
        case "next":
            wish(ui, "forward")
        case "back":
            wish(ui, "back")
        case "begin":
            wish(ui, "begin")
        case "pause" if isinstance(value, bool):
            if ui.states[replay_control.Replay].on:
                replay_control.stop(ui)
            else:
                ui.control.transport.pause(value)
        case "speed" if type(value) is int and 0 <= value < len(SPEEDS):
            ui.control.transport.choose(value)
        case "act":
            offered = next((entry for entry in as_offered(ui) if entry.name == name), None)
            if offered is not None and offered.enabled:
                act(ui, offered)
            else:
                show_toast(ui, (offered.obstacle if offered is not None else EMPTY) or NOT_NOW, bad=True)
        case "set":
            _set(ui, _parameters(ui).get(str(name)), value, action.get("drag"))
        case "answers" if isinstance(value, bool):
            show_answers(value)
        case "yes" | "no" if open_question(ui) is not None:
            answer(ui, action["do"] == "yes")
        case _:
            show_toast(ui, NOT_NOW, bad=True)


@dataclass
class Drags:
    """The drag on a slider of the remote."""

    latest: Any = None
    """The number that the page gives the drag."""


NOT_NOW = _("The remote has asked for something that is not possible now.")


def _parameters(ui: Ui) -> dict[str, Parameter]:
    """The parameters that the remote can change, in the units in which they are shown: those of the presentation, or of
    the step of the lecture."""
    parameters = ui.control.edits.parameters
    if parameters is None:
        return {}
    in_units = parameters.in_units()
    chosen = (in_units.get(entry.name, entry) for entry in shown_parameters(ui))
    return {entry.name: entry for entry in chosen if entry.kind in ("bool", "choice") or _has_slider(entry)}


def _has_slider(parameter: Parameter) -> bool:
    number = parameter.kind in ("float", "int") and not parameter.choices
    return number and parameter.low is not None and parameter.high is not None


def _row(ui: Ui, parameter: Parameter) -> dict[str, Any]:
    edits, quantity = ui.control.edits, parameter.quantity
    value, given = edits.value(parameter.name), edits.given(parameter.name)
    slides = _has_slider(parameter)
    words = {"bool": tuple(YES_NO), "choice": parameter.choices}.get(parameter.kind, ())
    low, high = parameter.low, parameter.high
    return {
        "name": parameter.name,
        "label": quantity.label,
        "help": parameter.help,
        "slides": slides,
        "live": quantity.effect in LIVE,
        "position": position(parameter, float(value)) if slides else 0.0,
        "value": str(value).lower() if isinstance(value, bool) else str(value),
        "shown": parameter.shown(given if is_curve(given) else value),
        "ends": [parameter.shown(low), parameter.shown(high)] if low is not None and high is not None else [],
        "choices": [
            {"value": word, "label": parameter.shown(YES_NO[word]) if word in YES_NO else choice_name(word)}
            for word in words
        ],
        "refused": edits.refusals.get(parameter.name, EMPTY),
    }


def _set(ui: Ui, parameter: Parameter | None, given: Any, drag: Any) -> None:
    """Request the value at a position of the slider, or a choice; edits with the same `drag` are undone together."""
    value: Value | None = None
    if parameter is not None and _has_slider(parameter):
        if type(given) in (int, float) and 0.0 <= given <= 1.0:
            value = value_at(parameter, float(given))
    elif parameter is not None and isinstance(given, str):
        value = YES_NO.get(given) if parameter.kind == "bool" else given if given in parameter.choices else None
    if parameter is None or value is None:
        show_toast(ui, NOT_NOW, bad=True)
        return
    drags = ui.states[Drags]
    if drag != drags.latest:
        drags.latest = drag
        ui.control.edits.begin_gesture()
    request(ui, parameter, value, ("remote", parameter.name))
