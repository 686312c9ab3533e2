"""The researcher's page in Chromium: the door, progress, response times, export, deletion."""

import json

import httpx
import pytest

from ..participant_page import ParticipantPage
from .visitor import SIZES, Participant


def progress(server):
    return json.loads(server.get("/api/v1/researcher/progress", server.token))


@pytest.fixture
def busy(laboratory, visit):
    """A server, after one participant has finished and another has begun."""
    server = laboratory(trials=4)
    for name, trials, so_far in (("one", 20, 12), ("two", 6, 18)):
        tab = visit(server)
        person = Participant(tab)
        person.enter(f"?PROLIFIC_PID={name}")
        while len(person.answers) < trials and person.trial() is not None:
            pass
        while progress(server)["trials"] < so_far:
            tab.page.wait_for_timeout(50)
        tab.context.close()
    return server


def test_the_page_of_the_researcher(busy, visit):
    tab = visit(busy, color_scheme="dark")
    tab.open("/researcher")
    tab.expected.append("401 (Unauthorized)")
    tab.page.get_by_label("Token").fill("not-the-token")
    tab.press("Enter")
    tab.page.get_by_text("This is not the token.").wait_for()
    assert tab.accessibility_faults() == []
    tab.page.get_by_label("Token").fill(busy.token)
    tab.press("Enter")
    tab.page.get_by_role("heading", name="Participants").wait_for()
    assert tab.page.locator(".facts dd").all_inner_texts() == ["2 of 500", "2", "1", "18", "12"]
    for width, height in SIZES.values():
        tab.page.set_viewport_size({"width": width, "height": height})
        assert tab.overlaps() == []
    assert tab.accessibility_faults() == []
    tab.press("Use light colours")
    assert tab.accessibility_faults() == []
    assert busy.token not in tab.page.evaluate("JSON.stringify(localStorage)")

    for name in ("CSV", "Parquet", "Psych-DS"):
        with tab.page.expect_download() as waiting:
            tab.press(name)
        assert waiting.value.path().stat().st_size > 500

    tab.press("Pause")
    tab.page.get_by_role("button", name="Let people in again").wait_for()
    newcomer = visit(busy)
    newcomer.open("/lab")
    newcomer.page.get_by_role("heading", name="A short break").wait_for()
    tab.press("Let people in again")
    tab.page.get_by_role("button", name="Pause").wait_for()

    assert tab.page.get_by_role("button", name="Free their places").is_disabled()
    tab.press("Choose unfinished")
    tab.press("Free their places")
    tab.page.get_by_text("place freed").wait_for()
    facts = tab.page.locator(".facts dd").all_inner_texts()
    assert facts == ["1 of 500", "2", "1", "18", "12"]
    assert tab.accessibility_faults() == []

    tab.press("none")
    tab.page.get_by_label("Choose participant 1").check()
    tab.press("Delete …")
    sure = tab.page.get_by_role("button", name="Delete for good")
    assert sure.is_disabled()
    tab.page.get_by_label("Type 1 to confirm").fill("2")
    assert sure.is_disabled()
    tab.page.get_by_label("Type 1 to confirm").fill("1")
    sure.click()
    tab.page.get_by_role("row", name="PROLIFIC_PID one").wait_for(state="detached")
    left = progress(busy)
    assert [entry["number"] for entry in left["list"]] == [2]
    assert left["trials"] == 6

    tab.press("Leave")
    tab.page.get_by_label("Token").wait_for()
    tab.page.reload()
    assert tab.page.get_by_label("Token").is_visible()


def test_who_was_too_fast_is_shown_and_can_be_accepted(laboratory, visit):
    server = laboratory(trials=4)
    with httpx.Client(base_url=server.address, timeout=60.0) as client:
        bot = ParticipantPage(client)
        assert bot.all_of_it(rt=5.0).json()["completion_code"] is None
        tab = visit(server)
        tab.open("/researcher")
        tab.page.get_by_label("Token").fill(server.token)
        tab.press("Enter")
        tab.page.get_by_text("too fast: 61 s of trials in 0 s").wait_for()
        assert tab.page.locator(".facts dd").all_inner_texts()[0] == "0 of 500"
        assert tab.accessibility_faults() == []
        assert tab.page.get_by_role("button", name="Accept").is_disabled()
        tab.press("all")
        tab.press("Accept")
        tab.page.get_by_text("1 of 500").wait_for()
        assert not tab.page.get_by_text("too fast").is_visible()
        assert not tab.page.get_by_role("button", name="Accept").is_visible()
        assert bot.post("finish").json()["completion_code"] == "THANKS"
