"""The table of a comparison: a DataFrame that shows itself; what is drawn is what it holds."""

import pickle

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import popout as po
from popout.analysis.comparison import with_slopes

RNG = np.random.default_rng(1)


def table(cells, excess=None, strategies=("a-SPRT", "SPRT")):
    """Return a comparison over cells (locations, drift, time cost) with made-up numbers."""
    rows = []
    for locations, drift, time_cost in cells:
        for label in strategies:
            row = {"strategy": label, "locations": locations, "drift": drift}
            row |= {"time_cost": time_cost, "risk": 0.05, "risk_se": 1e-4}
            value = RNG.uniform(1e-5, 2e-5) if excess is None else excess[len(rows)]
            row |= {"excess": value, "excess_se": 1e-6, "reference": "optimal"}
            row |= {"excess_trials": 20_000, "is_reference": False, "trials": 10**6}
            for side in ("absent", "present"):
                row |= {f"error_rate_{side}": 0.01, f"error_rate_{side}_se": 1e-3}
                row |= {f"mean_rt_{side}": 0.2 + 0.01 * locations, f"mean_rt_{side}_se": 1e-3}
            row["undecided"] = 0
            rows.append(row)
    return with_slopes(po.Comparison(rows))


ONE = table([(2, 4.0, 0.2)])
SIZES = table([(2, 4.0, 0.2), (4, 4.0, 0.2), (8, 4.0, 0.2)])
BOTH = table([(M, 4.0, c) for M in (2, 4) for c in (0.2, 0.5)])
DRIFTS = table([(2, 4.0, 0.2), (2, (8.0, 3.0), 0.2)])
COSTS = table([(2, 4.0, 0.2), (2, 4.0, (0.1, 0.4))])


def drawn(ax):
    """Return the points of every series with its half error."""
    found = []
    for bars in ax.containers:
        line, _, (segments,) = bars.lines
        ends = np.array([s[:, 1] for s in segments.get_segments()])
        found.append((line.get_xydata(), np.diff(ends, axis=1)[:, 0] / 2))
    return found


@pytest.mark.parametrize("one", [ONE, SIZES, BOTH, DRIFTS, COSTS])
def test_every_excess_is_drawn_with_its_error(one):
    series = drawn(one.plot(ax=Figure().subplots()))
    points = np.concatenate([xy[:, 1] for xy, _ in series])
    assert np.sort(points) == pytest.approx(np.sort(one["excess"]))
    assert np.concatenate([half for _, half in series]) == pytest.approx(one["excess_se"].iloc[0])


def test_series_run_over_set_size():
    ax = SIZES.plot(ax=Figure().subplots())
    for (xy, _), label in zip(drawn(ax), ("a-SPRT", "SPRT"), strict=True):
        rows = SIZES[SIZES.strategy == label]
        assert xy == pytest.approx(rows[["locations", "excess"]].to_numpy(float))
    assert ax.get_xlabel() == "set size"
    assert len(drawn(BOTH.plot(ax=Figure().subplots()))) == 4  # two strategies at two costs
    labels = [t.get_text() for t in DRIFTS.plot(ax=Figure().subplots()).get_xticklabels()]
    assert labels == ["4", "8, 3"]


def test_excesses_of_different_size_get_a_logarithmic_axis():
    cells = [(2, 4.0, 0.2), (8, 4.0, 0.2)]
    assert SIZES.plot(ax=Figure().subplots()).get_yscale() == "linear"
    wide = table(cells, [1e-5, 1e-4, 1e-3, 2e-3])
    assert wide.plot(ax=Figure().subplots()).get_yscale() == "log"
    zero = table(cells, [0.0, 1e-4, -1e-6, 5e-3])
    assert zero.plot(ax=Figure().subplots()).get_yscale() == "symlog"


def test_pandas_plots_are_still_there():
    ax = Figure().subplots()
    assert SIZES.plot(x="locations", y="risk", ax=ax) is ax
    assert len(ax.lines) == 1
    bars = Figure().subplots()
    SIZES.plot.bar(x="strategy", y="excess", ax=bars)
    assert len(bars.patches) == len(SIZES)


def test_text_fits_a_terminal_and_names_what_varies():
    text = str(ONE)
    assert text.splitlines()[0].endswith("2 locations, drift 4 /s, time cost 0.2 /s")
    assert "set size" not in text.splitlines()[1]
    assert "set size" in str(SIZES).splitlines()[1]
    assert "8, 3" in str(DRIFTS)
    assert "0.1, 0.4" in str(COSTS)
    for card in BOTH.cards():
        assert max(len(line) for line in card.text(80).splitlines()) <= 80


def test_html_rounds_escapes_and_adds_errors():
    html = table([(2, 4.0, 0.2)], strategies=("<mine>",))._repr_html_()
    assert "&lt;mine&gt;" in html
    assert "0.05000 ± 0.00010" in html
    assert "errors (%), absent" in html
    assert "<mine>" not in html


