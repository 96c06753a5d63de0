"""The server takes answers to the present question from phones, actions from one remote, and nothing else."""

from __future__ import annotations

import asyncio
import html
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from repose.app.audience import protocol
from repose.app.audience import site as site_module
from repose.app.audience.exchange import MOST_ACTIONS, Answered, AskedQuestion, RemotePicture
from repose.app.audience.secret import LENGTH
from repose.app.audience.server import Server
from repose.app.language import NATIVE, read_language
from repose.sim.message import plain

from tests.app.audience.phones import CHOOSING, GUESS, Phone, listening, serving, until


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as on:
        yield on


@pytest.fixture(autouse=True)
def fresh(request: pytest.FixtureRequest) -> None:
    """Each test begins with a new question and nothing that waits."""
    if "server" in request.fixturenames:
        exchange = request.getfixturevalue("server").exchange
        number = exchange.question.number + 1
        exchange.take()
        exchange.publish(AskedQuestion(number, GUESS), {})


def asked(server: Server) -> int:
    assert server.exchange.question is not None
    return server.exchange.question.number


def opened(server: Server) -> Phone:
    phone = Phone(server)
    assert phone.open().status == 200
    return phone


def test_an_answer_arrives_once_per_phone_and_a_later_one_replaces_it(server: Server) -> None:
    first, second = opened(server), opened(server)
    number = asked(server)
    assert first.answer(28, number).data["value"] == 28.0
    assert second.answer("31,6", number).data["value"] == 32.0, "whole degrees, with the decimal sign of the phone"
    assert str(first.answer("-0", number).data["value"]) == "0.0", "a zero has no sign in the exported table"
    assert first.answer(12, number).status == 200
    answers, actions = server.exchange.take()
    assert sorted(answer.value for answer in answers.values()) == [12.0, 32.0]
    assert actions == []
    assert server.exchange.take() == ({}, [])


def test_a_phone_without_scripts_and_without_cookies_sends_the_form_of_the_page(server: Server) -> None:
    phone, number = Phone(server), asked(server)
    page = phone.open().text
    token = page.split('name="client" value="')[1].split('"')[0]
    phone.cookie = ""
    sent = phone.ask(
        "POST",
        f"/{server.audience}/answer",
        f"number={number}&client={token}&value=20",
        Accept="text/html",
    )
    assert (sent.status, sent.headers["location"]) == (303, f"/{server.audience}")
    assert [answer.value for answer in server.exchange.take()[0].values()] == [20.0]
    refused = phone.ask(
        "POST", f"/{server.audience}/answer", f"number={number}&client={token}&value=99", Accept="text/html"
    )
    assert refused.status == 400
    assert "Send a number from 0° to 60°." in refused.text
    assert f'href="/{server.audience}"' in refused.text


@pytest.mark.parametrize(
    ("value", "status"),
    [("60", 200), ("60.4", 400), ("-1", 400), ("nan", 400), ("1e1", 400), ("", 400), ("12.5.1", 400), ("１２", 200)],
)
def test_only_a_number_on_the_slider_is_taken(server: Server, value: str, status: int) -> None:
    phone = opened(server)
    assert phone.answer(value, asked(server)).status == status
    assert len(server.exchange.take()[0]) == (status == 200)


def test_another_question_and_a_closed_one_take_no_answer(server: Server) -> None:
    phone, exchange = opened(server), server.exchange
    question = exchange.question
    assert question is not None
    assert phone.answer(20, question.number - 1).status == 409
    exchange.publish(replace(question, is_open=False), {})
    assert phone.answer(20, question.number).status == 409
    exchange.publish(None, {})
    assert phone.answer(20, question.number).status == 409
    assert exchange.take() == ({}, [])
    exchange.publish(question, {})


def test_requests_from_elsewhere_are_refused(server: Server) -> None:
    phone, number = opened(server), asked(server)
    path, body = f"/{server.audience}/answer", f"number={number}&value=20"
    own = f"http://{server.host}"
    for headers in ({"Origin": "http://evil.example"}, {"Origin": ""}, {"Origin": "null"}, {"Host": "evil.example"}):
        assert phone.ask("POST", path, body, **headers).status in (403, 421), headers
    assert phone.ask("GET", f"/{server.audience}", Host=f"evil.example:{server.port}").status == 421
    assert phone.ask("PUT", path, body, Origin=own).status == 405
    assert Phone(server).answer(20, number).status == 403, "a phone that has not opened the page"
    forged = Phone(server, cookie=f"{'a' * 26}.{'a' * 26}")
    assert forged.answer(20, number).status == 403
    assert server.exchange.take() == ({}, [])
    assert phone.answer(20, number).status == 200, "the same request from the page"


