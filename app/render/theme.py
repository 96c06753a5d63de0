"""Colours, spacing and type: three themes, and one scale that fits them to the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from imgui_bundle import imgui, implot

Colour = tuple[float, float, float, float]
Name = Literal["dark", "light", "projector"]

LARGEST_TEXT = 1.7
"""Largest scale of the interface in a window of the design size [-]."""
DESIGN_SIZE = (1280, 720)
"""Size of the window for which the scale is 1 [px]."""
PAUSE = 0.5
"""Wall time for which the mouse rests on a widget before a tooltip explains the widget [s]."""
GROWTH = 0.6
"""Exponent of the growth of text with the size of a window larger than the design size [-]."""
OPACITY_HOVERED, OPACITY_PRESSED = 0.92, 0.86
"""Opacity of the colour of an emphasised button under the mouse, and pressed, on which its words stay readable [-]."""


def _hex(code: str, alpha: float = 1.0) -> Colour:
    red, green, blue = (int(code[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue, alpha


def _mixed(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue, alpha = ((1.0 - share) * a + share * b for a, b in zip(one, other))
    return red, green, blue, alpha


@dataclass(frozen=True)
class Palette:
    """The colours of the interface."""

    dark: bool
    panel: Colour
    raised: Colour
    """Buttons, fields and plots, one step above the panel."""
    line: Colour
    text: Colour
    muted: Colour
    accent: Colour
    fill: Colour
    """Filled part of a slider; text stays readable on it."""
    good: Colour
    warning: Colour
    bad: Colour
    on_accent: Colour
    """Text on the accent colour."""
    zoom: float = 1.0
    """Magnification of the whole interface [-]."""

    @property
    def hovered(self) -> Colour:
        """Buttons and fields under the mouse."""
        return _mixed(self.raised, self.accent, 0.18)

    @property
    def pressed(self) -> Colour:
        """Buttons and fields that are pressed or dragged."""
        return _mixed(self.raised, self.accent, 0.38)

    @property
    def title(self) -> Colour:
        """Headings that fold a part of a panel."""
        return _mixed(self.panel, self.raised, 0.5)


PALETTES: dict[Name, Palette] = {
    "dark": Palette(
        dark=True,
        panel=_hex("#16191f"),
        raised=_hex("#252a33"),
        line=_hex("#353c47"),
        text=_hex("#e8eaed"),
        muted=_hex("#9ba5b1"),
        accent=_hex("#5aa9f0"),
        fill=_hex("#2c4f74"),
        good=_hex("#48b98a"),
        warning=_hex("#e3a940"),
        bad=_hex("#f0645c"),
        on_accent=_hex("#0b1016"),
    ),
    "light": Palette(
        dark=False,
        panel=_hex("#f4f5f7"),
        raised=_hex("#e3e7ec"),
        line=_hex("#c5ccd5"),
        text=_hex("#1b2026"),
        muted=_hex("#57616d"),
        accent=_hex("#1564b6"),
        fill=_hex("#aecdf0"),
        good=_hex("#1d7d55"),
        warning=_hex("#9a6200"),
        bad=_hex("#c22f27"),
        on_accent=_hex("#ffffff"),
    ),
    "projector": Palette(
        dark=False,
        panel=_hex("#ffffff"),
        raised=_hex("#e6e6e6"),
        line=_hex("#8a8a8a"),
        text=_hex("#000000"),
        muted=_hex("#333333"),
        accent=_hex("#0046b8"),
        fill=_hex("#a3c4ff"),
        good=_hex("#00663a"),
        warning=_hex("#874b00"),
        bad=_hex("#b30000"),
        on_accent=_hex("#ffffff"),
        zoom=1.2,
    ),
}


def interface_scale(
    size: tuple[int, int], content_scale: float, font_scale: float, palette: Palette, presenting: bool = False
) -> float:
    """Scale of the interface: that of the screen, or more in a large window [-].

    In a window of twice the design size, text is about 1.5 times as large, so that there is more room and the text is
    easier to read. In a presentation, text keeps its fraction of the window, because the size of a projection does not
    depend on its number of pixels: there, it is also smaller in a smaller window. The scale is limited, so that the
    column leaves room for the picture.
    """
    room = min(size[0] / DESIGN_SIZE[0], size[1] / DESIGN_SIZE[1])
    if presenting:
        wanted = max(content_scale * min(room, 1.0), room) * font_scale * palette.zoom
    else:
        wanted = max(content_scale, room**GROWTH if room > 1.0 else 1.0) * font_scale * palette.zoom
    return max(0.6, min(wanted, max(room, 1.0) * LARGEST_TEXT))


def colour32(colour: Colour, alpha: float = 1.0) -> int:
    """The colour in the format of ImGui's draw lists."""
    return imgui.get_color_u32(imgui.ImVec4(colour[0], colour[1], colour[2], colour[3] * alpha))


