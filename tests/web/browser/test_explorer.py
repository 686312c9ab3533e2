"""The explorer in Chromium: controls, address, keyboard, files, copies, long work."""

import csv
import io
import tomllib
import xml.etree.ElementTree as ET

import pytest

import popout as po

WORDS = "[...document.querySelectorAll('.host svg')].map((svg) => svg.getAttribute('aria-label'))"
QUICK = "/?locations=4&drift=6&strategy=sprt"
"""Nothing is solved on a grid and nothing is tuned: everything is there at once."""


def findings(page):
    """Return what the plots say, but for the example trial, which changes by itself."""
    return [words for words in page.evaluate(WORDS) if not words.startswith("Evidence over time")]


def test_a_slider_moves_the_plots_and_the_address(explore):
    tab = explore(QUICK)
    before = findings(tab.page)
    assert len(before) == 5
    slider = tab.page.get_by_role("slider", name="Cost of a second")
    slider.focus()
    slider.press("ArrowRight")
    assert "time-cost=0.3" in tab.page.url
    assert slider.get_attribute("aria-valuetext") == "0.3"
    tab.until(f"{WORDS}.filter((words) => {before!r}.includes(words)).length <= 2")
    tab.settled()
    assert "6" in tab.page.get_by_role("slider", name="Drift").get_attribute("aria-valuetext")


def test_a_link_is_a_figure(explore, explorer, visit):
    tab = explore("/?locations=5&prior=0.2&strategy=hardmax&drift=5&visibility=0.5&miss=3")
    assert tab.page.get_by_role("radio", name="Hardmax").is_checked()
    assert (
        tab.page.get_by_role("slider", name="Target present").get_attribute("aria-valuetext")
        == "20 %"
    )
    other = explore(tab.page.url.removeprefix(tab.address))
    assert findings(other.page) == findings(tab.page)


def test_the_keyboard_alone_reaches_and_moves_everything(explore):
    tab = explore(QUICK)
    focused = (
        "(() => { const at = document.activeElement; const name = at.id || at.ariaLabel;"
        "return [at.tagName, name || at.textContent, at.matches(':focus-visible')]; })()"
    )
    reached = []
    while True:
        tab.page.keyboard.press("Tab")
        tag, name, is_visible = tab.page.evaluate(focused)
        if tag == "BODY":
            break
        reached.append(name)
        assert is_visible
        if name == "control-drift":
            tab.page.keyboard.press("ArrowRight")
        if name == "Copy as…":
            tab.page.keyboard.press("Enter")
            assert tab.page.get_by_role("dialog").is_visible()
            tab.page.keyboard.press("Escape")
            assert not tab.page.get_by_role("dialog").is_visible()
    sliders = (
        "locations",
        "prior",
        "drift",
        "visibility",
        "time",
        "miss",
        "falseAlarm",
        "dt",
        "nonDecision",
    )
    assert {f"control-{name}" for name in sliders} <= set(reached)
    assert {"Examples", "Reset", "Copy as…", "control-strategy-sprt"} <= set(reached)
    assert {"Your data…", "Explain"} <= set(reached)
    assert {"Pause the trial", "Next trial"} <= set(reached)
    assert any("as CSV" in name for name in reached)
    assert "drift=7" in tab.page.url


def test_a_picture_and_its_numbers_are_files(explore):
    tab = explore(QUICK)
    for name in ("plane", "times", "errors", "slopes", "frontier"):
        panel = tab.page.locator(f".panel.{name}")
        files = {}
        for kind in ("SVG", "CSV"):
            with tab.page.expect_download() as waiting:
                panel.get_by_role("button", name=kind).click()
            files[kind] = waiting.value.path().read_text()
        root = ET.fromstring(files["SVG"])
        assert root.tag.endswith("svg")
        assert "var(--" not in files["SVG"]
        rows = list(csv.DictReader(io.StringIO(files["CSV"])))
        assert len(rows) >= 2
        assert all(None not in row.values() for row in rows)


def numbers_of(page):
    """Return risk, mean response times and errors as the page writes them."""
    facts = ("risk", "present", "absent", "misses", "alarms")
    texts = [page.locator(f".fact.{name} dd").first.inner_text() for name in facts]
    return [text.split()[0] for text in texts]


def numbers_in(summary, rest=0.3):
    """Return the same of a summary, with the page's usual non-decision time."""
    sides = (summary.present, summary.absent)
    times = [f"{round(1000 * (side.mean_rt + rest)):,}" for side in sides]
    errors = [f"{100 * side.error_rate:.1f}" for side in sides]
    return [f"{summary.risk:.3g}", *times, *errors]


def printed_times(output):
    return [line.split()[0] for line in output.splitlines() if " ms, " in line]


