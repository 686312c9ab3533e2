"""Beyond the paper, "With limited information": one module for each figure of the chapter.

The observer of the paper sees every location at its full rate. Here a rate of information is shared
out, anew at every step. See `popout.report.part` for what such a module holds; ``compute`` takes
preset, seed and progress.
"""

ORDER = ("where-to-look", "slopes-and-errors", "worth-a-look")
"""Every figure of the chapter, in the order in which they are made and shown."""
TITLE = "With limited information"
