"""A real browser and a real server for tests and screenshots.

`why_not` says what is missing on this machine. `OwnServer` is ``popout serve`` in a process of its
own, which can be killed and started again at the same address. `Visit` is a page that remembers
what went wrong in it; `Participant` takes part in an experiment.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[3]
STATIC = ROOT / "src/popout/web/static"
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZES = {"laptop": (1280, 800), "desktop": (1920, 1080), "phone": (390, 844)}
PATIENCE = 120.0
"""Seconds until a test gives up; on an idle machine it waits for a few."""
COMPILING = 300.0
"""Seconds until the workers are ready, where nothing has been compiled before."""


EXPERIMENT = """
{more}
title = "Is one of them tilted?"
set_sizes = [2, 4]
targets = [30]
distractors = [0]
consent = "You look at displays of bars. You can stop at any time by closing the page."
promise = "Your answers and their times. No name and no address."
instructions = "Say whether one of the bars is tilted.\\n\\nKeep your eyes on the cross."
debriefing = "You have helped us to find out how people search."
completion_code = "THANKS"
contact = "lab@example.org"

[timing]
fixation = 0.05
feedback = 0.05
pause = 0.0
time_limit = 20.0

[[blocks]]
name = "Practice"
trials = 4
practice = true

[[blocks]]
name = "Carefully"
trials = {trials}

[[blocks]]
name = "Quickly"
trials = {trials}
words = "Time is costly now."
costs = {{ time = 1.0 }}
"""


def chromium() -> str | None:
    """Return the browser of this machine."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for path in map(shutil.which, names) if path), None)


def why_not() -> str | None:
    """Say what is missing for tests in the browser, if anything is."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed: pip install playwright"
    if importlib.util.find_spec("fastapi") is None:
        return "the server is not installed: pip install popout[web]"
    if chromium() is None:
        return "no Chromium: install the package chromium of your system"
    if not (STATIC / "explorer.html").is_file() or not AXE.is_file():
        return "the pages are not built: make pages (needs Node 20 or newer)"
    return None


def script(name: str) -> str:
    """Return a script that tests run in a page, without the words at its top."""
    lines = Path(__file__).with_name(name).read_text().splitlines()
    return "\n".join(line for line in lines if not line.startswith("//"))


def write_experiment(folder: Path, trials: int, more: str = "") -> Path:
    """Return a design with a number of trials a block, and what else is to stand in it."""
    path = folder / "experiment.toml"
    path.write_text(EXPERIMENT.format(trials=trials, more=more))
    return path


class OwnServer:
    """``popout serve`` in a process of its own.

    Parameters
    ----------
    folder : Path
        Where it keeps what it writes.
    experiment : Path, optional
    workers : int
        Processes that compute for the explorer.
    arrivals : int
        Sessions that may be begun in a minute.
    """

    def __init__(
        self,
        folder: Path,
        experiment: Path | None = None,
        workers: int = 1,
        arrivals: int = 10_000,
    ) -> None:
        self.folder, self.experiment, self.workers = folder, experiment, workers
        self.arrivals = arrivals
        self.port, self.address, self.token = 0, "", ""
        self.said: dict[str, str] = {}
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start, at the same address as before, and wait until it answers."""
        command = [sys.executable, "-m", "popout", "serve", "--json", "--port", str(self.port)]
        command += ["--workers", str(self.workers), "--arrivals", str(self.arrivals)]
        if self.experiment is not None:
            command += ["--experiment", str(self.experiment), "--data", str(self.folder / "data")]
        log = self.folder / "server.txt"
        with log.open("a") as errors:
            self._process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                stdin=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
        line = self._process.stdout.readline()
        assert line, f"the server did not start:\n{log.read_text()}"
        self.said = json.loads(line)
        self.address = self.said["explorer"].rstrip("/")
        self.port = int(self.address.rsplit(":", 1)[1])
        self.token = self.said.get("token", self.token)
        end = time.monotonic() + PATIENCE
        while not self._answers():
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.02)

    def _answers(self) -> bool:
        with contextlib.suppress(OSError):
            return bool(self.get("/api/v1/health"))
        return False

    def get(self, path: str, token: str | None = None) -> bytes:
        """Return what the server answers."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(self.address + path, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return bytes(answer.read())

    def ready(self) -> None:
        """Wait until its workers are ready."""
        end = time.monotonic() + COMPILING
        while json.loads(self.get("/api/v1/health"))["workers"] < self.workers:
            assert time.monotonic() < end, "no worker became ready"
            time.sleep(0.2)

    def stop(self) -> int | None:
        """End it as Ctrl-C does; return its exit code."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(15)
        return self.kill()

    def kill(self) -> int | None:
        """Kill it and its workers as a power failure would."""
        if self._process is None:
            return None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.stdout.close()
        return self._process.wait(15)