def test_the_optimum_in_python_has_the_numbers_of_the_page(explore, capsys):
    tab = explore("/")
    tab.press("Copy as…")
    names = {}
    exec(tab.page.locator("#share-python").input_value(), names)
    assert numbers_of(tab.page) == numbers_in(names["summary"])
    assert printed_times(capsys.readouterr().out) == numbers_of(tab.page)[1:3]


def test_copies_for_other_tools_say_the_same(explore, tmp_path, capsys):
    tab = explore("/?drift=5&locations=4&visibility=0.5&prior=0.3&strategy=sprt&time-cost=0.5")
    tab.press("Copy as…")
    python, command, toml = (
        tab.page.locator(f"#share-{name}").input_value() for name in ("python", "command", "toml")
    )
    file = tmp_path / "task.toml"
    file.write_text(toml)
    assert po.load_task(file).drifts == pytest.approx((5, 5 * 0.5**0.5) * 2, rel=1e-5)
    assert po.load_costs(file) == po.Costs(time=0.5)
    assert tomllib.loads(toml)["prior"] == 0.3
    names = {}
    exec(python, names)
    assert names["task"] == po.load_task(file)
    summary = names["summary"]
    assert numbers_of(tab.page) == numbers_in(summary)
    assert printed_times(capsys.readouterr().out) == numbers_of(tab.page)[1:3]

    from click.testing import CliRunner

    from popout.cli import main

    said = CliRunner().invoke(main, [*command.split()[1:], "--json"])
    assert said.exit_code == 0, said.output
    assert f"{summary.risk:.10f}" in said.output or str(summary.risk) in said.output
    assert tab.page.locator("#share-link").input_value() == tab.page.url


def test_long_work_shows_progress_and_can_be_stopped(explorer, visit):
    tab = visit(explorer)
    tab.open("/?locations=8&strategy=sprt-opt")
    stop = tab.page.locator(".panel.frontier").get_by_role("button", name="Stop")
    stop.wait_for()
    stop.click()
    assert tab.page.locator(".panel.frontier").get_by_text("Stopped.").is_visible()
    assert tab.page.locator(".panel.frontier").get_by_role("button", name="Compute it").is_visible()


def test_less_motion_for_those_who_prefer_it(explore):
    still = explore(QUICK, reduced_motion="reduce")
    path = "document.querySelector('.course .trace').getAttribute('d')"
    first = still.until(path)
    still.page.wait_for_timeout(400)
    assert still.page.evaluate(path) == first
    assert still.page.get_by_role("button", name="Run the trial").is_visible()
    moving = explore(QUICK)
    first = moving.until(path)
    moving.until(f"{path} !== {first!r}")


def csv_of(tab, name):
    with tab.page.expect_download() as waiting:
        tab.page.locator(f".panel.{name}").get_by_role("button", name="CSV").click()
    return list(csv.DictReader(io.StringIO(waiting.value.path().read_text())))


def test_one_question_for_the_next_trials_however_long_it_takes(explore):
    tab = explore(QUICK)
    asked = []

    def hold(route):
        asked.append(route)  # and does not answer

    tab.page.route("**/api/v1/example-trials", hold)
    for _ in range(6):  # as many as have come with the first answer
        tab.press("Next trial")
    tab.page.wait_for_timeout(3000)
    assert len(asked) == 1
    asked[0].continue_()
    tab.settled()


def test_non_decision_time_is_added_and_asks_nothing(explore):
    tab = explore(QUICK)
    before = [int(text) for text in numbers_of(tab.page)[1:3]]
    asked = []
    tab.page.on("request", lambda request: asked.append(request.url))
    slider = tab.page.get_by_role("slider", name="Non-decision time")
    slider.focus()
    slider.press("ArrowRight")
    assert [int(text) for text in numbers_of(tab.page)[1:3]] == [time + 50 for time in before]
    assert "non-decision=0.35" in tab.page.url
    for name in ("times", "slopes", "frontier"):
        assert tab.page.locator(f".panel.{name}[aria-busy=false] svg").count() == 1
    tab.page.wait_for_timeout(600)  # longer than a question waits before it is asked
    assert [address for address in asked if "/api/" in address] == []


def test_the_chosen_strategy_over_all_set_sizes(explore):
    tab = explore("/?locations=5&strategy=hardmax&drift=6")
    rows = csv_of(tab, "slopes")
    assert {row["strategy"] for row in rows} == {"Hardmax"}
    assert sorted({int(row["set_size"]) for row in rows}) == [2, 3, 4, 5, 6, 8, 12, 16]
    best = explore("/?dt=0.05")
    best.until(
        "document.querySelectorAll('.slopes svg [stroke-dasharray=\"5 4\"] path').length > 0"
    )
    rows = csv_of(best, "slopes")
    sizes = {
        name: sorted({int(row["set_size"]) for row in rows if row["strategy"] == name})
        for name in ("the optimum", "SPRT")
    }
    assert sizes == {"the optimum": [2, 3], "SPRT": [4, 6, 8, 12, 16]}
    assert "SPRT beyond 3 items" in best.page.locator(".slopes .note").inner_text()


