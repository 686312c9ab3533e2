"""The sections of a report on a task with limited information: one module each.

See `popout.report.part` for what such a module holds; ``compute`` takes the `Study` and progress.
The displays come first, as in any report.
"""

ORDER = ("where-to-look", "strategies", "set-size")
"""Every section after the displays, in the order in which they are made and shown."""
