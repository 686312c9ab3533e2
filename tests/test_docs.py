"""The shell lines of the pages a newcomer reads first: each command runs.

Their Python blocks are doctests (`docs`) or compared with the output beside them (README).
"""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from popout.cli import group

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "docs/quickstart.md", "docs/solver.md"]
OPTIONAL = "--backend torch"  # runs where PyTorch and a GPU are there


def commands(page):
    """Return every indented ``popout ...`` line of a page, without its comment."""
    lines = re.findall(r"^    popout (.*)$", (ROOT / page).read_text(), re.MULTILINE)
    return [line.split("  #")[0].strip() for line in lines if OPTIONAL not in line]


LINES = sorted({line for page in PAGES for line in commands(page)})


@pytest.fixture
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_commands(page):
    assert len(commands(page)) >= 2


@pytest.mark.parametrize("line", LINES)
@pytest.mark.usefixtures("in_root")
def test_the_command_of_a_page_runs(line):
    result = CliRunner().invoke(group.main, shlex.split(line))
    assert result.exit_code == 0, result.stderr
    assert result.stdout


def test_a_command_that_is_wrong_would_be_noticed():
    result = CliRunner().invoke(group.main, shlex.split("solve --drift 4 --locations two"))
    assert result.exit_code != 0
