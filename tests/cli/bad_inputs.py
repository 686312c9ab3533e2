"""Generators of bad input for every command, by the name of the command.

Each takes a source of chance and a folder to put files into, and yields lists of arguments, every
one of which is wrong in at least one way: a value, a type, a file, an encoding, a size, an option.
"""

import itertools
import math
import os
import random
import string
import tomllib
from pathlib import Path

import tomli_w

EXAMPLES = Path(__file__).parents[2] / "examples"

# -- values -----------------------------------------------------------------------------------

NO_NUMBERS = ["", " ", "abc", "4;5", "4,,5", ",", "0x10", "1e", "--", "4 5", "½", "None", "[4]"]
NOT_POSITIVE = ["0", "-1", "-0.0", "nan", "inf", "-inf", "1e400", "-1e-300"]
ABSURD = ["1e300", "1e-300", "1e200"]
NO_INTEGERS = ["2.5", "two", "1e-3", "1e", "nan", "", "0x2", "2,", "²"]
HUGE_INTEGERS = ["10" * 20, "9" * 400, "9" * 5000]


def text(chance):
    """Return a string of characters of all kinds that is no number and no name."""
    letters = string.ascii_letters + string.punctuation.replace("-", "") + " äß漢字\t\x7f\u202e🎯"
    return "~" + "".join(chance.choice(letters) for _ in range(chance.randint(1, 30)))


def number(chance, *, absurd=True):
    """Return what is no positive number of a sensible size."""
    kinds = [NO_NUMBERS, NOT_POSITIVE, [str(-chance.random() * 100)], [text(chance)]]
    return chance.choice(chance.choice(kinds + ([ABSURD] if absurd else [])))


def integer(chance, *, least=1):
    """Return what is no integer from `least` up to a sensible size."""
    low = [str(least - chance.randint(1, 10**6))]
    return chance.choice(chance.choice([NO_INTEGERS, HUGE_INTEGERS, low, [text(chance)]]))


def locations(chance):
    return chance.choice([integer(chance), "1000000000", "10001"])


def probability(chance):
    return chance.choice([number(chance, absurd=False), "0", "1", "1.5", "-0.5", "1e300"])


def name(chance):
    return chance.choice(["luck", "", "SPRT", "a_sprt", "sprt,", ",", "sprt,luck", text(chance)])


def seed(chance):
    return chance.choice(["-1", "1.5", "", "x", "9" * 30, str(2**64), text(chance)])


def threads(chance):
    return chance.choice(["0", "-1", "100000", "1.5", "many", "9" * 30])


def tolerance(chance):
    return chance.choice([number(chance), "1e-30", "0.5", "1", "2"])


def address(chance):
    known = ["", "nonsense", "tcp://", "http://x:1", "tcp://x", "tcp://x:99999999", "x:1"]
    return chance.choice([*known, text(chance)])


def step(chance):
    """Return what is no step; 0 is one, continuous time."""
    return chance.choice([x for x in (number(chance) for _ in range(50)) if x not in ("0", "-0.0")])


PROBLEM = {
    "--drift": number,
    "--dt": number,
    "--prior": probability,
    "--time-cost": number,
    "--miss": number,
    "--false-alarm": number,
}


def pairs(chance):
    known = ["", "rt", "rt=", "=RT", "rt=nothing", "rt=RT,rt=RT", "luck=RT", "rt=key", "a=b=c"]
    return chance.choice([*known, text(chance)])


