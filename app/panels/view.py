"""View: what the colours mean, what is drawn over the grains, theme and text size."""

from __future__ import annotations

from imgui_bundle import imgui

from app.panels import Panel, Ui
from app.theme import PALETTES
from app.view import COLOUR_MAPS
from app.widgets import button, checkbox, choose

COLOURS = {
    "speed": "speed",
    "force": "contact force",
    "coordination": "contacts",
    "size": "radius",
    "layer": "layer of origin",
    "plain": "plain",
}


def draw(ui: Ui) -> None:
    """Choices of the picture; they change nothing in the run."""
    view, choices = ui.view, ui.settings.choices
    colour = choose(ui, "view.colour", "Colour by", COLOURS, view.colour_by)
    if colour is not None:
        view.colour_by = choices.colour_by = colour
    table = choose(ui, "view.map", "Colours", dict(zip(COLOUR_MAPS, COLOUR_MAPS)), view.colour_map)
    if table is not None:
        view.colour_map = choices.colour_map = table
    _draw_overlays(ui)
    _draw_theme(ui)
    if button(
        ui, "view.frame", "See everything", hint="Home", help="Move and zoom so that the whole scene is in view."
    ):
        ui.deeds["frame_all"]()


def _draw_overlays(ui: Ui) -> None:
    view, choices = ui.view, ui.settings.choices
    half = imgui.get_content_region_avail().x / 2
    ticks = (
        ("show_force_chains", "Force chains", "Lines along contacts, as wide as the force is large.  Key L"),
        ("show_measurement", "Measured slope", "Fitted line, its angle, and the grains used, marked."),
        ("show_scale_bar", "Scale bar", "A length to compare with."),
        ("show_legend", "Legend", "What the colours mean, in numbers."),
        ("show_box", "Container", "Outline of the container."),
    )
    start = imgui.get_cursor_pos_x()
    for index, (name, label, help) in enumerate(ticks):
        if index % 2:
            imgui.same_line(start + half)
        value = checkbox(ui, f"view.{name}", label, getattr(view, name), help)
        setattr(view, name, value)
        if getattr(choices, name) != value:
            setattr(choices, name, value)


def _draw_theme(ui: Ui) -> None:
    choices = ui.settings.choices
    gap = imgui.get_style().item_spacing.x
    third = (imgui.get_content_region_avail().x - 2 * gap) / 3
    for index, name in enumerate(PALETTES):
        if index:
            imgui.same_line()
        chosen = choices.theme == name
        help = "White, strong contrasts and larger text, for a lecture room." if name == "projector" else ""
        emphasis = ui.palette.accent if chosen else None
        if button(ui, f"view.theme.{name}", name.capitalize(), width=third, emphasis=emphasis, help=help):
            choices.theme = name
    imgui.set_next_item_width(-1)
    percent = round(choices.font_scale * 100)
    _, percent = imgui.slider_int("##text", percent, 60, 200, "text size %d %%", imgui.SliderFlags_.no_input)
    ui.probe.mark("view.text")
    ui.memory["font_scale"] = min(max(percent, 60), 200) / 100
    if not imgui.is_item_active() and ui.memory["font_scale"] != choices.font_scale:
        choices.font_scale = ui.memory["font_scale"]


PANEL = Panel("view", "View", 30, "right", draw, group="tools")
