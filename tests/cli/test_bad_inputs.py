"""Bad input of every kind: exit code 2, one message, no traceback, no hang, no file, no output.

What an option takes says what is bad for it, so that a new option is tried without being named
here. Most run in this process, where the libraries are loaded; a few as programs of their own.
"""

import math
import os
import random
import subprocess
import tomllib
from pathlib import Path

import click
import pytest
import tomli_w
from command_line import PROGRAM, SECONDS, complaint
from stored_fits import known_fit, write_fits

from popout.cli import group
from popout.cli.names import Name
from popout.cli.quantities import PerClass, Quantity, Several, Whole

EXAMPLES = Path(__file__).parents[2] / "examples"
TWO = ["--drift", "4", "--locations", "2", "--time-cost", "0.2"]
GOOD = {
    "thresholds": ["--drift", "4", "--time-cost", "0.2"],
    "solve": TWO,
    "simulate": [*TWO, "--strategy", "sprt", "--trials", "1000"],
    "compare": [*TWO, "--strategies", "sprt", "--trials", "1000", "--tune-trials", "1000"],
    "certify": [*TWO, "--trials", "1024"],
    "evidence": ["tasks/homogeneous.toml", "--trials", "100", "--seconds", "0.1"],
    "analyse": ["tasks/homogeneous.toml", "--out", "out"],
    "describe": ["people/two_observers.csv"],
    "fit": ["people/two_observers.csv", "--out", "out", "--models", "ex-gaussian"],
    "predict": ["fits", "--set", "prior=0.2", "--against", "people/two_observers.csv"],
    "recover": ["--set-sizes", "4", "--trials-per-cell", "50", "--models", "ideal-parallel"],
    "reproduce": ["search-designs", "--out", "out"],
    "sweep": ["sweeps/set_size.toml", "--out", "out"],
    "experiment": ["check", "experiments/set_size.toml", "--trials", "4000"],
    "serve": ["--experiment", "nowhere.toml"],
    "schema": ["task"],
}
"""Arguments with which each command works (in `EXAMPLES`); each bad input spoils them."""
BY_KIND = {
    Quantity: ["", "½", "nan", "-1", "1e400"],
    PerClass: ["4;5", "nan", "0", "a=1:b=2"],
    Several: ["4,,5", "nan", "-1", "[4]"],
    Whole: ["2.5", "-1", "9" * 30, "9" * 5000],
    Name: ["luck", "sprt,", ""],
    click.Choice: ["luck", ""],
}
"""What is bad for an option of each kind."""
PAIRS = ["", "rt", "=RT", "rt=RT,rt=RT", "luck=RT"]
PLACED = ["", "0", "0:0:0", "a:b", "nan:0"]
BY_NAME = {
    "--items": PLACED,
    "--gazes": PLACED,
    "--fixation": ["", "-1", "nan", "often"],
    "--falloff": ["", "-1", "nan", "0:1:2"],
    "--prior": ["", "2", "luck:x=0.2", "a:=1"],
    "--pay": ["", "1", "-1/2", "1/2/3", "luck:x=1/2"],
    "--deadline": ["", "-1", "nan", "luck:x=1"],
    "--dynamic": ["", "0", "-0.11", "nan", "fast", "0.11/2", "luck:x=1"],
    "--visibility": ["", "-1", "nan", "luck:x=1"],
    "--columns": [*PAIRS, "rt=nothing"],
    "--codes": PAIRS,
    "--where": PAIRS,
    "--split": ["", "nothing", "RT"],
    "--vary": ["", "nothing", "lapse=RT", "luck=set_size", "a,b", "="],
    "--group": ["", "nothing", "RT"],
    "--observers": ["", "zz", "ag,zz"],
    "--models": ["luck", "", "ideal-", "ex-gaussian,"],
    "--set": ["", "luck=1", "prior=2", "prior=x", "prior", "prior=.1,prior=.2", "deadline=0.1"],
    "--against": ["", "nowhere.csv", "folder", "pipe", "file"],
    "--values": ["", "luck=1", "time_cost=-1", "time_cost=x", "time_cost=nan"],
    "--scheduler": ["", "nonsense", "tcp://", "tcp://x:99999999"],
    "--device": ["luck"],
    "--experiment": ["", "nowhere.toml"],
    "--host": ["", "300.1.1.1"],
    "--name": ["", "https://lab.example.org", "a b", "lab:8000"],
    "--data": ["mysql://x/y", "://"],
    "--out": ["file", "file/x", "/dev/null/x", "x" * 300],
}
"""What is bad for an option that takes any text."""
TASKS = [
    'kind = "search"\nn_locations = 1000000000\ndrift = 4.0\n',
    'kind = "search"\nn_locations = ' + "9" * 300 + "\ndrift = 4.0\n",
    'kind = "search"\nn_locations = 2\ndrift = 1e999\n',
    'kind = "search"\nn_locations = 2\ndrift = 4\ndt = ' + "1" + "0" * 400 + "\n",
    'kind = "search"\nn_locations = true\ndrift = 4\n',
    'kind = "search"\nn_locations = 1979-05-27\ndrift = 07:32:00\n',
    'kind = "search"\nn_locations = 2\ndrift = 1e300\n[costs]\ntime = 0.2\n',
    'kind = "search"\nn_locations = 2\ndrift = 4\ndt = 1e-300\n[costs]\ntime = 0.2\n',
    'kind = "search"\nn_locations = 2\ndrift = 4\n[costs]\ntime = 1e-300\n',
    "",
    "# nothing\n",
    "x = " + "[" * 3000,
    "x = " + "{a=" * 500,
]
"""No tasks and no sweeps, either."""
PLACES = [
    "",
    ".",
    "/dev/null/x",
    "x" * 300,
    "x/" * 3000,
    "\udcff",
    "folder",
    "pipe",
    "loop",
    "huge",
]


