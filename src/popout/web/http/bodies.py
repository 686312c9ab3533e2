"""JSON out of a request: of bounded size and depth, and nothing that cannot be stored again."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from fastapi import Request

from popout.web.http.refusals import RefusalError

DEEPEST = 20
LARGEST = 64 * 1024


async def read_json(request: Request, most: int = LARGEST) -> Any:
    """Return the body of a request.

    Parameters
    ----------
    request : Request
    most : int
        Bytes.

    Raises
    ------
    RefusalError
        413 if it is larger, 400 if it is not JSON.
    """
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            expected = f"a body of at most {most} bytes"
            raise RefusalError(413, expected, "a larger one", "send less at a time")
    return parse_json(body)


def parse_json(body: bytes) -> Any:
    r"""Return what JSON says.

    Examples
    --------
    >>> parse_json(b'{"drift": [8, 3]}')
    {'drift': [8, 3]}
    >>> parse_json(b'{"drift": NaN}')
    Traceback (most recent call last):
    popout.web.http.refusals.RefusalError: a body in JSON
    """
    try:
        value = json.loads(body, parse_constant=_refuse)
        if b"\\u" in body:  # half a character cannot be written anywhere
            json.dumps(value, ensure_ascii=False).encode()
        too_deep = _depth(value) > DEEPEST
    except (ValueError, RecursionError) as error:
        reason = str(error)[:200] or "it is nested too deeply"
        raise RefusalError(400, "a body in JSON", "something else", f"mend it: {reason}") from None
    if too_deep:
        raise RefusalError(
            400, "a body in JSON", "one nested too deeply", "see /api/v1/openapi.json"
        )
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _depth(value: Any) -> int:
    """Return how deeply lists and objects are nested, without going down with them."""
    level, depth = [value], 0
    while level:
        depth += 1
        inside: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inside += item.values()
            elif isinstance(item, list):
                inside += item
        level = inside
        if depth > DEEPEST:
            break
    return depth
