"""Experiments side by side in the real window: equal times, one set of keys, a film, one file, back to one run."""

from __future__ import annotations

from pathlib import Path

import pytest
from repose.sim.experiment import saved_side_by_side
from repose.sim.experiment.command_log import SavedSideBySide
from repose.sim.experiment.replay import verify

from tests.gui.desktop import open_desktop

pytestmark = [pytest.mark.gui, pytest.mark.gl]

SMALL = 'scene = "heap"\n[parameters]\ngrain_count = 60\nwidth = 0.012\n'


def test_two_heaps_side_by_side_are_filled_filmed_saved_and_one_is_kept(tmp_path: Path) -> None:
    import av

    preset = tmp_path / "small.toml"
    preset.write_text(SMALL)
    options = ("--preset", str(preset), "--side-by-side", "friction=0.1,0.4")
    with open_desktop(tmp_path, *options, size=(800, 600)) as desktop:

        def runs() -> list[dict[str, object]]:
            found: list[dict[str, object]] = desktop.look()["side_by_side"]
            return found

        desktop.until(lambda: len(runs()) == 2, "two runs")
        assert [run["label"] for run in runs()] == ["μ = 0.1", "μ = 0.4"]
        desktop.press("f")
        desktop.until(lambda: all(run["step"] > 2_000 for run in runs()), "steps of both runs")  # type: ignore[operator]
        times = [run["time"] for run in runs()]
        assert times[0] == pytest.approx(times[1], abs=1e-4)
        desktop.click("side_by_side.picture2")
        desktop.until(lambda: desktop.look()["chosen"] == 1, "the second run")
        assert desktop.state["parameters"]["friction"] == 0.4
        desktop.press("v")
        desktop.until(lambda: desktop.look()["film"]["frames"] >= 5, "five frames")
        desktop.press("v")
        desktop.until(lambda: not desktop.look()["film"]["running"], "end of the film")
        film = desktop.look()["film"]
        with av.open(film["path"]) as container:
            assert sum(1 for _ in container.decode(video=0)) == film["frames"]
        desktop.press("space", "ctrl+s")
        folder = tmp_path / "Documents" / "Repose"
        desktop.until(lambda: any(folder.glob("*.repose")), "the file")
        saved = saved_side_by_side.load(next(folder.glob("*.repose")))
        assert isinstance(saved, SavedSideBySide)
        assert all(verify(run).differs_at is None for run in saved.runs)
        desktop.press("F9")
        desktop.until(lambda: not runs(), "one run")
        assert desktop.state["parameters"]["friction"] == 0.4
        assert desktop.look()["broken"] == {}
