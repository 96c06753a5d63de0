"""View: quantity shown by the colours, switches of the draw passes, direction of view and cut."""

from __future__ import annotations

import math

from imgui_bundle import imgui
from repose.app.render.colours import AUTOMATIC, COLOUR_MAPS, COLOURINGS, offered, shown_as
from repose.app.render.cutaway import AXES
from repose.app.render.field_picture import COMPONENTS
from repose.app.render.fringes import CHOICE as PHOTOELASTIC
from repose.app.render.orbit import VIEWS
from repose.app.render.passes import all_switches
from repose.app.render.passes.stress_colours import STRESS_FIELD
from repose.app.render.text import si
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, checkbox, choose, slide, tooltip, with_key
from repose.sim import registry
from repose.sim.message import EMPTY, Message, Number, _, joined, plain

LOOKS_OF_GRAINS = {"photoelastic": _("photoelastic"), "sand": _("sand"), "clay": _("clay"), "plain": _("plain")}
"""Titles of the looks, which show no quantity."""

NARROWEST, WIDEST = 0.5, 5.0
"""Range of the width of the stress field [mean diameters]."""
LOOKS = {"front": _("Front"), "side": _("Side"), "top": _("Top"), "three-quarter": _("Oblique")}
"""Labels of the directions of view."""
CHOSEN = 4e-10
"""First stress-optic coefficient that does not follow from the forces [1/Pa]."""
CUTS = {"": _("nothing"), "x": _("across x"), "y": _("across y"), "z": _("across z")}
"""Choices of the cut, by the name in `View.cut_axis`."""


def colour_titles() -> dict[str, Message]:
    """The choices of colours by name, in the order of the list."""
    quantities = {name: colour.title for name, colour in registry.records("colours").items()}
    titles = {AUTOMATIC: _("automatic"), **quantities, **LOOKS_OF_GRAINS}
    return {name: titles[name] for name in COLOURINGS}


def draw(ui: Ui) -> None:
    """Choices of the picture; they do not change the run."""
    view = ui.view
    gap = imgui.get_style().item_spacing.x
    third = (imgui.get_content_region_avail().x - gap) / 3
    imgui.begin_child("colour", imgui.ImVec2(2 * third, imgui.get_frame_height()), imgui.ChildFlags_.nav_flattened)
    in_space = ui.snapshot.grains.position.shape[1] == 3
    titles = colour_titles() | ({PHOTOELASTIC: _("forces inside")} if in_space else {})
    # A colour that this scene cannot show is not offered; if it was chosen before, the list names the shown one.
    choices = {name: titles[name] for name in offered(ui.snapshot)}
    chosen = view.colour_by if view.colour_by in choices else shown_as(view.colour_by, ui.snapshot)
    colour = choose(ui, "view.colour", _("Colour"), choices, chosen)
    imgui.end_child()
    imgui.same_line()
    table = choose(ui, "view.map", EMPTY, {name: plain(name) for name in COLOUR_MAPS}, view.colour_map)
    if colour is not None:
        view.colour_by = colour
    if table is not None:
        view.colour_map = table
    if shown_as(view.colour_by, ui.snapshot) == PHOTOELASTIC and not in_space:
        _draw_photoelastic(ui)
    _draw_switches(ui)
    if STRESS_FIELD.is_on(view) and STRESS_FIELD.applies(ui.snapshot):
        _draw_stress(ui)
    if button(
        ui,
        "view.frame",
        _("Follow the grains"),
        hint=_("Home"),
        help=_("Move and zoom so that the grains fill the picture."),
    ):
        ui.control.actions["frame_all"]()
    if in_space:
        _draw_space(ui)


def _draw_photoelastic(ui: Ui) -> None:
    """The light, and the stress-optic coefficient, unless it follows from the forces."""
    view, half = ui.view, imgui.get_content_region_avail().x / 2
    start, width = imgui.get_cursor_pos_x(), half - imgui.get_style().item_spacing.x
    help = _("The number of fringes follows from the forces in the picture. Off: choose the stress-optic coefficient.")
    follows = checkbox(ui, "view.stress_follows", _("Auto fringes"), not view.stress_optic, help, width)
    if follows == bool(view.stress_optic):
        view.stress_optic = 0.0 if follows else CHOSEN
    imgui.same_line(start + half)
    help = _("Coloured fringes of white light; otherwise dark and bright ones of the wavelength 550 nm.")
    white = checkbox(ui, "view.white_light", _("White light"), view.white_light, help, width)
    if white != view.white_light:
        view.white_light = white
    if not view.stress_optic:
        return
    low, decades = 1e-11, 5.0
    coefficient = joined(("C", Number(view.stress_optic, format=".2g")), " = ")
    where = math.log10(view.stress_optic / low) / decades
    moved = slide(
        ui,
        "view.stress_optic",
        (Message("{coefficient} 1/Pa", coefficient=coefficient), coefficient),
        where,
        step=0.02,
    )
    tooltip(
        ui, _("Stress-optic coefficient: one fringe more for every λ/C in the difference of the principal stresses.")
    )
    if moved is not None:
        view.stress_optic = float(f"{low * 10.0 ** (decades * moved):.3g}")


