"""The program in a separate process, for the tests of the command line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes of Unix")


def start(
    arguments: Sequence[str], folder: Path, code: Sequence[str] = (), **changed: str | None
) -> subprocess.Popen[str]:
    """The program in a process of its own, with environment variables changed or, for None, removed.

    With `code` that is run instead, with the rest of it before the arguments.
    """
    environment = {name: value for name, value in (os.environ | changed).items() if value is not None}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    pipe = subprocess.PIPE
    command = [sys.executable, *(["-c", *code] if code else ["-m", "app"]), *arguments]
    # A job in the background of a script ignores SIGINT, and its children would inherit that.
    heed: Any = None if sys.platform == "win32" else lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True, preexec_fn=heed)
