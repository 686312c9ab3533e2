"""The report on the paper: every figure and claim in it, and captions that follow the data."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from popout.paper import FIGURES, figure_module
from popout.paper.captions import CAPTIONS, caption_of
from popout.paper.claims import Check, Claim, Relation, Verdict
from popout.paper.report import TONES, write_report
from popout.paper.reproduce import Made, Reproduction

PASSES = Check("excess risk", 0.02, Relation.BELOW, 0.1, error=0.01, unit="%", reason="small")
FAILS = Check("scale <a>", 0.65, Relation.NEAR, 1.5, tolerance=0.005)
OPEN = Check("gap", 0.1, Relation.BELOW, 0.1, error=0.05)
CLAIMS = (
    Claim("match", "The conjecture matches.", "Conjecture", "excellent", "Both.", (PASSES,), ()),
    Claim("printed-scales", "The printed scales fit.", "fig-x", "", "", (FAILS,), ()),
    Claim("half", "One half.", "Methods", "", "", (PASSES, FAILS), ()),
    Claim("more", "At M = 3.", "new", "", "", (OPEN,), (), new=True),
)


@pytest.fixture
def run(computed, tiny, tmp_path):
    """Return a function that makes a run of all figures, with pictures that cost no time."""

    def make(folder, seconds=1.0, claims=CLAIMS):
        folder.mkdir()
        made = []
        for name in FIGURES:
            module = figure_module(name)
            picture = folder / f"{name}.svg"
            picture.write_text(f"<svg>{name}</svg>")
            data = str(folder / f"{name}.nc")
            label = module.PAPER_LABEL
            made.append(
                Made(name, module.TITLE, label, data, (str(picture),), "key", False, seconds)
            )
        data = {name: computed(name)[0] for name in FIGURES}
        return Reproduction(tuple(made), (), claims, ("later",), data, folder, tiny, 3, seconds)

    return make


def words(html):
    """Return the text of a page."""
    found = []
    reader = HTMLParser()
    reader.handle_data = found.append
    reader.feed(html)
    return re.sub(r"\s+", " ", " ".join(found))


def test_every_figure_and_claim_is_in_the_page(run, tmp_path):
    made = run(tmp_path / "one")
    path = write_report(made, tmp_path / "one")
    html = path.read_text()
    text = words(html)
    assert html.count("data:image/svg+xml;base64,") == len(FIGURES)
    for name in FIGURES:
        assert f'id="figure-{name}"' in html
        assert caption_of(name, made.datasets[name])[0] in text
    for claim in CLAIMS:
        assert claim.statement in text
        assert f">{claim.verdict.value}</span>" in html
    for check in (PASSES, FAILS, OPEN):
        assert check.what in text
        assert check.measured in text
        assert check.wanted in text
    assert "Of 4 claims, 1 holds, 1 holds in part, 1 does not hold and 1 is undecided." in text
    assert "Does not hold, as measured here: “The printed scales fit.” " in text
    assert "Not examined in this run: later." in text
    assert not re.search(r"""(src|href)=["']?https?:""", html)


def test_verdicts_have_colours_of_their_own():
    assert set(TONES) == set(Verdict)
    assert len(set(TONES.values())) == len(Verdict)


def test_two_runs_have_the_same_numbers_and_their_own_times(run, tmp_path):
    found = []
    for name, seconds in (("one", 1.0), ("two", 2.0)):
        write_report(run(tmp_path / name, seconds), tmp_path / name)
        found.append(json.loads((tmp_path / name / "report.json").read_text()))
    one, two = found
    assert json.dumps(one["numbers"]) == json.dumps(two["numbers"])
    assert one["run"]["seconds"] != two["run"]["seconds"]
    assert set(one) == {"numbers", "run"}
    assert {part["name"] for part in one["run"]["parts"]} == set(FIGURES)
    assert [claim["verdict"] for claim in one["numbers"]["claims"]] == [
        claim.verdict.value for claim in CLAIMS
    ]


def test_json_holds_the_data(run, tmp_path):
    made = run(tmp_path / "one")
    write_report(made, tmp_path / "one")
    content = json.loads((tmp_path / "one" / "report.json").read_text())
    figures = {figure["name"]: figure for figure in content["numbers"]["figures"]}
    risk = figures["strategies-2d"]["data"]["risk"]
    assert risk["dims"] == ["strategy"]
    assert risk["values"] == made.datasets["strategies-2d"]["risk"].to_numpy().tolist()


def test_a_run_without_claims_has_no_table_of_them(run, tmp_path):
    html = Path(write_report(run(tmp_path / "one", claims=()), tmp_path / "one")).read_text()
    assert 'id="claims"' not in html


# -- captions -----------------------------------------------------------------------------------


def changed(data, name):
    """Return fabricated data that turn what a caption says around."""
    data = data.copy(deep=True)
    if name == "search-designs":
        data["tilt"] = data["tilt"].where(data["tilt"] != 30, 45.0)
    elif name == "homogeneous-search":
        data["tau"] = 2 * data["tau"]
    elif name == "optimal-thresholds":
        data["risk_fitted"] = 1.5 * data["risk_exact"]
    elif name == "strategies-2d":
        boundary = data["boundary"].copy()
        boundary.loc[{"strategy": "SPRT"}] = 0.5 * data["boundary"].sel(strategy="SPRT")
        data["boundary"] = boundary
    elif name == "homogeneous-risk":
        data["mean_rt_absent"] = 1 / data["mean_rt_absent"]
    else:
        data["error_rate"] = 1 - data["error_rate"]
    return data


def test_every_figure_has_a_caption():
    assert list(CAPTIONS) == list(FIGURES)


def test_captions_follow_the_data(computed, name):
    data, _ = computed(name)
    caption = caption_of(name, data)
    assert caption == caption_of(name, data)
    assert caption != caption_of(name, changed(data, name))
    text = " ".join(caption)
    assert "nan" not in text
    assert re.search(r"\d", text)
    assert text.endswith(".")


def test_caption_says_which_way_sprt_differs(computed):
    data, _ = computed("strategies-2d")
    optimal = data["boundary"].sel(strategy="optimal").to_numpy()
    for push, word in ((0.3, "later"), (-0.3, "earlier")):
        fake = data.copy(deep=True)
        shift = np.array([-push, push])[:, None, None]  # lower down, upper up: later on both sides
        fake["boundary"].loc[{"strategy": "SPRT"}] = optimal + shift
        text = " ".join(caption_of("strategies-2d", fake))
        assert text.count(f"0.30 nats {word}") == 2


def test_caption_counts_where_hardmax_is_faster(computed):
    data, _ = computed("homogeneous-risk")
    fake = data.copy(deep=True)
    fake["mean_rt_absent"].loc[{"strategy": "Hardmax"}] = 0.0
    cells = fake["risk"].sel(strategy="Hardmax").size
    text = " ".join(caption_of("homogeneous-risk", fake))
    assert f"absent it is faster in {cells} and slower in 0 of {cells}" in text
