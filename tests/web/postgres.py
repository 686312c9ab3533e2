"""A PostgreSQL server of the tests' own: on loopback, in a temporary folder, gone at the end."""

import glob
import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest


def programs():
    """Return the folder with the server's programs, or None."""
    path = shutil.which("initdb")
    folders = [str(Path(path).parent)] if path else sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    return folders[-1] if folders else None


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextmanager
def postgres_server():
    """Yield the address of a database of a server that is started now.

    Where there is none, the test is skipped on a user's machine and fails in CI.
    """
    folder = programs()
    if folder is None:
        missing = "PostgreSQL is not installed (apt-get install postgresql)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    # The server refuses to run as root.
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    place = tempfile.mkdtemp(prefix="popout-postgres-")
    if as_user:
        shutil.chown(place, "postgres")
    data, port = f"{place}/data", free_port()

    def run(program, *args):
        command = [*as_user, f"{folder}/{program}", *args]
        done = subprocess.run(command, capture_output=True, text=True, cwd=place)
        assert done.returncode == 0, done.stderr

    settings = (
        f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= "
        "-c shared_buffers=16MB -c max_connections=20"
    )
    try:
        run("initdb", "-D", data, "-U", "lab", "-A", "trust", "-E", "UTF8", "--no-sync")
        run("pg_ctl", "-D", data, "-w", "-l", f"{place}/log", "-o", settings, "start")
        try:
            yield f"postgresql://lab@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        time.sleep(0.1)
        shutil.rmtree(place, ignore_errors=True)
