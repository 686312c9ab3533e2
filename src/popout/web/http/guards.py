"""Hosts that are answered, headers of every answer, how often one may ask, how much one may send.

The content security policy allows what the server itself serves and nothing inline, so that no text
of a design file or of a stranger can become code. There are no cookies.

A page of somebody else can make a visitor's browser send requests here: under a name of their own
that leads to this machine, or as a form. The first says so in the header Host, where a name stands
that is none of ours; the second cannot send JSON by its own name.
"""

from __future__ import annotations

import contextlib
import re
import socket
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from popout.task import Fault
from popout.web.http.refusals import SEE, RefusalError, refusal_response

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), fullscreen=(self)",
}
LARGEST = 256 * 1024
"""Bytes of a body."""


class KnownHosts:
    """Answers requests for this machine by its addresses and for names that it is known by.

    Parameters
    ----------
    app : ASGIApp
    names : collection of str
        Beside addresses, localhost and the name of the machine.
    """

    def __init__(self, app: ASGIApp, names: Collection[str] = ()) -> None:
        self.app = app
        self.names = {"localhost", socket.gethostname().lower(), *map(str.lower, names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless it is for somebody else."""
        if scope["type"] == "http" and not self.knows(host := Headers(scope=scope).get("host", "")):
            remedy = "start the server with --name NAME if this name is its own"
            fault = Fault("", ("Host",), "a name of this server", repr(host[:100]), remedy)
            return await refusal_response(421, [fault])(scope, receive, send)
        await self.app(scope, receive, send)

    def knows(self, host: str) -> bool:
        """Whether a name, perhaps with a port, is one of ours.

        Examples
        --------
        >>> hosts = KnownHosts(None, ["lab.example.org"])
        >>> [hosts.knows(name) for name in ("127.0.0.1:8000", "[::1]", "Lab.Example.org:443")]
        [True, True, True]
        >>> hosts.knows("evil.example"), hosts.knows("127.0.0.1.evil.example"), hosts.knows("")
        (False, False, False)
        """
        name = re.sub(r":\d*$", "", host.lower()).rstrip(".")
        with contextlib.suppress(ValueError):
            return bool(ip_address(name.removeprefix("[").removesuffix("]")))
        return name in self.names


class SafeHeaders:
    """Puts `HEADERS` on every answer, and keeps those of the interface out of caches."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        # Names of scripts do not change with their content: browsers ask whether it is the same.
        is_file = scope.get("path", "").startswith("/static/")
        added = {**HEADERS, "cache-control": "no-cache" if is_file else "no-store"}

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in added.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_safely)


def visitor_of(request: Request) -> str:
    """Return who asks, as far as one can see: the address, or of IPv6 what one customer has."""
    host = request.client.host if request.client else ""
    with contextlib.suppress(ValueError):
        if ":" in host:
            return str(ip_network((host.partition("%")[0], 64), strict=False))
    return host


Buckets = OrderedDict[str, tuple[float, float]]
"""What is left to each, and since when."""


@dataclass(frozen=True, eq=False)
class Rate:
    """How often each of many may do something.

    Each has a bucket that holds `burst` and gains `per_second`; doing it takes one.

    Parameters
    ----------
    per_second : float
    burst : int
    most : int
        Buckets that are kept; the one that was not used for longest goes first.

    Examples
    --------
    >>> rate, buckets = Rate(per_second=1.0, burst=2), Buckets()
    >>> [rate.allows("a", 0.0, buckets) for _ in range(3)], rate.allows("b", 0.0, buckets)
    ([True, True, False], True)
    >>> rate.allows("a", 1.0, buckets), rate.allows("a", 1.0, buckets)
    (True, False)
    """

    per_second: float
    burst: int
    most: int = 100_000

    def allows(self, who: str, now: float, buckets: Buckets) -> bool:
        """Whether someone may do it once more, now."""
        full, then = buckets.pop(who, (float(self.burst), now))
        full = min(self.burst, full + (now - then) * self.per_second)
        allowed = full >= 1.0
        buckets[who] = (full - 1.0 if allowed else full, now)
        if len(buckets) > self.most:
            buckets.popitem(last=False)
        return allowed

    def check(self, request: Request, who: str) -> None:
        """Refuse whoever asks too often; clock and buckets are those of the application."""
        state = request.app.state
        if not self.allows(who, state.clock(), state.buckets.setdefault(self, Buckets())):
            after = str(max(1, round(1.0 / self.per_second)))
            expected = f"at most {self.per_second:g} requests a second"
            raise RefusalError(429, expected, "more", "wait a little", {"Retry-After": after})

    async def check_visitor(self, request: Request) -> None:
        """Refuse an address that asks too often; for `fastapi.Depends`."""
        self.check(request, visitor_of(request))


class CheckedRoute(APIRoute):
    """A route whose body is JSON of bounded size and depth, and can be stored again."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        """Return what answers a request."""
        answer = super().get_route_handler()

        async def checked(request: Request) -> Any:
            return await answer(_CheckedRequest(request.scope, request.receive))

        return checked


class _CheckedRequest(Request):
    """A request that refuses what `json.loads` would let pass: NaN, half characters, deep nests."""

    async def body(self) -> bytes:
        """Return at most `LARGEST` bytes; what is larger is not read to its end."""
        if not hasattr(self, "_body"):
            kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":  # which no form can send, and no page of another host
                remedy = "send Content-Type: application/json"
                raise RefusalError(415, "a body in JSON", kind[:60] or "no type", remedy)
            body = b""
            async for chunk in self.stream():
                body += chunk
                if len(body) > LARGEST:
                    expected = f"a body of at most {LARGEST} bytes"
                    raise RefusalError(413, expected, "a larger one", "send less at a time")
            if not body:
                raise RefusalError(400, "a body in JSON", "nothing", SEE)
            self._body = body
        return self._body

    async def json(self) -> Any:
        """Return what the body says."""
        try:
            return from_json(await self.body(), allow_inf_nan=False)
        except ValueError as error:
            remedy = f"mend it: {error}"
            raise RefusalError(400, "a body in JSON", "something else", remedy) from None