def test_secrets_have_128_bits_differ_and_open_nothing_else(server: Server) -> None:
    assert LENGTH * 8 >= 128
    assert len({server.audience, server.lecturer}) == 2
    assert min(len(server.audience), len(server.lecturer)) * 5 >= 128
    phone = opened(server)
    wrong = "a" * len(server.audience)
    for path in (
        f"/{wrong}",
        f"/{wrong}/events",
        "/x",
        "/files/../app",
        "/files/%2e%2e%2fheap.webp",
        "//",
        "/etc/passwd",
    ):
        assert phone.ask("GET", path).status == 404, path
    assert phone.ask("POST", f"/{wrong}/answer", "number=1&value=1").status == 404
    assert phone.ask("POST", f"/{server.audience}/act", '{"do": "next"}').status == 404
    assert phone.ask("GET", f"/{server.audience}/picture").status == 404
    assert phone.ask("POST", f"/{server.lecturer}/answer", "number=1&value=1").status == 404


def test_the_short_address_takes_the_code_as_it_is_read(server: Server) -> None:
    phone = Phone(server)
    assert "maxlength" in phone.ask("GET", "/", Accept="text/html").text
    typed = f" {server.audience[:5].upper()} {server.audience[5:]} "
    found = phone.ask("POST", "/", f"code={typed.replace(' ', '+')}")
    assert (found.status, found.headers["location"]) == (303, f"/{server.audience}")
    assert phone.ask("POST", "/", "code=abc").status == 404


def test_no_text_of_a_client_comes_back(server: Server) -> None:
    phone, mark = opened(server), "<script>alert(1)</script>"
    for found in (
        phone.ask("GET", f"/{mark}".replace(" ", ""), Accept="text/html"),
        phone.ask("POST", "/", f"code={mark}", Accept="text/html"),
        phone.answer(mark, asked(server)),
        phone.ask("GET", f"/{server.audience}", Accept="text/html", Accept_Language=mark),
        phone.ask("GET", f"/{server.audience}", Accept="text/html", Cookie=f"repose={mark}"),
    ):
        assert "alert" not in found.text
        assert "script-src 'self'" in found.headers["content-security-policy"]
        assert found.headers["x-content-type-options"] == "nosniff"


def test_words_of_a_lecture_are_escaped(server: Server) -> None:
    words = '"><img src=x onerror=alert(1)>'
    server.exchange.publish(AskedQuestion(asked(server) + 1, replace(GUESS, words=plain(words))), {})
    text = opened(server).open().text
    assert words not in text
    assert html.escape(words) in text


def test_pages_load_nothing_from_the_network(server: Server) -> None:
    phone = opened(server)
    texts = [phone.open().text, phone.ask("GET", "/", Accept="text/html").text]
    texts += [phone.ask("GET", f"/files/{name}").text for name in ("audience.js", "remote.js", "style.css")]
    assert all("//" not in text.replace("// ", "").replace("://", "") or "http" not in text for text in texts)
    assert not any("http:" in text or "https:" in text for text in texts)


@pytest.mark.parametrize("code", list(NATIVE))
def test_a_phone_gets_its_language(server: Server, code: str) -> None:
    page = Phone(server).ask(
        "GET", f"/{server.audience}", Accept="text/html", Accept_Language=f"xx;q=0.9, {code}-XX;q=0.8, fr;q=0.1"
    )
    assert f'<html lang="{code}">' in page.text
    assert html.escape(read_language(code).drawn(GUESS.words)) in page.text


def test_words_of_a_lecture_are_in_the_language_of_the_phone(server: Server) -> None:
    given = {"en": "How steep?", "de": "Wie steil?"}
    server.exchange.publish(AskedQuestion(asked(server) + 1, GUESS, given), {})
    for language, words in (("de", "Wie steil?"), ("en", "How steep?"), ("ja", "How steep?")):
        page = Phone(server).ask("GET", f"/{server.audience}", Accept="text/html", Accept_Language=language)
        assert words in page.text


def test_an_open_page_gets_the_next_question(server: Server) -> None:
    phone, number = opened(server), asked(server)
    with listening(phone, server.audience) as following:
        first = following()
        assert (first["number"], first["open"], first["value"]) == (number, True, None)
        until(lambda: server.exchange.connected == 1, "count of one phone")
        server.exchange.publish(AskedQuestion(number + 1, GUESS, is_open=False), {})
        second = following()
        assert (second["number"], second["open"]) == (number + 1, False)
    until(lambda: server.exchange.connected == 0, "end of the connection")


