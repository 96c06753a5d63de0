"""The area of a plot with its axes: without ImPlot's own menus, legend and title, and with room for the labels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from imgui_bundle import imgui, implot
from repose.app.render.theme import TEXT_SIZE

BARE = (
    implot.Flags_.no_title
    | implot.Flags_.no_menus
    | implot.Flags_.no_box_select
    | implot.Flags_.no_legend
    | implot.Flags_.no_mouse_text
)
REACH = 0.36
"""Length by which a number at the end of an axis extends beyond the axis [heights of the text]: half a digit."""


def pen() -> float:
    """Unit of the widths of lines and marks, which have a fixed ratio to the present text: the marks of a large plot
    are seen as far as its text is [px at scale 1]."""
    return float(imgui.get_font_size()) / TEXT_SIZE


@contextmanager
def plot_area(name: str, size: imgui.ImVec2, flags: int = 0) -> Iterator[bool]:
    """Begin a plot of this size [px] and end it; yields False if ImPlot draws no plot.

    The paddings are so large that the numbers of the two axes do not overlap at their corner, nor the line of text
    above the plot, at any size of the text.
    """
    style, reach = implot.get_style(), REACH * imgui.get_font_size()
    paddings = {implot.StyleVar_.plot_padding: style.plot_padding, implot.StyleVar_.label_padding: style.label_padding}
    for variable, x, y in [(variable, padding.x, padding.y) for variable, padding in paddings.items()]:
        implot.push_style_var(variable, imgui.ImVec2(x, max(y, reach)))
    shown = implot.begin_plot(name, size, BARE | flags)
    try:
        yield shown
    finally:
        if shown:
            implot.end_plot()
        implot.pop_style_var(len(paddings))
