"""The start of a session: the window is there before whatever takes long has begun."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NOT_YET = {"scipy.linalg", "scipy.sparse", "scipy.spatial", "scipy.stats", "matplotlib", "trimesh", "av", "PIL"}
"""What films, plots and shapes need: loading any of them takes longer than drawing a frame."""

FIRST_FRAME = """
import json, sys
from repose.app.storage.settings import load_settings
from repose.app.window.start import _choose_preset
from repose.app.window.window import open_offscreen

settings = load_settings()
name, chosen = _choose_preset("", settings)
window = open_offscreen((640, 480))
from repose.app.window.application import Application
application = Application(window, settings, name, chosen)
begun = []
begin, application.physics.begin = application.physics.begin, lambda: begun.append(application.renderer is not None)
application.draw_frame()
print(json.dumps([begun, application.ui.broken, len(application.ui.shelf.titles), sorted(sys.modules)]))
application.close()
"""


@pytest.mark.gl
def test_the_first_frame_is_drawn_before_physics_is_begun_and_loads_nothing_heavy(tmp_path: Path) -> None:
    environment = os.environ | {name: str(tmp_path) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", FIRST_FRAME], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    begun, broken, titles, modules = json.loads(done.stdout.splitlines()[-1])
    assert begun == [True]  # begun once, with the picture drawn
    assert broken == {}
    assert titles > 10
    assert NOT_YET.isdisjoint(modules)
