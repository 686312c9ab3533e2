"""Risk, error and response-time summaries, tuning of strategies, regret and sweeps."""