def with_option(good, option, value):
    """Give an option a value, in place of the one it has."""
    if option in good:
        at = good.index(option)
        good = good[:at] + good[at + 2 :]
    return [*good, f"{option}={value}"]


def bad_options(command):
    """Yield lines with a bad value for each option, a few unknown options, and none at all."""
    good, params = GOOD[command], group.main.get_command(None, command).params
    for param in params:
        if param.param_type_name != "option" or param.is_flag:
            continue
        option = param.opts[0]
        kinds = [bad for kind, bad in BY_KIND.items() if isinstance(param.type, kind)]
        values = BY_NAME[option] if not kinds else kinds[0]
        shared = option in ("--information", "--visibility", "--attention")
        base = ["--information", "32", *good[2:]] if shared else good  # in place of --drift 4
        yield from (with_option(base, option, value) for value in values)
        yield [*good, option]  # the value is missing
    yield from ([*good, unknown] for unknown in ("--colour", "-x", "--json=yes", "--" + "x" * 1000))
    yield [*good, "surplus"] if command != "reproduce" else ["surplus"]
    required = [at for at, word in enumerate(good) if word == "--time-cost"]
    if required:
        yield good[: required[0]] + good[required[0] + 2 :]
    elif command != "reproduce":  # which makes every figure when none is named
        yield good[1:]


def spoiled(chance, table):
    """Return a table with one entry, at any depth, made bad beyond doubt."""
    inner = [key for key, value in table.items() if isinstance(value, dict) and value]
    if inner and chance.random() < 0.5:
        key = chance.choice(inner)
        return table | {key: spoiled(chance, table[key])}
    if chance.random() < 0.3:
        wrong = chance.choice(["colour", "drfit", "kind ", "", "äß", "x" * 500])
        return table | {wrong: chance.choice([1, "red", [1], {"a": 1}])}
    # An axis of a sweep takes the place of what the base says.
    key = chance.choice([key for key in table if key not in table.get("grid", {})])
    wrong = ["?", {"a": 1}, [], [[]], ["?"], math.nan, [math.nan]]
    if key not in ("parameters", "costs"):  # which the grid of a sweep may fill
        wrong.append({})
    return table | {key: chance.choice(wrong)}


def bad_files(command, folder):
    """Write files that are no task and no sweep into a folder, and yield lines that name them."""
    chance = random.Random(command)
    examples = sorted((EXAMPLES / Path(GOOD[command][0]).parent).glob("*.toml"))
    good = [example.read_bytes() for example in examples]
    text = good[0].decode()
    contents = [task.encode() for task in TASKS]
    contents += [text.encode(code) for code in ("utf-16", "utf-32")]
    contents += [good[0][:9] + b"\xff" + good[0][9:], chance.randbytes(1000)]
    contents += [good[0] + junk for junk in (b"\n]", b"\n= 1", b"\n[a]\n[a]", b'\n"', b"\x00")]
    tables = [tomllib.loads(chance.choice(good).decode()) for _ in range(15)]
    contents += [tomli_w.dumps(spoiled(chance, table)).encode() for table in tables]
    for number, content in enumerate(contents):
        (folder / f"bad{number}.toml").write_bytes(content)
    names = [f"bad{number}.toml" for number in range(len(contents))]
    return [[name, *GOOD[command][1:]] for name in [*names, *PLACES]]


def prepare(folder):
    """Put the files of `GOOD`, and some that are none, into a folder."""
    for kind in ("tasks", "people", "sweeps", "experiments"):
        (folder / kind).symlink_to(EXAMPLES / kind)
    write_fits(folder / "fits", {name: known_fit() for name in ("ag", "km")})
    (folder / "file").write_text("in the way")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    with (folder / "huge").open("wb") as file:
        file.truncate(10**10)  # ten gigabytes that take no room on the disk


@pytest.mark.parametrize("command", GOOD)
def test_bad_input_ends_with_one_message(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    lines = [*bad_options(command)]
    if command in ("evidence", "analyse", "sweep"):
        lines += bad_files(command, tmp_path)
    wrong, before = [], sorted(tmp_path.rglob("*"))
    for line in lines:
        if said := complaint([command, *line]):
            wrong.append(f"{line!r}: {said}")
    assert not wrong, f"{len(wrong)} of {len(lines)}\n" + "\n\n".join(wrong)[:20_000]
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "file").read_text() == "in the way"


def test_good_input_would_be_noticed(tmp_path, monkeypatch):
    """The negative control: what the bad inputs were made from is accepted."""
    assert set(GOOD) == set(group.COMMANDS)
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    for command in ("thresholds", "simulate", "evidence", "schema"):
        assert "exit code 0" in complaint([command, *GOOD[command]])


@pytest.mark.parametrize(
    "name", ["", "help", "-x", "--colour", "solve thresholds", "🎯", "x" * 999]
)
def test_unknown_commands(name):
    assert complaint([name]) == ""


PROGRAMS = [
    ["solve", "--drift", "4", "--locations", "1000000000", "--time-cost", "0.2"],
    ["simulate", "--strategy", b"\xff\xfe", "--drift", "4", "--time-cost", "0.2"],
    ["evidence", b"\xff.toml"],
    ["reproduce", "search-designs", "--out", "/proc/none"],
]


@pytest.mark.parametrize("args", PROGRAMS, ids=lambda args: str(args[0]))
def test_bad_input_of_a_program(args, tmp_path):
    done = subprocess.run(
        [*PROGRAM, *args], capture_output=True, cwd=tmp_path, timeout=3 * SECONDS, check=False
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == b""
    assert done.stderr.count(b"Error: ") == 1
    assert b"Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
