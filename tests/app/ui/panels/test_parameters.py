"""The list of parameters: which ones are shown."""

from __future__ import annotations

from pathlib import Path

from repose.app.ui.edits import Edits
from repose.app.ui.panels.parameters import in_effect, lecture_parameters
from repose.app.ui.undo import UndoHistory
from repose.sim.clumps.body import body_of
from repose.sim.clumps.clump_file import text_of
from repose.sim.clumps.making import clump_of, examined
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.registry import scenes
from repose.sim.scenes.clumps.parameters import ClumpsParameters


def listed(parameters: ClumpsParameters) -> list[str]:
    edits = Edits(lambda command: None, UndoHistory(), find=lambda run: parameters)
    edits.see(Snapshot(serial=1))
    return [entry.name for entry in in_effect(lecture_parameters("clumps", ClumpsParameters), edits)]


def test_a_clump_file_is_listed_in_place_of_the_shape_that_it_replaces(tmp_path: Path) -> None:
    body = body_of("peanut", 16)
    path = tmp_path / "mine.json"
    path.write_text(text_of(examined(body, clump_of(body, "greedy", 2)).file))
    assert listed(ClumpsParameters()) == [
        "shape",
        "members",
        "second_share",
        "second_shape",
        "ball_share",
        "friction",
        "gravity",
    ]
    assert listed(ClumpsParameters(clump=str(path))) == [
        "clump",
        "second_share",
        "second_shape",
        "ball_share",
        "friction",
        "gravity",
    ]


def test_the_parameter_of_a_cohesive_law_stands_before_those_of_the_scene() -> None:
    space = scenes()["heap3d"].parameters
    firsts = {
        law: lecture_parameters("heap3d", space.of_law(law))[0].name
        for law in ("hertz_mindlin", "liquid_bridge", "jkr", "dmt")
    }
    assert firsts == {
        "hertz_mindlin": "friction",
        "liquid_bridge": "liquid_volume",
        "jkr": "surface_energy",
        "dmt": "surface_energy",
    }
