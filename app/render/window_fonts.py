"""The fonts of the window's texts; this module imports no OpenGL, so that texts can be measured without a window."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import imgui_bundle
from imgui_bundle import imgui
from repose.app.render.text_size import TEXT_SIZE


def load_fonts(io: imgui.IO) -> tuple[imgui.ImFont, imgui.ImFont]:
    """The regular and the bold font, both with Font Awesome's icons and Japanese merged in."""
    folder = files("repose.assets").joinpath("fonts")
    fonts = []
    for name in ("Inter-Regular.otf", "Inter-SemiBold.otf"):
        fonts.append(_add_font(io, Path(str(folder.joinpath(name))), merge=False))
        icons = Path(imgui_bundle.__file__).parent / "assets" / "fonts" / "Font_Awesome_6_Free-Solid-900.otf"
        if icons.exists():
            _add_font(io, icons, merge=True)
        _add_font(io, Path(str(folder.joinpath("NotoSansJP-Regular.otf"))), merge=True)
    return fonts[0], fonts[1]


def _add_font(io: imgui.IO, path: Path, merge: bool) -> imgui.ImFont:
    configuration = imgui.ImFontConfig()
    configuration.merge_mode = merge
    return io.fonts.add_font_from_file_ttf(str(path), TEXT_SIZE, configuration)
