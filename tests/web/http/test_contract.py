"""What docs/web-api.md and the description say, and what the server does to odd requests."""

import json
import re

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from popout.web.explorer.questions import QUESTIONS

from ..conftest import ROOT
from ..participant_page import ParticipantPage

EXAMPLES = 7
TRIED = {"simulate", "boundary"}
ALIKE = {f"/api/v1/{name}" for name in QUESTIONS if name not in TRIED}
"""Questions whose bodies are read by the same code."""
MODES = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
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


def test_every_route_stands_in_the_page(lab_client):
    described = lab_client.get("/api/v1/openapi.json").json()["paths"]
    for path in described:
        places = (path, path.replace("{form}", "csv"), f"| `{path.removeprefix('/api/v1')}` |")
        assert any(place in TEXT for place in places), path
    for method, path in re.findall(r"`(GET|POST|PUT|DELETE) (/api/v1/[\w{}/.-]+)`", TEXT):
        known = re.sub(r"/export/\w+", "/export/{form}", path)
        assert known == "/api/v1/openapi.json" or method.lower() in described[known], path


def test_answers_have_the_names_that_stand_in_the_page(lab_client, laboratory):
    fault = lab_client.post("/api/v1/lab/sessions", json={}).json()["faults"][0]
    assert set(example("every fault at once:")["faults"][0]) <= set(fault)
    health = lab_client.get("/api/v1/health").json()
    assert listed("`GET /api/v1/health`") == set(health)
    design = example("nothing is stored:")
    assert names_in(design) == names_in(lab_client.get("/api/v1/lab/design").json())
    page = ParticipantPage(lab_client, {"PROLIFIC_PID": "anna"})
    session = example("answers 201 and the session")
    assert set(session) == set(page.begun)
    assert names_in(session["trials"]) == names_in(page.begun["trials"])
    end = page.all_of_it().json()
    assert listed("/finish` answers") == set(end) | names_in(end["results"])
    researcher = {"authorization": f"Bearer {laboratory.make_key(renew=True).result()}"}
    for route in ("progress", "response-times"):
        overview = lab_client.get(f"/api/v1/researcher/{route}", headers=researcher).json()
        said = listed(f"`GET /api/v1/researcher/{route}`:")
        assert said == names_in(overview) - {"PROLIFIC_PID"}


def test_every_route_is_described(lab_client):
    described = lab_client.get("/api/v1/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    routes = {path for path in described["paths"] if path.startswith("/api/v1/")}
    assert {f"/api/v1/{name}" for name in QUESTIONS} <= routes
    assert all(
        "summary" in operation
        for path in described["paths"].values()
        for operation in path.values()
    )
    references = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(described)))
    assert references <= set(described["components"]["schemas"])


def test_the_schema_of_a_body_takes_good_ones_and_refuses_bad_ones(client):
    described = client.get("/api/v1/openapi.json").json()
    schema = described["paths"]["/api/v1/boundary"]["post"]["requestBody"]["content"]
    whole = {**schema["application/json"]["schema"], "components": described["components"]}
    task = {"kind": "search", "n_locations": 2, "drift": 4.0}
    jsonschema.validate({"task": task, "costs": {"time": 0.2}}, whole)
    for bad in ({"task": task}, {"task": {**task, "drift": -1}, "costs": {"time": 1}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, whole)


def operations(client):
    schema = schemathesis.openapi.from_dict(client.get("/api/v1/openapi.json").json())
    return [result.ok() for result in schema.get_all_operations()]


def test_odd_requests_never_break_the_server(lab_client, laboratory, monkeypatch):
    """Schemathesis: requests that fit the description, and such that do not; never a 500."""
    monkeypatch.setattr("popout.web.explorer.questions.Question.answer", lambda self, progress: {})
    token = laboratory.make_key(renew=True).result()
    session, own = laboratory.begin({}).result()
    statuses = {}
    for operation in operations(lab_client):
        if operation.path in ALIKE:
            continue
        for mode in MODES if len(operation.body) else MODES[:1]:
            strategy = operation.as_strategy(generation_mode=mode)

            @settings(
                max_examples=EXAMPLES,
                deadline=None,
                derandomize=True,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=strategy)
            def send(case):
                headers = {"authorization": f"Bearer {token}"}
                if "{session}" in case.path and "/lab/" in case.path:
                    case.path_parameters = {"session": session.name}
                    headers = {"authorization": f"Bearer {own}"}
                answer = case.call(base_url=str(lab_client.base_url), headers=headers)
                statuses.setdefault(answer.status_code, 0)
                statuses[answer.status_code] += 1
                assert answer.status_code < 500 or answer.status_code == 503, answer.text
                if answer.status_code >= 400:
                    assert answer.json()["faults"]

            send()
    assert sum(statuses.values()) > 100
    assert statuses.get(422, 0) > 20
