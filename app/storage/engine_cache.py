"""Folder of the compiled engine: the user's cache folder, never beside the sources."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import platformdirs
from repose.app.storage.paths import NAME, make_private
from repose.sim.message import EMPTY, Message
from repose.sim.wording import reason_of

VARIABLE = "NUMBA_CACHE_DIR"
"""Environment variable that numba reads at its first import."""


def choose_engine_cache() -> Message:
    """Set the cache folder of numba; returns why compiled code will be lost at the end, or an empty string.

    Call it before numba is imported. A folder set in the environment is used unchanged. The fallback is a new private
    folder, because code from a shared folder would be executed unchecked.
    """
    if os.environ.get(VARIABLE):
        return EMPTY
    folder = Path(platformdirs.user_cache_dir(NAME, appauthor=False)) / "engine"
    try:
        make_private(folder)
        with tempfile.TemporaryFile(dir=folder):
            os.environ[VARIABLE] = str(folder)
            return EMPTY
    except (OSError, RuntimeError) as error:
        private = tempfile.mkdtemp(prefix="repose-engine-")
        atexit.register(shutil.rmtree, private, ignore_errors=True)
        os.environ[VARIABLE] = private
        reason = reason_of(error)
        return Message(
            "The engine is compiled at every start because {folder} cannot be written to ({reason}).",
            folder=str(folder),
            reason=reason,
        )
