"""Where the compiled engine is kept between runs: the user's cache folder, never beside the sources."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import platformdirs
from repose.app.storage.paths import NAME

VARIABLE = "NUMBA_CACHE_DIR"
"""Read by numba when it is first imported."""


def choose_engine_cache() -> str:
    """Tell numba where to keep compiled code; returns why it will be lost at the end, or an empty string.

    To be called before numba is imported. A choice the user made in the environment is left alone. The
    fallback is a fresh private folder, since compiled code from a shared one would be run unseen.
    """
    if os.environ.get(VARIABLE):
        return ""
    folder = Path(platformdirs.user_cache_dir(NAME, appauthor=False)) / "engine"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            os.environ[VARIABLE] = str(folder)
            return ""
    except (OSError, RuntimeError) as error:
        private = tempfile.mkdtemp(prefix="repose-engine-")
        atexit.register(shutil.rmtree, private, ignore_errors=True)
        os.environ[VARIABLE] = private
        reason = getattr(error, "strerror", None) or error
        return f"The engine is compiled anew at every start, since {folder} cannot be written to ({reason})."