def test_mixed_references_are_named_in_a_column():
    mixed = table([(2, 4.0, 0.2), (8, 4.0, 0.2)])
    mixed.loc[2:, "reference"] = "a-SPRT"
    head, *rows = mixed.card().text().splitlines()[1:]
    assert head.split()[-2:] == ["over", "trials"]
    assert [row.split()[-2] for row in rows] == ["optimal", "optimal", "a-SPRT", "a-SPRT"]


def test_what_is_derived_is_a_plain_frame():
    for derived in (ONE[["risk"]], ONE.copy(), SIZES[SIZES.locations > 2], pd.concat([ONE, ONE])):
        assert type(derived) is pd.DataFrame
    again = pickle.loads(pickle.dumps(ONE))
    pd.testing.assert_frame_equal(pd.DataFrame(again), pd.DataFrame(ONE))


def test_a_table_without_its_columns_is_shown_by_pandas():
    bare = po.Comparison({"x": [1, 2]})
    assert "x" in repr(bare)
    assert "<table" in bare._repr_html_()
    assert "Empty" in repr(po.Comparison())
    with pytest.raises(po.InputError, match="excess"):
        bare.plot()


def test_undecided_trials_are_said():
    some = table([(2, 4.0, 0.2)])
    some["undecided"] = [0, 2]
    assert "SPRT: 2 trials undecided, the risk is a lower bound." in str(some)
    assert "a-SPRT: 0" not in str(some)


def test_zeros_say_what_they_are_and_trials_are_shown():
    some = table([(2, 4.0, 0.2)], [0.0, 0.0], strategies=("optimal", "a-SPRT"))
    some["is_reference"], some["excess_trials"] = [True, False], [0, 1000]
    text = some.card().text()
    assert [line.split()[4:] for line in text.splitlines()[2:]] == [
        ["reference", "exact"],
        ["below", "3e-06", "1000"],
    ]
    assert " 0 +- 0" not in text


def test_errors_response_times_and_slopes_are_printed_by_set_size():
    text = str(SIZES)
    assert "RT (ms), absent" in text
    assert "1.00 +- 0.10" in text  # percent
    assert "220.0 +- 1.0" in text
    assert "1000000 trials each" in text
    slopes = text[text.index("Slopes") :].splitlines()
    assert slopes[1].split() == ["strategy", "absent", "(ms/item)", "present", "(ms/item)"]
    # 10 ms for each item; the errors of 2, 4 and 8 propagate.
    assert slopes[2].split() == ["a-SPRT", "10.00", "+-", "0.23", "10.00", "+-", "0.23"]
    assert "Slopes" not in str(ONE)
    assert len(BOTH.slopes()) == 4  # two strategies at two costs
    none = ONE.copy()
    none["error_rate_absent"] = 0.0
    assert "none" in str(po.Comparison(none))


def test_all_that_is_asked_first_is_drawn():
    import matplotlib.pyplot as plt

    axes = SIZES.plot()
    labels = [ax.get_ylabel() for ax in axes]
    assert labels == ["excess risk over optimal", "mean response time (ms)", "errors (%)"]
    (first, _), *_ = drawn(axes[1])
    assert first == pytest.approx(np.array([[2, 220.0], [4, 240.0], [8, 280.0]]))
    (percent, _), *_ = drawn(axes[2])
    assert percent[:, 1] == pytest.approx(1.0)
    assert "a-SPRT: 10.0, 10.0" in axes[1].get_legend().get_title().get_text()
    plt.close(axes[0].figure)
    one = Figure().subplots()
    assert ONE.plot(ax=one, show="rt") is one
    assert one.get_ylabel() == "mean response time (ms)"
    with pytest.raises(po.InputError, match="one of excess, rt, errors, got 'error'"):
        ONE.plot(show="error")


def noted(cells, notes):
    """Return a comparison in which some cells have notes."""
    made = table(cells)
    made["note"] = np.repeat(notes, 2)
    return po.Comparison(made)


def test_what_looks_wrong_is_printed_once_and_says_where():
    cells = [(2, 4.0, 0.2), (4, 4.0, 0.2), (8, 4.0, 0.2), (16, 4.0, 0.2)]
    assert noted(cells, [""] * 4).notes() == []
    assert noted(cells, ["Too coarse."] * 4).notes() == ["Too coarse."]
    assert noted(cells[:1], ["Too coarse."]).notes() == ["Too coarse."]
    assert noted(cells, ["", "A.", "", "B."]).notes() == ["4 locations: A.", "16 locations: B."]
    many = noted(cells, ["A.", "B.", "C.", "D."])
    assert many.notes() == ["2 locations: A.", "4 locations: B.", "2 more cells with such a note."]
    assert " ".join(many.notes()) in str(many)
    assert many.as_dict()[2]["note"] == "B."
