"""The run over the figures: stored data are trusted only if whole, and killed runs continue."""

import json
import pathlib
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from popout.paper.claims.claim import Check, Claim, Relation, Verdict
from popout.paper.figures import FIGURES
from popout.paper.reproduce import TONES, Reproduction, reproduce, write_reproduction
from popout.reports.part import PartResult
from popout.task import InputError

NAME = "search-designs"
REPORT = {"report.html", "report.json"}
FILES = {"claims.json", *REPORT} | {f"{NAME}.{kind}" for kind in ("nc", "json", "png", "svg")}


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def run(tmp_path, tiny, undrawn):
    """Return a function that makes one quick figure."""

    def make(folder=tmp_path, seed=1, preset=tiny):
        (made,) = reproduce((NAME,), preset, folder, seed).figures
        return made

    return make


def test_a_figure_leaves_data_record_and_pictures(run, tmp_path):
    made = run()
    assert set(files(tmp_path)) == FILES
    assert made.from_store is False
    record = json.loads((tmp_path / f"{NAME}.json").read_text())
    assert record["key"] == made.key
    assert record["seed"] == 1


def test_two_runs_give_identical_data(run, tmp_path):
    run(tmp_path / "one")
    run(tmp_path / "two")
    one, two = files(tmp_path / "one"), files(tmp_path / "two")
    assert one[f"{NAME}.nc"] == two[f"{NAME}.nc"]
    assert one[f"{NAME}.json"] == two[f"{NAME}.json"]


@pytest.mark.parametrize("number", [0, 1, 2, 4, 6])
def test_an_interrupted_write_leaves_nothing_half_written(run, tmp_path, monkeypatch, number):
    calls = []
    real = pathlib.Path.replace

    def interrupted(self, target):
        calls.append(target)
        if len(calls) == number + 1:
            raise KeyboardInterrupt
        return real(self, target)

    run(tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr(pathlib.Path, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "cut")
    whole, cut = files(tmp_path / "whole"), files(tmp_path / "cut")
    assert len(cut) == number
    assert all(whole[name] == cut[name] for name in set(cut) - REPORT)  # which name the time
    run(tmp_path / "cut")
    assert files(tmp_path / "cut")[f"{NAME}.nc"] == whole[f"{NAME}.nc"]


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
    stored = [f"{name}.{kind}" for name in parts for kind in ("nc", "json")]
    for name in (*stored, "claims.json"):
        assert cut[name] == whole[name], name
    assert json.loads(whole["claims.json"])["claims"]


def test_a_full_disk_is_one_message_and_leaves_no_file(run, tmp_path, monkeypatch):
    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pathlib.Path, "replace", full)
    with pytest.raises(InputError, match=r"out: .*No space left on device.*--out"):
        run()
    assert files(tmp_path) == {}


def test_unknown_preset_is_bad_input(tmp_path):
    with pytest.raises(InputError, match=r"preset: expected one of quick, paper, got 'slow'"):
        reproduce((), "slow", tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("undrawn")
def test_progress_goes_through_the_parts_by_their_effort(tiny, tmp_path):
    told = []
    parts = (NAME, "lossless")
    reproduce(parts, tiny, tmp_path, progress=lambda share, words: told.append((share, words)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert told[0] == (0.0, NAME)
    assert max(share for share, words in told if words.startswith(NAME)) == pytest.approx(2 / 3)


def test_a_reproduction_shows_what_was_made_and_every_verdict(tiny, tmp_path):
    found = reproduce(("lossless",), tiny, tmp_path)
    shown = str(found)
    assert "lossless" in shown
    assert "table, computed" in shown
    assert "evidence-lossless" in shown
    assert found.claims[0].verdict.value in shown
    plain = found.as_dict()
    assert plain["figures"] == []
    assert plain["tables"][0]["data"] == str(tmp_path / "lossless.nc")
    assert plain["claims"] == json.loads((tmp_path / "claims.json").read_text())["claims"]
    assert plain["report"] == found.report


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


def test_every_figure_and_claim_is_in_the_page(reported, tmp_path):
    made = reported(tmp_path / "one")
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


def test_figures_come_before_claims_and_checks_stay_folded(reported, tmp_path):
    html = write_reproduction(reported(tmp_path / "one")).read_text()
    assert html.rindex('id="figure-') < html.index('id="claims"') < html.index('id="provenance"')
    assert html.count("<details>") == len(CLAIMS)
    assert "details-content" not in html  # nothing unfolds them in print


def test_verdicts_have_colours_of_their_own():
    assert set(TONES) == set(Verdict)
    assert len(set(TONES.values())) == len(Verdict)


def test_two_runs_have_the_same_numbers_and_their_own_times(reported, tmp_path):
    found = []
    for name, seconds in (("one", 1.0), ("two", 2.0)):
        write_reproduction(reported(tmp_path / name, seconds))
        found.append(json.loads((tmp_path / name / "report.json").read_text()))
    one, two = found
    assert json.dumps(one["numbers"]) == json.dumps(two["numbers"])
    assert one["run"]["seconds"] != two["run"]["seconds"]
    assert set(one) == {"numbers", "run"}
    assert {part["name"] for part in one["run"]["parts"]} == {part.name for part in FIGURES}
    assert [claim["verdict"] for claim in one["numbers"]["claims"]] == [
        claim.verdict.value for claim in CLAIMS
    ]


def test_json_holds_the_data(reported, tmp_path):
    made = reported(tmp_path / "one")
    write_reproduction(made)
    content = json.loads((tmp_path / "one" / "report.json").read_text())
    figures = {figure["name"]: figure for figure in content["numbers"]["figures"]}
    risk = figures["strategies-2d"]["data"]["risk"]
    assert risk["dims"] == ["strategy"]
    assert risk["values"] == made.datasets["strategies-2d"]["risk"].to_numpy().tolist()


def test_a_run_without_claims_has_no_table_of_them(reported, tmp_path):
    html = write_reproduction(reported(tmp_path / "one", claims=())).read_text()
    assert 'id="claims"' not in html


def test_a_quick_report_says_why_its_verdicts_may_differ(reported, tmp_path):
    made = reported(tmp_path / "one")
    assert "verdicts may differ" not in words(write_reproduction(made).read_text())
    quick = replace(made, preset=replace(made.preset, name="quick"))
    assert "verdicts may differ" in words(write_reproduction(quick).read_text())
