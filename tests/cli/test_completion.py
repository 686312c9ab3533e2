"""Completion: what the shell is offered, and the script that asks for it."""

import os
import subprocess

import pytest
from command_line import PROGRAM, refusal, run

from popout.cli import group


def complete(*words):
    """Return what bash is offered for the last of the words."""
    setting = {
        "_POPOUT_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["popout", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        PROGRAM, env=os.environ | setting, capture_output=True, text=True, check=True
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_the_shell_completes_commands_options_and_names():
    assert complete("s") == [name for name in group.COMMANDS if name.startswith("s")]
    assert complete("solve", "--time") == ["--time-cost"]
    assert complete("simulate", "--strategy", "s") == ["sprt-opt", "sprt"]
    assert complete("compare", "--strategies", "sprt,hardmax-") == [
        "sprt,hardmax-per-location",
        "sprt,hardmax-opt",
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(shell, tmp_path):
    script = run("completion", shell).stdout
    assert f"_POPOUT_COMPLETE={shell}_complete" in script
    if shell == "bash":
        (tmp_path / "popout.bash").write_text(script)
        command = f"source {tmp_path}/popout.bash && complete -p popout"
        subprocess.run(["bash", "-c", command], capture_output=True, check=True)


def test_an_unknown_shell_is_bad_input():
    assert "expected one of bash, zsh, fish, got 'tcsh'" in refusal("completion", "tcsh")
