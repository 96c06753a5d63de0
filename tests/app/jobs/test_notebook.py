"""The live view of a notebook: frames of the present state, sliders and actions, and no bit of the run changes."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.page.columns import read
from repose.sim import ParameterError, Simulation

from tests.app.page.browser import document_of, needs_browser
from tests.small_worlds import use_plain_engine

notebook = pytest.importorskip("repose.app.jobs.notebook", reason="no anywidget: pip install 'repose[notebook]'")

Sent = list[tuple[dict[str, Any], list[bytes]]]


def small() -> Simulation:
    return Simulation("heap", {"grain_count": 8, "width": 0.01, "friction": 0.3}, seed=5)


@pytest.fixture
def simulation(monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulation]:
    use_plain_engine(monkeypatch)
    monkeypatch.setattr(notebook, "SLICE", 1e-3)
    return small()


def view_of(simulation: Simulation, *parameters: str, **more: Any) -> tuple[Any, Sent]:
    """The view of a run and what it sends."""
    view, sent = notebook.live(simulation, *parameters, **more), []
    view.send = lambda content, buffers: sent.append((content, buffers))
    return view, sent


def test_the_browser_gets_frames_of_the_present_state_and_the_run_stays_the_same(simulation: Simulation) -> None:
    view, sent = view_of(simulation)
    assert "followParent(page));" in view.document
    view.take({"do": "act", "name": "run"})
    view.take({"do": "more"})
    assert simulation.experiment.step > 0
    data, columns = read(sent[-1][1][0])
    assert columns["time"].tolist() == [np.float32(simulation.time)]
    loose = columns["there"] * (1 - columns["fixed"])
    assert loose.sum() == (~simulation.world.fixed).sum()
    assert data["dimension"] == 2
    assert sent[-1][0] == {"ended": False, "said": ""}
    other = small()
    other.act("run")
    other.step(simulation.experiment.step)
    assert other.state_hash() == simulation.state_hash()


def test_a_slider_changes_its_parameter_and_shows_it(simulation: Simulation) -> None:
    view, sent = view_of(simulation, "friction")
    assert [row["name"] for row in view.controls] == ["friction"]
    view.take({"do": "set", "name": "friction", "value": 0.0})
    assert simulation.experiment.parameters.friction == 0.0
    assert view.controls[0]["shown"] == "0"
    assert view.controls[0]["position"] == 0.0
    assert sent


@pytest.mark.parametrize(
    "asked",
    [{}, {"do": "set", "name": "gravity", "value": 0.5}, {"do": "set", "name": "friction", "value": "x"}, {"do": "x"}],
)
def test_what_the_view_does_not_offer_is_not_done(simulation: Simulation, asked: dict[str, Any]) -> None:
    view, sent = view_of(simulation, "friction")
    before = simulation.experiment.parameters
    view.take(asked)
    assert not sent
    assert simulation.experiment.parameters is before


def test_a_refusal_is_said_in_the_view(simulation: Simulation) -> None:
    view, sent = view_of(simulation)
    view.take({"do": "act", "name": "tilt"})
    assert sent[0][0]["said"]


def test_only_numbers_with_a_range_have_sliders(simulation: Simulation) -> None:
    with pytest.raises(ParameterError, match="integrator has no slider"):
        notebook.live(simulation, "integrator")
    with pytest.raises(ParameterError, match="frction"):
        notebook.live(simulation, "frction")


HARNESS = """<!doctype html><meta charset="utf-8"><main id="view"></main><pre id="log"></pre><script>
%s
const content = %s, listeners = {}, asked = [], frame = Uint8Array.from(atob(content.frame), (c) => c.charCodeAt(0));
const answer = { ended: false, said: "refused" };
const model = {
  get: (name) => content[name], off: () => {}, on: (name, listener) => { listeners[name] = listener; },
  send: (wish) => { asked.push(wish.do); listeners["msg:custom"](answer, [new DataView(frame.buffer)]); },
};
let shown = 0;
addEventListener("message", ({ data }) => {
  shown += data.shown === true;
  document.getElementById("log").textContent = `shown ${shown} asked ${asked}`;
});
render({ model, el: document.getElementById("view") });
const act = () => document.querySelector("main button").click();
document.querySelector("iframe").addEventListener("load", () => setTimeout(act, 500));
</script>
"""


@needs_browser
def test_a_browser_shows_the_frames_that_it_gets(simulation: Simulation, tmp_path: Path) -> None:
    view, sent = view_of(simulation, "friction")
    view.take({"do": "act", "name": "run"})
    frame = base64.b64encode(sent[-1][1][0]).decode()
    content = {name: getattr(view, name) for name in ("document", "title", "height", "controls", "actions")}
    content["actions"] = [{"name": "run", "label": "Run", "enabled": True}]
    script = view._esm.replace("export default", "const module =") if isinstance(view._esm, str) else ""
    assert script
    page = tmp_path / "view.html"
    written = json.dumps(content | {"frame": frame}).replace("</", "<\\/")
    page.write_text(HARNESS % (script, written), encoding="utf-8")
    found = document_of(page)
    assert "shown 1 asked act" in found
    assert "<label>friction" in found
    assert "refused</p>" in found
