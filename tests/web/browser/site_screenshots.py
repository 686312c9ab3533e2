"""Screenshots of the documentation site at three widths, light and dark: ``make screenshots``.

Run as a program, after ``make docs``: ``python tests/web/browser/site_screenshots.py
docs/pictures/site``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

from playwright.sync_api import sync_playwright
from screenshots import open_visit, take
from visitor import FLAGS, ROOT, SIZES, chromium

SITE = ROOT / "site"
PAGES = {
    "front": "/index.html",
    "gallery": "/gallery.html",
    "tutorial": "/quickstart.html",
    "reference": "/reference/popout.solve.html",
}


def main(folder: Path) -> None:
    """Take every picture."""
    folder.mkdir(parents=True, exist_ok=True)
    site = SimpleNamespace(address=SITE.as_uri())
    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=chromium(), args=FLAGS)
        for size in SIZES:
            for scheme in ("light", "dark"):
                for name, address in PAGES.items():
                    visit = open_visit(browser, site, size, scheme)
                    visit.open(address)
                    take(visit, folder, name if scheme == "light" else f"{name}-dark", size)
                    visit.context.close()
        browser.close()


if __name__ == "__main__":
    if not (SITE / "index.html").is_file():
        sys.exit("the site is not built: make docs")
    main(Path(sys.argv[1]))
