"""The closed list of what may be done to a running world: plain data, each with `apply(simulation)`.

Panels, keys, the command line and a replay file all speak this list and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.parameters import Value
    from sim.simulation import Simulation


@dataclass(frozen=True)
class SetParameters:
    """Change parameters (SI values); refused as a whole if one of them is out of range."""

    values: Mapping[str, Value]

    def apply(self, simulation: Simulation) -> None:
        simulation.set_parameters(self.values)


@dataclass(frozen=True)
class Act:
    """Fire one of the scene's actions, such as "fill" or "open"; refused while it makes no sense."""

    action: str

    def apply(self, simulation: Simulation) -> None:
        simulation.act(self.action)


@dataclass(frozen=True)
class Start:
    """Begin anew with these parameters and this seed; `ready` names a prepared state to start from."""

    scene: str
    values: Mapping[str, Value]
    seed: int
    ready: str | None = None

    def apply(self, simulation: Simulation) -> None:
        simulation.restart(self.scene, self.values, self.seed, self.ready)


@dataclass(frozen=True)
class Recover:
    """Go back to the last good state after a fault, with the given parameters."""

    values: Mapping[str, Value]

    def apply(self, simulation: Simulation) -> None:
        simulation.recover(self.values)


Command = SetParameters | Act | Start | Recover