DATA = {
    "--columns": pairs,
    "--rt-unit": lambda chance: chance.choice(["min", "", "S", text(chance)]),
    "--codes": pairs,
    "--where": pairs,
    "--split": lambda chance: chance.choice(["", "nothing", "RT", text(chance)]),
    "--observers": lambda chance: chance.choice(["", "zz", "ag,zz", ",", text(chance)]),
    "--fastest": lambda chance: chance.choice(["-1", "nan", "inf", "x", "1e300", text(chance)]),
    "--slowest": lambda chance: chance.choice(["0", "0.1", "nan", "x", "-1", text(chance)]),
}
OPTIONS = {
    "thresholds": PROBLEM | {"--dt": step, "--rtol": tolerance},
    "solve": PROBLEM
    | {
        "--dt": step,
        "--information": number,
        "--locations": locations,
        "--rtol": tolerance,
        "--deadline": number,
        "--memory": lambda chance: chance.choice([number(chance, absurd=False), "1e8", "1e300"]),
        "--backend": text,
        "--device": text,
        "--threads": threads,
    },
    "simulate": PROBLEM
    | {
        "--information": number,
        "--strategy": name,
        "--locations": locations,
        "--trials": integer,
        "--tune-trials": lambda chance: chance.choice(["1.5", "x", "9" * 30, text(chance)]),
        "--time-limit": lambda chance: chance.choice(
            [number(chance, absurd=False), "1e300", "1e-9"]
        ),
        "--seed": seed,
        "--threads": threads,
    },
    "compare": PROBLEM
    | {
        "--information": number,
        "--strategies": name,
        "--locations": locations,
        "--trials": integer,
        "--tune-trials": integer,
        "--seed": seed,
        "--threads": threads,
    },
    "certify": PROBLEM
    | {
        "--locations": locations,
        "--precision": lambda chance: number(chance, absurd=False),
        "--trials": integer,
        "--method": text,
        "--seed": seed,
        "--threads": threads,
    },
    "evidence": {
        "--trials": integer,
        "--seconds": lambda chance: chance.choice([number(chance, absurd=False), "1e300", "1e-9"]),
        "--seed": seed,
        "--threads": threads,
    },
    "analyse": {
        "--preset": text,
        "--trials": integer,
        "--time-cost": number,
        "--miss": number,
        "--false-alarm": number,
        "--seed": seed,
        "--threads": threads,
    },
    "describe": DATA,
    "fit": DATA
    | {
        "--models": lambda chance: chance.choice(
            ["luck", "", "ideal-", "ex-gaussian,", text(chance)]
        ),
        "--paths": integer,
        "--folds": lambda chance: integer(chance, least=0),
        "--floor": lambda chance: integer(chance, least=0),
        "--scheduler": address,
        "--seed": seed,
        "--threads": threads,
    },
    "recover": {
        "--set-sizes": lambda chance: chance.choice(
            ["0", "-4", "4,0", "x", "4,", "1.5", text(chance)]
        ),
        "--trials-per-cell": integer,
        "--models": lambda chance: chance.choice(
            ["luck", "", "ideal-", "ideal-serial,", text(chance)]
        ),
        "--values": lambda chance: chance.choice(
            [
                "",
                "luck=1",
                "time_cost=-1",
                "time_cost=x",
                "time_cost=nan",
                "lapse=1e9",
                text(chance),
            ]
        ),
        "--people": integer,
        "--paths": integer,
        "--seed": seed,
        "--threads": threads,
    },
    "reproduce": {"--preset": text, "--seed": seed, "--threads": threads},
    "sweep": {"--workers": integer, "--scheduler": address},
    "experiment": {
        "--trials": integer,
        "--recover": lambda chance: integer(chance, least=0),
        "--rivals": text,
        "--threads": threads,
    },
    "serve": {
        "--experiment": lambda chance: chance.choice(["", "nowhere.toml", text(chance)]),
        "--host": lambda chance: chance.choice(["", " ", "300.1.1.1", "no such host"]),
        "--port": lambda chance: chance.choice(["-1", "65536", "1.5", "http", "9" * 30]),
        "--workers": lambda chance: integer(chance, least=0),
        "--data": lambda chance: chance.choice(["mysql://x/y", "://", "postgresql://x:y:z/w"]),
    },
    "schema": {},
    "completion": {},
}
"""Options of each command that take a value, with a maker of bad ones."""

