"""The shell lines of the pages a newcomer reads first: each command runs, and prints what it says.

Their Python blocks are doctests (`docs`) or compared with the output beside them (README). A block
of text right under a command is what it prints, but for the seconds it took.
"""

import re
import shlex
from pathlib import Path

import pytest
from command_line import run

from popout.cli import group
from popout.drawing.style import picture
from popout.reports import part

ROOT = Path(__file__).parents[1]
PAGES = [
    "README.md",
    *(f"docs/{name}.md" for name in ("tour", "quickstart", "commands", "analyse", "solver")),
]
OPTIONAL = "--backend torch"  # runs where PyTorch and a GPU are there


def commands(page):
    """Return every indented ``popout ...`` line of a page, without its comment."""
    lines = re.findall(r"^    popout (.*)$", (ROOT / page).read_text(), re.MULTILINE)
    return [line.split("  #")[0].strip() for line in lines if OPTIONAL not in line]


LINES = sorted({line for page in PAGES for line in commands(page)})


def outputs(page):
    """Return the commands under which their output is shown, with that."""
    pattern = r"^    popout ([^\n]*)\n\n```text\n(.*?)```"
    return re.findall(pattern, (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


SHOWN = {line: said for page in PAGES for line, said in outputs(page)}


@pytest.fixture
def in_root(monkeypatch, tmp_path):
    """Go to a folder from which the examples are found, and which nothing else is written to."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    # Every figure of a report is drawn once, as a vector picture.
    drawn = {"svg": picture, "png": lambda figure, kind: b""}
    monkeypatch.setattr(part, "picture", lambda figure, kind: drawn[kind](figure, kind))


@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_commands(page):
    assert len(commands(page)) >= 2


@pytest.mark.parametrize("line", LINES)
@pytest.mark.usefixtures("in_root")
def test_the_command_of_a_page_runs(line):
    result = run(*shlex.split(line))
    assert result.exit_code == 0, result.stderr
    assert result.stdout
    if line in SHOWN:
        assert without_time(result.stdout) == without_time(SHOWN[line])


def without_time(text):
    return re.sub(r"(?m)^  (seconds|found in) .*$", r"  \1", text)


def test_output_is_shown_and_compared():
    assert len(SHOWN) >= 3
    assert set(SHOWN) <= set(LINES)


def test_there_is_a_how_to_for_every_command():
    text = (ROOT / "docs" / "commands.md").read_text()
    assert sorted(re.findall(r"^## (\w+): ", text, re.MULTILINE)) == list(group.COMMANDS)


def test_a_fault_of_a_file_reads_as_shown(tmp_path, monkeypatch):
    text = (ROOT / "docs" / "commands.md").read_text()
    (said,) = re.findall(r"```text\n(Error: .*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("task.toml").write_text(
        'kind = "search"\nn_locations = 8\ndrfit = 4.0\n', encoding="utf-8"
    )
    assert run("evidence", "task.toml").stderr == said
