"""Text and thin lines on top of the picture, through ImGui's draw list: sharp at any scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from imgui_bundle import imgui
from numpy.typing import NDArray
from repose.app.language import as_drawn
from repose.app.render.colours import Colour
from repose.app.render.text import OF_SCRIPT, SCRIPT, SHIFT, SMALL, pieces
from repose.sim.message import Message

Point = Sequence[float]


class Canvas:
    """A draw list with our fonts; all lengths in pixels, colours sRGB."""

    def __init__(
        self, draw_list: imgui.ImDrawList, regular: imgui.ImFont, bold: imgui.ImFont, scale: float, text_size: float
    ) -> None:
        self._list = draw_list
        self._fonts = {False: regular, True: bold}
        self._text_size = text_size * scale
        self.scale = scale
        """Pixels per unit of text and line width [-]."""
        self.taken: list[tuple[float, float, float, float]] = []
        """Rectangles with numbers, which passes that draw later leave free: left, top, right, bottom [px]."""

    def text_extent(self, text: Message | str, size: float = 1.0, bold: bool = False) -> tuple[float, float]:
        """Width and height of a line of text; `size` is relative to ordinary text."""
        style = imgui.get_style()
        # `push_font` takes a size before ImGui's own scaling, the draw list a size after it.
        imgui.push_font(self._fonts[bold], self._pixels(size) / (style.font_scale_main * style.font_scale_dpi))
        extent = imgui.calc_text_size(as_drawn(text))
        imgui.pop_font()
        return float(extent.x), float(extent.y)

    def text(
        self,
        at: Point,
        text: Message | str,
        colour: Colour,
        size: float = 1.0,
        bold: bool = False,
        anchor: tuple[float, float] = (0.0, 0.0),
        halo: Colour | None = None,
        alpha: float = 1.0,
    ) -> None:
        """Write `text` so that its point `anchor` (0 to 1 across and down) lies at `at`."""
        shown = as_drawn(text)
        width, height = self.text_extent(shown, size, bold)
        # Whole pixels keep the strokes of letters sharp.
        x, y = round(at[0] - anchor[0] * width), round(at[1] - anchor[1] * height)
        pixels = self._pixels(size)
        if halo is not None:
            reach = max(1.0, round(self.scale * 1.5))
            for dx, dy in ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)):
                self._write(x + dx * reach, y + dy * reach, shown, halo, pixels, bold)
        self._write(x, y, shown, colour, pixels, bold, alpha)

    def scripted(
        self,
        at: Point,
        text: Message | str,
        colour: Colour,
        size: float = 1.0,
        bold: bool = False,
        halo: Colour | None = None,
        alpha: float = 1.0,
    ) -> None:
        """Write `text` with its scripts, as in k_n and N/m^p, small and set off; `at` is its upper left.

        Powers such as 1e+06 become 10⁶.
        """
        x, y = at
        height = self.text_extent("0", size, bold)[1]
        for piece, script in pieces(as_drawn(text), SCRIPT):
            small = size * (OF_SCRIPT if script else 1.0)
            self.text((x, y + SHIFT[script] * height), piece, colour, small, bold, halo=halo, alpha=alpha)
            x += self.text_extent(piece, small, bold)[0]

    def scripted_width(self, text: Message | str, size: float = 1.0, bold: bool = False) -> float:
        """Width of the text that `scripted` writes."""
        parts = pieces(as_drawn(text), SCRIPT)
        return sum(self.text_extent(piece, size * (OF_SCRIPT if script else 1.0), bold)[0] for piece, script in parts)

    def polyline(self, points: NDArray[np.float64], colour: Colour, width: float, alpha: float = 1.0) -> None:
        """A line through `points`, shape (n, 2)."""
        for x, y in points:
            self._list.path_line_to(imgui.ImVec2(float(x), float(y)))
        self._list.path_stroke(_packed(colour, alpha), width * self.scale)

    def rectangle(self, low: Point, high: Point, colour: Colour, alpha: float = 1.0, rounding: float = 0.0) -> None:
        """A filled rectangle between two corners."""
        self._list.add_rect_filled(
            imgui.ImVec2(*low), imgui.ImVec2(*high), _packed(colour, alpha), rounding * self.scale
        )

    @contextmanager
    def anywhere(self) -> Iterator[None]:
        """During the block, also draw outside the area of the picture, in the band at the right."""
        self._list.push_clip_rect_full_screen()
        try:
            yield
        finally:
            self._list.pop_clip_rect()

    def gradient(self, low: Point, high: Point, left: Colour, right: Colour) -> None:
        """A filled rectangle with a horizontal colour gradient."""
        a, b = _packed(left), _packed(right)
        self._list.add_rect_filled_multi_color(imgui.ImVec2(*low), imgui.ImVec2(*high), a, b, b, a)

    def _pixels(self, size: float) -> float:
        """Text height in whole pixels, as ImGui rasterises it; at least that of the smallest text."""
        return float(round(self._text_size * max(size, SMALL)))

    def _write(
        self, x: float, y: float, text: str, colour: Colour, pixels: float, bold: bool, alpha: float = 1.0
    ) -> None:
        self._list.add_text(self._fonts[bold], pixels, imgui.ImVec2(x, y), _packed(colour, alpha), text)


def _packed(colour: Colour, alpha: float = 1.0) -> int:
    red, green, blue = (float(part) for part in colour)
    return imgui.color_convert_float4_to_u32(imgui.ImVec4(red, green, blue, alpha))