TWO = ["--drift", "4", "--locations", "2", "--time-cost", "0.2"]
GOOD = {
    "thresholds": ["--drift", "4", "--time-cost", "0.2"],
    "solve": TWO,
    "simulate": [*TWO, "--strategy", "sprt", "--trials", "1000"],
    "compare": [*TWO, "--strategies", "sprt", "--trials", "1000", "--tune-trials", "1000"],
    "certify": [*TWO, "--trials", "1024"],
    "evidence": ["good.toml", "--trials", "100", "--seconds", "0.1"],
    "analyse": ["good.toml", "--out", "out"],
    "describe": ["good.csv"],
    "fit": ["good.csv", "--out", "out", "--models", "ex-gaussian"],
    "recover": ["--set-sizes", "4", "--trials-per-cell", "50", "--models", "ideal-parallel"],
    "reproduce": ["search-designs", "--out", "out"],
    "sweep": ["sweep.toml", "--out", "out"],
    "experiment": ["check", "design.toml", "--trials", "4000"],
    "serve": ["--experiment", "nowhere.toml"],
    "schema": ["task"],
    "completion": ["bash"],
}
"""Arguments with which each command works; each bad input spoils them."""
FILES = {
    "evidence": "tasks",
    "analyse": "tasks",
    "sweep": "sweeps",
    "describe": "tasks",
    "fit": "tasks",
}
"""Commands whose first argument is a file, and where examples of it are."""
TAKES_NAMES = {"experiment", "reproduce", "schema", "completion"}
WRITES = {"analyse", "fit", "reproduce", "sweep"}

# -- lines ------------------------------------------------------------------------------------


def with_option(good, option, value):
    """Give an option a value, in place of the one it has."""
    if option in good:
        at = good.index(option)
        good = good[:at] + good[at + 2 :]
    return [*good, f"{option}={value}"] if value.startswith("-") else [*good, option, value]


def bad_values(command, chance):
    for option, make in itertools.cycle(OPTIONS[command].items()):
        yield with_option(GOOD[command], option, make(chance))


def bad_lines(command, chance):
    """Yield lines with options that are unknown, without value, or missing."""
    good, options = GOOD[command], list(OPTIONS[command])
    while True:
        unknown = chance.choice(["--drfit", "--colour", "-x", "--json=yes", "--" + "x" * 1000])
        yield [*good, unknown]
        yield [*good, unknown, "3"]
        yield [*good, "surplus"] if command != "reproduce" else ["surplus"]
        if options:
            yield [*good, chance.choice(options)]  # the value is missing
        required = [at for at, one in enumerate(good) if one in ("--drift", "--time-cost")]
        if required:
            at = chance.choice(required)
            yield good[:at] + good[at + 2 :]
        elif command != "reproduce":  # which makes every figure when none is named
            yield good[1:]
        if command in TAKES_NAMES:
            yield [name(chance), *good[1:]]


# -- files ------------------------------------------------------------------------------------


def spoiled(chance, table):
    """Return a table with one entry, at any depth, made bad beyond doubt."""
    table = dict(table)
    inner = [key for key, value in table.items() if isinstance(value, dict) and value]
    if inner and chance.random() < 0.5:
        key = chance.choice(inner)
        return table | {key: spoiled(chance, table[key])}
    if chance.random() < 0.3:
        wrong = chance.choice(["colour", "drfit", "kind ", "", "äß", "n-locations", "x" * 500])
        return table | {wrong: chance.choice([1, "red", [1], {"a": 1}])}
    # An axis of a sweep takes the place of what the base says.
    key = chance.choice([key for key in table if key not in table.get("grid", {})])
    wrong = ["?", {"a": 1}, [], [[]], ["?"], math.nan, math.inf, [math.nan], {}]
    if key in ("parameters", "costs"):  # which the grid of a sweep may fill
        wrong.pop()
    return table | {key: chance.choice(wrong)}


