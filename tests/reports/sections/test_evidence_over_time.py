"""Evidence: it separates the classes more and more."""

from popout.reports.sections import evidence_over_time


def test_the_evidence_grows(sections):
    data = sections("evidence")
    assert float(data["auc"][0]) == 0.5  # nothing is known at onset
    assert float(data["auc"][-1]) > 0.8
    middle = data["S"].sel(quantile=0.5).isel(time=-1)
    assert float(middle.sel({"class": "absent"})) < 0 < float(middle.sel({"class": "present"}))
    assert all("nan" not in sentence for sentence in evidence_over_time.describe(data))
