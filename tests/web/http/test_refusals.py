"""Refusals: one shape, whatever went wrong."""

from fastapi import FastAPI

from popout.task import Fault, InputError
from popout.web.http.refusals import RefusalError, add_refusals, refusal_response

from ..conftest import served


def test_every_error_has_the_same_shape(caplog):
    app = FastAPI()
    add_refusals(app)

    @app.get("/refused")
    async def refused():
        raise RefusalError(409, "this", "that", "do so", {"Retry-After": "2"}, missing=3)

    @app.get("/faulty")
    async def faulty():
        raise InputError([Fault("a", ("b",), "this", "that", "do so")] * 300)

    @app.get("/broken")
    async def broken():
        raise RuntimeError("secret details")

    with served(app) as client:
        answers = {name: client.get(f"/{name}") for name in ("refused", "faulty", "broken", "no")}
    assert {name: answer.status_code for name, answer in answers.items()} == {
        "refused": 409,
        "faulty": 422,
        "broken": 500,
        "no": 404,
    }
    assert all(answer.json()["faults"][0]["expected"] for answer in answers.values())
    assert answers["refused"].json()["missing"] == 3
    assert answers["refused"].headers["retry-after"] == "2"
    assert len(answers["faulty"].json()["faults"]) == 100
    assert "secret" not in answers["broken"].text
    assert "secret details" in caplog.text


def test_a_response_says_where():
    body = refusal_response(422, [Fault("Task", ("drift",), "x", "y", "z", table=("task",))]).body
    assert b'"path":["task","drift"]' in body
