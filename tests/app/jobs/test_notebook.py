"""The live view of a notebook: frames of the present state, sliders and actions, and no bit of the run changes."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.page.columns import read
from repose.sim import ParameterError, Simulation

from tests.app.audience.browser import open_browser
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


PLAYED = """<pre id="log"></pre><script>
const log = [], frame = Uint8Array.from(atob("%s"), (letter) => letter.charCodeAt(0)).buffer;
addEventListener("message", ({ data }) => {
  if (data instanceof ArrayBuffer) return;
  log.push(JSON.stringify(data));
  document.getElementById("log").textContent = log.join(" ");
});
opened.then((page) => {
  page.play(true);
  postMessage(frame, "*");
  setTimeout(() => postMessage({ pause: true }, "*"), 1000);
});
</script>
"""
"""A page that is its own parent, and sends itself a frame."""


@needs_browser
def test_the_page_asks_for_frames_and_shows_those_that_it_gets(simulation: Simulation, tmp_path: Path) -> None:
    view, sent = view_of(simulation, "friction")
    view.take({"do": "act", "name": "run"})
    view.take({"do": "set", "name": "friction", "value": 0.0})
    frame = base64.b64encode(sent[-1][1][0]).decode()
    alone = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", view.document)  # it forbids this script
    page = tmp_path / "view.html"
    page.write_text(alone.replace("</body>", PLAYED % frame + "</body>"), encoding="utf-8")
    found = document_of(page, "lang=en")
    log = re.search('<pre id="log">([^<]*)</pre>', found)
    assert log is not None
    assert log[1] == '{"ready":true} {"run":true} {"shown":true} {"pause":true}'
    friction = re.search("<td>friction.*?</td><td>([^<]*)</td>", found)
    assert friction is not None
    assert friction[1] == "0", "the parameters are those of the new frame"
    assert re.search('class="play">Play<', found), "paused at the end"


SHOWN = """<!doctype html><div id="el"></div><script type="module">%s
const answers = {}, values = %s, sent = (window.sent = []);
const on = (name, act) => (answers[name] = act), send = (wish) => sent.push(wish.do);
const el = document.getElementById("el");
window.leave = render({ model: { get: (name) => values[name], on, off() {}, send }, el });
window.enter = () => el.dispatchEvent(new PointerEvent("pointerenter"));
const frame = Uint8Array.from(atob("%s"), (letter) => letter.charCodeAt(0));
window.answer = () => answers["msg:custom"]({ ended: false, said: "" }, [frame]);
</script>"""
"""The widget with a model that sends nothing by itself."""


@needs_browser
def test_a_view_that_is_shown_again_asks_for_the_present_frame(simulation: Simulation, tmp_path: Path) -> None:
    view, sent = view_of(simulation, "friction")
    view.take({"do": "look"})
    assert simulation.experiment.step == 0
    frame = base64.b64encode(sent[-1][1][0]).decode()
    values = {name: getattr(view, name) for name in ("document", "title", "height", "controls", "actions")}
    module = view._esm.replace("export default { render };", "")
    page = tmp_path / "widget.html"
    page.write_text(SHOWN % (module, json.dumps(values).replace("</", "<\\/"), frame), encoding="utf-8")
    with open_browser(tmp_path / "browser") as browser:
        browser.open(page.as_uri())
        browser.until("sent.length > 0")
        browser.evaluate("enter()")
        assert browser.evaluate("sent") == ["look"], "one frame at a time"
        browser.evaluate("(answer(), enter())")
        assert browser.evaluate("sent") == ["look", "look"], "a cell may have changed the run"
        browser.evaluate("(answer(), leave(), enter())")
        assert browser.evaluate("sent") == ["look", "look"], "the cell is closed"
