"""Address and port of the server: that of the default route, unless the user chooses another one."""

from __future__ import annotations

import errno
import socket
import sys
from contextlib import suppress
from ipaddress import AddressValueError, IPv4Address

from repose.sim.message import Message, _
from repose.sim.parameters import ParameterError
from repose.sim.wording import reason_of, value_text

PORT, PORTS = 8765, 20
"""First port that is tried, and how many are tried if none is named."""
AUTOMATIC = "auto"
OUTSIDE = ("192.0.2.1", 9)
"""An address that no machine has (RFC 5737): connecting a datagram socket asks for the route and sends nothing."""
LOOPBACK = "127.0.0.1"
"""This machine alone."""
BACKLOG = 1024
"""Connections that may wait until the server takes them."""


def default_address() -> str | None:
    """The address of this machine on the interface with the default route; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(OUTSIDE)
            found = str(probe.getsockname()[0])
        except OSError:
            return None
    return found if found not in ("0.0.0.0", LOOPBACK) else None


def addresses() -> tuple[str, ...]:
    """The addresses of this machine, first that of the default route, last the one for this machine alone."""
    found = [default_address()]
    with suppress(OSError):  # a name that no server knows
        found += [str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return tuple(dict.fromkeys([*(address for address in found if address and address != LOOPBACK), LOOPBACK]))


def read_place(text: str) -> tuple[str, int | None]:
    """Address and port of "192.168.1.5:8000", "192.168.1.5", ":8000" or "auto"; an empty address and None are chosen
    automatically. Raises `ParameterError`."""
    if text.strip() == AUTOMATIC:
        return "", None
    address, colon, port = text.strip().rpartition(":") if ":" in text else (text.strip(), "", "")
    place: tuple[str, int | None] | None = None
    with suppress(AddressValueError, ValueError):
        given = IPv4Address(address) if address else None
        if not colon and given is not None:
            place = address, None
        elif 1024 <= int(port) <= 65535 and port.isascii() and port.isdigit():
            place = address, int(port)
    if place is not None and given is not None and (given.is_unspecified or given.is_multicast or given.is_reserved):
        raise ParameterError(
            Message("{text} is refused: no phone can open it; give auto or an address of this machine.", text=address)
        )
    if place is not None:
        return place
    raise ParameterError(
        Message(
            "{text} is refused: give auto, an address, a port from 1024 to 65535, or both: 192.168.1.5:8000, "
            "192.168.1.5 or :8000.",
            text=value_text(text),
        )
    )


def listening_socket(address: str = "", port: int | None = None) -> socket.socket:
    """A socket that takes connections at this address and port; raises `ParameterError`.

    Without an address that of the default route is used; without a port the first free one of `PORTS`.
    """
    chosen = address or default_address()
    if chosen is None:
        raise ParameterError(
            _(
                "No network was found, so no phone can reach this machine: connect it to a network, or open a hotspot "
                "on it, and try again."
            )
        )
    for number in (port,) if port is not None else range(PORT, PORT + PORTS):
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            if sys.platform != "win32":  # there it would allow a second program at the same port
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((chosen, number))
            listening.listen(BACKLOG)
            listening.setblocking(False)
            return listening
        except OSError as error:
            listening.close()
            if error.errno != errno.EADDRINUSE and not isinstance(error, PermissionError):
                raise ParameterError(
                    Message(
                        "{address} cannot be used ({reason}): choose an address of this machine.",
                        address=value_text(chosen),
                        reason=reason_of(error),
                    )
                ) from None
    if port is not None:
        raise ParameterError(
            Message(
                "The port {port} is used by another program: choose another one, or none for a free one.",
                port=str(port),
            )
        )
    raise ParameterError(
        Message(
            "The ports {first} to {last} are used by other programs: name a free one.",
            first=str(PORT),
            last=str(PORT + PORTS - 1),
        )
    )
