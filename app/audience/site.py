"""What the server answers to each request, after checks of host, origin, secret, rate, size and content."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import math
import re
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from urllib.parse import parse_qs

from repose.app.audience import pages
from repose.app.audience.exchange import Answered, AskedQuestion, Exchange, RemotePicture
from repose.app.audience.limits import Rate
from repose.app.audience.secret import LENGTH, new_secret, written
from repose.sim.message import Message, _
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

log = logging.getLogger(__name__)

LONGEST_BODY = 1024
"""Largest size of what a client sends [bytes]."""
MOST_CLIENTS, MOST_CLIENTS_PER_ADDRESS = 2000, 1000
"""Phones that can answer one question, and those with one address."""
MOST_REMOTES = 3
"""Connections of the remote that are open at once: a page that is loaded again may still have an old one."""
HEARTBEAT = 15.0
"""Time between two signs of life on a connection without news [s]."""
PER_ADDRESS = (400.0, 4000.0)
"""Requests of one address per second in the long run, and at once: 300 phones behind one router are one address."""
PER_CLIENT = (1.0, 10.0)
"""Answers of one phone, likewise."""
PER_REMOTE = (20.0, 60.0)
"""Actions and pictures of the remote, likewise."""
PICTURE_WIDTH, PICTURE_QUALITY = 640, 70
"""Width of the picture of the remote [pixel], and its JPEG quality."""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would send a form with the origin null
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
COOKIE = "repose"
TOKEN = re.compile(r"[a-z2-7]{26}\.[a-z2-7]{26}")
"""A token of a client with its signature."""
NUMBER = re.compile(r"[-+]?\d{1,12}(?:[.,]\d{0,12})?")
"""A number as a phone sends it, with the decimal sign of its user."""

NOT_FROM_HERE = _("This request does not come from the page of the lecture, and is refused.")
TOO_OFTEN = _("Too many requests: wait a moment.")
TOO_LONG = _("The request is too long.")
NO_SUCH_PAGE = _("There is no such page: use the QR code in the picture.")
ANOTHER_QUESTION = _("Another question is asked now: answer that one.")
TOO_MANY = _("No more phones can answer this question.")
NO_CHOICE = _("This is none of the answers: choose one of them.")
NO_NUMBER = _("This is no number: type one, such as 12.5.")
OTHER_DEVICE = _("Another device is the remote already. Ask for a new code in the window.")
NO_ACTION = _("The window cannot take this action now.")


class Refusal(Exception):
    """A request that is not carried out: the status, and a sentence for the user."""

    def __init__(self, status: int, said: Message) -> None:
        super().__init__(status)
        self.status, self.said = status, said


@dataclass
class Present:
    """Who has answered the present question."""

    number: int = 0
    values: dict[str, float] = field(default_factory=dict)
    """The latest value by phone."""
    addresses: Counter[str] = field(default_factory=Counter)
    """How many phones have answered, by their address."""


class Site:
    """The application of one server. All of it runs in the event loop of the server."""

    def __init__(self, exchange: Exchange, host: str, audience: str, lecturer: str) -> None:
        self.exchange, self.host, self.audience, self.lecturer = exchange, host, audience, lecturer
        self.closing = False
        self.remote_client = ""
        """The device that the code of the remote is bound to: the first one that has opened it."""
        self._key = secrets.token_bytes(32)
        self._news = asyncio.Event()
        self._present = Present()
        self._streams: Counter[str] = Counter()
        self._addresses, self._clients, self._remote = Rate(*PER_ADDRESS), Rate(*PER_CLIENT), Rate(*PER_REMOTE)
        self._jpeg: tuple[int, bytes] = (-1, b"")
        self._app = Starlette(
            routes=[
                Route("/", self._enter, methods=["GET", "POST"]),
                Route("/favicon.ico", _no_icon),
                Route("/files/{name}", self._file),
                Route("/{code}", self._page),
                Route("/{code}/events", self._events),
                Route("/{code}/answer", self._answer, methods=["POST"]),
                Route("/{code}/act", self._act, methods=["POST"]),
                Route("/{code}/picture", self._picture),
            ],
            exception_handlers={Refusal: self._refuse, HTTPException: self._no_page},
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] != "http":
            return
        request, begun = Request(scope, receive), False

        async def send_with_headers(message: Any) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                own = [(name.lower().encode(), text.encode()) for name, text in HEADERS.items()]
                message = message | {"headers": [*message.get("headers", ()), *own]}
            await send(message)

        try:
            refusal = self._checked(request)
            answer = self._app if refusal is None else self._refuse(request, refusal)
            await answer(scope, receive, send_with_headers)
        except (ClientDisconnect, asyncio.CancelledError):
            raise
        except Exception as error:  # its text may contain what a client has sent: only its kind is logged
            log.error("A request of a phone failed (%s).", type(error).__name__)
            if not begun:
                await PlainTextResponse("500", 500)(scope, receive, send_with_headers)

    def publish(self) -> None:
        """Tell all open pages that there is something new."""
        self._news.set()
        self._news = asyncio.Event()

    def close(self) -> None:
        """End the connections of the open pages."""
        self.closing = True
        self.publish()

    def renew_lecturer(self, secret: str) -> None:
        """Give the remote another secret, for another device."""
        if secret != self.lecturer:
            self.lecturer, self.remote_client = secret, ""

    def _checked(self, request: Request) -> Refusal | None:
        """Why a request is refused whatever it asks for; None if it is not."""
        address = request.client.host if request.client is not None else ""
        if not self._addresses.allows(address, time.monotonic()):
            return Refusal(429, TOO_OFTEN)
        if request.headers.getlist("host") != [self.host]:
            return Refusal(421, NOT_FROM_HERE)
        if request.method == "POST" and request.headers.getlist("origin") != [f"http://{self.host}"]:
            return Refusal(403, NOT_FROM_HERE)
        if request.method not in ("GET", "HEAD", "POST"):
            return Refusal(405, NO_SUCH_PAGE)
        return None

    def _refuse(self, request: Request, refusal: Exception) -> Response:
        assert isinstance(refusal, Refusal)
        language = pages.language_of(request.headers.get("accept-language", ""))
        said = language.drawn(refusal.said)
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"refused": said}, refusal.status)
        code = str(request.path_params.get("code", "")) if "path_params" in request.scope else ""
        back = f"/{self.audience}" if hmac.compare_digest(code.encode(), self.audience.encode()) else "/"
        return HTMLResponse(pages.message_page(language, refusal.said, back), refusal.status)

    def _no_page(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return self._refuse(request, Refusal(error.status_code, NO_SUCH_PAGE))

    async def _language(self, request: Request) -> pages.Language:
        """The language of the phone; its file is read beside the loop."""
        return await asyncio.to_thread(pages.language_of, request.headers.get("accept-language", ""))

    def _require(self, request: Request, secret: str) -> None:
        """Raise `Refusal` unless the path has this secret."""
        if not hmac.compare_digest(request.path_params["code"].encode(), secret.encode()):
            raise Refusal(404, NO_SUCH_PAGE)

    # Clients -----------------------------------------------------------------------------------------------------

    def _signed(self, name: str) -> str:
        return f"{name}.{written(hmac.digest(self._key, name.encode(), 'sha256')[:LENGTH])}"

    def _known(self, token: str) -> str:
        """The name of the client in a token that this server has signed; empty for any other text."""
        if not TOKEN.fullmatch(token):
            return ""
        name = token.partition(".")[0]
        return name if hmac.compare_digest(token.encode(), self._signed(name).encode()) else ""

    def _client(self, request: Request, field: str = "") -> str:
        """The client by its cookie, or by the field of the form where cookies are refused; empty if it has neither."""
        return self._known(request.cookies.get(COOKIE, "")) or self._known(field)

    def _with_cookie(self, response: Response, client: str) -> Response:
        response.set_cookie(COOKIE, self._signed(client), httponly=True, samesite="strict")
        return response

    # The short address -------------------------------------------------------------------------------------------

    async def _enter(self, request: Request) -> Response:
        language = await self._language(request)
        if request.method != "POST":
            return HTMLResponse(pages.code_page(language))
        typed = "".join((await _form(request)).get("code", "").lower().split()).replace("-", "")
        for secret in (self.audience, self.lecturer):
            if hmac.compare_digest(typed.encode(), secret.encode()):
                return RedirectResponse(f"/{secret}", 303)
        return HTMLResponse(pages.code_page(language, pages.CODE_WRONG), 404)

    async def _file(self, request: Request) -> Response:
        kind = pages.FILES.get(request.path_params["name"])
        if kind is None:
            raise Refusal(404, NO_SUCH_PAGE)
        return Response(pages.asset(request.path_params["name"]), media_type=kind)

    # Pages -------------------------------------------------------------------------------------------------------

    async def _page(self, request: Request) -> Response:
        client = self._client(request) or new_secret()
        language = await self._language(request)
        if hmac.compare_digest(request.path_params["code"].encode(), self.lecturer.encode()):
            self._require_remote(client, bind=True)
            return self._with_cookie(HTMLResponse(pages.remote_page(language, self.lecturer)), client)
        self._require(request, self.audience)
        question = self.exchange.question
        value = self._value(client, question)
        text = pages.audience_page(question, value, language, self.audience, self._signed(client))
        return self._with_cookie(HTMLResponse(text), client)

    def _value(self, client: str, question: AskedQuestion | None) -> float | None:
        """What the client has answered to the question."""
        same = question is not None and question.number == self._present.number
        return self._present.values.get(client) if same else None

    async def _events(self, request: Request) -> Response:
        language = await self._language(request)
        client = self._client(request)
        if hmac.compare_digest(request.path_params["code"].encode(), self.lecturer.encode()):
            self._require_remote(client)
            if self.exchange.remotes >= MOST_REMOTES:
                raise Refusal(429, TOO_OFTEN)
            return _stream(self._remote_news(language))
        self._require(request, self.audience)
        if not client:
            raise Refusal(403, NOT_FROM_HERE)
        if self._streams[client] >= 2:  # a page that is loaded again may still have its old one
            raise Refusal(429, TOO_OFTEN)
        return _stream(self._question_news(client, language))

    async def _question_news(self, client: str, language: pages.Language) -> AsyncIterator[str]:
        self._streams[client] += 1
        self.exchange.connected = len(self._streams)
        try:
            async for text in self._changes(self.audience, lambda: self._question_shown(client, language)):
                yield text
        finally:
            self._streams[client] -= 1
            if not self._streams[client]:
                del self._streams[client]
            self.exchange.connected = len(self._streams)

    def _question_shown(self, client: str, language: pages.Language) -> dict[str, Any]:
        question = self.exchange.question
        return pages.shown_question(question, self._value(client, question), language)

    async def _remote_news(self, language: pages.Language) -> AsyncIterator[str]:
        self.exchange.remotes += 1
        try:
            async for text in self._changes(self.lecturer, lambda: pages.in_language(self.exchange.remote, language)):
                yield text
        finally:
            self.exchange.remotes -= 1

    async def _changes(self, secret: str, now: Callable[[], Any]) -> AsyncIterator[str]:
        """What `now` returns as events, each time that it has changed, and signs of life in between, as long as the
        secret is in use."""
        last = ""
        while not self.closing and secret in (self.audience, self.lecturer):
            news = self._news  # before the data are read, so that no change is missed
            text = json.dumps(now())
            yield f"data: {text}\n\n" if text != last else ":\n\n"
            last = text
            try:
                await asyncio.wait_for(news.wait(), HEARTBEAT)
            except TimeoutError:
                continue

    # Answers -----------------------------------------------------------------------------------------------------

    async def _answer(self, request: Request) -> Response:
        self._require(request, self.audience)
        form = await _form(request)
        client = self._client(request, form.get("client", ""))
        if not client:
            raise Refusal(403, NOT_FROM_HERE)
        if not self._clients.allows(client, time.monotonic()):
            raise Refusal(429, TOO_OFTEN)
        question = self.exchange.question
        if question is None or form.get("number") != str(question.number):
            raise Refusal(409, ANOTHER_QUESTION)
        if not question.is_open:
            raise Refusal(409, pages.CLOSED)
        value = _value_of(form.get("value", ""), question)
        self._keep(client, request.client.host if request.client is not None else "", question, value)
        self.exchange.put_answer(client, Answered(question.number, value))
        if "application/json" in request.headers.get("accept", ""):
            language = await self._language(request)
            return JSONResponse({"value": value, "said": language.drawn(pages.SENT)})
        return RedirectResponse(f"/{self.audience}", 303)

    def _keep(self, client: str, address: str, question: AskedQuestion, value: float) -> None:
        """Note the answer of a client; raises `Refusal` if too many have answered."""
        if self._present.number != question.number:
            self._present = Present(question.number)
        present = self._present
        if client not in present.values:
            if len(present.values) >= MOST_CLIENTS or present.addresses[address] >= MOST_CLIENTS_PER_ADDRESS:
                raise Refusal(503, TOO_MANY)
            present.addresses[address] += 1
        present.values[client] = value

    # The remote --------------------------------------------------------------------------------------------------

    def _require_remote(self, client: str, bind: bool = False) -> None:
        """Raise `Refusal` unless the client is the remote; with `bind` it becomes the remote if there is none."""
        if bind and client and not self.remote_client:
            self.remote_client = client
        if not client or client != self.remote_client:
            raise Refusal(403, OTHER_DEVICE)
        if not self._remote.allows(client, time.monotonic()):
            raise Refusal(429, TOO_OFTEN)

    async def _act(self, request: Request) -> Response:
        self._require(request, self.lecturer)
        self._require_remote(self._client(request))
        try:
            action = json.loads(await _body(request))
        except (ValueError, RecursionError):
            action = None
        if not _is_action(action) or not self.exchange.put_action(action):
            raise Refusal(400, NO_ACTION)
        return JSONResponse({})

    async def _picture(self, request: Request) -> Response:
        self._require(request, self.lecturer)
        self._require_remote(self._client(request))
        self.exchange.watched = time.monotonic()
        picture = self.exchange.picture
        if picture is None:
            return Response(status_code=204)
        if self._jpeg[0] != picture.serial:
            self._jpeg = picture.serial, await asyncio.to_thread(as_jpeg, picture)
        return Response(self._jpeg[1], media_type="image/jpeg")


async def _no_icon(request: Request) -> Response:
    """Browsers ask for an icon by themselves."""
    return Response(status_code=204)


def _is_action(action: Any) -> bool:
    """Whether the remote has sent an action: a small record of plain values. The window checks what it asks for."""
    return (
        isinstance(action, dict)
        and len(action) <= 4
        and isinstance(action.get("do"), str)
        and all(type(value) in (str, int, float, bool) for value in action.values())
    )


def _value_of(text: str, question: AskedQuestion) -> float:
    """The number in what a phone has sent, with the decimals of the question; raises `Refusal`."""
    guess, text = question.guess, text.strip()
    if guess.choices:
        numbers = {f"{guess.low + number:.0f}": guess.low + number for number in range(len(guess.choices))}
        if text not in numbers:
            raise Refusal(400, NO_CHOICE)
        return numbers[text]
    if not NUMBER.fullmatch(text):
        raise Refusal(400, NO_NUMBER)
    value = float(text.replace(",", "."))
    if not (math.isfinite(value) and guess.low <= value <= guess.high):
        raise Refusal(
            400,
            Message("Send a number from {low} to {high}.", low=guess.shown(guess.low), high=guess.shown(guess.high)),
        )
    return min(max(round(value, guess.decimals), guess.low), guess.high) + 0.0  # no minus before zero


async def _body(request: Request) -> bytes:
    """What the client has sent; raises `Refusal` if it is too long."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            raise Refusal(413, TOO_LONG)
    return body


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form, the last one of each name; raises `Refusal`."""
    try:
        text = (await _body(request)).decode("utf-8")
        return {name: values[-1] for name, values in parse_qs(text, max_num_fields=8).items()}
    except ValueError:
        raise Refusal(400, NO_NUMBER) from None


def _stream(news: AsyncIterator[str]) -> StreamingResponse:
    return StreamingResponse(news, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def as_jpeg(picture: RemotePicture) -> bytes:
    """The picture as a small JPEG file."""
    from PIL import Image

    image = Image.frombuffer("RGB", (picture.width, picture.height), picture.pixels, "raw", "RGB", 0, -1)
    width = min(PICTURE_WIDTH, picture.width)
    size = (width, max(picture.height * width // max(picture.width, 1), 1))
    file = BytesIO()
    image.resize(size, Image.Resampling.BOX).save(file, "JPEG", quality=PICTURE_QUALITY)
    return file.getvalue()
