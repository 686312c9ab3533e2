"""How soon the explorer shows a change: from the slider's event to the new plot, in Chromium.

Every change asks for something that was not asked before, so that no answer comes from the cache.
The pause in which the page waits for further dragging (40 ms) is part of it. Needs the built pages
and Chromium; without them it says what is missing.

`--frontier` asks for the speed-accuracy frontier as the page does, without a browser: processor
seconds, those of nine points at the usual accuracy, and how far times and errors are from those of
a finer solution at the same points, on the same trials.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
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


LIMITED = {"kind": "limited-search", "n_locations": 3, "information": 32.0}
FRONTIERS = {
    "3 items": ({"kind": "search", "n_locations": 3, "drift": 4.0}, None),
    "3 items, unequal": ({"kind": "search", "drift": [4.0, 2.0, 4.0]}, None),
    "3 items, shared, serial": (LIMITED, "serial"),
    "3 items, shared, optimal": (LIMITED, "optimal"),
    "3 items, by gaze": (
        {
            "kind": "gaze-search",
            "items": [[0, 0], [1, 0], [2, 0]],
            "information": 32.0,
            "falloff": 0.8,
        },
        "optimal",
    ),
}
PAGE = {"points": 7, "trials": 5000, "rtol": 0.05}
"""What the page asks for; the same as in web/src/explorer/state.ts."""


def frontiers() -> None:
    """Print what a frontier takes, and how far it is from a finer one."""
    from popout.web.explorer.answers import answer
    from popout.web.explorer.questions import FrontierQuestion

    def asked(name: str, cost: float, **settings: float) -> tuple[float, np.ndarray]:
        task, attention = FRONTIERS[name]
        observer = {"task": task, "costs": {"time": cost}, "attention": attention}
        question = FrontierQuestion.model_validate({**observer, **settings, "strategy": "optimal"})
        began = time.process_time()
        points = answer(question, lambda share, words: None)["points"]
        seconds = time.process_time() - began
        return seconds, np.array([[point["mean_rt"], point["error_rate"]] for point in points])

    print("| frontier | as the page asks (s) | 9 points, 1 % (s) | off by (ms) | (% errors) |")
    print("|---|---|---|---|---|")
    for name in FRONTIERS:
        asked(name, 0.3, **PAGE)  # kernels are compiled
        # Costs that differ a little: nothing of one question is there for the next.
        seconds, points = asked(name, 0.2, **PAGE)
        as_before, _ = asked(name, 0.2 + 1e-9, points=9, trials=5000, rtol=1e-2)
        off = np.abs(points - asked(name, 0.2, **{**PAGE, "rtol": 1e-3})[1]).max(axis=0)
        row = f"{seconds:.2f} | {as_before:.2f} | {1e3 * off[0]:.2f} | {100 * off[1]:.3f}"
        print(f"| {name} | {row} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="How soon the explorer shows a change.")
    parser.add_argument("--changes", type=int, default=25, help="of each kind")
    parser.add_argument("--frontier", action="store_true", help="the frontier alone")
    args = parser.parse_args()
    if args.frontier:
        frontiers()
        return 0
    missing = why_not()
    if missing:
        print(f"skipped: {missing}")
        return 0
    from playwright.sync_api import sync_playwright

    changes = args.changes
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
