"""How soon the explorer shows a change: from the slider's event to the new plot, in Chromium.

Every change asks for something that was not asked before, so that no answer comes from the cache.
The pause in which the page waits for further dragging (40 ms) is part of it. Needs the built pages
and Chromium; without them it says what is missing.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/web/browser"))

from visitor import FLAGS, OwnServer, Visit, chromium, why_not

KINDS = {
    "drift, 2 locations": ("drift", "?strategy=optimal"),
    "cost of time, 2 locations": ("time", "?strategy=optimal"),
    "target present, 2 locations": ("prior", "?strategy=optimal"),
    "drift, 8 locations": ("drift", "?locations=8&strategy=sprt"),
}
MOVE = """
([control, position]) => new Promise((done) => {
  const slider = document.getElementById(`control-${control}`);
  const panels = ['plane', 'times'].map((name) => document.querySelector(`.panel.${name}`));
  const seen = {};
  const began = performance.now();
  slider.value = String(position);
  slider.dispatchEvent(new Event('input'));
  const look = () => {
    for (const panel of panels) {
      const name = panel.classList[1];
      const there = panel.getAttribute('aria-busy') === 'false';
      if (there && !(name in seen)) seen[name] = performance.now() - began;
    }
    if (Object.keys(seen).length === panels.length) done(seen);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})
"""


def measured(
    visit: Visit, control: str, address: str, changes: int, chance: random.Random
) -> dict[str, list[float]]:
    """Return milliseconds until boundary and response times are there, over many changes."""
    waits: dict[str, list[float]] = {"plane": [], "times": []}
    for _ in range(changes):
        # Odd costs and steps make a problem that nobody asked about before.
        odd = f"&miss={chance.uniform(0.8, 1.3):.4f}&false-alarm={chance.uniform(0.8, 1.3):.4f}"
        visit.open("/" + address + odd)
        visit.until("document.querySelectorAll('.panel').length === 6")
        for name in waits:
            visit.until(f"document.querySelector('.{name}').getAttribute('aria-busy') === 'false'")
        position = chance.choice([4, 5, 7, 8])
        for name, milliseconds in visit.page.evaluate(MOVE, [control, position]).items():
            waits[name].append(milliseconds)
    return waits


def main() -> int:
    missing = why_not()
    if missing:
        print(f"skipped: {missing}")
        return 0
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description="How soon the explorer shows a change.")
    parser.add_argument("--changes", type=int, default=25, help="of each kind")
    changes = parser.parse_args().changes
    chance = random.Random(1)
    print("| change | what | median (ms) | 99th percentile (ms) |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as tool:
        server = OwnServer(Path(place), workers=2)
        browser = tool.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            server.start()
            server.ready()
            context = browser.new_context(reduced_motion="reduce")
            visit = Visit(context, server.address)
            for kind, (control, address) in KINDS.items():
                waits = measured(visit, control, address, changes, chance)
                for name, what in (("plane", "boundary"), ("times", "simulated")):
                    middle, late = np.percentile(waits[name], [50, 99])
                    print(f"| {kind} | {what} | {middle:.0f} | {late:.0f} |", flush=True)
        finally:
            browser.close()
            server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
