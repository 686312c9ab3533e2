"""The documentation site in Chromium: no request elsewhere, no fault of axe, a working search."""

import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from .visitor import SIZES

SITE = Path(__file__).parents[3] / "site"
PAGES = {
    "front": "/index.html",
    "gallery": "/gallery.html",
    "figure": "/gallery/where_to_look.html",
    "tutorial": "/attention.html",
    "notebook": "/notebooks/first_look.html",
    "formulas": "/notation.html",
    "layer": "/reference/certificate.html",
    "class": "/reference/popout.Solution.html",
}
PAPER = "getComputedStyle(document.body).backgroundColor"


class Quiet(SimpleHTTPRequestHandler):
    """Files, without a line for each."""

    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def site():
    """The site as it was built, at an address of this machine."""
    if not (SITE / "index.html").is_file():
        reason = "the site is not built: make docs"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield SimpleNamespace(address=f"http://127.0.0.1:{server.server_port}")
        server.shutdown()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_accessible_and_fits(site, visit, page):
    tab = visit(site, color_scheme="light", reduced_motion="reduce")
    tab.open(PAGES[page])
    assert tab.accessibility_faults() == []
    paper = tab.page.evaluate(PAPER)
    tab.page.emulate_media(color_scheme="dark")
    tab.until(f"{PAPER} !== '{paper}'")
    assert tab.accessibility_faults() == []
    width, height = SIZES["phone"]
    tab.page.set_viewport_size({"width": width, "height": height})
    assert tab.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_search_finds(site, visit):
    tab = visit(site)
    tab.open("/search.html?q=certify")
    tab.until("document.querySelectorAll('#search-results li').length > 3")
    titles = tab.page.locator("#search-results li > a").all_inner_texts()
    assert "certify" in titles


def test_the_search_finds_on_the_disk(site, visit):
    tab = visit(SimpleNamespace(address=SITE.as_uri()))
    # From the disk a browser refuses the excerpts; the titles come all the same.
    tab.expected += ["Access to fetch", "ERR_FAILED"]
    tab.open("/search.html?q=certify")
    tab.page.locator("#search-results li > a", has_text="certify").first.wait_for()
    tab.faults = [fault for fault in tab.faults if fault != "Failed to fetch"]


def test_a_request_to_elsewhere_would_be_noticed(site, visit):
    tab = visit(site)
    tab.open("/index.html")
    tab.page.evaluate("fetch('http://127.0.0.1:9/x').catch(() => null)")
    assert any("request to http://127.0.0.1:9" in fault for fault in tab.faults)
    tab.faults.clear()