class Visit:
    """A page, and all that went wrong in it.

    Parameters
    ----------
    context : BrowserContext
    address : str
        Of the server; requests to any other are faults.
    """

    def __init__(self, context, address: str) -> None:
        self.address, self.context = address, context
        self.page = context.new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        self.faults: list[str] = []
        self.offline = False
        # Advice for tests that read the canvas; tests add the refusals that they provoke.
        self.expected = ["willReadFrequently"]
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", self._requested)
        self.page.on("dialog", lambda dialog: dialog.accept())

    def _said(self, message) -> None:
        # A server that is killed on purpose makes the browser complain.
        if any(words in message.text for words in self.expected):
            return
        if message.type in ("error", "warning") and not self.offline:
            self.faults.append(f"{message.type}: {message.text}")

    def _requested(self, request) -> None:
        if not request.url.startswith((self.address, "data:", "blob:" + self.address)):
            self.faults.append(f"request to {request.url}")

    def open(self, path: str) -> None:
        """Go to a page of the server."""
        self.page.goto(self.address + path)

    def until(self, script: str, seconds: float = PATIENCE):
        """Ask the page until the answer is truthy; the policy forbids Playwright's own way."""
        end = time.monotonic() + seconds
        while True:
            answer = self.page.evaluate(script)
            if answer:
                return answer
            assert self.faults == []
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.02)

    def settled(self) -> None:
        """Wait until every plot of the explorer is there."""
        self.until("document.querySelectorAll('.panel').length === 6")
        self.until("document.querySelectorAll('.panel[aria-busy=\"true\"]').length === 0")

    def press(self, name: str) -> None:
        """Press a button by its words."""
        self.page.get_by_role("button", name=name).click()

    def overlaps(self) -> list[str]:
        """Return what overlaps or is cut off."""
        return list(self.page.evaluate(script("overlaps.js")))

    def accessibility_faults(self) -> list[str]:
        """Return what axe finds."""
        if not self.page.evaluate("typeof axe !== 'undefined'"):
            self.page.evaluate(AXE.read_text())
        violations = self.page.evaluate("axe.run().then((result) => result.violations)")
        return [
            f"{fault['id']}: {fault['help']} ({node['target']}: {node['failureSummary']})"
            for fault in violations
            for node in fault["nodes"]
        ]


class Participant:
    """Somebody who takes part: without hesitation, and guessing.

    Parameters
    ----------
    visit : Visit
    """

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.answers: dict[int, str] = {}
        self._random = random.Random(1)
        self._onset = 0.0
        visit.context.add_init_script(
            "document.addEventListener('popout-onset', (event) => { window.shown = event.detail; })"
        )

    def enter(self, query: str = "?PROLIFIC_PID=tester") -> None:
        """Agree, and calibrate, up to the first block."""
        visit = self.visit
        visit.open("/lab" + query)
        visit.page.locator("button.main").click()
        self.go_on()

    def go_on(self) -> None:
        """Press whatever leads to the next trial."""
        self.visit.until(
            "(() => { document.querySelector('button.main')?.click();"
            "return document.querySelector('.trial, .results') !== null; })()"
        )

    def trial(self) -> int | None:
        """Make one trial; None when the experiment is over.

        A trial that a reload has cut short is shown again; the last answer is the one that counts.
        """
        page, last = self.visit.page, self._onset
        state = "window.shown && document.querySelector('.trial') ? window.shown : null"
        while True:
            shown = page.evaluate(state)
            if shown and shown["onset"] != last:
                break
            if page.evaluate("document.querySelector('.results') !== null"):
                return None
            if page.evaluate("document.querySelector('button.main') !== null"):
                self.go_on()
            assert self.visit.faults == []
            time.sleep(0.01)
        self._onset = shown["onset"]
        answer = self.decide(shown["index"])
        self.answers[shown["index"]] = answer
        page.keyboard.press("j" if answer == "present" else "f")
        return int(shown["index"])

    def wait_until_kept(self) -> None:
        """Wait for the next trial: it begins when the browser has the last answer on its disk."""
        self.visit.page.wait_for_function("last => window.shown.onset !== last", arg=self._onset)

    def decide(self, index: int) -> str:
        """Return the answer to a trial, after as much time as it takes."""
        return self._random.choice(("present", "absent"))
