"""``popout certify``."""

from command_line import refusal, run, run_json

TWO = ("certify", "--drift", "5", "--locations", "2", "--time-cost", "1", "--trials")


def test_json_has_the_documented_keys_and_the_text_says_what_they_mean():
    result = run_json(*TWO, "1024")
    keys = {"lower", "lower_se", "upper", "upper_se", "gap", "gap_se", "strategy", "seconds"}
    assert keys <= set(result)
    assert result["method"] == "exact"
    assert "no strategy is below" in run(*TWO, "1024").stdout


def test_displays_that_are_reshuffled_have_no_bounds():
    assert "`popout compare`, which take it" in refusal(*TWO, "1024", "--dynamic", "0.11")


def test_errors_from_a_few_blocks_are_refused():
    assert "at least 1024" in refusal(*TWO, "256")
