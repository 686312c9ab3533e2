"""Dynamic programming: kernel, grid, Bellman recursion, boundaries and thresholds."""
