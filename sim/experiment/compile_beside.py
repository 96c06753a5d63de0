"""Start a process that compiles a part of an engine (repose.sim.experiment.beside_process), on another processor.

Neighbour search, survey and table of contacts take half of the compile time of an engine. The step loop needs the
neighbour search last, and the others once grains touch. Each process loads from disk the code that the other has
compiled (repose.sim.engine.jit); without the second process the first one compiles everything.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import suppress

from repose.sim.engine.composition import Kind
from repose.sim.engine.contacts.contact_table import compiled_evaluation
from repose.sim.engine.jit import is_stored
from repose.sim.engine.model import Model, for_world
from repose.sim.engine.parts import compiled_parts
from repose.sim.engine.thread_count import available
from repose.sim.engine.timestep.survey import compiled_survey

CODE = "from repose.sim.experiment.beside_process import main; main()"


def compile_beside(model: Model, params: tuple, scene: str, values: dict[str, object], kind: Kind) -> None:
    """Start the process, unless there is no other processor or everything is on disk; `params` are the
    numbers of the law, `values` the parameters of the scene, `kind` that of its world."""
    model = for_world(model, kind.periodic)
    of_law = compiled_evaluation(model.law, model.shapes, params)
    if available() < 2 or all(map(is_stored, (compiled_parts(model).renew_lists, compiled_survey(model), of_law))):
        return
    with suppress(OSError, TypeError):  # no process can be started, or JSON has no form of a value: compile alone
        request = json.dumps({"scene": scene, "values": values, **kind._asdict()})
        process = subprocess.Popen(
            [sys.executable, "-c", CODE],
            stdin=subprocess.PIPE,  # which ends with this process
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(request + "\n")
        process.stdin.flush()
        threading.Thread(target=_await, args=(process,), daemon=True).start()


def _await(process: subprocess.Popen[str]) -> None:
    with process:
        process.wait()