def vector(colour: Colour, alpha: float = 1.0) -> imgui.ImVec4:
    """The colour in the format of ImGui's widgets."""
    return imgui.ImVec4(colour[0], colour[1], colour[2], colour[3] * alpha)


def apply(palette: Palette, scale: float) -> None:
    """Set ImGui's and ImPlot's colours and lengths; the text is scaled at the beginning of each frame."""
    target = imgui.get_style()
    style = imgui.Style()
    style.font_size_base, style.font_scale_dpi = target.font_size_base, target.font_scale_dpi
    for sized, value in {"window": 0.0, "child": 4.0, "frame": 4.0, "popup": 6.0, "grab": 4.0, "tab": 4.0}.items():
        setattr(style, f"{sized}_rounding", value)
    style.scrollbar_rounding = 6.0
    style.window_padding = imgui.ImVec2(10, 8)
    style.frame_padding = imgui.ImVec2(7, 4)
    style.item_spacing = imgui.ImVec2(6, 5)
    style.item_inner_spacing = imgui.ImVec2(5, 4)
    style.scrollbar_size = 11.0
    style.window_border_size = style.child_border_size = 0.0
    style.popup_border_size = 1.0
    style.tab_bar_border_size = 1.0
    style.disabled_alpha = 0.45
    style.hover_stationary_delay = style.hover_delay_normal = PAUSE
    style.scale_all_sizes(scale)
    _colour_widgets(style, palette)
    for name in (entry for entry in dir(style) if not entry.startswith("_")):
        if not callable(getattr(style, name)):
            setattr(target, name, getattr(style, name))
    for column in imgui.Col_:
        if column != imgui.Col_.count:
            target.set_color_(column, style.color_(column))
    _apply_to_plots(palette, scale)


def _colour_widgets(style: imgui.Style, palette: Palette) -> None:
    (imgui.style_colors_dark if palette.dark else imgui.style_colors_light)(style)
    p, column = palette, imgui.Col_
    clear = (*p.panel[:3], 0.0)
    groups = {
        p.text: (column.text, column.input_text_cursor),
        p.muted: (column.text_disabled,),
        p.panel: (column.window_bg, column.title_bg, column.title_bg_active, column.popup_bg, column.menu_bar_bg),
        p.title: (column.header,),
        clear: (column.child_bg, column.border_shadow, column.scrollbar_bg, column.tab),
        p.line: (column.border, column.separator, column.scrollbar_grab, column.table_border_light),
        p.raised: (
            column.frame_bg,
            column.checkbox_selected_bg,
            column.button,
            column.tab_selected,
            column.header_hovered,
        ),
        p.hovered: (column.frame_bg_hovered, column.button_hovered, column.tab_hovered, column.header_active),
        p.pressed: (column.frame_bg_active, column.button_active, column.scrollbar_grab_hovered),
        p.accent: (
            column.check_mark,
            column.slider_grab,
            column.slider_grab_active,
            column.tab_selected_overline,
            column.plot_histogram,
            column.nav_cursor,
            column.scrollbar_grab_active,
        ),
        p.fill: (column.text_selected_bg,),
    }
    for colour, columns in groups.items():
        for entry in columns:
            style.set_color_(entry, imgui.ImVec4(*colour))


def _apply_to_plots(palette: Palette, scale: float) -> None:
    style, column = implot.get_style(), implot.Col_
    for entry, colour in {
        column.frame_bg: (*palette.panel[:3], 0.0),
        column.plot_bg: palette.raised,
        column.plot_border: palette.line,
        column.legend_bg: (*palette.panel[:3], 0.8),
        column.legend_border: (*palette.line[:3], 0.0),
        column.legend_text: palette.text,
        column.title_text: palette.text,
        column.inlay_text: palette.text,
        column.axis_text: palette.muted,
        column.axis_grid: (*palette.muted[:3], 0.25),
        column.axis_tick: (*palette.muted[:3], 0.5),
    }.items():
        style.set_color_(entry, imgui.ImVec4(*colour))
    style.plot_padding = imgui.ImVec2(9 * scale, 5 * scale)
    style.label_padding = imgui.ImVec2(3 * scale, 2 * scale)
    style.legend_padding = imgui.ImVec2(5 * scale, 4 * scale)
    style.legend_inner_padding = imgui.ImVec2(4 * scale, 2 * scale)
    style.major_tick_len = imgui.ImVec2(4 * scale, 4 * scale)
    style.minor_tick_len = imgui.ImVec2(2 * scale, 2 * scale)
    style.plot_min_size = imgui.ImVec2(80, 60)
    style.fit_padding = imgui.ImVec2(0.0, 0.08)
