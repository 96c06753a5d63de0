"""Connections of the server: their number is limited, and so is the time in which a request must be complete."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST, MOST_PER_ADDRESS = 1500, 700
"""Open connections, and those from one address: the phones of a lecture hall can have one address in common."""
RESERVED = 224
"""Open files that are left to the rest of the program."""
PATIENCE = 10.0
"""Wall time in which a request must be complete, from the connection or the answer before on [s]."""
UNHEARD = 20_000
"""Time after which a phone that does not confirm what is sent to it counts as gone [ms]."""


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 with a limited number of connections. One server has one set of counts (`limited`)."""

    per_address: Counter[str]
    most: int
    counted = ""
    """The address under which the connection is counted; empty before it is."""
    waits_since = 0.0
    """When the connection was opened, or the last answer was complete [s, clock of the loop]."""

    def connection_made(self, transport: Any) -> None:
        """Count the connection, or close it at once if there are too many."""
        address = str((transport.get_extra_info("peername") or ("",))[0])
        if len(self.connections) >= self.most or self.per_address[address] >= MOST_PER_ADDRESS:
            transport.abort()
            return
        self.counted = address
        self.per_address[address] += 1
        self.waits_since = asyncio.get_running_loop().time()
        connected = transport.get_extra_info("socket")
        if connected is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
            with suppress(OSError):
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNHEARD)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if not self.counted:  # it was refused
            return
        self.per_address[self.counted] -= 1
        if not self.per_address[self.counted]:
            del self.per_address[self.counted]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass data on, unless the connection was refused."""
        if self.counted:
            super().data_received(data)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self.waits_since = asyncio.get_running_loop().time()
        super().on_response_complete()

    def end_if_late(self, now: float) -> None:
        """Close the connection if its request is not complete in time [s, clock of the loop]."""
        cycle = self.cycle
        incomplete = cycle is None or cycle.response_complete or cycle.more_body
        if incomplete and now - self.waits_since > PATIENCE and self.transport is not None:
            self.transport.abort()


def limited() -> type[LimitedProtocol]:
    """The protocol with counts of its own, for one server."""
    return type("CountedProtocol", (LimitedProtocol,), {"per_address": Counter(), "most": room_for_connections()})


def room_for_connections() -> int:
    """How many connections can be open at once, with the open files that the system allows; raises their number to what
    the user may have, if it is too small for a lecture."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + RESERVED
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard) if hard > 0 else wanted, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if soft == resource.RLIM_INFINITY else max(min(MOST, soft - RESERVED), 8)
