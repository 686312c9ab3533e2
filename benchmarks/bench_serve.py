"""The server under load: participants who lose nothing, kills, and how fast the explorer answers.

The load comes from this process; the server is another one, started as a user starts it.

- 200 participants, one trial a second each for two minutes: trials lost, stored twice, and how long
  it took until a trial was acknowledged, that is, on the disk.
- 50 kills (SIGKILL) at random moments while participants send: trials acknowledged and missing, or
  there twice.
- The explorer, by kind of change: another cost of time each time, so that nothing is remembered.

Options: ``--participants 200 --seconds 120 --kills 50 --changes 40``; 0 leaves a part out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np

DESIGN = Path(__file__).parents[1] / "examples" / "experiments" / "set_size.toml"
TWO = {"kind": "search", "n_locations": 2, "drift": 4.0}
EIGHT = {"kind": "search", "n_locations": 8, "drift": 4.0}
CHANGES = {
    "boundary, 2 locations": ("boundary", {"task": TWO}),
    "trials, 2 locations, optimal": ("simulate", {"task": TWO}),
    "example trials, 2 locations": ("example-trials", {"task": TWO}),
    "trials, 8 locations, SPRT": ("simulate", {"task": EIGHT, "strategy": "sprt"}),
    "slopes 2, 4, 8, SPRT": ("slopes", {"task": EIGHT, "strategy": "sprt"}),
}


class Server:
    """``popout serve`` in a process of its own, which can be killed and started again."""

    def __init__(self, data: str, workers: int) -> None:
        self.data, self.workers, self.port, self.token = data, workers, 0, ""
        self.start()

    def start(self) -> None:
        """Start it, on the port that it had."""
        args = ["--json", "--port", str(self.port), "--workers", str(self.workers)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "popout", "serve", "--experiment", str(DESIGN), "--data",
             self.data, *args],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        said = json.loads(self.process.stdout.readline())
        self.base = said["explorer"].rstrip("/")
        self.port = int(self.base.rsplit(":", 1)[1])
        self.token = said.get("token", self.token)
        while True:
            try:
                httpx.get(f"{self.base}/api/v1/health")
                return
            except httpx.TransportError:
                time.sleep(0.02)

    def kill(self) -> None:
        """Kill it without warning."""
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        """End it as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def stored(self) -> dict[str, int]:
        """Return the number of stored trials of every session."""
        headers = {"authorization": f"Bearer {self.token}"}
        url = f"{self.base}/api/v1/researcher/progress"
        found = httpx.get(url, headers=headers, timeout=120.0).json()
        return {row["session"]: row["trials"] for row in found["list"]}


class Participant:
    """Sends one trial after another, each until it is acknowledged."""

    def __init__(self, session: dict) -> None:
        self.name, self.n = session["session"], len(session["trials"])
        self.headers = {"authorization": f"Bearer {session['token']}"}
        self.acknowledged: set[int] = set()
        self.waits: list[float] = []
        self.repeats = 0

    async def send(self, client: httpx.AsyncClient, index: int) -> None:
        """Send a trial; again, if there is no answer."""
        body = {"trials": [{"index": index, "response": "present", "rt": 0.5}]}
        start = time.perf_counter()
        while True:
            try:
                address = f"/api/v1/lab/sessions/{self.name}/trials"
                answer = await client.post(address, json=body, headers=self.headers)
                if answer.status_code == 200:
                    break
            except httpx.TransportError:
                pass
            self.repeats += 1
            await asyncio.sleep(0.1)
        self.waits.append(time.perf_counter() - start)
        self.acknowledged.add(index)


async def begin(client: httpx.AsyncClient) -> Participant:
    answer = await client.post("/api/v1/lab/sessions", json={"consent": True})
    return Participant(answer.json())


def many_connections(server: Server, n: int) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=n, max_keepalive_connections=n)
    return httpx.AsyncClient(base_url=server.base, timeout=30.0, limits=limits)


