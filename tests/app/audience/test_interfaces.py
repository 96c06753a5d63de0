"""Address and port of the server are found, chosen, or refused with a sentence."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest
from repose.app.audience import interfaces
from repose.app.audience.interfaces import LOOPBACK, addresses, listening_socket, read_place
from repose.sim.parameters import ParameterError


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("auto", ("", None)),
        ("192.168.1.5:8000", ("192.168.1.5", 8000)),
        ("192.168.1.5", ("192.168.1.5", None)),
        (":8000", ("", 8000)),
    ],
)
def test_a_place_is_an_address_a_port_or_both(text: str, place: tuple[str, int | None]) -> None:
    assert read_place(text) == place


@pytest.mark.parametrize("text", ["", "host", "1.2.3", "1.2.3.4:80", "1.2.3.4:", ":x", ":٨٠٠٠", "1.2.3.4:99999", "::1"])
def test_another_text_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ParameterError, match=r"192\.168\.1\.5:8000"):
        read_place(text)


@pytest.mark.parametrize("text", ["0.0.0.0", "0.0.0.0:8000", "224.0.0.1", "255.255.255.255:8000", "240.0.0.1"])
def test_an_address_at_which_no_phone_can_open_a_page_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="no phone can open it"):
        read_place(text)


def test_a_port_that_is_taken_is_followed_by_the_next_or_refused_if_it_was_named() -> None:
    with ExitStack() as stack:
        first = stack.enter_context(listening_socket(LOOPBACK))
        second = stack.enter_context(listening_socket(LOOPBACK))
        port = first.getsockname()[1]
        assert second.getsockname()[1] > port
        with pytest.raises(ParameterError, match=f"The port {port} is used by another program"):
            listening_socket(LOOPBACK, port)


def test_all_ports_taken_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interfaces, "PORTS", 0)
    with pytest.raises(ParameterError, match="are used by other programs"):
        listening_socket(LOOPBACK)


def test_no_network_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoRoute(socket.socket):
        def connect(self, address: object) -> None:
            raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(interfaces.socket, "socket", NoRoute)
    assert interfaces.default_address() is None
    with pytest.raises(ParameterError, match="No network was found"):
        listening_socket()


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(ParameterError, match="choose an address of this machine"):
        listening_socket("198.51.100.7")


def test_the_last_address_is_that_of_this_machine_alone() -> None:
    found = addresses()
    assert found[-1] == LOOPBACK
    assert len(set(found)) == len(found)
