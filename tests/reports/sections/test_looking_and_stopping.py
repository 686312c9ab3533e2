"""The report on a task with limited information."""

import json
from pathlib import Path

import numpy as np
import pytest

import popout as po
from popout.drawing.style import picture
from popout.reports import part
from popout.reports.sections import attention_compared, looking_and_stopping

TASK = po.LimitedSearchTask(information=64.0, visibility=(1.0, 0.02))
COSTS = po.Costs(time=2.0)


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limited")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attention_compared, "FACTORS", (1.0, 2.0))
        patch.setattr(attention_compared, "LEAST", 2)
        # Every figure is drawn once, as a vector picture.
        drawn = {"svg": picture, "png": lambda figure, kind: b""}
        patch.setattr(part, "picture", lambda figure, kind: drawn[kind](figure, kind))
        return po.analyse(TASK, COSTS, folder, name="mine", trials=1000)


def test_it_has_its_sections_and_numbers(analysis):
    assert list(analysis.sections) == ["displays", "where-to-look", "strategies", "set-size"]
    best = po.solve(TASK, COSTS, 1e-3)
    assert analysis.numbers["optimal_risk"] == pytest.approx(best.risk, rel=1e-6)
    labels = [row["strategy"] for row in analysis.numbers["strategies"]]
    assert labels == ["parallel", "guided, g = 1", "serial"]
    html = Path(analysis.report).read_text(encoding="utf-8")
    for words in ("Where to look", "Attention compared", "Slopes of the mean response time"):
        assert words in html
    json.dumps(analysis.as_dict())


def test_where_to_look_says_what_is_worth_it(analysis):
    data = analysis.sections["where-to-look"]
    assert data["worth_a_look"].to_numpy().tolist() == [1, -1]
    words = looking_and_stopping.describe(data)[1]
    assert words.endswith("it cannot be told whether location 2 is worth a look.")
    neither = data.assign(worth_a_look=0 * data["worth_a_look"])
    assert looking_and_stopping.describe(neither)[1:] == (
        "In continuous time locations 1 and 2 are not worth a look.",
    )
    assert np.isfinite(data["share"]).all()


def test_captions_follow_the_data(analysis):
    data = analysis.sections["strategies"]
    assert "joint optimum" in attention_compared.describe(data)[1]
    other = data.assign(excess=2 * data["excess"])
    assert attention_compared.describe(other)[1] != attention_compared.describe(data)[1]
    (table,) = attention_compared.tables(analysis.sections["set-size"])
    assert [row[0] for row in table.rows] == data["strategy"].to_numpy().tolist()


@pytest.mark.usefixtures("undrawn")
def test_many_locations_show_the_serial_observer(tmp_path, monkeypatch):
    monkeypatch.setattr(attention_compared, "FACTORS", (1.0, 1.5))
    task = po.LimitedSearchTask(n_locations=4, information=128.0)
    many = po.analyse(task, COSTS, tmp_path, trials=1000)
    assert not many.numbers["solved"]
    assert many.numbers["optimal_risk"] is None
    words = looking_and_stopping.describe(many.sections["where-to-look"])
    assert "most likely location" in words[0]
    assert "every location is worth a look" in words[1]