async def load(server: Server, n: int, seconds: int) -> list[Participant]:
    """Let n participants do a trial a second."""
    async with many_connections(server, n + 10) as client:
        people = [await begin(client) for _ in range(n)]

        async def take_part(person: Participant) -> None:
            await asyncio.sleep(random.random())
            start = time.perf_counter()
            for index in range(min(seconds, person.n)):
                await asyncio.sleep(max(0.0, start + index - time.perf_counter()))
                await person.send(client, index)

        await asyncio.gather(*map(take_part, people))
    return people


async def through_kills(server: Server, kills: int) -> list[Participant]:
    """Let 20 participants send without pause, while the server is killed again and again."""
    async with many_connections(server, 30) as client:
        people = [await begin(client) for _ in range(20)]
        over = asyncio.Event()

        async def take_part(person: Participant) -> None:
            for index in range(person.n):
                if over.is_set():
                    return
                await person.send(client, index)
                await asyncio.sleep(0.15)

        tasks = [asyncio.create_task(take_part(person)) for person in people]
        for _ in range(kills):
            await asyncio.sleep(random.uniform(0.05, 0.5))
            server.kill()
            await asyncio.to_thread(server.start)
        over.set()
        await asyncio.gather(*tasks)
    return people


def account(people: list[Participant], stored: dict[str, int]) -> tuple[int, int, int]:
    """Return trials acknowledged, lost, and there that nobody sent (or twice)."""
    sent = {person.name: len(person.acknowledged) for person in people}
    lost = sum(max(0, n - stored[name]) for name, n in sent.items())
    more = sum(max(0, stored[name] - n) for name, n in sent.items())
    return sum(sent.values()), lost, more


def explorer(server: Server, changes: int) -> None:
    """Ask each kind of question with costs that nobody has asked about."""
    with httpx.Client(base_url=server.base, timeout=120.0) as client:
        while client.get("/api/v1/health").json()["workers"] < 1:
            time.sleep(0.2)
        print("\n| change | median (ms) | 99th percentile (ms) |\n|---|---|---|")
        for number, (name, (question, body)) in enumerate(CHANGES.items()):
            waits = []
            for k in range(changes + 3):
                costs = {"time": 0.2 + 0.001 * k + 0.0001 * number}
                start = time.perf_counter()
                answer = client.post(f"/api/v1/{question}", json={**body, "costs": costs})
                assert answer.status_code == 200, answer.text
                waits.append(1000 * (time.perf_counter() - start))
            middle, high = np.percentile(waits[3:], [50, 99])  # the first ones compile
            print(f"| {name} | {middle:.0f} | {high:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--participants", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--changes", type=int, default=40)
    chosen = parser.parse_args()
    random.seed(1)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before we began\n")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, workers=0)
        if chosen.participants:
            people = asyncio.run(load(server, chosen.participants, chosen.seconds))
            sent, lost, more = account(people, server.stored())
            waits = 1000 * np.concatenate([person.waits for person in people])
            middle, high = np.percentile(waits, [50, 99])
            print("| participants | trials | lost | twice | median (ms) | 99th percentile (ms) |")
            print("|---|---|---|---|---|---|")
            print(f"| {len(people)} | {sent} | {lost} | {more} | {middle:.1f} | {high:.1f} |")
        if chosen.kills:
            people = asyncio.run(through_kills(server, chosen.kills))
            sent, lost, more = account(people, server.stored())
            again = sum(person.repeats for person in people)
            print("\n| kills | trials acknowledged | sent again | lost | twice |")
            print("|---|---|---|---|---|")
            print(f"| {chosen.kills} | {sent} | {again} | {lost} | {more} |")
        server.end()
        if chosen.changes:
            server = Server(folder, workers=1)
            explorer(server, chosen.changes)
            server.end()


if __name__ == "__main__":
    main()
