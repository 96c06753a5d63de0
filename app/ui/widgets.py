"""Widgets that several panels use: buttons with key hints, sliders, lists, headings that fold, tooltips."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import (
    RAISED,
    SMALL,
    draw_symbol,
    draw_text,
    shortened,
    symbol_width,
    text_width,
)
from repose.app.render.theme import OPACITY_HOVERED, OPACITY_PRESSED, Colour, colour32, vector
from repose.app.ui.explanation import (
    COLUMN_LINE,
    FOOT_LINE,
    MOST_LINES,
    Area,
    Explained,
    TooltipShape,
    cut,
    divided,
    place,
    quiet_areas,
)
from repose.app.ui.places import is_shown, toggle_section
from repose.app.ui.ui import Ui
from repose.sim.message import EMPTY, Message, _, joined, plain

MIDDLE_SIZE = 0.5 * (1.0 + SMALL)
"""Size between running text and the smallest text [-]."""
EARLIER = (imgui.Key.left_arrow, imgui.Key.down_arrow)
LATER = (imgui.Key.right_arrow, imgui.Key.up_arrow)

FURTHER = _("F1: more")
"""End of a tooltip whose text is longer."""
SMALLEST_SIZE = 0.7
"""Smallest size of a text that is made to fit, relative to running text, unless `LEAST_TEXT` is larger [-]."""


@dataclass
class WidgetState:
    """What sliders and rows of tabs remember."""

    selected: str = ""
    """Name of the slider that the arrow keys move; empty for none."""
    found_tabs: set[str] = field(default_factory=set)
    """Rows that have shown the tab of the settings."""


def slide(
    ui: Ui, name: str, texts: tuple[Message, ...], where: float, width: float = -1.0, step: float = 0.0
) -> float | None:
    """Draw a slider with the first of the texts that fits; returns the new position, 0 to 1, or None.

    With a `step` the keyboard can move it: Enter selects it, arrows move it, Enter or Esc ends.
    """
    size = imgui.ImVec2(imgui.get_content_region_avail().x if width < 0 else width, imgui.get_frame_height())
    imgui.invisible_button(f"##{name}", size, imgui.ButtonFlags_.enable_nav if step else 0)
    ui.probe.mark(name)
    by_keys = _moved_by_keys(ui, name, where, step) if step else None
    low, pad = imgui.get_item_rect_min(), imgui.get_style().frame_padding
    draw_bar(ui, low, size, where)
    text = next((entry for entry in texts if text_width(entry) < size.x - pad.x), EMPTY)
    draw_text(low.x + (size.x - text_width(text)) / 2, low.y + pad.y, text, ui.palette.text)
    if ui.states[WidgetState].selected == name:
        _frame(ui, low, size)
        return by_keys
    return dragged(ui, low.x, size.x) if imgui.is_mouse_down(0) else None


def _moved_by_keys(ui: Ui, name: str, where: float, step: float) -> float | None:
    """New position of the slider just drawn, moved by the keyboard, 0 to 1, or None."""
    state = ui.states[WidgetState]
    selected = state.selected == name
    if selected and (not imgui.is_item_focused() or imgui.is_key_pressed(imgui.Key.escape) or imgui.is_mouse_down(0)):
        selected = False
        state.selected = ""
    elif imgui.is_item_activated() and not imgui.is_mouse_down(0):
        selected = not selected
        state.selected = name if selected else ""
    if not selected:
        return None
    for key in (*EARLIER, *LATER, imgui.Key.escape):
        imgui.internal.set_key_owner(key, imgui.get_item_id())  # otherwise the keys would move the focus
    moves = sum(imgui.is_key_pressed(key) for key in LATER) - sum(imgui.is_key_pressed(key) for key in EARLIER)
    return min(max(where + moves * step, 0.0), 1.0) if moves else None


def progress_with_words(ui: Ui, texts: tuple[Message, ...], share: float, width: float) -> None:
    """Draw the progress of work, 0 to 1, with the first of the texts that fits."""
    room = width - 2.0 * imgui.get_style().frame_padding.x
    words = next((text for text in texts if text_width(text) <= room), texts[-1])
    imgui.push_style_color(imgui.Col_.plot_histogram, vector(ui.palette.fill))  # on which the words can be read
    imgui.progress_bar(share, imgui.ImVec2(width, imgui.get_frame_height()), translated(words))
    imgui.pop_style_color()


def _frame(ui: Ui, low: imgui.ImVec2, size: imgui.ImVec2) -> None:
    """Show that the arrow keys move the slider."""
    high = imgui.ImVec2(low.x + size.x, low.y + size.y)
    rounding = imgui.get_style().frame_rounding
    imgui.get_window_draw_list().add_rect(
        low, high, colour32(ui.palette.accent), rounding, thickness=2.0 * ui.window.scale
    )


def draw_bar(ui: Ui, low: imgui.ImVec2, size: imgui.ImVec2, where: float, filled: bool = True) -> None:
    """The track of a slider up to `where`, 0 to 1, under the item just drawn."""
    draw, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
    high = imgui.ImVec2(low.x + size.x, low.y + size.y)
    hot = imgui.is_item_hovered() or imgui.is_item_active()
    ground = imgui.Col_.frame_bg_hovered if hot else imgui.Col_.frame_bg
    draw.add_rect_filled(low, high, imgui.get_color_u32(ground), rounding)
    edge = low.x + size.x * where
    if not filled:
        quiet = colour32(ui.palette.muted)
        draw.add_line(imgui.ImVec2(edge, low.y), imgui.ImVec2(edge, high.y), quiet, ui.window.scale)
        return
    draw.push_clip_rect(low, imgui.ImVec2(edge, high.y), True)
    draw.add_rect_filled(low, high, colour32(ui.palette.fill), rounding)
    draw.pop_clip_rect()
    grip = ui.window.scale
    at = min(max(edge, low.x + grip), high.x - grip)
    draw.add_rect_filled(imgui.ImVec2(at - grip, low.y), imgui.ImVec2(at + grip, high.y), colour32(ui.palette.accent))


def dragged(ui: Ui, left: float, width: float) -> float | None:
    """Position of the mouse that drags the item just drawn, 0 to 1, or None."""
    io = imgui.get_io()
    moved = imgui.is_item_active() and (io.mouse_delta.x or io.mouse_delta.y)
    if not (imgui.is_item_activated() or moved):
        return None
    # The ends are reached a few pixels before the edge, so that they are easy to hit.
    rim = 3.0 * ui.window.scale
    return min(max((io.mouse_pos.x - left - rim) / max(width - 2 * rim, 1.0), 0.0), 1.0)


def begin_tooltips(ui: Ui) -> None:
    """Forget what the last frame explained."""
    ui.states[Explained].text, ui.states[Explained].lines = EMPTY, ()


def tooltip(ui: Ui, text: Message, page: Message = EMPTY) -> None:
    """Explain the widget just drawn when the mouse has rested on it, until it is pressed: then its effect is looked at.

    The tooltip has at most two lines; F1 shows the `page`, or the whole text without one, in the meantime.
    """
    state, number = ui.states[Explained], imgui.get_item_id()
    hovered = imgui.is_item_hovered(imgui.HoveredFlags_.allow_when_disabled)
    if hovered:
        state.text = page or text
    if imgui.is_item_active():
        state.pressed = number
    elif state.pressed == number and not hovered:
        state.pressed = 0
    resting = imgui.HoveredFlags_.stationary | imgui.HoveredFlags_.delay_normal | imgui.HoveredFlags_.no_shared_delay
    quiet = ui.mode.help_open or (number and state.pressed == number)
    if quiet or not imgui.is_item_hovered(resting | imgui.HoveredFlags_.allow_when_disabled):
        return
    low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    draw_tooltip(ui, text, (low.x, low.y, high.x, high.y), page)


def draw_tooltip(ui: Ui, text: Message, widget: Area, page: Message = EMPTY) -> None:
    """Draw the explanation of what is in an area of the window; every tooltip of the window is drawn here. It covers
    neither grains nor the area; if the text or its page is longer than two lines, it ends with the key that shows it.
    """
    window, state, style = imgui.internal.get_current_window().root_window, ui.states[Explained], imgui.get_style()
    own = (window.pos.x, window.pos.y, window.pos.x + window.size.x, window.pos.y + window.size.y)
    # A window without a background lies over the picture, or in one of the other areas.
    areas = [] if window.flags & imgui.WindowFlags_.no_background else [own]
    areas += quiet_areas(ui)
    shapes = [_tooltip_shape(ui, text, page, area) for area in areas]
    mouse = imgui.get_io().mouse_pos
    pointer = min(max(mouse.x, widget[0]), widget[2]), min(max(mouse.y, widget[1]), widget[3])
    found = place(
        [(area, shape.size) for area, shape in zip(areas, shapes, strict=True)], widget, pointer, style.item_spacing.y
    )
    if found is None:  # panels are hidden
        whole = 0.0, 0.0, float(ui.window.size[0]), float(ui.window.size[1])
        shapes = [_tooltip_shape(ui, text, page, whole)]
        found = place([(whole, shapes[0].size)], widget, pointer, style.item_spacing.y)
    if found is None:
        return
    number, x, y = found
    lines, is_cut, (wide, high) = shapes[number]
    state.text, state.lines = page or text, tuple(lines)
    imgui.set_next_window_pos(imgui.ImVec2(x, y))
    imgui.set_next_window_size(imgui.ImVec2(wide, high))
    pad = _tooltip_padding(ui)
    imgui.push_style_var(imgui.StyleVar_.window_padding, pad)
    imgui.begin_tooltip()
    imgui.pop_style_var()
    start = imgui.get_cursor_screen_pos()
    for index, line in enumerate(lines):
        draw_symbol(start.x, start.y + index * imgui.get_text_line_height(), line, ui.palette.text, RAISED)
    if is_cut:
        end = x + wide - pad.x - text_width(FURTHER)
        draw_text(end, start.y + (len(lines) - 1) * imgui.get_text_line_height(), FURTHER, ui.palette.accent)
    imgui.end_tooltip()
    ui.probe.mark_area("tooltip", (x, y, x + wide, y + high))


def _tooltip_padding(ui: Ui) -> imgui.ImVec2:
    """Margin of a tooltip [px], also of widgets in a window without one."""
    return imgui.ImVec2(10.0 * ui.window.scale, 8.0 * ui.window.scale)


def _tooltip_shape(ui: Ui, text: Message, page: Message, area: Area) -> TooltipShape:
    """The tooltip as it is drawn in an area."""
    pad, bottom = _tooltip_padding(ui), ui.window.size[1] - ui.window.inset[3]
    longest = (FOOT_LINE if area[1] >= bottom else COLUMN_LINE) * imgui.get_font_size()
    room = min(longest, area[2] - area[0] - 2.0 * pad.x)
    measure = partial(symbol_width, scripts=RAISED)
    whole, hint = divided(translated(text), room, measure), text_width(FURTHER) + imgui.get_font_size()
    is_cut = len(whole) > MOST_LINES or (bool(page) and page != text)
    lines = whole[:MOST_LINES]
    if len(whole) > MOST_LINES or (is_cut and len(whole) == MOST_LINES and measure(whole[-1]) > room - hint):
        lines = cut([*whole, ""], MOST_LINES, room - hint, measure)
    wide = max(measure(line) + (hint if is_cut and line is lines[-1] else 0.0) for line in lines)
    high = len(lines) * imgui.get_text_line_height()
    return TooltipShape(lines, is_cut, (math.ceil(wide + 2.0 * pad.x), math.ceil(high + 2.0 * pad.y)))


def with_key(help: Message, key: str) -> Message:
    """A tooltip that ends with the equivalent key, if there is one."""
    return joined((help, Message("Key {key}", key=key)), "  ") if key else help


def button(
    ui: Ui,
    name: str,
    label: Message,
    *,
    hint: Message | str = "",
    help: Message = EMPTY,
    width: float = -1.0,
    enabled: bool = True,
    emphasis: Colour | None = None,
) -> bool:
    """Draw a button with its key at the right; returns True when pressed. `name` is the name in the probe."""
    size = imgui.ImVec2(imgui.get_content_region_avail().x if width < 0 else width, imgui.get_frame_height())
    colours = 0
    if emphasis is not None and enabled:
        imgui.push_style_color(imgui.Col_.button, vector(emphasis))
        imgui.push_style_color(imgui.Col_.button_hovered, vector(emphasis, OPACITY_HOVERED))
        imgui.push_style_color(imgui.Col_.button_active, vector(emphasis, OPACITY_PRESSED))
        colours = 3
    imgui.begin_disabled(not enabled)
    pressed = imgui.button(f"##{name}", size)
    imgui.end_disabled()
    imgui.pop_style_color(colours)
    ui.probe.mark(name)
    hovered = imgui.is_item_hovered()
    if help:
        tooltip(ui, help)
    low, pad = imgui.get_item_rect_min(), imgui.get_style().frame_padding
    ink = ui.palette.text if emphasis is None or not enabled else ui.palette.on_accent
    fade = 1.0 if enabled else imgui.get_style().disabled_alpha
    if hint and text_width(label, SMALLEST_SIZE) > size.x - text_width(hint, SMALL) - 1.5 * pad.x:
        hint = ""  # without room for both, the words say more; the help names the key
    hint_width = text_width(hint, SMALL)
    free = size.x - (hint_width + pad.x if hint else 0.0)
    share = 1.0 if RAISED.search(str(label)) else fitting_size(label, free - 0.5 * pad.x)
    if share < 1.0:
        words = shortened(label, free - 0.5 * pad.x, share)
        start = low.x + max((free - text_width(words, share)) / 2, pad.x * 0.5)
        draw_text(start, low.y + pad.y + imgui.get_font_size() * (1 - share) / 2, words, _faded(ink, fade), share)
    else:
        start = low.x + max((free - symbol_width(label, RAISED)) / 2, pad.x * 0.5)
        draw_symbol(start, low.y + pad.y, label, _faded(ink, fade), RAISED)
    if hint:
        lift = imgui.get_font_size() * (1 - SMALL) / 2
        # Muted words have too little contrast to the colour of a button under the mouse.
        quiet = ui.palette.muted if ink == ui.palette.text and not hovered else ink
        draw_text(low.x + size.x - hint_width - pad.x, low.y + pad.y + lift, hint, _faded(quiet, fade), SMALL)
    return pressed


MORE_HELP = _("Show everything of this part of the window, or only what is used most. F12 does so for all parts.")


def more_button(ui: Ui, section: str, width: float, label: Message = EMPTY, hint: Message | str = "") -> None:
    """Draw the button that shows or hides the further controls of a section, with its own label if there is one."""
    label = label or (_("Fewer") if is_shown(ui, section) else _("More"))
    if button(ui, section, label, hint=hint, width=width, help=MORE_HELP):
        toggle_section(ui, section)


def more_width(hint: Message | str = "") -> float:
    """Width of the button *More*, whatever its present label [px]."""
    return max(button_width(_("More"), hint), button_width(_("Fewer"), hint))


def widths(labels: tuple[Message, ...]) -> list[float]:
    """Widths of buttons side by side that fill the room [px]: equal, or by their labels if a label does not fit."""
    room = imgui.get_content_region_avail().x - (len(labels) - 1) * imgui.get_style().item_spacing.x
    least = imgui.get_style().frame_padding.x
    needed = [symbol_width(label, RAISED) + least for label in labels]
    equal = room / len(labels)
    if max(needed) <= equal:
        return [equal] * len(labels)
    spare = room - sum(needed)
    if spare < 0.0:  # labels that do not fit are written smaller
        return [width * room / sum(needed) for width in needed]
    return [width + spare / len(labels) for width in needed]


def button_width(label: Message, hint: Message | str = "") -> float:
    """Least width of a button that shows its label and its key [px]."""
    pad = imgui.get_style().frame_padding.x
    return symbol_width(label, RAISED) + 2.0 * pad + (text_width(hint, SMALL) + pad if hint else 0.0)


def row(left: Message, right: Message, ui: Ui, colour: Colour | None = None) -> None:
    """Draw a name at the left and its value at the right edge, on a second line if both do not fit into one; what is
    wider than a line has several."""
    room = imgui.get_content_region_avail().x
    imgui.push_text_wrap_pos(0.0)
    imgui.text_colored(vector(ui.palette.muted), translated(left))
    width = text_width(right)
    if text_width(left) + imgui.get_style().item_spacing.x + width <= room:
        imgui.same_line()
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(imgui.get_content_region_avail().x - width, 0.0))
    imgui.text_colored(vector(colour or ui.palette.text), translated(right))
    imgui.pop_text_wrap_pos()


def choose(
    ui: Ui,
    name: str,
    label: Message,
    options: Mapping[str, Message],
    current: str,
    help: Message = EMPTY,
    instead: Message = EMPTY,
) -> str | None:
    """Draw a drop-down list with its label at the left; returns the key that is chosen now, or None.

    `instead` is shown while `current` is none of the options.
    """
    chosen = None
    width = imgui.get_content_region_avail().x
    indent = text_width(label) + imgui.get_style().item_inner_spacing.x if label else 0.0
    if label:
        imgui.align_text_to_frame_padding()
        imgui.text_colored(vector(ui.palette.muted), translated(label))
        imgui.same_line(0.0, imgui.get_style().item_inner_spacing.x)
    imgui.set_next_item_width(width - indent)
    shown, pad = options.get(current) or instead or plain(current), imgui.get_style().frame_padding
    scripts = RAISED.search(str(shown)) is not None
    room = width - indent - imgui.get_frame_height() - 2.0 * pad.x
    size = fitting_size(shown, room)
    low = imgui.get_cursor_screen_pos()
    if imgui.begin_combo(
        f"##{name}", "" if scripts or size < 1.0 else translated(shown), imgui.ComboFlags_.height_largest
    ):
        for key, text in options.items():
            chosen = key if _entry(text, key, key == current) else chosen
            ui.probe.mark(f"{name}.{key}")
        imgui.end_combo()
    else:
        ui.probe.mark(name)
        if help:
            tooltip(ui, help)
    if scripts:
        draw_symbol(low.x + pad.x, low.y + pad.y, shown, ui.palette.text, RAISED)
    elif size < 1.0:
        lift = 0.5 * (1.0 - size) * imgui.get_font_size()
        draw_text(low.x + pad.x, low.y + pad.y + lift, shortened(shown, room, size), ui.palette.text, size)
    return chosen


def fitting_size(text: Message | str, room: float) -> float:
    """Size of a line of text that fits into `room` [px], relative to running text: 1, or smaller down to
    `SMALLEST_SIZE`."""
    return next((size for size in (1.0, MIDDLE_SIZE, SMALL) if text_width(text, size) <= room), SMALLEST_SIZE)


def _entry(text: Message, key: str, current: bool) -> bool:
    """Draw one line of a list, with the scripts of its symbols; returns True when it is chosen."""
    if not RAISED.search(str(text)):
        return bool(imgui.selectable(f"{translated(text)}###{key or text}", current)[0])
    low, ink = imgui.get_cursor_screen_pos(), imgui.get_style_color_vec4(imgui.Col_.text)
    chosen = bool(imgui.selectable(f"##{key}", current)[0])
    draw_symbol(low.x, low.y, text, (ink.x, ink.y, ink.z, ink.w), RAISED)
    return chosen


def choose_tab(ui: Ui, group: str, titles: Mapping[str, Message], padding: float, section: str = "") -> str | None:
    """Draw a row of tabs with titles by name; returns the name of the shown tab, which is stored in the settings.

    `padding` is the room beside a title [px at scale 1]. Titles are not cut: if they do not fit, the row scrolls, and a
    list has all of them. A `section` of the window has its button *More* at the end.
    """
    style, chosen = imgui.get_style(), None
    # The row is laid out with these paddings at its first tab.
    imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(padding * ui.window.scale, style.frame_padding.y))
    imgui.push_style_var(imgui.StyleVar_.item_inner_spacing, imgui.ImVec2(ui.window.scale, style.item_inner_spacing.y))
    further = plain("«") if section and is_shown(ui, section) else _("More")
    named = [*titles.values(), *([further] if section else [])]
    wide = sum(text_width(title) + (2.0 * padding + 1.0) * ui.window.scale for title in named)
    flags = imgui.TabBarFlags_.fitting_policy_scroll
    if wide > imgui.get_content_region_avail().x:
        flags |= imgui.TabBarFlags_.tab_list_popup_button
    if imgui.begin_tab_bar(group, flags):
        for name, title in titles.items():
            if _tab(ui, group, name, title):
                chosen = name
                imgui.end_tab_item()
        if section:
            if imgui.tab_item_button(f"{translated(further)}###{section}", imgui.TabItemFlags_.trailing):
                toggle_section(ui, section)
            ui.probe.mark(section)
            tooltip(ui, MORE_HELP)
        imgui.end_tab_bar()
    imgui.pop_style_var(2)
    return chosen


def _tab(ui: Ui, group: str, name: str, title: Message) -> bool:
    """Draw a tab; returns whether its row shows this tab."""
    tabs, shown_tabs = ui.settings.choices.tabs, ui.states[WidgetState].found_tabs
    flags = 0
    if tabs.get(group) == name and group not in shown_tabs:
        flags = imgui.TabItemFlags_.set_selected
        shown_tabs.add(group)
    shown, __ = imgui.begin_tab_item(f"{translated(title)}###{name}", None, flags)
    ui.probe.mark(f"{group}.{name}")
    if imgui.is_item_activated() and tabs.get(group) != name:
        ui.settings.choices.tabs = {**tabs, group: name}
        shown_tabs.add(group)
    return bool(shown)


def bring_forward(ui: Ui, group: str, name: str) -> None:
    """Show the tab `name` of a row, if the row has such a tab."""
    ui.settings.choices.tabs = {**ui.settings.choices.tabs, group: name}
    ui.states[WidgetState].found_tabs.discard(group)


def foldable(ui: Ui, name: str, open_at_start: bool, draw: Callable[[], bool]) -> bool:
    """Whether the heading that `draw` draws is unfolded; stored in the settings."""
    unfolded = ui.settings.choices.unfolded
    before = unfolded.get(name, open_at_start)
    imgui.set_next_item_open(before, imgui.Cond_.once)
    now = draw()
    ui.probe.mark(name)
    if now != before:
        ui.settings.choices.unfolded = {**unfolded, name: now}
    return now


def right_clicked() -> bool:
    """Whether the widget just drawn, under the mouse, was right-clicked; keyboard focus does not count."""
    return imgui.is_item_hovered(imgui.HoveredFlags_.no_nav_override) and imgui.is_mouse_clicked(1)


def checkbox(ui: Ui, name: str, label: Message, value: bool, help: Message = EMPTY, width: float = math.inf) -> bool:
    """Draw a tick box, with a smaller label if it is wider than `width` [px]; returns the value of the box."""
    style = imgui.get_style()
    size = fitting_size(label, width - imgui.get_frame_height() - style.item_inner_spacing.x)
    pad = style.frame_padding.y + 0.5 * (1.0 - size) * imgui.get_font_size()  # the box keeps its size
    imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(style.frame_padding.x, pad))
    imgui.push_font(None, style.font_size_base * size)
    __, value = imgui.checkbox(f"{translated(label)}###{name}", value)
    imgui.pop_font()
    imgui.pop_style_var()
    ui.probe.mark(name)
    if help:
        tooltip(ui, help)
    return value


def _faded(colour: Colour, alpha: float) -> Colour:
    return colour[0], colour[1], colour[2], colour[3] * alpha
