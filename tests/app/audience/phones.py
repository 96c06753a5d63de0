"""Phones and a remote for tests of the server: clients over real sockets on this machine."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode

from repose.app.audience.exchange import AskedQuestion, Exchange
from repose.app.audience.interfaces import LOOPBACK
from repose.app.audience.server import Server
from repose.sim.measure.display import Guess
from repose.sim.message import _, plain

GUESS = Guess(_("Angle of the surface in the fastest drum"), "°", 0.0, 60.0)
HTML = "<script>alert(1)</script>"
CHOOSING = AskedQuestion(
    2,
    Guess(plain("What happens?"), "", 1.0, 3.0, (plain("Nothing"), plain(HTML), plain("It stops"))),
    {"en": "What happens?", "de": "Was geschieht?"},
    ({"en": "Nothing", "de": "Nichts"}, {"en": HTML}, {"en": "It stops", "de": "Es stockt"}),
)
"""A question of a lecture with choices."""
PATIENCE = 60.0
"""Wall time after which something that should happen counts as not happening [s]."""


@dataclass(frozen=True)
class Answer:
    """What the server has answered."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def data(self) -> Any:
        return json.loads(self.text)


@dataclass
class Phone:
    """A browser with its cookie; `source` is its address."""

    server: Server
    source: str = LOOPBACK
    cookie: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: str | bytes | None = None, **headers: str) -> Answer:
        """One request; a header that is "" is left out."""
        sent = {
            "Host": self.server.host,
            "Accept": "application/json",
            **({"Origin": f"http://{self.server.host}"} if method == "POST" else {}),
            **({"Cookie": f"repose={self.cookie}"} if self.cookie else {}),
            **self.headers,
            **{name.replace("_", "-"): text for name, text in headers.items()},
        }
        connection = HTTPConnection(self.server.address, self.server.port, PATIENCE, source_address=(self.source, 0))
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            content = body.encode() if isinstance(body, str) else body
            if content is not None:
                sent.setdefault("Content-Length", str(len(content)))
            for name, text in sent.items():
                if text:
                    connection.putheader(name, text)
            connection.endheaders(content)
            response = connection.getresponse()
            found = Answer(
                response.status,
                {name.lower(): text for name, text in response.getheaders()},
                response.read().decode("utf-8", "replace"),
            )
        finally:
            connection.close()
        if given := re.match(r"repose=([^;]*)", found.headers.get("set-cookie", "")):
            self.cookie = given[1]
        return found

    def open(self, code: str = "") -> Answer:
        """Open the page, by default that of the audience."""
        return self.ask("GET", f"/{code or self.server.audience}", Accept="text/html")

    def answer(self, value: object, number: int = 1, **fields: str) -> Answer:
        """Send an answer."""
        return self.ask(
            "POST", f"/{self.server.audience}/answer", urlencode({"number": number, "value": value} | fields)
        )

    def act(self, **action: Any) -> Answer:
        """Send an action of the remote."""
        return self.ask("POST", f"/{self.server.lecturer}/act", json.dumps(action))


@contextmanager
def listening(phone: Phone, code: str) -> Iterator[Callable[[], Any]]:
    """An open connection for news; the function returns the next ones."""
    with socket.create_connection((phone.server.address, phone.server.port), PATIENCE) as connection:
        head = f"GET /{code}/events HTTP/1.1\r\nHost: {phone.server.host}\r\nCookie: repose={phone.cookie}\r\n\r\n"
        connection.sendall(head.encode())
        lines = connection.makefile("r", encoding="utf-8", newline="\n")  # holds the connection open, too

        def following() -> Any:
            while line := lines.readline():
                if line.startswith("data: "):
                    return json.loads(line.removeprefix("data: "))
            raise EOFError

        with lines:
            yield following


@contextmanager
def serving() -> Iterator[Server]:
    """A server on this machine that asks the question number 1."""
    exchange = Exchange()
    server = Server(exchange, LOOPBACK)
    try:
        exchange.publish(AskedQuestion(1, GUESS), {})
        yield server
    finally:
        server.stop()


def until(done: Callable[[], object], what: str) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, f"there is still no {what}"
        time.sleep(0.01)
