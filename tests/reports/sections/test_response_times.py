"""Response times: every answer is counted once."""

from popout.reports.sections import response_times


def test_answers_add_up_to_trials(sections):
    data = sections("response-times")
    assert (data["answers"].sum("answer") == data["trials"]).all()  # none is undecided
    assert (data["count"].sum("bin") <= data["answers"]).all()
    quantile = data["quantile"].diff("probability")
    assert bool((quantile.isnull() | (quantile >= 0)).all())
    (table,) = response_times.tables(data)
    assert len(table.columns) == 2 + data.sizes["probability"]


def test_caption_says_where_the_curves_of_errors_end(sections):
    data = sections("response-times").copy(deep=True)
    data["answers"] = data["count"].sum("bin")
    whole = " ".join(response_times.describe(data))
    assert whole.endswith("a curve of errors ends at the error rate.")
    # As where trials that are open at the end are answered then, beyond the axis.
    place = {"strategy": 0, "class": 1}
    data["trials"][place] = 1000.0
    data["count"][{**place, "answer": 1}] = 0.0
    data["count"][{**place, "answer": 1, "bin": 3}] = 28.0
    data["answers"][{**place, "answer": 1}] = 74.0
    late = " ".join(response_times.describe(data))
    assert "ends at the error rate" not in late
    assert "with target present ends at 2.8 %, the error rate is 7.4 %." in late
