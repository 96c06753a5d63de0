"""Test with panels that fail on purpose, drawn without a window: an error in a panel must not affect the others."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
from imgui_bundle import imgui, implot
from repose.app.render.director import Director, FilmStyle
from repose.app.render.theme import apply
from repose.app.storage.film import Film
from repose.app.storage.settings import Settings
from repose.app.storage.view_settings import View
from repose.app.ui import layout
from repose.app.ui.panels import Panel, all_panels
from repose.app.ui.ui import Ui
from repose.app.window.application import make_ui
from repose.app.window.physics import Physics
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import plain
from repose.sim.registry import default_scene

SIZE, LOW_SIZE = (1280, 1600), (1280, 480)
"""Size of the window [px], large enough that no panel scrolls, and one in which the readings are a tab."""
FRAMES = 4
"""Frames drawn before and after a panel is drawn again on request: a tab needs two frames to come to the front."""
WAYS: dict[str, Callable[[int], bool]] = {
    "first": lambda call: call == 1,
    "second": lambda call: call == 2,
    "every": lambda call: True,
}
"""Numbers of the calls of a panel that fail, counted from 1."""
OPENED: dict[str, Callable[[], object]] = {
    "nothing": lambda: None,
    "child": lambda: imgui.begin_child("left open", imgui.ImVec2(50, 50)),
    "window": lambda: imgui.begin("left open"),
    "table": lambda: imgui.begin_table("left open", 2),
    "tab bar": lambda: (imgui.begin_tab_bar("left open"), imgui.begin_tab_item("tab")),
    "list": lambda: _open_list(),
    "popup": lambda: (imgui.open_popup("left open"), imgui.begin_popup("left open")),
    "tooltip": lambda: imgui.begin_tooltip(),
    "group": lambda: imgui.begin_group(),
    "tree": lambda: imgui.tree_push("left open"),
    "colour": lambda: imgui.push_style_color(imgui.Col_.text, imgui.ImVec4(1, 0, 0, 1)),
    "style": lambda: imgui.push_style_var(imgui.StyleVar_.alpha, 0.5),
    "id": lambda: imgui.push_id("left open"),
    "font": lambda: imgui.push_font(None, 30.0),
    "flag": lambda: imgui.push_item_flag(imgui.ItemFlags_.button_repeat, True),
    "disabled": lambda: imgui.begin_disabled(True),
    "not disabled": lambda: imgui.begin_disabled(False),
    "plot": lambda: implot.begin_plot("left open", imgui.ImVec2(80, 80)),
}
"""ImGui calls that a failing panel may leave open."""


def open_all() -> None:
    """All the calls above, nested."""
    for leave_open in OPENED.values():
        leave_open()


class Mistake(Exception):
    """Raised by a panel on purpose."""


def _open_list() -> None:
    imgui.internal.open_popup_ex(imgui.internal.im_hash_str("##ComboPopup", 0, imgui.get_id("##left open")))
    imgui.begin_combo("##left open", "")


def add_one_font(io: imgui.IO) -> None:
    """The font of most texts, without icons and Japanese, which are slower to load."""
    io.fonts.add_font_from_file_ttf(str(files("repose.assets").joinpath("fonts/Inter-Regular.otf")), 15.0)


@contextmanager
def bare_imgui(add_fonts: Callable[[imgui.IO], object] = add_one_font) -> Iterator[None]:
    """ImGui and ImPlot without a window, with fonts."""
    context = imgui.create_context()
    imgui.set_current_context(context)
    plots = implot.create_context()
    io = imgui.get_io()
    io.set_ini_filename("")
    io.config_flags |= int(imgui.ConfigFlags_.nav_enable_keyboard)
    io.backend_flags |= int(imgui.BackendFlags_.renderer_has_textures)
    io.config_input_trickle_event_queue = False
    add_fonts(io)
    try:
        yield
    finally:
        implot.destroy_context(plots)
        imgui.destroy_context(context)


def bare_frame(ui: Ui, draw: Callable[[Ui], None] = layout.draw_panels, elapsed: float = 1 / 60) -> None:
    """Draw the panels once, `elapsed` [s] after the last frame; raises their errors, and ImGui's error about open
    calls."""
    ui.control.edits.see(ui.snapshot)
    ui.events.see(ui.snapshot, ui.control.edits)
    layout.fit(ui)
    io = imgui.get_io()
    io.delta_time = elapsed
    io.display_size = imgui.ImVec2(*map(float, ui.window.size))
    imgui.new_frame()
    ui.probe.widgets = {}
    draw(ui)
    imgui.render()


def direct_nothing(film: Film) -> Director:
    """The director of a film of black pictures."""
    black = np.zeros((film.size[1], film.size[0], 3), np.uint8)
    return Director(lambda *shot, **more: black, FilmStyle(film.size, film.rate, View()))


@contextmanager
def bare_ui(snapshot: Snapshot) -> Iterator[Ui]:
    """A `Ui` for panels with a snapshot, with settings in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder) / "settings.toml", trouble=plain("Settings to be told of."))
        settings.choices.expert = True
        ui = make_ui(Physics(default_scene(), {}, 1), settings, direct_nothing)
        ui.probe.path = Path(folder) / "report.json"
        ui.snapshot, ui.window.size, ui.mode.help_open = snapshot, SIZE, True
        yield ui


def try_panel(ui: Ui, panel: Panel, way: str, leave_open: Callable[[], object]) -> str:
    """The error seen when `panel` failed in one of the `WAYS`, in a separate context; empty if none."""
    calls, drawn = 0, set[str]()

    def fail(ui: Ui) -> None:
        nonlocal calls
        calls += 1
        panel.draw(ui)
        if WAYS[way](calls):
            leave_open()
            raise Mistake("on purpose\nand more")

    def noted(other: Panel) -> Panel:
        def draw(ui: Ui) -> None:
            drawn.add(other.name)
            other.draw(ui)

        return replace(other, draw=draw)

    panels = tuple(replace(entry, draw=fail) if entry is panel else noted(entry) for entry in all_panels())
    # The panels of the column are not all drawn: in a low window only one of them, as a tab, and none of them where
    # another panel is drawn instead of the column.
    hidden = ("tools", "low", "instead", *(("column",) if panel.side in ("low", "instead") else ()))
    others = {entry.name for entry in panels if entry.name != panel.name and entry.side not in hidden}
    ui.window.size = LOW_SIZE if panel.side == "low" else SIZE
    ui.mode.overlay = panel.name if panel.side == "instead" else ""
    ui.states.clear()
    ui.program.broken.clear()
    ui.settings.choices.tabs = {"tab": panel.name}
    told, layout_panels = [], layout.all_panels
    vars(layout)["all_panels"] = lambda: panels
    layout.log.disabled = True
    try:
        with bare_imgui():
            apply(ui.palette, ui.window.scale)
            for _ in range(2):
                for _ in range(FRAMES):
                    drawn.clear()
                    bare_frame(ui)
                    if missing := others - drawn:
                        return f"not drawn: {', '.join(sorted(missing))}"
                told.append((ui.program.broken.pop(panel.name, ""), f"{panel.name}.again" in ui.probe.widgets))
    except Exception as error:  # it ended the window
        return f"{type(error).__name__}: {error}"
    finally:
        layout.log.disabled = False
        vars(layout)["all_panels"] = layout_panels
    said = ("Mistake: on purpose", True)
    expected = [said, said if way == "every" else ("", False)]
    return "" if told == expected else f"told {told} instead of {expected}"
