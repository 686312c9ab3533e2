"""Every page at three sizes, in light and dark: accessible, nothing overlaps, nothing is cut off."""

import pytest

OVERLAPS = """
() => {
  const seen = (one) => {
    const box = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    return box.width > 1 && box.height > 1 && style.visibility !== 'hidden' && !one.closest('.hidden, .rail:not(.open)') ? box : null;
  };
  const name = (one) => `${one.tagName}.${one.getAttribute('class') ?? ''} ${one.textContent.slice(0, 30)}`;
  const faults = [];
  const apart = (group) => {
    const boxes = group.map((one) => [one, seen(one)]).filter(([, box]) => box);
    boxes.forEach(([one, a], at) => boxes.slice(at + 1).forEach(([other, b]) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1.5 && down > 1.5) faults.push(`${name(one)} over ${name(other)}`);
    }));
  };
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  apart(all('.panel'));
  apart(all('.fact'));
  apart(all('.control, fieldset'));
  apart(all('.top > *, .top nav > *').filter((one) => !one.querySelector('nav') && one.tagName !== 'NAV'));
  for (const panel of all('.panel')) apart(all(':scope > *', panel));
  for (const header of all('.panel header')) apart(all(':scope > *', header));
  for (const plot of all('svg.plot')) apart(all('text', plot));
  for (const screen of all('main.screen, main.desk, main.door')) apart(all(':scope > *', screen));
  for (const one of all('h1, h2, dt, dd, label, button, .caption, .note')) {
    if (seen(one) && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1) faults.push(`cut off: ${name(one)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`wider than the window: ${document.documentElement.scrollWidth}`);
  return faults;
}
"""
EXPLORERS = {
    "two": "/?strategy=sprt",
    "many": "/?locations=7&strategy=hardmax&others=-3&visibility=0.6",
    "limited": "/?evidence=information&strategy=sprt&prior=0.2",
}


@pytest.mark.parametrize("size", ["laptop", "desktop", "phone"])
@pytest.mark.parametrize("state", EXPLORERS)
def test_the_explorer_fits_every_screen(explorer, visit, size, state):
    one = visit(explorer, size, reduced_motion="reduce")
    one.open(EXPLORERS[state])
    one.settled()
    assert one.page.evaluate(OVERLAPS) == []
    if size == "phone":
        one.press("Change the search")
        one.page.wait_for_timeout(300)
        assert one.page.evaluate(OVERLAPS) == []
    else:
        height = one.page.evaluate("document.documentElement.scrollHeight - innerHeight")
        assert height <= 0, "one screen"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_in_the_explorer(explorer, visit, scheme):
    one = visit(explorer, color_scheme=scheme, reduced_motion="reduce")
    one.open(EXPLORERS["many"])
    one.settled()
    assert one.accessibility_faults() == []
    one.press("Copy as…")
    assert one.accessibility_faults() == []


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
