"""Ctrl-C raises between imports and waits for their end."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from popout.cli.interrupts import interrupts_after_imports

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")


@pytest.fixture(autouse=True)
def default_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_outside_imports_is_raised_at_once():
    with interrupts_after_imports(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_inside_an_import_waits_for_its_end(tmp_path):
    (tmp_path / "slow.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nfor _ in range(10**6): pass\n"
        "whole = True\n"
    )
    code = (
        "import sys, time\n"
        "from popout.cli.interrupts import interrupts_after_imports\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "try:\n"
        "    with interrupts_after_imports():\n"
        "        import slow\n"
        "        time.sleep(30)\n"
        "except KeyboardInterrupt:\n"
        "    print(slow.whole)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=25, check=True)
    assert found.stdout == "True\n"


def test_a_handler_of_the_program_stays():
    calls = []
    signal.signal(signal.SIGINT, lambda *_: calls.append(1))
    with interrupts_after_imports():
        os.kill(os.getpid(), signal.SIGINT)
    assert calls == [1]


def test_other_threads_leave_signals_alone():
    seen = []

    def work():
        with interrupts_after_imports():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
