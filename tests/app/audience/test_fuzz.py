"""Malformed requests, slow clients, many connections and clients that leave: the server goes on answering.

Every test ends with an answer of a phone that behaves. Attackers have another address of this machine, where the system
has one (127.0.0.2, Linux): one address cannot take all connections.
"""

from __future__ import annotations

import asyncio
import logging
import random
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator

import pytest
from repose.app.audience import protocol
from repose.app.audience.interfaces import LOOPBACK
from repose.app.audience.server import Server

from tests.app.audience.phones import Phone, listening, serving, until
from tests.tiers import tiered

ATTACKER = "127.0.0.2" if sys.platform == "linux" else LOOPBACK
AT_ONCE = 40
"""Malformed requests that are sent at a time."""


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as on:
        yield on


def require_service(server: Server) -> None:
    """A phone opens the page and answers."""
    phone = Phone(server)
    assert phone.open().status == 200
    assert phone.answer(20).status == 200
    assert [answer.value for answer in server.exchange.take()[0].values()][-1] == 20.0


def malformed(rng: random.Random, server: Server) -> bytes:
    """A request with something wrong in its line, headers, body or length, or random bytes."""
    codes = (server.audience, server.lecturer, "x", "%00", "é", "..", "a" * rng.randrange(1, 300), "")
    path = "/".join(
        ("", rng.choice(codes), rng.choice(("answer", "events", "act", "picture", "", "%2e%2e", "?q=" * 20)))
    )
    method = rng.choice(("GET", "POST", "POST", "PUT", "OPTIONS", "CONNECT", "get", "", "\x00", "TRACE"))
    hosts = (server.host, server.host, server.host, "evil.example", "", f"{server.host}@x", "\xff")
    number = rng.choice(("1", "2", "-1", "1e9", "nan", "", "0x1", "9" * 400))
    bodies = (
        f"number=1&value={number}",
        f"number={number}&value=20&" * rng.randrange(1, 40),
        '{"do": "set", "name": "friction", "value": 1e999}',
        '{"do": ' * rng.randrange(1, 200),
        "\x00" * rng.randrange(0, 2000),
        "value=%ff%fe&number=1",
        "",
    )
    body = rng.choice(bodies).encode("latin-1")
    origin = rng.choice((f"http://{server.host}", "null", "http://evil.example", "\x7f"))
    length = rng.choice((str(len(body)), str(len(body)), "-1", "99999999999", "x", str(len(body) + 10)))
    heads = [
        f"Host: {rng.choice(hosts)}",
        f"Origin: {origin}",
        f"Content-Length: {length}",
        f"Cookie: repose={'a' * rng.randrange(0, 60)}.{'b' * 26}",
        f"Accept-Language: {rng.choice(('de', 'q=;q=;,,,', 'x' * 300, ',' * 500, 'en;q=9.9'))}",
        rng.choice(
            ("Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: Upgrade\r\nUpgrade: websocket", "X")
        ),
    ]
    rng.shuffle(heads)
    kept = "\r\n".join(heads[: rng.randrange(len(heads) + 1)])
    request = f"{method} {path} HTTP/{rng.choice(('1.1', '1.1', '1.0', '2.0', '9'))}\r\n{kept}\r\n\r\n".encode(
        "latin-1"
    )
    match rng.randrange(8):
        case 0:
            return rng.randbytes(rng.randrange(1, 400))
        case 1:
            return request[: rng.randrange(len(request))]
        case 2:
            cut = bytearray(request + body)
            for _ in range(5):
                cut[rng.randrange(len(cut))] = rng.randrange(256)
            return bytes(cut)
        case _:
            return request + body


async def send(request: bytes, server: Server) -> bytes:
    """Send bytes, end the request, and read what comes back."""
    reader, writer = await asyncio.open_connection(server.address, server.port, local_addr=(ATTACKER, 0))
    try:
        writer.write(request)
        writer.write_eof()
        return await asyncio.wait_for(reader.read(200), 60.0)
    except ConnectionError:
        return b""
    finally:
        writer.transport.abort()


