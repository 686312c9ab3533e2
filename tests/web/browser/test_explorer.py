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
    sliders = ("locations", "prior", "drift", "visibility", "time", "miss", "falseAlarm", "dt")
    assert {f"control-{name}" for name in sliders} <= set(reached)
    assert {"Examples", "Reset", "Copy as…", "control-strategy-sprt"} <= set(reached)
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
    shown = float(tab.page.locator(".fact.risk dd").inner_text().split()[0])
    summary = names["trials"].summary(names["costs"])
    assert abs(summary.risk - shown) < 4 * summary.risk_se + 0.0005

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
