"""Files that are no trials of people, each wrong in one way, in several dialects."""

import io
import pickle
import random

import numpy as np
import pandas as pd

N = 60


def good():
    """Return trials that can be read."""
    rng = np.random.default_rng(1)
    present = rng.random(N) < 0.5
    said = present ^ (rng.random(N) < 0.1)
    return pd.DataFrame(
        {
            "observer": np.where(np.arange(N) < N // 2, "ag", "km"),
            "set_size": rng.choice([4, 8], N),
            "target": np.where(present, "present", "absent"),
            "response": np.where(said, "j", "f"),
            "rt": np.round(0.4 + rng.gamma(3, 0.05, N), 3),
        }
    ).astype(object)


def column(name, values):
    """Return a fault: a column that holds something else."""
    return lambda table: table.assign(**{name: values})


def chance(*words):
    return random.Random(1).choices(words, k=N)


def first(name, value, n):
    """Return a fault: the first rows of a column hold something else."""

    def spoil(table):
        table.loc[: n - 1, name] = value
        return table

    return spoil


VALUES = {
    # response times
    "rt zero": column("rt", 0),
    "rt negative": column("rt", -0.5),
    "rt missing": column("rt", ""),
    "rt not available": column("rt", "NA"),
    "rt words": column("rt", "fast"),
    "rt infinite": column("rt", "inf"),
    "rt between units": column("rt", 50),
    "rt microseconds": column("rt", 512_000),
    "rt in hours": column("rt", 0.0001),
    "rt beyond all": column("rt", 1e300),
    "rt clock times": column("rt", "00:00.5"),
    "rt mostly missing": first("rt", "", 40),
    "rt mostly words": first("rt", "?!", 40),
    "rt of two units": first("rt", 512, N // 2),
    # set sizes
    "sizes zero": column("set_size", 0),
    "sizes negative": column("set_size", -4),
    "sizes fractional": column("set_size", 4.5),
    "sizes words": column("set_size", chance("low", "high")),
    "sizes missing": column("set_size", ""),
    "sizes huge": column("set_size", 10**9),
    "sizes of too many kinds": column("set_size", np.arange(1, N + 1)),
    "sizes mostly missing": first("set_size", "NaN", 40),
    # classes
    "target one and two": column("target", chance("1", "2")),
    "target three words": column("target", chance("red", "green", "blue")),
    "target always": column("target", "present"),
    "target never": column("target", 0),
    "target missing": column("target", ""),
    "target locations": column("target", chance(*"012345678")),
    "target mostly missing": first("target", "", 40),
    # answers
    "one key": column("response", "j"),
    "keys at chance": column("response", chance("x", "y")),
    "three keys": column("response", chance("a1", "b1", "c1")),
    "keys missing": column("response", ""),
    "keys of all kinds": column("response", [f"k{i}" for i in range(N)]),
    "nobody answers": column("response", "timeout"),
    "right and wrong in percent": lambda t: t.drop(columns="response").assign(correct=np.arange(N)),
    "answers contradict": lambda t: t.assign(
        response=t["target"], correct=random.Random(2).choices([0, 1], k=N)
    ),
    "observers missing": column("observer", ""),
    "all practice": lambda t: t.assign(practice=1),
    # columns
    "no rt": lambda t: t.drop(columns="rt"),
    "no sizes": lambda t: t.drop(columns="set_size"),
    "no target": lambda t: t.drop(columns="target"),
    "no answers": lambda t: t.drop(columns="response"),
    "other names": lambda t: t.rename(columns=dict(zip(t.columns, "vwxyz", strict=True))),
    "no trials": lambda t: t.iloc[:0],
}
"""What is wrong with the content; each is written in every dialect."""

DIALECTS = {
    "csv": lambda table: table.to_csv(index=False).encode(),
    "semicolons, CRLF, BOM": lambda table: (
        b"\xef\xbb\xbf" + table.to_csv(index=False, sep=";", lineterminator="\r\n").encode()
    ),
    "tabs in UTF-16": lambda table: table.to_csv(index=False, sep="\t").encode("utf-16"),
}


def parquet(table):
    stream = io.BytesIO()
    table.astype(str).to_parquet(stream)
    return stream.getvalue()


def structures():
    """Yield names and contents of files that are no tables."""
    text = good().to_csv(index=False)
    lines = text.splitlines()
    yield from {
        "empty": b"",
        "blanks": b" \n\n  \n",
        "mark alone": b"\xef\xbb\xbf",
        "comments": b"# nothing\n# at all\n",
        "names alone": lines[0].encode(),
        "one column": "\n".join(line.split(",")[0] for line in lines).encode(),
        "no names": "\n".join(f"{i},4,1,1,0.5" for i in range(20)).encode(),
        "a name twice": text.replace("set_size", "rt", 1).encode(),
        "names missing": text.replace("target,response", ",", 1).encode(),
        "long line": "\n".join([*lines[:9], lines[9] + ",7,8", *lines[10:]]).encode(),
        "short line": "\n".join([*lines[:9], "ag,4", *lines[10:]]).encode(),
        "cut off": text[: len(text) - 12].encode(),
        "open quote": text.replace("ag", '"ag', 1).encode(),
        "no characters": b"\x00" * 100,
        "a NUL within": text.encode().replace(b"ag", b"a\x00", 1),
        "UTF-16 without a mark": text.encode("utf-16-le"),
        "UTF-32": text.encode("utf-32"),
        "JSON": b'{"trials": [{"rt": 0.5}, {"rt": 0.6}]}',
        "prose": b"Dear colleague,\nplease find the data attached.\n",
        "a spreadsheet": b"PK\x03\x04\x14\x00\x06\x00",
        "an old spreadsheet": b"\xd0\xcf\x11\xe0\xa1\xb1",
        "compressed": b"\x1f\x8b\x08\x00",
        "SPSS": b"$FL2@(#) SPSS DATA FILE",
        "MATLAB": b"MATLAB 5.0 MAT-file",
        "HDF5": b"\x89HDF\r\n\x1a\n",
        "PDF": b"%PDF-1.4",
        "R": b"RDX3\nX\n",
        "a web page": b"<!DOCTYPE html><html></html>",
        "a pickle": pickle.dumps({"rt": [0.5, 0.6]}),
        "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        "half of Parquet": parquet(good())[:200],
        "Parquet of something else": parquet(pd.DataFrame({"a": [1], "b": [2]})),
        "Parquet without rows": parquet(good().iloc[:0]),
    }.items()
    for seed in range(8):
        yield f"noise {seed}", b"\x00" + random.Random(seed).randbytes(500)


def malformed():
    """Yield every malformed file: a name and its content."""
    yield from structures()
    for dialect, write in DIALECTS.items():
        for name, spoil in VALUES.items():
            yield f"{name}, {dialect}", write(spoil(good()))
