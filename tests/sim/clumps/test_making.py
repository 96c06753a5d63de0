"""All loops of the clumps are compiled together."""

from __future__ import annotations

from types import ModuleType

import pytest
from repose.sim.clumps import fit_loops, grid_loops
from repose.sim.clumps.making import compile_loops


def loops_of(module: ModuleType) -> dict[str, object]:
    return {name: loop for name, loop in vars(module).items() if hasattr(loop, "signatures")}


def test_every_loop_is_called_so_that_none_is_compiled_later(monkeypatch: pytest.MonkeyPatch) -> None:
    called = set()

    class Heard:
        def __init__(self, name: str, loop: object) -> None:
            self.name, self.loop = name, loop

        def __call__(self, *arguments: object) -> object:
            called.add(self.name)
            return self.loop(*arguments)

    every = {name: (module, loop) for module in (grid_loops, fit_loops) for name, loop in loops_of(module).items()}
    for name, (module, loop) in every.items():
        monkeypatch.setattr(module, name, Heard(name, loop))
    compile_loops.cache_clear()
    compile_loops()
    assert called == set(every)
    assert len(every) >= 10
