"""Refusals: one shape, whatever went wrong."""

from fastapi import FastAPI

from popout.task import Fault, InputError
from popout.web.http.refusals import HANDLERS, RefusalError

from ..conftest import served


def test_every_error_has_the_same_shape(caplog):
    app = FastAPI(exception_handlers=HANDLERS)

    @app.get("/refused")
    async def refused():
        raise RefusalError(409, "this", "that", "do so", {"Retry-After": "2"}, missing=3)

    @app.get("/faulty")
    async def faulty():
        raise InputError([Fault("a", ("b",), "this", "that", "do so", table=("c",))] * 300)

    @app.get("/broken")
    async def broken():
        raise RuntimeError("secret details")

    @app.get("/counted")
    async def counted(n: int):
        return n

    statuses = {"refused": 409, "faulty": 422, "broken": 500, "no": 404, "counted?n=x": 422}
    with served(app) as client:
        answers = {name: client.get(f"/{name}") for name in statuses}
    assert {name: answer.status_code for name, answer in answers.items()} == statuses
    faults = {name: answer.json()["faults"] for name, answer in answers.items()}
    assert all(fault[0]["expected"] and fault[0]["remedy"] for fault in faults.values())
    assert answers["refused"].json()["missing"] == 3
    assert answers["refused"].headers["retry-after"] == "2"
    assert len(faults["faulty"]) == 100
    assert faults["faulty"][0]["path"] == ["c", "b"]
    assert faults["counted?n=x"][0]["path"] == ["n"]
    assert "secret" not in answers["broken"].text
    assert "secret details" in caplog.text