def test_a_phone_that_answers_too_often_waits(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    phone, number = opened(server), asked(server)
    statuses = [phone.answer(20, number).status for _ in range(30)]
    assert statuses[0] == 200
    assert 429 in statuses


def test_the_number_of_phones_is_limited(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_module, "MOST_CLIENTS", 2)
    phones, number = [opened(server) for _ in range(3)], asked(server)
    assert [phone.answer(20, number).status for phone in phones] == [200, 200, 503]
    assert phones[0].answer(21, number).status == 200, "those that have answered can change it"


def test_a_long_request_is_refused(server: Server) -> None:
    phone = opened(server)
    assert phone.ask("POST", f"/{server.audience}/answer", "value=" + "1" * 2000).status == 413
    assert phone.ask("GET", "/" + "a" * 60_000).status in (400, 404, 414)
    assert phone.open().status == 200


def test_one_device_is_the_remote_until_there_is_a_new_code() -> None:
    with serving() as server:
        first, second = Phone(server), Phone(server)
        assert first.open(server.lecturer).status == 200
        assert second.open(server.lecturer).status == 403
        assert second.act(do="next").status == 403
        assert first.act(do="pause", value=True).status == 200
        assert server.exchange.take()[1] == [{"do": "pause", "value": True}]
        old = server.lecturer
        with listening(first, old) as following:
            server.exchange.publish(server.exchange.question, {"title": plain("A")})
            while following() != {"title": "A"}:
                pass
            server.renew_lecturer()
            with pytest.raises(EOFError):
                following()
        assert first.ask("GET", f"/{old}").status == 404
        assert second.open(server.lecturer).status == 200


@pytest.mark.parametrize("action", ["[]", '{"a": 1}', '{"do": 1}', '{"do": "a", "b": {}}', "{", "[" * 900, "nul", '""'])
def test_what_is_no_action_does_not_reach_the_window(server: Server, action: str) -> None:
    remote = Phone(server)
    server.renew_lecturer()
    until(lambda: remote.open(server.lecturer).status == 200, "remote")
    assert remote.ask("POST", f"/{server.lecturer}/act", action).status == 400
    assert server.exchange.take() == ({}, [])


def test_actions_that_wait_are_limited(server: Server) -> None:
    assert [server.exchange.put_action({"do": "next"}) for _ in range(MOST_ACTIONS + 1)] == [True] * MOST_ACTIONS + [
        False
    ]
    server.exchange.take()


def test_the_remote_gets_a_small_picture_while_it_looks(server: Server) -> None:
    remote = Phone(server)
    server.renew_lecturer()
    until(lambda: remote.open(server.lecturer).status == 200, "remote")
    assert remote.ask("GET", f"/{server.lecturer}/picture").status == 204
    assert server.exchange.watched > 0.0
    server.exchange.picture = RemotePicture(1, 0.0, 1280, 720, bytes(3 * 1280 * 720))
    found = remote.ask("GET", f"/{server.lecturer}/picture")
    assert (found.status, found.headers["content-type"]) == (200, "image/jpeg")


def test_a_server_that_is_switched_off_leaves_no_socket() -> None:
    before = threading.active_count()
    with serving() as server:
        phone = opened(server)
        with listening(phone, server.audience) as following:
            following()
            server.stop()
            with pytest.raises((EOFError, ConnectionError)):
                following()
        until(lambda: not server.is_on, "end of the server")
        with pytest.raises(ConnectionRefusedError), socket.create_connection((server.address, server.port), 5.0):
            pass
    assert threading.active_count() <= before


def test_nothing_of_the_server_is_imported_before_it_is_switched_on() -> None:
    code = (
        "import sys, repose.app.audience.server, repose.app.ui.phones\n"
        "print([name for name in ('starlette', 'uvicorn', 'h11', 'anyio') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_an_answer_is_kept_by_phone_until_the_window_takes_it(server: Server) -> None:
    server.exchange.put_answer("a", Answered(1, 1.0))
    server.exchange.put_answer("a", Answered(1, 2.0))
    assert server.exchange.take()[0] == {"a": Answered(1, 2.0)}


def test_three_hundred_phones_at_once_lose_no_answer(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "PATIENCE", 1000.0)  # on a machine of which this program has a part only
    count = 300

    async def request(text: str) -> str:
        reader, writer = await asyncio.open_connection(server.address, server.port)
        try:
            writer.write(text.encode())
            return (await reader.read()).decode()
        finally:
            writer.close()

    async def answer(number: int) -> str:
        host = f"Host: {server.host}\r\nConnection: close\r\n"
        page = await request(f"GET /{server.audience} HTTP/1.1\r\n{host}\r\n")
        cookie = re.search(r"(?i)set-cookie: (repose=[^;]*)", page)
        assert cookie is not None
        body = f"number={asked(server)}&value={number % 61}"
        head = (
            f"POST /{server.audience}/answer HTTP/1.1\r\n{host}Origin: http://{server.host}\r\nCookie: {cookie[1]}\r\n"
        )
        kind = "Accept: application/json\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        return await request(f"{head}{kind}Content-Length: {len(body)}\r\n\r\n{body}")

    async def all_answers() -> list[str]:
        return await asyncio.gather(*(answer(number) for number in range(count)))

    found = asyncio.run(all_answers())
    assert [text.split(" ", 2)[1] for text in found] == ["200"] * count
    values = sorted(answered.value for answered in server.exchange.take()[0].values())
    assert values == sorted(float(number % 61) for number in range(count))


@pytest.mark.parametrize("value", ["0", "4", "1.5", "1,0", "Nothing", "", "-1", "1e0", "٣"])
def test_what_is_none_of_the_choices_is_refused(value: str) -> None:
    with serving() as server:
        server.exchange.publish(CHOOSING, {})
        phone = Phone(server)
        phone.open()
        found = phone.answer(value, 2)
        assert found.status == 400
        assert "none of the answers" in found.data["refused"]
        assert phone.answer("2", 2).data["value"] == 2.0
        assert [answer.value for answer in server.exchange.take()[0].values()] == [2.0]
