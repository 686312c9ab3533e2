"""The report on the paper: every figure and claim in it."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from popout.paper.claims import Check, Claim, Relation, Verdict
from popout.paper.report import TONES, write_reproduction
from popout.paper.reproduce import FIGURES, Reproduction
from popout.report.runner import PartResult

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
def run(computed, tiny):
    """Return a function that makes a run of all figures, with pictures that cost no time."""

    def make(folder, seconds=1.0, claims=CLAIMS):
        folder.mkdir()
        made = []
        for part in FIGURES:
            for kind in ("png", "svg"):
                (folder / f"{part.name}.{kind}").write_text(f"<svg>{part.name}</svg>")
            data, _ = computed(part.name)
            made.append(PartResult(part, data, folder, "key", False, "", seconds))
        return Reproduction(tuple(made), (), claims, ("later",), folder, tiny, 3, seconds)

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
    path = write_reproduction(made)
    html = path.read_text()
    text = words(html)
    assert html.count("data:image/svg+xml;base64,") == len(FIGURES)
    for part in FIGURES:
        assert f'id="figure-{part.name}"' in html
        assert part.caption(made.datasets[part.name])[0] in text
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


def test_figures_come_before_claims_and_checks_stay_folded(run, tmp_path):
    html = write_reproduction(run(tmp_path / "one")).read_text()
    assert html.rindex('id="figure-') < html.index('id="claims"') < html.index('id="provenance"')
    assert html.count("<details>") == len(CLAIMS)
    assert "details-content" not in html  # nothing unfolds them in print


def test_verdicts_have_colours_of_their_own():
    assert set(TONES) == set(Verdict)
    assert len(set(TONES.values())) == len(Verdict)


def test_two_runs_have_the_same_numbers_and_their_own_times(run, tmp_path):
    found = []
    for name, seconds in (("one", 1.0), ("two", 2.0)):
        write_reproduction(run(tmp_path / name, seconds))
        found.append(json.loads((tmp_path / name / "report.json").read_text()))
    one, two = found
    assert json.dumps(one["numbers"]) == json.dumps(two["numbers"])
    assert one["run"]["seconds"] != two["run"]["seconds"]
    assert set(one) == {"numbers", "run"}
    assert {part["name"] for part in one["run"]["parts"]} == {part.name for part in FIGURES}
    assert [claim["verdict"] for claim in one["numbers"]["claims"]] == [
        claim.verdict.value for claim in CLAIMS
    ]


def test_json_holds_the_data(run, tmp_path):
    made = run(tmp_path / "one")
    write_reproduction(made)
    content = json.loads((tmp_path / "one" / "report.json").read_text())
    figures = {figure["name"]: figure for figure in content["numbers"]["figures"]}
    risk = figures["strategies-2d"]["data"]["risk"]
    assert risk["dims"] == ["strategy"]
    assert risk["values"] == made.datasets["strategies-2d"]["risk"].to_numpy().tolist()


def test_a_run_without_claims_has_no_table_of_them(run, tmp_path):
    html = write_reproduction(run(tmp_path / "one", claims=())).read_text()
    assert 'id="claims"' not in html


def test_a_quick_report_says_why_its_verdicts_may_differ(run, tmp_path):
    made = run(tmp_path / "one")
    assert "verdicts may differ" not in words(write_reproduction(made).read_text())
    quick = replace(made, preset=replace(made.preset, name="quick"))
    assert "verdicts may differ" in words(write_reproduction(quick).read_text())
