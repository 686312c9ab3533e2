"""Participants: other keyboards, other languages, many at one computer, second thoughts."""
# ruff: noqa: RUF001  # letters of other alphabets are what is tried here

import csv
import io
import json
import math

import pytest

from .visitor import SIZES, Participant

CYRILLIC = {"present": ("о", "KeyJ"), "absent": ("а", "KeyF")}
GREEK = {"present": ("ξ", "KeyJ"), "absent": ("φ", "KeyF")}
TYPING_JAPANESE = {"present": ("Process", "KeyJ"), "absent": ("Process", "KeyF")}


def stored(server):
    """Return the rows that the researcher exports, practice included."""
    table = server.get("/api/v1/researcher/export/csv", server.token).decode()
    return list(csv.DictReader(io.StringIO(table)))


def progress(server):
    return json.loads(server.get("/api/v1/researcher/progress", server.token))


def finish(person):
    while person.trial() is not None:
        pass


class Keyboard:
    """A keyboard whose keys write other letters than the design names."""

    def __init__(self, tab):
        self.session = tab.context.new_cdp_session(tab.page)

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.session.send("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code})


@pytest.mark.parametrize("layout", [CYRILLIC, GREEK, TYPING_JAPANESE])
def test_answers_on_a_keyboard_without_latin_letters(laboratory, visit, layout):
    server = laboratory(trials=2)
    tab = visit(server)
    Participant(tab).enter()
    keyboard, given, last = Keyboard(tab), {}, 0
    for answer in ("present", "absent", "present", "present"):
        shown = tab.until(f"window.shown && window.shown.onset !== {last} ? window.shown : null")
        last = shown["onset"]
        keyboard.press("х", "BracketLeft")  # a key that is none of both
        keyboard.press(*layout[answer])
        given[shown["index"]] = answer
    while len(rows := stored(server)) < 4:
        tab.page.wait_for_timeout(20)
    assert {int(row["trial"]): row["response"] for row in rows} == given
    assert {row["input"] for row in rows} == {"key"}


def test_whoever_presses_other_keys_hears_which(laboratory, visit):
    limits = "[timing]\nfixation = 0.05\nfeedback = 3.0\npause = 0.0\ntime_limit = 0.4\n"
    server = laboratory(trials=2)
    text = server.experiment.read_text()
    start, end = text.index("[timing]"), text.index("[[blocks]]")
    server.stop()
    server.experiment.write_text(text[:start] + limits + text[end:])
    server.start()
    tab = visit(server)
    Participant(tab).enter()
    tab.until("window.shown")
    Keyboard(tab).press("k", "KeyK")
    words = tab.until("document.querySelector('.feedback').textContent")
    assert words.startswith("Too slow")
    assert "Please press J or F" in words


LANGUAGES = {
    "de": ('language = "de-AT"\nwords = { start = "Auf geht’s" }', "de-AT", "Auf geht’s"),
    "el": ('language = "el"', "el", "Πάμε"),
}
ENGLISH = ("agree", "break", "points", "trials", "screen", "present", "Thank", "Your", "Withdraw")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_in_another_language(laboratory, visit, language):
    more, tag, start = LANGUAGES[language]
    server = laboratory(trials=2, more=more)
    tab = visit(server, color_scheme="light", reduced_motion="reduce")
    person = Participant(tab)
    tab.open("/lab")
    own = server.experiment.read_text()

    def look(name):
        words = tab.page.locator("body").inner_text()
        for line in words.splitlines():
            assert line in own or not any(each in line for each in ENGLISH), f"{name}: {line}"
        assert tab.page.evaluate("document.documentElement.lang") == tag
        for size, (width, height) in SIZES.items():
            tab.page.set_viewport_size({"width": width, "height": height})
            assert tab.overlaps() == [], f"{name} {size}"
        assert tab.accessibility_faults() == [], name

    seen = []
    for _ in range(5):
        button = tab.page.locator("button.main")
        button.wait_for()
        seen.append(button.inner_text())
        look(seen[-1])
        button.click()
        tab.until(f"document.querySelector('button.main')?.textContent !== {seen[-1]!r}")
    assert seen[-1] == start
    while len(person.answers) < 4:
        person.trial()
    tab.page.locator("progress").wait_for()
    look("break")
    finish(person)
    look("last page")
    tab.page.locator("button.quiet").last.click()
    tab.page.get_by_role("dialog").wait_for()
    look("withdrawal")


def test_the_next_person_at_a_computer_is_not_met_by_results(laboratory, visit):
    server = laboratory(trials=2)
    tab = visit(server)
    person = Participant(tab)
    person.enter("")
    finish(person)
    tab.open("/lab")
    tab.page.get_by_text("Was it you").wait_for()
    assert tab.page.locator(".code, .results, table").count() == 0
    tab.press("It was me")
    assert tab.page.locator(".code strong").inner_text() == "THANKS"
    assert "Your number in this study: 1." in tab.page.locator(".number").inner_text()
    assert "lab@example.org" in tab.page.locator("main .contact").inner_text()
    assert tab.page.get_by_role("button", name="Next participant").count() == 0
    tab.open("/lab")
    tab.press("It was somebody else")
    tab.page.get_by_role("button", name="I agree").wait_for()


def test_one_after_the_other_on_the_researchers_own_machine(laboratory, visit):
    server = laboratory(trials=2)
    tab = visit(server)
    tab.open("/researcher")
    tab.page.get_by_label("Token").fill(server.token)
    tab.press("Enter")
    tab.page.get_by_label("at this computer").check()
    person = Participant(tab)
    person.enter("")
    finish(person)
    tab.press("Next participant")
    tab.page.get_by_role("button", name="I agree").wait_for()
    person.enter("")
    assert person.trial() == 0
    person.wait_until_kept()
    # The second one leaves in the middle; what they did is kept, and a third one begins.
    tab.open("/lab")
    tab.press("Next participant")
    tab.page.get_by_role("button", name="I agree").wait_for()
    person.enter("")
    assert [(row["number"], row["trials"]) for row in progress(server)["list"]] == [
        (3, 0),
        (2, 1),
        (1, 8),
    ]
    tab.open("/lab")
    tab.page.get_by_text("Welcome back").wait_for()


@pytest.mark.parametrize("when", ["in a break", "at the end"])
def test_a_participant_withdraws(laboratory, visit, when):
    server = laboratory(trials=2)
    other = visit(server)
    person = Participant(other)
    person.enter("?PROLIFIC_PID=other")
    person.trial()
    tab = visit(server)
    person = Participant(tab)
    person.enter()
    while len(person.answers) < 4:
        person.trial()
    tab.page.get_by_text("Take a break").wait_for()
    if when == "at the end":
        finish(person)
    tab.press("Withdraw from the study")
    assert tab.accessibility_faults() == []
    tab.press("Keep them")
    tab.press("Withdraw from the study")
    tab.press("Delete my answers")
    tab.page.get_by_text("You have withdrawn").wait_for()
    assert tab.page.locator(".code").count() == (when == "at the end")
    left = progress(server)
    assert [entry["parameters"] for entry in left["list"]] == [{"PROLIFIC_PID": "other"}]
    assert left["trials"] == 1
    tab.page.reload()
    tab.page.get_by_role("button", name="I agree").wait_for()


def test_whose_answers_came_too_fast_hears_why_there_is_no_code(laboratory, visit):
    """A program in the page, which makes up how long its trials took."""
    server = laboratory(trials=4)
    tab = visit(server)

    def longer(route):
        body = route.request.post_data_json
        body["trials"] = [{**trial, "rt": 9.0} for trial in body["trials"]]
        route.continue_(post_data=json.dumps(body))

    tab.page.route("**/trials", longer)
    person = Participant(tab)
    person.enter()
    finish(person)
    tab.page.get_by_text("Your answers came faster than the displays can be shown").wait_for()
    assert tab.page.locator(".code").count() == 0
    assert tab.accessibility_faults() == []
    for width, height in SIZES.values():
        tab.page.set_viewport_size({"width": width, "height": height})
        assert tab.overlaps() == []


def test_points_survive_a_reload_and_count_no_practice(laboratory, visit):
    server = laboratory(trials=6)
    tab = visit(server)
    person = Participant(tab)
    person.enter()
    while len(person.answers) < 4:
        person.trial()
    tab.page.get_by_text("Take a break").wait_for()
    assert tab.page.locator(".earned").count() == 0
    while len(person.answers) < 7:
        person.trial()
    tab.page.reload()
    tab.page.get_by_role("button", name="Fill the screen").wait_for()
    while len(person.answers) < 10:
        person.trial()
    said = tab.page.locator(".earned").inner_text()
    rows = [row for row in stored(server) if row["block"] == "Carefully"]
    assert len(rows) == 6
    points = sum(100 * (row["correct"] == "True") - 20 * float(row["rt"]) for row in rows)
    shown = float(said.split(":")[1].replace("−", "-").replace(",", "").strip(" +."))
    assert abs(shown - points) <= 0.51


def test_a_full_study_says_so_before_consent(laboratory, visit):
    server = laboratory(trials=2, more="participants = 1")
    tab = visit(server)
    person = Participant(tab)
    person.enter()
    person.trial()
    late = visit(server)
    late.open("/lab?PROLIFIC_PID=late")
    late.page.get_by_role("heading", name="Thank you for your interest").wait_for()
    assert late.page.get_by_role("button", name="I agree").count() == 0
    assert "expected" not in late.page.locator("main").inner_text()
    assert late.accessibility_faults() == []
    # Whoever has begun goes on.
    tab.page.reload()
    tab.page.get_by_text("Welcome back").wait_for()


def test_the_last_place_is_taken_while_somebody_reads(laboratory, visit):
    server = laboratory(trials=2, more="participants = 1\nrepeat_visits = false")
    slow = visit(server)
    slow.expected.append("409 (Conflict)")
    slow.open("/lab?PROLIFIC_PID=slow")
    slow.page.get_by_role("button", name="I agree").wait_for()
    Participant(visit(server)).enter()
    slow.press("I agree")
    slow.page.get_by_role("heading", name="Thank you for your interest").wait_for()


def test_who_does_not_suit_a_study_hears_it_before_consent(laboratory, visit):
    entry = 'entry = { secret = "k7Lw", phones = false, smallest_screen = 700 }'
    server = laboratory(trials=2, more=f'language = "de"\n{entry}')
    small, phone = {"screen": {"width": 1200, "height": 690}}, {"size": "phone", "has_touch": True}
    for link, device, words in (
        ("", {}, "Der Link ist nicht vollständig"),
        ("?key=k7L", {}, "Der Link ist nicht vollständig"),
        ("?key=k7Lw", {**phone, "is_mobile": True}, "einen Computer mit Tastatur"),
        ("?key=k7Lw", small, "mindestens 700 Pixel"),
    ):
        tab = visit(server, **device)
        tab.open(f"/lab{link}")
        tab.page.get_by_text(words).wait_for()
        assert tab.page.get_by_role("button").count() == 1  # light or dark
        for width, height in SIZES.values():
            tab.page.set_viewport_size({"width": width, "height": height})
            assert tab.overlaps() == []
        assert tab.accessibility_faults() == []
        tab.context.close()
    tab = visit(server)
    Participant(tab).enter("?key=k7Lw&PROLIFIC_PID=anna")
    assert [entry["parameters"] for entry in progress(server)["list"]] == [{"PROLIFIC_PID": "anna"}]


def test_where_many_begin_the_page_waits_for_its_turn(laboratory, visit):
    server = laboratory(trials=2, arrivals=1)
    Participant(visit(server)).enter()
    late = visit(server)
    late.expected.append("429 (Too Many Requests)")
    late.open("/lab")
    late.press("I agree")
    late.page.get_by_text("It goes on by itself").wait_for()
    assert late.accessibility_faults() == []
    assert len(progress(server)["list"]) == 1


def test_what_surrounds_a_trial_is_stored(laboratory, visit):
    """A narrow window, a lost focus, a reload; and keys that are the other way round."""
    server = laboratory(trials=2, more="swap_keys = true")
    first = Participant(visit(server))
    first.enter()
    first.trial()
    tab = visit(server, size="phone")
    person = Participant(tab)
    person.enter("?PROLIFIC_PID=ben&STUDY_ID=7")
    person.trial()
    tab.page.evaluate("dispatchEvent(new Event('blur'))")
    person.trial()
    while len(stored(server)) < 3:
        tab.page.wait_for_timeout(20)
    tab.page.reload()
    tab.page.get_by_role("button", name="Fill the screen").wait_for()
    person.trial()
    while len(rows := stored(server)) < 4:
        tab.page.wait_for_timeout(20)
    straight, *rows = rows
    assert (straight["present_key"], straight["response"]) == ("j", first.answers[0])
    assert {row["present_key"] for row in rows} == {"f"}
    other = {"present": "absent", "absent": "present"}
    assert [row["response"] for row in rows] == [other[person.answers[k]] for k in range(3)]
    assert [row["load"] for row in rows] == ["1", "1", "2"]
    assert rows[1]["blurs"] == "1"
    assert json.loads(rows[0]["link"]) == {"PROLIFIC_PID": "ben", "STUDY_ID": "7"}
    assert rows[0]["identity"] == "ben"
    assert rows[0]["browser"].startswith("Chrome ")
    assert (rows[0]["screen_width"], rows[0]["touch"]) == ("390.0", "False")
    # The drawn card had 324 pixels for 8.56 cm; the ring of 6.6 degrees does not fit 390 pixels.
    scale = float(rows[0]["pixels_per_degree"])
    assert scale == pytest.approx(324 / 8.56 * 57.3 * math.tan(math.pi / 180))
    assert float(rows[0]["scale"]) == pytest.approx(0.96 * 390 / (2 * 6.6) / scale, rel=1e-6)
    assert float(straight["scale"]) == 1.0