def test_own_data_are_drawn_and_stay_in_the_browser(explore, tmp_path):
    tab = explore(QUICK)
    file = tmp_path / "mine-4711.csv"
    lines = [
        f"{size},{present},{present},{0.61 + 0.1 * size:.2f}"
        for size in (4, 9)
        for present in (0, 1)
    ]
    file.write_text("\n".join(["set_size,present,response,rt", *lines * 30]))
    asked = []
    tab.page.on("request", lambda request: asked.append((request.url, request.post_data)))
    tab.page.locator("input[type=file]").set_input_files(file)
    tab.page.get_by_text("120 trials, 60 of them with 4 items").wait_for()
    mine = [row for row in csv_of(tab, "slopes") if row["strategy"] == "own data"]
    assert {(row["set_size"], round(float(row["mean_rt_ms"]))) for row in mine} == {
        ("4", 1010),
        ("9", 1510),
    }
    for name in ("times", "errors", "slopes"):
        words = tab.page.locator(f".panel.{name} svg").first.get_attribute("aria-label")
        assert "Your data: 1010 ms and 0 % errors" in words
    assert tab.overlaps() == []
    assert tab.accessibility_faults() == []
    tab.page.get_by_role("slider", name="Set size").focus()
    tab.page.keyboard.press("ArrowRight")
    tab.settled()
    tab.page.get_by_text("none with 5 items; they have 4, 9").wait_for()
    assert not any("1.01" in (body or "") or "4711" in url + (body or "") for url, body in asked)
    tab.press("Remove")
    assert "own data" not in {row["strategy"] for row in csv_of(tab, "slopes")}

    file.write_text("a,b\n1,2\n")
    tab.page.locator("input[type=file]").set_input_files(file)
    tab.page.get_by_text("expected a line of trials with set_size").wait_for()


def test_help_by_touch_and_every_word_has_its_entry(explore):
    tab = explore(QUICK, size="phone", has_touch=True, is_mobile=True)
    words = tab.page.locator(".fact.risk .words")
    assert not words.is_visible()
    tab.page.get_by_role("button", name="Explain").tap()
    assert "in units of one error" in words.inner_text()
    tab.page.get_by_role("button", name="Change the search").tap()
    assert tab.page.locator("#control-nonDecision-words").is_visible()
    links = tab.page.evaluate(
        "[...document.querySelectorAll('a')].map((link) => link.getAttribute('href'))"
    )
    terms = {link.partition("#")[2] for link in links if "glossary" in link} - {""}
    assert len(terms) >= 9
    tab.open("/static/glossary.html")
    assert terms <= set(
        tab.page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    )
    assert tab.accessibility_faults() == []
    assert tab.overlaps() == []


def test_eyes_move_over_a_display_step_by_step(explore):
    tab = explore("/?evidence=gaze&falloff=0.5&attention=elm", reduced_motion="reduce")
    words, risks = (
        tab.page.locator(f".{name} .host > svg").get_attribute("aria-label")
        for name in ("scan", "rules")
    )
    assert "Gaze rests at (" in words
    assert all(name in risks for name in ("MAP", "ELM", "ideal searcher", "random"))
    assert " if present." in tab.page.locator(".scan .note").inner_text()

    def fixations():
        """Return how many fixations have begun, as they are numbered on the display."""
        texts = tab.page.locator(".eyes text").all_text_contents()
        return sum(len(text.split(", ")) for text in texts)

    while (whole := fixations()) < 3:
        tab.press("Next trial")
    begun = []
    for _ in range(whole + 1):
        tab.press("Next fixation")
        begun.append(fixations())
    assert begun == [*range(2, whole + 1), whole, 2]  # the next one has begun; then from the start
    assert tab.overlaps() == []
    assert tab.accessibility_faults() == []
    tab.page.get_by_role("slider", name="Spacing").press("ArrowRight")
    tab.page.get_by_role("radio", name="ideal searcher").check(force=True)
    tab.settled()
    assert "spacing=1.25" in tab.page.url
    assert "attention=ideal" in tab.page.url
    tab.page.get_by_role("radio", name="each its own").check(force=True)
    tab.settled()
    assert tab.page.locator(".plane .host > svg").is_visible()
    assert tab.page.locator(".eyes").count() == 0
