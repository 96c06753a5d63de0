"""The pages in a real browser without a display: a phone answers, with and without JavaScript; the remote controls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from repose.app.audience.exchange import AskedQuestion, Exchange, RemotePicture
from repose.app.audience.interfaces import LOOPBACK
from repose.app.audience.pages import language_of
from repose.app.audience.server import Server
from repose.app.ui import remote

from tests.app.audience.browser import Browser, open_browser
from tests.app.audience.phones import CHOOSING, GUESS, HTML, serving, until
from tests.app.ui.panels.panel_harness import full_snapshot, open_harness


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("browser")) as one:
        yield one


@pytest.fixture(autouse=True)
def quiet(browser: Browser) -> Iterator[None]:
    """No script fails, and nothing is asked from anywhere else."""
    browser.do("Page.navigate", url="about:blank")  # the page of the test before asks a server that has ended
    browser.said.clear()
    browser.asked.clear()
    yield
    assert browser.said == []
    assert {urlsplit(address).hostname for address in browser.asked if not address.startswith("blob:")} <= {"127.0.0.1"}


def test_a_phone_shows_the_question_and_sends_the_slider(browser: Browser) -> None:
    with serving() as server:
        browser.open(f"http://{server.host}/{server.audience}", size=(320, 568))
        browser.until("!document.getElementById('slide').hidden")
        assert browser.evaluate("document.getElementById('words').textContent") == str(GUESS.words)
        assert browser.evaluate("document.documentElement.scrollWidth") <= 320, "nothing is cut off on a small phone"
        browser.evaluate(
            "(() => { const s = document.getElementById('slider'); s.value = 42; s.dispatchEvent(new Event('input'));"
            " document.querySelector('button').click(); })()"
        )
        browser.until("document.getElementById('said').textContent.includes('42°')")
        assert [answer.value for answer in server.exchange.take()[0].values()] == [42.0]
        assert browser.evaluate("document.getElementById('slider').getAttribute('aria-valuetext')") == "42°"
        assert browser.evaluate("document.getElementById('slider').getAttribute('aria-label')") == "Slider of the guess"
        server.exchange.publish(AskedQuestion(2, replace(GUESS, unit="%", high=100.0)), {})
        browser.until("document.getElementById('number').value === '2'")
        assert browser.evaluate("document.getElementById('value').value") == ""
        server.exchange.publish(AskedQuestion(2, replace(GUESS, unit="%", high=100.0), is_open=False), {})
        browser.until("document.getElementById('form').hidden")
        assert "has answered" in browser.evaluate("document.getElementById('said').textContent")


def test_a_phone_without_scripts_answers_with_the_form(browser: Browser) -> None:
    with serving() as server:
        address = f"http://{server.host}/{server.audience}"
        browser.open(address, scripts=False)
        browser.evaluate("document.getElementById('value').value = '17'")
        browser.evaluate("document.getElementById('form').requestSubmit()")
        until(lambda: server.exchange._answers, "answer of the form")
        assert [answer.value for answer in server.exchange.take()[0].values()] == [17.0]
        browser.until("document.getElementById('said')?.textContent === 'Your guess was sent.'")
        assert browser.evaluate("document.getElementById('value').value") == "17"


def test_a_server_that_is_gone_is_said_and_found_again(browser: Browser) -> None:
    with serving() as server:
        browser.open(f"http://{server.host}/{server.audience}")
        browser.until("!document.getElementById('slide').hidden")
    browser.until("document.getElementById('said').textContent.startsWith('No connection')")
    browser.said.clear()  # the browser reports the connection that failed
    browser.open("about:blank")
    browser.said.clear()


def test_a_page_with_the_code_of_an_earlier_server_says_to_use_the_new_one(browser: Browser) -> None:
    exchange = Exchange()
    server = Server(exchange, LOOPBACK)
    try:
        browser.open(f"http://{server.host}/{server.audience}", language="de")
        browser.until("document.getElementById('said').textContent.startsWith('Gerade wird nichts gefragt')")
        server.stop()
        until(lambda: not server.is_on, "end of the server")
        server = Server(exchange, LOOPBACK, server.port)
        browser.until("document.getElementById('said').textContent.endsWith('Benutzen Sie den QR-Code im Bild.')")
    finally:
        server.stop()
        browser.open("about:blank")
        browser.said.clear()  # the browser reports the connection that failed


def test_the_remote_controls_the_window(browser: Browser, tmp_path: Path) -> None:
    with serving() as server, open_harness(tmp_path, full_snapshot()) as harness:
        ui, exchange = harness.ui, server.exchange
        ui.control.edits.see(ui.snapshot)
        exchange.picture = RemotePicture(1, 0.0, 64, 36, bytes(3 * 64 * 36))
        exchange.publish(exchange.question, remote.state(ui, 0.0) | {"answers": {"count": 3, "shown": False}})
        browser.open(f"http://{server.host}/{server.lecturer}")
        browser.until("document.querySelectorAll('#actions button').length > 3")
        browser.until("document.getElementById('picture').naturalWidth === 64")
        assert browser.evaluate("document.documentElement.scrollWidth") <= 390
        for script, action in (
            ("document.getElementById('pause').click()", {"do": "pause", "value": True}),
            ("document.querySelector('#actions [data-name=open]').click()", {"do": "act", "name": "open"}),
            ("document.getElementById('answers').click()", {"do": "answers", "value": True}),
        ):
            browser.evaluate(script)
            found = []
            until(lambda found=found: found.extend(exchange.take()[1]) or found, "action")
            assert found == [action]
        browser.evaluate(
            "(() => { const s = document.getElementById('parameter-friction'); s.value = 250;"
            " s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change')); })()"
        )
        found = []
        until(lambda: found.extend(exchange.take()[1]) or found, "slider")
        assert found[-1] == {"do": "set", "name": "friction", "value": 0.25, "drag": 1}


@pytest.mark.parametrize(
    ("accepted", "code"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fr-FR,fr;q=0.9,pl;q=0.5,en;q=0.4", "pl"),
        ("en;q=0.1, ja", "ja"),
        ("de;q=0, ru", "ru"),
        ("", "en"),
        ("*", "en"),
        ("q=1;;,de;q=x", "en"),
        ("x" * 5000, "en"),
    ],
)
def test_the_language_is_the_preferred_one_that_is_there(accepted: str, code: str) -> None:
    assert language_of(accepted).code == code


def test_a_phone_chooses_an_answer_with_buttons_that_a_screen_reader_names(browser: Browser) -> None:
    with serving() as server:
        server.exchange.publish(AskedQuestion(1, GUESS), {})
        browser.open(f"http://{server.host}/{server.audience}", "de", (320, 568))
        browser.until("!document.getElementById('slide').hidden")
        server.exchange.publish(CHOOSING, {})
        browser.until("document.getElementById('number').value === '2'")
        assert browser.evaluate("document.documentElement.scrollWidth") <= 320
        assert browser.evaluate("getComputedStyle(document.getElementById('numbers')).display") == "none"
        named = browser.do("Accessibility.getFullAXTree")["nodes"]
        roles = [(node["role"]["value"], node["name"]["value"]) for node in named if "name" in node]
        assert ("radiogroup", "Was geschieht?") in roles
        assert [name for role, name in roles if role == "radio"] == ["Nichts", HTML, "Es stockt"]
        browser.evaluate("document.querySelectorAll('#buttons input')[2].click()")
        browser.evaluate("document.querySelector('button').click()")
        browser.until("document.getElementById('said').textContent.includes('Es stockt')")
        assert [answer.value for answer in server.exchange.take()[0].values()] == [3.0]
        browser.open(f"http://{server.host}/{server.audience}", "de")
        browser.until("document.querySelector('#buttons input:checked').value === '3'")
        browser.until("document.getElementById('said').textContent.endsWith('Es stockt')")
        server.exchange.publish(AskedQuestion(3, GUESS), {})
        browser.until("document.getElementById('number').value === '3'")
        assert browser.evaluate("getComputedStyle(document.getElementById('choices')).display") == "none"
        browser.evaluate("document.getElementById('value').value = 5; document.querySelector('button').click()")
        browser.until("document.getElementById('said').textContent.includes('5°')")


def test_a_phone_without_scripts_chooses_with_the_form(browser: Browser) -> None:
    with serving() as server:
        server.exchange.publish(CHOOSING, {})
        address = f"http://{server.host}/{server.audience}"
        browser.open(address, "en", scripts=False)
        node = browser.do("DOM.getDocument")["root"]["nodeId"]
        second = browser.do("DOM.querySelectorAll", nodeId=node, selector="#buttons input")["nodeIds"][1]
        browser.do("DOM.focus", nodeId=second)
        for key, code in ((" ", 32), ("\r", 13)):
            for kind in ("keyDown", "keyUp"):
                text = key if kind == "keyDown" else ""
                browser.do("Input.dispatchKeyEvent", type=kind, text=text, key=key, windowsVirtualKeyCode=code)
        until(lambda: server.exchange._answers, "answer")
        assert [answer.value for answer in server.exchange.take()[0].values()] == [2.0]


def test_an_answer_without_a_connection_is_sent_once_there_is_one(browser: Browser) -> None:
    with serving() as server:
        browser.open(f"http://{server.host}/{server.audience}")
        browser.until("!document.getElementById('slide').hidden")
        network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        browser.do("Network.emulateNetworkConditions", offline=True, **network)
        browser.evaluate(
            "window.tried = 0; window.real = fetch; window.fetch = (...asked) => { tried++; return real(...asked); };"
            "document.getElementById('value').value = 42; document.querySelector('button').click()"
        )
        browser.until("tried >= 1 && document.getElementById('said').className === 'lost'")
        browser.until("tried >= 5")
        browser.do("Network.emulateNetworkConditions", offline=False, **network)
        browser.until("document.getElementById('said').textContent.includes('42°')")
        assert browser.evaluate("document.getElementById('said').className") == ""
        assert [answer.value for answer in server.exchange.take()[0].values()] == [42.0]
    browser.said.clear()  # the failed requests
