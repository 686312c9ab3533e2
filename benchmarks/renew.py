"""Numbers of the documentation: list the commands that print them with their age, or renew a table.

`docs/numbers.toml` has an entry for each command: the page, the command, and the version and date
of the numbers that the page shows. ``renew.py NAME`` runs a command; every table that it prints
takes the place of the one with the same head in the page (with `key = n`, row by row: rows are
known by their first n cells), and the entry gets this version and date, and the minutes it took.
``renew.py`` alone writes the list, `docs/numbers.md`; ``renew.py --stale`` fails if numbers were
made by an earlier version, which is how a release finds them.
"""

import argparse
import datetime
import math
import shlex
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import tomli_w

from popout import __version__
from popout.reports.store import write_whole

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
ENTRIES = DOCS / "numbers.toml"
LIST = DOCS / "numbers.md"
HEAD = """# The age of our numbers

Doctests and claims are computed anew whenever they are looked at. Tables that take minutes are not:
each is printed by one command, and this page says which version printed what its page shows now.
`make numbers-NAME` runs the command and puts its tables into the page. A release is made when none
is older than its version.

| name | page | command | minutes | version | date |
|---|---|---|---|---|---|
"""


def tables_of(lines):
    """Return the first line and the line after the last of each table of Markdown, by its head."""
    heads = {}
    for k, line in enumerate(lines[1:], 1):
        if line.startswith("|--") and lines[k - 1].startswith("|"):
            end = next((j for j in range(k, len(lines)) if not lines[j].startswith("|")), None)
            heads[lines[k - 1].strip()] = k - 1, len(lines) if end is None else end
    return heads


def renewed(page, printed, key=None):
    """Return the lines of a page with the tables that were printed, and how many there are.

    >>> old = ["| M | s |", "|---|---|", "| 2 | 7 |", "| 4 | 9 |", "", "The end"]
    >>> new = ["Tables:", "| M | s |", "|---|---|", "| 2 | 8 |"]
    >>> renewed(old, new)
    (['| M | s |', '|---|---|', '| 2 | 8 |', '', 'The end'], 1)
    >>> renewed(old, new, key=1)[0][2:4]
    ['| 2 | 8 |', '| 4 | 9 |']
    """
    fresh, page, taken = tables_of(printed), list(page), 0
    for head, (begin, end) in reversed(tables_of(page).items()):
        if head in fresh:
            first, last = fresh[head]
            rows = printed[first + 2 : last]
            if key is not None:
                by_key = {_key(row, key): row for row in rows}
                rows = [by_key.pop(_key(row, key), row) for row in page[begin + 2 : end]]
                rows += by_key.values()
            page[begin + 2 : end] = rows
            taken += 1
    return page, taken


def _key(row, n):
    return tuple(cell.strip() for cell in row.split("|")[1 : n + 1])


def the_list(entries):
    """Return the page that lists the entries, the oldest first."""
    rows = sorted(entries.items(), key=lambda item: (item[1]["date"], item[0]))
    return HEAD + "".join(
        f"| {name} | [{entry['page']}]({entry['page']}) | `{entry['command']}` "
        f"| {entry.get('minutes', '')} | {entry['version']} | {entry['date']} |\n"
        for name, entry in rows
    )


def stale(entries, version=__version__):
    """Return the names of entries that another version made."""
    return [name for name, entry in entries.items() if entry["version"] != version]


def renew(name, entry, by_hand):
    """Run a command, and put its tables into the page."""
    program, *args = shlex.split(entry["command"])
    here = {"python": sys.executable}.get(program, str(Path(sys.executable).with_name(program)))
    began = time.monotonic()
    done = subprocess.run([here, *args], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    minutes = math.ceil((time.monotonic() - began) / 60)
    path = DOCS / entry["page"]
    lines = path.read_text(encoding="utf-8").split("\n")
    page, taken = renewed(lines, done.stdout.split("\n"), entry.get("key"))
    if taken:
        write_whole(path, "\n".join(page).encode())
    else:
        print(done.stdout)
        if not by_hand:
            sys.exit(
                f"{entry['page']}: expected a table with the head of one that was printed, got "
                f"none; take the numbers over, then: renew.py {name} --by-hand"
            )
    entry |= {
        "version": __version__,
        "date": datetime.date.today().isoformat(),
        "minutes": minutes,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?")
    parser.add_argument("--by-hand", action="store_true", help="numbers that stand in sentences")
    parser.add_argument("--stale", action="store_true", help="fail if any are of another version")
    given = parser.parse_args()
    entries = tomllib.loads(ENTRIES.read_text(encoding="utf-8"))
    if given.name:
        if given.name not in entries:
            parser.error(f"expected a name from {sorted(entries)}, got {given.name!r}")
        renew(given.name, entries[given.name], given.by_hand)
        write_whole(ENTRIES, tomli_w.dumps(entries).encode())
    write_whole(LIST, the_list(entries).encode())
    if given.stale and (old := stale(entries)):
        sys.exit(
            f"not of version {__version__}: {', '.join(old)}; renew each with make numbers-NAME"
        )


if __name__ == "__main__":
    main()
