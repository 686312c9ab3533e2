"""The sections of a report on a task: one module each, with numbers, picture and caption.

See `popout.report.part` for what such a module holds; ``compute`` takes the `Study` and progress.
"""

ORDER = ("displays", "evidence", "boundary", "strategies", "cost", "response-times")
"""Every section, in the order in which they are made and shown."""
