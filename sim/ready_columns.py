"""Prepared states shipped with the program, so that a lecture can start at the open-wall step."""

from __future__ import annotations

import io
from importlib.resources import files
from typing import Any

from sim.parameters import ParameterSet
from sim.state import World


def load(name: str, parameters: ParameterSet) -> tuple[World, Any] | None:
    """The prepared world and scene state, or None if it was filled with other grains or another container."""
    return None
