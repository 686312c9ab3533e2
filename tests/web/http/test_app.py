"""The application as a whole: its description is true of what it answers to odd requests."""

import json
import re
import threading

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from popout.web.explorer.questions import QUESTIONS

from ..participant_page import ParticipantPage

EXAMPLES = 7
TRIED = {"simulate", "boundary"}
ALIKE = {f"/api/v1/{name}" for name in QUESTIONS if name not in TRIED}
"""Questions whose bodies are read by the same code."""
MODES = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)


def test_without_an_experiment_there_is_no_laboratory(client):
    assert client.get("/api/v1/health").json()["experiment"] is False
    assert client.get("/api/v1/lab/design").status_code == 404


def test_health_says_what_is_served(lab_client):
    said = lab_client.get("/api/v1/health").json()
    assert said["experiment"] is True
    assert said["workers"] == 1
    assert lab_client.get("/lab").status_code == 200


def test_many_participants_at_once(lab_client):
    """Twenty at a time, each trial in a request of its own: all stored, each once."""
    pages = [ParticipantPage(lab_client) for _ in range(20)]
    failures = []

    def take_part(page):
        for trial in page.trials:
            if page.send([trial]).status_code != 200:
                failures.append(page.name)
        if page.post("finish").status_code != 200:
            failures.append(page.name)

    threads = [threading.Thread(target=take_part, args=[page]) for page in pages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


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
    monkeypatch.setattr("popout.web.explorer.questions.Question.answer", lambda self, told: {})
    token = laboratory.make_key(renew=True)
    session, own = laboratory.begin({}).result()
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
