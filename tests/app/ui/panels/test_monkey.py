"""Thousands of random events raise no error, and only valid values are sent."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from imgui_bundle import imgui
from repose.sim.experiment.commands import Recover, SetParameters, Start
from repose.sim.experiment.parameter_values import parameters_of

from tests.app.ui.panels.panel_harness import full_snapshot, open_harness
from tests.snapshots import put
from tests.tiers import tiered

TEXTS = ("nan", "-1", "1e999", "0,5", "0.25", "\u0105\u0119", "../x", "12", "=", '"')
KEYS = (imgui.Key.enter, imgui.Key.escape, imgui.Key.tab, imgui.Key.backspace, imgui.Key.mod_ctrl, imgui.Key.left_arrow)


@pytest.mark.case("G19")
@pytest.mark.parametrize(("seed", "events"), tiered([(1, 500), (1, 1500), (2, 1500), (3, 1500)], fast={(1, 500)}))
def test_random_events_raise_no_error_and_send_only_valid_values(seed: int, events: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    with open_harness(tmp_path, full_snapshot(), size=(1280, 720)) as harness:
        io = imgui.get_io()
        for _ in range(events):
            event = dice.randrange(10)
            if event < 5 and harness.widgets:
                name = dice.choice(sorted(harness.widgets))
                io.add_mouse_pos_event(*harness.place(name, dice.random()))
            elif event < 8:
                io.add_mouse_button_event(dice.choice((0, 0, 0, 1, 2)), dice.random() < 0.5)
            elif event == 8:
                io.add_input_characters_utf8(dice.choice(TEXTS))
                io.add_mouse_wheel_event(0.0, dice.uniform(-3.0, 3.0))
            else:
                io.add_key_event(dice.choice(KEYS), dice.random() < 0.5)
            harness.frame()
            snapshot = harness.ui.snapshot
            assert snapshot.run.parameters.values
            for command in harness.commands:
                if isinstance(command, (SetParameters, Recover)):
                    put(snapshot, parameters=parameters_of(snapshot.run).changed(**command.values))
                elif isinstance(command, Start):
                    put(snapshot, parameters=type(parameters_of(snapshot.run)).checked(command.values))
                    put(snapshot, seed=command.seed)
            harness.commands.clear()
            snapshot.serial += 1
        assert harness.ui.program.broken == {}
