"""Headers of every answer, and how often one may ask.

The content security policy allows what the server itself serves and nothing inline, so that no text
of a design file or of a stranger can become code. There are no cookies.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from popout.web.http.refusals import RefusalError

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
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


class SafeHeaders:
    """Puts `HEADERS` on every answer, and keeps those of the interface out of caches."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        more = dict(HEADERS)
        if not scope["path"].startswith("/static/"):
            more["cache-control"] = "no-store"

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (name.encode(), value.encode())
                        for name, value in more.items()
                        if name.encode() not in given
                    ),
                ]
            await send(message)

        await self.app(scope, receive, send_safely)


class Rate:
    """How often each of many may do something.

    Each has a bucket that holds `burst` and gains `per_second`; doing it takes one.

    Parameters
    ----------
    per_second : float
    burst : int
    most : int
        Buckets that are kept; the one that was not used for longest goes first.
    clock : callable

    Examples
    --------
    >>> now = [0.0]
    >>> rate = Rate(per_second=1.0, burst=2, clock=lambda: now[0])
    >>> [rate.allows("a") for _ in range(3)], rate.allows("b")
    ([True, True, False], True)
    >>> now[0] = 1.0
    >>> rate.allows("a"), rate.allows("a")
    (True, False)
    """

    def __init__(
        self,
        per_second: float,
        burst: int,
        most: int = 100_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.per_second, self.burst, self.most, self.clock = per_second, burst, most, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, who: str) -> bool:
        """Whether someone may do it once more, now."""
        now = self.clock()
        full, then = self._buckets.pop(who, (float(self.burst), now))
        full = min(self.burst, full + (now - then) * self.per_second)
        allowed = full >= 1.0
        self._buckets[who] = (full - 1.0 if allowed else full, now)
        if len(self._buckets) > self.most:
            self._buckets.popitem(last=False)
        return allowed

    def check(self, who: str) -> None:
        """Refuse whoever asks too often."""
        if not self.allows(who):
            after = str(max(1, round(1.0 / self.per_second)))
            expected = f"at most {self.per_second:g} requests a second"
            raise RefusalError(429, expected, "more", "wait a little", {"Retry-After": after})
