"""The paper's figures: one module each, with its computation, its picture and its caption.

See `popout.report.part` for what such a module holds; ``compute`` takes preset, seed and progress.
"""

ORDER = (
    "search-designs",
    "homogeneous-search",
    "optimal-thresholds",
    "strategies-2d",
    "homogeneous-risk",
    "unequal-drift-risk",
)
"""Every figure, in the order in which they are made and shown."""
