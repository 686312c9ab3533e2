"""The researcher's page in Chromium: the door, progress, response times, export, deletion."""

import json

import pytest

from .visitor import SIZES, Participant


def progress(server):
    return json.loads(server.get("/api/v1/researcher/progress", server.token))


@pytest.fixture
def busy(laboratory, visit):
    """A server, after one participant has finished and another has begun."""
    server = laboratory(trials=4)
    for name, trials, so_far in (("one", 20, 12), ("two", 6, 18)):
        one = visit(server)
        person = Participant(one)
        person.enter(f"?PROLIFIC_PID={name}")
        while len(person.answers) < trials and person.trial() is not None:
            pass
        while progress(server)["trials"] < so_far:
            one.page.wait_for_timeout(50)
        one.context.close()
    return server


def test_the_page_of_the_researcher(busy, visit):
    one = visit(busy, color_scheme="dark")
    one.open("/researcher")
    one.expected.append("401 (Unauthorized)")
    one.page.get_by_label("Token").fill("not-the-token")
    one.press("Enter")
    one.page.get_by_text("This is not the token.").wait_for()
    assert one.accessibility_faults() == []
    one.page.get_by_label("Token").fill(busy.token)
    one.press("Enter")
    one.page.get_by_role("heading", name="Participants").wait_for()
    assert one.page.locator(".facts dd").all_inner_texts() == ["2 of 500", "1", "18", "12"]
    for width, height in SIZES.values():
        one.page.set_viewport_size({"width": width, "height": height})
        assert one.overlaps() == []
    assert one.accessibility_faults() == []
    one.press("Use light colours")
    assert one.accessibility_faults() == []
    assert busy.token not in one.page.evaluate("JSON.stringify(localStorage)")

    for name in ("CSV", "Parquet", "Psych-DS"):
        with one.page.expect_download() as waiting:
            one.press(name)
        assert waiting.value.path().stat().st_size > 500

    one.press("Delete participant 1")
    sure = one.page.get_by_role("button", name="Delete for good")
    assert sure.is_disabled()
    one.page.get_by_label("Type 1 to confirm").fill("2")
    assert sure.is_disabled()
    one.page.get_by_label("Type 1 to confirm").fill("1")
    sure.click()
    one.page.get_by_role("row", name="PROLIFIC_PID one").wait_for(state="detached")
    left = progress(busy)
    assert [entry["number"] for entry in left["list"]] == [2]
    assert left["trials"] == 6

    one.press("Leave")
    one.page.get_by_label("Token").wait_for()
    one.page.reload()
    assert one.page.get_by_label("Token").is_visible()
