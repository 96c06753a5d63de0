"""Add grains where the picture is clicked; every drag moves the camera."""

from __future__ import annotations

from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.tools.pointer import grain_radius, place_at, slide_log
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import tooltip
from repose.sim.experiment.commands import ADDED, AddGrains
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message, _, length_text, plain, plural
from repose.sim.registry import scenes


def refusal(snapshot: Snapshot) -> Message:
    """Why no grains can be added to the present scene."""
    scene = scenes().get(snapshot.run.scene)
    if scene is None or scene.hand.add_grains is not None:
        return EMPTY
    return Message(
        "No grains can be added here: the scene '{title}' places all of its grains itself.", title=scene.title
    )


def click(ui: Ui, at: Pixel) -> None:
    """Add the grains around this place."""
    choices = ui.settings.choices
    ui.control.edits.note(ADDED)
    ui.control.send(AddGrains(place_at(ui, at), choices.drop_size * grain_radius(ui.snapshot), choices.drop_count))


def options(ui: Ui) -> None:
    """Number and radius of the grains, on logarithmic scales."""
    choices = ui.settings.choices
    count = plural("{count} grain", "{count} grains", count=choices.drop_count)
    choices.drop_count = round(
        slide_log(ui, "tool.drop_count", (count, plain(choices.drop_count)), choices.drop_count, (1, 200))
    )
    tooltip(ui, _("Number of grains that a click adds."))
    radius = length_text(choices.drop_size * grain_radius(ui.snapshot))
    choices.drop_size = slide_log(
        ui, "tool.drop_size", (Message("radius {radius}", radius=radius), radius), choices.drop_size, (0.2, 5.0)
    )
    tooltip(ui, _("Their radius, 0.2 to 5 times the mean one of the grains."))


TOOL = Tool(
    "drop",
    _("Drop grains"),
    13,
    "D",
    _("Click to add grains there, of the material of the scene; they take the nearest places that are free."),
    click=click,
    options=options,
    refusal=refusal,
    first=True,
)
