"""The server under load: participants who lose nothing, and kills.

The load comes from this process; the server is another one, started as a user starts it.

- 200 participants, one trial a second each for two minutes: trials lost, stored twice, and how long
  it took until a trial was acknowledged, that is, on the disk.
- Beside them, with ``--visitors 20``, visitors of the explorer who ask another question every two
  seconds; with ``--heavy 8`` somebody else who asks heavy questions all the time.
- 50 kills (SIGKILL) at random moments while participants send: trials acknowledged and missing, or
  there twice. With ``--meanwhile`` the kills fall into the two minutes of the 200 participants and
  their neighbours; otherwise 20 other participants send without pause after these.

Options: ``--participants 200 --seconds 120 --visitors 0 --heavy 0 --kills 50 --seed 1``; 0 leaves a
part out. How soon the explorer answers is in ``bench_explorer.py``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/web/browser"))

from visitor import ROOT, OwnServer

DESIGN = ROOT / "examples" / "experiments" / "set_size.toml"
PATIENCE = 30.0
"""Seconds until a request without an answer is sent again."""


def stored_trials(server: OwnServer) -> dict[str, int]:
    """Return the number of stored trials of every session."""
    progress = json.loads(server.get("/api/v1/researcher/progress", server.token))
    return {row["session"]: row["trials"] for row in progress["list"]}


class Line:
    """A connection that a browser keeps open, and the little HTTP that it takes.

    A pool of connections of a general client looks through all of them for every request; with 200
    participants that takes more of the machine than the server does, and would be measured with it.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def post(
        self, address: str, token: str, content: object, visitor: str = "127.0.0.1"
    ) -> tuple[int, bytes]:
        """Return the status and the body of the answer to somebody."""
        if self._reader is None or self._writer is None:
            opened = asyncio.open_connection("127.0.0.1", self.port)
            self._reader, self._writer = await asyncio.wait_for(opened, PATIENCE)
        body = json.dumps(content).encode()
        head = (
            f"POST {address} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\n"
            f"authorization: Bearer {token}\r\ncontent-type: application/json\r\n"
            f"x-forwarded-for: {visitor}\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        return await asyncio.wait_for(self._answer(self._reader), PATIENCE)

    async def _answer(self, reader: asyncio.StreamReader) -> tuple[int, bytes]:
        status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        fields = dict(line.lower().split(": ", 1) for line in lines if line)
        return int(status.split()[1]), await reader.readexactly(int(fields["content-length"]))

    def drop(self) -> None:
        """Close it; the next request opens another."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


class Sender:
    """Sends one trial after another, each until it is acknowledged."""

    def __init__(self, line: Line, session: dict) -> None:
        self.line = line
        self.name, self.n, self.token = session["session"], len(session["trials"]), session["token"]
        self.acknowledged: set[int] = set()
        self.waits: list[float] = []
        self.repeats = 0

    async def send(self, index: int, due: float) -> None:
        """Send a trial; again, if there is no answer.

        The wait counts from when the trial was due, so that a server that stalls is charged with
        the trials that were held up behind the first.
        """
        content = {"trials": [{"index": index, "response": "present", "rt": 0.5}]}
        address = f"/api/v1/lab/sessions/{self.name}/trials"
        while True:
            try:
                status, _ = await self.line.post(address, self.token, content)
                if status == 200:
                    break
            except (OSError, EOFError, TimeoutError):
                self.line.drop()
            self.repeats += 1
            await asyncio.sleep(0.3)
        self.waits.append(time.perf_counter() - due)
        self.acknowledged.add(index)


async def begin(server: OwnServer) -> Sender:
    line = Line(server.port)
    status, body = await line.post("/api/v1/lab/sessions", "", {"consent": True})
    assert status == 201, body
    return Sender(line, json.loads(body))


async def visit(server: OwnServer, visitor: str, until: float, heavy: bool) -> list[float]:
    """Ask the explorer until some time; return how long each answer took, NaN for a refusal."""
    line, waits = Line(server.port), []
    await asyncio.sleep(2 * random.random())
    while time.perf_counter() < until:
        start = time.perf_counter()
        task = {"kind": "search", "n_locations": 2, "drift": random.uniform(2.0, 6.0)}
        content = {"task": task, "costs": {"time": 0.2}, "strategy": "optimal"}
        how = {"points": 25, "trials": 60_000, "rtol": 5e-3} if heavy else {"trials": 5_000}
        address = "/api/v1/frontier" if heavy else "/api/v1/simulate"
        try:
            status, _ = await line.post(address, "", {**content, **how}, visitor)
        except (OSError, EOFError, TimeoutError):
            line.drop()
            await asyncio.sleep(0.3)  # as a page does while the server is away
            continue
        waits.append(time.perf_counter() - start if status == 200 else float("nan"))
        await asyncio.sleep(2.0)
    line.drop()
    return waits


async def killing(server: OwnServer, kills: int, seconds: float) -> list[float]:
    """Kill a server at random moments; return for how many seconds it was away each time."""
    start, away = time.perf_counter(), []
    for moment in sorted(random.uniform(0.0, seconds) for _ in range(kills)):
        await asyncio.sleep(max(0.0, start + moment - time.perf_counter()))
        gone = time.perf_counter()
        server.kill()
        await asyncio.to_thread(server.start)
        away.append(time.perf_counter() - gone)
    return away


async def load(
    server: OwnServer, n: int, seconds: int, visitors: int = 0, heavy: int = 0, kills: int = 0
) -> tuple[list[Sender], list[float], list[float]]:
    """Let n participants do a trial a second, beside visitors and kills.

    Returns them, what the visitors waited for, and how long the server was away.
    """
    until = time.perf_counter() + seconds
    many = [visit(server, f"203.0.113.{k}", until, False) for k in range(visitors)]
    one = [visit(server, "198.51.100.1", until, True) for _ in range(heavy)]
    asking = asyncio.gather(*many, *one)
    people = [await begin(server) for _ in range(n)]

    async def take_part(person: Sender) -> None:
        await asyncio.sleep(random.random())
        start = time.perf_counter()
        for index in range(min(seconds, person.n)):
            due = start + index
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await person.send(index, due)

    killed = asyncio.create_task(killing(server, kills, 0.95 * seconds))
    await asyncio.gather(*map(take_part, people))
    away = await killed
    for person in people:
        person.line.drop()
    waits = await asyncio.wait_for(asking, PATIENCE + seconds)
    return people, [wait for own in waits[:visitors] for wait in own], away


async def through_kills(server: OwnServer, kills: int) -> list[Sender]:
    """Let 20 participants send without pause, while the server is killed again and again."""
    people = [await begin(server) for _ in range(20)]
    over = asyncio.Event()

    async def take_part(person: Sender) -> None:
        for index in range(person.n):
            if over.is_set():
                return
            await person.send(index, time.perf_counter())
            await asyncio.sleep(0.15)

    tasks = [asyncio.create_task(take_part(person)) for person in people]
    for _ in range(kills):
        await asyncio.sleep(random.uniform(0.3, 1.5))
        server.kill()
        await asyncio.to_thread(server.start)
    over.set()
    await asyncio.gather(*tasks)
    for person in people:
        person.line.drop()
    return people


def account(people: list[Sender], stored: dict[str, int]) -> tuple[int, int, int]:
    """Return trials acknowledged, lost, and there that nobody sent (or twice)."""
    sent = {person.name: len(person.acknowledged) for person in people}
    lost = sum(max(0, n - stored[name]) for name, n in sent.items())
    more = sum(max(0, stored[name] - n) for name, n in sent.items())
    return sum(sent.values()), lost, more


def print_row(facts: dict[str, object]) -> None:
    """Print a table of a single row."""
    print(f"| {' | '.join(facts)} |\n|{'---|' * len(facts)}")
    print(f"| {' | '.join(map(str, facts.values()))} |\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--participants", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--visitors", type=int, default=0, help="of the explorer")
    parser.add_argument("--heavy", type=int, default=0, help="heavy questions at a time")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--meanwhile", action="store_true", help="kill during the two minutes")
    parser.add_argument("--seed", type=int, default=1, help="of moments")
    chosen = parser.parse_args()
    random.seed(chosen.seed)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before we began\n")
    with tempfile.TemporaryDirectory() as folder:
        server = OwnServer(Path(folder), DESIGN, workers=2 if chosen.visitors else 0)
        server.start()
        if chosen.visitors:
            server.ready()
        if chosen.participants:
            parts = chosen.participants, chosen.seconds, chosen.visitors, chosen.heavy
            kills = chosen.kills if chosen.meanwhile else 0
            people, asked, away = asyncio.run(load(server, *parts, kills))
            sent, lost, more = account(people, stored_trials(server))
            waits = 1000 * np.concatenate([person.waits for person in people])
            middle, high = np.percentile(waits, [50, 99])
            facts: dict[str, object] = {"participants": len(people)}
            if away:
                facts |= {"kills": kills, "away each (s)": f"{np.mean(away):.1f}"}
            facts |= {"trials": sent, "lost": lost, "twice": more}
            facts |= {"median (ms)": f"{middle:.1f}", "99th percentile (ms)": f"{high:.1f}"}
            if away:
                again = sum(person.repeats for person in people)
                facts |= {"longest (ms)": f"{waits.max():.0f}", "sent again": again}
            print_row(facts)
            if asked:
                got = 1000 * np.array(asked)
                middle, high = np.nanpercentile(got, [50, 99])
                facts = {"visitors": chosen.visitors, "heavy": chosen.heavy}
                facts |= {"kills": kills} if away else {}
                facts |= {"answers": np.isfinite(got).sum(), "refused": np.isnan(got).sum()}
                facts |= {"median (ms)": f"{middle:.0f}", "99th percentile (ms)": f"{high:.0f}"}
                print_row(facts)
        if chosen.kills and not chosen.meanwhile:
            people = asyncio.run(through_kills(server, chosen.kills))
            sent, lost, more = account(people, stored_trials(server))
            again = sum(person.repeats for person in people)
            facts = {"kills": chosen.kills, "trials acknowledged": sent, "sent again": again}
            print_row({**facts, "lost": lost, "twice": more})
        server.stop()


if __name__ == "__main__":
    main()
