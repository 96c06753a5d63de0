"""A step of a lecture can give a curve in place of a number."""

from __future__ import annotations

import pytest
from repose.app.lectures import lecture_file
from repose.sim.parameters import ParameterError

LECTURE = """
title = "Driven"

[[step]]
title = "Begin"
scene = "heap"

[[step]]
title = "Friction grows"
continue = true
parameters = { friction = "CURVE" }
"""


def test_a_step_keeps_the_curve_as_it_is_written() -> None:
    lecture = lecture_file.parse(LECTURE.replace("CURVE", "ramp 0.1 0.6 0 5"), "driven")
    assert lecture.steps[1].values["friction"] == "ramp 0.1 0.6 0 5"


def test_a_curve_with_equal_times_is_refused() -> None:
    with pytest.raises(ParameterError, match="times must increase"):
        lecture_file.parse(LECTURE.replace("CURVE", "ramp 0.1 0.6 5 5"), "driven")
