"""A live view of a run in a notebook: the page of a run, which draws the present frame, with run, pause and sliders.

    from repose.app.jobs.notebook import live
    live(simulation)

The browser asks for one frame after another. Between two frames the kernel makes steps for `SLICE` of wall time, so
that cells can be executed while the run goes on; the simulation is that of the script, which can change and measure it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from repose.app.language import translated
from repose.app.page.page_file import stream_of, written
from repose.app.page.recording import PageRecording
from repose.app.ui.field_values import position, value_at
from repose.sim.experiment.experiment import CHECK_STEPS
from repose.sim.experiment.simulation import Simulation
from repose.sim.experiment.stepping import advance, rests_at_check
from repose.sim.measure.contact_sums import touching_ids
from repose.sim.message import EMPTY, Message, _
from repose.sim.parameters import Parameter, ParameterError, require_known
from repose.sim.wording import message_of

try:
    import anywidget
    import traitlets
except ImportError:
    raise ImportError("The live view needs the package anywidget: pip install 'repose[notebook]'.") from None

SLICE = 0.1
"""Wall time of the steps between two frames [s]."""
MOST_SLIDERS = 8
"""Most parameters that have a slider by themselves."""


class LiveView(anywidget.AnyWidget):
    """The widget; `live` makes one."""

    _esm = files("repose.assets").joinpath("page", "live.js").read_text(encoding="utf-8")
    document = traitlets.Unicode().tag(sync=True)
    """The page with the present frame."""
    title = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int().tag(sync=True)
    """[pixel of the browser]."""
    controls: traitlets.List[Any] = traitlets.List().tag(sync=True)
    """A slider per parameter: name, label, position from 0 to 1 and value in words."""
    actions: traitlets.List[Any] = traitlets.List().tag(sync=True)
    """A button per action of the scene: name, label, whether it is possible now."""

    def __init__(
        self, simulation: Simulation, parameters: Sequence[Parameter], speed: float | None, height: int
    ) -> None:
        self._simulation, self._speed = simulation, speed
        self._parameters = {entry.name: entry for entry in parameters}
        self._recording = PageRecording()
        self._due = simulation.time
        """Simulated time to which the next frame goes [s]."""
        stream, title = self._frame(), simulation.experiment.scene.title
        super().__init__(
            document=written(stream, title, live=True).decode("utf-8"),
            title=translated(title),
            height=height,
            controls=self._controls(),
            actions=self._actions(),
        )
        self.on_msg(lambda widget, content, buffers: self.take(content))

    def take(self, asked: Mapping[str, Any]) -> None:
        """Carry out what the browser asks for, and send it the next frame."""
        said: Message = EMPTY
        try:
            match asked.get("do"), asked.get("name"), asked.get("value"):
                case "look", _, _:
                    pass
                case "more", _, _:
                    self._go_on()
                case "act", str(name), _:
                    self._simulation.act(name)
                case "set", str(name), int() | float() as share if name in self._parameters:
                    value = value_at(self._parameters[name], min(max(float(share), 0.0), 1.0))
                    self._simulation.set(**{name: value})
                case _:
                    return
        except ParameterError as error:
            said = message_of(error)
        experiment = self._simulation.experiment
        fault = experiment.fault
        ended = fault is not None or rests_at_check(experiment)
        words = translated(fault.message if fault is not None else said)
        self.controls, self.actions = self._controls(), self._actions()
        self.send({"ended": ended, "said": words}, buffers=[self._frame().packed()])

    def _go_on(self) -> None:
        """Make steps for `SLICE` of wall time, at most as fast as `speed`."""
        experiment, end = self._simulation.experiment, time.perf_counter() + SLICE
        scale = experiment.scene.limits.time_scale(experiment.run.built)
        self._due = math.inf if self._speed is None else experiment.time + self._speed * scale * SLICE
        while time.perf_counter() < end and experiment.fault is None and not rests_at_check(experiment):
            if experiment.time >= self._due:
                time.sleep(max(0.0, end - time.perf_counter()))
                return
            advance(experiment, CHECK_STEPS)

    def _frame(self) -> Any:
        """The present frame as columns of a page, with the camera of the frame before."""
        snapshot, world = self._simulation.snapshot(), self._simulation.world
        self._recording = self._recording.continued()
        self._recording.take(snapshot, touching_ids(world))
        return stream_of(self._recording, [0], snapshot, self._simulation.experiment.scene.title)

    def _controls(self) -> list[dict[str, Any]]:
        values = self._simulation.experiment.parameters
        rows = []
        for name, parameter in self._parameters.items():
            value = getattr(values, name)
            label = f"{translated(parameter.quantity.label)} {parameter.quantity.symbol}".strip()
            shown = translated(parameter.shown(values.given(name)))
            rows.append({"name": name, "label": label, "position": position(parameter, float(value)), "shown": shown})
        return rows

    def _actions(self) -> list[dict[str, Any]]:
        experiment = self._simulation.experiment
        offered = experiment.scene.course.actions(experiment)
        return [{"name": one.name, "label": translated(one.label), "enabled": one.enabled} for one in offered]


def live(simulation: Simulation, *parameters: str, speed: float | None = None, height: int = 560) -> LiveView:
    """The live view of a run, the last expression of a cell; `parameters` have sliders, by default those that matter
    in a lecture.

    `speed` is in simulated seconds per second, of the time of the scene; None is as fast as possible. Raises
    `ParameterError` for a name that is no parameter, and for one without a range.
    """
    declared = simulation.experiment.parameters.in_units()
    for name in parameters:
        require_known(name, declared, _("parameter"))
        if not _slides(declared[name]):
            raise ParameterError(f"{name} has no slider: choose numbers with a range, or none.")
    known = [declared[name] for name in simulation.experiment.scene.lecture if name in declared]
    chosen = [declared[name] for name in parameters] or [entry for entry in known if _slides(entry)][:MOST_SLIDERS]
    return LiveView(simulation, chosen, speed, height)


def _slides(parameter: Parameter) -> bool:
    number = parameter.kind in ("float", "int") and not parameter.choices
    return number and parameter.low is not None and parameter.high is not None
