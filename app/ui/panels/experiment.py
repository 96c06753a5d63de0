"""Experiment: preset, seed, actions of the scene, phase, measured angle and readings."""

from __future__ import annotations

import math

from imgui_bundle import imgui
from repose.app.render.text import friendly, heading, note, text_width
from repose.app.render.theme import vector
from repose.app.ui.panels import Panel
from repose.app.ui.repeat_card import draw_repeats
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, choose, row, tooltip
from repose.sim.experiment.commands import Act
from repose.sim.measure.angle_of_repose import AngleOfRepose
from repose.sim.numbers import read_whole
from repose.sim.parameters import ParameterError, checked_seed

RUN_ALL = "run"
METHODS = {"line": "least-squares line", "robust": "Theil-Sen line", "height_over_base": "height over base"}


def draw(ui: Ui) -> None:
    """Preset and seed, the actions, the phase, the angle."""
    _draw_start(ui)
    imgui.dummy(imgui.ImVec2(0, 2 * ui.scale))
    _draw_actions(ui)
    _draw_phase(ui)
    _draw_angle(ui)
    draw_repeats(ui)
    _draw_readings(ui)


def _draw_start(ui: Ui) -> None:
    gap = imgui.get_style().item_spacing.x
    save = imgui.calc_text_size("Save…").x + 2 * imgui.get_style().frame_padding.x
    width = imgui.get_content_region_avail().x
    pictures = text_width("Scenes  S") + 3.0 * imgui.get_style().frame_padding.x
    imgui.begin_child(
        "preset",
        imgui.ImVec2(width - save - pictures - 2 * gap, imgui.get_frame_height()),
        imgui.ChildFlags_.nav_flattened,
    )
    chosen = choose(ui, "experiment.preset", "", ui.preset_library.titles, ui.preset_library.current)
    imgui.end_child()
    if chosen is not None and ui.preset_library.take(chosen):
        ui.edits.forget()
        ui.settings.choices.preset = chosen
    imgui.same_line()
    if button(ui, "experiment.scenes", "Scenes", hint="S", width=pictures, help="Choose a scene from pictures."):
        ui.actions["scenes"]()
    imgui.same_line()
    if button(ui, "experiment.save", "Save…", width=save, help="Save the parameters in effect as a preset."):
        ui.memory["preset_name"] = ""
        imgui.open_popup("save preset")
    _draw_save(ui)
    if ui.snapshot.parameters is not None:
        _draw_seed(ui)
    if ui.preset_library.trouble:
        note(ui.preset_library.trouble, ui.palette.bad)


def _draw_save(ui: Ui) -> None:
    if not imgui.begin_popup("save preset"):
        return
    imgui.text_unformatted("Name of the preset")
    if imgui.is_window_appearing():
        imgui.set_keyboard_focus_here()
    imgui.set_next_item_width(220 * ui.scale)
    flags = imgui.InputTextFlags_.enter_returns_true
    entered, ui.memory["preset_name"] = imgui.input_text("##name", ui.memory.get("preset_name", ""), flags)
    ui.probe.mark("experiment.save.name")
    entered |= button(ui, "experiment.save.now", "Save", width=220 * ui.scale)
    parameters = ui.edits.parameters
    if entered and parameters is not None:
        ui.preset_library.save(ui.memory["preset_name"], ui.snapshot.scene, parameters, ui.snapshot.seed)
        imgui.close_current_popup()
    imgui.end_popup()


def _draw_seed(ui: Ui) -> None:
    imgui.align_text_to_frame_padding()
    imgui.text_disabled("Seed")
    imgui.same_line()
    new = imgui.calc_text_size("New").x + 2 * imgui.get_style().frame_padding.x
    gap = imgui.get_style().item_spacing.x
    imgui.set_next_item_width(imgui.get_content_region_avail().x - new - gap)
    text = ui.memory.get("seed", str(ui.snapshot.seed))
    entered, text = imgui.input_text("##seed", text, imgui.InputTextFlags_.enter_returns_true)
    ui.probe.mark("experiment.seed")
    tooltip(
        "Determines radii and positions of the grains: the same seed gives the same run, bit by bit. Enter restarts."
    )
    if imgui.is_item_active():
        ui.memory["seed"] = text
    else:
        ui.memory.pop("seed", None)
    if entered:
        _start_with(ui, text)
    imgui.same_line()
    if button(ui, "experiment.new_seed", "New", width=new, help="Restart with the next seed."):
        _start_with(ui, str(ui.snapshot.seed + 1))