async def send_all(requests: list[bytes], server: Server) -> list[bytes]:
    found: list[bytes] = []
    for first in range(0, len(requests), AT_ONCE):
        found += await asyncio.gather(*(send(request, server) for request in requests[first : first + AT_ONCE]))
    return found


@pytest.mark.parametrize("count", tiered((300, 10_000), fast=(300,)))
def test_malformed_requests_change_nothing(server: Server, count: int, caplog: pytest.LogCaptureFixture) -> None:
    rng = random.Random(7)
    with caplog.at_level(logging.DEBUG, "repose"):
        found = asyncio.run(send_all([malformed(rng, server) for _ in range(count)], server))
    assert not any(b" 500 " in answer[:40] for answer in found)
    assert not any(b" 200 " in answer[:40] and b"uvicorn" in answer for answer in found)
    assert caplog.records == []
    assert server.exchange.take() == ({}, [])
    require_service(server)


def test_a_client_that_leaves_while_it_answers_ends_nothing(server: Server) -> None:
    phone = Phone(server)
    phone.open()
    head = f"POST /{server.audience}/answer HTTP/1.1\r\nHost: {server.host}\r\nOrigin: http://{server.host}\r\n"
    head += f"Cookie: repose={phone.cookie}\r\nContent-Length: 18\r\n\r\nnumber=1&value=2"
    for sent in (len(head), len(head) - 9, 40):
        for _ in range(20):
            with socket.create_connection((server.address, server.port), 30.0) as leaving:
                leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset
                leaving.sendall(head[:sent].encode())
    assert server.exchange.take() == ({}, []), "two letters of the answer never came"
    require_service(server)


def test_pages_that_close_without_a_word_are_no_longer_counted(server: Server) -> None:
    for _ in range(5):
        phone = Phone(server)
        phone.open()
        with listening(phone, server.audience) as following:
            following()
    until(lambda: server.exchange.connected == 0, "end of the pages")
    require_service(server)


def test_a_slow_client_is_closed_and_others_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "PATIENCE", 0.2)
    with serving() as server, socket.create_connection((server.address, server.port), 60.0) as slow:
        slow.sendall(b"POST / HTTP/1.1\r\nHost: ")
        require_service(server)
        with listening(Phone(server, cookie=cookie_of(server)), server.audience) as following:
            following()
            assert slow.recv(100) == b"", "the server has closed it"
            server.exchange.publish(None, {})
            assert following()["number"] == 0, "an open page is no slow client"


def cookie_of(server: Server) -> str:
    phone = Phone(server)
    phone.open()
    return phone.cookie


ATTACK = """
import resource, socket, sys
count, source, address, port = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
allowed = count + 100 if hard == resource.RLIM_INFINITY else min(count + 100, hard)
resource.setrlimit(resource.RLIMIT_NOFILE, (max(allowed, soft), hard))
opened = []
for _ in range(min(count, allowed - 50)):
    one = socket.socket()
    one.setblocking(False)
    one.bind((source, 0))
    one.connect_ex((address, port))
    opened.append(one)
print(len(opened), flush=True)
sys.stdin.read()
"""
"""A program that opens connections, says how many, and keeps them until its input ends."""


@pytest.mark.parametrize("count", tiered((300, 5000), fast=(300,)))
def test_many_connections_from_one_address_leave_room_for_others(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    if ATTACKER == LOOPBACK:
        pytest.skip("this system has one loopback address only")
    if count == 300:
        monkeypatch.setattr(protocol, "MOST", 150)
        monkeypatch.setattr(protocol, "MOST_PER_ADDRESS", 100)
    with serving() as server:
        require_service(server)
        command = [sys.executable, "-c", ATTACK, str(count), ATTACKER, server.address, str(server.port)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as attack:
            assert attack.stdout is not None
            assert int(attack.stdout.readline()) >= min(count, 900)
            require_service(server)
            attack.communicate()
        require_service(server)
