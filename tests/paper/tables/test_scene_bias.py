"""The footnote's bias shrinks as blanks become visible."""


def test_visible_blanks_leave_less_bias_and_fewer_errors(computed):
    data, _ = computed("scene-bias")
    hidden, visible = (data.isel(visibility=k) for k in (0, -1))
    assert float(visible["rms"]) < float(hidden["rms"])
    assert float(visible["error_rate"]) < float(hidden["error_rate"])
    assert (data["more_errors"] >= 0).all()
