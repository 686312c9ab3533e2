"""A whole experiment in Chromium, undisturbed and disturbed: exactly the trials made are stored."""

import csv
import io
import json
import threading

from .visitor import Participant, script


def stored(server):
    """Return the rows that the researcher exports, practice included."""
    table = server.get("/api/v1/researcher/export/csv", server.token).decode()
    return list(csv.DictReader(io.StringIO(table)))


def answers_of(rows):
    return {int(row["trial"]): row["response"] for row in rows}


class LostAnswers:
    """The network loses answers: the server has what was asked, and the page does not know."""

    def __init__(self, most):
        self.left, self.seen = most, 0

    def __call__(self, route):
        self.seen += 1
        if self.seen <= self.left:
            route.fetch()
            route.abort()
        else:
            route.continue_()


def test_a_whole_experiment(laboratory, visit):
    server = laboratory(trials=6)
    wary = visit(server)
    wary.open("/lab")
    wary.press("I do not agree")
    wary.page.get_by_text("Nothing was stored").wait_for()
    tab = visit(server)
    person = Participant(tab)
    beginning, tab.offline = LostAnswers(1), True
    tab.page.route("**/api/v1/lab/sessions", beginning)
    person.enter("?PROLIFIC_PID=tester&STUDY_ID=7")
    tab.offline = False
    while person.trial() is not None:
        pass
    assert tab.page.locator(".code strong").inner_text() == "THANKS"
    assert tab.page.get_by_role("row").count() > 2
    assert tab.accessibility_faults() == []
    rows = stored(server)
    assert answers_of(rows) == person.answers
    assert sorted(person.answers) == list(range(16))
    assert len(rows) == 16
    assert all(0 < float(row["rt"]) < 20 for row in rows)
    assert all(0.004 < float(row["frame_interval"]) < 0.2 for row in rows)
    # One participant: whoever does not agree is not stored.
    (listed,) = json.loads(server.get("/api/v1/researcher/progress", server.token))["list"]
    assert listed["parameters"] == {"PROLIFIC_PID": "tester", "STUDY_ID": "7"}
    assert beginning.seen == 2

    # Whoever comes back to the link sees the end again, and can make no second session.
    tab.page.reload()
    tab.page.locator(".code").wait_for()
    assert len(stored(server)) == 16


def test_nothing_is_lost_by_reload_lost_network_or_a_killed_server(laboratory, visit):
    server = laboratory(trials=14)
    tab = visit(server)
    person = Participant(tab)
    person.enter()
    made = 0
    again = None
    while True:
        if made == 5:
            tab.page.reload()
            tab.page.get_by_role("button", name="Fill the screen").wait_for()
        if made == 9:
            tab.offline = True
            tab.context.set_offline(True)
        if made == 14:
            assert len(stored(server)) < made
            tab.page.get_by_role("status").filter(has_text="kept here").wait_for()
            tab.context.set_offline(False)
        if made == 18:
            server.kill()
            again = threading.Timer(1.5, server.start)
            again.start()
        if made == 23:
            again.join()
            tab.page.reload()  # answers may wait here still: they are sent after the reload
            tab.page.get_by_role("button", name="Fill the screen").wait_for()
        if person.trial() is None:
            break
        made += 1
    assert made >= 32
    rows = stored(server)
    assert sorted(int(row["trial"]) for row in rows) == list(range(32))
    assert answers_of(rows) == person.answers
    left = tab.page.evaluate(
        "new Promise((done) => { const open = indexedDB.open('popout-laboratory');"
        "open.onsuccess = () => { const all = open.result.transaction('trials')"
        ".objectStore('trials').count(); all.onsuccess = () => done(all.result); } })"
    )
    assert left == 0


def test_a_key_at_a_known_delay_after_the_onset(laboratory, visit):
    server = laboratory(trials=6)
    tab = visit(server)
    person = Participant(tab)
    delays = [120, 200, 333, 80, 450, 150, 275, 90, 0]  # the last while the onset is being told
    tab.context.add_init_script(f"({script('first_ink.js')})()")
    tab.context.add_init_script(f"({script('keys_at.js')})({delays})")
    person.enter()
    while not tab.page.evaluate("document.querySelector('.code') !== null"):
        person.go_on()
    rows = {int(row["trial"]): row for row in stored(server)}
    pressed, frames, seen = tab.page.evaluate("[window.pressed, window.frameTimes, window.ink]")
    assert len(pressed) == 16
    for key in pressed:
        recorded = 1000 * float(rows[key["index"]]["rt"])
        # A difference of two time stamps: right however late the page itself comes to see the key.
        assert abs(recorded - key["after"]) < 1.0
        # The page tells the onset; the canvas itself says in which frame the bars appeared. Frames
        # are counted, because one that comes late is still one frame.
        assert min(abs(frames.index(key["onset"]) - at) for at in seen) <= 1


def test_by_touch_on_a_telephone(laboratory, visit):
    server = laboratory(trials=2)
    tab = visit(server, "phone", has_touch=True, is_mobile=True)
    person = Participant(tab)
    person.enter()
    for _ in range(3):
        tab.until("window.shown && document.querySelector('.answer') !== null")
        index = tab.page.evaluate("window.shown.index")
        tab.page.get_by_role("button", name="absent").tap()
        tab.until(f"window.shown.index !== {index}")
    rows = stored(server)
    assert {(row["response"], row["input"]) for row in rows} == {("absent", "touch")}
