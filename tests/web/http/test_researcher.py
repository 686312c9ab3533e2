"""The researcher's routes: closed to strangers, every one of them."""

import io

import pandas as pd
import pytest

from popout.web.http.researcher import PREFIX

from ..lab.sessions import Page


def researcher_addresses(app):
    """Return method and address of every researcher's route, from the application itself."""
    return [
        (method, path.replace("{form}", "csv").replace("{session}", "p_0"))
        for path, operations in app.openapi()["paths"].items()
        if "researcher" in path
        for method in operations
    ]


def test_strangers_are_refused_on_every_route(lab_app, lab_client, laboratory):
    token = laboratory.make_key()
    page = Page(lab_client)
    addresses = researcher_addresses(lab_app)
    assert len(addresses) >= 4
    assert all(path.startswith(PREFIX) for _, path in addresses)
    strangers = [
        {},
        page.headers,
        {"authorization": f"Basic {token}"},
        {"authorization": f"Bearer {token[:-1]}"},
        {"cookie": f"token={token}"},
    ]
    for method, path in addresses:
        for headers in strangers:
            answer = lab_client.request(method, path, headers=headers)
            assert answer.status_code in (401, 429)
        query = lab_client.request(method, path, params={"token": token})
        assert query.status_code in (401, 429)
    mine = {"authorization": f"Bearer {token}"}
    allowed = [lab_client.request(method, path, headers=mine) for method, path in addresses]
    assert {answer.status_code for answer in allowed} <= {200, 404}  # 404: nobody to delete


def test_every_route_below_the_address_is_described(lab_app):
    """A route that is left out of the description would not be tried above."""
    hidden = [
        route.path
        for route in lab_app.routes
        if "researcher" in getattr(route, "path", "")
        and not getattr(route, "include_in_schema", True)
    ]
    assert hidden in ([], ["/researcher"])


def test_guessing_becomes_slow(lab_client, laboratory):
    laboratory.make_key()
    statuses = [
        lab_client.get(f"{PREFIX}/progress", headers={"authorization": f"Bearer {n}"}).status_code
        for n in range(40)
    ]
    assert statuses[0] == 401
    assert 429 in statuses


@pytest.fixture
def mine(laboratory):
    return {"authorization": f"Bearer {laboratory.make_key()}"}


def test_a_researcher_sees_exports_and_deletes(lab_client, mine):
    pages = [Page(lab_client) for _ in range(2)]
    for page in pages:
        assert page.all_of_it().status_code == 200
    progress = lab_client.get(f"{PREFIX}/progress", headers=mine).json()
    assert (progress["participants"], progress["finished"], progress["trials"]) == (2, 2, 32)
    times = lab_client.get(f"{PREFIX}/response-times", headers=mine).json()
    assert sum(row["trials"] for row in times["rows"]) == 24
    table = lab_client.get(f"{PREFIX}/export/csv", headers=mine)
    assert "attachment" in table.headers["content-disposition"]
    assert len(pd.read_csv(io.BytesIO(table.content))) == 32
    for form in ("parquet", "psych-ds"):
        assert lab_client.get(f"{PREFIX}/export/{form}", headers=mine).status_code == 200
    assert lab_client.get(f"{PREFIX}/export/xls", headers=mine).status_code == 404
    gone = f"{PREFIX}/participants/{pages[0].name}"
    assert lab_client.delete(gone, headers=mine).status_code == 204
    assert lab_client.delete(gone, headers=mine).status_code == 404
    assert lab_client.get(f"{PREFIX}/progress", headers=mine).json()["trials"] == 16
    assert pages[0].post("resume").status_code == 401
