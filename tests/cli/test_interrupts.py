"""Ctrl-C raises where it is heard: it waits for the end of imports and finalisers."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from command_line import HEARS_INTERRUPTS

from popout.cli.interrupts import interrupts_are_heard

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")


@pytest.fixture(autouse=True)
def default_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_outside_imports_is_raised_at_once():
    with interrupts_are_heard(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_inside_an_import_waits_for_its_end(tmp_path):
    (tmp_path / "slow.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nfor _ in range(10**6): pass\n"
        "whole = True\n"
    )
    code = (
        f"{HEARS_INTERRUPTS}"
        "import sys, time\n"
        "from popout.cli.interrupts import interrupts_are_heard\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "try:\n"
        "    with interrupts_are_heard():\n"
        "        import slow\n"
        "        time.sleep(30)\n"
        "except KeyboardInterrupt:\n"
        "    print(slow.whole)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=25, check=True)
    assert done.stdout == "True\n"


def before_a_sleep(call):
    call()
    time.sleep(30)


class Finalised:
    """Interrupts while it is being finalised, where Python prints an error and goes on."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_inside_a_finaliser_waits_for_its_end(capsys):
    with interrupts_are_heard(), pytest.raises(KeyboardInterrupt):
        before_a_sleep(Finalised)
    assert capsys.readouterr().err == ""


def test_without_this_an_interrupt_inside_a_finaliser_is_lost(monkeypatch):
    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: lost.append(what.exc_type))
    Finalised()
    assert lost == [KeyboardInterrupt]


def test_an_interrupt_waits_while_llvm_calls_back(tmp_path):
    """As when a kernel has been compiled: an error would be printed, and the kernel be missing."""
    folder = tmp_path / "llvmlite" / "binding"
    folder.mkdir(parents=True)
    source = "def called_back():\n    raise_signal(SIGINT)\n    done.append(True)\n"
    done = []
    names = {"raise_signal": signal.raise_signal, "SIGINT": signal.SIGINT, "done": done}
    exec(compile(source, str(folder / "executionengine.py"), "exec"), names)
    with interrupts_are_heard(), pytest.raises(KeyboardInterrupt):
        before_a_sleep(names["called_back"])
    assert done == [True]


def test_a_handler_of_the_program_stays():
    calls = []
    signal.signal(signal.SIGINT, lambda *_: calls.append(1))
    with interrupts_are_heard():
        os.kill(os.getpid(), signal.SIGINT)
    assert calls == [1]


def test_other_threads_leave_signals_alone():
    seen = []

    def work():
        with interrupts_are_heard():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
