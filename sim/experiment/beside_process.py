"""A child process that compiles a part of an engine while its parent compiles the rest.

The child builds the same model as the parent, which starts it by `repose.sim.experiment.compile_beside`.
"""

from __future__ import annotations

import json
import os
import sys
import threading

from repose.sim.engine.builder import empty_world, with_parts
from repose.sim.engine.contacts.contact_table import compile_table
from repose.sim.engine.model import Coefficients, for_world
from repose.sim.engine.parts import compile_geometry
from repose.sim.engine.timestep.survey import compile_survey
from repose.sim.experiment.activation import bond_coefficients, field_coefficients, model_for
from repose.sim.experiment.hand import compile_fields
from repose.sim.registry import laws, scenes


def main() -> None:
    """Read a request and compile; a scene of a plug-in named on the parent's command line is unknown and ends this."""
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    scene = scenes()[request["scene"]]
    parameters = scene.parameters.checked(request["values"])
    model = for_world(model_for(scene, parameters, parameters), request["periodic"])
    params = laws()[scene.law_of(parameters)].coefficients(parameters)
    coefficients = Coefficients(field_coefficients(scene, parameters), bond_coefficients(scene, parameters))
    period = float(request["periodic"])  # any number: only whether there is one decides what is compiled
    world = with_parts(empty_world(model.dimension, model.spin_length, model.integrator.levels, period=period), model)
    compile_geometry(model, request["walled"])
    compile_survey(model, world, params, coefficients)
    compile_table(model, world, params)
    compile_fields(model, coefficients)


def _leave_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)
