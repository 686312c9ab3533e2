"""Screenshots of every page at three widths, for the docs: ``make screenshots``.

Run as a program, after ``make pages docs``: ``python tests/web/browser/screenshots.py
docs/pictures``.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from playwright.sync_api import sync_playwright
from visitor import FLAGS, ROOT, SIZES, OwnServer, Participant, Visit, chromium, why_not

EXPLORERS = {
    "explorer": ("/", "light"),
    "explorer-dark": ("/?locations=7&strategy=hardmax&others=-3&visibility=0.6", "dark"),
    "explorer-limited": ("/?evidence=information&strategy=sprt&prior=0.3", "light"),
    "explorer-gaze": ("/?evidence=gaze&layout=square&falloff=0.6&attention=elm", "light"),
    "explorer-gaze-dark": (
        "/?evidence=gaze&layout=hexagon&information=40&falloff=1.5&time-cost=0.05&attention=ideal",
        "dark",
    ),
}
EXPERIMENT = ROOT / "examples/experiments/set_size.toml"
SITE = ROOT / "site"
SITE_PAGES = {
    "front": "/index.html",
    "gallery": "/gallery.html",
    "tutorial": "/quickstart.html",
    "reference": "/reference/popout.solve.html",
}


class Somebody(Participant):
    """Searches like a person: slower with more items and to say "absent", rarely wrong."""

    def __init__(self, visit: Visit) -> None:
        super().__init__(visit)
        self._chance = random.Random(3)
        self._trials: list[dict] = []
        visit.page.on("response", self._read)

    def _read(self, response) -> None:
        if response.url.endswith("/lab/sessions") and response.ok:
            self._trials = response.json()["trials"]

    def decide(self, index: int) -> str:
        """Look, then answer."""
        trial = self._trials[index]
        each = 0.018 if trial["present"] else 0.035
        time.sleep(0.3 + each * trial["set_size"] + 0.12 * self._chance.random())
        right = self._chance.random() > 0.08
        return "present" if trial["present"] == right else "absent"


def take(visit: Visit, folder: Path, name: str, size: str) -> None:
    """Save what the window shows, as a small file."""
    path = folder / f"{name}-{size}.png"
    visit.page.screenshot(path=path)
    shrink(path)
    print(path)


def shrink(path: Path) -> None:
    """Store a picture in 256 colours: a third of the bytes, and nobody sees the difference."""
    from PIL import Image

    with Image.open(path) as picture:
        colours = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    colours.save(path, optimize=True)


def explorer(browser, server: OwnServer, folder: Path, size: str) -> None:
    """Take the explorer in a few states."""
    for name, (address, scheme) in EXPLORERS.items():
        visit = open_visit(browser, server, size, scheme)
        visit.open(address)
        visit.settled()
        take(visit, folder, name, size)
        if size == "phone" and name == "explorer":
            visit.press("Change the search")
            visit.page.wait_for_timeout(400)
            take(visit, folder, "explorer-controls", size)
        visit.context.close()


def laboratory(browser, server: OwnServer, folder: Path, size: str) -> None:
    """Take part, and take a picture on the way."""
    touch = size == "phone"
    visit = open_visit(browser, server, size, "light", has_touch=touch, is_mobile=touch)
    person = Somebody(visit)
    visit.open(f"/lab?PROLIFIC_PID={size}")
    visit.page.get_by_role("button", name="I agree").wait_for()
    take(visit, folder, "lab-consent", size)
    visit.press("I agree and take part")
    visit.press("Fill the screen")
    visit.page.get_by_role("button", name="It fits").wait_for()
    take(visit, folder, "lab-card", size)
    visit.press("It fits")
    visit.page.get_by_role("button", name="Begin").wait_for()
    take(visit, folder, "lab-instructions", size)
    visit.press("Begin")
    visit.press("Start")
    visit.until("window.shown && window.shown.index === 0")
    take(visit, folder, "lab-display", size)
    while person.trial() is not None:
        pass
    visit.page.locator(".results svg").wait_for()
    take(visit, folder, "lab-results", size)
    visit.context.close()


def researcher(browser, server: OwnServer, folder: Path, size: str) -> None:
    """Take the researcher's page."""
    visit = open_visit(browser, server, size, "dark" if size == "desktop" else "light")
    visit.open("/researcher")
    visit.page.get_by_label("Token").fill(server.token)
    visit.press("Enter")
    visit.page.get_by_role("heading", name="Participants").wait_for()
    take(visit, folder, "researcher", size)
    visit.context.close()


def open_visit(browser, server: OwnServer, size: str, scheme: str, **settings) -> Visit:
    """Open a page of this size."""
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        reduced_motion="reduce",
        **settings,
    )
    return Visit(context, server.address)


def documentation(browser, folder: Path, size: str) -> None:
    """Take some pages of the site, light and dark."""
    site = SimpleNamespace(address=SITE.as_uri())
    for scheme in ("light", "dark"):
        for name, address in SITE_PAGES.items():
            visit = open_visit(browser, site, size, scheme)
            visit.open(address)
            take(visit, folder, name if scheme == "light" else f"{name}-dark", size)
            visit.context.close()


def main(folder: Path) -> None:
    """Take every picture."""
    for name in ("web", "site"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as tool:
        design = Path(place) / "experiment.toml"
        design.write_text(short(EXPERIMENT.read_text()))
        server = OwnServer(Path(place), design)
        browser = tool.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            server.start()
            server.ready()
            for size in SIZES:
                laboratory(browser, server, folder / "web", size)
            for size in SIZES:
                researcher(browser, server, folder / "web", size)
                explorer(browser, server, folder / "web", size)
                documentation(browser, folder / "site", size)
        finally:
            browser.close()
            server.stop()


def short(text: str) -> str:
    """Return a design with so few trials, and so little waiting, that it is over soon."""
    lines = ["trials = 12" if line.startswith("trials =") else line for line in text.splitlines()]
    timing = "\n[timing]\nfixation = 0.1\nfeedback = 0.0\npause = 0.0\n"
    return "\n".join(lines) + ("" if "[timing]" in text else timing)


if __name__ == "__main__":
    missing = why_not() or (None if (SITE / "index.html").is_file() else "no site: make docs")
    if missing:
        sys.exit(missing)
    main(Path(sys.argv[1]))
