"""Risk against the cost of time: more at a higher cost."""

from popout.reports.sections import cost_of_time


def test_a_higher_cost_risks_more(sections):
    data, own = sections("cost"), sections("strategies")
    assert float(data["time_cost"][0]) == 2 * data.attrs["own_cost"]
    optimal = data["risk"].sel(strategy="optimal")
    assert float(optimal[0]) > float(own["risk"].sel(strategy="optimal"))
    assert cost_of_time.describe(data)[0].startswith(
        "From 1.0/s to 1.0/s the risk of the exact optimum"
    )
