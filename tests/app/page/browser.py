"""A browser without a display: pictures of pages, and what their scripts have made of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
needs_browser = pytest.mark.skipif(not BROWSER, reason="no Chromium is installed: apt install chromium")
WAITS = "--virtual-time-budget=10000"
"""The browser waits until the page has nothing to do; it does not wait for a frame in another process."""
PATIENCE = 120
"""Wall time for one page on a busy machine [s]."""


def _run(folder: Path, *options: str) -> str:
    command = [
        BROWSER,
        "--headless=new",
        "--no-sandbox",
        "--hide-scrollbars",
        "--enable-unsafe-swiftshader",
        f"--user-data-dir={folder / 'browser'}",
        *options,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout


def picture_of(page: Path, wishes: str, size: tuple[int, int], waits: str = WAITS) -> np.ndarray:
    """The page as a picture, shape (height, width, 3)."""
    file = page.with_suffix(".png")
    _run(
        page.parent,
        waits,
        f"--window-size={size[0]},{size[1]}",
        f"--screenshot={file}",
        f"{page.as_uri()}#{wishes}",
    )
    with Image.open(file) as found:
        return np.asarray(found.convert("RGB"))


def document_of(page: Path, wishes: str = "frame=0", *options: str) -> str:
    """The document after its scripts."""
    return _run(page.parent, WAITS, *options, "--dump-dom", f"{page.as_uri()}#{wishes}")
