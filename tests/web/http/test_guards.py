"""Headers of every answer, and how often one may ask."""

import pytest

from popout.web.http.guards import Rate
from popout.web.http.refusals import RefusalError


@pytest.mark.parametrize("address", ["/", "/api/v1/health", "/nothing", "/static/none.js"])
def test_every_answer_is_safe(client, address):
    headers = client.get(address).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "set-cookie" not in headers
    assert "access-control-allow-origin" not in headers


def test_the_interface_stays_out_of_caches(client):
    assert client.get("/api/v1/health").headers["cache-control"] == "no-store"


def test_buckets_are_bounded():
    now = [0.0]
    rate = Rate(per_second=0.001, burst=1, most=100, clock=lambda: now[0])
    for number in range(1000):
        assert rate.allows(str(number))
    assert len(rate._buckets) == 100
    assert not rate.allows("999")


def test_whoever_asks_too_often_hears_when_to_come_back():
    rate = Rate(per_second=0.1, burst=1, clock=lambda: 0.0)
    rate.check("a")
    with pytest.raises(RefusalError) as refused:
        rate.check("a")
    assert refused.value.status == 429
    assert refused.value.headers["Retry-After"] == "10"
