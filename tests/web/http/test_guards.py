"""Headers of every answer, how often one may ask, and bodies that are no good."""

import contextlib
from types import SimpleNamespace

import httpx
import pytest

from popout.web.http.guards import Buckets, Rate, visitor_of
from popout.web.http.refusals import RefusalError

BAD = [
    b"",
    b"{",
    b"\xff\xfe{}",
    b"NaN",
    b"[Infinity]",
    b'"\\ud800"',
    b"[" * 5000,
    b"[" * 300 + b"]" * 300,
    b"9" * 5000,
    b"\x00",
    b"{'a': 1}",
    b'{"a": 1}}',
]
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("address", ["/", "/api/v1/health", "/nothing", "/static/none.js"])
def test_every_answer_is_safe(client, address):
    headers = client.get(address).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == ("no-cache" if "static" in address else "no-store")
    assert "set-cookie" not in headers
    assert "access-control-allow-origin" not in headers


def test_buckets_are_bounded():
    rate, buckets = Rate(per_second=0.001, burst=1, most=100), Buckets()
    for number in range(1000):
        assert rate.allows(str(number), 0.0, buckets)
    assert len(buckets) == 100
    assert not rate.allows("999", 0.0, buckets)


def test_whoever_asks_too_often_hears_when_to_come_back():
    state = SimpleNamespace(clock=lambda: 0.0, buckets={})
    request, rate = SimpleNamespace(app=SimpleNamespace(state=state)), Rate(0.1, burst=1)
    rate.check(request, "a")
    with pytest.raises(RefusalError) as refused:
        rate.check(request, "a")
    assert refused.value.status_code == 429
    assert refused.value.headers["Retry-After"] == "10"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("203.0.113.1", "203.0.113.2", False),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", True),  # a customer has 2**64 of them
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("fe80::1%eth0", "fe80::1%eth1", True),
        ("", "unknown", False),
    ],
)
def test_a_visitor_is_an_address_or_a_network_of_one(one, other, same):
    names = [
        visitor_of(SimpleNamespace(client=SimpleNamespace(host=host))) for host in (one, other)
    ]
    assert (names[0] == names[1]) == same
    assert visitor_of(SimpleNamespace(client=None)) == ""


@pytest.mark.parametrize("body", BAD, ids=range(len(BAD)))
def test_what_is_no_json_is_refused_in_words(client, body):
    answer = client.post("/api/v1/boundary", content=body, headers=JSON)
    assert answer.status_code == 400
    assert answer.json()["faults"][0]["remedy"]


def test_what_is_nested_too_deeply_for_a_task_is_a_fault_of_it(client):
    deep = b'{"task": ' + b"[" * 190 + b"]" * 190 + b', "costs": {"time": 1}}'
    answer = client.post("/api/v1/boundary", content=deep, headers=JSON)
    assert (answer.status_code, answer.json()["faults"][0]["path"]) == (422, ["task"])


def test_a_body_that_is_too_large_is_refused_before_its_end(client):
    def endless():
        for _ in range(10_000):
            yield b" " * 10_000

    # The server may hang up while we are still sending.
    with contextlib.suppress(httpx.TransportError):
        answer = client.post("/api/v1/boundary", content=endless(), headers=JSON)
        assert answer.status_code == 413
    assert client.post("/api/v1/boundary", content=b" " * 300_000, headers=JSON).status_code == 413
    assert client.get("/api/v1/health").status_code == 200
