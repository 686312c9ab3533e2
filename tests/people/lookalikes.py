"""Files that look like those of real experiments, with made-up observers."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

SHARED = Path(os.environ.get("POPOUT_HUMAN_DATA", Path(__file__).parents[3] / "shared/data/human"))
CONJUNCTION = SHARED / "wolfe_palmer_horowitz_2010" / "ConjunctionData.csv"
FEATURE = SHARED / "wolfe_palmer_horowitz_2010" / "FeatureData.csv"
SHI = SHARED / "shi_2019_dynamic_search" / "exp1.csv"
FACES = SHARED / "visconti_2017_faces" / "trials.csv"
MAZOR = SHARED / "mazor_fleming_2021_pilot" / "pilot_shape_deidentified.csv"

needs_human_data = pytest.mark.skipif(
    not CONJUNCTION.is_file(),
    reason="the human data are not part of the repository; set POPOUT_HUMAN_DATA to their folder",
)


def trials(n=400, observers=("ag", "km"), sizes=(3, 6, 12, 18), seed=1):
    """Return trials in plain terms: observer, block, set size, present, said present, rt in s."""
    rng = np.random.default_rng(seed)
    frames = []
    for k, name in enumerate(observers):
        size = rng.choice(sizes, n)
        present = rng.random(n) < 0.5
        wrong = rng.random(n) < 0.05
        slope = np.where(present, 0.010, 0.025)
        rt = 0.3 + 0.02 * k + slope * size + rng.normal(0, 0.03, n) + rng.exponential(0.1, n)
        own = {"observer": name, "block": np.arange(n) * 4 // n + 1, "set_size": size}
        own |= {"present": present, "said": present ^ wrong, "rt": rt}
        frames.append(pd.DataFrame(own))
    return pd.concat(frames, ignore_index=True)


def wolfe_like(table):
    """Return the text of a file as Wolfe, Palmer and Horowitz store theirs."""
    right = (table["said"] == table["present"]).astype(int)
    names = {(1, 1): "HIT", (1, 0): "MISS", (0, 1): "TNEG", (0, 0): "FA"}
    present = table["present"].astype(int)
    frame = pd.DataFrame(
        {
            "sinit": table["observer"],
            "CondReport": "RVvGV",
            "trialdigit": np.arange(len(table)) + 1,
            "block_n": table["block"],
            "setsize": table["set_size"],
            "target_present": present,
            "error": 1 - right,
            "correct": right,
            "message": [names[pair] for pair in zip(present, right, strict=True)],
            "RT": (1000 * table["rt"]).round().astype(int),
        }
    )
    return frame.to_csv(sep=";", index=False, lineterminator="\r\n")


def shi_like(table):
    """Return the text of a file as Shi and colleagues store theirs; time-outs at 0.9 s."""
    late = table["rt"] > 0.9
    right = (table["said"] == table["present"]) & ~late
    frame = pd.DataFrame(
        {
            "target": np.where(table["present"], "Present", "Absent"),
            "setsize": table["set_size"],
            "dyn": np.where(table["block"] > 2, "Static", "Dynamic"),
            "resp": np.where(late, -1, np.where(table["said"], 1, 2)),
            "rt": np.minimum(table["rt"], 0.9),
            "sub": table["observer"],
            "exp": 1,
            "correct": right.astype(int),
        }
    )
    return frame.to_csv(index=False)


def mazor_like(table):
    """Return the text of a file as Mazor and Fleming store theirs; block 1 is practice."""
    keys = np.where(table["said"], "j", "f")
    practice = table["block"] == 1
    frame = pd.DataFrame(
        {
            "subject": table["observer"],
            "trial_index": 2 * np.arange(len(table)),
            "test_part": np.where(practice, "practice", "main"),
            "search_type": np.where(practice, "", np.where(table["block"] > 2, "shape", "colour")),
            "set_size": table["set_size"].astype(float),
            "target_present": table["present"].astype(float),
            "RT": 1000 * table["rt"],
            "response": keys,
            "target_position": "[-0.1, 0.1]",
            "correct_response": np.where(table["present"], "j", "f"),
            "correct": (table["said"] == table["present"]).astype(float),
        }
    )
    return frame.to_csv(index=False)
