"""The text of readings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from repose.app.language import translated
from repose.app.ui.main_result import Headline, headline, in_words
from repose.sim.direction import NOT_DIRECTED
from repose.sim.experiment import changes
from repose.sim.measure.display import Reading
from repose.sim.message import EMPTY, formatted, plain
from repose.sim.registry import scenes

from tests.snapshots import snapshot_of, with_fields


@pytest.mark.parametrize(
    ("value", "unit", "error", "words"),
    [
        (22.0468, "°", 7.53, "22.0° ± 7.5°"),
        (12.1684, "N/m", 0.331, "12.17 ± 0.33 N/m"),
        (0.86062, "", None, "0.8606"),
        (1.67113, "°", None, "1.7°"),
        (98.0, "", 12.0, "98 ± 12"),
        (4.138, "N/m", 0.2, "4.14 ± 0.20 N/m"),
        (4.138, "N/m", 0.0998, "4.14 ± 0.10 N/m"),
        (4.639469, "N/m", 2.2e-16, "4.639 N/m"),
    ],
)
def test_a_reading_has_the_decimals_that_its_error_has(
    value: float, unit: str, error: float | None, words: str
) -> None:
    assert str(in_words(Reading("r", "r", value, unit, error))) == words


@pytest.mark.parametrize(
    ("reading", "value", "error"),
    [
        (Reading("mean_angle", "mean angle", 17.64, "°", 0.96), "17.6°", "± 1.0°"),
        (Reading("turned_by", "turned by", -259.72, "°"), "−259.7°", ""),
        (Reading("turned_by", "turned by", -0.01, "°"), "0.0°", ""),
        (Reading("flow_rate", "flow rate", 4.138, "N", 0.2), "4.138 N", "± 0.20 N"),
    ],
)
def test_the_main_result_has_a_minus_sign_and_an_angle_the_decimal_of_its_error(
    reading: Reading, value: str, error: str
) -> None:
    shown = headline(snapshot_of(readings=(reading,)))
    assert shown is not None
    assert (translated(shown.value), translated(shown.error), shown.label) == (value, error, reading.label)


def test_an_outdated_result_says_up_to_which_change_it_applied() -> None:
    reading = Reading("angle_of_repose", "angle of repose", 17.9, "°", 1.9, outdated="before the tilt")
    shown = headline(snapshot_of(readings=(reading,)))
    assert shown is not None
    assert shown.whole_label == reading.whole_label
    assert str(shown.whole_label) == "angle of repose, before the tilt"


def test_a_number_known_before_the_run_is_no_main_result() -> None:
    known, result = Reading("mass", plain("mass"), 2.0, "kg", given=True), Reading("height", plain("height"), 1.0, "m")
    assert headline(snapshot_of(readings=(known,))) is None
    assert headline(snapshot_of(readings=(known, result))) == Headline(
        "height", formatted(1.0, ".4g", "m"), EMPTY, plain("height")
    )


@pytest.mark.parametrize("scene", scenes())
def test_no_scene_has_a_main_result_before_its_run(scene: str) -> None:
    record = scenes()[scene]
    begun = changes._smallest(scene)
    shown = headline(snapshot_of(readings=record.course.readings(begun)))
    assert shown is None or float(str(shown.value).split()[0]) == 0.0, shown


def test_a_preset_with_its_own_question_shows_the_measurement_of_its_plot() -> None:
    angle, mixing = Reading("surface_angle", "angle", 24.8, "°"), Reading("mixing_of_sizes", "mixing of sizes", 0.93)
    direction = replace(NOT_DIRECTED, plot="mixing")
    shot = snapshot_of(readings=(angle,), bulk_readings=(mixing,), direction=direction, own_answer=True)
    shown = headline(shot)
    assert shown is not None
    assert shown.name == "mixing_of_sizes"
    shown = headline(with_fields(shot, own_answer=False))
    assert shown is not None
    assert shown.name == "surface_angle"