def _start_with(ui: Ui, text: str) -> None:
    """Restart the experiment with the seed in `text`, or show why not."""
    parameters = ui.edits.parameters
    if parameters is None:
        return
    try:
        seed = checked_seed(read_whole(text))
    except (ParameterError, ValueError) as error:
        ui.preset_library.trouble = str(error)
        return
    ui.preset_library.trouble = ""
    ui.preset_library.restart(ui.snapshot.scene, parameters, seed)


def _draw_actions(ui: Ui) -> None:
    """One button per action of the scene, two in a row; the action that runs everything has its own row."""
    gap = imgui.get_style().item_spacing.x
    half = (imgui.get_content_region_avail().x - gap) / 2
    column = 0
    for action in sorted(ui.snapshot.actions, key=lambda action: action.name == RUN_ALL):
        whole = action.name == RUN_ALL
        if column == 1 and not whole:
            imgui.same_line()
        pressed = button(
            ui,
            f"action.{action.name}",
            action.label,
            hint=action.key,
            help=action.help,
            width=-1.0 if whole else half,
            enabled=action.enabled,
            emphasis=ui.palette.accent if whole else None,
        )
        if pressed:
            ui.send(Act(action.name))
        column = 0 if whole else 1 - column


def _draw_phase(ui: Ui) -> None:
    snapshot = ui.snapshot
    label = snapshot.phase_label
    if label:
        note(label[:1].upper() + label[1:], ui.palette.text)
    if snapshot.progress is not None:
        share = min(max(snapshot.progress, 0.0), 1.0)
        imgui.progress_bar(share, imgui.ImVec2(-1, 6 * ui.scale), "")
    if snapshot.refusal and not ui.edits.refusals:
        note(snapshot.refusal, ui.palette.bad)
    elif snapshot.fault is None and not snapshot.message_repeats:
        note(snapshot.message, ui.palette.muted)


def _draw_angle(ui: Ui) -> None:
    measured = ui.snapshot.measurement
    if measured is None:
        return
    imgui.dummy(imgui.ImVec2(0, ui.scale))
    error = math.degrees(measured.standard_error)
    heading(f"{math.degrees(measured.angle):.1f}°", 2.6, ui.palette.text)
    ui.probe.mark("experiment.angle")
    imgui.same_line()
    imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() + 0.95 * imgui.get_font_size())
    heading(f"± {error:.1f}°", 1.3, ui.palette.muted)
    tooltip("Standard error from the scatter of surface grains about the fitted line. Seeds scatter more.")
    imgui.same_line()
    imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() + 0.35 * imgui.get_font_size())
    imgui.text_colored(vector(ui.palette.muted), measured.error_of)
    _draw_reading(ui, measured)


def _draw_readings(ui: Ui) -> None:
    """The scene's own numbers, then those of the packing; a measured slope has its own place."""
    own = ui.snapshot.readings if ui.snapshot.measurement is None else ()
    for reading in (*own, *ui.snapshot.bulk_readings):
        error = f" ± {reading.error:.2g}" if reading.error is not None else ""
        row(reading.label, friendly(f"{reading.value:.4g}{error} {reading.unit}".rstrip()), ui)
        words = f"± is the standard error ({reading.error_of})." if reading.error_of and error else ""
        if reading.help or words:
            tooltip(f"{reading.help} {words}".strip())


def _draw_reading(ui: Ui, measured: AngleOfRepose) -> None:
    row("Angle of repose, by", METHODS[measured.method], ui)
    row("Surface grains used", str(len(measured.used_ids)), ui)
    row("Grains left on the base", str(measured.grains_left), ui)


PANEL = Panel("experiment", "Experiment", 10, "left", draw)
