"""What docs/web-api.md says, and what the server does: the same routes and the same names."""

import json
import re

import pytest

from ..conftest import ROOT
from ..participant_page import ParticipantPage

TEXT = (ROOT / "docs" / "web-api.md").read_text()


def names_in(value):
    """Return the names of all objects in an answer, from the outside to the inside."""
    if isinstance(value, dict):
        return set(value).union(*map(names_in, value.values()))
    return set().union(*map(names_in, value)) if isinstance(value, list) else set()


def example(start):
    """Return the names in the block of JSON after some words."""
    block = re.search(re.escape(start) + r".*?```\w*\n(.*?)```", TEXT, re.DOTALL).group(1)
    return json.loads(block.replace("{...}", "{}"))


def listed(start):
    """Return the names in the first object that the text lists after some words."""
    span = re.search(re.escape(start) + r".*?`(\{.*?\})`", TEXT, re.DOTALL).group(1)
    return set(re.findall(r'(?<!: )(?<!\| )"(\w+)"', span))  # what comes after : or | is a value


@pytest.fixture
def page(lab_client):
    page = ParticipantPage(lab_client, {"PROLIFIC_PID": "anna"})
    page.all_of_it()
    return page


@pytest.fixture
def researcher(laboratory):
    return {"authorization": f"Bearer {laboratory.make_key(renew=True)}"}


def test_every_route_stands_in_the_page(lab_client):
    described = lab_client.get("/api/v1/openapi.json").json()["paths"]
    for path in described:
        places = (path, path.replace("{form}", "csv"), f"| `{path.removeprefix('/api/v1')}` |")
        assert any(place in TEXT for place in places), path
    for method, path in re.findall(r"`(GET|POST|PUT|DELETE) (/api/v1/[\w{}/.-]+)`", TEXT):
        known = re.sub(r"/export/\w+", "/export/{form}", path)
        assert known == "/api/v1/openapi.json" or method.lower() in described[known], path


def test_faults_and_health(lab_client):
    fault = lab_client.post("/api/v1/lab/sessions", json={}).json()["faults"][0]
    assert set(example("every fault at once:")["faults"][0]) <= set(fault)
    health = lab_client.get("/api/v1/health").json()
    assert listed("`GET /api/v1/health`") == set(health)


def test_design_and_session(lab_client, page):
    design = example("nothing is stored:")
    assert names_in(design) == names_in(lab_client.get("/api/v1/lab/design").json())
    session = example("answers 201 and the session")
    assert set(session) == set(page.begun)
    assert names_in(session["trials"]) == names_in(page.begun["trials"])


def test_the_end_of_a_session(page):
    end = page.post("finish").json()
    assert listed("/finish` answers") == set(end) | names_in(end["results"])


@pytest.mark.parametrize("route", ["progress", "response-times"])
def test_overviews(lab_client, page, researcher, route):
    found = lab_client.get(f"/api/v1/researcher/{route}", headers=researcher).json()
    said = listed(f"`GET /api/v1/researcher/{route}`:")
    assert said == names_in(found) - {"PROLIFIC_PID"}


def test_jobs(lab_client):
    task = {"kind": "search", "n_locations": 1, "drift": 4.0}
    body = {"question": "thresholds", "body": {"task": task, "costs": {"time": 1.0}}}
    job = lab_client.post("/api/v1/jobs", json=body).json()
    assert listed("answers 202 and a job:") == set(job)
