"""The page of the documentation: every claim, every check, and what an error means."""

import json

from popout.paper.claims import examine
from popout.paper.claims.claim import Check, Claim, ErrorKind, Relation
from popout.paper.claims.page import claims_page, main

from .fabricated import base


def test_the_page_holds_every_claim_and_every_check(tmp_path):
    claims, missing = examine({"lossless": base()["lossless"], "horizon": base()["horizon"]})
    content = {
        "preset": {"name": "tiny"},
        "seed": 5,
        "claims": [claim.as_dict() for claim in claims],
        "not_examined": list(missing),
    }
    (tmp_path / "claims.json").write_text(json.dumps(content), encoding="utf-8")
    main([str(tmp_path / "claims.json"), str(tmp_path / "claims.md")])
    page = (tmp_path / "claims.md").read_text(encoding="utf-8")
    assert page == claims_page(content)
    assert "--preset tiny --seed 5" in page
    for claim in claims:
        assert claim.statement in page
        assert page.count(f"### {claim.name}\n") == 1
        assert all(f"| {check.what} |" in page for check in claim.checks)
    assert all(name in page for name in missing)


def test_the_page_shows_what_a_bound_on_the_error_is():
    check = Check("x", 1.0, Relation.BELOW, 2.0, error=0.25, error_kind=ErrorKind.BOUND)
    claim = Claim("c", "A claim.", "there", "", "rule", (check,), ("lossless",))
    content = {"preset": {"name": "p"}, "seed": 1, "claims": [claim.as_dict()], "not_examined": []}
    assert "1 ± at most 0.25" in claims_page(content)
