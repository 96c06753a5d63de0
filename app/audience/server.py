"""The server: a thread with its own event loop, from the click that switches it on to the one that ends it."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import suppress

from repose.app.audience.exchange import Exchange
from repose.app.audience.interfaces import listening_socket
from repose.app.audience.secret import new_secret
from repose.sim.message import Message
from repose.sim.wording import reason_of

log = logging.getLogger(__name__)

END = 0.5
"""Wall time to wait for the thread at the end [s]."""
SWEEP = 2.0
"""Wall time between two looks for connections whose request takes too long [s]."""


class Server:
    """A server that is on from its creation until `stop`; raises `ParameterError` if no socket can be opened.

    The socket is open at once: phones that are faster than the import of the libraries wait for it.
    """

    def __init__(self, exchange: Exchange, address: str = "", port: int | None = None) -> None:
        self.exchange = exchange
        self._socket = listening_socket(address, port)
        self.address, self.port = self._socket.getsockname()
        """Where it listens."""
        self.audience, self.lecturer = new_secret(), new_secret()
        """The secrets of phones and remote."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="audience", daemon=True)
        self._thread.start()

    @property
    def host(self) -> str:
        """Address and port, as in the address line of a browser."""
        return f"{self.address}:{self.port}"

    @property
    def is_on(self) -> bool:
        """Whether it answers."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Close the socket and all connections, and end the thread; called in the thread of the window."""
        self._ending.set()
        self._wake()
        self._thread.join(END)

    def renew_lecturer(self) -> None:
        """Give the remote another secret; the present one ends."""
        self.lecturer = new_secret()
        self._wake()

    def _wake(self) -> None:
        """Let the loop look at what has changed; called in the thread of the window."""
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # it has ended
                loop.call_soon_threadsafe(self._news.set)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:  # the lecture goes on without phones
            log.exception("The server of the audience ended.")
            self.exchange.trouble = Message(
                "The phones are switched off because of an error ({reason}): switch them on again.",
                reason=reason_of(error),
            )
        finally:
            self._socket.close()
            self.exchange.connected = self.exchange.remotes = 0

    async def _serve(self) -> None:
        """Serve until `stop`, and look in between at what the window has changed."""
        import uvicorn
        from repose.app.audience.protocol import LimitedProtocol, limited
        from repose.app.audience.site import Site

        site = Site(self.exchange, self.host, self.audience, self.lecturer)
        config = uvicorn.Config(
            site,
            http=limited(),
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_config=None,
            log_level="critical",  # its other lines are about requests
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=16_384,
        )
        server = uvicorn.Server(config)
        self._loop, self._news = asyncio.get_running_loop(), asyncio.Event()
        self.exchange.wake = self._wake
        serving = asyncio.create_task(server.serve(sockets=[self._socket]))
        while not self._ending.is_set() and not serving.done():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), SWEEP)
            self._news.clear()
            site.renew_lecturer(self.lecturer)
            site.publish()
            for connection in tuple(server.server_state.connections):
                if isinstance(connection, LimitedProtocol):
                    connection.end_if_late(self._loop.time())
        site.close()
        server.should_exit = True
        await serving
