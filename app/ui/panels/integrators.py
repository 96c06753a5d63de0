"""Integrators: the energy error of the same collision over the time step, with the stability limit of each scheme."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pygame
from imgui_bundle import imgui
from repose.app.figure import Figure, FigureAxis, Trace
from repose.app.language import translated
from repose.app.render.colours import of_category
from repose.app.render.text import draw_symbol, note, symbol_width, text_width
from repose.app.render.theme import vector
from repose.app.ui.keys import Key
from repose.app.ui.over_picture import begin_over_picture
from repose.app.ui.panels import Panel
from repose.app.ui.picture_areas import planned, possible, start
from repose.app.ui.plot_area import AxisRoom, draw_figure
from repose.app.ui.questions import replace_run
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, button_width, checkbox, slide, tooltip
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.message import EMPTY, Message, Number, _, formatted, plain
from repose.sim.registry import integrators
from repose.sim.study.integrator_errors import TYPICAL, Errors, collision_errors, error_at

LOWEST, STEP = 0.3, 0.05
"""Lowest restitution of the slider, and its step [-]."""
SHARES, LOW, HIGH = (3e-3, 1.2), 1e-6, 10.0
"""Ends of the axes of the time step and of the error [-]."""
WATCHED = ("gear5", "leapfrog", "velocity_verlet", "rk4")
"""Integrators that are shown side by side."""
DASHES = 20
"""Pieces of a dashed line."""
TABLE, PLOT = 0.45, 18.0
"""Fraction of the height for a table below the plot [-]; least width of a plot beside the table [font sizes]."""
HEAD = _("integrator"), _("error at t_c/20"), _("limit Δt/t_c")
"""Heads of the columns of the table."""
SAMPLE = "0.00e-00 %"
"""As wide as any number of the table."""


@dataclass
class CollisionChoice:
    """The collision that the integrators compute."""

    restitution: float = 1.0
    """[-]."""
    oblique: bool = False
    """Whether it is oblique, with spin."""
    errors: dict[tuple[float, bool, str], Errors] = field(default_factory=dict)
    """The errors computed so far, by restitution, `oblique` and name of the integrator."""


def draw(ui: Ui) -> None:
    """A window over the picture between the panels."""
    if ui.mode.overlay != PANEL.name:
        return
    size = begin_over_picture(ui, "integrators")
    if size is None:
        return
    errors = compute(ui, *_draw_head(ui))
    room = imgui.get_content_region_avail()
    left = room.x - table_width() - imgui.get_style().item_spacing.x
    beside = left >= PLOT * imgui.get_font_size()
    plot = imgui.ImVec2(left, room.y) if beside else imgui.ImVec2(room.x, (1.0 - TABLE) * room.y)
    imgui.begin_child("plot", plot, imgui.ChildFlags_.nav_flattened)
    _draw_plot(ui, errors)
    imgui.end_child()
    if beside:
        imgui.same_line()
    imgui.begin_child("table", imgui.ImVec2(0.0, room.y), imgui.ChildFlags_.nav_flattened)
    _draw_table(ui, errors)
    imgui.end_child()
    imgui.end()


def table_width() -> float:
    """Width at which no column of the table is cut [px]."""
    titles = max(text_width(scheme.title) for scheme in integrators().values())
    columns = (max(symbol_width(head), body) for head, body in zip(HEAD, (titles, *2 * (text_width(SAMPLE),))))
    return sum(columns) + 2.0 * len(HEAD) * imgui.get_style().cell_padding.x + imgui.get_style().scrollbar_size


def compute(ui: Ui, restitution: float, oblique: bool) -> dict[str, Errors]:
    """The errors of the integrators in this collision, so far; each call computes one more, so that no frame is
    late."""
    computed = ui.states[CollisionChoice].errors
    wanted = {name: (restitution, oblique, name) for name in integrators()}
    missing = next((name for name, key in wanted.items() if key not in computed), None)
    if missing is not None:
        computed[wanted[missing]] = collision_errors(integrators()[missing], restitution, oblique)
    return {name: computed[key] for name, key in wanted.items() if key in computed}


def own_share(ui: Ui) -> float:
    """Time step of the run over the duration of its stiffest contact now, without damping [-]; 0 if there is none."""
    return ui.snapshot.stability.omega_dt / math.pi


def _draw_head(ui: Ui) -> tuple[float, bool]:
    """Title, the collision, and the buttons; returns the restitution, and whether the collision is oblique."""
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(translated(_("Integrators")))
    imgui.same_line()
    choice = ui.states[CollisionChoice]
    restitution = choice.restitution
    steps = round((1.0 - LOWEST) / STEP)
    help = _("The two spheres also spin and stick to each other while they touch; otherwise they meet head-on.")
    choice.oblique = checkbox(ui, "integrators.oblique", _("oblique, with spin"), choice.oblique, help)
    imgui.same_line()
    watch, close = button_width(_("Watch side by side")), button_width(_("Close"), "F10")
    gap = imgui.get_style().item_spacing.x
    free = imgui.get_content_region_avail().x - watch - close - 2.0 * gap
    where = slide(
        ui,
        "integrators.restitution",
        (
            Message("restitution e = {restitution}", restitution=Number(restitution, format=".2f")),
            formatted(restitution, ".2f"),
        ),
        (restitution - LOWEST) / (1.0 - LOWEST),
        max(min(16.0 * imgui.get_font_size(), free), 1.0),
        step=1.0 / steps,
    )
    tooltip(ui, _("Restitution of this test collision: two spheres, linear spring and dashpot. 1 is elastic."))
    if where is not None:
        choice.restitution = round(LOWEST + round(where * steps) * STEP, 2)
    imgui.same_line()
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + imgui.get_content_region_avail().x - watch - close - gap)
    parameters = parameters_of(ui.snapshot.run)
    able = parameters is not None and "integrator" in possible(parameters)
    help = _("Start the experiment of the window anew with four integrators side by side.")
    if button(ui, "integrators.watch", _("Watch side by side"), width=watch, enabled=able, help=help):
        watch_side_by_side(ui)
    imgui.same_line()
    if button(ui, "integrators.close", _("Close"), hint="F10", width=close):
        ui.mode.overlay = ""
    note(
        _(
            "Error of the energy after one collision, against the time step in contact durations, for every "
            "integrator. Dashed: the largest stable step. A contact begins and ends within a step, which limits "
            "all of them to second order; with damping or in an oblique impact, to first."
        ),
        ui.palette.muted,
    )
    note(
        _("Runge-Kutta and Gear also change the energy of contacts that last. Leap-frog and velocity Verlet keep it."),
        ui.palette.muted,
    )
    return choice.restitution, choice.oblique


def watch_side_by_side(ui: Ui) -> None:
    """Start the present experiment anew with the integrators that differ most."""
    parameters = parameters_of(ui.snapshot.run)
    if parameters is not None:
        over = possible(parameters)["integrator"]
        command = planned(ui, parameters, over, ", ".join(name for name in WATCHED if name in over.choices))
        if isinstance(command, Message):
            show_toast(ui, command, bad=True)
            return
        replace_run(ui, _("Start four integrators side by side?"), _("Start"), partial(start, ui, command))


def _draw_plot(ui: Ui, errors_of: dict[str, Errors]) -> None:
    imgui.text_colored(vector(ui.palette.muted), translated(_("relative error of the energy after the collision")))
    size = imgui.get_content_region_avail()
    line = imgui.get_text_line_height()
    x = FigureAxis(_("time step / contact duration"), *SHARES, log=True)
    figure = Figure(x, FigureAxis(EMPTY, LOW, HIGH, log=True), tuple(_series(ui, errors_of)))
    rooms = AxisRoom(size.x - 4.0 * line, translated(x.label)), AxisRoom(size.y - 3.0 * line)
    draw_figure("##integrators", size, figure, rooms, ui.window.scale)
    ui.probe.mark("integrators.plot")


def _series(ui: Ui, errors_of: dict[str, Errors]) -> Iterator[Trace]:
    """The error of every integrator, a dashed line at its limit, and a line at the time step of the run."""
    for number, (name, errors) in enumerate(errors_of.items()):
        colour = of_category(number)
        shown = np.isfinite(errors.errors) & (errors.errors > 0.0)
        yield Trace(plain(name), errors.shares[shown], errors.errors[shown], colour, 2.0)
        for dash in np.geomspace(LOW, HIGH, 2 * DASHES).reshape(DASHES, 2):
            yield Trace(EMPTY, np.full(2, errors.limit), dash, colour, 1.2)
    if own_share(ui) > 0.0:
        yield Trace(EMPTY, np.full(2, own_share(ui)), np.array([LOW, HIGH]), ui.palette.text, 1.0)


def _draw_table(ui: Ui, errors_of: dict[str, Errors]) -> None:
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_fixed_fit
    if not imgui.begin_table("##schemes", 3, flags):
        return
    for words in HEAD:
        imgui.table_next_column()
        at = imgui.get_cursor_screen_pos()
        imgui.dummy(imgui.ImVec2(symbol_width(words), imgui.get_text_line_height()))
        ui.probe.mark(f"integrators.{words}")
        draw_symbol(at.x, at.y, words, ui.palette.muted)
    for number, (name, errors) in enumerate(errors_of.items()):
        scheme = integrators()[name]
        imgui.table_next_column()
        imgui.text_colored(vector(of_category(number)), translated(scheme.title))
        imgui.table_next_column()
        imgui.text_unformatted(translated(formatted(100 * error_at(errors, TYPICAL), ".3g", "%")))
        imgui.table_next_column()
        imgui.text_unformatted(translated(formatted(errors.limit, ".3g")))
    imgui.end_table()
    if own_share(ui) > 0.0:
        imgui.dummy(imgui.ImVec2(0.0, 0.5 * imgui.get_text_line_height()))
        note(
            Message(
                "White: the run in the window, Δt/t_c = {ui} at its stiffest contact.",
                ui=Number(own_share(ui), format=".3g"),
            ),
            ui.palette.text,
        )


def toggle(ui: Ui) -> None:
    """Open the panel, or close it."""
    ui.mode.overlay = "" if ui.mode.overlay == PANEL.name else PANEL.name


KEYS = (
    Key(
        "integrators",
        plain("F10"),
        _("integrators: energy error of a collision"),
        _("Window"),
        toggle,
        codes=(pygame.K_F10,),
    ),
)
PANEL = Panel("integrators", _("Integrators"), 73, "over", draw, keys=KEYS)
