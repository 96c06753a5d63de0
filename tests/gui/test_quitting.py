"""The window is closed with Ctrl+Q, or by its button, in a replay and while a film is recorded: nothing is lost."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from repose.sim.experiment import saved_run
from repose.sim.experiment.replay import verify

from tests.gui.desktop import Desktop, open_desktop
from tests.gui.test_window import SIZE, SMALL

pytestmark = [pytest.mark.gui, pytest.mark.gl]

BY_BUTTON = "alt+F4"
"""What the window manager does when the button of the window is pressed."""


def require_end(desktop: Desktop, folder: Path) -> None:
    """Exit code 0, the settings written, and no run that is offered as lost."""
    assert desktop.program.wait(60) == 0
    settings = tomllib.loads((folder / "config" / "repose" / "settings.toml").read_text(encoding="utf-8"))
    assert settings["unfolded"]["column"] is False, "the column was folded just before"
    assert not list((folder / "state").rglob("run-*.repose"))


@pytest.mark.parametrize("way", ["ctrl+q", BY_BUTTON])
def test_a_film_is_complete_after_the_window_is_closed_while_it_is_recorded(tmp_path: Path, way: str) -> None:
    import av

    preset = tmp_path / "small.toml"
    preset.write_text(SMALL, encoding="utf-8")
    with open_desktop(tmp_path, "--preset", str(preset), size=SIZE) as desktop:
        desktop.press("f", "v")
        desktop.until(lambda: desktop.look()["film"]["frames"] >= 12, "twelve frames")
        desktop.press("F4")
        film = desktop.look()["film"]
        desktop.xdotool("key", way)
        require_end(desktop, tmp_path)
    with av.open(film["path"]) as container:
        assert sum(1 for _ in container.decode(video=0)) >= film["frames"]
    assert [path.name for path in Path(film["path"]).parent.iterdir()] == [Path(film["path"]).name], "no part is left"


@pytest.mark.parametrize("way", ["ctrl+q", BY_BUTTON])
def test_a_run_that_was_asked_to_be_saved_in_a_replay_is_saved_whole_before_the_window_closes(
    tmp_path: Path, way: str
) -> None:
    preset = tmp_path / "small.toml"
    preset.write_text(SMALL, encoding="utf-8")
    with open_desktop(tmp_path, "--preset", str(preset), size=SIZE) as desktop:
        desktop.press("a")
        desktop.until(lambda: "transport.replay" in desktop.look()["widgets"], "the end of the run")
        end = desktop.state["step"]
        desktop.press("F4", "0")
        desktop.until(lambda: 0 < desktop.state["step"] < end, "an earlier step")
        desktop.xdotool("key", "ctrl+s", way)
        require_end(desktop, tmp_path)
    (path,) = (tmp_path / "Documents" / "Repose").glob("*.repose")
    run = saved_run.load(path)
    assert verify(run).differs_at is None
    assert run.now.at >= end, "the end, and not the step that the replay showed"
