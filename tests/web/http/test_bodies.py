"""Bodies: too large, too deep, no JSON; never an error of the server."""

import contextlib

import httpx
import pytest

from popout.web.http.bodies import parse_json
from popout.web.http.refusals import RefusalError

BAD = [
    b"",
    b"{",
    b"\xff\xfe{}",
    b"NaN",
    b"[Infinity]",
    b'"\\ud800"',
    b"[" * 5000,
    b"[" * 100 + b"]" * 100,
    b"9" * 5000,
    b"\x00",
    b"{'a': 1}",
    b'{"a": 1}}',
]


@pytest.mark.parametrize("body", BAD, ids=range(len(BAD)))
def test_what_is_no_json_is_refused(body):
    with pytest.raises(RefusalError) as refused:
        parse_json(body)
    assert refused.value.status == 400


@pytest.mark.parametrize("body", BAD, ids=range(len(BAD)))
def test_the_server_answers_bad_bodies_in_words(client, body):
    answer = client.post("/api/v1/solve", content=body)
    assert answer.status_code == 400
    assert answer.json()["faults"][0]["remedy"]


def test_a_body_that_is_too_large_is_refused_before_its_end(client):
    def endless():
        for _ in range(10_000):
            yield b" " * 10_000

    # The server may hang up while we are still sending.
    with contextlib.suppress(httpx.TransportError):
        assert client.post("/api/v1/solve", content=endless()).status_code == 413
    assert client.get("/api/v1/health").status_code == 200


def test_a_large_body_of_known_length_is_refused(client):
    assert client.post("/api/v1/solve", content=b" " * 100_000).status_code == 413


def test_good_json_comes_through():
    assert parse_json('{"a": ["\u00e4", 1.5, null]}'.encode()) == {"a": ["\u00e4", 1.5, None]}