def bad_file(chance, folder, kind, number):
    """Write something that is no task or sweep file, and return its name."""
    path = folder / f"bad{number}.toml"
    examples = sorted((EXAMPLES / kind).glob("*.toml"))
    good = chance.choice(examples).read_bytes()
    choice = chance.randint(0, 9)
    if choice == 0:
        path.write_bytes(chance.randbytes(chance.randint(1, 2000)))
    elif choice == 1:
        encoding = chance.choice(["utf-16", "utf-16-be", "utf-32"])
        path.write_bytes(good.decode().encode(encoding))
    elif choice == 2:
        at = chance.randrange(len(good))
        path.write_bytes(good[:at] + b"\xff" + good[at:])
    elif choice == 3:
        junk = chance.choice([b"\n]", b"\n= 1", b"\nkind = ", b"\n[a]\n[a]", b'\n"', b"\x00"])
        path.write_bytes(good + junk)
    elif choice == 4:
        deep = chance.choice(["x = " + "[" * 3000, "x = " + "9" * 5000, "x = " + "{a=" * 500])
        path.write_text(deep)
    elif choice == 5:
        path.write_text(chance.choice(["", "\n\n", "# nothing\n", "[costs]\ntime = 1\n"]))
    elif choice == 6:
        kinds = ["folder", "pipe", "loop", "none", "huge"]
        special(path, chance.choice(kinds))
    else:
        path.write_bytes(tomli_w.dumps(spoiled(chance, tomllib.loads(good.decode()))).encode())
    return path.name


def special(path, kind):
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(10**10)  # ten gigabytes that take no room on the disk


ABSURD_TASKS = [
    'kind = "search"\nn_locations = 1000000000\ndrift = 4.0\n',
    'kind = "search"\nn_locations = ' + "9" * 300 + "\ndrift = 4.0\n",
    'kind = "search"\nn_locations = 2\ndrift = 1e999\n',
    'kind = "search"\nn_locations = 2\ndrift = nan\n',
    'kind = "search"\nn_locations = 2\ndrift = 4\ndt = ' + "1" + "0" * 400 + "\n",
    'kind = "search"\nn_locations = true\ndrift = 4\n',
    'kind = "search"\nn_locations = 1979-05-27\ndrift = 07:32:00\n',
    'kind = "search"\nn_locations = 2\ndrift = 1e300\n[costs]\ntime = 0.2\n',
    'kind = "search"\nn_locations = 2\ndrift = 4\ndt = 1e-300\n[costs]\ntime = 0.2\n',
    'kind = "search"\nn_locations = 2\ndrift = 4\n[costs]\ntime = 1e-300\n',
]


def bad_files(command, chance, folder):
    good = GOOD[command][1:]
    numbers = itertools.count()
    for content in ABSURD_TASKS:
        path = folder / f"bad{next(numbers)}.toml"
        path.write_text(content)
        yield [path.name, *good]
    for path in ["", ".", "/", "/dev/null/x", "x" * 300, "x/" * 3000, "~", "\udcff"]:
        yield [path, *good]
    for at in numbers:
        yield [bad_file(chance, folder, FILES[command], at), *good]


def bad_outs(command, chance, folder):
    """Yield places for results that take none."""
    good = GOOD[command]
    (folder / "file").write_text("in the way")
    out = good.index("--out") + 1
    while True:
        places = ["file", "file/x", "/proc/x", "/dev/null", "/dev/null/x", "x" * 300]
        yield [*good[:out], chance.choice(places), *good[out + 1 :]]


# -- all of them ------------------------------------------------------------------------------


def prepare(folder):
    """Put the files of `GOOD` into a folder."""
    (folder / "good.toml").write_bytes((EXAMPLES / "tasks" / "homogeneous.toml").read_bytes())
    people = EXAMPLES / "people" / "two_observers.csv"
    (folder / "good.csv").write_bytes(people.read_bytes())
    (folder / "sweep.toml").write_bytes((EXAMPLES / "sweeps" / "set_size.toml").read_bytes())
    design = EXAMPLES / "experiments" / "set_size.toml"
    (folder / "design.toml").write_bytes(design.read_bytes())


def bad_inputs(command, folder, start):
    """Yield bad lines of a command for ever, the kinds of fault in turn."""
    chance = random.Random(f"{command} {start}")
    kinds = [bad_lines(command, chance)]
    if OPTIONS[command]:
        kinds += [bad_values(command, chance)] * 2
    if command in FILES:
        kinds += [bad_files(command, chance, folder)] * 3
    if command in WRITES:
        kinds.append(bad_outs(command, chance, folder))
    for kind in itertools.cycle(kinds):
        yield [command, *next(kind)]
