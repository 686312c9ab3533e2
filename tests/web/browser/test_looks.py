"""Every page at three sizes, in light and dark: accessible, nothing overlaps or is cut off."""

import pytest

from .visitor import SIZES, Participant

EXPLORERS = {
    "two": "/?strategy=sprt",
    "many": "/?locations=7&strategy=hardmax&others=-3&visibility=0.6",
    "limited": "/?evidence=information&strategy=sprt&prior=0.2&dt=0.05",
}


@pytest.mark.parametrize("state", EXPLORERS)
def test_the_explorer_fits_every_screen(explorer, visit, state):
    one = visit(explorer, reduced_motion="reduce")
    one.open(EXPLORERS[state])
    for size, (width, height) in SIZES.items():
        one.page.set_viewport_size({"width": width, "height": height})
        one.settled()
        one.page.wait_for_timeout(100)  # in which plots are drawn in their new size
        assert one.overlaps() == [], size
        if size == "phone":
            one.press("Change the search")
            one.page.wait_for_timeout(300)
            assert one.overlaps() == []
        else:
            more = one.page.evaluate("document.documentElement.scrollHeight - innerHeight")
            assert more <= 0, f"one screen: {size}"


def test_axe_finds_no_fault_in_the_explorer_and_sees_those_that_are_made(explorer, visit):
    one = visit(explorer, color_scheme="light", reduced_motion="reduce")
    one.open(EXPLORERS["many"])
    one.settled()
    for scheme in ("light", "dark"):
        one.page.emulate_media(color_scheme=scheme)
        assert one.accessibility_faults() == [], scheme
        one.press("Copy as…")
        assert one.accessibility_faults() == [], scheme
        one.page.keyboard.press("Escape")
    one.page.evaluate("document.querySelector('.panel.slopes').style.marginTop = '-3rem'")
    assert any("slopes" in fault for fault in one.overlaps())
    one.page.evaluate("document.querySelector('h1').style.color = 'var(--line)'")
    one.page.evaluate("document.querySelector('h1 a').style.color = 'inherit'")
    assert any("color-contrast" in fault for fault in one.accessibility_faults())


def test_the_reader_may_choose_the_other_colours(explorer, visit):
    one = visit(explorer, color_scheme="light")
    one.open(EXPLORERS["two"])
    paper = "getComputedStyle(document.body).backgroundColor"
    light = one.page.evaluate(paper)
    one.press("Use dark colours")
    dark = one.page.evaluate(paper)
    assert dark != light
    one.page.reload()
    assert one.page.evaluate(paper) == dark


SCREENS = {
    "I agree and take part": ("laptop", "desktop", "phone"),
    "Fill the screen": ("laptop", "phone"),
    "It fits": ("laptop", "phone"),
    "Begin": ("laptop", "desktop", "phone"),
    "Start": ("laptop", "phone"),
}


def test_every_screen_of_the_laboratory(laboratory, visit):
    one = visit(laboratory(trials=2), color_scheme="light", reduced_motion="reduce")
    person = Participant(one)
    one.open("/lab")

    def look(sizes):
        for size in sizes:
            width, height = SIZES[size]
            one.page.set_viewport_size({"width": width, "height": height})
            assert one.overlaps() == [], size
        for scheme in ("dark", "light"):
            one.page.emulate_media(color_scheme=scheme)
            assert one.accessibility_faults() == [], scheme

    for words, sizes in SCREENS.items():
        button = one.page.get_by_role("button", name=words)
        button.wait_for()
        look(sizes)
        button.click()
    while person.trial() is not None:
        pass
    look(SIZES)
