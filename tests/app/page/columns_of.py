"""What a page contains."""

from __future__ import annotations

import base64
import re
from typing import Any

import numpy as np
from repose.app.page.columns import read


def columns_of(document: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Plain data and columns of a page."""
    packed = re.search(rb'<script type="text/plain" id="run">([^<]*)</script>', document)
    assert packed is not None
    return read(base64.b64decode(packed[1]))
