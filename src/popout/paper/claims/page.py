"""The claims as a page of the documentation, from the ``claims.json`` of a run.

``python -m popout.paper.claims.page results/paper/claims.json docs/claims.md`` writes it;
``make claims`` runs the paper preset first. Every word and number of the page comes from the stored
claims or from the rule of the verdict.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from popout.paper.claims.claim import GROUPS, Check, ErrorKind, Relation, Verdict, group_of
from popout.reports.store import write_whole

HEAD = """# The claims of the paper, examined

What the paper says in words and numbers, what was computed, and whether it holds. The page is
written by `make claims` from the data of `popout reproduce --preset {preset} --seed {seed}`.

Each claim is turned into checks: a number with its error, and a bound that the number must clear
with its margin (twice a standard error, or once a bound on the error of a computation). The verdict
follows by one rule: every check passes, the claim **holds**; some pass, it **holds in part**; none
passes and some fail, it **does not hold**; otherwise it is **undecided**. What words such as
"negligible" mean in numbers is the same for all claims (`popout.paper.claims.bounds`):
"sub-optimal" is an excess risk above zero by more than its error, however small, and the value
tells its size; whether it exceeds 0.1 % is a question of its own. Risk is the prior average; ± is a
standard error, or where it says "at most" a bound.

The paper computes with steps of 10 ms, in which a response at drift 12/s takes three. What it says
of Figures 4 to 6 is therefore examined with steps of a millisecond and less as well; all count, and
where the verdicts at the steps differ they are told. Slips of the pen are no claims:
[notation](notation.md) lists them.
"""


def claims_page(content: dict[str, Any]) -> str:
    """Return the page.

    Parameters
    ----------
    content : dict
        As stored in ``claims.json``.

    Examples
    --------
    >>> content = {"preset": {"name": "quick"}, "seed": 1, "claims": [], "not_examined": []}
    >>> claims_page(content).splitlines()[0]
    '# The claims of the paper, examined'
    """
    return "\n".join(_lines(content)) + "\n"


def _lines(content: dict[str, Any]) -> Iterator[str]:
    claims = content["claims"]
    yield HEAD.format(preset=content["preset"]["name"], seed=content["seed"])
    counts = Counter(claim["verdict"] for claim in claims)
    parts = [f"{verdict.value} {counts[verdict.value]}" for verdict in Verdict]
    yield f"{len(claims)} claims: {', '.join(parts)}.\n"
    for title in GROUPS:
        group = [claim for claim in claims if group_of(claim["new"], claim["where"]) == title]
        if group:
            yield f"## {title}\n"
            yield "| claim | verdict | checks passed |\n|---|---|---|"
            for claim in group:
                passed = sum(check["outcome"] == "passes" for check in claim["checks"])
                by_step = _by_step(claim)
                yield (
                    f"| [{claim['statement']}](#{claim['name']}) | **{claim['verdict']}**"
                    f"{'; ' * bool(by_step)}{by_step} | {passed} of {len(claim['checks'])} |"
                )
            yield ""
    if content["not_examined"]:
        yield f"Not examined in this run: {', '.join(content['not_examined'])}.\n"
    yield "## What was computed\n"
    for claim in claims:
        yield from _section(claim)


def _section(claim: dict[str, Any]) -> Iterator[str]:
    yield f"### {claim['name']}\n"
    quote = f" “{claim['quote']}”." if claim["quote"] else ""
    by_step = _by_step(claim)
    words = f" ({by_step})" if by_step else ""
    yield f"**{claim['verdict'].capitalize()}**{words}. {claim['statement']}\n"
    where = "Beyond the paper" if claim["where"] in GROUPS else "In the paper"
    yield f"{where}: {claim['where']}.{quote} Data: {', '.join(claim['data'])}.\n"
    yield f"{claim['rule']}\n"
    steps = bool(claim["by_step"])
    yield f"| computed |{' step |' * steps} value | must be | |\n|---|{'---|' * steps}---|---|---|"
    for stored in claim["checks"]:
        check = _check(stored)
        bound = check.error_kind is ErrorKind.BOUND and check.error > 0
        value = check.measured.replace("±", "± at most") if bound else check.measured
        step = f" {check.step} |" * steps
        yield f"| {check.what} |{step} {value} | {check.wanted} | {check.outcome.value} |"
    yield ""


def _by_step(claim: dict[str, Any]) -> str:
    """Return the verdict at each step, in words, where they differ."""
    verdicts = claim["by_step"]
    if len(set(verdicts.values())) < 2:
        return ""
    return "; ".join(f"steps of {step}: {verdict}" for step, verdict in verdicts.items())


def _check(stored: dict[str, Any]) -> Check:
    """Return a check as it was before it was stored; no number is NaN again."""
    fields: dict[str, Any] = {
        name: math.nan if value is None else value for name, value in stored.items()
    }
    del fields["outcome"]
    relation, kind = Relation(fields.pop("relation")), ErrorKind(fields.pop("error_kind"))
    return Check(relation=relation, error_kind=kind, **fields)


def main(arguments: Sequence[str]) -> None:
    """Write the page: the path of the stored claims, then that of the page."""
    stored, page = map(Path, arguments)
    write_whole(page, claims_page(json.loads(stored.read_text(encoding="utf-8"))).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
