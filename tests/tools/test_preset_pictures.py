"""The pictures of the presets are drawn with the engine cache of the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = """
from tests.tools import preset_pictures
preset_pictures.presets.names = tuple
preset_pictures.main([])
import numba
print(numba.config.CACHE_DIR)
"""


def test_the_pictures_of_presets_use_the_engine_cache(tmp_path: Path) -> None:
    homes = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | homes
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert Path(done.stdout.split("\n")[-2]).is_relative_to(tmp_path)
