"""The description: complete, and true of what the server answers to thousands of odd requests."""

import json
import re

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from popout.web.explorer.question import QUESTIONS
from popout.web.lab.records import Arrival

EXAMPLES = 7
TRIED = {"simulate", "boundary"}
ALIKE = {f"/api/v1/{name}" for name in QUESTIONS if name not in TRIED}
"""Questions whose bodies are read by the same code."""
MODES = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)


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
    schema = described["paths"]["/api/v1/solve"]["post"]["requestBody"]["content"]
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
    monkeypatch.setattr("popout.web.explorer.question.Asked.answer", lambda self, told: {})
    token = laboratory.make_key(renew=True)
    session, own = laboratory.begin(Arrival({})).result()
    statuses = {}
    for operation in operations(lab_client):
        if operation.path in ALIKE or operation.path.endswith("/events"):
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
