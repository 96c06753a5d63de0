"""Compile a part of an engine in a process beside this one, on another processor.

Neighbour search, survey and table of contacts take half of the time that it takes to compile an engine, and the step
loop needs the first at its end and the others once grains touch. Both processes find on disk what the other has
compiled (repose.sim.engine.jit); without the other process this one compiles everything.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress

from repose.sim.engine.builder import empty_world
from repose.sim.engine.contacts.force_table import blank_table, compiled_table
from repose.sim.engine.jit import is_stored
from repose.sim.engine.model import Model
from repose.sim.engine.parts import compile_geometry, compiled_parts
from repose.sim.engine.thread_count import available
from repose.sim.engine.timestep.survey import blank_sums, compiled_survey, limits_of

CODE = "from repose.sim.experiment.compile_beside import main; main()"


def compile_beside(model: Model, scene: str, values: dict[str, object], walled: bool) -> None:
    """Start the process, unless there is no other processor or everything is on disk; `values` are the parameters of
    the scene."""
    parts = (compiled_parts(model).renew_lists, compiled_survey(model), compiled_table(model.law, model.shapes))
    if available() < 2 or all(map(is_stored, parts)):
        return
    with suppress(OSError, TypeError):  # no process can be started, or a value has no form in JSON: not beside, then
        request = json.dumps({"scene": scene, "values": values, "walled": walled})
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


def main() -> None:
    """What the process does; a scene that it does not know, of a plug-in named on the command line, ends it."""
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    from repose.sim.experiment.activation import model_for
    from repose.sim.registry import laws, scenes

    scene = scenes()[request["scene"]]
    parameters = scene.parameters.checked(request["values"])
    model = model_for(scene, parameters, parameters)
    params = laws()[scene.law_of(parameters)].numbers(parameters)
    world = empty_world(model.dimension, model.spin_length, model.integrator.levels)
    compile_geometry(model, world, request["walled"])
    compiled_survey(model)(world, params, limits_of(model), blank_sums(world))
    compiled_table(model.law, model.shapes)(world, params, blank_table(world))


def _leave_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)
