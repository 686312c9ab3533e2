"""The run over the figures: stored data are trusted only if whole, and killed runs continue."""

import html
import json
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from popout.paper.claims.claim import Check, Claim, Relation, Verdict
from popout.paper.figures import FIGURES
from popout.paper.reproduce import TONES, Reproduction, reproduce, write_reproduction
from popout.reports.part import PartResult

NAME = "search-designs"
FILES = {"claims.json", "report.html", "report.json", "lossless.nc", "lossless.json"}
FILES |= {f"{NAME}.{kind}" for kind in ("nc", "json", "png", "svg")}


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.usefixtures("undrawn")
def test_a_killed_run_continues_to_the_same_data(tmp_path):
    parts = (NAME, "lossless")
    reproduce(parts, out=tmp_path / "whole")
    command = [sys.executable, "-m", "popout", "reproduce", *parts, "--out", tmp_path / "cut"]
    for kind in ("nc", "png"):  # as soon as the first file is there, and between two pictures
        killed = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while killed.poll() is None and not (tmp_path / "cut" / f"{NAME}.{kind}").exists():
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        assert killed.wait() == -signal.SIGKILL
    assert not (tmp_path / "cut" / "claims.json").exists()
    again = reproduce(parts, out=tmp_path / "cut")
    assert again.figures[0].from_store
    whole, cut = files(tmp_path / "whole"), files(tmp_path / "cut")
    assert set(cut) == FILES
    stored = [f"{name}.{kind}" for name in parts for kind in ("nc", "json")]
    for name in (*stored, "claims.json"):
        assert cut[name] == whole[name], name
    assert json.loads(whole["claims.json"])["claims"]


def test_a_reproduction_shows_what_was_made_and_every_verdict(tiny, tmp_path):
    run = reproduce(("lossless",), tiny, tmp_path)
    for words in ("table, computed", "evidence-lossless", run.claims[0].verdict.value):
        assert words in str(run)
    plain = run.as_dict()
    assert (plain["figures"], plain["report"]) == ([], run.report)
    assert plain["tables"][0]["data"] == str(tmp_path / "lossless.nc")
    assert plain["claims"] == json.loads((tmp_path / "claims.json").read_text())["claims"]


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
def reported(computed, tiny):
    """Return a function that makes a run of all figures, with pictures that cost no time."""

    def make(folder, seconds=1.0):
        folder.mkdir()
        made = []
        for part in FIGURES:
            for kind in ("png", "svg"):
                (folder / f"{part.name}.{kind}").write_text(f"<svg>{part.name}</svg>")
            data, _ = computed(part.name)
            made.append(PartResult(part, data, folder, "key", False, "", seconds))
        return Reproduction(tuple(made), (), CLAIMS, ("later",), folder, tiny, 3, seconds)

    return make


def words(page):
    """Return the text of a page."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


def test_every_figure_and_claim_is_in_the_page(reported, tmp_path):
    made = reported(tmp_path / "one")
    page = write_reproduction(made).read_text()
    text = words(page)
    assert page.count("data:image/svg+xml;base64,") == len(FIGURES)
    for part in FIGURES:
        assert f'id="figure-{part.name}"' in page
        assert part.caption(made.datasets[part.name])[0] in text
    for claim in CLAIMS:
        assert claim.statement in text
        assert f">{claim.verdict.value}</span>" in page
    for check in (PASSES, FAILS, OPEN):
        assert all(shown in text for shown in (check.what, check.measured, check.wanted))
    assert "4 claims: holds 1, holds in part 1, does not hold 1, undecided 1." in text
    assert "As measured here these do not hold: “The printed scales fit.” " in text
    assert "Not examined in this run: later." in text
    # Figures come before claims, and checks stay folded, in print as well.
    assert page.rindex('id="figure-') < page.index('id="claims"') < page.index('id="provenance"')
    assert page.count("<details>") == len(CLAIMS)
    assert "details-content" not in page
    assert len(set(TONES.values())) == len(TONES) == len(Verdict)  # colours of their own
    assert "verdicts may differ" not in text
    quick = replace(made, preset=replace(made.preset, name="quick"), claims=CLAIMS[:1])
    assert "verdicts may differ" in words(write_reproduction(quick).read_text())
    assert 'id="claims"' not in write_reproduction(replace(made, claims=())).read_text()


def test_two_runs_have_the_same_numbers_and_their_own_times(reported, tmp_path):
    contents = []
    for name, seconds in (("one", 1.0), ("two", 2.0)):
        made = reported(tmp_path / name, seconds)
        write_reproduction(made)
        contents.append(json.loads((tmp_path / name / "report.json").read_text()))
    first, second = contents
    numbers = first["numbers"]
    assert json.dumps(numbers) == json.dumps(second["numbers"])
    assert first["run"]["seconds"] != second["run"]["seconds"]
    assert set(first) == {"numbers", "run"}
    assert {part["name"] for part in first["run"]["parts"]} == {part.name for part in FIGURES}
    assert [claim["verdict"] for claim in numbers["claims"]] == [
        claim.verdict.value for claim in CLAIMS
    ]
    figures = {figure["name"]: figure for figure in numbers["figures"]}
    risk = figures["strategies-2d"]["data"]["risk"]
    assert risk["dims"] == ["strategy"]
    assert risk["values"] == made.datasets["strategies-2d"]["risk"].to_numpy().tolist()