def _draw_stress(ui: Ui) -> None:
    """Component of the stress field, and the width over which it is smoothed."""
    view, wide = ui.view, imgui.get_content_region_avail().x
    imgui.begin_child("stress", imgui.ImVec2(0.55 * wide, imgui.get_frame_height()), imgui.ChildFlags_.nav_flattened)
    names = {name: component.title for name, component in COMPONENTS.items()}
    component = choose(ui, "view.stress_component", _("Stress"), names, view.stress_component)
    imgui.end_child()
    if component is not None:
        view.stress_component = component
    imgui.same_line()
    low, high = NARROWEST, WIDEST
    where = math.log(view.stress_width / low) / math.log(high / low)
    number = Number(view.stress_width, format=".2g")
    texts = (
        Message("width {number} diameters", number=number),
        Message("{number} diameters", number=number),
        joined((number, "d"), " "),
    )
    moved = slide(ui, "view.stress_width", texts, where, step=0.05)
    tooltip(
        ui,
        _(
            "Smoothing width of the stress (standard deviation, in mean diameters). Narrow: single contacts; wide: "
            "the stress of a continuum."
        ),
    )
    if moved is not None:
        view.stress_width = float(f"{low * (high / low) ** moved:.2g}")


def _draw_space(ui: Ui) -> None:
    """Direction of view, and the plane of the cut."""
    view, gap = ui.view, imgui.get_style().item_spacing.x
    width = (imgui.get_content_region_avail().x - 3 * gap) / 4
    for number, name in enumerate(VIEWS, start=1):
        if number > 1:
            imgui.same_line()
        help = _("Turn the scene to this view.")
        if button(ui, f"view.look_{name}", LOOKS[name], hint=str(number), help=help, width=width):
            ui.control.actions[f"look_{name}"]()
    imgui.begin_child("cut", imgui.ImVec2(2 * width + gap, imgui.get_frame_height()), imgui.ChildFlags_.nav_flattened)
    axis = choose(ui, "view.cut", _("Cut"), CUTS, view.cut_axis)
    imgui.end_child()
    if axis is not None:
        view.cut_axis = axis
    imgui.same_line()
    if view.cut_axis not in AXES:
        imgui.dummy(imgui.ImVec2(2 * width + gap, imgui.get_frame_height()))
        return
    along = AXES.index(view.cut_axis)
    low, high = ui.snapshot.geometry.box[0][along], ui.snapshot.geometry.box[1][along]
    position = si(low + view.cut_position * (high - low), "m")
    moved = slide(
        ui, "view.cut_position", (joined((view.cut_axis, position), " = "), position), view.cut_position, step=0.02
    )
    if moved is not None:
        view.cut_position = moved


def _draw_switches(ui: Ui) -> None:
    half = imgui.get_content_region_avail().x / 2
    start, width = imgui.get_cursor_pos_x(), half - imgui.get_style().item_spacing.x
    shown = [switch for switch in all_switches() if switch.applies(ui.snapshot)]
    for index, switch in enumerate(shown):
        if index % 2:
            imgui.same_line(start + half)
        help, on = with_key(switch.help, switch.key), switch.is_on(ui.view)
        switch.set(ui.view, checkbox(ui, f"view.show_{switch.name}", switch.label, on, help, width))
    if len(shown) % 2:
        imgui.same_line(start + half)
    help = _(
        "The colour range adapts to the values. Off: it stays the same during a run, so that a colour always means the "
        "same value."
    )
    follows = checkbox(ui, "view.range_follows", _("Auto range"), ui.view.range_follows, help, width)
    if follows != ui.view.range_follows:
        ui.view.range_follows = follows


def colour_by_next(ui: Ui) -> None:
    """Colour the grains by the next quantity or look that is not shown already."""
    names = offered(ui.snapshot)
    at = names.index(ui.view.colour_by) if ui.view.colour_by in names else -1
    shown = shown_as(ui.view.colour_by, ui.snapshot)
    later = (names[(at + step) % len(names)] for step in range(1, len(names)))
    ui.view.colour_by = next(name for name in later if shown_as(name, ui.snapshot) != shown)


KEYS = (
    Key("next_colour", plain("C"), _("colour by the next quantity"), _("Picture"), colour_by_next, characters="cC"),
)
PANEL = Panel("view", _("View"), 30, "tools", draw, keys=KEYS)
