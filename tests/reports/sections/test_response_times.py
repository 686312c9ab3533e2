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
