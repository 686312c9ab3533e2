"""Completion: what the shell is offered, and the script that asks for it."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from popout.cli import group


def complete(*words):
    """Return what bash is offered for the last of the words."""
    setting = {
        "_POPOUT_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["popout", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-c", "from popout.cli import main; main(prog_name='popout')"],
        env=os.environ | setting,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_the_shell_completes_commands_options_and_names():
    assert complete("s") == [name for name in group.COMMANDS if name.startswith("s")]
    assert complete("solve", "--time") == ["--time-cost"]
    assert complete("simulate", "--strategy", "s") == ["sprt-opt", "sprt"]
    assert complete("compare", "--strategies", "sprt,h") == [
        "sprt,hardmax",
        "sprt,hardmax-per-location",
        "sprt,hardmax-opt",
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(shell):
    result = CliRunner().invoke(group.main, ["completion", shell])
    assert result.exit_code == 0
    assert f"_POPOUT_COMPLETE={shell}_complete" in result.stdout


def test_bash_accepts_its_script(tmp_path):
    script = CliRunner().invoke(group.main, ["completion", "bash"]).stdout
    file = tmp_path / "popout.bash"
    file.write_text(script)
    command = f"source {file} && complete -p popout"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert "popout" in done.stdout


def test_an_unknown_shell_is_bad_input():
    result = CliRunner().invoke(group.main, ["completion", "tcsh"])
    assert result.exit_code == 2
    assert "expected one of bash, zsh, fish, got 'tcsh'" in result.stderr
