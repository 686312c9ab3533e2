"""All claims together: named once, examined on what a run makes, leaving the data alone."""

import copy

import xarray as xr

from popout.paper.claims import EXAMINATIONS, examine
from popout.paper.reproduce import PARTS
from popout.paper.tables import ORDER as TABLES

from .fabricated import base, changed


def test_every_claim_has_a_name_of_its_own():
    names = [one.name for one in EXAMINATIONS]
    assert len(set(names)) == len(names) >= 40


def test_claims_without_their_data_are_named():
    data = {"lossless": base()["lossless"]}
    claims, missing = examine(data)
    assert [claim.name for claim in claims] == ["evidence-lossless"]
    assert set(missing) == {one.name for one in EXAMINATIONS} - {"evidence-lossless"}


def test_claims_need_only_what_a_run_makes():
    looked_at = {name for one in EXAMINATIONS for name in one.sources}
    assert looked_at <= {part.name for part in PARTS}
    assert looked_at >= set(TABLES) - {"printed-equations"}  # slips of the pen are no claims


def test_examining_changes_no_data():
    data = changed([])
    before = copy.deepcopy(data)
    examine(data)
    for name, one in data.items():
        xr.testing.assert_identical(one, before[name])


def test_every_check_says_why_its_bound_and_those_of_risk_speak_of_risk():
    claims, _ = examine(changed([]))
    checks = [check for claim in claims for check in claim.checks]
    assert [check.what for check in checks if not check.reason] == []
    of_risk = [check for check in checks if check.bound == 0.1 and check.unit == "%"]
    assert len(of_risk) > 20
    assert all("risk" in check.reason and "odds" not in check.reason for check in of_risk)
