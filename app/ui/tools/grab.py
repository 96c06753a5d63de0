"""Grab a grain or a clump and drag it: a spring with a limited force between grain and pointer.

In space the pointer moves in the plane parallel to the picture through the grain, and a drag beside the grains rotates
the camera, which has no other button for rotating.
"""

from __future__ import annotations

import math

from repose.app.render.picking import sphere_at
from repose.app.ui.toasts import show_toast
from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.tools.pointer import EARTH, abandon_drag, begin_drag, drag_on, end_drag, slide_log
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import tooltip
from repose.sim.experiment.commands import PULLED, Pull
from repose.sim.experiment.hand import LARGEST_FORCE
from repose.sim.message import Message, Number, _, formatted

REACH = 6.0
"""Distance from the edge of a grain at which a press still grabs it [px at scale 1]."""
WEAKEST, STRONGEST = 1.0, 1e4
"""Range of the strength [weights of the grain on the Earth]."""
NOTHING = _("No grain to grab is here: press on a grain, or drag with the right button to move the view.")


def press(ui: Ui, at: Pixel) -> bool:
    """Grab the movable grain under the pointer; in the plane, tell the user if there is none."""
    grains = ui.snapshot.grains
    row = sphere_at(ui.snapshot, ui.view, ui.camera, ui.window.size, at, REACH * ui.window.scale)
    if row is None or not math.isfinite(grains.mass[row]):
        if grains.position.shape[1] == 3:
            return False
        show_toast(ui, NOTHING)
        return True
    sphere_id = int(grains.sphere_id[row])
    limit = min(ui.settings.choices.grab_strength * EARTH * float(grains.mass[row]), LARGEST_FORCE)
    return begin_drag(ui, at, PULLED, lambda target: Pull(sphere_id, target, limit), row)


def options(ui: Ui) -> None:
    """The largest force, on a logarithmic scale."""
    choices = ui.settings.choices
    strength = choices.grab_strength
    texts = (
        Message("up to {strength} weights", strength=Number(strength, format=".0f")),
        Message("{strength} weights", strength=Number(strength, format=".0f")),
        formatted(strength, ".0f"),
    )
    choices.grab_strength = slide_log(ui, "tool.strength", texts, strength, (WEAKEST, STRONGEST))
    tooltip(
        ui,
        _(
            "Largest pull, in weights of the grain on the Earth. A weak pull cannot lift a buried grain; a strong "
            "one tears it out."
        ),
    )


TOOL = Tool(
    "grab",
    _("Grab"),
    10,
    "B",
    _("Press on a grain, drag it and let go: a spring with a limited force pulls it. The arrow shows the force."),
    press,
    drag_on,
    end_drag,
    abandon_drag,
    options=options,
    first=True,
)
