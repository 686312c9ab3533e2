"""``popout serve`` in a process of its own, for tests and benchmarks."""

import json
import os
import signal
import subprocess
import sys
import time

import httpx


class Server:
    """A server that can be killed and started again on the same data and port."""

    def __init__(self, design, data, port=0, workers=0):
        self.design, self.data, self.port, self.workers = design, data, port, workers
        self.token = None
        self.start()

    def start(self):
        args = ["serve", "--json", "--port", str(self.port), "--workers", str(self.workers)]
        if self.design is not None:
            args += ["--experiment", str(self.design), "--data", str(self.data)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "popout", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self.said = json.loads(self.process.stdout.readline())
        self.base = self.said["explorer"].rstrip("/")
        self.port = int(self.base.rsplit(":", 1)[1])
        self.token = self.said.get("token", self.token)

    def client(self):
        return httpx.Client(base_url=self.base, timeout=30.0)

    def wait(self, seconds=60.0):
        """Wait until it answers."""
        end = time.monotonic() + seconds
        with self.client() as client:
            while True:
                try:
                    return client.get("/api/v1/health").json()
                except httpx.TransportError:
                    assert time.monotonic() < end, "the server does not answer"
                    time.sleep(0.02)

    def kill(self):
        """Kill it without warning."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def interrupt(self):
        """End it as Ctrl-C does; return the exit code."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        return code
