"""F3 in the real window chooses the next of the runs side by side, in a run, paused and in a replay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gui.desktop import Desktop, open_desktop
from tests.gui.test_space import SIZE, SMALL

pytestmark = [pytest.mark.gui, pytest.mark.gl]


def direction(desktop: Desktop) -> tuple[float, float]:
    azimuth, elevation = desktop.look()["direction"]
    return round(azimuth, 2), round(elevation, 2)


def require_direction(desktop: Desktop, wanted: tuple[float, float], what: str) -> None:
    desktop.until(lambda: direction(desktop) == wanted, what)


@pytest.mark.timeout(900)  # two glasses run empty beside other programs
def test_f3_chooses_the_next_run_and_ends_a_replay_in_the_views_of_the_user(tmp_path: Path) -> None:
    preset = tmp_path / "small.toml"
    preset.write_text(SMALL, encoding="utf-8")
    options = ("--preset", str(preset), "--side-by-side", "friction=0.1,0.4")
    with open_desktop(tmp_path, *options, size=SIZE) as desktop:

        def chosen(number: int) -> None:
            desktop.until(lambda: desktop.look()["chosen"] == number, f"run {number}")
            assert desktop.state["parameters"]["friction"] == (0.1, 0.4)[number]

        desktop.until(lambda: len(desktop.look()["side_by_side"]) == 2, "two runs")
        own = direction(desktop)
        desktop.press("a")
        desktop.until(lambda: desktop.state["time"] > 0.0, "steps")
        desktop.press("F3")
        chosen(1)
        desktop.press("space", "F3")
        chosen(0)
        times = [run["time"] for run in desktop.look()["side_by_side"]]
        desktop.press("F3", "F3")
        assert [run["time"] for run in desktop.look()["side_by_side"]] == times, "it is still paused"
        desktop.press("space")
        desktop.until(lambda: "transport.replay" in desktop.fresh()["widgets"], "the end of both runs")
        ends = [run["step"] for run in desktop.look()["side_by_side"]]
        desktop.click("transport.replay")
        desktop.until(lambda: direction(desktop) != own, "another side")
        desktop.until(lambda: desktop.look()["side_by_side"][0]["step"] < ends[0], "an earlier step")
        desktop.press("F3")
        chosen(1)
        desktop.until(
            lambda: all(run["step"] >= end for run, end in zip(desktop.look()["side_by_side"], ends, strict=True)),
            "the last steps",
        )
        require_direction(desktop, own, "the view of the user of the second run")
        desktop.press("F3")
        chosen(0)
        require_direction(desktop, own, "the view of the user of the first run")
        assert desktop.look()["broken"] == {}
        desktop.xdotool("key", "ctrl+q")
        assert desktop.program.wait(60) == 0
