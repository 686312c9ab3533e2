"""Every page at three sizes, in light and dark: accessible, nothing overlaps or is cut off."""

import pytest

from .visitor import SIZES, Participant

EXPLORERS = {
    "two": "/?strategy=sprt",
    "many": "/?locations=7&strategy=hardmax&others=-3&visibility=0.6",
    "limited": "/?evidence=information&strategy=sprt&prior=0.2&dt=0.05",
}


SEEN = """(selector) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  const middle = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  return middle !== null && document.querySelector(selector).contains(middle);
}"""


def seen_together(tab):
    """Return whether a slider and the plot that it moves are on the screen, neither hidden."""
    return all(tab.page.evaluate(SEEN, each) for each in ("#control-prior", ".plane .host"))


@pytest.mark.parametrize("state", EXPLORERS)
def test_the_explorer_fits_every_screen(explorer, visit, state):
    tab = visit(explorer, reduced_motion="reduce")
    tab.open(EXPLORERS[state])
    for size, (width, height) in {**SIZES, "small": (1024, 768)}.items():
        tab.page.set_viewport_size({"width": width, "height": height})
        tab.settled()
        tab.page.wait_for_timeout(100)  # in which plots are drawn in their new size
        assert tab.overlaps() == [], size
        if size == "phone":
            tab.press("Change the search")
            tab.page.wait_for_timeout(300)
            assert tab.overlaps() == []
            assert seen_together(tab), size
            tab.press("Done")
        else:
            more = tab.page.evaluate("document.documentElement.scrollHeight - innerHeight")
            assert more <= 0, f"one screen: {size}"
            assert seen_together(tab), size


def test_axe_finds_no_fault_in_the_explorer_and_sees_those_that_are_made(explore):
    tab = explore(EXPLORERS["many"], color_scheme="light", reduced_motion="reduce")
    for scheme in ("light", "dark"):
        tab.page.emulate_media(color_scheme=scheme)
        assert tab.accessibility_faults() == [], scheme
        tab.press("Copy as…")
        assert tab.accessibility_faults() == [], scheme
        tab.page.keyboard.press("Escape")
        tab.press("Explain")
        assert tab.accessibility_faults() == [], scheme
        assert tab.overlaps() == []
    tab.page.evaluate("document.querySelector('.panel.slopes').style.marginTop = '-3rem'")
    assert any("slopes" in fault for fault in tab.overlaps())
    tab.page.evaluate("document.querySelector('h1').style.color = 'var(--line)'")
    tab.page.evaluate("document.querySelector('h1 a').style.color = 'inherit'")
    assert any("color-contrast" in fault for fault in tab.accessibility_faults())


def test_the_reader_may_choose_the_other_colours(explorer, visit):
    tab = visit(explorer, color_scheme="light")
    tab.open(EXPLORERS["two"])
    paper = "getComputedStyle(document.body).backgroundColor"
    light = tab.page.evaluate(paper)
    tab.press("Use dark colours")
    dark = tab.page.evaluate(paper)
    assert dark != light
    tab.page.reload()
    assert tab.page.evaluate(paper) == dark


SCREENS = {
    "I agree and take part": ("laptop", "desktop", "phone"),
    "Fill the screen": ("laptop", "phone"),
    "It fits": ("laptop", "phone"),
    "Begin": ("laptop", "desktop", "phone"),
    "Start": ("laptop", "phone"),
}


def test_every_screen_of_the_laboratory(laboratory, visit):
    tab = visit(laboratory(trials=2), color_scheme="light", reduced_motion="reduce")
    person = Participant(tab)
    tab.open("/lab")

    def look(sizes):
        for size in sizes:
            width, height = SIZES[size]
            tab.page.set_viewport_size({"width": width, "height": height})
            assert tab.overlaps() == [], size
        for scheme in ("dark", "light"):
            tab.page.emulate_media(color_scheme=scheme)
            assert tab.accessibility_faults() == [], scheme

    for words, sizes in SCREENS.items():
        button = tab.page.get_by_role("button", name=words)
        button.wait_for()
        look(sizes)
        button.click()
    while person.trial() is not None:
        pass
    look(SIZES)
