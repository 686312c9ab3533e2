"""Strategies: the risk is made of errors and time, and the table holds every one."""

import numpy as np

from popout.reports.sections import strategies_compared


def test_every_strategy_has_a_row_and_none_beats_the_optimum(sections):
    data = sections("strategies")
    names = [str(name) for name in data["strategy"].to_numpy()]
    table, *_ = strategies_compared.tables(data)
    assert [row[0] for row in table.rows] == names
    assert names[0] == "optimal"
    assert (data["excess"] >= -1e-12).all()
    made = sum(
        0.5 * (data[f"error_rate_{k}"] + 0.5 * data[f"mean_rt_{k}"]) for k in ("absent", "present")
    )
    simulated = data["strategy"] != "optimal"
    np.testing.assert_allclose(made[simulated], data["risk"][simulated], rtol=0.3)
