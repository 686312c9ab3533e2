"""Where targets were, and how visible places are: from exports, columns and options."""

import json

import numpy as np
import pandas as pd
import pytest

import popout as po
from popout.experiment import plan_trials
from popout.experiment.design import load_design
from popout.people.reading.reader import LABORATORY
from popout.task import InputError

DESIGN = "examples/experiments/visibility.toml"


@pytest.fixture(scope="module")
def export():
    """What the laboratory exports, with answers that are always right."""
    rows = []
    for trial in plan_trials(load_design(DESIGN), 1):
        place = None if trial.target is None else trial.items[trial.target].place
        about = {**dict.fromkeys(LABORATORY, 0), "observer": "p", "practice": trial.practice}
        about |= {"block": trial.block, "set_size": 8, "present": trial.present, "correct": True}
        about |= {
            "response": "present" if trial.present else "absent",
            "rt": 0.7 + 0.001 * len(rows),
        }
        items = json.dumps([item.as_dict() for item in trial.items])
        rows.append({**about, "target_place": place, "items": items})
    return pd.DataFrame(rows)


def table(**columns):
    n = len(next(iter(columns.values())))
    told = {"observer": "p", "set_size": 3, "rt": np.linspace(0.5, 0.9, n)}
    return pd.DataFrame({**told, **columns})


PRESENT = ["present", "absent"] * 4
PLACE = ["left", "", "right", "", "middle", "", "left", ""]
SEEN = {"place": {"left": 1, "middle": 0.3, "right": 1}}


def test_an_export_says_its_places(export):
    read = po.read_trials(export)
    words = "visibility 1 at 4, 0.3 at 4; 0.65 at 8; contrasts of the laboratory"
    assert read.reading.stakes["places"] == words
    columns, place = read["p"].columns, export[~export["practice"]]["target_place"].to_numpy(float)
    uneven = columns["layout"] == "1 1 1 1 0.3 0.3 0.3 0.3"
    expected = np.where(uneven, np.where(place < 4, 1.0, 0.3), 0.65)
    assert (columns["layout"][~uneven] == " ".join(["0.65"] * 8)).all()
    assert np.array_equal(columns["visibility"], np.where(place >= 0, expected, np.nan), True)
    assert np.nanmin(columns["visibility"]) == 0.3


def test_exports_of_even_places_or_several_orientations_say_nothing(export):
    same = export["items"].str.replace(r'"contrast": [\d.]+', '"contrast": 1', regex=True)
    even = export.assign(items=same)
    assert "layout" not in po.read_trials(even)["p"].columns
    mixed = export.copy()
    mixed.loc[30, "items"] = mixed.loc[30, "items"].replace("30", "45", 1)
    assert "layout" not in po.read_trials(mixed)["p"].columns


def test_the_user_says_how_visible_places_are():
    frame = table(present=PRESENT, response=PRESENT, place=PLACE)
    columns = po.read_trials(frame, visibility=SEEN)["p"].columns
    assert set(columns["layout"]) == {"1 1 0.3"}
    assert columns["visibility"][~np.isnan(columns["visibility"])].tolist() == [1, 1, 0.3, 1]


def test_trials_are_read_back_from_their_own_columns(export, tmp_path):
    read = po.read_trials(export)
    file = tmp_path / "trials.csv"
    read.to_pandas().drop(columns=["target", "prior"]).to_csv(file, index=False)
    again = po.read_trials(file)["p"].columns
    for name in ("layout", "visibility"):
        both = (pd.Series(each[name]).fillna(0).tolist() for each in (read["p"].columns, again))
        assert next(both) == next(both)


@pytest.mark.parametrize(("visibility", "change", "match"), [
    (0.3, {}, "the visibility of each place"),
    ({"spot": SEEN["place"]}, {}, "visibility: expected the name of a column"),
    ({"place": {"left": 1, "right": 1, "up": 1}}, {}, "none for middle'; add middle=1"),
    ({"place": {**SEEN["place"], "left": 0}}, {}, "visibilities above 0"),
    ({"place": {**SEEN["place"], "left": 0.001}}, {}, "from a twentieth of the best"),
    (SEEN, {"set_size": 4}, r"displays of 3 places \(1 1 0.3\), got '4 items on 8"),
    (SEEN, {"place": [""] * 8}, "a place of 1 1 0.3 for every target, got '4 without"),
])  # fmt: skip
def test_what_cannot_be_is_refused(visibility, change, match):
    frame = table(present=PRESENT, response=PRESENT, place=PLACE).assign(**change)
    with pytest.raises(InputError, match=match):
        po.read_trials(frame, visibility=visibility)
