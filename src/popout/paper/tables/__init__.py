"""Numbers that a claim needs and no figure of the paper shows: as a rule without a picture.

One module each. See `popout.report.part` for what such a module holds; ``compute`` takes preset,
seed and progress.
"""

ORDER = (
    "lossless",
    "scene-bias",
    "uncertainty",
    "horizon",
    "paper-grid",
    "biased-prior",
    "scales",
    "larger-sets",
    "certified-sets",
    "conjecture-regime",
    "asymptotics",
    "decisions",
    "time-varying",
    "short-steps-2d",
    "short-steps-equal",
    "short-steps-unequal",
    "printed-equations",
)
"""Every table, in the order in which they are made."""
